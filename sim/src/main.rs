//! The simulation from the command line.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Parser;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use singlet_sim::{Bug, Outcome, Request, Scenario, command, run_seed};

/// Simulates the database: threads, disk and clock are decided by a seed.
///
/// Each seed opens a database several times on a disk in memory, lets clients work on it, and cuts the power, fails
/// operations, fills the disk, lies, turns bits or takes files away. After each loss it checks that the database opens,
/// that everything acknowledged is there, that nothing else changed, and that tables, indexes, counts, streams, tokens
/// and positions agree.
#[derive(Parser)]
#[command(
    name = "singlet-sim",
    after_help = "Examples:\n  singlet-sim --seeds 1..5000              many seeds; prints those that fail, and how to run them again\n  singlet-sim --seed 4711                  one seed, with everything that happens\n  singlet-sim --seeds 1..500 --scenario cuts\n  singlet-sim --seeds 1..500 --bug skips-log-sync   makes a mistake on purpose, which must be found"
)]
struct Arguments {
    /// Seeds to run, the end not among them
    #[arg(long, value_parser = parse_seeds, conflicts_with = "seed", default_value = "1..500")]
    seeds: Range<u64>,
    /// Runs one seed and prints what happens
    #[arg(long)]
    seed: Option<u64>,
    /// The scenario; each seed decides if it isn't given
    #[arg(long)]
    scenario: Option<Scenario>,
    /// A mistake to make on purpose
    #[arg(long, value_parser = bug_parser())]
    bug: Option<Bug>,
    /// Ends after so many failing seeds
    #[arg(long, default_value_t = 10)]
    findings: usize,
}

fn parse_seeds(text: &str) -> Result<Range<u64>, String> {
    let parts = text.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    parts.map(|(from, to)| from..to).ok_or_else(|| "seeds are given like 1..5000".to_owned())
}

/// Takes the name of a mistake; lists them all in the help.
fn bug_parser() -> impl TypedValueParser<Value = Bug> {
    let values = Bug::ALL.iter().map(|bug| PossibleValue::new(bug.name()).help(bug.about()));
    let find =
        |name: String| Bug::ALL.iter().copied().find(|bug| bug.name() == name).ok_or("no such mistake");
    PossibleValuesParser::new(values).try_map(find)
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let Arguments { scenario, bug: planted, .. } = arguments;
    let request = Request { scenario, planted, ..Request::default() };
    match arguments.seed {
        Some(seed) => replay(Request { seed, keeps_lines: true, ..request }),
        None => run_many(arguments.seeds, request, arguments.findings),
    }
}

fn say(text: &str) {
    // The reader of the output may be gone.
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

fn replay(request: Request) -> ExitCode {
    let Outcome { result, plan, digest, steps, lines } = run_seed(request);
    lines.iter().for_each(|line| say(line));
    say(&format!("{plan:#?}"));
    say(&format!("{steps} steps, digest {digest:016x}"));
    match result {
        Ok(lived) => {
            say(&format!("seed {}: nothing found; {lived:?}", request.seed));
            ExitCode::SUCCESS
        }
        Err(finding) => {
            say(&format!("seed {}: {finding}", request.seed));
            ExitCode::FAILURE
        }
    }
}

/// Statistics of many seeds.
#[derive(Default)]
struct Totals {
    seeds: u64,
    calls: usize,
    losses: u64,
    damages: u64,
    steps: u64,
    by_scenario: BTreeMap<String, u64>,
    findings: usize,
}

fn run_many(seeds: Range<u64>, request: Request, findings_max: usize) -> ExitCode {
    let next = AtomicU64::new(seeds.start);
    let totals = Mutex::new(Totals::default());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let request = Request { seed, ..request };
                    let outcome = run_seed(request);
                    let mut totals = totals.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    totals.add(&request, &outcome);
                    if totals.findings >= findings_max {
                        next.store(seeds.end, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let totals = totals.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    totals.print();
    if totals.findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Totals {
    fn add(&mut self, request: &Request, outcome: &Outcome) {
        let scenario = outcome.plan.scenario;
        self.seeds += 1;
        self.steps += outcome.steps;
        *self.by_scenario.entry(scenario.to_string()).or_default() += 1;
        match &outcome.result {
            Ok(lived) => {
                self.calls += lived.calls;
                self.losses += lived.losses;
                self.damages += lived.damages;
            }
            Err(finding) => {
                self.findings += 1;
                let (seed, again) = (request.seed, command(request));
                say(&format!("seed {seed} ({scenario}): {finding}\n  again: {again}"));
            }
        }
        if self.seeds.is_multiple_of(250) {
            self.print();
        }
    }

    fn print(&self) {
        let Totals { seeds, calls, losses, damages, steps, findings, by_scenario } = self;
        say(&format!(
            "{seeds} seeds {by_scenario:?}: {calls} calls, {steps} steps, {losses} losses, damage said {damages} times, \
             {findings} seeds failed"
        ));
    }
}
