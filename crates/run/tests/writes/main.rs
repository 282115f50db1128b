//! Writes through patterns, on the embedded store: derived keys, sparse indexes and unique values are right after
//! anything that callers do, one by one or at once.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod arithmetic;
mod audit;
mod backend;
mod bounds;
mod broken;
mod bulk;
mod claims;
mod computed;
mod defaults;
mod designs;
mod elements;
mod entries;
mod expiry;
mod fixture;
mod items;
mod keys;
mod laws;
mod meddler;
mod now;
mod orders;
mod parameters;
mod references;
mod targets;
mod transactions;
mod unique;
mod upserts;
mod values;
