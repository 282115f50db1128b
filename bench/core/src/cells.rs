//! The engine under the load of many threads: one cell for each line of the standard input.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use singlet_engine::{Conflicts, Database, Options, StoreOptions};

use crate::calls::{Calls, Workload};
use crate::items::{Maker, fill, table_name};

/// How much memory `singlet serve` takes: the engine alone takes the same, by the same rule.
#[path = "../../../crates/cli/src/memory.rs"]
#[allow(dead_code, reason = "there is no traffic here to bound")]
mod memory;

const LATENCY_MAX_NANOSECONDS: u64 = 600_000_000_000;

/// Where the database is and what is in it.
#[derive(Debug, clap::Args)]
pub(crate) struct CellsOptions {
    /// The folder; it must be empty
    #[arg(long)]
    data: PathBuf,
    /// Items in each table
    #[arg(long)]
    items: u64,
    /// One table for each of these numbers of global indexes
    #[arg(long, value_delimiter = ',')]
    indexes: Vec<u8>,
    /// Megabytes of the tree's cache; less than the data makes reads go to the file
    #[arg(long)]
    cache_mb: Option<usize>,
    /// Megabytes of the overlay; a small one sends the items to the tree
    #[arg(long)]
    overlay_mb: Option<usize>,
}

/// One cell to measure.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Order {
    workload: Workload,
    indexes: u8,
    threads: usize,
    warmup_seconds: f64,
    seconds: f64,
}

/// The result.
#[derive(Serialize)]
struct Answer {
    requests_per_second: f64,
    p50_microseconds: f64,
    p90_microseconds: f64,
    p99_microseconds: f64,
    p999_microseconds: f64,
    max_microseconds: f64,
    /// Calls in all, those of the warm-up included.
    answered: u64,
    errors: BTreeMap<String, u64>,
}

/// Fills the tables, says so with an empty object, then answers each line with a line.
pub(crate) fn cells(options: &CellsOptions) -> Result<()> {
    let memory_bytes = memory::total_bytes();
    let store = StoreOptions {
        overlay_bytes_max: 2 * options.overlay_mb.map_or(memory::overlay_bytes(memory_bytes), |mb| mb << 20),
        cache_bytes: options.cache_mb.map_or(memory::cache_bytes(memory_bytes), |mb| mb << 20),
        ..StoreOptions::default()
    };
    // A thread that meets a transaction waits, as nobody here would try again; `singlet serve` refuses it.
    let settings = Options { store, conflicts: Conflicts::Wait, ..Options::default() };
    let database = Database::open_with(&options.data, settings)?;
    for indexes in &options.indexes {
        fill(&database, *indexes, options.items)?;
    }
    say("{}")?;
    for line in std::io::stdin().lock().lines() {
        let order: Order = serde_json::from_str(&line?).context("a line must be an order")?;
        let calls =
            Calls { database: database.clone(), table: table_name(order.indexes), items: options.items };
        say(&serde_json::to_string(&measure(&calls, order)?)?)?;
    }
    Ok(())
}

fn say(line: &str) -> Result<()> {
    println!("{line}");
    Ok(std::io::stdout().flush()?)
}

/// The result of one thread.
struct Seen {
    latency: Histogram<u64>,
    answered: u64,
    errors: BTreeMap<String, u64>,
}

impl Seen {
    fn new() -> Result<Self> {
        let latency = Histogram::new_with_bounds(1, LATENCY_MAX_NANOSECONDS, 3)?;
        Ok(Self { latency, answered: 0, errors: BTreeMap::new() })
    }
}

fn measure(calls: &Calls, order: Order) -> Result<Answer> {
    let begin = Instant::now() + Duration::from_secs_f64(order.warmup_seconds);
    let window = begin..begin + Duration::from_secs_f64(order.seconds);
    let mut all = Seen::new()?;
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..order.threads).map(|_| scope.spawn(|| work(calls, order.workload, &window))).collect();
        for thread in threads {
            let seen = thread.join().map_err(|_| anyhow!("a thread panicked"))??;
            all.latency.add(&seen.latency)?;
            all.answered += seen.answered;
            for (text, times) in seen.errors {
                *all.errors.entry(text).or_default() += times;
            }
        }
        anyhow::Ok(())
    })?;
    let microseconds = |quantile| all.latency.value_at_quantile(quantile) as f64 / 1000.0;
    Ok(Answer {
        requests_per_second: all.latency.len() as f64 / order.seconds,
        p50_microseconds: microseconds(0.5),
        p90_microseconds: microseconds(0.9),
        p99_microseconds: microseconds(0.99),
        p999_microseconds: microseconds(0.999),
        max_microseconds: microseconds(1.0),
        answered: all.answered,
        errors: all.errors,
    })
}

fn work(calls: &Calls, workload: Workload, window: &std::ops::Range<Instant>) -> Result<Seen> {
    let mut seen = Seen::new()?;
    // Never the same items twice: the engine sees when a put changes nothing.
    let mut maker = Maker::new(fastrand::u64(..));
    loop {
        let since = Instant::now();
        match calls.call(workload, &mut maker) {
            Ok(()) => seen.answered += 1,
            Err(error) => *seen.errors.entry(format!("{error:#}")).or_default() += 1,
        }
        let now = Instant::now();
        if window.contains(&now) {
            let nanoseconds = u64::try_from((now - since).as_nanos()).unwrap_or(u64::MAX);
            seen.latency.saturating_record(nanoseconds.max(1));
        }
        // Looked at after a call, so that every thread makes one even if it was late.
        if now >= window.end {
            return Ok(seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Order, fill, measure};
    use crate::calls::{Calls, Workload};
    use crate::items::table_name;
    use singlet_engine::Database;

    #[test]
    fn every_workload_is_answered_without_errors() {
        let database = Database::in_memory().unwrap();
        let items = 1000;
        fill(&database, 3, items).unwrap();
        let calls = Calls { database, table: table_name(3), items };
        for workload in [
            Workload::Get,
            Workload::Query,
            Workload::Put,
            Workload::PutMove,
            Workload::Update,
            Workload::Batch,
        ] {
            let order = Order { workload, indexes: 3, threads: 2, warmup_seconds: 0.0, seconds: 0.02 };
            let answer = measure(&calls, order).unwrap();
            assert!(answer.errors.is_empty(), "{workload:?}: {:?}", answer.errors);
            assert!(answer.answered > 0, "{workload:?}");
        }
        // Two threads meet now and then, and an in-memory database refuses by default.
        let order =
            Order { workload: Workload::Mixed, indexes: 3, threads: 1, warmup_seconds: 0.0, seconds: 0.02 };
        assert!(measure(&calls, order).unwrap().errors.is_empty());
    }
}
