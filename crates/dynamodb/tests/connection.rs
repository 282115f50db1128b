//! Messages about endpoints that can't be used, and features that endpoints lack.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::io::{Read, Write};
use std::net::TcpListener;

use singlet_store::{Feature, Store, StoreError};
use support::{Served, block_on, connect};

#[test]
fn an_address_where_nothing_listens_is_named_with_what_to_check() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let described = async { connect(&format!("http://{address}")).await.describe_table("recipes").await };
    match block_on(described) {
        Err(StoreError::Unavailable(reason)) => {
            assert!(reason.contains(&address.to_string()), "{reason}");
            assert!(reason.contains("refused") && reason.contains("Check"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_singlet_server_lacks_is_found_out_before_it_is_used() {
    block_on(async {
        let store = Served::start().await;
        assert!(store.supports(Feature::Transactions).await);
        assert!(store.supports(Feature::MultiAttributeKeys).await);
        assert!(store.supports(Feature::TimeToLive).await);
        assert!(store.supports(Feature::Streams).await);
        assert!(store.supports(Feature::Recovery).await);
        assert!(!store.supports(Feature::ScheduledBackups).await);
    });
}

/// Answers every request as a service does that doesn't know the operation, as Alternator answers transactions.
fn service_without_operations() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 10_000]);
            let body =
                r#"{"__type":"com.amazonaws.dynamodb.v20120810#UnknownOperationException","message":"?"}"#;
            let head =
                "HTTP/1.1 400 Bad Request\r\nContent-Type: application/x-amz-json-1.0\r\nConnection: close";
            let _ = write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        }
    });
    address
}

#[test]
fn a_service_that_does_not_know_transactions_is_found_out_before_one_is_tried() {
    block_on(async {
        let store = connect(&service_without_operations()).await;
        assert!(!store.supports(Feature::Transactions).await);
        assert!(!store.supports(Feature::MultiAttributeKeys).await);
    });
}
