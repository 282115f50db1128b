//! Traffic on a connection: calls, other requests, and invalid bytes.

use std::sync::Arc;

use crate::support::{Client, call, options, start};
use singlet_engine::{CreateTable, Database, ManualClock, ScalarType};
use singlet_server::{AccessKey, Credentials, Options, Server};
use singlet_wire::Service;
use tokio::net::TcpStream;

#[tokio::test]
async fn a_call_is_answered_with_dynamodbs_headers() {
    let server = start(options()).await;
    let answer = server.send(call("GetItem").body(r#"{"a":1}"#).bytes()).await;
    assert_eq!((answer.status, answer.text()), (200, r#"{"a":1}"#));
    assert_eq!(answer.header("content-type"), Some("application/x-amz-json-1.0"));
    assert_eq!(answer.header("content-length"), Some("7"));
    assert_eq!(answer.header("x-amz-crc32"), Some(crc32fast::hash(br#"{"a":1}"#).to_string().as_str()));
    let request_id = answer.header("x-amzn-requestid").unwrap();
    assert_eq!(request_id.len(), 52);
    assert!(answer.header("date").is_some() && answer.header("server").is_some());
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn a_connection_serves_many_requests_also_in_one_packet() {
    let server = start(options()).await;
    let mut client = server.connect().await;
    for round in 0..3 {
        let bodies: Vec<String> = (0..20).map(|number| format!(r#"{{"n":"{round}-{number}"}}"#)).collect();
        let all: Vec<u8> =
            bodies.iter().flat_map(|body| call("GetItem").body(body.as_str()).bytes()).collect();
        client.send(all).await;
        for body in bodies {
            assert_eq!(client.receive().await.text(), body);
        }
    }
}

#[tokio::test]
async fn a_body_in_many_pieces_is_put_together() {
    let server = start(options()).await;
    let body: Vec<u8> = (0..90_000).map(|number| b'a' + (number % 26) as u8).collect();
    let mut client = server.connect().await;
    let whole = call("PutItem").body(body.clone()).bytes();
    for piece in whole.chunks(7_001) {
        client.send(piece).await;
    }
    assert_eq!(client.receive().await.body, body);

    let chunked = call("PutItem").header("Transfer-Encoding", "chunked");
    client.send(chunked.head()).await;
    for piece in body.chunks(9_999) {
        client.send(format!("{:x}\r\n", piece.len())).await;
        client.send(piece).await;
        client.send("\r\n").await;
    }
    client.send("0\r\n\r\n").await;
    assert_eq!(client.receive().await.body, body);
}

#[tokio::test]
async fn a_client_may_ask_before_it_sends_the_body() {
    let server = start(options()).await;
    let mut client = server.connect().await;
    let request = call("PutItem").header("Expect", "100-continue").body(r#"{"late":true}"#);
    client.send(request.head()).await;
    assert_eq!(client.receive().await.status, 100);
    client.send(r#"{"late":true}"#).await;
    assert_eq!(client.receive().await.text(), r#"{"late":true}"#);
}

#[tokio::test]
async fn a_client_that_shuts_its_side_still_gets_its_answer() {
    let server = start(options()).await;
    let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    stream.write_all(&call("GetItem").bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("{}"), "{answer}");
}

#[tokio::test]
async fn the_path_of_a_call_and_the_parameters_of_its_type_do_not_matter() {
    let server = start(options()).await;
    assert_eq!(server.send(call("GetItem").path("/any/where?x=y").bytes()).await.status, 200);
    let parameters = call("GetItem").header("Content-Type", "application/x-amz-json-1.0; charset=utf-8");
    assert_eq!(server.send(parameters.bytes()).await.status, 200);
    let plain = server.send(call("GetItem").header("Content-Type", "application/json").bytes()).await;
    assert_eq!(plain.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn what_dynamodb_does_not_know_gets_its_answer() {
    let server = start(options()).await;
    for request in [
        call("GetItem").method("PUT"),
        call("GetItem").method("DELETE"),
        call("GetItem").method("OPTIONS"),
        call("GetItem").method("GET").path("/nowhere"),
        call("GetItem").without("Content-Type"),
        call("GetItem").header("Content-Type", "text/plain"),
    ] {
        let answer = server.send(request.bytes()).await;
        assert_eq!((answer.status, answer.text()), (404, "<UnknownOperationException/>\n"));
        assert_eq!(answer.header("x-amz-crc32"), Some("3552371480"));
    }
}

#[tokio::test]
async fn an_unknown_target_is_an_unknown_operation() {
    let server = start(options()).await;
    for target in ["", "whatever", "DynamoDB_20120810.", "DynamoDB_20120810.ListTable", "\u{e9}"] {
        let answer = server.send(call("").header("X-Amz-Target", target).bytes()).await;
        answer.assert_error(400, "UnknownOperationException");
    }
    server
        .send(call("").without("X-Amz-Target").bytes())
        .await
        .assert_error(400, "UnknownOperationException");
}

#[tokio::test]
async fn the_health_page_is_dynamodbs() {
    let server = start(options()).await;
    for path in ["/", "/health"] {
        let answer = server.send(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await;
        assert_eq!((answer.status, answer.text()), (200, "healthy: dynamodb.us-east-1.amazonaws.com "));
    }
}

#[tokio::test]
async fn the_metrics_page_shows_jumps_of_the_clock() {
    const DAY_MS: i64 = 86_400_000;
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let engine_options = singlet_engine::Options { clock: clock.clone(), ..Default::default() };
    let database = Database::in_memory_with(engine_options).unwrap();
    let server = Server::bind(options()).await.unwrap();
    let address = server.address();
    tokio::spawn(server.run(Service::new(database.clone()), std::future::pending()));
    for (name, by_ms) in [("ahead", DAY_MS), ("behind", -2 * DAY_MS)] {
        clock.jump_ms(by_ms);
        database.create_table(CreateTable::new(name, "id", ScalarType::S)).unwrap();
    }
    let mut client = Client::new(TcpStream::connect(address).await.unwrap());
    client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    let page = client.receive().await;
    for figure in ["clock_jumps_forward_total 1", "clock_jumps_back_total 1", "clock_doubted 1"] {
        assert!(page.text().contains(&format!("\nsinglet_storage_{figure}\n")), "{figure}: {}", page.text());
    }
}

#[tokio::test]
async fn the_metrics_page_counts_what_was_served() {
    let server = start(options()).await;
    server.send(call("GetItem").bytes()).await;
    server.send(call("GetItem").without("Authorization").bytes()).await;
    let page = server.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(page.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    for line in [
        "singlet_requests_total{operation=\"GetItem\"} 2",
        "singlet_errors_total{operation=\"GetItem\",error=\"MissingAuthenticationTokenException\"} 1",
        "singlet_connections_accepted_total 3",
        "singlet_table_items{table=\"Music\"} 3",
    ] {
        assert!(page.text().contains(line), "{line} is not in\n{}", page.text());
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_and_one_at_the_limit_is_not() {
    let server = start(options()).await;
    assert_eq!(server.send(call("PutItem").body(vec![b'a'; 100_000]).bytes()).await.status, 200);
    let mut client = server.connect().await;
    client.send(call("PutItem").body(vec![b'a'; 100_001]).bytes()).await;
    let answer = client.receive().await;
    answer.assert_error(413, "RequestEntityTooLargeException");
    assert_eq!(answer.header("connection"), Some("close"));
    client.closed().await;
}

#[tokio::test]
async fn a_body_in_chunks_is_held_to_the_same_limit() {
    let server = start(options()).await;
    let mut client = server.connect().await;
    client.send(call("PutItem").header("Transfer-Encoding", "chunked").head()).await;
    for _ in 0..11 {
        client.send(format!("2710\r\n{}\r\n", "a".repeat(10_000))).await;
    }
    client.send("0\r\n\r\n").await;
    client.receive().await.assert_error(413, "RequestEntityTooLargeException");
}

#[tokio::test]
async fn a_head_over_the_limit_is_refused() {
    let server = start(options()).await;
    let large = call("GetItem").header("X-Large", &"a".repeat(200_000)).bytes();
    assert_eq!(server.send(large).await.status, 431);
    let many: String = (0..200).map(|number| format!("X-{number}: a\r\n")).collect();
    assert_eq!(server.send(format!("POST / HTTP/1.1\r\n{many}\r\n")).await.status, 431);
}

#[tokio::test]
async fn bytes_that_are_no_request_are_refused_and_harm_nobody() {
    let server = start(options()).await;
    for garbage in [
        &b"\x00\x01\x02\x03\xff\xfe\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"POST / HTTP/9.9\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS client hello\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ] {
        let mut client = server.connect().await;
        client.send(garbage).await;
        if let Some(answer) = client.try_receive().await {
            assert!((400..506).contains(&answer.status), "{:?}: {}", garbage.escape_ascii(), answer.status);
        }
    }
    assert_eq!(server.send(call("GetItem").bytes()).await.status, 200);
}

#[tokio::test]
async fn a_request_that_breaks_off_never_reaches_the_database() {
    let server = start(options()).await;
    let mut client = server.connect().await;
    let request = call("Query").header("Content-Length", "100");
    client.send(request.bytes()).await;
    drop(client);
    assert_eq!(server.send(call("GetItem").bytes()).await.status, 200);
    assert_eq!(server.stub.begun.available_permits(), 0);
}

#[tokio::test]
async fn a_panic_is_an_internal_error_and_the_connection_goes_on() {
    let server = start(options()).await;
    let mut client = server.connect().await;
    client.send(call("Scan").bytes()).await;
    client.receive().await.assert_error(500, "InternalServerError");
    client.send(call("GetItem").bytes()).await;
    assert_eq!(client.receive().await.status, 200);
    let page = server.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert!(page.text().contains("singlet_panics_total 1\n"), "{}", page.text());
}

#[tokio::test]
async fn without_credentials_a_server_answers_only_to_its_own_names() {
    let server = start(Options { host_names: vec!["singlet".to_owned()], ..options() }).await;
    for host in ["localhost", "127.0.0.1:8000", "[::1]", "singlet:8000"] {
        assert_eq!(server.send(call("GetItem").header("Host", host).bytes()).await.status, 200, "{host}");
    }
    assert_eq!(server.send(call("GetItem").without("Host").bytes()).await.status, 200);
    // A page whose name points to the address of this machine.
    let rebound = call("GetItem").header("Host", "evil.example:8000");
    let answer = server.send(rebound.bytes()).await;
    answer.assert_error(400, "AccessDeniedException");
    assert!(answer.text().contains("--host"), "{}", answer.text());
    let large = call("PutItem").header("Host", "evil.example").body(vec![b'a'; 90_000]);
    server.send(large.bytes()).await.assert_error(400, "AccessDeniedException");
    for path in ["/", "/health", "/metrics", "/other"] {
        let page = server.send(format!("GET {path} HTTP/1.1\r\nHost: evil.example\r\n\r\n")).await;
        assert_eq!(page.status, 403, "{path}");
        assert!(
            page.text().contains("'evil.example'") && !page.text().contains("singlet_"),
            "{}",
            page.text()
        );
    }
}

#[tokio::test]
async fn with_credentials_other_names_are_fine_but_not_for_the_metrics() {
    let credentials = Some(Credentials::of("AKID", AccessKey::new("secret")));
    for (metrics_public, status) in [(false, 403), (true, 200)] {
        let server = start(Options { credentials: credentials.clone(), metrics_public, ..options() }).await;
        let get = |path| format!("GET {path} HTTP/1.1\r\nHost: db.example\r\n\r\n");
        assert_eq!(server.send(get("/health")).await.status, 200);
        assert_eq!(server.send(get("/metrics")).await.status, status);
    }
}

#[tokio::test]
async fn a_web_page_may_call_only_if_its_origin_is_allowed() {
    let closed = start(options()).await;
    let from = |origin| call("GetItem").header("Origin", origin);
    let refused = closed.send(from("https://evil.example").bytes()).await;
    refused.assert_error(400, "AccessDeniedException");

    let mut options = options();
    options.cors_origin = Some("https://app.example".to_owned());
    let open = start(options).await;
    open.send(from("https://evil.example").bytes()).await.assert_error(400, "AccessDeniedException");
    let allowed = open.send(from("https://app.example").bytes()).await;
    assert_eq!(allowed.status, 200);
    assert_eq!(allowed.header("access-control-allow-origin"), Some("https://app.example"));
    assert_eq!(open.send(call("GetItem").bytes()).await.status, 200);

    let preflight = from("https://app.example")
        .method("OPTIONS")
        .header("Access-Control-Request-Headers", "x-amz-target, authorization")
        .body("");
    let answer = open.send(preflight.bytes()).await;
    assert_eq!((answer.status, answer.text()), (200, ""));
    assert_eq!(answer.header("access-control-allow-headers"), Some("x-amz-target, authorization"));
    assert_eq!(answer.header("access-control-allow-methods"), Some("POST"));
}
