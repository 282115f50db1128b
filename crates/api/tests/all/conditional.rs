//! Writes with conditions: tags of items, and keys of calls.

use crate::client::{Answer, Client};

const BOOK: &str = "/books/authors/a1/books/b1";
const BOOKS: &str = "/books/authors/a1/books";
const NEW: &str = r#"{"book_id": "b1", "title": "Tea", "isbn": "1", "price": 5}"#;

async fn library() -> Client {
    let client = Client::with_books().await;
    assert_eq!(client.send("POST", BOOKS, NEW).await.status, 201);
    client
}

async fn tag(client: &Client, path: &str) -> String {
    client.get(path).await.header("etag").to_owned()
}

async fn if_match(client: &Client, method: &str, path: &str, body: &str, tag: &str) -> Answer {
    client.send_with(method, path, body, &[("if-match", tag)]).await
}

#[tokio::test]
async fn an_item_has_a_strong_tag_that_changes_with_it() {
    let client = library().await;
    let first = tag(&client, BOOK).await;
    assert!(first.starts_with('"') && first == tag(&client, BOOK).await, "{first}");
    client.send("PATCH", BOOK, r#"{"price": 6}"#).await;
    assert_ne!(first, tag(&client, BOOK).await);
    assert!(tag(&client, BOOKS).await.starts_with("W/"), "a list can be compressed");
}

#[tokio::test]
async fn a_write_with_an_old_tag_is_refused_and_changes_nothing() {
    let client = library().await;
    let old = tag(&client, BOOK).await;
    assert_eq!(if_match(&client, "PATCH", BOOK, r#"{"price": 6}"#, &old).await.status, 200);
    for (method, body) in [("PATCH", r#"{"price": 7}"#), ("DELETE", "")] {
        if_match(&client, method, BOOK, body, &old).await.assert_problem(412, "precondition-failed");
    }
    assert_eq!(client.get(BOOK).await.member("price"), "6");
    let tags = format!("{old}, {}", tag(&client, BOOK).await);
    assert_eq!(if_match(&client, "DELETE", BOOK, "", &tags).await.status, 200);
    if_match(&client, "PATCH", BOOK, r#"{"price": 8}"#, &tags)
        .await
        .assert_problem(412, "precondition-failed");
    if_match(&client, "PATCH", BOOK, r#"{"price": 8}"#, "*").await.assert_problem(412, "precondition-failed");
}

#[tokio::test]
async fn of_many_writers_with_the_same_tag_one_wins() {
    let client = library().await;
    for round in 0..5 {
        let tag = tag(&client, "/books/authors/a1").await;
        let writes = (0..8).map(|writer| {
            let body = format!(r#"{{"name": "w{round}.{writer}"}}"#);
            let (client, tag) = (&client, &tag);
            async move { if_match(client, "PUT", "/books/authors/a1", &body, tag).await.status.as_u16() }
        });
        let mut statuses = futures_util::future::join_all(writes).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [vec![200], vec![412; 7]].concat(), "round {round}");
    }
}

#[tokio::test]
async fn a_put_can_require_that_there_is_no_item() {
    let client = library().await;
    let none = [("if-none-match", "*")];
    let answer = client.send_with("PUT", "/books/authors/a1", r#"{"name": "May"}"#, &none).await;
    answer.assert_problem(412, "precondition-failed");
    assert_eq!(client.send_with("PUT", "/books/authors/a2", r#"{"name": "May"}"#, &none).await.status, 200);
    assert_eq!(client.get("/books/authors/a1").await.member("name"), "Mai");
    let tagged = [("if-none-match", "\"x\"")];
    let answer = client.send_with("PUT", "/books/authors/a3", r#"{"name": "May"}"#, &tagged).await;
    answer.assert_problem(400, "unsupported-header");
}

#[tokio::test]
async fn a_create_with_a_key_happens_once_and_is_answered_alike() {
    let client = Client::with_books().await;
    let key = [("idempotency-key", "\"k1\"")];
    let book = r#"{"title": "Tea", "isbn": "1"}"#;
    let first = client.send_with("POST", BOOKS, book, &key).await;
    assert_eq!((first.status.as_u16(), first.header("idempotency-replayed")), (201, ""));
    client.send("DELETE", first.header("location"), "").await;
    let again = client.send_with("POST", BOOKS, book, &key).await;
    assert_eq!((again.status.as_u16(), again.header("idempotency-replayed")), (201, "true"));
    assert_eq!((first.text(), first.header("location")), (again.text(), again.header("location")));
    assert_eq!(client.get(BOOKS).await.text(), r#"{"items":[]}"#);

    let other = client.send_with("POST", BOOKS, r#"{"title": "Rice", "isbn": "1"}"#, &key).await;
    other.assert_problem(422, "idempotency-key-reused");
    let another = client.send_with("POST", BOOKS, book, &[("idempotency-key", "k2")]).await;
    assert_eq!((another.status.as_u16(), another.header("idempotency-replayed")), (201, ""));
    // A refused call leaves no record behind.
    let refused = client.send_with("POST", BOOKS, book, &[("idempotency-key", "k3")]).await;
    refused.assert_problem(409, "not-unique");
    client.send("DELETE", another.header("location"), "").await;
    assert_eq!(client.send_with("POST", BOOKS, book, &[("idempotency-key", "k3")]).await.status, 201);
}

#[tokio::test]
async fn concurrent_calls_with_one_key_have_one_effect() {
    let client = Client::with_books().await;
    for round in 0..5 {
        let key = format!("k{round}");
        let calls = (0..8).map(|_| {
            let (client, key) = (&client, &key);
            let book = format!(r#"{{"title": "Tea", "isbn": "{round}"}}"#);
            async move { client.send_with("POST", BOOKS, &book, &[("idempotency-key", key)]).await }
        });
        let answers = futures_util::future::join_all(calls).await;
        for answer in &answers {
            assert_eq!((answer.status.as_u16(), answer.text()), (201, answers[0].text()));
        }
        let firsts = answers.iter().filter(|answer| answer.header("idempotency-replayed").is_empty());
        assert_eq!(firsts.count(), 1);
    }
    let books = client.get(&format!("{BOOKS}?limit=100")).await;
    assert_eq!(books.json().get("items").unwrap().as_list().unwrap().len(), 5);
}

#[tokio::test]
async fn keys_have_a_form_and_belong_to_creates() {
    let client = library().await;
    for wrong in ["", "\"\"", "a\"b", &"k".repeat(256)] {
        let answer = client.send_with("POST", BOOKS, NEW, &[("idempotency-key", wrong)]).await;
        answer.assert_problem(400, "invalid-request");
    }
    let twice = [("idempotency-key", "a"), ("idempotency-key", "b")];
    client.send_with("POST", BOOKS, NEW, &twice).await.assert_problem(400, "invalid-request");
    let change = client.send_with("PATCH", BOOK, r#"{"price": 6}"#, &[("idempotency-key", "a")]).await;
    change.assert_problem(400, "unsupported-header");
}
