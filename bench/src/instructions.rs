//! Instructions of the hot paths, counted by callgrind: comparable from run to run where times aren't.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::clock::long_date;
use crate::progress::Remaining;
use crate::report::{About, Table, count};
use crate::target::present;

/// What to count.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Each path runs twice under callgrind, with N calls and with 2 N; the difference divided by N is what a call costs. Start,
filling and end drop out. Everything is in memory and in one process, the engine's own threads included: no sync, no fold,
no socket. Counts vary by a few per cent for writes, which pass between threads, and by less for reads.

  bench/instructions              counts, beside the counts that are kept
  bench/instructions --only get   paths whose name has this in it
  bench/instructions --save       keeps these counts for the next comparison")]
pub(crate) struct InstructionsOptions {
    /// The program that runs the paths
    #[arg(long, default_value = "target/release/singlet-bench-core", value_name = "FILE")]
    core: PathBuf,
    /// N: calls of the shorter run
    #[arg(long, default_value_t = 1000)]
    calls: u64,
    /// Only paths with this in their name
    #[arg(long, default_value = "", value_name = "TEXT", hide_default_value = true)]
    only: String,
    /// The counts that are kept, to compare with
    #[arg(long, default_value = "bench/instructions.json", value_name = "FILE")]
    kept: PathBuf,
    /// Keep these counts
    #[arg(long)]
    save: bool,
}

/// Counts of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Counts {
    about: About,
    /// Instructions per call.
    paths: BTreeMap<String, f64>,
}

/// Counts, prints, compares and keeps.
pub(crate) fn instructions(options: &InstructionsOptions) -> Result<()> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("valgrind is not there: instructions can't be counted");
        return Ok(());
    }
    let core = present(&options.core)?;
    let kept = read(&options.kept)?;
    let names = paths(core)?;
    let wanted: Vec<&String> = names.iter().filter(|name| name.contains(&options.only)).collect();
    ensure!(!wanted.is_empty(), "no path has {:?} in its name", options.only);
    let mut counts = Counts { about: About::now(), paths: BTreeMap::new() };
    let mut remaining = Remaining::new(wanted.len() as f64);
    for name in &wanted {
        let once = run(core, name, options.calls)?;
        let twice = run(core, name, options.calls * 2)?;
        let per_call = twice.saturating_sub(once) as f64 / options.calls as f64;
        remaining.done(1.0);
        eprintln!("{name}: {}  ({})", count(per_call), remaining.text());
        counts.paths.insert((*name).clone(), per_call);
    }
    println!("{}", table(&wanted, &counts, kept.as_ref()));
    if options.save {
        let mut all = kept.map_or_else(BTreeMap::new, |kept| kept.paths);
        // A path that is gone isn't kept any longer.
        all.retain(|name, _| names.contains(name));
        all.extend(counts.paths);
        counts.paths = all;
        fs::write(&options.kept, serde_json::to_string_pretty(&counts)? + "\n")?;
        println!("kept in {}", options.kept.display());
    }
    Ok(())
}

fn read(path: &Path) -> Result<Option<Counts>> {
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(path)?;
    serde_json::from_str(&text).map(Some).with_context(|| format!("{} holds no counts", path.display()))
}

fn paths(core: &Path) -> Result<Vec<String>> {
    let output = Command::new(core).arg("paths").output()?;
    Ok(String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect())
}

/// The instructions of one run.
fn run(core: &Path, name: &str, calls: u64) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(core)
        .args(["path", name, "--calls", &calls.to_string()])
        .output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name} failed under callgrind: {text}");
    collected(&text).with_context(|| format!("callgrind says no count for {name}: {text}"))
}

/// The number in callgrind's line `==123== Collected : 456`.
fn collected(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.contains("Collected"))?;
    line.rsplit(':').next()?.split_ascii_whitespace().next()?.parse().ok()
}

fn table(names: &[&String], counts: &Counts, kept: Option<&Counts>) -> String {
    let mut table = Table::new(["instructions per call", "now"]);
    if let Some(kept) = kept {
        let heading = format!("{}, {}", long_date(&kept.about.date), kept.about.commit);
        table.columns([heading.as_str(), "ratio"].into_iter());
    }
    for name in names {
        let Some(now) = counts.paths.get(*name) else { continue };
        let mut cells = vec![count(*now)];
        if let Some(kept) = kept {
            let before = kept.paths.get(*name);
            cells.push(before.map_or("–".to_owned(), |before| count(*before)));
            cells.push(before.map_or("–".to_owned(), |before| format!("{:.3}", now / before)));
        }
        table.row((*name).clone(), cells.into_iter());
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Counts, collected, table};
    use crate::report::About;

    #[test]
    fn the_count_is_found_in_what_callgrind_writes() {
        let text =
            "==7== Events    : Ir\n==7== Collected : 123456789\n==7==\n==7== I   refs:      123,456,789\n";
        assert_eq!(collected(text), Some(123_456_789));
        assert_eq!(collected("==7== nothing"), None);
    }

    #[test]
    fn counts_stand_beside_the_kept_ones_with_their_ratio() {
        let counts = |figure: f64| Counts {
            about: About {
                date: "20261116T120000Z".to_owned(),
                commit: "abc".to_owned(),
                machine: String::new(),
                load_average: 0.0,
            },
            paths: BTreeMap::from([("get".to_owned(), figure)]),
        };
        let names = ["get".to_owned()];
        let shown = table(&names.iter().collect::<Vec<_>>(), &counts(900.0), Some(&counts(1000.0)));
        assert!(shown.contains("16 November 2026, abc"), "{shown}");
        assert!(shown.contains("0.900"), "{shown}");
    }
}
