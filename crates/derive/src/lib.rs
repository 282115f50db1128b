//! Derived data: fields that follow from other items, kept correct from the change feed of a store.
//!
//! A design declares such a field, for example `likeCount = { type = "int", count = "Like" }`. A [`Worker`] reads the
//! changes of the tables. Each change of an item adds to, or takes from, the tallies of the items that it belongs to. The
//! net effects of a batch and the position in the feed are one transaction, so a crash neither loses nor repeats an effect.
//!
//! This crate joins designs and stores, as `singlet-run` does. It must not know which database is behind a store, and
//! neither HTTP, terminals nor files.

mod audit;
mod background;
mod commit;
mod conditional;
mod copied;
mod counted;
mod draft;
mod effects;
mod error;
mod fanner;
mod fanning;
mod fans;
mod made;
mod making;
mod mark;
mod mean;
mod outlet;
mod pair;
mod paired;
mod progress;
mod reads;
mod rebuild;
mod referring;
mod removal;
mod removed;
mod rules;
mod search;
mod seeker;
mod seen;
mod settled;
mod settling;
mod sources;
mod status;
mod sweep;
mod tally;
mod target;
mod task;
mod waiting;
mod work;
mod worker;

pub use audit::{Audit, AuditReport, Difference};
pub use background::Background;
pub use error::DeriveError;
pub use outlet::{
    ArchiveFiles, ArchivedItem, Archiver, Gap, Marks, Outlet, OutletRule, OutletStatus, OutletThread,
    PutBack, archive_status, has_archive, outlet_rules, put_back,
};
pub use rebuild::request_rebuild;
pub use settled::{Positions, Reached};
pub use status::{Counters, DerivedStatus, Phase, RuleStatus, Stuck, status, unknown_rules};
pub use worker::{Step, Worker};
