//! Writes: prepared on the caller's thread, decided and applied on the single writer.

mod action;
mod backup;
mod change;
mod collection;
mod in_flight;
mod job;
mod load;
mod maintenance;
mod parts;
mod record_counts;
mod recovery;
mod schema;
mod single;
mod streams;
mod token;
mod transact;
mod transfer;

pub(crate) use action::{Action, Growth};
pub(crate) use backup::{BackupStart, BegunBackup};
pub(crate) use in_flight::{Claim, Clash, InFlight};
pub(crate) use job::{Job, JobHandler};
pub(crate) use load::{Expected, Loading, PreparedRow};
pub(crate) use maintenance::Progress;
pub(crate) use parts::{BatchAnswer, parts};
pub(crate) use record_counts::RecordCounts;
pub(crate) use single::ReturnOptions;
pub(crate) use token::{Token, decode as decode_token};
pub(crate) use transact::{Transaction, reason};
pub(crate) use transfer::{BegunExport, BegunImport};

use crate::catalogue::Catalogue;

/// The mark of a commit that deletes expired items. A caller's write has the mark 0.
pub(crate) const MARK_EXPIRY: u32 = 1;

/// The store of a database.
pub(crate) type EngineStore = crate::store::Store<Catalogue, Job>;

/// The part of a commit that one job makes.
pub(crate) type JobBatch<'a> = crate::store::Batch<'a, Catalogue>;
