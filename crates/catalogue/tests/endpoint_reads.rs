//! Patterns that read, on a DynamoDB endpoint: the tests of `crates/run`, on a store that reaches a server of our own.
//! Tests that need thousands of items are left to `crates/run`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod endpoint;
#[path = "../../dynamodb/tests/support/mod.rs"]
mod support;

use endpoint::backend;

#[path = "../../run/tests/reads/answers.rs"]
mod answers;
#[path = "../../run/tests/reads/backwards.rs"]
mod backwards;
#[path = "../../run/tests/reads/buckets.rs"]
mod buckets;
#[path = "../../run/tests/reads/counts.rs"]
mod counts;
#[path = "../../run/tests/reads/descending.rs"]
mod descending;
#[path = "../../run/tests/reads/expiry.rs"]
mod expiry;
#[path = "../../run/tests/reads/fixture.rs"]
mod fixture;
#[path = "../../run/tests/reads/inline.rs"]
mod inline;
#[path = "../../run/tests/reads/keys.rs"]
mod keys;
#[path = "../../run/tests/reads/lists.rs"]
mod lists;
#[path = "../../run/tests/reads/narrow_indexes.rs"]
mod narrow_indexes;
#[path = "../../run/tests/reads/scans.rs"]
mod scans;
#[path = "../../run/tests/reads/walks.rs"]
mod walks;
