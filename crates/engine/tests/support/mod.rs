//! Shared parts of the engine's tests: builders, whole reads, the comparison of indexes with their table, and a disk
//! that fails or waits on demand.
#![allow(dead_code, unused_imports, reason = "each test file uses its own part of this module")]

mod agreement;
mod controlled_disk;
mod expressions;
mod following;
mod random;
mod reading;
mod stop;

use std::sync::Arc;

use singlet_engine::{Database, ManualClock, Options, StoreOptions};

pub(crate) use agreement::{assert_agreement, derived_entries, sorted, wait_until_settled};
pub(crate) use controlled_disk::ControlledDisk;
pub(crate) use expressions::{condition, filter, key_condition, projection, update};
pub(crate) use following::{Follower, all_shards, stream_arn, stream_records};
pub(crate) use random::Random;
pub(crate) use reading::{decode, get, key_of, query_all, query_pages, scan_all, scan_pages};
pub(crate) use stop::Stop;

/// An item, a key, or the values of an expression: `item! { "pk" => "a", "likes" => 3 }`.
macro_rules! item {
    ($($name:expr => $value:expr),* $(,)?) => {{
        let attributes: Vec<(String, singlet_engine::values::AttributeValue)> =
            vec![$(($name.into(), singlet_engine::values::AttributeValue::from($value))),*];
        attributes.into_iter().collect::<singlet_engine::values::Item>()
    }};
}
pub(crate) use item;

/// The time that tests with a clock of their own begin at.
pub(crate) const START_MS: u64 = 1_700_000_000_000;

/// Options under which a few items fill the overlay and a log file, so that folds happen all the time.
pub(crate) fn small_options() -> Options {
    let store = StoreOptions {
        overlay_bytes_max: 16 << 10,
        cache_bytes: 1 << 20,
        segment_bytes: 64 << 10,
        batch_jobs_max: 8,
        queue_jobs_max: 16,
        ..StoreOptions::default()
    };
    Options { store, ..Options::default() }
}

/// A database in memory that folds all the time.
pub(crate) fn small_database() -> Database {
    Database::in_memory_with(small_options()).expect("a database in memory opens")
}

/// Options with a clock that stands still until it is moved.
pub(crate) fn options_with_clock() -> (Options, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(START_MS));
    (Options { clock: clock.clone(), ..small_options() }, clock)
}

/// How many cases a property is tested on: `usual`, unless `PROPTEST_CASES` says otherwise.
pub(crate) fn cases(usual: u32) -> proptest::test_runner::Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    proptest::test_runner::Config {
        cases: cases.unwrap_or(usual),
        // A case runs threads and files: shrinking is bounded, and what fails is printed whole.
        max_shrink_iters: 400,
        failure_persistence: None,
        ..proptest::test_runner::Config::default()
    }
}
