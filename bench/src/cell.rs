//! One cell of the comparison: one workload with so many connections on one server.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;

use crate::clock::pause;
use crate::load::{Pace, Plan, drive};
use crate::process::{CpuTimes, CpuUse, Memory, disk_bytes, memory, of_process};
use crate::tables::table_name;
use crate::target::{Kind, Target};
use crate::workload::{Choice, Traffic, Workload};

/// How long a server may go on working by itself after a load before the next one is measured.
const SETTLE_MAX: Duration = Duration::from_secs(15);
/// Conflicts between transactions on random items are rare; a server that refuses more than this isn't measured by it.
const CONFLICT_SHARE_MAX: f64 = 0.01;
/// Up to this share of the machine in others' hands it counts as quiet.
const QUIET_SHARE: f64 = 0.05;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
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
        let indexes = if self.indexes == 0 { String::new() } else { format!(", {} GSIs", self.indexes) };
        format!("{}{indexes}, {} conn.", self.workload.name(), self.connections)
    }
}

/// How cells are measured.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Settings {
    pub(crate) items: u64,
    pub(crate) warmup_seconds: f64,
    pub(crate) seconds: f64,
    pub(crate) sustained_seconds: f64,
    pub(crate) client_threads: usize,
    /// Requests per second of an open loop; a closed loop without it.
    pub(crate) open_rate: Option<f64>,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measurement {
    pub(crate) target: Kind,
    pub(crate) cell: Cell,
    pub(crate) round: usize,
    pub(crate) requests_per_second: f64,
    pub(crate) p50_microseconds: f64,
    pub(crate) p90_microseconds: f64,
    pub(crate) p99_microseconds: f64,
    pub(crate) p999_microseconds: f64,
    pub(crate) max_microseconds: f64,
    pub(crate) server_cpu_microseconds: f64,
    pub(crate) client_cpu_microseconds: f64,
    pub(crate) cpu: CpuUse,
    /// The share of the machine that neither client nor server used, but somebody else.
    pub(crate) others_share: f64,
    pub(crate) memory: Memory,
    pub(crate) disk_bytes: u64,
    pub(crate) per_second: Vec<u64>,
    pub(crate) unsent: u64,
    /// Requests refused because of a transaction on the same item; not part of the throughput.
    pub(crate) conflicts: u64,
    pub(crate) errors: BTreeMap<String, u64>,
}

/// Runs one cell on one server.
pub(crate) fn measure(target: &Target, cell: Cell, settings: &Settings, round: usize) -> Result<Measurement> {
    let seconds = if cell.sustained { settings.sustained_seconds } else { settings.seconds };
    let plan = Plan {
        address: target.address,
        connections: cell.connections,
        threads: settings.client_threads,
        pace: settings.open_rate.map_or(Pace::Closed, |per_second| Pace::Open { per_second }),
        warmup: Duration::from_secs_f64(settings.warmup_seconds),
        measured: Duration::from_secs_f64(seconds),
    };
    let host = target.address.to_string();
    let table = table_name(cell.indexes);
    let before = CpuTimes::now(target.id());
    let begin = Instant::now();
    let mut outcome = drive(&plan, |thread| {
        let seed = ((round as u64) << 32) | thread as u64;
        let choice = Choice::Random { items: settings.items };
        Traffic::new(&host, &table, cell.workload, choice, target.kind.answers(), seed)
    })?;
    let cpu = CpuTimes::now(target.id()).since(before);
    if outcome.conflicts as f64 > CONFLICT_SHARE_MAX * outcome.answered as f64 {
        outcome.fail(format!("{} conflicts are more than chance explains", outcome.conflicts));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let per_request = 1e6 / outcome.answered.max(1) as f64;
    Ok(Measurement {
        target: target.kind,
        cell,
        round,
        requests_per_second: outcome.rate(),
        p50_microseconds: outcome.latency_microseconds(0.5),
        p90_microseconds: outcome.latency_microseconds(0.9),
        p99_microseconds: outcome.latency_microseconds(0.99),
        p999_microseconds: outcome.latency_microseconds(0.999),
        max_microseconds: outcome.latency_microseconds(1.0),
        server_cpu_microseconds: cpu.server_seconds * per_request,
        client_cpu_microseconds: cpu.client_seconds * per_request,
        cpu,
        others_share: cpu.others_seconds / (begin.elapsed().as_secs_f64() * cores),
        memory: memory(target.id()),
        disk_bytes: disk_bytes(target.data()),
        per_second: outcome.per_second,
        unsent: outcome.unsent,
        conflicts: outcome.conflicts,
        errors: outcome.errors,
    })
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
    let begin = Instant::now();
    let mut quiet = 0;
    let mut before = of_process(target.id());
    while quiet < 3 && begin.elapsed() < SETTLE_MAX {
        pause(Duration::from_millis(100));
        let now = of_process(target.id());
        quiet = if now.saturating_sub(before) <= Duration::from_millis(10) { quiet + 1 } else { 0 };
        before = now;
    }
}
