//! Some hundred seeds; thousands with `SINGLET_LONG=1`. A seed that fails is printed with the command that runs it again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use singlet_sim::{Request, Scenario, command, run_seed};

/// Seeds of each scenario.
const SEEDS: u64 = 50;
const SEEDS_LONG: u64 = 2_000;
/// Seeds that are run twice.
const SEEDS_TWICE: u64 = 200;

fn run_scenario(scenario: Scenario, seeds: u64) {
    let seeds = if std::env::var_os("SINGLET_LONG").is_some() { SEEDS_LONG } else { seeds };
    for_each_seed(seeds, |seed| {
        let request = Request { seed, scenario: Some(scenario), ..Request::default() };
        let found = |finding| format!("seed {seed}: {finding}\n  again: {}", command(&request));
        run_seed(request).result.err().map(found)
    });
}

/// Tries some seeds on all processors; fails with what was found.
fn for_each_seed(seeds: u64, find: impl Fn(u64) -> Option<String> + Sync) {
    let next = AtomicU64::new(1);
    let findings = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > seeds || findings.lock().unwrap().len() >= 3 {
                        return;
                    }
                    findings.lock().unwrap().extend(find(seed));
                }
            });
        }
    });
    let findings = findings.into_inner().unwrap();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn nothing_is_wrong_when_nothing_fails() {
    run_scenario(Scenario::Calm, SEEDS);
}

#[test]
fn everything_acknowledged_survives_cuts_of_power() {
    run_scenario(Scenario::Cuts, 3 * SEEDS);
}

#[test]
fn everything_acknowledged_survives_operations_that_fail() {
    run_scenario(Scenario::Failures, SEEDS);
}

#[test]
fn a_disk_that_lies_leads_to_an_earlier_state_or_is_found_out() {
    run_scenario(Scenario::Lies, SEEDS);
}

#[test]
fn a_bit_that_turns_is_harmless_or_found_out() {
    run_scenario(Scenario::Flips, SEEDS);
}

#[test]
fn files_that_rot_are_shown_right_or_said_to_be_damaged() {
    run_scenario(Scenario::Rot, SEEDS);
}

#[test]
fn a_file_that_goes_missing_is_missed_or_not_needed() {
    run_scenario(Scenario::Losses, 3 * SEEDS);
}

#[test]
fn the_same_seed_does_the_same_again() {
    let (lines, encrypted, flipped) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    for_each_seed(SEEDS_TWICE, |seed| {
        let request = Request { seed, keeps_lines: true, ..Request::default() };
        let (first, second) = (run_seed(request), run_seed(request));
        lines.fetch_add(first.lines.len() as u64, Ordering::Relaxed);
        encrypted.fetch_add(u64::from(first.plan.is_encrypted), Ordering::Relaxed);
        let is_flipped = first.plan.is_encrypted && first.plan.scenario == Scenario::Flips;
        flipped.fetch_add(u64::from(is_flipped), Ordering::Relaxed);
        let differs = first.lines.iter().zip(&second.lines).find(|(first, second)| first != second);
        let is_same = (first.digest, first.steps) == (second.digest, second.steps) && differs.is_none();
        (!is_same).then(|| format!("seed {seed}: {differs:?}"))
    });
    let (lines, encrypted, flipped) = (lines.into_inner(), encrypted.into_inner(), flipped.into_inner());
    assert!(lines > 100 * SEEDS_TWICE, "{lines} lines: they do nothing");
    assert!(encrypted > 20 && flipped > 2, "{encrypted} encrypted, {flipped} of them with a bit that turned");
}
