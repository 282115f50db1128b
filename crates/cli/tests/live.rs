//! Live updates while the server is killed and started again: every client gets every event once.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]
#![allow(clippy::disallowed_methods, reason = "a server that is down gives no sign to wait for")]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use support::Serving;

const DESIGN: &str = r#"
design = "notes"
[table]
key    = ["PK", "SK"]
stream = true
[entity.Note]
key    = ["USER#{user_id}", "NOTE#{note_id}"]
fields = { user_id = "key", note_id = "key", number = "int" }
[pattern.save]
put = "Note"
[pattern.note]
get = "Note"
[pattern.notes]
query = "Note"
"#;

/// How often the server is killed. `SINGLET_KILLS=200` takes some minutes.
const KILLS: u64 = 6;
/// The writes between two kills.
const WRITES: u64 = 12;
/// Longer than any step takes, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(300);

/// The address of the server that runs at the moment.
type Address = Arc<Mutex<String>>;

fn start(folder: &Path) -> Serving {
    Serving::start_in(folder, &["notes.toml", "--data", "data"])
}

/// Sends a request. `None` if the server went away.
fn open(address: &Address, head: &str, body: &str) -> Option<BufReader<TcpStream>> {
    let address = address.lock().unwrap().clone();
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!("{head}\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).ok()?;
    Some(BufReader::new(stream))
}

/// Writes a number, however often that takes. The second write of a number changes nothing.
fn save(address: &Address, number: u64) {
    let head = "PUT /notes/users/u1/notes/n1 HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json";
    let body = format!("{{\"number\": {number}}}");
    let began = Instant::now();
    loop {
        let mut answer = String::new();
        let read = open(address, head, &body).map(|mut stream| stream.read_to_string(&mut answer));
        if matches!(read, Some(Ok(_))) && answer.starts_with("HTTP/1.1 200") {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{number}: {answer}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// One line of a chunked body. `None` at its end.
struct Chunks {
    stream: BufReader<TcpStream>,
    text: String,
}

impl Chunks {
    /// The next block of lines.
    fn block(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                return Some(self.text.drain(..end + 2).collect());
            }
            let mut size = String::new();
            self.stream.read_line(&mut size).ok().filter(|read| *read > 0)?;
            let size = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0)?;
            let mut chunk = vec![0; size + 2];
            self.stream.read_exact(&mut chunk).ok()?;
            self.text.push_str(std::str::from_utf8(&chunk[..size]).unwrap());
        }
    }
}

/// Follows a path until the number is there, and returns all events: their kinds and numbers.
fn follow(address: &Address, path: &str, last: u64) -> Vec<(String, u64)> {
    let (mut events, mut id) = (Vec::new(), String::new());
    let began = Instant::now();
    while events.last().is_none_or(|(_, number)| *number < last) {
        assert!(began.elapsed() < PATIENCE, "{path}: {events:?}");
        let place = if id.is_empty() { String::new() } else { format!("\r\nLast-Event-ID: {id}") };
        let head = format!("GET {path} HTTP/1.1\r\nAccept: text/event-stream{place}");
        let Some(mut stream) = open(address, &head, "") else {
            thread::sleep(Duration::from_millis(10));
            continue;
        };
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if !matches!(stream.read_line(&mut line), Ok(read) if read > 0) {
                break;
            }
        }
        let mut chunks = Chunks { stream, text: String::new() };
        while events.last().is_none_or(|(_, number)| *number < last) {
            let Some(block) = chunks.block() else { break };
            let field =
                |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            id = field("id: ").unwrap_or(id);
            if let (Some(kind), Some(data)) = (field("event: "), field("data: ")) {
                let number = data.split("\"number\":").nth(1).and_then(|rest| {
                    rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
                });
                events.push((kind, number.unwrap_or(0)));
            }
        }
    }
    events
}

#[test]
fn every_client_gets_every_event_once_however_often_the_server_is_killed() {
    let kills = std::env::var("SINGLET_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.toml"), DESIGN).unwrap();
    let mut server = start(folder.path());
    let address: Address = Arc::new(Mutex::new(server.address.clone()));
    let last = (kills + 1) * WRITES;
    let clients =
        ["/notes/users/u1/notes", "/notes/users/u1/notes", "/notes/users/u1/notes/n1"].map(|path| {
            let address = Arc::clone(&address);
            thread::spawn(move || follow(&address, path, last))
        });
    let written = Arc::new(AtomicU64::new(0));
    let writer = {
        let (address, written) = (Arc::clone(&address), Arc::clone(&written));
        thread::spawn(move || {
            for number in 1..=last {
                save(&address, number);
                written.store(number, Ordering::SeqCst);
            }
        })
    };
    for kill in 1..=kills {
        let began = Instant::now();
        while written.load(Ordering::SeqCst) < kill * WRITES {
            assert!(began.elapsed() < PATIENCE);
            thread::sleep(Duration::from_millis(1));
        }
        // It is killed, in the middle of the next write or after it.
        drop(server);
        server = start(folder.path());
        address.lock().unwrap().clone_from(&server.address);
    }
    writer.join().unwrap();
    for client in clients {
        let events = client.join().unwrap();
        let (first, rest) = events.split_first().unwrap();
        assert_eq!(first.0, "answer");
        let expected: Vec<(String, u64)> =
            (first.1 + 1..=last).map(|number| ("put".to_owned(), number)).collect();
        assert_eq!(rest, expected);
    }
    assert_eq!(server.terminate().code(), Some(0));
}

#[test]
fn live_answers_end_when_the_server_stops() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.toml"), DESIGN).unwrap();
    let server = start(folder.path());
    let address: Address = Arc::new(Mutex::new(server.address.clone()));
    save(&address, 1);
    let head = "GET /notes/users/u1/notes HTTP/1.1\r\nAccept: text/event-stream";
    let mut stream = open(&address, head, "").unwrap();
    let mut line = String::new();
    while !line.starts_with("data: ") {
        line.clear();
        assert!(stream.read_line(&mut line).unwrap() > 0);
    }
    assert_eq!(server.terminate().code(), Some(0));
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("0\r\n\r\n"), "{rest:?}");
}
