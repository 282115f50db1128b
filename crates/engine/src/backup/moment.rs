//! A backup as the starting point of a recovery to a later moment.

use singlet_values::EncodedItem;

use super::file::FileReader;
use super::{BackupClaim, Backups};
use crate::bookkeeping::{Backup, BackupState};
use crate::error::Result;
use crate::turns::Now;

/// A backup that is being read.
pub(crate) struct MomentBackup {
    reader: FileReader,
    backup: Backup,
    time_ms: u64,
    _claim: BackupClaim,
}

impl Backups {
    /// Returns the latest complete and readable backup of a table up to a moment.
    pub(crate) fn latest_before(&self, table_id: &str, time_ms: u64, now: &Now) -> Option<MomentBackup> {
        let candidates = self.all().ok()?.into_iter().filter(|backup| {
            backup.table.id == table_id
                && backup.state == BackupState::Available
                && backup.effective_ms(now) <= time_ms
        });
        let backup = candidates.max_by_key(|backup| backup.moment.sequence)?;
        let claim = self.claim(&backup, false).ok()?;
        let reader = self.open_stored(&backup).ok()?;
        let time_ms = backup.effective_ms(now);
        Some(MomentBackup { reader, backup, time_ms, _claim: claim })
    }
}

impl MomentBackup {
    /// The moment of the backup, in milliseconds since 1970.
    pub(crate) fn time_ms(&self) -> u64 {
        self.time_ms
    }

    /// The last commit that it contains.
    pub(crate) fn sequence(&self) -> u64 {
        self.backup.moment.sequence
    }

    /// Passes all items to a function, and verifies every checksum.
    pub(crate) fn read(mut self, mut take: impl FnMut(EncodedItem) -> Result<()>) -> Result<()> {
        while let Some(items) = self.reader.next_block()? {
            items.into_iter().try_for_each(&mut take)?;
        }
        Ok(())
    }
}
