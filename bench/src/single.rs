//! One load on a server that somebody else started: for profilers and for open loops.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;

use crate::load::{Pace, Plan, drive};
use crate::report::{count, say};
use crate::tables::{create, fill, table_name};
use crate::workload::{Answers, Choice, Traffic, Workload};

/// What to send where.
#[derive(Debug, clap::Args)]
pub(crate) struct SingleOptions {
    /// The server
    #[arg(long, default_value = "127.0.0.1:8000")]
    address: SocketAddr,
    /// What to send
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
    let outcome = drive(&plan, |_| {
        let choice = Choice::Random { items: options.items };
        Traffic::new(&host, &table, options.workload, choice, answers)
    })?;
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
