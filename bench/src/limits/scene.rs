//! A server under attack, watched: its memory, its CPU time, and a well-behaved client beside the attackers.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::LimitsOptions;
use crate::call::{call, exchange};
use crate::clock::pause;
use crate::http::{AnswerHead, RequestWriter};
use crate::metrics::Metrics;
use crate::process::{memory, of_process};
use crate::target::{Kind, Target};

/// The table that is attacked.
pub(super) const TABLE: &str = "limits";
/// Its items, each about 1 KB.
pub(super) const ITEMS: usize = 4_000;
/// How long the client is watched before the attack, and the memory after it.
const QUIET: Duration = Duration::from_secs(2);
/// Between two requests of the well-behaved client.
const WITNESS_PAUSE: Duration = Duration::from_millis(3);
const SAMPLE_PAUSE: Duration = Duration::from_millis(20);

/// The result of an attack.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(super) attack: String,
    pub(super) outcome: String,
    /// The server's CPU time for each request or connection of the attack.
    pub(super) cpu_microseconds_each: Option<f64>,
    pub(super) memory: MemoryBytes,
    /// None where no other client was there.
    pub(super) witness: Option<Witness>,
}

/// Resident bytes of the server.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct MemoryBytes {
    pub(super) before: u64,
    pub(super) peak: u64,
    pub(super) after: u64,
}

/// The answers that a well-behaved client got.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Witness {
    pub(super) before: Latency,
    pub(super) during: Latency,
}

/// Microseconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Latency {
    pub(super) requests: usize,
    pub(super) errors: usize,
    pub(super) p50: f64,
    pub(super) p99: f64,
    pub(super) max: f64,
}

/// The description of an attack.
pub(super) struct Finding {
    pub(super) outcome: String,
    /// Over how many requests or connections the server's CPU time is shared out; none leaves it out.
    pub(super) count: usize,
}

/// A server with a table, ready to be attacked.
pub(super) struct Scene {
    pub(super) target: Target,
}

impl Scene {
    /// Starts a server with these arguments and fills the table.
    pub(super) fn start(options: &LimitsOptions, arguments: &[&str]) -> Result<Self> {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let target = Target::start_with(Kind::Singlet, &options.programs, arguments)?;
        let scene = Self { target };
        scene.fill()?;
        Ok(scene)
    }

    fn fill(&self) -> Result<()> {
        let table = json!({
            "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        });
        call(self.address(), "CreateTable", &table)?;
        for first in (0..ITEMS).step_by(25) {
            let puts: Vec<Value> =
                (first..first + 25).map(|number| json!({"PutRequest": {"Item": item(number)}})).collect();
            call(self.address(), "BatchWriteItem", &json!({"RequestItems": {TABLE: puts}}))?;
        }
        Ok(())
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.target.address
    }

    /// A number from the metrics page.
    pub(super) fn metric(&self, name: &str) -> Result<f64> {
        Metrics::read(self.address())?.get(name)
    }

    /// Whether the server still answers somebody new.
    pub(super) fn check_alive(&self) -> Result<()> {
        let (status, body) = exchange(self.address(), "GetItem", &get(1))?;
        ensure!(status == 200, "after the attack: {status} {}", String::from_utf8_lossy(&body));
        Ok(())
    }

    /// Does the attack while the server and a well-behaved client are watched.
    pub(super) fn attack(
        &self,
        name: &str,
        attack: impl FnOnce(&Self) -> Result<Finding> + Send,
    ) -> Result<Row> {
        eprintln!("{name} …");
        let id = self.target.id();
        let mut client = WellBehaved::connect(self.address())?;
        // The first requests warm everything up.
        client.watch(QUIET / 4, &AtomicBool::new(false));
        let before = client.watch(QUIET, &AtomicBool::new(false));
        let memory_before = memory(id).resident_bytes;
        let over = AtomicBool::new(false);
        let peak = Mutex::new(memory_before);
        let (finding, during, cpu) = std::thread::scope(|scope| {
            let over = &over;
            let witness = scope.spawn(|| client.watch(Duration::MAX, over));
            let sampler = scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let mut peak = peak.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    *peak = (*peak).max(memory(id).resident_bytes);
                    drop(peak);
                    pause(SAMPLE_PAUSE);
                }
            });
            let cpu_before = of_process(id);
            let finding = attack(self);
            let cpu = of_process(id).saturating_sub(cpu_before);
            over.store(true, Ordering::Relaxed);
            let during = witness.join().map_err(|_| anyhow!("the well-behaved client panicked"));
            let _ = sampler.join();
            (finding, during, cpu)
        });
        let (finding, during) = (finding?, during?);
        pause(QUIET);
        self.check_alive()?;
        let after = memory(id).resident_bytes;
        let memory = MemoryBytes {
            before: memory_before,
            peak: *peak.lock().unwrap_or_else(std::sync::PoisonError::into_inner),
            after,
        };
        let each = (finding.count > 0).then(|| cpu.as_secs_f64() * 1e6 / finding.count as f64);
        let mut outcome = finding.outcome;
        if during.errors > 0 {
            outcome += &format!("; the other client had {} errors", during.errors);
        }
        Ok(Row {
            attack: name.to_owned(),
            outcome,
            cpu_microseconds_each: each,
            memory,
            witness: Some(Witness { before, during }),
        })
    }
}

/// An item of the table.
pub(super) fn item(number: usize) -> Value {
    json!({"id": {"S": format!("{number:08}")}, "n": {"N": number.to_string()}, "text": {"S": "x".repeat(1_000)}})
}

/// The body of a get.
pub(super) fn get(number: usize) -> Value {
    json!({"TableName": TABLE, "Key": {"id": {"S": format!("{number:08}")}}})
}

/// A request as bytes, signed now.
pub(super) fn request(address: SocketAddr, operation: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    RequestWriter::new(&address.to_string()).write(&mut bytes, operation, |out| out.extend_from_slice(body));
    bytes
}

/// Reads one whole answer into the buffer; gives its head.
pub(super) fn read_answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<AnswerHead> {
    buffer.clear();
    let mut chunk = [0; 16 << 10];
    loop {
        let count = stream.read(&mut chunk)?;
        ensure!(count > 0, "closed");
        buffer.extend_from_slice(chunk.get(..count).unwrap_or_default());
        if let Some(head) = AnswerHead::read(buffer)?
            && buffer.len() >= head.total_bytes()
        {
            return Ok(head);
        }
    }
}

/// A client with one connection that gets items, one after the other, with pauses.
struct WellBehaved {
    address: SocketAddr,
    stream: TcpStream,
    requests: RequestWriter,
    number: usize,
}

impl WellBehaved {
    fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        Ok(Self { address, stream, requests: RequestWriter::new(&address.to_string()), number: 0 })
    }

    fn watch(&mut self, time: Duration, over: &AtomicBool) -> Latency {
        let start = Instant::now();
        let (mut latencies, mut errors) = (Vec::new(), 0);
        while start.elapsed() < time && !over.load(Ordering::Relaxed) {
            let begin = Instant::now();
            match self.get() {
                Ok(()) => latencies.push(begin.elapsed().as_secs_f64() * 1e6),
                Err(_) => {
                    errors += 1;
                    if let Ok(again) = Self::connect(self.address) {
                        *self = again;
                    }
                }
            }
            pause(WITNESS_PAUSE);
        }
        latencies.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (latencies.len() as f64 * share) as usize;
            latencies.get(place.min(latencies.len().saturating_sub(1))).copied().unwrap_or(0.0)
        };
        Latency { requests: latencies.len(), errors, p50: at(0.5), p99: at(0.99), max: at(1.0) }
    }

    fn get(&mut self) -> Result<()> {
        self.number = (self.number + 7) % ITEMS;
        let text = get(self.number).to_string();
        let mut bytes = Vec::new();
        self.requests.write(&mut bytes, "GetItem", |out| out.extend_from_slice(text.as_bytes()));
        self.stream.write_all(&bytes)?;
        let mut answer = Vec::new();
        let head = read_answer(&mut self.stream, &mut answer)?;
        ensure!(head.status == 200 && head.body_bytes > 1_000, "{}", head.status);
        Ok(())
    }
}
