//! Reads. Each works on one snapshot of the database.

mod batch_get;
mod bounds;
mod get;
mod page;
mod query;
mod scan;
mod source;

pub(crate) use batch_get::{batch_get, transact_get};
pub(crate) use get::get_item;
pub(crate) use query::{query, query_in_parts};
pub(crate) use scan::{scan, scan_in_parts, scan_place};
pub(crate) use source::key_of;

/// A snapshot of the database.
pub(crate) type Snapshot = crate::store::View<crate::catalogue::Catalogue>;
