//! Patterns that read, on the engine in this process.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod answers;
mod backend;
mod backwards;
mod buckets;
mod counts;
mod descending;
mod expiry;
mod fixture;
mod inline;
mod keys;
mod lists;
mod narrow_indexes;
mod pages;
mod ranges;
mod scans;
mod walks;
