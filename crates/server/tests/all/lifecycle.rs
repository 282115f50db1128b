//! How a server starts, how connections end, and how the server ends.

use std::sync::Arc;
use std::time::Duration;

use crate::support::{Client, call, options, start};
use singlet_server::{AccessKey, Credentials, Options, Server, StartError, TlsFiles};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

async fn start_error(options: Options) -> StartError {
    match Server::bind(options).await {
        Ok(_) => panic!("the server started"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn without_credentials_only_this_machine_may_reach_the_server() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        let error = start_error(Options { address: address.to_owned(), ..options() }).await;
        assert!(matches!(error, StartError::Exposed { .. }), "{error}");
        assert!(error.to_string().contains("--credentials"), "{error}");
    }
    let credentials = Some(Credentials::of("A", AccessKey::new("s")));
    start(Options { address: "0.0.0.0:0".to_owned(), credentials, ..options() }).await;
}

#[tokio::test]
async fn an_address_in_use_is_named() {
    let running = start(options()).await;
    let error = start_error(Options { address: running.address.to_string(), ..options() }).await;
    assert!(matches!(error, StartError::InUse { .. }), "{error}");
    assert!(error.to_string().contains(&running.address.to_string()), "{error}");
}

#[tokio::test]
async fn a_wrong_address_or_certificate_is_named() {
    for address in ["", "8000", "localhost", "localhost:http", "no.such.host.invalid:1"] {
        let error = start_error(Options { address: address.to_owned(), ..options() }).await;
        assert!(matches!(error, StartError::Address { .. }), "{address}: {error}");
    }
    let tls = TlsFiles { certificate: "/no/such/file.pem".into(), key: "/no/such/file.key".into() };
    let error = start_error(Options { tls: Some(tls), ..options() }).await;
    assert!(error.to_string().contains("/no/such/file.pem"), "{error}");
    let error = start_error(Options { host_names: vec!["http://db".to_owned()], ..options() }).await;
    assert!(error.to_string().contains("'http://db' isn't a host name"), "{error}");
}

#[tokio::test]
async fn connections_over_the_limit_are_told_so_and_others_go_on() {
    let mut options = options();
    options.limits.connections_max = 1;
    let server = start(options).await;
    let mut first = server.connect().await;
    first.send(call("GetItem").bytes()).await;
    assert_eq!(first.receive().await.status, 200);

    let mut second = server.connect().await;
    second.send(call("GetItem").bytes()).await;
    second.receive().await.assert_error(503, "ServiceUnavailableException");
    second.closed().await;

    first.send(call("GetItem").bytes()).await;
    assert_eq!(first.receive().await.status, 200);
}

#[tokio::test]
async fn connections_that_only_look_give_way_when_all_are_taken() {
    let mut options = options();
    options.limits.connections_max = 3;
    let server = start(options).await;
    let mut client = server.connect().await;
    client.send(call("GetItem").bytes()).await;
    assert_eq!(client.receive().await.status, 200);
    let mut lookers = Vec::new();
    for _ in 0..2 {
        let mut looker = server.connect().await;
        looker.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        assert_eq!(looker.receive().await.status, 200);
        lookers.push(looker);
    }
    let mut second = server.connect().await;
    second.send(call("GetItem").bytes()).await;
    assert_eq!(second.receive().await.status, 200);
    // The oldest connection was closed for it.
    lookers.remove(0).closed().await;
    for client in [&mut client, &mut second] {
        client.send(call("GetItem").bytes()).await;
        assert_eq!(client.receive().await.status, 200);
    }
}

#[tokio::test]
async fn one_address_can_be_held_to_a_share_of_the_connections() {
    let mut options = options();
    options.limits.connections_per_address_max = Some(1);
    let server = start(options).await;
    let mut first = server.connect().await;
    first.send(call("GetItem").bytes()).await;
    assert_eq!(first.receive().await.status, 200);
    let mut second = server.connect().await;
    second.send(call("GetItem").bytes()).await;
    second.receive().await.assert_error(503, "ServiceUnavailableException");
}

fn impatient() -> Options {
    let mut options = options();
    options.limits.idle_timeout = Duration::from_millis(100);
    options.limits.body_timeout = Duration::from_millis(100);
    options
}

#[tokio::test]
async fn a_silent_client_is_disconnected() {
    let server = start(impatient()).await;
    server.connect().await.closed().await;
    let mut after_a_request = server.connect().await;
    after_a_request.send(call("GetItem").bytes()).await;
    assert_eq!(after_a_request.receive().await.status, 200);
    after_a_request.closed().await;
}

#[tokio::test]
async fn a_client_that_never_ends_its_head_or_body_is_disconnected() {
    let server = start(impatient()).await;
    let mut half_a_head = server.connect().await;
    half_a_head.send("POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow:").await;
    let mut half_a_body = server.connect().await;
    half_a_body.send(call("GetItem").header("Content-Length", "100").bytes()).await;
    half_a_head.closed().await;
    half_a_body.closed().await;
}

#[tokio::test]
async fn a_request_that_the_database_works_on_is_never_timed_out() {
    let server = start(impatient()).await;
    let mut working = server.connect().await;
    working.send(call("Query").body(r#"{"slow":1}"#).bytes()).await;
    server.stub.begun.acquire().await.unwrap().forget();
    // The time in which the server times two other connections out.
    server.connect().await.closed().await;
    server.connect().await.closed().await;
    server.stub.let_go.add_permits(1);
    assert_eq!(working.receive().await.text(), r#"{"slow":1}"#);
}

#[tokio::test]
async fn a_running_request_is_finished_before_the_server_ends() {
    let server = start(options()).await;
    let address = server.address;
    let stub = server.stub.clone();
    let mut idle = server.connect().await;
    idle.send(call("GetItem").bytes()).await;
    idle.receive().await;
    let mut fresh = server.connect().await;
    let mut working = server.connect().await;
    working.send(call("Query").body(r#"{"slow":1}"#).bytes()).await;
    stub.begun.acquire().await.unwrap().forget();

    let ended = server.shut_down();
    idle.closed().await;
    fresh.closed().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
    assert!(!ended.is_finished());

    stub.let_go.add_permits(1);
    let answer = working.receive().await;
    assert_eq!((answer.status, answer.text()), (200, r#"{"slow":1}"#));
    assert_eq!(ended.await.unwrap().cut_off, 0);
}

#[tokio::test]
async fn a_request_that_does_not_finish_in_time_is_cut_off() {
    let mut options = options();
    options.limits.shutdown_timeout = Duration::from_millis(50);
    let server = start(options).await;
    let mut working = server.connect().await;
    working.send(call("Query").bytes()).await;
    server.stub.begun.acquire().await.unwrap().forget();
    let ended = server.shut_down();
    assert_eq!(ended.await.unwrap().cut_off, 1);
    working.closed().await;
}

#[tokio::test]
async fn a_certificate_makes_it_https() {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let tls = TlsFiles { certificate: folder.path().join("cert.pem"), key: folder.path().join("key.pem") };
    std::fs::write(&tls.certificate, made.cert.pem()).unwrap();
    std::fs::write(&tls.key, made.signing_key.serialize_pem()).unwrap();
    let mut options = impatient();
    options.tls = Some(tls);
    let server = start(options).await;

    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(made.cert.pem().as_bytes()).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut client = Client::new(TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap());
    client.send(call("GetItem").body(r#"{"private":1}"#).bytes()).await;
    assert_eq!(client.receive().await.text(), r#"{"private":1}"#);

    // A client without TLS, and one that never completes the handshake.
    let mut plain = server.connect().await;
    plain.send(call("GetItem").bytes()).await;
    assert!(plain.try_receive().await.is_none());
    server.connect().await.closed().await;
}
