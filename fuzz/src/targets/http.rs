//! The HTTP edge: the input is what a client sends on a connection, byte for byte. Its first byte says how it is cut into
//! pieces, the second which server gets it: one without credentials on a database, or one with credentials that echoes bodies.
//!
//! Promises:
//! - what comes back is a row of whole answers, each with a status, headers without surprises and exactly the body they announce;
//!   and then the connection is closed;
//! - nothing is echoed by the server with credentials but the body that was signed: no change of the signed request passes;
//! - no call panics behind the server, and on another connection it still answers a good request.

mod answers;
mod server;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use answers::Answer;
use server::{SIGNED_BODY, Server};

/// How long a client waits for an answer or the end. A server that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(15);
/// The header of compressed bodies.
const ENCODING: &[u8] = b"content-encoding";

pub(crate) fn run(input: &[u8]) {
    let [pieces, which, sent @ ..] = input else { return };
    let server = if which % 2 == 0 { Server::open() } else { Server::guarded() };
    let received = exchange(server, sent, *pieces);
    let answers = Answer::all(&received, sent);
    // As in AWS, a compressed body that is broken is answered as a fault of the server.
    let may_be_compressed = sent.windows(ENCODING.len()).any(|name| name.eq_ignore_ascii_case(ENCODING));
    for answer in &answers {
        assert!(answer.status != 500 || may_be_compressed, "{answer:?}");
        check(answer);
        if which % 2 == 1 && answer.status == 200 && answer.is_call() {
            assert_eq!(answer.body, SIGNED_BODY, "what nobody signed was let in");
        }
    }
    still_answers(server);
}

/// Sends everything and takes everything, until the server closes.
fn exchange(server: &Server, sent: &[u8], pieces: u8) -> Vec<u8> {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    // A few pieces: each is a packet of its own, and often read alone.
    let length = match pieces % 8 {
        0 => sent.len(),
        shift => (sent.len() >> shift).max(1),
    };
    for piece in sent.chunks(length.max(1)) {
        // The server may close before everything is sent.
        if stream.write_all(piece).is_err() {
            break;
        }
    }
    let _ = stream.shutdown(Shutdown::Write);
    let mut received = Vec::new();
    match stream.read_to_end(&mut received) {
        Ok(_) => {}
        // A connection that is closed before everything was read may be reset.
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
        Err(error) => panic!("no end of the answers: {error}"),
    }
    received
}

fn check(answer: &Answer) {
    assert!(matches!(answer.status, 100 | 200 | 400..=499 | 500 | 503), "{answer:?}");
    for (name, value) in &answer.headers {
        assert!(name.bytes().all(|byte| byte.is_ascii_graphic()), "{answer:?}");
        assert!(value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()), "{answer:?}");
        assert!(answers::KNOWN.contains(&name.as_str()), "an unexpected header {name}: {answer:?}");
    }
    if answer.is_call() && !answer.body.is_empty() {
        let is_plain = answer.header("content-encoding").is_none();
        let is_json = || serde_json::from_slice::<serde_json::Value>(&answer.body).is_ok();
        assert!(!is_plain || is_json(), "{answer:?}");
        let sum = crc32fast::hash(&answer.body).to_string();
        assert_eq!(answer.header("x-amz-crc32"), Some(sum.as_str()), "{answer:?}");
    }
}

/// The health page, then the metrics page, which counts calls that panicked.
fn still_answers(server: &Server) {
    let good =
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let answers = Answer::all(&exchange(server, good, 0), good);
    assert_eq!(answers.len(), 2);
    assert!(answers.iter().all(|answer| answer.status == 200), "{answers:?}");
    let metrics = String::from_utf8_lossy(&answers[1].body).into_owned();
    let panics = metrics.lines().find(|line| line.starts_with("singlet_panics_total"));
    assert!(panics.is_none_or(|line| line.ends_with(" 0")), "{panics:?}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Corpus, Target};

    /// Without this the target might only ever see requests refused.
    #[test]
    fn the_signed_request_passes_and_changes_of_it_do_not() {
        let mut seen = Vec::new();
        for entry in Corpus::of(Target::Http).entries {
            let name = entry.path.file_name().unwrap().to_string_lossy().into_owned();
            if name.starts_with("signed") {
                let sent = &entry.bytes[2..];
                let answers = Answer::all(&exchange(Server::guarded(), sent, 0), sent);
                assert_eq!(answers[0].status == 200, name == "signed", "{name} {answers:?}");
                seen.push(name);
            }
        }
        assert!(seen.len() > 3, "{seen:?}");
    }

    #[test]
    fn a_call_reaches_the_database() {
        let entries = Corpus::of(Target::Http).entries;
        let call = entries.iter().find(|entry| entry.path.ends_with("call")).unwrap();
        let answers = Answer::all(&exchange(Server::open(), &call.bytes[2..], 0), &call.bytes);
        assert!(String::from_utf8_lossy(&answers[0].body).contains(r#""S":"h1""#), "{answers:?}");
    }
}
