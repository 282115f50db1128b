//! Memory and disk over time under a steady load.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde::Serialize;

use crate::load::{Pace, Plan};
use crate::outcome::Outcome;
use crate::process::{Memory, disk_bytes, memory};
use crate::progress::{drive_telling, duration};
use crate::report::{About, Table, count, median, say, write_json};
use crate::subject::start_filled;
use crate::tables::table_name;
use crate::target::{Kind, Programs};
use crate::workload::{Choice, Traffic, Workload};

/// The run is cut into at most so many parts of two seconds or more, each a row of the table.
const PARTS_MAX: f64 = 10.0;
const LOOK_EVERY: Duration = Duration::from_secs(1);
const TELL_EVERY_SECONDS: f64 = 60.0;

/// Arguments of a soak test.
#[derive(Debug, clap::Args)]
pub(crate) struct SoakOptions {
    /// Which server
    #[arg(long, default_value = "singlet")]
    target: Kind,
    /// The requests to send
    #[arg(long, default_value = "mixed")]
    workload: Workload,
    /// Global indexes of the table
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=20))]
    indexes: u8,
    /// Items in the table
    #[arg(long, default_value_t = 100_000)]
    items: u64,
    /// Connections of the client
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// How long
    #[arg(long, default_value_t = 3600.0)]
    seconds: f64,
    /// Open loop: requests arrive at this rate per second whatever the server does, and latency counts from the arrival
    #[arg(long)]
    rate: Option<f64>,
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

/// Tells once a minute how it goes.
struct Watcher {
    seconds: f64,
    told_seconds: f64,
    told_answers: u64,
}

impl Watcher {
    fn new(seconds: f64) -> Self {
        Self { seconds, told_seconds: 0.0, told_answers: 0 }
    }

    fn tell(&mut self, answers: u64, sample: &Sample) {
        let since = sample.at_seconds - self.told_seconds;
        if since < TELL_EVERY_SECONDS.min(self.seconds / PARTS_MAX) {
            return;
        }
        eprintln!(
            "{:>5.0} s  {:>9}/s  {} MB resident  {} MB on disk  ({} left)",
            sample.at_seconds,
            count((answers - self.told_answers) as f64 / since),
            count(sample.memory.resident_bytes as f64 / 1e6),
            count(sample.disk_bytes as f64 / 1e6),
            duration((self.seconds - sample.at_seconds).max(0.0)),
        );
        self.told_seconds = sample.at_seconds;
        self.told_answers = answers;
    }
}

fn print_latency(outcome: &Outcome) -> Result<()> {
    let quantiles = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];
    let shown =
        quantiles.map(|(name, quantile)| format!("{name} {}", count(outcome.latency_microseconds(quantile))));
    say!("{}/s in all; µs: {}; unsent {}", count(outcome.rate()), shown.join(", "), outcome.unsent);
    Ok(())
}

/// Runs the load, looks at the server each second, prints a row for each tenth of the time.
pub(crate) fn soak(options: &SoakOptions) -> Result<()> {
    let about = About::now();
    let target = start_filled(options.target, &options.programs, &[options.indexes], options.items)?;
    let plan = Plan {
        address: target.address,
        connections: options.connections,
        threads: 1,
        pace: options.rate.map_or(Pace::Closed, |per_second| Pace::Open { per_second }),
        warmup: Duration::ZERO,
        measured: Duration::from_secs_f64(options.seconds),
    };
    let host = target.address.to_string();
    let table_name = table_name(options.indexes);
    let source = |_| {
        let choice = Choice::Random { items: options.items };
        Traffic::new(&host, &table_name, options.workload, choice, options.target.answers())
    };
    let mut samples = Vec::new();
    let mut watcher = Watcher::new(options.seconds);
    let outcome = drive_telling(&plan, source, LOOK_EVERY, |answers, elapsed| {
        let sample = Sample {
            at_seconds: elapsed.as_secs_f64(),
            memory: memory(target.id()),
            disk_bytes: disk_bytes(target.data()),
        };
        samples.push(sample);
        watcher.tell(answers, &sample);
    })?;
    print_latency(&outcome)?;
    let found = Found { samples, per_second: outcome.per_second };
    let path = write_json(&options.programs.results, "soak", &about, &found)?;
    say!("{}", table(&found, options.seconds).text());
    say!("Errors: {:?}.", outcome.errors);
    say!("written to {}", path.display());
    ensure!(outcome.errors.is_empty(), "there were errors");
    Ok(())
}

fn table(found: &Found, seconds: f64) -> Table {
    let mut table =
        Table::new(["until, s", "requests/s", "slowest second", "resident MB", "anonymous MB", "disk MB"]);
    let parts = (seconds / 2.0).clamp(1.0, PARTS_MAX).floor();
    let part = seconds / parts;
    for number in 0..parts as usize {
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
