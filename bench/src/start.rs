//! Starting: on an empty folder, and on what `kill -9` left of many items.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde::Serialize;

use crate::clock::pause;
use crate::load::{Pace, Plan, drive};
use crate::process::{disk_bytes, memory};
use crate::report::{About, Table, count, median, say, write_json};
use crate::tables::{create, fill, read_through, table_name};
use crate::target::{Kind, Programs, Target};
use crate::workload::{Choice, Traffic, Workload};

/// What Singlet promises itself with a million items.
const REOPEN_MILLISECONDS_MAX: f64 = 1000.0;

/// How to measure the start on an empty folder.
#[derive(Debug, clap::Args)]
pub(crate) struct ColdOptions {
    /// Which servers; one that isn't there is named and left out
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "bare,singlet,singlet-memory,dynoxide-file,dynalite-file,local-file,moto"
    )]
    targets: Vec<Kind>,
    /// How often each
    #[arg(long, default_value_t = 11)]
    rounds: usize,
    #[command(flatten)]
    programs: Programs,
}

/// One start.
#[derive(Serialize)]
struct Start {
    target: Kind,
    milliseconds: f64,
    resident_bytes: u64,
    data_bytes: u64,
}

/// Measures the time to the first answer on an empty folder, and the memory that is resident then.
pub(crate) fn cold(options: &ColdOptions) -> Result<()> {
    let about = About::now();
    let mut found = Vec::new();
    let mut kinds = options.targets.clone();
    for round in 0..options.rounds {
        eprintln!("round {} of {}", round + 1, options.rounds);
        let mut missing = Vec::new();
        for kind in &kinds {
            let target = match Target::start(*kind, &options.programs) {
                Ok(target) => target,
                Err(error) => {
                    say!("left out: {}: {error:#}", kind.name());
                    missing.push(*kind);
                    continue;
                }
            };
            found.push(Start {
                target: *kind,
                milliseconds: target.started_in.as_secs_f64() * 1e3,
                resident_bytes: memory(target.id()).resident_bytes,
                data_bytes: disk_bytes(target.data()),
            });
        }
        kinds.retain(|kind| !missing.contains(kind));
    }
    let path = write_json(&options.programs.results, "cold-start", &about, &found)?;
    let mut table = Table::new(["cold start", "median ms", "worst ms", "resident MB", "on disk KB"]);
    for kind in &kinds {
        let figures = |figure: fn(&Start) -> f64| -> Vec<f64> {
            found.iter().filter(|start| start.target == *kind).map(figure).collect()
        };
        let times = figures(|start| start.milliseconds);
        let worst = times.iter().copied().fold(0.0, f64::max);
        let middle = |figures: Vec<f64>| median(figures).unwrap_or(0.0);
        table.row(
            kind.name(),
            [
                count(middle(times)),
                count(worst),
                count(middle(figures(|start| start.resident_bytes as f64)) / 1e6),
                count(middle(figures(|start| start.data_bytes as f64)) / 1e3),
            ]
            .into_iter(),
        );
    }
    say!("{}", table.text());
    say!("written to {}", path.display());
    Ok(())
}

/// How to measure the start after a kill.
#[derive(Debug, clap::Args)]
pub(crate) struct ReopenOptions {
    /// Which server
    #[arg(long, default_value = "singlet")]
    target: Kind,
    /// Items in the table
    #[arg(long, default_value_t = 1_000_000)]
    items: u64,
    /// Global indexes of the table
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=20))]
    indexes: u8,
    /// How often it is killed
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How long it takes writes before it is killed
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    #[command(flatten)]
    programs: Programs,
}

/// One start after a kill.
#[derive(Serialize)]
struct Reopen {
    killed: &'static str,
    milliseconds: f64,
    resident_bytes: u64,
    broken_partitions: u64,
}

/// Kills a server that holds many items, once at rest and then while it takes writes; measures the time to the first
/// answer afterwards, and reads every item. This finds items that are missing or broken, not an overwrite that was
/// acknowledged and then lost: nobody here remembers what was written last. The engine's crash tests do.
pub(crate) fn reopen(options: &ReopenOptions) -> Result<()> {
    let about = About::now();
    let mut target = Target::start(options.target, &options.programs)?;
    create(target.address, options.indexes)?;
    let filled = fill(target.address, options.indexes, options.items)?;
    say!("{} items filled in {:.1} s", options.items, filled.measured.as_secs_f64());
    let mut found = Vec::new();
    for round in 0..=options.rounds {
        let killed = if round == 0 { "after filling" } else { "while writing" };
        if round > 0 {
            kill_while_writing(&mut target, options)?;
        }
        target.restart_after_kill(&options.programs)?;
        let resident_bytes = memory(target.id()).resident_bytes;
        let read = read_through(target.address, options.indexes, options.items)?;
        found.push(Reopen {
            killed,
            milliseconds: target.started_in.as_secs_f64() * 1e3,
            resident_bytes,
            broken_partitions: read.error_count(),
        });
    }
    let path = write_json(&options.programs.results, "reopen", &about, &found)?;
    let mut table =
        Table::new(["killed", "first answer, ms", "resident MB", "partitions with missing or broken items"]);
    for one in &found {
        table.row(
            one.killed,
            [
                count(one.milliseconds),
                count(one.resident_bytes as f64 / 1e6),
                one.broken_partitions.to_string(),
            ]
            .into_iter(),
        );
    }
    say!("{}", table.text());
    let slowest = found.iter().map(|one| one.milliseconds).fold(0.0, f64::max);
    let verdict = if slowest < REOPEN_MILLISECONDS_MAX { "met" } else { "MISSED" };
    say!("Bar: first answer within {REOPEN_MILLISECONDS_MAX:.0} ms; slowest {slowest:.0} ms: {verdict}.");
    say!("written to {}", path.display());
    ensure!(found.iter().all(|one| one.broken_partitions == 0), "items are missing or broken");
    Ok(())
}

fn kill_while_writing(target: &mut Target, options: &ReopenOptions) -> Result<()> {
    let seconds = Duration::from_secs_f64(options.seconds);
    let plan = Plan {
        address: target.address,
        connections: 64,
        threads: 1,
        pace: Pace::Closed,
        warmup: Duration::ZERO,
        measured: seconds + Duration::from_secs(60),
    };
    let host = target.address.to_string();
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            drive(&plan, |_| {
                let choice = Choice::Random { items: options.items };
                let table = table_name(options.indexes);
                Traffic::new(&host, &table, Workload::Put, choice, options.target.answers())
            })
        });
        while begin.elapsed() < seconds && !writing.is_finished() {
            pause(Duration::from_millis(10));
        }
        ensure!(!writing.is_finished(), "the server failed before it was killed");
        target.stop();
        // The load ends with an error now, as its server is gone.
        let _ = writing.join();
        Ok(())
    })
}
