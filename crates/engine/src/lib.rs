//! Singlet's database: DynamoDB's tables, indexes, expressions and transactions on a log and a tree.
//!
//! It knows items, keys, capacity and the commit order. It must not know JSON or HTTP, which `singlet-wire` and
//! `singlet-server` add. See [`Database`] for an example.
// The package of the simulation compiles this file a second time. It has no tests, but `--all-targets` would build
// some.
#![cfg(not(all(simulated, test)))]

mod background;
mod backup;
mod bookkeeping;
mod buckets;
mod capacity;
mod catalogue;
mod compact;
mod database;
mod entropy;
mod error;
mod keyspace;
mod load;
mod maintenance;
mod moment;
mod options;
mod pending;
#[cfg(simulated)]
pub mod planted;
mod read;
mod recovery;
mod request;
pub mod store;
mod stream;
mod stream_reader;
mod sync;
mod table;
mod transfer;
mod turns;
mod verify;
mod write;

pub use buckets::{Buckets, ExportWriter, ImportReader, ImportStep, ItemChange};
pub use capacity::{Consumed, ReadKind, Units, write_units};
pub use compact::{Compacted, compact, compact_on};
pub use database::{Database, StreamPosition, Subscribe, SubscribeFrom, Subscription};
pub use error::{CancellationReason, Error, InUse, Invalid, Result, SchemaError, TimeToLiveError};
pub use moment::{RecoveryWindow, iso_time};
pub use options::{Conflicts, Options, StreamOptions};
pub use pending::{Pending, PendingFuture};
pub use request::*;
pub use singlet_expr as expr;
pub use singlet_values as values;
pub use singlet_values::{Schedule, ScheduleError};
pub use store::{
    Clock, Disk, DiskFile, FORMAT_VERSIONS, FileDisk, FileId, Key, KeyError, KeyId, Loss, ManualClock,
    MemoryDisk, StoreOptions, StoreStats, SyncPolicy, SystemClock,
};
pub use table::expired_seconds;
pub use verify::{
    Finding, Place, RowProblem, Verification, VerifiedCounts, VerifyProgress, verify, verify_on,
};

/// Runs the examples of the documentation pages.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/encryption.md")]
    struct EncryptionPage;
    #[doc = include_str!("../../../docs/recovery.md")]
    struct RecoveryPage;
    #[doc = include_str!("../../../docs/streams.md")]
    struct StreamsPage;
    #[doc = include_str!("../../../docs/ttl.md")]
    struct TimeToLivePage;
}
