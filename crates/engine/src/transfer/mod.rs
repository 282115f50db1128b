//! Exports of tables to buckets, and imports of new tables from them.
//!
//! The engine knows which items belong to a moment and how a new table is filled. The program that opens the database
//! supplies the buckets and their file formats ([`Buckets`]).
//!
//! Each export or import has a row with its status. If it was running when the database was closed, it is FAILED at
//! the next opening. Its files have no manifest, and its table is removed.

mod export;
mod import;
mod list;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};

pub(crate) use export::Asked;

use crate::background::Background;
use crate::bookkeeping::{Transfer, TransferRecord};
use crate::buckets::Buckets;
use crate::error::{Error, Invalid, Result};
use crate::pending::Pending;
use crate::recovery::Recovery;
use crate::request::{BucketPlace, ImportCounts, TransferFailure};
use crate::store::Timekeeper;
use crate::sync::{Mutex, MutexGuard};
use crate::write::Job;

/// The most bytes of changes that an export of a past moment notes at once.
const NOTED_BYTES_MAX: usize = 64 << 20;

/// The exports and imports of a database. Clones share it, and threads hold it without keeping the database open.
#[derive(Clone)]
pub(crate) struct Transfers {
    shared: Arc<TransfersShared>,
}

struct TransfersShared {
    background: Background,
    recovery: Recovery,
    time: Arc<Timekeeper>,
    buckets: Option<Arc<dyn Buckets>>,
    /// The counts of running imports, by id.
    running: Mutex<HashMap<String, ImportCounts>>,
}

/// Why a transfer failed.
enum Trouble {
    Engine(Error),
    Bucket(TransferFailure),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Trouble::Engine(error)
    }
}

impl From<TransferFailure> for Trouble {
    fn from(failure: TransferFailure) -> Self {
        Trouble::Bucket(failure)
    }
}

impl Trouble {
    fn into_failure(self) -> TransferFailure {
        match self {
            Trouble::Bucket(failure) => failure,
            Trouble::Engine(Error::Closed) => interrupted(),
            Trouble::Engine(error) => TransferFailure::new("InternalServerError", error.to_string()),
        }
    }
}

/// Runs the work of a transfer. A panic, perhaps in a decoder of the caller's files, is treated as a failure.
/// Otherwise the transfer would seem to run forever.
fn caught<T>(work: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    // Nothing that the work shared is used after a panic: its table is abandoned, and its files have no manifest.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(TransferFailure::new(
            "InternalServerError",
            "The server failed while it worked on this; its log says where.",
        )
        .into())
    })
}

/// The failure of a transfer that was running when the database was closed.
fn interrupted() -> TransferFailure {
    TransferFailure::new("Interrupted", "The database was closed before it came to an end.")
}

impl Transfers {
    pub(crate) fn new(
        background: Background,
        recovery: Recovery,
        time: Arc<Timekeeper>,
        buckets: Option<Arc<dyn Buckets>>,
    ) -> Self {
        let running = Mutex::default();
        Transfers { shared: Arc::new(TransfersShared { background, recovery, time, buckets, running }) }
    }

    /// Returns the buckets if there are any and the location is valid.
    fn buckets(&self, place: &BucketPlace) -> Result<&dyn Buckets> {
        let buckets = self.shared.buckets.as_deref().ok_or(Invalid::NoBuckets)?;
        buckets.check(place)?;
        Ok(buckets)
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, ImportCounts>> {
        // The map is consistent between any two calls.
        self.shared.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_ms(&self) -> u64 {
        self.shared.time.now_ms()
    }

    fn put<T: Transfer>(&self, record: &TransferRecord<T>) -> Result<()> {
        let (answer, pending) = Pending::channel();
        let job = Job::PutTransfer { row: record.row(), value: record.encode(), answer };
        self.shared.background.submit(job)?;
        pending.wait()
    }
}
