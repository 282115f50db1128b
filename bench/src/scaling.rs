//! Throughput, memory and disk with few and with many items.

use anyhow::{Result, ensure};
use serde::Serialize;

use crate::cell::{Cell, Measurement, Settings, measure, settle};
use crate::compare::start;
use crate::item::ITEM_BYTES;
use crate::report::{About, Table, count, median, write_json};
use crate::target::{Kind, Programs, Target};
use crate::workload::Workload;

/// What to measure at which sizes.
#[derive(Debug, clap::Args)]
pub(crate) struct ScalingOptions {
    /// Which server
    #[arg(long, default_value = "singlet")]
    target: Kind,
    /// Numbers of items; the first is what the others are compared with
    #[arg(long, value_delimiter = ',', default_value = "10000,1000000,10000000")]
    items: Vec<u64>,
    /// Workloads
    #[arg(long, value_delimiter = ',', default_value = "get,query,put,update")]
    only: Vec<Workload>,
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=3))]
    indexes: u8,
    #[arg(long, default_value_t = 64)]
    connections: usize,
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    #[command(flatten)]
    programs: Programs,
}

/// What was found at one size.
#[derive(Serialize)]
struct Size {
    items: u64,
    disk_bytes_after_filling: u64,
    measurements: Vec<Measurement>,
}

/// Fills one server per size, measures them in turn, prints ratios to the first size.
pub(crate) fn scaling(options: &ScalingOptions) -> Result<()> {
    ensure!(options.items.iter().all(|items| *items >= 1000), "at least 1000 items are needed");
    let about = About::now();
    let mut sizes = Vec::new();
    for items in &options.items {
        let target = start_apart(options, *items)?;
        let disk_bytes_after_filling = crate::process::disk_bytes(target.data());
        sizes.push((target, Size { items: *items, disk_bytes_after_filling, measurements: Vec::new() }));
    }
    for round in 0..options.rounds {
        for workload in &options.only {
            for (target, size) in &mut sizes {
                let cell = Cell {
                    workload: *workload,
                    indexes: options.indexes,
                    connections: options.connections,
                    sustained: false,
                };
                size.measurements.push(measure(target, cell, &settings(options, size.items), round)?);
                settle(target);
            }
        }
    }
    let found: Vec<Size> = sizes.into_iter().map(|(_, size)| size).collect();
    let path = write_json(&options.programs.results, "scaling", &about, &found)?;
    println!("{}", rates(options, &found).text());
    println!("{}", space(options, &found).text());
    let errors: u64 =
        found.iter().flat_map(|size| &size.measurements).flat_map(|one| one.errors.values()).sum();
    println!("Errors: {errors}.");
    println!("written to {}", path.display());
    Ok(())
}

/// Servers of one kind need a folder each.
fn start_apart(options: &ScalingOptions, items: u64) -> Result<Target> {
    let mut programs = options.programs.clone();
    programs.scratch = programs.scratch.join(items.to_string());
    start(options.target, &programs, &[options.indexes], items)
}

fn settings(options: &ScalingOptions, items: u64) -> Settings {
    Settings {
        items,
        warmup_seconds: 1.0,
        seconds: options.seconds,
        sustained_seconds: options.seconds,
        client_threads: 1,
        open_rate: None,
    }
}

fn rates(options: &ScalingOptions, found: &[Size]) -> Table {
    let mut table = Table::new(["requests/s (of the first)"]);
    let headings: Vec<String> =
        found.iter().map(|size| format!("{} items", count(size.items as f64))).collect();
    table.columns(headings.iter().map(String::as_str));
    for workload in &options.only {
        let rate = |size: &Size| {
            let of_workload = size.measurements.iter().filter(|one| one.cell.workload == *workload);
            median(of_workload.map(|one| one.requests_per_second).collect()).unwrap_or(0.0)
        };
        let first = found.first().map_or(0.0, rate);
        let row = found.iter().map(|size| format!("{} ({:.2})", count(rate(size)), rate(size) / first));
        table.row(workload.name(), row);
    }
    table
}

fn space(options: &ScalingOptions, found: &[Size]) -> Table {
    let mut table = Table::new([
        "items",
        "resident MB",
        "peak MB",
        "disk MB filled",
        "disk MB at the end",
        "disk bytes per byte of data",
    ]);
    for size in found {
        let Some(last) = size.measurements.last() else { continue };
        let data_bytes = size.items * ITEM_BYTES * (1 + u64::from(options.indexes));
        table.row(
            count(size.items as f64),
            [
                count(last.memory.resident_bytes as f64 / 1e6),
                count(last.memory.peak_bytes as f64 / 1e6),
                count(size.disk_bytes_after_filling as f64 / 1e6),
                count(last.disk_bytes as f64 / 1e6),
                format!("{:.2}", size.disk_bytes_after_filling as f64 / data_bytes as f64),
            ]
            .into_iter(),
        );
    }
    table
}
