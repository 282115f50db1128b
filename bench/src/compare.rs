//! The comparison: all servers, all cells, round after round, interleaved.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde::Serialize;

use crate::cell::{Cell, Measurement, Settings, await_quiet, measure, settle};
use crate::report::{About, Comparison, count, write_json};
use crate::tables::{create, fill, table_name};
use crate::target::{Kind, Programs, Target};
use crate::workload::{Answers, Workload};

/// What to compare.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CompareOptions {
    /// Two rounds of three seconds per cell, for a first impression
    #[arg(long)]
    quick: bool,
    /// Only these workloads
    #[arg(long, value_delimiter = ',', value_name = "WORKLOADS")]
    only: Vec<Workload>,
    /// Only these servers [default: all that are there]
    #[arg(long, value_delimiter = ',')]
    targets: Vec<Kind>,
    /// Numbers of connections, for each workload [default: 64; get and put also 1 and 16]
    #[arg(long, value_delimiter = ',')]
    connections: Vec<usize>,
    /// Numbers of global indexes, for each workload [default: 0; put also 3]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u8).range(0..=3))]
    indexes: Vec<u8>,
    /// Items in each table
    #[arg(long, default_value_t = 100_000)]
    items: u64,
    /// How often each cell is measured; the median counts [default: 3, quick 2]
    #[arg(long)]
    rounds: Option<usize>,
    /// Seconds per cell [default: 10, quick 3]
    #[arg(long)]
    seconds: Option<f64>,
    /// Seconds per cell of puts with 64 connections [default: 60, quick 3]
    #[arg(long)]
    sustained_seconds: Option<f64>,
    /// Open loop: requests arrive at this rate per second whatever the server does
    #[arg(long, value_name = "RATE")]
    rate: Option<f64>,
    /// Wait up to so many seconds before each cell for others to leave the machine alone
    #[arg(long, default_value_t = 0.0, value_name = "SECONDS")]
    patience: f64,
    /// Threads of the load generator
    #[arg(long, default_value_t = 1)]
    client_threads: usize,
    #[command(flatten)]
    programs: Programs,
}

impl CompareOptions {
    fn settings(&self) -> Settings {
        let standard = if self.quick { 3.0 } else { 10.0 };
        let seconds = self.seconds.unwrap_or(standard);
        Settings {
            items: self.items,
            warmup_seconds: if self.quick { 0.5 } else { 2.0 },
            seconds,
            sustained_seconds: self.sustained_seconds.unwrap_or(if self.quick { seconds } else { 60.0 }),
            client_threads: self.client_threads,
            open_rate: self.rate,
        }
    }

    /// The cells in the order in which each round measures them.
    fn cells(&self) -> Vec<Cell> {
        use clap::ValueEnum;
        let mut cells = Vec::new();
        let wanted =
            Workload::value_variants().iter().filter(|one| self.only.is_empty() || self.only.contains(one));
        for workload in wanted.copied() {
            let standard: &[(u8, usize)] = match workload {
                Workload::Get => &[(0, 64), (0, 16), (0, 1)],
                Workload::Put => &[(0, 64), (0, 16), (0, 1), (3, 64)],
                Workload::PutMove => &[(3, 64)],
                _ => &[(0, 64)],
            };
            let mut pairs: Vec<(u8, usize)> = Vec::new();
            for (indexes, connections) in standard {
                let indexes = if self.indexes.is_empty() { vec![*indexes] } else { self.indexes.clone() };
                let connections =
                    if self.connections.is_empty() { vec![*connections] } else { self.connections.clone() };
                pairs.extend(
                    indexes
                        .iter()
                        .flat_map(|indexes| connections.iter().map(|connections| (*indexes, *connections))),
                );
            }
            for (indexes, connections) in pairs {
                let put = matches!(workload, Workload::Put | Workload::PutMove);
                let cell = Cell { workload, indexes, connections, sustained: put && connections >= 64 };
                if !cells.contains(&cell) {
                    cells.push(cell);
                }
            }
        }
        cells
    }

    fn kinds(&self) -> Vec<Kind> {
        use clap::ValueEnum;
        if self.targets.is_empty() { Kind::value_variants().to_vec() } else { self.targets.clone() }
    }
}

/// What goes into the JSON file.
#[derive(Serialize)]
struct Found<'a> {
    settings: Settings,
    durability: Vec<(Kind, &'static str)>,
    left_out: &'a [String],
    measurements: &'a [Measurement],
}

/// Runs the comparison and prints it.
pub(crate) fn compare(options: &CompareOptions) -> Result<()> {
    let about = About::now();
    let settings = options.settings();
    let cells = options.cells();
    ensure!(
        settings.items >= 1000,
        "at least 1000 items are needed, or a batch couldn't name 25 different ones"
    );
    let (mut targets, mut left_out) = start_all(options, &cells, settings.items);
    let rounds = options.rounds.unwrap_or(if options.quick { 2 } else { 3 });
    let kinds: Vec<Kind> = targets.iter().map(|target| target.kind).collect();
    let patience = Duration::from_secs_f64(options.patience);
    let mut measurements = Vec::new();
    for round in 0..rounds {
        for cell in &cells {
            // A server that fails is named and left out from here on; the others go on.
            targets.retain(|target| {
                await_quiet(patience);
                match measure(target, *cell, &settings, round) {
                    Ok(found) => {
                        print_progress(&found);
                        measurements.push(found);
                        settle(target);
                        true
                    }
                    Err(error) => {
                        let text = format!("{} from {} on: {error:#}", target.kind.name(), cell.name());
                        eprintln!("left out: {text}");
                        left_out.push(text);
                        false
                    }
                }
            });
        }
        // A run of hours that is cut short keeps its whole rounds.
        save(options, &about, settings, &kinds, &left_out, &measurements)?;
    }
    let path = save(options, &about, settings, &kinds, &left_out, &measurements)?;
    print_report(&about, &kinds, &cells, &measurements, &left_out);
    println!("written to {}", path.display());
    Ok(())
}

fn save(
    options: &CompareOptions,
    about: &About,
    settings: Settings,
    kinds: &[Kind],
    left_out: &[String],
    measurements: &[Measurement],
) -> Result<PathBuf> {
    let durability = kinds.iter().map(|kind| (*kind, kind.durability())).collect();
    let found = Found { settings, durability, left_out, measurements };
    write_json(&options.programs.results, "compare", about, &found)
}

/// Starts and fills the servers; gives those that run, and why the others don't.
fn start_all(options: &CompareOptions, cells: &[Cell], items: u64) -> (Vec<Target>, Vec<String>) {
    let mut index_counts: Vec<u8> = cells.iter().map(|cell| cell.indexes).collect();
    index_counts.sort_unstable();
    index_counts.dedup();
    let mut targets = Vec::new();
    let mut left_out = Vec::new();
    for kind in options.kinds() {
        match start(kind, &options.programs, &index_counts, items) {
            Ok(target) => targets.push(target),
            Err(error) => {
                eprintln!("left out: {}: {error:#}", kind.name());
                left_out.push(format!("{}: {error:#}", kind.name()));
            }
        }
    }
    (targets, left_out)
}

/// Starts one server with one filled table for each number of indexes.
pub(crate) fn start(kind: Kind, programs: &Programs, index_counts: &[u8], items: u64) -> Result<Target> {
    let target = Target::start(kind, programs)?;
    if kind.answers() == Answers::Bare {
        return Ok(target);
    }
    for indexes in index_counts {
        create(target.address, *indexes)?;
        let outcome = fill(target.address, *indexes, items)?;
        let rate = items as f64 / outcome.measured.max(Duration::from_millis(1)).as_secs_f64();
        eprintln!("{}: {} filled with {} items/s", kind.name(), table_name(*indexes), count(rate));
    }
    settle(&target);
    Ok(target)
}

fn print_progress(found: &Measurement) {
    let errors: u64 = found.errors.values().sum();
    eprintln!(
        "{:>2} {:<26} {:<16} {:>9}/s  p50 {:>8} µs  p99 {:>9} µs  cpu {:>6.1}+{:.1} µs  others {:.0} %{}",
        found.round + 1,
        found.cell.name(),
        found.target.name(),
        count(found.requests_per_second),
        count(found.p50_microseconds),
        count(found.p99_microseconds),
        found.server_cpu_microseconds,
        found.client_cpu_microseconds,
        found.others_share * 100.0,
        if errors == 0 { String::new() } else { format!("  ERRORS {errors}: {:?}", found.errors) },
    );
}

fn print_report(
    about: &About,
    kinds: &[Kind],
    cells: &[Cell],
    measurements: &[Measurement],
    left_out: &[String],
) {
    let comparison = Comparison { targets: kinds.to_vec(), cells, measurements };
    println!("{} · commit {} · {}\n", about.date, about.commit, about.machine);
    for kind in kinds {
        println!("- {}: {}", kind.name(), kind.durability());
    }
    for text in left_out {
        println!("- left out: {}", text.lines().next().unwrap_or_default());
    }
    println!(
        "\n{}\n{}\n{}\n{}",
        comparison.throughput(),
        comparison.latency(),
        comparison.cpu(),
        comparison.promises()
    );
    let (usual, worst) = comparison.noise();
    println!("Others used {:.0} % of the machine (median; worst {:.0} %).", usual * 100.0, worst * 100.0);
    let errors: u64 = measurements.iter().flat_map(|found| found.errors.values()).sum();
    let conflicts: u64 = measurements.iter().map(|found| found.conflicts).sum();
    println!(
        "Errors: {errors}. Refused for a transaction on the same item, not counted as throughput: {conflicts}."
    );
    for found in measurements {
        for (text, times) in &found.errors {
            println!("  {} × {}, {}: {text}", times, found.target.name(), found.cell.name());
        }
    }
}
