//! Backups: complete copies of a table at one moment, each in its own file.
//!
//! Taking a backup returns quickly. A job records it in the commit order and keeps the snapshot of that point. Then a
//! thread copies the items from the snapshot into a file while writes continue. An interrupted backup is taken again
//! when the database is next opened. A restore reads the file, verifies every checksum, and fills a new table
//! ([`crate::load`]).

mod file;
mod list;
mod moment;
mod outside;
mod restore;
mod take;
#[cfg(test)]
mod tests;
mod timer;

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError};

pub(crate) use file::FileReader;
pub(crate) use moment::MomentBackup;
pub(crate) use outside::verify_file;
pub(crate) use restore::RestoreSource;

use singlet_values::Schedule;

use crate::background::Background;
use crate::bookkeeping::Backup;
use crate::error::{Error, Result};
use crate::store::{Disk, Timekeeper};
use crate::sync::{Mutex, MutexGuard};

/// The backups of a database. Clones share it, and threads hold it without keeping the database open.
#[derive(Clone)]
pub(crate) struct Backups {
    shared: Arc<BackupsShared>,
}

struct BackupsShared {
    background: Background,
    disk: Arc<dyn Disk>,
    time: Arc<Timekeeper>,
    /// The schedule of tables without their own.
    schedule: Option<Schedule>,
    uses: Mutex<HashMap<String, Use>>,
    timer_runs: AtomicBool,
}

/// Why a backup's file must not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// The number of restores that read it.
    Restored(usize),
    Deleted,
}

impl Backups {
    pub(crate) fn new(
        background: Background,
        disk: Arc<dyn Disk>,
        time: Arc<Timekeeper>,
        schedule: Option<Schedule>,
    ) -> Self {
        let (uses, timer_runs) = (Mutex::default(), AtomicBool::new(false));
        Backups { shared: Arc::new(BackupsShared { background, disk, time, schedule, uses, timer_runs }) }
    }

    fn uses(&self) -> MutexGuard<'_, HashMap<String, Use>> {
        // The map is consistent between any two calls.
        self.shared.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims a backup for a restore or for its deletion, until the claim is dropped.
    fn claim(&self, backup: &Backup, deletes: bool) -> Result<BackupClaim> {
        let mut uses = self.uses();
        let next = match (uses.get(&backup.id), deletes) {
            (None, true) => Use::Deleted,
            (None, false) => Use::Restored(1),
            (Some(Use::Restored(count)), false) => Use::Restored(count + 1),
            (Some(_), _) => return Err(Error::BackupInUse(backup.arn())),
        };
        uses.insert(backup.id.clone(), next);
        Ok(BackupClaim { backups: self.clone(), id: backup.id.clone() })
    }
}

/// A backup that is in use.
struct BackupClaim {
    backups: Backups,
    id: String,
}

impl Drop for BackupClaim {
    fn drop(&mut self) {
        let mut uses = self.backups.uses();
        match uses.get_mut(&self.id) {
            Some(Use::Restored(count)) if *count > 1 => *count -= 1,
            _ => _ = uses.remove(&self.id),
        }
    }
}

/// The name of a backup's file.
pub(crate) fn file_name(id: &str) -> String {
    format!("{FILE_PREFIX}{id}")
}

const FILE_PREFIX: &str = "backup-";
/// The suffix of a file that is being written.
const NEW_SUFFIX: &str = ".new";
