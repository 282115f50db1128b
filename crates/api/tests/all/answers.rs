//! Answers: statuses, headers and pages.

use crate::client::Client;

#[tokio::test]
async fn an_item_is_created_read_changed_replaced_and_deleted() {
    let client = Client::with_books().await;
    let book = r#"{"book_id": "b1", "title": "Tea", "isbn": "1", "price": 1.10, "tags": ["a", "b"]}"#;
    let created = client.send("POST", "/books/authors/a1/books", book).await;
    assert_eq!((created.status.as_u16(), created.header("location")), (201, "/books/authors/a1/books/b1"));
    assert_eq!(created.header("singlet-units"), "read=0, write=6");

    let read = client.get("/books/authors/a1/books/b1").await;
    assert_eq!(read.status, 200);
    assert_eq!(read.header("singlet-units"), "read=0.5, write=0");
    assert!(read.text().contains("\"price\":1.1,"), "{}", read.text());
    assert_eq!(client.get("/books/authors/a1/books/b1/exists").await.text(), "true");

    let changed = client.send("PATCH", "/books/authors/a1/books/b1", r#"{"price": null}"#).await;
    assert_eq!((changed.status.as_u16(), changed.json().get("price")), (200, None), "{}", changed.text());
    let replaced = client.send("PUT", "/books/authors/a1", r#"{"name": "May"}"#).await;
    assert_eq!((replaced.status.as_u16(), replaced.member("name").as_str()), (200, "May"));

    assert_eq!(client.send("DELETE", "/books/authors/a1/books/b1", "").await.status, 200);
    client.send("DELETE", "/books/authors/a1/books/b1", "").await.assert_problem(404, "not-found");
    client.get("/books/authors/a1/books/b1").await.assert_problem(404, "not-found");
    assert_eq!(client.get("/books/authors/a1/books/b1/exists").await.text(), "false");
}

#[tokio::test]
async fn numbers_keep_all_their_digits() {
    let client = Client::with_books().await;
    let digits = "12345678901234567890123456789012345.678";
    let book = format!(r#"{{"book_id": "b1", "title": "Tea", "isbn": "1", "price": {digits}}}"#);
    client.send("POST", "/books/authors/a1/books", &book).await;
    assert!(client.get("/books/authors/a1/books/b1").await.text().contains(digits));
}

#[tokio::test]
async fn links_lead_through_all_pages_and_back() {
    let client = Client::with_books().await;
    for number in 1..=5 {
        let book = format!(r#"{{"book_id": "b{number}", "title": "Tea", "isbn": "{number}"}}"#);
        client.send("POST", "/books/authors/a1/books", &book).await;
    }
    let mut path = "/books/authors/a1/books".to_owned();
    let mut sizes = Vec::new();
    let mut last = path.clone();
    loop {
        let page = client.get(&path).await;
        sizes.push(page.json().get("items").unwrap().as_list().unwrap().len());
        let links = page.headers.get_all("link").iter().map(|link| link.to_str().unwrap().to_owned());
        let next = links
            .filter_map(|link| Some(link.strip_suffix(">; rel=\"next\"")?.strip_prefix('<')?.to_owned()))
            .next();
        let Some(next) = next else { break };
        last = std::mem::replace(&mut path, next);
    }
    assert_eq!(sizes, [2, 2, 1]);
    let page = client.get(&path).await;
    let back =
        page.header("link").strip_suffix(">; rel=\"prev\"").unwrap().trim_start_matches('<').to_owned();
    let items = |answer: crate::client::Answer| answer.json().get("items").cloned();
    assert_eq!(items(client.get(&back).await), items(client.get(&last).await));
    let one = client.get("/books/authors/a1/books?limit=1").await;
    assert!(one.header("link").contains("limit=1&cursor="), "{}", one.header("link"));
}

#[tokio::test]
async fn an_answer_that_the_caller_has_is_not_sent_again() {
    let client = Client::with_books().await;
    let first = client.get("/books/authors/a1").await;
    let tag = first.header("etag").to_owned();
    let again = client.send_with("GET", "/books/authors/a1", "", &[("if-none-match", &tag)]).await;
    assert_eq!((again.status.as_u16(), again.body.len(), again.header("etag")), (304, 0, tag.as_str()));
    client.send("PUT", "/books/authors/a1", r#"{"name": "May"}"#).await;
    let changed = client.send_with("GET", "/books/authors/a1", "", &[("if-none-match", &tag)]).await;
    assert_eq!(changed.status, 200);
}

#[tokio::test]
async fn long_answers_are_compressed_for_whoever_takes_that() {
    let client = Client::shipped("social").await;
    let plain = client.get("/social").await;
    let compressed = client.send_with("GET", "/social", "", &[("accept-encoding", "gzip")]).await;
    assert_eq!((plain.header("content-encoding"), compressed.header("content-encoding")), ("", "gzip"));
    assert!(compressed.body.len() < plain.body.len() / 2);
    assert_eq!(compressed.header("vary"), "accept-encoding");
}

#[tokio::test]
async fn lists_of_keys_are_in_the_query_or_in_a_body_and_parts_have_a_limit() {
    let client = Client::with_books().await;
    let few = client.get("/books/some-authors?keys=a1&keys=a2").await;
    assert_eq!(few.json().get("items").unwrap().as_list().unwrap().len(), 1, "{}", few.text());
    let keys = r#"{"keys": [{"author_id": "a1", "book_id": "b1"}]}"#;
    assert_eq!(client.send("POST", "/books/some-books", keys).await.text(), r#"{"items":[]}"#);
    let page = client.get("/books/authors/a1/page?limit=1").await;
    assert!(page.text().starts_with(r#"{"author":{"#), "{}", page.text());
}

#[tokio::test]
async fn a_page_shows_the_operations_and_loads_nothing() {
    let client = Client::shipped("social").await;
    let page = client.get("/social/docs").await;
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
    assert!(page.text().contains("<code>GET /social/posts/{postId}</code>"));
    assert!(!page.text().contains("http://") && !page.text().contains("<script"));
}

#[tokio::test]
async fn a_design_lists_its_operations() {
    for name in ["social", "shop", "smart-cooking", "nishiki", "sensors"] {
        let client = Client::shipped(name).await;
        let listing = client.get(&format!("/{name}")).await;
        let json = listing.json();
        let operations = json.get("operations").unwrap().as_list().unwrap().to_vec();
        assert!(operations.len() > 5, "{name}");
        assert_eq!(listing.member("openapi"), format!("/{name}/openapi.json"));
        for operation in operations {
            let path = operation.get("path").unwrap().as_text().unwrap();
            assert!(path.starts_with(&format!("/{name}/")), "{path}");
        }
    }
}
