//! Throughput, memory and disk with few and many items, with few and many indexes.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::bars::{judge_scaling, promises};
use crate::cell::{Cell, Measurement, Settings, measure, settle, with_indexes};
use crate::item::ITEM_BYTES;
use crate::process::disk_bytes;
use crate::progress::Remaining;
use crate::report::{About, Table, count, median, say, write_json};
use crate::subject::start_filled;
use crate::target::{Kind, Programs, Target};
use crate::workload::Workload;

/// The time that a measurement takes beside its seconds: warming up, settling.
const OVERHEAD_SECONDS: f64 = 1.6;

/// Arguments of the measurement by size.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
One server for each size, all running at once and measured in turn. Ten million items need some 10 GB of disk and as
much memory as --cache-size allows.

  bench/run scaling                                        10,000, a million and ten million items
  bench/run scaling --items 100000 --indexes 0,1,3,5       one size, more and more indexes")]
pub(crate) struct ScalingOptions {
    /// Which server
    #[arg(long, default_value = "singlet")]
    target: Kind,
    /// Numbers of items; the first size is what the others are compared with
    #[arg(long, value_delimiter = ',', default_value = "10000,1000000,10000000")]
    items: Vec<u64>,
    /// Numbers of global indexes, each with each number of items
    #[arg(long, value_delimiter = ',', default_value = "0", value_parser = clap::value_parser!(u8).range(0..=20))]
    indexes: Vec<u8>,
    /// Workloads
    #[arg(long, value_delimiter = ',', default_value = "get,query,put,update")]
    only: Vec<Workload>,
    /// Connections of the client
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Seconds per measurement; folds come every half a minute, so shorter ones see them or don't
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// How often each is measured; the median counts
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    #[command(flatten)]
    programs: Programs,
}

/// The results of scaling, as medians.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Scaling {
    pub(crate) about: About,
    pub(crate) target: Kind,
    pub(crate) connections: usize,
    pub(crate) seconds: f64,
    pub(crate) rounds: usize,
    pub(crate) sizes: Vec<Size>,
}

/// The results at one size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Size {
    pub(crate) items: u64,
    pub(crate) indexes: u8,
    pub(crate) rates: BTreeMap<Workload, f64>,
    pub(crate) resident_bytes: u64,
    pub(crate) peak_bytes: u64,
    pub(crate) filled_disk_bytes: u64,
    /// After the last measurement and a clean stop.
    pub(crate) stopped_disk_bytes: u64,
    pub(crate) errors: u64,
}

/// The content of the JSON file.
#[derive(Serialize)]
struct Found<'a> {
    scaling: &'a Scaling,
    measurements: Vec<&'a Measurement>,
}

/// A server of one size and what was measured on it.
struct Sized {
    target: Target,
    items: u64,
    indexes: u8,
    filled_disk_bytes: u64,
    measurements: Vec<Measurement>,
}

/// Fills one server per size, measures them in turn, prints ratios to the first size.
pub(crate) fn scaling(options: &ScalingOptions) -> Result<()> {
    ensure!(options.items.iter().all(|items| *items >= 1000), "at least 1000 items are needed");
    let about = About::now();
    let mut servers = Vec::new();
    for items in &options.items {
        for indexes in &options.indexes {
            servers.push(start_apart(options, *items, *indexes)?);
        }
    }
    measure_all(options, &mut servers)?;
    let scaling = Scaling {
        about,
        target: options.target,
        connections: options.connections,
        seconds: options.seconds,
        rounds: options.rounds,
        sizes: servers.iter_mut().map(size).collect(),
    };
    let measurements = servers.iter().flat_map(|server| &server.measurements).collect();
    let found = Found { scaling: &scaling, measurements };
    let path = write_json(&options.programs.results, "scaling", &scaling.about, &found)?;
    say!("{}\n{}\n{}", scaling.rates(), scaling.space(), promises(&judge_scaling(&scaling)));
    say!("Errors: {}.", scaling.sizes.iter().map(|size| size.errors).sum::<u64>());
    say!("written to {}", path.display());
    Ok(())
}

/// Servers of one kind need a folder each.
fn start_apart(options: &ScalingOptions, items: u64, indexes: u8) -> Result<Sized> {
    let mut programs = options.programs.clone();
    programs.scratch = programs.scratch.join(format!("{items}-{indexes}"));
    let target = start_filled(options.target, &programs, &[indexes], items)?;
    let filled_disk_bytes = disk_bytes(target.data());
    Ok(Sized { target, items, indexes, filled_disk_bytes, measurements: Vec::new() })
}

fn measure_all(options: &ScalingOptions, servers: &mut [Sized]) -> Result<()> {
    let planned = options.seconds + OVERHEAD_SECONDS;
    let measurements = options.rounds * options.only.len() * servers.len();
    let mut remaining = Remaining::new(planned * measurements as f64);
    for round in 0..options.rounds {
        for workload in &options.only {
            for server in servers.iter_mut() {
                let cell = Cell {
                    workload: *workload,
                    indexes: server.indexes,
                    connections: options.connections,
                    sustained: false,
                };
                let settings = Settings::plain(server.items, options.seconds);
                let found = measure(&server.target, cell, &settings, round)?;
                settle(&server.target);
                remaining.done(planned);
                let rate = count(found.speed.requests_per_second);
                let (items, left) = (count(server.items as f64), remaining.text());
                eprintln!("{} {:<26} {items:>10} items {rate:>9}/s  ({left})", round + 1, cell.name());
                server.measurements.push(found);
            }
        }
    }
    Ok(())
}

/// Sums up one server, after which it is stopped.
fn size(server: &mut Sized) -> Size {
    let stopped_disk_bytes = server.target.stop_and_weigh();
    let mut rates: BTreeMap<Workload, f64> = BTreeMap::new();
    for found in &server.measurements {
        let workload = found.cell.workload;
        let of_workload = server.measurements.iter().filter(|one| one.cell.workload == workload);
        let middle = median(of_workload.map(|one| one.speed.requests_per_second).collect());
        rates.insert(workload, middle.unwrap_or(0.0));
    }
    let last = server.measurements.last();
    Size {
        items: server.items,
        indexes: server.indexes,
        rates,
        resident_bytes: last.map_or(0, |found| found.memory.resident_bytes),
        peak_bytes: last.map_or(0, |found| found.memory.peak_bytes),
        filled_disk_bytes: server.filled_disk_bytes,
        stopped_disk_bytes,
        errors: server.measurements.iter().flat_map(|found| found.errors.values()).sum(),
    }
}

impl Size {
    /// Bytes on disk for a byte of items. Entries of indexes are no data: they are part of the cost.
    pub(crate) fn disk_bytes_per_byte(&self) -> f64 {
        self.stopped_disk_bytes as f64 / (self.items * ITEM_BYTES).max(1) as f64
    }

    fn name(&self) -> String {
        format!("{} items{}", count(self.items as f64), with_indexes(self.indexes))
    }
}

impl Scaling {
    /// Whether the sizes differ by their indexes and not by their items.
    pub(crate) fn is_by_indexes(&self) -> bool {
        self.sizes.iter().all(|size| Some(size.items) == self.sizes.first().map(|first| first.items))
    }

    /// Requests per second at each size, in brackets the ratio to the first.
    pub(crate) fn rates(&self) -> String {
        let mut table = Table::new(["requests/s (of the first)"]);
        let headings: Vec<String> = self.sizes.iter().map(Size::name).collect();
        table.columns(headings.iter().map(String::as_str));
        let Some(first) = self.sizes.first() else { return String::new() };
        for (workload, of_first) in &first.rates {
            let row = self.sizes.iter().map(|size| match size.rates.get(workload) {
                Some(rate) if size.errors == 0 => format!("{} ({:.2})", count(*rate), rate / of_first),
                Some(_) => "errors".to_owned(),
                None => "–".to_owned(),
            });
            table.row(workload.name(), row);
        }
        table.text()
    }

    /// Memory and disk at each size.
    pub(crate) fn space(&self) -> String {
        let mut table = Table::new([
            "size",
            "resident MB",
            "peak MB",
            "disk MB filled",
            "disk MB stopped",
            "disk bytes per byte of items",
        ]);
        for size in &self.sizes {
            let megabytes = |bytes: u64| count(bytes as f64 / 1e6);
            let figures = [
                megabytes(size.resident_bytes),
                megabytes(size.peak_bytes),
                megabytes(size.filled_disk_bytes),
                megabytes(size.stopped_disk_bytes),
                format!("{:.2}", size.disk_bytes_per_byte()),
            ];
            table.row(size.name(), figures.into_iter());
        }
        table.text() + "\nStopped: after a clean stop at the end. Entries of indexes are cost, not data.\n"
    }
}
