//! Rules about callers: whether somebody may run a pattern, and whose items they reach.

use std::net::IpAddr;

use axum::body::Body;
use axum::http::Request;

use crate::client::{Answer, Client, LOOPBACK};

/// A design with every kind of rule.
const CLUBS: &str = include_str!("../../../../docs/callers.md");

fn clubs() -> String {
    CLUBS.split("```toml\n").nth(1).unwrap().split("```").next().unwrap().to_owned()
}

/// Sends a request as somebody; an empty name is nobody.
async fn send(client: &Client, caller: &str, method: &str, path: &str, body: &str) -> Answer {
    let headers = [("singlet-as", caller)];
    client.send_with(method, path, body, if caller.is_empty() { &[] } else { &headers }).await
}

/// A club with the members mai and bo; mai has said something. ann is mai's friend.
async fn with_club() -> Client {
    let client = Client::of(&clubs()).await;
    for (caller, path, body) in [
        ("mai", "/clubs/users", r#"{"name": "Mai"}"#),
        ("mai", "/clubs/clubs/tea/memberships", "{}"),
        ("bo", "/clubs/clubs/tea/memberships", "{}"),
        ("ann", "/clubs/users/me/friendships", r#"{"friend_id": "mai"}"#),
        ("mai", "/clubs/clubs/tea/messages", r#"{"message_id": "m1", "text": "hi"}"#),
    ] {
        let answer = send(&client, caller, "POST", path, body).await;
        assert_eq!(answer.status, 201, "{path}: {}", answer.text());
    }
    client
}

#[tokio::test]
async fn each_rule_admits_those_whom_it_names_and_nobody_else() {
    let client = with_club().await;
    let cases = [
        // (caller, method, path, body, status)
        ("", "GET", "/clubs/clubs/tea/count-members", "", 200),
        ("", "GET", "/clubs/users/mai", "", 401),
        ("bo", "GET", "/clubs/users/mai", "", 200),
        ("", "GET", "/clubs/clubs/tea/messages", "", 401),
        ("bo", "GET", "/clubs/clubs/tea/messages", "", 200),
        ("eve", "GET", "/clubs/clubs/tea/messages", "", 403),
        ("eve; role=moderator", "GET", "/clubs/clubs/tea/messages", "", 200),
        ("eve; role=user", "GET", "/clubs/clubs/tea/messages", "", 403),
        ("eve", "POST", "/clubs/clubs/tea/messages", r#"{"text": "x"}"#, 403),
        ("bo", "POST", "/clubs/clubs/tea/messages", r#"{"text": "x"}"#, 201),
        ("bo", "POST", "/clubs/clubs/tea/messages", r#"{"text": "x", "author": "mai"}"#, 400),
        ("bo", "PATCH", "/clubs/clubs/tea/messages/m1", r#"{"text": "x"}"#, 404),
        ("", "PATCH", "/clubs/clubs/tea/messages/m1", r#"{"text": "x"}"#, 401),
        ("mai", "PATCH", "/clubs/clubs/tea/messages/m1", r#"{"text": "ho"}"#, 200),
        ("bo", "DELETE", "/clubs/clubs/tea/messages/m1", "", 404),
        ("mai", "GET", "/clubs/authors/mai/messages", "", 200),
        ("ann", "GET", "/clubs/authors/mai/messages", "", 200),
        ("eve", "GET", "/clubs/authors/mai/messages", "", 403),
        ("bo; role=admin", "DELETE", "/clubs/clubs/tea/messages/m1", "", 200),
    ];
    for (caller, method, path, body, status) in cases {
        let answer = send(&client, caller, method, path, body).await;
        assert_eq!(answer.status, status, "{caller}: {method} {path}: {}", answer.text());
        if status == 401 {
            assert_eq!(answer.header("www-authenticate"), "Bearer");
        }
    }
}

#[tokio::test]
async fn an_item_of_somebody_else_is_the_same_as_a_missing_one() {
    let client = with_club().await;
    let path = |id: &str| format!("/clubs/clubs/tea/messages/{id}");
    for (method, body) in [("PATCH", r#"{"text": "x"}"#), ("DELETE", "")] {
        let foreign = send(&client, "bo", method, &path("m1"), body).await;
        let missing = send(&client, "bo", method, &path("m9"), body).await;
        assert_eq!(foreign.status, missing.status, "{method}");
        assert_eq!(foreign.text(), missing.text(), "{method}");
    }
}

#[tokio::test]
async fn a_cursor_belongs_to_its_caller() {
    let client = with_club().await;
    for number in 0..3 {
        let body = format!(r#"{{"text": "{number}"}}"#);
        send(&client, "bo", "POST", "/clubs/clubs/tea/messages", &body).await;
    }
    let first = send(&client, "mai", "GET", "/clubs/clubs/tea/messages?limit=1", "").await;
    let next = format!("/clubs/clubs/tea/messages?limit=1&cursor={}", first.member("cursor"));
    assert_eq!(send(&client, "mai", "GET", &next, "").await.status, 200);
    send(&client, "bo", "GET", &next, "").await.assert_problem(404, "invalid-cursor");
}

#[tokio::test]
async fn nobody_can_be_named_in_a_wrong_way() {
    let client = with_club().await;
    for wrong in [";", "; role=admin", "mai; admin", "mai;role"] {
        let answer = send(&client, wrong, "GET", "/clubs/users/mai", "").await;
        answer.assert_problem(400, "unsupported-header");
    }
    // An id that no user can have is nobody.
    send(&client, "a#b", "GET", "/clubs/users/mai", "").await.assert_problem(401, "unauthenticated");
    let bearer = client.send_with("GET", "/clubs/users/mai", "", &[("authorization", "Bearer x")]).await;
    bearer.assert_problem(401, "invalid-token");
}

#[tokio::test]
async fn without_keys_callers_must_be_on_this_machine() {
    let client = with_club().await;
    let request = |address: IpAddr| {
        let mut request = Request::get("/clubs/clubs/tea/count-members").body(Body::empty()).unwrap();
        request.extensions_mut().insert(address);
        request
    };
    assert_eq!(client.pass(request(LOOPBACK)).await.status, 200);
    client.pass(request([10, 0, 0, 7].into())).await.assert_problem(403, "forbidden");
}

#[tokio::test]
async fn a_put_replaces_no_item_of_somebody_else() {
    let source = clubs().replace("create = \"Message\"", "put = \"Message\"");
    let source = source.replace("who    = { all = [\"self\", \"member\"] }", "who = \"self\"");
    let client = Client::of(&source).await;
    let path = "/clubs/clubs/tea/messages";
    let body = r#"{"message_id": "m1", "text": "x"}"#;
    let put = |caller: &'static str| send(&client, caller, "POST", path, body);
    assert_eq!(put("mai").await.status, 200, "{}", put("mai").await.text());
    assert_eq!(put("mai").await.status, 200);
    let stolen = put("bo").await;
    assert!(!stolen.status.is_success(), "{}", stolen.text());
}
