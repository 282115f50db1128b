//! Writes with the conditions of HTTP: `If-Match`, `If-None-Match` and `Idempotency-Key`.
//!
//! Each is part of the commit of the write itself. A store stands between the pattern and the tables (`store`), and adds
//! to the write what the caller asked for: that the item is still the one with the tag, or a record of the call.

mod headers;
mod record;
mod store;
mod tag;

pub(crate) use headers::{Conditions, Matching};
pub(crate) use record::{CallRecord, Known, Ledger};
pub(crate) use store::{Conditional, Guard, Verdict};
pub(crate) use tag::Tagger;
