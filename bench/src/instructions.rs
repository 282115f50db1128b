//! Instructions of the hot paths, counted by callgrind: comparable from run to run where times aren't.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::clock::long_date;
use crate::progress::Remaining;
use crate::report::{About, Table, count, say};
use crate::target::present;

/// Arguments of the count.
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

/// Counts of one run, whole requests first, then their parts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Counts {
    about: About,
    paths: Vec<PathCount>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct PathCount {
    path: String,
    /// Per call.
    instructions: f64,
}

impl Counts {
    fn of(&self, path: &str) -> Option<f64> {
        self.paths.iter().find(|one| one.path == path).map(|one| one.instructions)
    }

    /// The counts that are kept in a file, if there is one.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(path)?;
        serde_json::from_str(&text).map(Some).with_context(|| format!("{} holds no counts", path.display()))
    }

    /// The counts with their date and commit.
    pub(crate) fn kept_table(&self) -> String {
        let About { date, commit, machine, .. } = &self.about;
        let mut table = Table::new(["instructions per call", ""]);
        for one in &self.paths {
            table.row(one.path.clone(), [count(one.instructions)].into_iter());
        }
        format!("{}, commit {commit}, {machine}:\n\n{}", long_date(date), table.text())
    }
}

/// Counts, prints, compares and keeps.
pub(crate) fn instructions(options: &InstructionsOptions) -> Result<()> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        say!("valgrind is not there: instructions can't be counted");
        return Ok(());
    }
    let core = present(&options.core)?;
    let kept = Counts::read(&options.kept)?;
    let names = paths(core)?;
    let wanted: Vec<&String> = names.iter().filter(|name| name.contains(&options.only)).collect();
    ensure!(!wanted.is_empty(), "no path has {:?} in its name", options.only);
    let mut counts = Counts { about: About::now(), paths: Vec::new() };
    let mut remaining = Remaining::new(wanted.len() as f64);
    for name in &wanted {
        let once = run(core, name, options.calls)?;
        let twice = run(core, name, options.calls * 2)?;
        let per_call = twice.saturating_sub(once) as f64 / options.calls as f64;
        remaining.done(1.0);
        eprintln!("{name}: {}  ({})", count(per_call), remaining.text());
        counts.paths.push(PathCount { path: (*name).clone(), instructions: per_call });
    }
    say!("{}", table(&counts, kept.as_ref()));
    if options.save {
        counts.paths = together(&names, &counts, kept.as_ref());
        fs::write(&options.kept, serde_json::to_string_pretty(&counts)? + "\n")?;
        say!("kept in {}; `bench/run figures` writes the table in bench/README.md", options.kept.display());
    }
    Ok(())
}

/// The new counts, and of the kept ones those that were not counted again; a path that is gone isn't kept any longer.
fn together(names: &[String], counts: &Counts, kept: Option<&Counts>) -> Vec<PathCount> {
    let count_of = |name: &String| counts.of(name).or_else(|| kept?.of(name));
    let known = names.iter().filter_map(|name| Some((name, count_of(name)?)));
    known.map(|(name, instructions)| PathCount { path: name.clone(), instructions }).collect()
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

fn table(counts: &Counts, kept: Option<&Counts>) -> String {
    let mut table = Table::new(["instructions per call", "now"]);
    if let Some(kept) = kept {
        let heading = format!("{}, {}", long_date(&kept.about.date), kept.about.commit);
        table.columns([heading.as_str(), "ratio"].into_iter());
    }
    for one in &counts.paths {
        let mut cells = vec![count(one.instructions)];
        if let Some(kept) = kept {
            let before = kept.of(&one.path);
            cells.push(before.map_or("–".to_owned(), count));
            let ratio = before.map(|before| one.instructions / before);
            cells.push(ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.3}")));
        }
        table.row(one.path.clone(), cells.into_iter());
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::{Counts, PathCount, collected, table, together};
    use crate::report::About;

    fn counts(paths: &[(&str, f64)]) -> Counts {
        let about = About {
            date: "20261116T120000Z".to_owned(),
            commit: "abc".to_owned(),
            machine: "a machine".to_owned(),
            load_average: 0.0,
        };
        let paths = paths
            .iter()
            .map(|(path, instructions)| PathCount { path: (*path).to_owned(), instructions: *instructions });
        Counts { about, paths: paths.collect() }
    }

    #[test]
    fn the_count_is_found_in_what_callgrind_writes() {
        let text =
            "==7== Events    : Ir\n==7== Collected : 123456789\n==7==\n==7== I   refs:      123,456,789\n";
        assert_eq!(collected(text), Some(123_456_789));
        assert_eq!(collected("==7== nothing"), None);
    }

    #[test]
    fn counts_stand_beside_the_kept_ones_with_their_ratio() {
        let shown = table(&counts(&[("get", 900.0), ("new", 5.0)]), Some(&counts(&[("get", 1000.0)])));
        assert!(shown.contains("16 November 2026, abc"), "{shown}");
        assert!(shown.contains("0.900"), "{shown}");
        assert!(shown.contains('–'), "{shown}");
    }

    #[test]
    fn what_was_not_counted_again_stays_and_what_is_gone_goes() {
        let names = ["get".to_owned(), "put".to_owned()];
        let kept = counts(&[("gone", 1.0), ("put", 2.0), ("get", 3.0)]);
        let all = together(&names, &counts(&[("get", 4.0)]), Some(&kept));
        let all: Vec<_> = all.iter().map(|one| (one.path.as_str(), one.instructions)).collect();
        assert_eq!(all, [("get", 4.0), ("put", 2.0)]);
    }
}
