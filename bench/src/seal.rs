//! The cost of encryption: the same server without and with a key, side by side.

use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};
use serde::Serialize;

use crate::cell::{Cell, Measurement, Settings, measure, settle};
use crate::process::disk_bytes;
use crate::report::{About, Table, count, median, say, write_json};
use crate::tables::{create, fill};
use crate::target::{Kind, Programs, Target};
use crate::workload::Workload;

/// How to measure encryption.
#[derive(Debug, clap::Args)]
pub(crate) struct SealOptions {
    /// Items in the table
    #[arg(long, default_value_t = 200_000)]
    items: u64,
    /// Connections of the client
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Seconds per cell
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// How often each cell is measured; the median counts
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    #[command(flatten)]
    programs: Programs,
}

/// A way to run the server, and what is measured then.
struct Setting {
    name: &'static str,
    arguments: &'static [&'static str],
    workloads: &'static [Workload],
}

/// A small overlay sends reads to the tree; then the cache decides whether its pages must be decrypted again.
const SETTINGS: [Setting; 3] = [
    Setting { name: "as it comes", arguments: &[], workloads: &[Workload::Put, Workload::Get] },
    Setting {
        name: "all in the cache",
        arguments: &["--overlay-size", "8MB", "--cache-size", "1GB"],
        workloads: &[Workload::Get, Workload::Query],
    },
    Setting {
        name: "cache of 8 MB",
        arguments: &["--overlay-size", "8MB", "--cache-size", "8MB"],
        workloads: &[Workload::Get, Workload::Query, Workload::Put],
    },
];

/// One measurement, and which server it is of.
#[derive(Serialize)]
struct Found {
    setting: &'static str,
    encrypted: bool,
    measurement: Measurement,
}

/// Bytes on disk after filling.
#[derive(Serialize)]
struct Filled {
    setting: &'static str,
    plain_bytes: u64,
    encrypted_bytes: u64,
}

/// Measures each setting without and with a key in turn, and prints ratios.
pub(crate) fn seal(options: &SealOptions) -> Result<()> {
    ensure!(options.items >= 1000, "at least 1000 items are needed");
    let about = About::now();
    let (mut found, mut filled) = (Vec::new(), Vec::new());
    for setting in &SETTINGS {
        let pair = [start(options, setting, false)?, start(options, setting, true)?];
        let [plain, encrypted] = &pair;
        filled.push(Filled {
            setting: setting.name,
            plain_bytes: disk_bytes(plain.data()),
            encrypted_bytes: disk_bytes(encrypted.data()),
        });
        for round in 0..options.rounds {
            for workload in setting.workloads {
                let cell = Cell {
                    workload: *workload,
                    indexes: 0,
                    connections: options.connections,
                    sustained: false,
                };
                for (target, encrypted) in [(plain, false), (encrypted, true)] {
                    let measurement =
                        measure(target, cell, &Settings::plain(options.items, options.seconds), round)?;
                    let rate = count(measurement.speed.requests_per_second);
                    eprintln!(
                        "{} {}, {}, encrypted {encrypted}: {rate}/s",
                        round + 1,
                        workload.name(),
                        setting.name
                    );
                    found.push(Found { setting: setting.name, encrypted, measurement });
                    settle(target);
                }
            }
        }
    }
    let path = write_json(&options.programs.results, "seal", &about, &(&found, &filled))?;
    print(&found, &filled)?;
    say!("written to {}", path.display());
    let errors: u64 = found.iter().flat_map(|one| one.measurement.errors.values()).sum();
    ensure!(errors == 0, "{errors} wrong answers");
    Ok(())
}

/// Starts and fills a server; each has a folder of its own.
fn start(options: &SealOptions, setting: &Setting, encrypted: bool) -> Result<Target> {
    let mut programs = options.programs.clone();
    programs.scratch = programs.scratch.join(if encrypted { "encrypted" } else { "plain" });
    fs::create_dir_all(&programs.scratch)?;
    let mut arguments: Vec<String> = setting.arguments.iter().map(|word| (*word).to_owned()).collect();
    if encrypted {
        let key = programs.scratch.join("bench.key");
        if !key.exists() {
            let made = Command::new(&programs.singlet).arg("new-key").arg(&key).output()?;
            ensure!(made.status.success(), "no key: {}", String::from_utf8_lossy(&made.stderr));
        }
        arguments.extend(["--key-file".to_owned(), key.display().to_string()]);
    }
    let target = Target::start_with(Kind::Singlet, &programs, arguments)?;
    create(target.address, 0)?;
    fill(target.address, 0, options.items)?;
    settle(&target);
    Ok(target)
}

fn print(found: &[Found], filled: &[Filled]) -> Result<()> {
    let mut table = Table::new(["", "plain/s", "encrypted/s", "ratio", "plain CPU µs", "encrypted CPU µs"]);
    for setting in &SETTINGS {
        for workload in setting.workloads {
            let middle = |encrypted: bool, figure: fn(&Measurement) -> f64| {
                let of_cell = found.iter().filter(|one| {
                    one.setting == setting.name
                        && one.encrypted == encrypted
                        && one.measurement.cell.workload == *workload
                });
                median(of_cell.map(|one| figure(&one.measurement)).collect()).unwrap_or(0.0)
            };
            let rate = |encrypted| middle(encrypted, |one| one.speed.requests_per_second);
            let cpu = |encrypted| middle(encrypted, |one| one.server_cpu_microseconds);
            table.row(
                format!("{}, {}", workload.name(), setting.name),
                [
                    count(rate(false)),
                    count(rate(true)),
                    format!("{:.2}", rate(true) / rate(false)),
                    format!("{:.1}", cpu(false)),
                    format!("{:.1}", cpu(true)),
                ]
                .into_iter(),
            );
        }
    }
    say!("{}", table.text());
    for one in filled {
        let ratio = one.encrypted_bytes as f64 / one.plain_bytes.max(1) as f64;
        say!("On disk, {}: {ratio:.2} of what it takes without encryption", one.setting);
    }
    Ok(())
}
