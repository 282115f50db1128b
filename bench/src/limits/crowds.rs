//! Crowds of connections: idle ones, more than allowed, and clients that are slow in every way.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use super::LimitsOptions;
use super::scene::{Finding, MemoryBytes, Row, Scene, TABLE, get, request};
use crate::call::call;
use crate::clock::pause;
use crate::process::{memory, of_process};

const MB: usize = 1 << 20;
const HELLO: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// The limits for slow clients in these runs, so that they end.
const PATIENCE: &str = "5";
const IMPATIENT: [&str; 8] = [
    "--idle-seconds",
    PATIENCE,
    "--body-seconds",
    PATIENCE,
    "--answer-seconds",
    PATIENCE,
    "--traffic-memory",
    "64MB",
];
/// After this nothing more is expected of the server.
const GIVE_UP: Duration = Duration::from_secs(30);

pub(super) fn run(options: &LimitsOptions, rows: &mut Vec<Row>) -> Result<()> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    idle(options, rows, &runtime)?;
    beyond(options, rows, &runtime)?;
    without_handles(options, rows, &runtime)?;
    slow(options, rows, &runtime)?;
    failing_transactions(options, rows, &runtime)
}

fn idle(options: &LimitsOptions, rows: &mut Vec<Row>, runtime: &Runtime) -> Result<()> {
    for count in [1_000, options.crowd] {
        let name = format!("{count} idle connections");
        if options.wants(&name) {
            let scene = Scene::start(options, &[])?;
            rows.push(scene.attack(&name, |scene| {
                let before = memory(scene.target.id()).resident_bytes;
                runtime.block_on(async {
                    let crowd = greet_all(scene.address(), count).await?;
                    sleep(options.duration()).await;
                    let grown = memory(scene.target.id()).resident_bytes.saturating_sub(before);
                    Ok(Finding { outcome: each(grown, crowd.len()), count: crowd.len() })
                })
            })?);
        }
        let name = format!("{count} idle connections with TLS");
        if options.wants(&name) {
            rows.push(idle_with_tls(options, &name, count, runtime)?);
        }
    }
    Ok(())
}

fn each(bytes: u64, connections: usize) -> String {
    format!("survived: {:.1} KB each", bytes as f64 / 1e3 / connections.max(1) as f64)
}

/// Opens connections, and has an answer on each.
async fn greet_all(address: SocketAddr, count: usize) -> Result<Vec<TcpStream>> {
    let mut crowd = Vec::with_capacity(count);
    for number in 0..count {
        let mut stream = TcpStream::connect(address).await.with_context(|| format!("connection {number}"))?;
        stream.write_all(HELLO).await?;
        let mut answer = [0; 2048];
        if stream.read(&mut answer).await? == 0 {
            bail!("connection {number} was closed");
        }
        crowd.push(stream);
    }
    Ok(crowd)
}

/// More connections than allowed, and what the server says to those that are too many.
fn beyond(options: &LimitsOptions, rows: &mut Vec<Row>, runtime: &Runtime) -> Result<()> {
    let name = "5,000 connections where 1,000 are allowed";
    if !options.wants(name) {
        return Ok(());
    }
    let scene = Scene::start(options, &["--connections-max", "1000"])?;
    rows.push(scene.attack(name, |scene| {
        runtime.block_on(async {
            let (mut served, mut refused, mut closed) = (Vec::new(), 0, 0);
            for _ in 0..5_000 {
                let mut stream = TcpStream::connect(scene.address()).await?;
                let _ = stream.write_all(HELLO).await;
                let mut answer = [0; 2048];
                match stream.read(&mut answer).await {
                    Ok(count) if answer.get(..count).unwrap_or_default().starts_with(b"HTTP/1.1 200") => {
                        served.push(stream);
                    }
                    Ok(count) if count > 0 => refused += 1,
                    _ => closed += 1,
                }
            }
            let outcome = format!("{} served, {refused} × 503, {closed} closed", served.len());
            Ok(Finding { outcome, count: refused + closed })
        })
    })?);
    Ok(())
}

/// The system has no file handle for another connection: the server must neither end nor spin.
fn without_handles(options: &LimitsOptions, rows: &mut Vec<Row>, runtime: &Runtime) -> Result<()> {
    let name = "200 connections without file handles for them";
    if !options.wants(name) {
        return Ok(());
    }
    let scene = Scene::start(options, &[])?;
    let id = scene.target.id();
    let process = Pid::from_raw(i32::try_from(id)?);
    let open = fs::read_dir(format!("/proc/{id}/fd"))?.count() as u64;
    rows.push(scene.attack(name, |scene| {
        let maximum = getrlimit(Resource::Nofile).maximum;
        let usual = prlimit(process, Resource::Nofile, Rlimit { current: Some(open + 3), maximum })?;
        let cpu_before = of_process(id);
        let waiting = runtime.block_on(async {
            let mut waiting = Vec::new();
            for _ in 0..200 {
                let mut stream = TcpStream::connect(scene.address()).await?;
                stream.write_all(HELLO).await?;
                waiting.push(stream);
            }
            sleep(options.duration()).await;
            Ok::<_, anyhow::Error>(waiting)
        });
        let cpu = of_process(id).saturating_sub(cpu_before);
        prlimit(process, Resource::Nofile, usual)?;
        let waiting = waiting?;
        let count = waiting.len();
        runtime.block_on(async {
            for mut stream in waiting {
                let mut answer = [0; 2048];
                ensure!(stream.read(&mut answer).await? > 0, "a connection was lost");
            }
            Ok(())
        })?;
        Ok(Finding {
            outcome: format!(
                "{} accepts failed in {:.0} s at {:.0} % of a core; with handles again all {count} are served",
                scene.metric("singlet_accepts_failed_total")?,
                options.duration().as_secs_f64(),
                cpu.as_secs_f64() / options.duration().as_secs_f64() * 100.0,
            ),
            count: 0,
        })
    })?);
    Ok(())
}

/// A way to be slow.
struct Slowness {
    name: &'static str,
    connections: usize,
    /// The bytes that are sent at once.
    beginning: Vec<u8>,
    /// The bytes that are sent every half second until the server closes the connection.
    trickle: &'static [u8],
    /// Whether the answer is read; else the client holds on until it is thrown out.
    reads_answer: bool,
}

fn slow(options: &LimitsOptions, rows: &mut Vec<Row>, runtime: &Runtime) -> Result<()> {
    for number in 0..slownesses(SocketAddr::from(([127, 0, 0, 1], 1))).len() {
        let named = slownesses(SocketAddr::from(([127, 0, 0, 1], 1))).swap_remove(number);
        if !options.wants(named.name) {
            continue;
        }
        let scene = Scene::start(options, &IMPATIENT)?;
        let slowness = slownesses(scene.address()).swap_remove(number);
        rows.push(attack_slowly(&scene, slowness, runtime)?);
    }
    Ok(())
}

fn attack_slowly(scene: &Scene, slowness: Slowness, runtime: &Runtime) -> Result<Row> {
    let slowness = Arc::new(slowness);
    scene.attack(slowness.name, |scene| {
        let timed_out = scene.metric("singlet_connections_timed_out_total")?;
        let refused = scene.metric("singlet_requests_refused_total")?;
        let ended = runtime.block_on(crowd(scene, Arc::clone(&slowness)))?;
        let timed_out = scene.metric("singlet_connections_timed_out_total")? - timed_out;
        let refused = scene.metric("singlet_requests_refused_total")? - refused;
        let answered = match ended.statuses.as_slice() {
            [] => String::new(),
            statuses => format!("; answered {}", tally(statuses)),
        };
        Ok(Finding {
            outcome: format!(
                "{} of {} closed within {:.1} s ({timed_out} too slow), {refused} requests refused{answered}",
                ended.closed,
                slowness.connections,
                ended.longest.as_secs_f64()
            ),
            count: 0,
        })
    })
}

/// Small requests for large answers: 100 checks that fail and return their items.
fn failing_transactions(options: &LimitsOptions, rows: &mut Vec<Row>, runtime: &Runtime) -> Result<()> {
    let name = "110 failing transactions that ask for 100 items of 390 KB, answers not read";
    if !options.wants(name) {
        return Ok(());
    }
    let arguments = [IMPATIENT.as_slice(), &["--transaction-conflicts", "wait"]].concat();
    let scene = Scene::start(options, &arguments)?;
    let name_of = |number: usize| json!({"S": format!("large {number}")});
    let text = json!({"S": "x".repeat(390_000)});
    for number in 0..100 {
        let item = json!({"id": name_of(number), "text": text});
        call(scene.address(), "PutItem", &json!({"TableName": TABLE, "Item": item}))?;
    }
    let check = |number| {
        json!({"ConditionCheck": {
            "TableName": TABLE, "Key": {"id": name_of(number)}, "ConditionExpression": "attribute_not_exists(id)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }})
    };
    let body = json!({"TransactItems": (0..100).map(check).collect::<Vec<_>>()}).to_string();
    let slowness = Slowness {
        name,
        connections: 110,
        beginning: request(scene.address(), "TransactWriteItems", body.as_bytes()),
        trickle: b"",
        reads_answer: false,
    };
    rows.push(attack_slowly(&scene, slowness, runtime)?);
    Ok(())
}

fn tally(statuses: &[u16]) -> String {
    let mut sorted = statuses.to_vec();
    sorted.sort_unstable();
    let groups = sorted.chunk_by(|a, b| a == b);
    groups
        .map(|group| format!("{} × {}", group.len(), group.first().unwrap_or(&0)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn slownesses(address: SocketAddr) -> Vec<Slowness> {
    let announced = request(address, "PutItem", &vec![b' '; 16 * MB]);
    let head_end = announced.windows(4).position(|window| window == b"\r\n\r\n").map_or(0, |at| at + 4);
    let scan = request(address, "Scan", format!(r#"{{"TableName":"{TABLE}"}}"#).as_bytes());
    let pipelined = request(address, "GetItem", get(1).to_string().as_bytes()).repeat(5_000);
    vec![
        Slowness {
            name: "1,000 heads, a byte every half second",
            connections: 1_000,
            beginning: b"POST / HTTP/1.1\r\nX-Slow: ".to_vec(),
            trickle: b"a",
            reads_answer: false,
        },
        Slowness {
            name: "1,000 bodies of 16 MB, a byte every half second",
            connections: 1_000,
            beginning: announced.get(..head_end).unwrap_or_default().to_vec(),
            trickle: b" ",
            reads_answer: false,
        },
        Slowness {
            name: "200 bodies of 16 MB at once",
            connections: 200,
            beginning: announced.clone(),
            trickle: b"",
            reads_answer: true,
        },
        Slowness {
            name: "2,000 scans of 1 MB that nobody reads",
            connections: 2_000,
            beginning: scan,
            trickle: b"",
            reads_answer: false,
        },
        Slowness {
            name: "200 × 5,000 gets sent at once, answers not read",
            connections: 200,
            beginning: pipelined,
            trickle: b"",
            reads_answer: false,
        },
    ]
}

/// How a crowd ended.
struct Ended {
    closed: usize,
    longest: Duration,
    statuses: Vec<u16>,
}

/// Lets the crowd loose and asks the server how many of it are left, until there is nobody or it takes too long.
async fn crowd(scene: &Scene, slowness: Arc<Slowness>) -> Result<Ended> {
    let start = Instant::now();
    let mut clients = JoinSet::new();
    for _ in 0..slowness.connections {
        let stream = TcpStream::connect(scene.address()).await?;
        clients.spawn(be_slow(stream, Arc::clone(&slowness)));
    }
    let mut statuses = Vec::new();
    loop {
        sleep(Duration::from_millis(100)).await;
        while let Some(ended) = clients.try_join_next() {
            statuses.extend(ended?);
        }
        // The well-behaved client and whoever asks are open, too.
        let left = scene.metric("singlet_connections_open")? as usize;
        let left = left.saturating_sub(2).min(slowness.connections);
        if left == 0 || start.elapsed() > GIVE_UP {
            let closed = slowness.connections - left;
            return Ok(Ended { closed, longest: start.elapsed(), statuses });
        }
    }
}

/// Sends, slowly; gives the status of the answer if it reads one, and otherwise holds on.
async fn be_slow(mut stream: TcpStream, slowness: Arc<Slowness>) -> Option<u16> {
    let sent = stream.write_all(&slowness.beginning).await;
    if slowness.reads_answer {
        let mut answer = vec![0; 4096];
        let count = stream.read(&mut answer).await.unwrap_or(0);
        let text = String::from_utf8_lossy(answer.get(..count).unwrap_or_default()).into_owned();
        return Some(text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0));
    }
    let mut open = sent.is_ok();
    while open {
        sleep(Duration::from_millis(500)).await;
        open = stream.write_all(slowness.trickle).await.is_ok();
    }
    None
}

fn idle_with_tls(options: &LimitsOptions, name: &str, count: usize, runtime: &Runtime) -> Result<Row> {
    eprintln!("{name} …");
    let folder = options.programs.scratch.join("limits-tls");
    fs::create_dir_all(&folder)?;
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    fs::write(&certificate, made.cert.pem())?;
    fs::write(&key, made.signing_key.serialize_pem())?;
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let child = Command::new(&options.programs.singlet)
        .args(["serve", "--in-memory", "--address", &address.to_string(), "--tls-cert"])
        .arg(&certificate)
        .arg("--tls-key")
        .arg(&key)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let mut server = Killed(child);
    let id = server.0.id();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(made.cert.pem().as_bytes())?)?;
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = TlsConnector::from(Arc::new(config));
    let host = ServerName::try_from("localhost")?;
    runtime.block_on(async {
        let begin = Instant::now();
        while TcpStream::connect(address).await.is_err() {
            if let Some(status) = server.0.try_wait()? {
                bail!("the server with TLS ended at its start: {status}");
            }
            ensure!(begin.elapsed() < GIVE_UP, "the server with TLS gives no answer");
            sleep(Duration::from_millis(20)).await;
        }
        let before = memory(id).resident_bytes;
        let cpu_before = of_process(id);
        let mut crowd = Vec::with_capacity(count);
        for _ in 0..count {
            let stream = TcpStream::connect(address).await?;
            let mut stream = connector.connect(host.clone(), stream).await?;
            stream.write_all(HELLO).await?;
            let mut answer = [0; 2048];
            ensure!(stream.read(&mut answer).await? > 0, "the server closed a connection");
            crowd.push(stream);
        }
        let cpu = of_process(id).saturating_sub(cpu_before);
        sleep(Duration::from_secs(1)).await;
        let peak = memory(id).resident_bytes;
        drop(crowd);
        sleep(Duration::from_secs(3)).await;
        Ok(Row {
            attack: name.to_owned(),
            outcome: each(peak.saturating_sub(before), count),
            cpu_microseconds_each: Some(cpu.as_secs_f64() * 1e6 / count as f64),
            memory: MemoryBytes { before, peak, after: memory(id).resident_bytes },
            witness: None,
        })
    })
}

/// A server that ends with this value.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
        pause(Duration::from_millis(1));
    }
}
