//! One cell of the comparison: one workload with so many connections on one server.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::clock::pause;
use crate::load::{Pace, Plan, drive_keeping};
use crate::outcome::Outcome;
use crate::process::{CpuTimes, CpuUse, Memory, disk_bytes, memory, of_process};
use crate::readback::read_back;
use crate::tables::table_name;
use crate::target::{Kind, Target};
use crate::workload::{Answers, Choice, Traffic, Workload};

/// How long a server may go on working by itself after a load before the next one is measured.
const SETTLE_MAX: Duration = Duration::from_secs(15);
/// Conflicts between transactions on random items are rare; a server that refuses more than this isn't measured by it.
const CONFLICT_SHARE_MAX: f64 = 0.01;
/// Up to this share of the machine in others' hands it counts as quiet.
const QUIET_SHARE: f64 = 0.05;

/// The workload to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cell {
    pub(crate) workload: Workload,
    /// Global indexes of the table.
    pub(crate) indexes: u8,
    pub(crate) connections: usize,
    /// Measured long enough for the work that a server puts off to catch up with it.
    pub(crate) sustained: bool,
}

impl Cell {
    /// The cell's name in reports.
    pub(crate) fn name(&self) -> String {
        let indexes = with_indexes(self.indexes);
        let sustained = if self.sustained { ", sustained" } else { "" };
        format!("{}{indexes}, {} conn.{sustained}", self.workload.name(), self.connections)
    }
}

/// Such as `, 3 GSIs`; nothing for a table without indexes.
pub(crate) fn with_indexes(indexes: u8) -> String {
    match indexes {
        0 => String::new(),
        1 => ", 1 GSI".to_owned(),
        more => format!(", {more} GSIs"),
    }
}

/// How one cell is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settings {
    pub(crate) items: u64,
    pub(crate) warmup_seconds: f64,
    pub(crate) seconds: f64,
    pub(crate) client_threads: usize,
    /// Requests per second of an open loop; a closed loop without it.
    pub(crate) open_rate: Option<f64>,
}

impl Settings {
    /// A closed loop of one client thread with a second to warm up.
    pub(crate) fn plain(items: u64, seconds: f64) -> Self {
        Self { items, warmup_seconds: 1.0, seconds, client_threads: 1, open_rate: None }
    }
}

/// Throughput and latencies.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Speed {
    pub(crate) requests_per_second: f64,
    pub(crate) p50_microseconds: f64,
    pub(crate) p90_microseconds: f64,
    pub(crate) p99_microseconds: f64,
    pub(crate) p999_microseconds: f64,
    pub(crate) max_microseconds: f64,
}

impl Speed {
    /// The result of a load.
    pub(crate) fn of(outcome: &Outcome) -> Self {
        Self {
            requests_per_second: outcome.rate(),
            p50_microseconds: outcome.latency_microseconds(0.5),
            p90_microseconds: outcome.latency_microseconds(0.9),
            p99_microseconds: outcome.latency_microseconds(0.99),
            p999_microseconds: outcome.latency_microseconds(0.999),
            max_microseconds: outcome.latency_microseconds(1.0),
        }
    }
}

/// The result.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measurement {
    pub(crate) target: Kind,
    pub(crate) cell: Cell,
    pub(crate) round: usize,
    #[serde(flatten)]
    pub(crate) speed: Speed,
    pub(crate) server_cpu_microseconds: f64,
    pub(crate) client_cpu_microseconds: f64,
    pub(crate) cpu: CpuUse,
    /// The share of the machine that neither client nor server used, but somebody else.
    pub(crate) others_share: f64,
    pub(crate) memory: Memory,
    pub(crate) disk_bytes: u64,
    pub(crate) per_second: Vec<u64>,
    pub(crate) unsent: u64,
    /// Answers after which the server closed the connection.
    pub(crate) closed: u64,
    /// Requests refused because of a transaction on the same item; not part of the throughput.
    pub(crate) conflicts: u64,
    pub(crate) errors: BTreeMap<String, u64>,
}

/// Runs one cell on one server.
pub(crate) fn measure(target: &Target, cell: Cell, settings: &Settings, round: usize) -> Result<Measurement> {
    let plan = Plan {
        address: target.address,
        connections: cell.connections,
        threads: settings.client_threads,
        pace: settings.open_rate.map_or(Pace::Closed, |per_second| Pace::Open { per_second }),
        warmup: Duration::from_secs_f64(settings.warmup_seconds),
        measured: Duration::from_secs_f64(settings.seconds),
    };
    let host = target.address.to_string();
    let table = table_name(cell.indexes);
    let watch = Watch::start(target.id());
    let (mut outcome, sources) = drive_keeping(&plan, |_| {
        let choice = Choice::Random { items: settings.items };
        Traffic::new(&host, &table, cell.workload, choice, target.kind.answers())
    })?;
    let used = watch.stop();
    if target.kind.answers() == Answers::Database {
        read_back(target.address, &table, &sources)?.into_iter().for_each(|text| outcome.fail(text));
    }
    if outcome.conflicts as f64 > CONFLICT_SHARE_MAX * outcome.answered as f64 {
        outcome.fail(format!("{} conflicts are more than chance explains", outcome.conflicts));
    }
    let per_request = 1e6 / outcome.answered.max(1) as f64;
    Ok(Measurement {
        target: target.kind,
        cell,
        round,
        speed: Speed::of(&outcome),
        server_cpu_microseconds: used.cpu.server_seconds * per_request,
        client_cpu_microseconds: used.cpu.client_seconds * per_request,
        cpu: used.cpu,
        others_share: used.others_share,
        memory: memory(target.id()),
        disk_bytes: disk_bytes(target.data()),
        per_second: outcome.per_second,
        unsent: outcome.unsent,
        closed: outcome.closed,
        conflicts: outcome.conflicts,
        errors: outcome.errors,
    })
}

/// Looks at the machine's clocks around a load.
pub(crate) struct Watch {
    id: u32,
    before: CpuTimes,
    begin: Instant,
}

/// The resources that a load used.
pub(crate) struct Used {
    pub(crate) cpu: CpuUse,
    /// The share of the machine that neither client nor server used, but somebody else.
    pub(crate) others_share: f64,
}

impl Watch {
    /// From now on, beside the server with this process id.
    pub(crate) fn start(id: u32) -> Self {
        Self { id, before: CpuTimes::now(id), begin: Instant::now() }
    }

    /// Until now.
    pub(crate) fn stop(self) -> Used {
        let cpu = CpuTimes::now(self.id).since(self.before);
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
        Used { cpu, others_share: cpu.others_seconds / (self.begin.elapsed().as_secs_f64() * cores) }
    }
}

/// Waits until nobody uses much of the machine, but no longer than `patience`.
pub(crate) fn await_quiet(patience: Duration) {
    const LOOK: Duration = Duration::from_millis(500);
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let begin = Instant::now();
    while begin.elapsed() + LOOK <= patience {
        let before = CpuTimes::now(std::process::id());
        pause(LOOK);
        let others = CpuTimes::now(std::process::id()).since(before).others_seconds;
        if others < LOOK.as_secs_f64() * cores * QUIET_SHARE {
            return;
        }
    }
}

/// Waits until a server has nothing left to do in the background, so that it doesn't disturb the next one.
pub(crate) fn settle(target: &Target) {
    settle_process(target.id());
}

/// The same for a process.
pub(crate) fn settle_process(id: u32) {
    let begin = Instant::now();
    let mut quiet = 0;
    let mut before = of_process(id);
    while quiet < 3 && begin.elapsed() < SETTLE_MAX {
        pause(Duration::from_millis(100));
        let now = of_process(id);
        quiet = if now.saturating_sub(before) <= Duration::from_millis(10) { quiet + 1 } else { 0 };
        before = now;
    }
}
