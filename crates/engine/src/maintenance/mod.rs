//! Maintenance: threads that do the work that no caller waits for.
//!
//! - `tables` fills new indexes, enters expiry times and removes deleted rows.
//! - `streams` rolls shards over and removes old ones.
//! - `expiry` deletes expired items.
//!
//! Two parts of maintenance are elsewhere, because they need internals of their modules: `recovery::maintenance` removes
//! old history, and `store::maintenance` prepares log files.

mod expiry;
mod streams;
mod sweep;
mod tables;

pub(crate) use expiry::{ExpiryThread, note_time};
pub(crate) use streams::StreamMaintenance;
pub(crate) use sweep::sweep;
pub(crate) use tables::TableMaintenance;
