//! The comparison: all servers, all cells, round after round, interleaved.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::ValueEnum;
use serde::Serialize;

use crate::bars::{judge, promises};
use crate::cell::{Measurement, await_quiet, settle_process};
use crate::clock::long_date;
use crate::figures::throughput_chart;
use crate::progress::{Remaining, duration};
use crate::report::{About, count, median, say, write_json};
use crate::schedule::{Extent, Step};
use crate::subject::Subject;
use crate::summary::{Server, Summary, rows};
use crate::sync::{SyncRow, Way, measure_sync};
use crate::target::{Kind, Programs};

/// One item of 400 B in the log, and 64 of them.
const SYNC_BYTES: [usize; 2] = [512, 32 * 1024];
const SYNC_DURATION: Duration = Duration::from_secs(1);
/// The approximate time to start and fill a server, for the estimate of the remaining time.
const FILL_SECONDS: f64 = 20.0;
const QUICK_FILL_SECONDS: f64 = 5.0;

/// Arguments of the comparison.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CompareOptions {
    #[command(flatten)]
    extent: Extent,
    /// Only these servers [default: all that are there]
    #[arg(long, value_delimiter = ',')]
    targets: Vec<Kind>,
    /// Wait up to so many seconds before each cell for others to leave the machine alone
    #[arg(long, default_value_t = 0.0, value_name = "SECONDS")]
    patience: f64,
    /// Say what would be measured and how long it would take, and measure nothing
    #[arg(long)]
    plan: bool,
    #[command(flatten)]
    programs: Programs,
}

const EXAMPLES: &str = "\
Every cell is measured on one server after the other, and all of them again in the next round; medians over the
rounds count. Wrong answers take a figure away. What a server hasn't got, or does wrong, is named; the others go on.

  bench/run                                        everything, about 35 minutes
  bench/run --quick                                a first impression, about 6 minutes
  bench/run --targets bare,singlet --headlines     ours alone, bars included
  bench/run --only get,put --connections 1,8,64    other cells
  bench/run --targets singlet,singlet-before --before old/singlet --headlines
                                                   this build against an earlier one
  bench/run --targets singlet --only get --connections 64 --rate 20000
                                                   open loop: latency at a given rate
  bench/run figures --from bench/results/compare-….json
                                                   the README's table and charts from a run

`others` in a line of progress is the share of the machine that neither client nor server used. Unless it is near zero,
the figures are noise. bench/README.md says what each workload and each server is.";

/// The content of the JSON file.
#[derive(Serialize)]
struct Found<'a> {
    summary: &'a Summary,
    measurements: &'a [Measurement],
}

/// A comparison under way.
struct Run<'a> {
    options: &'a CompareOptions,
    about: About,
    subjects: Vec<Subject>,
    servers: Vec<Server>,
    left_out: Vec<String>,
    syncs: Vec<SyncRow>,
    measurements: Vec<Measurement>,
}

impl CompareOptions {
    /// The servers to measure.
    fn kinds(&self) -> Result<Vec<Kind>> {
        let is_asked_for = self.targets.contains(&Kind::SingletBefore);
        ensure!(!is_asked_for || self.programs.before.is_some(), "singlet-before needs --before FILE");
        let is_there = |kind: &Kind| *kind != Kind::SingletBefore || self.programs.before.is_some();
        let wanted = if self.targets.is_empty() { Kind::value_variants() } else { &self.targets };
        Ok(wanted.iter().copied().filter(is_there).collect())
    }
}

/// Runs the comparison and prints it.
pub(crate) fn compare(options: &CompareOptions) -> Result<()> {
    let kinds = &options.kinds()?;
    for kind in kinds {
        let items = options.extent.items(*kind);
        ensure!(items >= 1000, "at least 1000 items are needed, or a batch couldn't name 25 different ones");
    }
    let steps = options.extent.steps(kinds);
    ensure!(!steps.is_empty(), "nothing to measure: no cell fits what was asked for");
    let fill_seconds = if options.extent.quick { QUICK_FILL_SECONDS } else { FILL_SECONDS };
    let planned = steps.iter().map(Step::planned_seconds).sum::<f64>() + fill_seconds * kinds.len() as f64;
    eprintln!("{} measurements, about {} if all servers are there", steps.len(), duration(planned));
    if options.plan {
        for step in &steps {
            let seconds = step.settings.seconds;
            say!("{} {:<30} {:<16} {seconds} s", step.round + 1, step.cell.name(), step.kind.name());
        }
        return Ok(());
    }
    let mut run = Run {
        options,
        about: About::now(),
        subjects: Vec::new(),
        servers: Vec::new(),
        left_out: Vec::new(),
        syncs: Vec::new(),
        measurements: Vec::new(),
    };
    run.start(kinds);
    let path = run.measure()?;
    let summary = run.summary();
    let chart = path.with_extension("svg");
    fs::write(&chart, throughput_chart(&summary))?;
    print_report(&summary)?;
    say!("written to {}, the chart to {}", path.display(), chart.display());
    Ok(())
}

impl Run<'_> {
    /// Starts and fills the servers; those that can't be are named.
    fn start(&mut self, kinds: &[Kind]) {
        let extent = &self.options.extent;
        for kind in kinds {
            let counts = extent.index_counts(*kind);
            if !counts.is_empty() {
                eprintln!("starting and filling {}", kind.name());
                match Subject::start(*kind, &self.options.programs, &counts, extent.items(*kind)) {
                    Ok((subject, server)) => {
                        self.subjects.push(subject);
                        self.servers.push(server);
                    }
                    Err(error) => self.leave_out(format!("{}: {error:#}", kind.name())),
                }
            }
        }
    }

    fn leave_out(&mut self, text: String) {
        eprintln!("left out: {text}");
        self.left_out.push(text);
    }

    /// Makes all measurements that the servers allow; gives the file with them.
    fn measure(&mut self) -> Result<PathBuf> {
        let kinds: Vec<Kind> = self.subjects.iter().map(Subject::kind).collect();
        let steps = self.options.extent.steps(&kinds);
        let mut remaining = Remaining::new(steps.iter().map(Step::planned_seconds).sum());
        for round in 0..self.options.extent.rounds() {
            self.measure_syncs()?;
            for step in steps.iter().filter(|step| step.round == round) {
                remaining.done(step.planned_seconds());
                self.step(step, &remaining);
            }
            // A long run that is cut short keeps its whole rounds.
            self.save()?;
        }
        self.weigh();
        self.save()
    }

    /// Ends the servers and weighs what each leaves on disk.
    fn weigh(&mut self) {
        for subject in &mut self.subjects {
            let bytes = subject.stop_and_weigh();
            if let Some(server) = self.servers.iter_mut().find(|server| server.kind == subject.kind()) {
                server.disk_bytes = bytes;
            }
        }
    }

    /// One measurement. A server that fails is named and left out from here on; the others go on.
    fn step(&mut self, step: &Step, remaining: &Remaining) {
        let Some(place) = self.subjects.iter().position(|subject| subject.kind() == step.kind) else {
            return;
        };
        await_quiet(Duration::from_secs_f64(self.options.patience));
        let Some(subject) = self.subjects.get_mut(place) else { return };
        match subject.measure(step) {
            Ok(found) => {
                settle_process(subject.id());
                print_progress(&found, &remaining.text());
                if let Some(server) = self.servers.iter_mut().find(|server| server.kind == step.kind) {
                    server.resident_bytes = found.memory.resident_bytes;
                }
                self.measurements.push(found);
            }
            Err(error) => {
                self.subjects.remove(place);
                self.leave_out(format!("{} from {} on: {error:#}", step.kind.name(), step.cell.name()));
            }
        }
    }

    fn measure_syncs(&mut self) -> Result<()> {
        for bytes in SYNC_BYTES {
            self.syncs.push(measure_sync(&self.options.programs.scratch, Way::Append, bytes, SYNC_DURATION)?);
        }
        Ok(())
    }

    fn summary(&self) -> Summary {
        let shares: Vec<f64> = self.measurements.iter().map(|found| found.others_share).collect();
        Summary {
            about: self.about.clone(),
            seconds: self.options.extent.seconds(),
            sustained_seconds: self.options.extent.sustained_seconds(),
            servers: self.servers.clone(),
            rows: rows(&self.measurements),
            syncs: SYNC_BYTES.iter().filter_map(|bytes| sync_median(&self.syncs, *bytes)).collect(),
            left_out: self.left_out.clone(),
            others_share_worst: shares.iter().copied().fold(0.0, f64::max),
            others_share_median: median(shares).unwrap_or(0.0),
            conflicts: self.measurements.iter().map(|found| found.conflicts).sum(),
            unsent: self.measurements.iter().map(|found| found.unsent).sum(),
        }
    }

    fn save(&self) -> Result<PathBuf> {
        let found = Found { summary: &self.summary(), measurements: &self.measurements };
        write_json(&self.options.programs.results, "compare", &self.about, &found)
    }
}

/// The medians over the rounds for one length of a write.
fn sync_median(syncs: &[SyncRow], bytes: usize) -> Option<SyncRow> {
    let of_length = || syncs.iter().filter(|row| row.write_bytes == bytes);
    let middle = |figure: fn(&SyncRow) -> f64| median(of_length().map(figure).collect());
    Some(SyncRow {
        way: Way::Append,
        write_bytes: bytes,
        per_second: middle(|row| row.per_second)?,
        p50_microseconds: middle(|row| row.p50_microseconds)?,
        p99_microseconds: middle(|row| row.p99_microseconds)?,
        max_microseconds: middle(|row| row.max_microseconds)?,
    })
}

fn print_progress(found: &Measurement, left: &str) {
    let errors: u64 = found.errors.values().sum();
    eprintln!(
        "{:>2} {:<30} {:<16} {:>9}/s  p50 {:>8} µs  p99 {:>9} µs  cpu {:>6.1}+{:.1} µs  others {:>2.0} %  ({left}){}{}",
        found.round + 1,
        found.cell.name(),
        found.target.name(),
        count(found.speed.requests_per_second),
        count(found.speed.p50_microseconds),
        count(found.speed.p99_microseconds),
        found.server_cpu_microseconds,
        found.client_cpu_microseconds,
        found.others_share * 100.0,
        if found.unsent == 0 { String::new() } else { format!("  unsent {}", found.unsent) },
        if errors == 0 { String::new() } else { format!("  ERRORS {errors}: {:?}", found.errors) },
    );
}

fn print_report(summary: &Summary) -> Result<()> {
    let About { date, commit, machine, .. } = &summary.about;
    say!("{} · commit {commit} · {machine}\n", long_date(date));
    say!("{}", summary.durability());
    for table in [summary.throughput(), summary.latency(), summary.cpu(), summary.space(), summary.disk()] {
        say!("{table}");
    }
    if let Some(table) = summary.against_before() {
        say!("{table}");
    }
    say!("{}", promises(&judge(summary)));
    say!("{}", summary.doubts());
    Ok(())
}
