//! Subjects of a comparison: servers by their address, and the engine in process.

use std::time::Duration;

use anyhow::Result;

use crate::cell::{Measurement, measure, settle_process};
use crate::engine::Engine;
use crate::item::ITEM_BYTES;
use crate::process::memory;
use crate::report::{count, median};
use crate::schedule::Step;
use crate::summary::Server;
use crate::tables::{create, fill, table_name};
use crate::target::{Kind, Programs, Share, Target};
use crate::workload::Answers;

/// How often a server is started on an empty folder; slow ones only once.
const STARTS: usize = 5;

/// One of them, started and filled.
pub(crate) enum Subject {
    Server(Target),
    Engine(Engine),
}

impl Subject {
    /// Starts and fills it; one table for each number of indexes.
    pub(crate) fn start(
        kind: Kind,
        programs: &Programs,
        index_counts: &[u8],
        items: u64,
    ) -> Result<(Self, Server)> {
        let mut server = Server {
            kind,
            items,
            start_milliseconds: None,
            start_resident_bytes: 0,
            filled_items_per_second: None,
            disk_bytes: None,
            data_bytes: items * ITEM_BYTES * index_counts.len() as u64,
            resident_bytes: 0,
        };
        let subject = if kind == Kind::Engine {
            Self::Engine(Engine::start(programs, index_counts, items)?)
        } else {
            Self::Server(start_and_fill(kind, programs, index_counts, &mut server)?)
        };
        settle_process(subject.id());
        Ok((subject, server))
    }

    /// Makes one measurement.
    pub(crate) fn measure(&mut self, step: &Step) -> Result<Measurement> {
        match self {
            Self::Server(target) => measure(target, step.cell, &step.settings, step.round),
            Self::Engine(engine) => engine.measure(step.cell, &step.settings, step.round),
        }
    }

    /// Its kind.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Server(target) => target.kind,
            Self::Engine(_) => Kind::Engine,
        }
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        match self {
            Self::Server(target) => target.id(),
            Self::Engine(engine) => engine.id(),
        }
    }

    /// Ends a server in good order and weighs its folder; the engine in process leaves the same as Singlet.
    pub(crate) fn stop_and_weigh(&mut self) -> Option<u64> {
        match self {
            Self::Server(target) => Some(target.stop_and_weigh()),
            Self::Engine(_) => None,
        }
    }
}

/// Starts a server some times for the time that it takes, and fills the last of them.
fn start_and_fill(
    kind: Kind,
    programs: &Programs,
    index_counts: &[u8],
    server: &mut Server,
) -> Result<Target> {
    let starts = if kind.share() == Share::Slow { 1 } else { STARTS };
    let mut times = Vec::new();
    for _ in 1..starts {
        times.push(Target::start(kind, programs)?.started_in.as_secs_f64() * 1e3);
    }
    let target = Target::start(kind, programs)?;
    times.push(target.started_in.as_secs_f64() * 1e3);
    server.start_milliseconds = median(times);
    server.start_resident_bytes = memory(target.id()).resident_bytes;
    server.filled_items_per_second = fill_tables(&target, index_counts, server.items)?;
    Ok(target)
}

/// Starts one server with one filled table for each number of indexes.
pub(crate) fn start_filled(
    kind: Kind,
    programs: &Programs,
    index_counts: &[u8],
    items: u64,
) -> Result<Target> {
    let target = Target::start(kind, programs)?;
    fill_tables(&target, index_counts, items)?;
    settle_process(target.id());
    Ok(target)
}

/// Makes and fills the tables; gives the items per second of the first, which has the fewest indexes. Bare has no
/// tables.
fn fill_tables(target: &Target, index_counts: &[u8], items: u64) -> Result<Option<f64>> {
    let mut first = None;
    if target.kind.answers() == Answers::Bare {
        return Ok(first);
    }
    for indexes in index_counts {
        create(target.address, *indexes)?;
        let took = fill(target.address, *indexes, items)?.measured.max(Duration::from_millis(1));
        let rate = items as f64 / took.as_secs_f64();
        eprintln!("{}: {} filled with {} items/s", target.kind.name(), table_name(*indexes), count(rate));
        first.get_or_insert(rate);
    }
    Ok(first)
}
