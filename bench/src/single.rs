//! One load on a server that somebody else started: for profilers and for open loops.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::load::{Pace, Plan, drive};
use crate::metrics::Metrics;
use crate::progress::drive_telling;
use crate::report::{count, say};
use crate::tables::{create, fill, table_name};
use crate::workload::{Answers, Choice, Traffic, Workload};

/// Arguments of a single load.
#[derive(Debug, clap::Args)]
pub(crate) struct SingleOptions {
    /// The server
    #[arg(long, default_value = "127.0.0.1:8000")]
    address: SocketAddr,
    /// The requests to send
    #[arg(long, default_value = "get")]
    workload: Workload,
    /// Global indexes of the table
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=20))]
    indexes: u8,
    /// Items in the table
    #[arg(long, default_value_t = 100_000)]
    items: u64,
    /// Create and fill the table first
    #[arg(long)]
    fill: bool,
    /// The server is the bare one: check only the answers' lengths
    #[arg(long)]
    bare: bool,
    /// Connections of the client
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// How long to measure
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Open loop: requests arrive at this rate per second whatever the server does
    #[arg(long)]
    rate: Option<f64>,
    /// Threads of the load generator
    #[arg(long, default_value_t = 1)]
    client_threads: usize,
    /// Tell how it goes every so many seconds, and what the server's log did meanwhile; needs Singlet's metrics page
    #[arg(long)]
    every: Option<f64>,
}

/// Runs the load and prints what was found.
pub(crate) fn single(options: &SingleOptions) -> Result<()> {
    if options.fill {
        create(options.address, options.indexes)?;
        let filled = fill(options.address, options.indexes, options.items)?;
        say!("filled {} items in {:.1} s", options.items, filled.measured.as_secs_f64());
    }
    let plan = Plan {
        address: options.address,
        connections: options.connections,
        threads: options.client_threads,
        pace: options.rate.map_or(Pace::Closed, |per_second| Pace::Open { per_second }),
        warmup: Duration::from_millis(500),
        measured: Duration::from_secs_f64(options.seconds),
    };
    let host = options.address.to_string();
    let table = table_name(options.indexes);
    let answers = if options.bare { Answers::Bare } else { Answers::Database };
    let traffic = |_| {
        let choice = Choice::Random { items: options.items };
        Traffic::new(&host, &table, options.workload, choice, answers)
    };
    let outcome = match options.every {
        None => drive(&plan, traffic)?,
        Some(seconds) => {
            let mut teller = Teller::new(options.address)?;
            drive_telling(&plan, traffic, Duration::from_secs_f64(seconds.max(0.1)), |answered, _| {
                teller.tell(answered).unwrap_or_else(|error| eprintln!("{error:#}"));
            })?
        }
    };
    say!(
        "{}/s, errors {}, conflicts {}, unsent {}",
        count(outcome.rate()),
        outcome.error_count(),
        outcome.conflicts,
        outcome.unsent
    );
    for (name, quantile) in
        [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999), ("max", 1.0)]
    {
        say!("{name:>7} {:>10} µs", count(outcome.latency_microseconds(quantile)));
    }
    for (text, times) in &outcome.errors {
        say!("  {times} × {text}");
    }
    Ok(())
}

/// Tells what happened since the last time.
struct Teller {
    address: SocketAddr,
    last: Metrics,
    last_answered: u64,
    last_time: Instant,
}

impl Teller {
    fn new(address: SocketAddr) -> Result<Self> {
        Ok(Self { address, last: Metrics::read(address)?, last_answered: 0, last_time: Instant::now() })
    }

    fn tell(&mut self, answered: u64) -> Result<()> {
        let (now, time) = (Metrics::read(self.address)?, Instant::now());
        let seconds = time.duration_since(self.last_time).as_secs_f64();
        let rate = count((answered - self.last_answered) as f64 / seconds.max(1e-9));
        say!("{rate:>9}/s {}", now.log_since(&self.last, seconds)?);
        (self.last, self.last_answered, self.last_time) = (now, answered, time);
        Ok(())
    }
}
