//! Attacks on a server of our own: more connections, larger bodies, deeper nesting, slower clients and fuller disks than
//! allowed. Each row says what became of the attack, what memory and CPU it cost, and what a well-behaved client noticed.

mod crowds;
mod disk;
mod floods;
mod overload;
mod scans;
mod scene;

use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use crate::report::{About, Table, count, write_json};
use crate::target::Programs;
use scene::Row;

/// What to attack and how hard.
#[derive(Debug, clap::Args)]
pub(crate) struct LimitsOptions {
    /// Only attacks whose name contains this
    #[arg(long, default_value = "")]
    only: String,
    /// How long each flood lasts
    #[arg(long, default_value_t = 4.0)]
    seconds: f64,
    /// Connections of the largest crowd
    #[arg(long, default_value_t = 10_000)]
    crowd: usize,
    #[command(flatten)]
    programs: Programs,
}

impl LimitsOptions {
    fn duration(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    fn wants(&self, name: &str) -> bool {
        name.contains(&self.only)
    }
}

#[derive(Serialize)]
struct Found {
    rows: Vec<Row>,
}

/// Does every attack and prints a table.
pub(crate) fn limits(options: &LimitsOptions) -> Result<()> {
    let about = About::now();
    let mut rows = Vec::new();
    floods::run(options, &mut rows)?;
    crowds::run(options, &mut rows)?;
    scans::run(options, &mut rows)?;
    overload::run(options, &mut rows)?;
    disk::run(options, &mut rows)?;
    println!("{}", table(&rows).text());
    let path = write_json(&options.programs.results, "limits", &about, &Found { rows })?;
    println!(
        "{}, load average {:.1} at the start\nwritten to {}",
        about.machine,
        about.load_average,
        path.display()
    );
    Ok(())
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new([
        "attack",
        "outcome",
        "MB before / peak / after",
        "CPU µs each",
        "a get before: p50 / p99 µs",
        "during: p50 / p99 / max µs",
    ]);
    for row in rows {
        let mega = |bytes: u64| count(bytes as f64 / 1e6);
        let memory = row.memory;
        let others = &row.witness;
        table.row(
            row.attack.clone(),
            [
                row.outcome.clone(),
                format!("{} / {} / {}", mega(memory.before), mega(memory.peak), mega(memory.after)),
                row.cpu_microseconds_each.map_or("–".to_owned(), |each| format!("{each:.1}")),
                format!("{} / {}", count(others.before.p50), count(others.before.p99)),
                format!(
                    "{} / {} / {}",
                    count(others.during.p50),
                    count(others.during.p99),
                    count(others.during.max)
                ),
            ]
            .into_iter(),
        );
    }
    table
}
