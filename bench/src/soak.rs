//! Memory and disk over time under a steady load.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};
use serde::Serialize;

use crate::clock::pause;
use crate::compare::start;
use crate::load::{Pace, Plan, drive};
use crate::process::{Memory, disk_bytes, memory};
use crate::report::{About, Table, count, median, write_json};
use crate::tables::table_name;
use crate::target::{Kind, Programs};
use crate::workload::{Choice, Traffic, Workload};

/// The run is cut into so many parts, each a row of the table.
const PARTS: usize = 10;

/// What to load for how long.
#[derive(Debug, clap::Args)]
pub(crate) struct SoakOptions {
    /// Which server
    #[arg(long, default_value = "singlet")]
    target: Kind,
    #[arg(long, default_value = "mixed")]
    workload: Workload,
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3))]
    indexes: u8,
    #[arg(long, default_value_t = 100_000)]
    items: u64,
    #[arg(long, default_value_t = 64)]
    connections: usize,
    #[arg(long, default_value_t = 3600.0)]
    seconds: f64,
    #[command(flatten)]
    programs: Programs,
}

/// One look at the server.
#[derive(Clone, Copy, Serialize)]
struct Sample {
    at_seconds: f64,
    memory: Memory,
    disk_bytes: u64,
}

#[derive(Serialize)]
struct Found {
    samples: Vec<Sample>,
    per_second: Vec<u64>,
}

/// Runs the load, looks at the server each second, prints a row for each tenth of the time.
pub(crate) fn soak(options: &SoakOptions) -> Result<()> {
    let about = About::now();
    let target = start(options.target, &options.programs, &[options.indexes], options.items)?;
    let plan = Plan {
        address: target.address,
        connections: options.connections,
        threads: 1,
        pace: Pace::Closed,
        warmup: Duration::ZERO,
        measured: Duration::from_secs_f64(options.seconds),
    };
    let host = target.address.to_string();
    let mut samples = Vec::new();
    let outcome = std::thread::scope(|scope| {
        let load = scope.spawn(|| {
            drive(&plan, |_| {
                let choice = Choice::Random { items: options.items };
                let table = table_name(options.indexes);
                Traffic::new(&host, &table, options.workload, choice, options.target.answers(), 3)
            })
        });
        let begin = Instant::now();
        while !load.is_finished() {
            samples.push(Sample {
                at_seconds: begin.elapsed().as_secs_f64(),
                memory: memory(target.id()),
                disk_bytes: disk_bytes(target.data()),
            });
            pause(Duration::from_secs(1));
        }
        load.join().map_err(|_| anyhow!("the load panicked"))?
    })?;
    let found = Found { samples, per_second: outcome.per_second };
    let path = write_json(&options.programs.results, "soak", &about, &found)?;
    println!("{}", table(&found, options.seconds).text());
    println!("Errors: {:?}.", outcome.errors);
    println!("written to {}", path.display());
    ensure!(outcome.errors.is_empty(), "there were errors");
    Ok(())
}

fn table(found: &Found, seconds: f64) -> Table {
    let mut table =
        Table::new(["until, s", "requests/s", "slowest second", "resident MB", "anonymous MB", "disk MB"]);
    let part = seconds / PARTS as f64;
    for number in 0..PARTS {
        let (from, until) = (part * number as f64, part * (number + 1) as f64);
        let within: Vec<&Sample> =
            found.samples.iter().filter(|one| one.at_seconds >= from && one.at_seconds < until).collect();
        let rates: Vec<f64> = found
            .per_second
            .iter()
            .enumerate()
            .filter(|(second, _)| (*second as f64) >= from && ((*second + 1) as f64) <= until)
            .map(|(_, count)| *count as f64)
            .collect();
        let slowest = rates.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let middle = |figure: fn(&Sample) -> u64| {
            count(median(within.iter().map(|one| figure(one) as f64).collect()).unwrap_or(0.0) / 1e6)
        };
        table.row(
            count(until),
            [
                count(median(rates).unwrap_or(0.0)),
                count(slowest),
                middle(|one| one.memory.resident_bytes),
                middle(|one| one.memory.anonymous_bytes),
                middle(|one| one.disk_bytes),
            ]
            .into_iter(),
        );
    }
    table
}
