//! Some hundred seeds; thousands with `SINGLET_LONG=1`. A seed that fails is printed with the command that runs it again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use singlet_sim::{Request, Scenario, command, run_seed};

/// Seeds of each scenario.
const SEEDS: u64 = 50;
const SEEDS_LONG: u64 = 2_000;

fn run_scenario(scenario: Scenario, seeds: u64) {
    let seeds = if std::env::var_os("SINGLET_LONG").is_some() { SEEDS_LONG } else { seeds };
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
                    let outcome = run_seed(Request { seed, scenario: Some(scenario), ..Request::default() });
                    if let Err(finding) = outcome.result {
                        let again = command(seed, Some(scenario));
                        findings.lock().unwrap().push(format!("seed {seed}: {finding}\n  again: {again}"));
                    }
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
fn the_same_seed_does_the_same_again() {
    for seed in 1..=12 {
        let request = Request { seed, keeps_lines: true, ..Request::default() };
        let (first, second) = (run_seed(request), run_seed(request));
        let differs = first.lines.iter().zip(&second.lines).find(|(first, second)| first != second);
        assert_eq!(differs, None, "seed {seed}");
        assert_eq!((first.digest, first.steps), (second.digest, second.steps), "seed {seed}");
        assert!(first.lines.len() > 50, "seed {seed} does nothing");
    }
}
