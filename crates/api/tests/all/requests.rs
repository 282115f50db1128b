//! Requests with wrong parts: all of them are reported, at their places.

use crate::client::Client;

#[tokio::test]
async fn all_wrong_fields_are_reported_at_once_with_pointers() {
    let client = Client::with_books().await;
    let book = r#"{"title": "", "isbn": 5, "pricee": 1, "images": [{"url": "u", "width": 1}, {"url": 2, "width": 1}]}"#;
    let answer = client.send("POST", "/books/authors/a1/books", book).await;
    answer.assert_problem(400, "invalid-request");
    assert_eq!(answer.wrong(), ["#/title", "#/isbn", "#/images/1/url", "#/pricee"], "{}", answer.text());
}

#[tokio::test]
async fn fields_of_the_path_are_not_in_the_body_too() {
    let client = Client::with_books().await;
    let book = r#"{"author_id": "a2", "title": "Tea", "isbn": 5}"#;
    let answer = client.send("POST", "/books/authors/a1/books", book).await;
    answer.assert_problem(400, "invalid-request");
    assert_eq!(answer.wrong(), ["#/author_id", "#/isbn"], "{}", answer.text());
}

#[tokio::test]
async fn wrong_query_parameters_are_reported_at_once() {
    let client = Client::with_books().await;
    for (query, wrong) in [
        ("limit=0", vec!["limit"]),
        ("limit=1001", vec!["limit"]),
        ("limit=+5", vec!["limit"]),
        ("limit=1&limit=2", vec!["limit"]),
        ("limit=x&colour=red", vec!["limit", "colour"]),
        ("author_id=a2", vec!["author_id"]),
    ] {
        let answer = client.get(&format!("/books/authors/a1/books?{query}")).await;
        answer.assert_problem(400, "invalid-request");
        assert_eq!(answer.wrong(), wrong, "{query}: {}", answer.text());
    }
    let missing = client.get("/books/authors/a1/tagged-books?pages=many").await;
    assert_eq!(missing.wrong(), ["tag", "pages"], "{}", missing.text());
    let fine = client.get("/books/authors/a1/tagged-books?pages=10&tag=a%20b").await;
    assert_eq!(fine.status, 200, "{}", fine.text());
    // Text that looks like a number stays text.
    assert_eq!(client.get("/books/authors/a1/tagged-books?pages=10&tag=5").await.status, 200);
}

#[tokio::test]
async fn a_cursor_of_something_else_is_refused() {
    let client = Client::with_books().await;
    let answer = client.get("/books/authors/a1/books?cursor=made-up").await;
    answer.assert_problem(404, "invalid-cursor");
    assert_eq!(answer.wrong(), ["cursor"]);
}

#[tokio::test]
async fn bodies_that_are_no_json_object_are_refused() {
    let client = Client::with_books().await;
    for body in ["{", "[]", "5", "null", "{\"name\": 1, \"name\": 2}", "\"a\""] {
        client.send("POST", "/books/authors", body).await.assert_problem(400, "invalid-request");
    }
    let missing = client.send("POST", "/books/authors", "").await;
    assert_eq!(missing.wrong(), ["#/author_id", "#/name"], "{}", missing.text());
    client.send("GET", "/books/authors/a1", "{}").await.assert_problem(400, "invalid-request");
}

#[tokio::test]
async fn types_that_are_not_json_are_refused() {
    let client = Client::with_books().await;
    let text = client.send_with("POST", "/books/authors", "name=a", &[("content-type", "text/plain")]).await;
    text.assert_problem(415, "unsupported-media-type");
    let html = client.send_with("GET", "/books/authors/a1", "", &[("accept", "text/html")]).await;
    html.assert_problem(406, "not-acceptable");
}

#[tokio::test]
async fn promises_that_cannot_be_kept_are_refused() {
    let client = Client::with_books().await;
    for header in ["if-match", "if-none-match", "if-unmodified-since"] {
        let answer = client.send_with("POST", "/books/authors", r#"{"name": "a"}"#, &[(header, "x")]).await;
        answer.assert_problem(400, "unsupported-header");
    }
}

#[tokio::test]
async fn other_methods_are_told_which_ones_there_are() {
    let client = Client::with_books().await;
    let answer = client.send("POST", "/books/authors/a1", "{}").await;
    answer.assert_problem(405, "method-not-allowed");
    assert_eq!(answer.header("allow"), "GET, HEAD, OPTIONS, PUT");
    let options = client.send("OPTIONS", "/books/authors/a1", "").await;
    assert_eq!((options.status.as_u16(), options.header("allow")), (204, "GET, HEAD, OPTIONS, PUT"));
    assert_eq!(client.send("HEAD", "/books/authors/a1", "").await.status, 200);
    client.send("POST", "/books", "{}").await.assert_problem(405, "method-not-allowed");
    client.get("/books/nowhere").await.assert_problem(404, "not-found");
    client.get("/elsewhere").await.assert_problem(404, "not-found");
}

#[tokio::test]
async fn escapes_in_paths_are_values() {
    let client = Client::with_books().await;
    let author = r#"{"author_id": "a/b c", "name": "Mai"}"#;
    let created = client.send("POST", "/books/authors", author).await;
    assert_eq!(created.header("location"), "/books/authors/a%2Fb%20c");
    assert_eq!(client.get("/books/authors/a%2Fb%20c").await.member("author_id"), "a/b c");
    client.get("/books/authors/%ff").await.assert_problem(400, "invalid-request");
}

#[tokio::test]
async fn a_change_of_nothing_names_the_fields_of_which_one_is_needed() {
    let client = Client::with_books().await;
    let book = r#"{"book_id": "b1", "title": "Tea", "isbn": "1"}"#;
    assert_eq!(client.send("POST", "/books/authors/a1/books", book).await.status, 201);
    let empty = client.send("PATCH", "/books/authors/a1/books/b1", "{}").await;
    empty.assert_problem(400, "invalid-request");
    assert_eq!(empty.wrong(), ["#/price", "#/title"]);
}

#[tokio::test]
async fn pointers_lead_to_names_with_dots_and_brackets() {
    let client = Client::with_books().await;
    let answer = client.send("PUT", "/books/authors/a1", r#"{"name": "Mai", "a.b[0]/c": 1}"#).await;
    answer.assert_problem(400, "invalid-request");
    assert_eq!(answer.wrong(), ["#/a.b[0]~1c"]);
}
