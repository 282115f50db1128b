//! Mistakes that are made on purpose are found, and the seed that found them finds them again.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a failing test panics; seeds are printed"
)]

use singlet_sim::{Bug, Request, Scenario, command, run_seed};

/// Seeds that a mistake may take to be found.
const SEEDS_MAX: u64 = 150;

/// Finds the mistake within some seeds, and again with the same seed; and not where it isn't made.
fn is_found(bug: Bug, scenario: Scenario) {
    let request = |seed, planted| Request { seed, scenario: Some(scenario), planted, keeps_lines: false };
    let found = (1..=SEEDS_MAX).find_map(|seed| {
        let outcome = run_seed(request(seed, Some(bug.number())));
        outcome.result.err().map(|finding| (seed, finding, outcome.digest))
    });
    let Some((seed, finding, digest)) = found else {
        panic!("{bug:?} is not found by {SEEDS_MAX} seeds of {scenario:?}");
    };
    println!("{bug:?}: {}: {finding}", command(seed, Some(scenario)));
    let again = run_seed(request(seed, Some(bug.number())));
    assert_eq!(again.result.unwrap_err(), finding);
    assert_eq!(again.digest, digest);
    run_seed(request(seed, None)).result.unwrap();
}

#[test]
fn a_log_that_is_not_synced() {
    is_found(Bug::SkipsLogSync, Scenario::Cuts);
}

#[test]
fn an_acknowledgement_before_the_sync() {
    is_found(Bug::AcknowledgesBeforeSync, Scenario::Cuts);
}

#[test]
fn a_write_that_is_shown_before_the_sync() {
    is_found(Bug::PublishesBeforeSync, Scenario::Cuts);
}

#[test]
fn a_folder_that_is_not_synced() {
    is_found(Bug::SkipsFolderSync, Scenario::Cuts);
}

#[test]
fn an_index_entry_that_is_dropped() {
    is_found(Bug::DropsIndexEntry, Scenario::Calm);
}

#[test]
fn a_sequence_number_that_is_used_twice() {
    is_found(Bug::ReusesSequenceNumber, Scenario::Calm);
}

#[test]
fn a_token_that_is_forgotten() {
    is_found(Bug::ForgetsToken, Scenario::Calm);
}

#[test]
fn a_fold_point_ahead_of_the_tree() {
    is_found(Bug::FoldsTooFar, Scenario::Cuts);
}

#[test]
fn a_log_that_is_trimmed_too_early() {
    is_found(Bug::TrimsTooEarly, Scenario::Cuts);
}

#[test]
fn a_past_that_is_not_kept() {
    is_found(Bug::KeepsNoPast, Scenario::Calm);
}

#[test]
fn a_wakeup_that_is_forgotten() {
    is_found(Bug::ForgetsToWake, Scenario::Calm);
}

#[test]
fn an_opening_that_trusts_what_a_killed_process_left() {
    is_found(Bug::TrustsUnsyncedFiles, Scenario::Cuts);
}
