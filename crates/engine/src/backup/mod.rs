//! Backups: whole copies of a table at one moment, each in a file of its own.
//!
//! Taking one is cheap at once: a job notes it in the commit order and keeps the view of that place, and a thread copies
//! the items out of the view into a file while writes go on. A backup that is interrupted is taken anew when the
//! database is opened again. A restore reads the file, verifies every checksum, and fills a new table ([`crate::load`]).

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

/// What backups need of the database. Clones share it; threads hold it without keeping the database open.
#[derive(Clone)]
pub(crate) struct Backups {
    shared: Arc<BackupsShared>,
}

struct BackupsShared {
    background: Background,
    disk: Arc<dyn Disk>,
    time: Arc<Timekeeper>,
    /// For tables that have none of their own.
    schedule: Option<Schedule>,
    uses: Mutex<HashMap<String, Use>>,
    timer_runs: AtomicBool,
}

/// Why a backup's file must stay as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// So many restores read it.
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
        // The map is whole between any two calls.
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
/// What the name of a file ends with while it is being written.
const NEW_SUFFIX: &str = ".new";
