//! Floods of requests that are refused: what each costs beside an ordinary get.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use super::LimitsOptions;
use super::scene::{Finding, Row, Scene, TABLE, get, item, read_answer, request};
use crate::sign::{ACCESS_KEY, SECRET_KEY};

const FLOODERS: usize = 8;
const MB: usize = 1 << 20;

/// A request that is sent over and over.
struct Flood {
    name: &'static str,
    bytes: Vec<u8>,
}

pub(super) fn run(options: &LimitsOptions, rows: &mut Vec<Row>) -> Result<()> {
    attack_each(options, rows, &[], open_floods)?;
    let folder = options.programs.scratch.join("limits-credentials.toml");
    std::fs::create_dir_all(&options.programs.scratch)?;
    std::fs::write(&folder, format!("[key.{ACCESS_KEY}]\nsecret = \"{SECRET_KEY}\"\n"))?;
    let path = folder.display().to_string();
    attack_each(options, rows, &["--credentials", &path], signed_floods)
}

fn attack_each(
    options: &LimitsOptions,
    rows: &mut Vec<Row>,
    arguments: &[&str],
    floods: fn(SocketAddr) -> Vec<Flood>,
) -> Result<()> {
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 1));
    if !floods(nowhere).iter().any(|flood| options.wants(flood.name)) {
        return Ok(());
    }
    let scene = Scene::start(options, arguments)?;
    for flood in floods(scene.address()).into_iter().filter(|flood| options.wants(flood.name)) {
        rows.push(scene.attack(flood.name, |scene| pour(scene.address(), &flood.bytes, options.duration()))?);
    }
    Ok(())
}

/// Sends the request over a few connections, each waiting for its answer, and counts the answers by status.
fn pour(address: SocketAddr, bytes: &[u8], time: Duration) -> Result<Finding> {
    let end = Instant::now() + time;
    let statuses = std::thread::scope(|scope| {
        let flooders: Vec<_> = (0..FLOODERS).map(|_| scope.spawn(|| flood(address, bytes, end))).collect();
        let mut total: BTreeMap<u16, usize> = BTreeMap::new();
        for flooder in flooders {
            for (status, count) in flooder.join().map_err(|_| anyhow!("a flooder panicked"))? {
                *total.entry(status).or_default() += count;
            }
        }
        Ok::<_, anyhow::Error>(total)
    })?;
    let count = statuses.values().sum();
    let parts: Vec<String> = statuses
        .iter()
        .map(|(status, count)| match status {
            0 => format!("{count} cut off"),
            _ => format!("{count} × {status}"),
        })
        .collect();
    Ok(Finding { outcome: parts.join(", "), count })
}

/// One client of a flood; status 0 is a connection that ended without an answer.
fn flood(address: SocketAddr, bytes: &[u8], end: Instant) -> BTreeMap<u16, usize> {
    let mut statuses = BTreeMap::new();
    let mut connection: Option<TcpStream> = None;
    let mut answer = Vec::new();
    while Instant::now() < end {
        let stream = match &mut connection {
            Some(stream) => stream,
            None => match TcpStream::connect(address) {
                Ok(stream) => {
                    let _ = stream.set_nodelay(true);
                    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
                    connection.insert(stream)
                }
                Err(_) => continue,
            },
        };
        // The answer may come before everything is sent.
        let sent = stream.write_all(bytes);
        let status = match read_answer(stream, &mut answer) {
            Ok(head) => {
                if head.closes || sent.is_err() {
                    connection = None;
                }
                head.status
            }
            Err(_) => {
                connection = None;
                0
            }
        };
        *statuses.entry(status).or_default() += 1;
    }
    statuses
}

fn put(attribute: &str) -> Vec<u8> {
    format!(r#"{{"TableName":"{TABLE}","Item":{{"id":{{"S":"x"}},"a":{attribute}}}}}"#).into_bytes()
}

fn condition(text: &str) -> Vec<u8> {
    format!(r#"{{"TableName":"{TABLE}","Item":{{"id":{{"S":"x"}}}},"ConditionExpression":"{text}"}}"#)
        .into_bytes()
}

fn nested(depth: usize) -> Vec<u8> {
    put(&format!(r#"{}{{"S":"x"}}{}"#, r#"{"L":["#.repeat(depth), "]}".repeat(depth)))
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let packed = encoder.write_all(plain).and_then(|()| encoder.finish());
    packed.unwrap_or_default()
}

/// A request with the body compressed.
fn compressed(address: SocketAddr, packed: &[u8]) -> Vec<u8> {
    let bytes = request(address, "PutItem", packed);
    let line = b"POST / HTTP/1.1\r\n";
    let mut with_encoding = line.to_vec();
    with_encoding.extend_from_slice(b"Content-Encoding: gzip\r\n");
    with_encoding.extend_from_slice(bytes.get(line.len()..).unwrap_or_default());
    with_encoding
}

fn open_floods(address: SocketAddr) -> Vec<Flood> {
    let of = |name, operation: &str, body: &[u8]| Flood { name, bytes: request(address, operation, body) };
    let bomb = gzip(&vec![b' '; 64 * MB]);
    let mut lying = bomb.clone();
    let length_at = lying.len().saturating_sub(4);
    lying.splice(length_at.., 1_000_u32.to_le_bytes());
    let keys: Vec<_> = (0..101).map(|number| json!({"id": {"S": format!("{number:08}")}})).collect();
    let puts: Vec<_> = (0..26).map(|number| json!({"PutRequest": {"Item": item(number)}})).collect();
    vec![
        of("an ordinary get, for comparison", "GetItem", get(1).to_string().as_bytes()),
        of("an ordinary put, for comparison", "PutItem", &put(r#"{"S":"y"}"#)),
        of("lists nested 33 deep", "PutItem", &nested(33)),
        of("lists nested 100,000 deep (800 KB)", "PutItem", &nested(100_000)),
        of("a condition of 4,000 brackets", "PutItem", &condition(&"(".repeat(4_000))),
        of("a condition of 1 MB", "PutItem", &condition(&"a = b AND ".repeat(100_000))),
        of("an item of 401 KB", "PutItem", &put(&format!(r#"{{"S":"{}"}}"#, "x".repeat(401 << 10)))),
        of("an item of 16 MB", "PutItem", &put(&format!(r#"{{"S":"{}"}}"#, "x".repeat(16 * MB)))),
        of("a body of 18 MB", "PutItem", &put(&format!(r#"{{"S":"{}"}}"#, "x".repeat(18 * MB)))),
        Flood { name: "64 MB packed into 64 KB", bytes: compressed(address, &bomb) },
        Flood { name: "the same, lying about its length", bytes: compressed(address, &lying) },
        of(
            "a batch of 26 puts",
            "BatchWriteItem",
            json!({"RequestItems": {TABLE: puts}}).to_string().as_bytes(),
        ),
        of(
            "a batch of 101 gets",
            "BatchGetItem",
            json!({"RequestItems": {TABLE: {"Keys": keys}}}).to_string().as_bytes(),
        ),
        of("a table that isn't there", "GetItem", br#"{"TableName":"nothing","Key":{"id":{"S":"1"}}}"#),
        of("an unknown operation", "Nothing", b"{}"),
        Flood {
            name: "bytes that are no HTTP",
            bytes: vec![b'\x16'; 200].into_iter().chain(*b"\r\n\r\n").collect(),
        },
        Flood {
            name: "a head of 100 KB",
            bytes: format!("POST / HTTP/1.1\r\nX-Large: {}\r\n\r\n", "a".repeat(100 << 10)).into_bytes(),
        },
    ]
}

fn signed_floods(address: SocketAddr) -> Vec<Flood> {
    let good = request(address, "GetItem", get(1).to_string().as_bytes());
    let large = request(address, "PutItem", &put(&format!(r#"{{"S":"{}"}}"#, "x".repeat(16 * MB))));
    let replaced = |bytes: &[u8], from: &str, to: &str| {
        let place = bytes.windows(from.len()).position(|window| window == from.as_bytes());
        let mut changed = bytes.to_vec();
        if let Some(place) = place {
            changed.splice(place..place + from.len(), to.bytes());
        }
        changed
    };
    let unknown = |bytes: &[u8]| replaced(bytes, "AKIAIOSFODNN7EXAMPLE", "AKIANOBODYKNOWSTHIS0");
    vec![
        Flood { name: "a signed get, for comparison", bytes: good.clone() },
        Flood { name: "a wrong signature", bytes: replaced(&good, "\"00000001\"", "\"00000002\"") },
        Flood { name: "an unknown access key", bytes: unknown(&good) },
        Flood { name: "no signature", bytes: replaced(&good, "Authorization:", "X-Nothing:") },
        Flood { name: "an unknown access key with 16 MB", bytes: unknown(&large) },
    ]
}
