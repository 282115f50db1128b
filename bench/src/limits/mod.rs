//! Attacks on a server of our own: more connections, larger bodies, deeper nesting, slower clients and fuller disks
//! than allowed. Each row says what became of the attack, what memory and CPU it cost, and what a well-behaved client
//! noticed.

mod crowds;
mod disk;
mod floods;
mod imports;
mod overload;
mod scans;
mod scene;

use std::time::Duration;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::report::{About, Table, count, say, write_json};
use crate::target::Programs;
use scene::{Row, Witness};

/// Arguments of the attacks.
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

/// The results of all attacks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Limits {
    about: About,
    /// Only attacks whose name contains this were tried.
    only: String,
    rows: Vec<Row>,
    left_out: Vec<LeftOut>,
}

/// An attack that could not be tried.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct LeftOut {
    attack: String,
    why: String,
}

/// The content of the JSON file.
#[derive(Serialize)]
struct Found<'a> {
    limits: &'a Limits,
}

/// Does every attack and prints a table.
pub(crate) fn limits(options: &LimitsOptions) -> Result<()> {
    let mut found =
        Limits { about: About::now(), only: options.only.clone(), rows: Vec::new(), left_out: Vec::new() };
    floods::run(options, &mut found.rows)?;
    crowds::run(options, &mut found.rows)?;
    imports::run(options, &mut found.rows)?;
    scans::run(options, &mut found.rows)?;
    overload::run(options, &mut found.rows)?;
    disk::run(options, &mut found.rows, &mut found.left_out)?;
    say!("{}", found.table());
    let path = write_json(&options.programs.results, "limits", &found.about, &Found { limits: &found })?;
    say!(
        "{}, load average {:.1} at the start\nwritten to {}",
        found.about.machine,
        found.about.load_average,
        path.display()
    );
    Ok(())
}

impl Limits {
    /// Where and when.
    pub(crate) fn about(&self) -> &About {
        &self.about
    }

    /// Whether every attack was wanted.
    pub(crate) fn is_whole(&self) -> bool {
        self.only.is_empty()
    }

    /// A row for each attack, those that were left out included.
    pub(crate) fn table(&self) -> String {
        let mut table = Table::new([
            "attack",
            "outcome",
            "MB before / peak / after",
            "CPU µs each",
            "a get before: p50 / p99 µs",
            "during: p50 / p99 / max µs",
        ]);
        for row in &self.rows {
            let mega = |bytes: u64| count(bytes as f64 / 1e6);
            let memory = row.memory;
            let [before, during] = match row.witness {
                Some(Witness { before, during }) => [
                    format!("{} / {}", count(before.p50), count(before.p99)),
                    format!("{} / {} / {}", count(during.p50), count(during.p99), count(during.max)),
                ],
                None => ["–", "–"].map(str::to_owned),
            };
            let cells = [
                row.outcome.clone(),
                format!("{} / {} / {}", mega(memory.before), mega(memory.peak), mega(memory.after)),
                row.cpu_microseconds_each.map_or("–".to_owned(), |each| format!("{each:.1}")),
                before,
                during,
            ];
            table.row(row.attack.clone(), cells.into_iter());
        }
        for left_out in &self.left_out {
            let cells = [&format!("left out: {}", left_out.why), "–", "–", "–", "–"].map(str::to_owned);
            table.row(left_out.attack.clone(), cells.into_iter());
        }
        table.text()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::scene::{MemoryBytes, Row};
    use super::{LeftOut, Limits};
    use crate::report::About;

    /// One attack without another client, one that was left out.
    pub(crate) fn limits(about: About, only: &str) -> Limits {
        let row = Row {
            attack: "1000 idle connections with TLS".to_owned(),
            outcome: "survived".to_owned(),
            cpu_microseconds_each: None,
            memory: MemoryBytes { before: 1_000_000, peak: 2_000_000, after: 1_000_000 },
            witness: None,
        };
        let left_out = LeftOut { attack: "a full disk".to_owned(), why: "no right to mount".to_owned() };
        Limits { about, only: only.to_owned(), rows: vec![row], left_out: vec![left_out] }
    }

    #[test]
    fn what_was_not_measured_is_a_dash_and_what_was_left_out_is_named() {
        let about = crate::summary::tests::summary(&[]).about;
        let table = limits(about, "").table();
        assert!(table.contains("a full disk") && table.contains("left out: no right to mount"), "{table}");
        assert!(!table.contains("0.0 / 0.0"), "{table}");
    }
}
