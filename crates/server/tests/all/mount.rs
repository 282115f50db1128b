//! A router that is mounted beside the protocol.

use std::net::IpAddr;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Extension;
use axum::routing::{get, post};
use singlet_server::{Limits, Options};

use crate::support::{Call, Running, call, options, start_with};

/// Pages that echo, answer much, panic, or never end.
fn router() -> Router {
    Router::new()
        .route("/echo", post(|body: Bytes| async move { body }).put(|body: Bytes| async move { body }))
        .route("/peer", get(|Extension(peer): Extension<IpAddr>| async move { peer.to_string() }))
        .route("/large", get(|| async { vec![b'x'; 64 << 20] }))
        .route("/panic", get(fail))
        .route("/endless", get(|| async { Body::new(Endless { has_begun: false }) }))
}

async fn fail() {
    panic!("a fault in a page")
}

/// A stream of events: one event, and then none for ever.
struct Endless {
    has_begun: bool,
}

impl hyper::body::Body for Endless {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Bytes>, Self::Error>>> {
        if std::mem::replace(&mut self.has_begun, true) {
            return std::task::Poll::Pending;
        }
        std::task::Poll::Ready(Some(Ok(hyper::body::Frame::data(Bytes::from_static(b"event")))))
    }
}

async fn mounted(options: Options) -> Running {
    start_with(options, Some(router())).await
}

/// A request as a browser or curl sends it.
fn visit(method: &'static str, path: &str) -> Call {
    call("").method(method).path(path).without("X-Amz-Target").without("Authorization").body(*b"")
}

#[tokio::test]
async fn other_paths_reach_the_router_and_the_servers_own_stay() {
    let server = mounted(options()).await;
    let answer = server.send(visit("POST", "/echo").body(*b"hello").bytes()).await;
    assert_eq!((answer.status, answer.text()), (200, "hello"));
    assert_eq!(server.send(visit("PUT", "/echo").body(*b"hello").bytes()).await.text(), "hello");
    assert_eq!(server.send(visit("GET", "/peer").bytes()).await.text(), "127.0.0.1");
    assert_eq!(server.send(visit("GET", "/nowhere").bytes()).await.status, 404);
    assert_eq!(server.send(visit("GET", "/echo").bytes()).await.status, 405);

    assert!(server.send(visit("GET", "/").bytes()).await.text().starts_with("healthy"));
    assert_eq!(server.send(call("GetItem").bytes()).await.text(), "{}");
    let elsewhere = server.send(call("GetItem").path("/echo").bytes()).await;
    assert_eq!(elsewhere.header("content-type"), Some("application/x-amz-json-1.0"));
    let metrics = server.send(visit("GET", "/metrics").bytes()).await;
    assert!(
        metrics.text().contains("singlet_mounted_requests_total{status=\"2xx\"} 3"),
        "{}",
        metrics.text()
    );
}

#[tokio::test]
async fn web_pages_of_others_are_refused_and_own_pages_are_not() {
    let server = mounted(options()).await;
    let problem = |request: Call| {
        let server = &server;
        async move {
            let answer = server.send(request.bytes()).await;
            assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{}", answer.text());
            answer.status
        }
    };
    assert_eq!(problem(visit("GET", "/peer").header("Host", "evil.example")).await, 403);
    assert_eq!(problem(visit("GET", "/peer").header("Origin", "http://evil.example")).await, 403);
    assert_eq!(problem(visit("GET", "/peer").header("Origin", "null")).await, 403);
    let own =
        visit("GET", "/peer").header("Host", "localhost:8000").header("Origin", "http://localhost:8000");
    assert_eq!(server.send(own.bytes()).await.status, 200);
}

#[tokio::test]
async fn bodies_are_held_to_the_servers_limits() {
    let server = mounted(options()).await;
    let large = server.send(visit("POST", "/echo").body(vec![b'x'; 100_001]).bytes()).await;
    assert_eq!(large.status, 413, "{}", large.text());
    let unknown = visit("POST", "/echo").header("Content-Encoding", "br").body(*b"hello");
    assert_eq!(server.send(unknown.bytes()).await.status, 415);
}

#[tokio::test]
async fn a_panic_in_a_page_is_an_error_and_the_connection_goes_on() {
    let server = mounted(options()).await;
    let mut client = server.connect().await;
    client.send(visit("GET", "/panic").bytes()).await;
    assert_eq!(client.receive().await.status, 500);
    client.send(visit("GET", "/peer").bytes()).await;
    assert_eq!(client.receive().await.status, 200);
}

#[tokio::test]
async fn pages_that_nobody_reads_count_as_answers_and_reads_wait() {
    let limits = Limits { answers_bytes_max: 1 << 20, ..Limits::default() };
    let server = mounted(Options { limits, ..options() }).await;
    let mut slow = server.connect().await;
    slow.send(visit("GET", "/large").bytes()).await;
    let mut status = 200;
    for _ in 0..200 {
        let answer = server.send(visit("GET", "/peer").bytes()).await;
        status = answer.status;
        if status == 503 {
            assert_eq!(answer.header("retry-after"), Some("1"));
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(status, 503);
    assert_eq!(slow.receive().await.body.len(), 64 << 20);
    assert_eq!(server.send(visit("GET", "/peer").bytes()).await.status, 200);
}

#[tokio::test]
async fn a_stream_of_events_outlives_the_timeouts_and_ends_when_the_server_stops() {
    let limits = Limits {
        idle_timeout: Duration::from_millis(100),
        answer_timeout: Duration::from_millis(100),
        ..Limits::default()
    };
    let server = mounted(Options { limits, ..options() }).await;
    let mut client = server.connect().await;
    client.send(visit("GET", "/endless").bytes()).await;
    assert_eq!(client.receive().await.status, 200);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let stopping = server.shut_down();
    let stopped = tokio::time::timeout(Duration::from_secs(5), stopping).await.unwrap().unwrap();
    assert_eq!(stopped.cut_off, 0);
}

#[tokio::test]
async fn an_allowed_page_of_another_origin_may_use_every_method() {
    let origin = "https://app.example";
    let server = mounted(Options { cors_origin: Some(origin.to_owned()), ..options() }).await;
    let preflight = server.send(visit("OPTIONS", "/echo").header("Origin", origin).bytes()).await;
    assert_eq!(preflight.header("access-control-allow-methods"), Some("GET,POST,PUT,PATCH,DELETE"));
    let answer = server.send(visit("PUT", "/echo").header("Origin", origin).body(*b"x").bytes()).await;
    assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
    assert_eq!(
        server.send(visit("OPTIONS", "/").bytes()).await.header("access-control-allow-methods"),
        Some("POST")
    );
}
