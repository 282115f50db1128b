//! Refusals by the data, and of callers.

use std::net::IpAddr;

use axum::body::Body;
use axum::http::Request;

use crate::client::Client;

#[tokio::test]
async fn conflicts_with_the_data_have_a_type_of_their_own() {
    let client = Client::with_books().await;
    let book = r#"{"book_id": "b1", "title": "Tea", "isbn": "1", "price": 5}"#;
    client.send("POST", "/books/authors/a1/books", book).await;

    let again = client
        .send("POST", "/books/authors/a1/books", &book.replace("\"isbn\": \"1\"", "\"isbn\": \"2\""))
        .await;
    again.assert_problem(409, "already-exists");
    let same = client.send("POST", "/books/authors/a1/books", &book.replace("b1", "b2")).await;
    same.assert_problem(409, "not-unique");
    assert_eq!(same.wrong(), ["#/isbn"]);
    let orphan = client.send("POST", "/books/authors/a9/books", r#"{"title": "T", "isbn": "9"}"#).await;
    orphan.assert_problem(409, "missing-reference");
    assert_eq!(orphan.wrong(), ["author_id"]);
    let high = client.send("PATCH", "/books/authors/a1/books/b1", r#"{"title": "X", "most": 3}"#).await;
    high.assert_problem(409, "condition-failed");
    assert!(!high.text().contains("price <"), "a condition is nobody's business: {}", high.text());
    let missing = client.send("PATCH", "/books/authors/a1/books/b9", r#"{"title": "X"}"#).await;
    missing.assert_problem(404, "not-found");
}

#[tokio::test]
async fn without_keys_only_this_machine_is_answered() {
    let client = Client::with_books().await;
    for path in ["/books", "/books/authors/a1"] {
        let mut request = Request::get(path).body(Body::empty()).unwrap();
        client.pass(Request::get(path).body(Body::empty()).unwrap()).await.assert_problem(403, "forbidden");
        request.extensions_mut().insert(IpAddr::from([10, 0, 0, 7]));
        client.pass(request).await.assert_problem(403, "forbidden");
        assert_eq!(client.get(path).await.status, 200);
    }
}
