//! Access of callers. The signatures were created by botocore 1.43.

use std::sync::Arc;

use crate::support::{Call, call, options, start};
use singlet_engine::ManualClock;
use singlet_server::{AccessKey, Credentials, Options};

/// The time of the signatures: 2026-03-14, 15:09:26 UTC.
const SIGNED_SECONDS: u64 = 1_773_500_966;

fn credentials() -> Credentials {
    Credentials::of("AKIDWRITER", AccessKey::new("writersecret"))
        .and("AKIDREADER", AccessKey::new("readersecret").read_only())
}

fn guarded(now_seconds: u64) -> Options {
    Options {
        credentials: Some(credentials()),
        clock: Arc::new(ManualClock::new(now_seconds * 1000)),
        ..options()
    }
}

fn signed_by_reader(operation: &str, signature: &str) -> Call {
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential=AKIDREADER/20260314/us-east-1/dynamodb/aws4_request, \
         SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature={signature}"
    );
    call(operation).header("Authorization", &authorization)
}

fn signed_get() -> Call {
    signed_by_reader("GetItem", "1e1dc7099ebba9046955b3718ba3f7ad923a06ecf0dc5d53b0388e255d0143a0")
}

fn signed_put() -> Call {
    signed_by_reader("PutItem", "a0d5eed1cb840f5ad10a85910e90979bfacc42af1acc37f64be480f496622d4f")
}

#[tokio::test]
async fn a_signed_request_is_served() {
    let server = start(guarded(SIGNED_SECONDS)).await;
    assert_eq!(server.send(signed_get().bytes()).await.status, 200);
}

#[tokio::test]
async fn a_changed_request_is_refused() {
    let server = start(guarded(SIGNED_SECONDS)).await;
    let changed = signed_get().body(r#"{"TableName":"Secrets"}"#);
    server.send(changed.bytes()).await.assert_error(400, "InvalidSignatureException");
}

#[tokio::test]
async fn an_unsigned_request_is_refused() {
    let server = start(guarded(SIGNED_SECONDS)).await;
    let unsigned = signed_get().without("Authorization");
    server.send(unsigned.bytes()).await.assert_error(400, "MissingAuthenticationTokenException");
}

#[tokio::test]
async fn an_unknown_key_is_refused() {
    let mut options = guarded(SIGNED_SECONDS);
    options.credentials = Some(Credentials::of("AKIDOTHER", AccessKey::new("readersecret")));
    let server = start(options).await;
    server.send(signed_get().bytes()).await.assert_error(400, "UnrecognizedClientException");
}

#[tokio::test]
async fn an_old_signature_is_refused() {
    let server = start(guarded(SIGNED_SECONDS + 301)).await;
    let answer = server.send(signed_get().bytes()).await;
    answer.assert_error(400, "InvalidSignatureException");
    assert!(answer.text().contains("Signature expired"), "{}", answer.text());
}

#[tokio::test]
async fn a_read_only_key_reads_and_does_not_write() {
    let server = start(guarded(SIGNED_SECONDS)).await;
    assert_eq!(server.send(signed_get().bytes()).await.status, 200);
    let answer = server.send(signed_put().bytes()).await;
    answer.assert_error(400, "AccessDeniedException");
    assert!(answer.text().contains("dynamodb:PutItem"), "{}", answer.text());
}

#[tokio::test]
async fn a_read_only_key_executes_only_statements_that_read() {
    let server = start(guarded(SIGNED_SECONDS)).await;
    let read = signed_by_reader(
        "ExecuteStatement",
        "4a9a1f0bc4dbb6c397245e0605a43208f36dc19d19ec715c6e7d1b896c0d509c",
    );
    let read = read.body(r#"{"Statement":"SELECT * FROM t"}"#);
    assert_eq!(server.send(read.bytes()).await.status, 200);
    let write = signed_by_reader(
        "ExecuteStatement",
        "22ffe32b2413032aab95e6e22df989bb1c08e196f263bc5b7a1c3c754f544d19",
    );
    let answer = server.send(write.body(r#"{"Statement":"DELETE FROM t"}"#).bytes()).await;
    answer.assert_error(400, "AccessDeniedException");
    assert!(answer.text().contains("dynamodb:ExecuteStatement"), "{}", answer.text());
}

#[tokio::test]
async fn the_region_of_a_signature_must_be_the_servers() {
    let mut options = guarded(SIGNED_SECONDS);
    options.region = "eu-west-1".to_owned();
    let server = start(options).await;
    let answer = server.send(signed_get().bytes()).await;
    answer.assert_error(400, "InvalidSignatureException");
    assert!(answer.text().contains("not 'us-east-1'"), "{}", answer.text());
}

#[tokio::test]
async fn without_credentials_any_whole_signature_will_do() {
    let server = start(options()).await;
    assert_eq!(server.send(call("PutItem").bytes()).await.status, 200);
    let unsigned = call("PutItem").without("Authorization");
    server.send(unsigned.bytes()).await.assert_error(400, "MissingAuthenticationTokenException");
    let partial = call("PutItem").header("Authorization", "AWS4-HMAC-SHA256 Credential=a/b/c/d/e");
    server.send(partial.bytes()).await.assert_error(400, "IncompleteSignatureException");
}
