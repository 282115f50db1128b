//! Compressed requests and answers.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::{GzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use singlet_server::{Limits, Options};

use crate::support::{Answer, call, options, start};

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn deflate(plain: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// A call with a body of this encoding.
fn encoded(encoding: &str, body: impl Into<Vec<u8>>) -> Vec<u8> {
    call("PutItem").header("Content-Encoding", encoding).body(body).bytes()
}

/// The body of an answer after decoding, and its encoding.
fn decoded(answer: &Answer) -> (Option<&str>, Vec<u8>) {
    let (encoding, mut plain) = (answer.header("content-encoding"), Vec::new());
    match encoding {
        Some("gzip") => GzDecoder::new(&answer.body[..]).read_to_end(&mut plain).unwrap(),
        Some("deflate") => ZlibDecoder::new(&answer.body[..]).read_to_end(&mut plain).unwrap(),
        _ => (&answer.body[..]).read_to_end(&mut plain).unwrap(),
    };
    (encoding, plain)
}

#[tokio::test]
async fn a_compressed_body_is_unpacked() {
    let server = start(options()).await;
    let plain = br#"{"TableName":"Music"}"#.repeat(100);
    let (first, rest) = plain.split_at(10);
    for (encoding, body) in [
        ("gzip", gzip(&plain)),
        ("GZIP", gzip(&plain)),
        // The format allows several members.
        ("gzip", [gzip(first), gzip(rest)].concat()),
        ("deflate", deflate(&plain)),
        ("identity", plain.clone()),
        ("", plain.clone()),
    ] {
        let answer = server.send(encoded(encoding, body)).await;
        assert_eq!((answer.status, &answer.body), (200, &plain), "{encoding}");
    }
}

#[tokio::test]
async fn a_small_body_that_unpacks_to_a_huge_one_is_refused() {
    let server = start(options()).await;
    let spaces = vec![b' '; 50_000_000];
    for (encoding, bomb) in [("gzip", gzip(&spaces)), ("deflate", deflate(&spaces))] {
        assert!(bomb.len() < 100_000);
        server.send(encoded(encoding, bomb)).await.assert_error(413, "RequestEntityTooLargeException");
    }
}

#[tokio::test]
async fn a_body_that_is_not_encoded_as_it_says_is_an_internal_error() {
    let server = start(options()).await;
    let without_end = |mut whole: Vec<u8>| {
        whole.pop();
        whole
    };
    let json = b"{\"a\":\"b\"}";
    for (encoding, body) in [
        ("gzip", json.to_vec()),
        ("gzip", Vec::new()),
        ("gzip", without_end(gzip(json))),
        ("gzip", deflate(json)),
        ("deflate", json.to_vec()),
        ("deflate", Vec::new()),
        ("deflate", without_end(deflate(json))),
        ("deflate", gzip(json)),
        ("deflate", [deflate(b"{"), deflate(b"}")].concat()),
        ("br", json.to_vec()),
        ("gzip, gzip", gzip(&gzip(json))),
    ] {
        let answer = server.send(encoded(encoding, body)).await;
        answer.assert_error(500, "InternalServerError");
    }
    assert_eq!(server.send(encoded("gzip", gzip(json))).await.status, 200);
}

#[tokio::test]
async fn a_large_answer_is_compressed_as_the_client_accepts_it() {
    let server = start(options()).await;
    let plain = br#"{"S":"abc"},"#.repeat(5_000);
    for (accept, encoding) in
        [("gzip", Some("gzip")), ("deflate", Some("deflate")), ("br", None), ("identity", None)]
    {
        let request = call("GetItem").header("Accept-Encoding", accept).body(plain.clone());
        let answer = server.send(request.bytes()).await;
        assert_eq!(decoded(&answer), (encoding, plain.clone()), "{accept}");
        assert_eq!(answer.header("content-length"), Some(answer.body.len().to_string().as_str()));
        assert_eq!(encoding.is_some(), answer.body.len() < plain.len() / 20);
        // The checksum covers the bytes that are sent.
        let checksum = crc32fast::hash(&answer.body).to_string();
        assert_eq!(answer.header("x-amz-crc32"), Some(checksum.as_str()), "{accept}");
    }
    let error = call("DeleteItem").header("Accept-Encoding", "gzip").body(plain.clone());
    let answer = server.send(error.bytes()).await;
    assert_eq!((answer.status, decoded(&answer)), (400, (Some("gzip"), plain)));
}

#[tokio::test]
async fn a_small_answer_is_never_compressed() {
    let server = start(options()).await;
    for (bytes, encoding) in [(4_095, None), (4_096, Some("gzip"))] {
        let request = call("GetItem").header("Accept-Encoding", "gzip").body(vec![b' '; bytes]);
        let answer = server.send(request.bytes()).await;
        assert_eq!(decoded(&answer), (encoding, vec![b' '; bytes]));
    }
}

#[tokio::test]
async fn without_memory_to_compress_an_answer_is_sent_as_it_is() {
    let limits = Limits { body_bytes_max: 100_000, answers_bytes_max: 60_000, ..Limits::default() };
    let server = start(Options { limits, ..options() }).await;
    let plain = vec![b'a'; 90_000];
    let request = call("UpdateItem").header("Accept-Encoding", "gzip").body(plain.clone());
    let answer = server.send(request.bytes()).await;
    assert_eq!(decoded(&answer), (None, plain));
}
