//! Audits of derived fields that run in the background, one for each design.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use singlet_derive::AuditReport;

/// The latest audit of each design.
#[derive(Default)]
pub(crate) struct Audits {
    latest: Mutex<BTreeMap<String, Arc<AuditRun>>>,
}

/// An audit that runs or is over.
#[derive(Default)]
pub(crate) struct AuditRun {
    read: AtomicU64,
    outcome: OnceLock<Result<AuditReport, String>>,
    repaired: OnceLock<Result<u64, String>>,
}

impl Audits {
    /// The latest audit of a design.
    pub(crate) fn of(&self, design: &str) -> Option<Arc<AuditRun>> {
        self.lock().get(design).map(Arc::clone)
    }

    /// A place for a new audit of a design; `None` while one runs.
    pub(crate) fn begin(&self, design: &str) -> Option<Arc<AuditRun>> {
        let mut latest = self.lock();
        if latest.get(design).is_some_and(|run| run.outcome().is_none()) {
            return None;
        }
        let run = Arc::new(AuditRun::default());
        latest.insert(design.to_owned(), Arc::clone(&run));
        Some(run)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<AuditRun>>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AuditRun {
    /// How many items were read.
    pub(crate) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Notes how many items were read.
    pub(crate) fn note(&self, read: u64) {
        self.read.store(read, Ordering::Relaxed);
    }

    /// The result; `None` while it runs.
    pub(crate) fn outcome(&self) -> Option<&Result<AuditReport, String>> {
        self.outcome.get()
    }

    /// Ends the audit.
    pub(crate) fn end(&self, outcome: Result<AuditReport, String>) {
        drop(self.outcome.set(outcome));
    }

    /// The number of differences that were repaired; `None` before.
    pub(crate) fn repaired(&self) -> Option<&Result<u64, String>> {
        self.repaired.get()
    }

    /// Notes the result of a repair.
    pub(crate) fn note_repair(&self, repaired: Result<u64, String>) {
        drop(self.repaired.set(repaired));
    }
}
