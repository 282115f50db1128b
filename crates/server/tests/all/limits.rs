//! The limits for clients, and their enforcement.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::support::{Call, Client, Running, call, options, start};
use flate2::Compression;
use flate2::write::GzEncoder;
use singlet_engine::values::AttributeValue;
use singlet_engine::{Conflicts, CreateTable, Database, ManualClock, PutItem, ScalarType};
use singlet_server::{AccessKey, Credentials, Limits, Options, Server};
use singlet_wire::Service;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

const MB: usize = 1 << 20;

fn limited(limits: Limits) -> Options {
    Options { limits, ..options() }
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

/// The number that the metrics page shows under this name.
async fn metric(server: &Running, name: &str) -> u64 {
    metric_at(server.address, name).await
}

async fn metric_at(address: SocketAddr, name: &str) -> u64 {
    let mut client = Client::new(TcpStream::connect(address).await.unwrap());
    client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    let page = client.receive().await;
    let line = page.text().lines().find_map(|line| line.strip_prefix(&format!("{name} ")).map(str::to_owned));
    line.unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
}

/// Room for one large body at a time, and short timeouts.
fn one_body_at_a_time() -> Options {
    limited(Limits {
        body_bytes_max: 100_000,
        bodies_bytes_max: 210_000,
        room_timeout: Duration::from_millis(50),
        ..Limits::default()
    })
}

#[tokio::test]
async fn bodies_that_find_no_room_in_time_are_refused_and_small_ones_go_on() {
    let server = start(one_body_at_a_time()).await;
    let large = call("PutItem").body(vec![b'a'; 90_000]);
    let mut slow = Vec::new();
    // One has nearly all of the room, the other the slot for whole bodies.
    for held in [80_000, 180_000] {
        let mut client = server.connect().await;
        client.send(large.head()).await;
        client.send(vec![b'a'; 85_000]).await;
        while metric(&server, "singlet_body_bytes").await < held {}
        slow.push(client);
    }

    let refused = server.send(large.bytes()).await;
    refused.assert_error(503, "ServiceUnavailableException");
    assert_eq!(refused.header("connection"), Some("close"));
    assert_eq!(metric(&server, "singlet_requests_refused_total").await, 1);
    assert_eq!(server.send(call("PutItem").body(vec![b'a'; 10_000]).bytes()).await.status, 200);

    for mut client in slow {
        client.send(vec![b'a'; 5_000]).await;
        assert_eq!(client.receive().await.status, 200);
    }
    assert_eq!(server.send(large.bytes()).await.status, 200);
    assert_eq!(metric(&server, "singlet_body_bytes").await, 0);
}

#[tokio::test]
async fn bodies_that_have_all_begun_end_one_after_the_other() {
    let mut options = one_body_at_a_time();
    options.limits.room_timeout = Duration::from_secs(20);
    let server = start(options).await;
    let large = call("PutItem").body(vec![b'a'; 90_000]);
    let mut clients = Vec::new();
    for _ in 0..20 {
        let mut client = server.connect().await;
        client.send(large.head()).await;
        client.send(vec![b'a'; 20_000]).await;
        clients.push(client);
    }
    for client in &mut clients {
        client.send(vec![b'a'; 70_000]).await;
    }
    for mut client in clients {
        assert_eq!(client.receive().await.status, 200);
    }
}

#[tokio::test]
async fn bodies_that_are_announced_and_hardly_sent_leave_room_for_others() {
    let server = start(one_body_at_a_time()).await;
    let large = call("PutItem").body(vec![b'a'; 90_000]);
    let chunked = call("PutItem").header("Transfer-Encoding", "chunked");
    let mut slow = Vec::new();
    for head in [large.head(), chunked.head()] {
        for _ in 0..5 {
            let mut client = server.connect().await;
            client.send(&head).await;
            client.send(b"1\r\na\r\n").await;
            slow.push(client);
        }
    }
    assert_eq!(server.send(large.bytes()).await.status, 200);
    assert_eq!(metric(&server, "singlet_requests_refused_total").await, 0);
}

#[tokio::test]
async fn a_stranger_s_large_body_gets_no_room() {
    let mut options = one_body_at_a_time();
    options.credentials = Some(Credentials::of("AKID", AccessKey::new("secret")));
    let server = start(options).await;
    let large = call("PutItem").body(vec![b'a'; 90_000]);
    let mut strangers = Vec::new();
    for _ in 0..3 {
        let mut stranger = server.connect().await;
        stranger.send(large.head()).await;
        strangers.push(stranger);
    }
    for mut stranger in strangers {
        stranger.send(vec![b'a'; 90_000]).await;
        let answer = stranger.receive().await;
        assert_eq!(answer.status, 400, "{}", answer.text());
        assert_eq!(answer.header("connection"), Some("close"));
    }
    assert_eq!(metric(&server, "singlet_requests_refused_total").await, 0);
}

/// A known key, and a signature that wasn't created with its secret.
fn wrongly_signed(headers: &str) -> Call {
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential=AKID/20260314/us-east-1/dynamodb/aws4_request, \
         SignedHeaders=host;{headers}x-amz-date;x-amz-target, Signature=00"
    );
    call("PutItem").header("Authorization", &authorization).body(vec![b'a'; 90_000])
}

fn with_a_key() -> Options {
    let mut options = one_body_at_a_time();
    options.credentials = Some(Credentials::of("AKID", AccessKey::new("secret")));
    // 2026-03-14, 15:09:26 UTC, as in the requests.
    options.clock = Arc::new(ManualClock::new(1_773_500_966_000));
    options
}

#[tokio::test]
async fn a_wrong_signature_over_a_hash_of_the_body_is_refused_before_the_body_comes() {
    let server = start(with_a_key()).await;
    let request = wrongly_signed("x-amz-content-sha256;").header("X-Amz-Content-Sha256", &"0a".repeat(32));
    let mut client = server.connect().await;
    client.send(request.head()).await;
    let answer = client.receive().await;
    answer.assert_error(400, "InvalidSignatureException");
    assert!(answer.text().contains("does not match"), "{}", answer.text());
    assert_eq!(answer.header("connection"), Some("close"));
}

#[tokio::test]
async fn a_large_body_for_another_host_is_refused_before_it_comes() {
    let server = start(one_body_at_a_time()).await;
    let request = call("PutItem").header("Host", "evil.example").body(vec![b'a'; 90_000]);
    let mut client = server.connect().await;
    client.send(request.head()).await;
    let answer = client.receive().await;
    answer.assert_error(400, "AccessDeniedException");
    assert_eq!(answer.header("connection"), Some("close"));
}

#[tokio::test]
async fn bodies_of_senders_that_may_not_know_the_secret_have_a_share_of_their_own() {
    let mut options = with_a_key();
    options.limits.bodies_bytes_max = 840_000;
    let server = start(options).await;
    let request = wrongly_signed("");
    let mut clients = Vec::new();
    // A quarter of the memory: one body in the room, and one in the slot for a whole body.
    for held in [85_000, 185_000] {
        let mut client = server.connect().await;
        client.send(request.head()).await;
        client.send(vec![b'a'; 89_000]).await;
        while metric(&server, "singlet_body_bytes").await < held {}
        clients.push(client);
    }
    server.send(request.bytes()).await.assert_error(503, "ServiceUnavailableException");
    for mut client in clients {
        client.send(vec![b'a'; 1_000]).await;
        client.receive().await.assert_error(400, "InvalidSignatureException");
    }
}

#[tokio::test]
async fn a_request_that_would_take_too_much_memory_once_it_is_read_is_refused_before() {
    let server =
        start(limited(Limits { body_bytes_max: 100_000, parsed_bytes_max: 300_000, ..Limits::default() }))
            .await;
    let text = format!(r#"{{"Item":{{"a":{{"S":"{}"}}}}}}"#, "a".repeat(90_000));
    assert_eq!(server.send(call("PutItem").body(text).bytes()).await.status, 200);
    let lists = vec![r#"{"L":[]}"#; 10_000].join(",");
    let dense = format!(r#"{{"Item":{{"a":{{"L":[{lists}]}}}}}}"#);
    let refused = server.send(call("PutItem").body(dense).bytes()).await;
    refused.assert_error(413, "RequestEntityTooLargeException");
    assert_eq!(metric(&server, "singlet_requests_refused_total").await, 1);
    assert_eq!(metric(&server, "singlet_body_bytes").await, 0);
}

#[tokio::test]
async fn a_body_without_an_operation_is_not_kept() {
    let server = start(one_body_at_a_time()).await;
    let request = call("NoSuchOperation").body(vec![b'a'; 90_000]);
    server.send(request.bytes()).await.assert_error(400, "UnknownOperationException");
}

#[tokio::test]
async fn small_compressed_bodies_leave_room_for_each_other() {
    let server = start(one_body_at_a_time()).await;
    let request = |operation| call(operation).header("Content-Encoding", "gzip").body(gzip(b"{}"));
    let mut waiting = server.connect().await;
    waiting.send(request("Query").bytes()).await;
    server.stub.begun.acquire().await.unwrap().forget();
    assert_eq!(server.send(request("GetItem").bytes()).await.text(), "{}");
    server.stub.let_go.add_permits(1);
    assert_eq!(waiting.receive().await.text(), "{}");
}

#[tokio::test]
async fn a_body_that_unpacks_beyond_the_limit_is_refused_whether_it_says_so_or_not() {
    let server = start(options()).await;
    let honest = gzip(&vec![b' '; 200_000]);
    let mut lying = honest.clone();
    let length = lying.len();
    lying[length - 4..].copy_from_slice(&100_u32.to_le_bytes());
    for bomb in [honest, lying] {
        let request = call("PutItem").header("Content-Encoding", "gzip").body(bomb);
        server.send(request.bytes()).await.assert_error(413, "RequestEntityTooLargeException");
    }
}

#[tokio::test]
async fn whoever_sends_everything_before_reading_still_gets_the_refusal() {
    let server = start(options()).await;
    let far_too_much = vec![b'a'; UNREAD_BYTES];
    let put = |operation| call(operation).body(far_too_much.clone());
    let chunked = {
        let mut request = call("PutItem").header("Transfer-Encoding", "chunked").head();
        request.extend_from_slice(format!("{UNREAD_BYTES:x}\r\n").as_bytes());
        request.extend_from_slice(&far_too_much);
        request
    };
    for (request, status) in [
        (put("PutItem").bytes(), 413),
        (chunked, 413),
        (put("NoSuchOperation").bytes(), 400),
        (put("PutItem").method("PUT").bytes(), 404),
        (call("GetItem").header("X-Large", &"a".repeat(UNREAD_BYTES)).bytes(), 431),
    ] {
        // A reset overtakes an answer only now and then, so one attempt proves little.
        for _ in 0..10 {
            let mut client = server.connect().await;
            client.send_all(&request).await;
            let answer = client.receive().await;
            assert_eq!(answer.status, status, "{}", answer.text());
            client.closed().await;
        }
    }
}

#[tokio::test]
async fn whoever_never_stops_sending_is_cut_off() {
    let server = start(options()).await;
    let mut sending = TcpStream::connect(server.address).await.unwrap();
    sending.write_all(&call("PutItem").header("Transfer-Encoding", "chunked").head()).await.unwrap();
    let piece = [b"10000\r\n".as_slice(), &[b'a'; 0x10000], b"\r\n"].concat();
    let pieces = 4 * 64 * MB / piece.len();
    let mut sent = 0;
    while sent < pieces && sending.write_all(&piece).await.is_ok() {
        sent += 1;
    }
    assert!(sent < pieces, "all of it was taken");
}

/// More than the system's buffers hold for a connection.
const UNREAD_BYTES: usize = 32 * MB;

async fn leave_unread(server: &Running) -> Client<TcpStream> {
    let mut slow = server.connect().await;
    slow.send(call("GetItem").body(vec![b'a'; UNREAD_BYTES]).bytes()).await;
    slow
}

#[tokio::test]
async fn answers_that_nobody_reads_hold_up_reads_and_not_writes() {
    let server =
        start(limited(Limits { body_bytes_max: UNREAD_BYTES, answers_bytes_max: MB, ..Limits::default() }))
            .await;
    let mut slow = leave_unread(&server).await;
    while metric(&server, "singlet_answer_bytes").await == 0 {}
    server.send(call("GetItem").bytes()).await.assert_error(503, "ServiceUnavailableException");
    assert_eq!(server.send(call("PutItem").bytes()).await.status, 200);
    assert_eq!(slow.receive().await.body.len(), UNREAD_BYTES);
    while metric(&server, "singlet_answer_bytes").await > 0 {}
    assert_eq!(server.send(call("GetItem").bytes()).await.status, 200);
}

#[tokio::test]
async fn a_write_that_may_answer_much_is_refused_while_answers_that_nobody_reads_fill_the_room() {
    let server = start(limited(Limits {
        body_bytes_max: UNREAD_BYTES,
        answers_bytes_max: 2 * MB,
        room_timeout: Duration::from_millis(50),
        ..Limits::default()
    }))
    .await;
    assert_eq!(server.send(call("UpdateItem").bytes()).await.status, 200);
    assert_eq!(metric(&server, "singlet_answer_bytes").await, 0);
    let mut slow = leave_unread(&server).await;
    while metric(&server, "singlet_answer_bytes").await == 0 {}
    server.send(call("UpdateItem").bytes()).await.assert_error(503, "ServiceUnavailableException");
    assert_eq!(metric(&server, "singlet_requests_refused_total").await, 1);
    assert_eq!(server.send(call("PutItem").bytes()).await.status, 200);
    assert_eq!(slow.receive().await.body.len(), UNREAD_BYTES);
    while metric(&server, "singlet_answer_bytes").await > 0 {}
    assert_eq!(server.send(call("UpdateItem").bytes()).await.status, 200);
}

#[tokio::test]
async fn a_long_error_is_refused_while_answers_that_nobody_reads_fill_the_room() {
    let server =
        start(limited(Limits { body_bytes_max: UNREAD_BYTES, answers_bytes_max: MB, ..Limits::default() }))
            .await;
    let wrong = |bytes| call("DeleteItem").body(vec![b'a'; bytes]).bytes();
    assert_eq!(server.send(wrong(90_000)).await.body.len(), 90_000);
    let mut slow = leave_unread(&server).await;
    while metric(&server, "singlet_answer_bytes").await == 0 {}
    server.send(wrong(90_000)).await.assert_error(503, "ServiceUnavailableException");
    assert_eq!(server.send(wrong(1_000)).await.status, 400);
    assert_eq!(slow.receive().await.body.len(), UNREAD_BYTES);
}

/// A table with items of 390 KB. Their keys are the numbers below the count, and each contains this text.
fn large_items(count: usize, text: &str) -> Database {
    let options = singlet_engine::Options { conflicts: Conflicts::Wait, ..Default::default() };
    let database = Database::in_memory_with(options).unwrap();
    database.create_table(CreateTable::new("large", "id", ScalarType::S)).unwrap();
    for number in 0..count {
        let text = AttributeValue::S(text.repeat(390_000 / text.len()));
        let item = [("id", AttributeValue::S(number.to_string())), ("text", text)];
        let item = item.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        database.put_item(PutItem::new("large", item)).unwrap();
    }
    database
}

/// A transaction of 40 checks, all of which fail and return their item.
fn failing_transaction() -> Vec<u8> {
    let check = |number: usize| {
        format!(
            r#"{{"ConditionCheck":{{"TableName":"large","Key":{{"id":{{"S":"{number}"}}}},
            "ConditionExpression":"attribute_not_exists(id)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}}}"#
        )
    };
    let checks: Vec<String> = (0..40).map(check).collect();
    call("TransactWriteItems").body(format!(r#"{{"TransactItems":[{}]}}"#, checks.join(","))).bytes()
}

#[tokio::test]
async fn answers_of_failing_transactions_stay_within_the_memory_for_answers() {
    // The second text is six times as long in JSON.
    for text in ["a", "\u{1}"] {
        let bytes_max = 32 * MB;
        let limits = Limits {
            answers_bytes_max: bytes_max,
            room_timeout: Duration::from_millis(50),
            ..Limits::default()
        };
        let server = Server::bind(limited(limits)).await.unwrap();
        let address = server.address();
        tokio::spawn(server.run(Service::new(large_items(40, text)), std::future::pending()));
        let mut clients = Vec::new();
        for _ in 0..6 {
            let mut client = Client::new(TcpStream::connect(address).await.unwrap());
            client.send(failing_transaction()).await;
            clients.push(client);
        }
        let mut answered = 0;
        for mut client in clients {
            let held_bytes = metric_at(address, "singlet_answer_bytes").await;
            assert!(held_bytes <= bytes_max as u64, "{held_bytes} of {bytes_max}");
            let answer = client.receive().await;
            match answer.status {
                503 => assert!(answer.body.len() < 1_000),
                _ => {
                    answer.assert_error(400, "TransactionCanceledException");
                    assert_eq!(answer.text().matches("ConditionalCheckFailed\",").count(), 40);
                    assert!(answer.body.len() < 11 * MB, "{}", answer.body.len());
                    answered += 1;
                }
            }
        }
        assert!(answered > 0);
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_its_answer_is_disconnected() {
    let server = start(limited(Limits {
        body_bytes_max: UNREAD_BYTES,
        answer_timeout: Duration::from_millis(200),
        ..Limits::default()
    }))
    .await;
    let slow = leave_unread(&server).await;
    while metric(&server, "singlet_connections_timed_out_total").await == 0 {}
    while metric(&server, "singlet_answer_bytes").await > 0 {}
    drop(slow);
    assert_eq!(server.send(call("GetItem").bytes()).await.status, 200);
}

#[tokio::test]
async fn requests_sent_without_waiting_are_answered_in_their_order() {
    let server = start(options()).await;
    let mut client = server.connect().await;
    let flood: Vec<u8> =
        (0..1_000).flat_map(|number| call("GetItem").body(format!("{{\"n\":{number}}}")).bytes()).collect();
    let sending = async { client.send(flood).await };
    sending.await;
    for number in 0..1_000 {
        assert_eq!(client.receive().await.text(), format!("{{\"n\":{number}}}"));
    }
}

#[tokio::test]
async fn bombs_of_the_protocol_are_refused_and_the_server_goes_on() {
    let server = Server::bind(options_for_service()).await.unwrap();
    let address = server.address();
    let database = Database::in_memory().unwrap();
    tokio::spawn(server.run(Service::new(database), std::future::pending()));
    let nested = |depth: usize| {
        format!(
            r#"{{"TableName":"t","Item":{{"a":{}{{"S":"x"}}{}}}}}"#,
            r#"{"L":["#.repeat(depth),
            "]}".repeat(depth)
        )
    };
    let condition = |text: String| {
        format!(r#"{{"TableName":"t","Item":{{"a":{{"S":"x"}}}},"ConditionExpression":"{text}"}}"#)
    };
    for body in [
        nested(33),
        nested(100_000),
        "[".repeat(MB),
        r#"{"a":"#.repeat(MB / 8),
        condition("(".repeat(4_000)),
        condition("a = b AND ".repeat(100_000)),
        condition("NOT ".repeat(1_000)),
        format!(r#"{{"TableName":"t","Item":{{"a":{{"S":"{}"}}}}}}"#, "x".repeat(400 << 10)),
        format!(r#"{{"TableName":"t","Item":{{"a":{{"N":"{}"}}}}}}"#, "9".repeat(MB)),
    ] {
        let mut client = Client::new(TcpStream::connect(address).await.unwrap());
        client.send(call("PutItem").body(body.clone()).bytes()).await;
        let answer = client.receive().await;
        assert_eq!(answer.status, 400, "{}…: {}", &body[..body.len().min(60)], answer.text());
    }
    let mut client = Client::new(TcpStream::connect(address).await.unwrap());
    client.send(call("ListTables").bytes()).await;
    assert_eq!(client.receive().await.status, 200);
}

fn options_for_service() -> Options {
    Options { limits: Limits::default(), ..options() }
}
