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
fn find(bug: Bug, scenario: Scenario) {
    let request = |seed, planted| Request { seed, scenario: Some(scenario), planted, keeps_lines: false };
    let found = (1..=SEEDS_MAX).find_map(|seed| {
        let outcome = run_seed(request(seed, Some(bug)));
        outcome.result.err().map(|finding| (seed, finding, outcome.digest))
    });
    let Some((seed, finding, digest)) = found else {
        panic!("{bug:?} is not found by {SEEDS_MAX} seeds of {scenario:?}");
    };
    println!("{bug:?}: {}: {finding}", command(&request(seed, Some(bug))));
    let again = run_seed(request(seed, Some(bug)));
    assert_eq!(again.result.unwrap_err(), finding);
    assert_eq!(again.digest, digest);
    run_seed(request(seed, None)).result.unwrap();
}

#[test]
fn a_log_that_is_not_synced_is_found() {
    find(Bug::SkipsLogSync, Scenario::Cuts);
}

#[test]
fn an_acknowledgement_before_the_sync_is_found() {
    find(Bug::AcknowledgesBeforeSync, Scenario::Cuts);
}

#[test]
fn a_write_that_is_shown_before_the_sync_is_found() {
    find(Bug::PublishesBeforeSync, Scenario::Cuts);
}

#[test]
fn a_folder_that_is_not_synced_is_found() {
    find(Bug::SkipsFolderSync, Scenario::Cuts);
}

#[test]
fn an_index_entry_that_is_dropped_is_found() {
    find(Bug::DropsIndexEntry, Scenario::Calm);
}

#[test]
fn a_sequence_number_that_is_used_twice_is_found() {
    find(Bug::ReusesSequenceNumber, Scenario::Calm);
}

#[test]
fn a_token_that_is_forgotten_is_found() {
    find(Bug::ForgetsToken, Scenario::Calm);
}

#[test]
fn a_fold_point_ahead_of_the_tree_is_found() {
    find(Bug::FoldsTooFar, Scenario::Cuts);
}

#[test]
fn a_log_that_is_trimmed_too_early_is_found() {
    find(Bug::TrimsTooEarly, Scenario::Cuts);
}

#[test]
fn a_past_that_is_not_kept_is_found() {
    find(Bug::KeepsNoPast, Scenario::Calm);
}

#[test]
fn a_wakeup_that_is_forgotten_is_found() {
    find(Bug::ForgetsToWake, Scenario::Calm);
}

#[test]
fn an_opening_that_trusts_what_a_killed_process_left_is_found() {
    find(Bug::TrustsUnsyncedFiles, Scenario::Cuts);
}

#[test]
fn damage_that_is_taken_for_the_end_of_the_log_is_found() {
    find(Bug::TakesDamageForEnd, Scenario::Flips);
}

#[test]
fn pages_that_are_not_compared_with_their_checksums_are_found() {
    find(Bug::SkipsPageCheck, Scenario::Rot);
}

#[test]
fn a_mark_of_the_log_that_is_never_written_is_found() {
    find(Bug::ForgetsReach, Scenario::Losses);
}

#[test]
fn a_mark_of_the_log_that_is_not_compared_is_found() {
    find(Bug::IgnoresReach, Scenario::Losses);
}

#[test]
fn times_that_never_go_back_are_found() {
    find(Bug::NeverGoesBack, Scenario::Calm);
}

#[test]
fn a_jump_of_the_clock_that_is_believed_at_once_is_found() {
    find(Bug::BelievesEveryJump, Scenario::Calm);
}

#[test]
fn the_command_that_runs_a_seed_again_makes_the_same_mistake() {
    let request = Request {
        seed: 7,
        scenario: Some(Scenario::Cuts),
        planted: Some(Bug::SkipsLogSync),
        ..Request::default()
    };
    assert!(command(&request).ends_with(" --seed 7 --scenario cuts --bug skips-log-sync"));
}
