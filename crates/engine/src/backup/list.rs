//! Finding, listing and deleting backups, and tidying the folder at opening.

use std::collections::BTreeSet;
use std::ops::Bound;

use singlet_values::EncodedItem;

use super::{Backups, FILE_PREFIX, file_name};
use crate::bookkeeping::{Backup, BackupState, id_in};
use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::pending::Pending;
use crate::request::{BackupDescription, BackupStatus, ListBackups, ListBackupsOutcome};
use crate::store::{Direction, Tally, View};
use crate::write::Job;

const LIST_MAX: usize = 100;

/// Finds a backup by its ARN.
pub(super) fn find(view: &View<Catalogue>, arn: &str) -> Result<Backup> {
    let missing = || Error::BackupNotFound(arn.to_owned());
    let id = id_in(arn).ok_or_else(missing)?;
    let row = view.get(&Backup::row(id))?.ok_or_else(missing)?;
    let backup = decode(id.as_bytes(), row)?;
    if backup.arn() == arn { Ok(backup) } else { Err(missing()) }
}

/// Iterates over all backups after an id, the oldest first.
pub(super) fn rows<'v, A>(
    view: &'v View<A>,
    start: &'v [u8],
    end: &'v [u8],
) -> impl Iterator<Item = Result<Backup>> + 'v {
    view.range(Bound::Excluded(start), Bound::Excluded(end), Direction::Forward).map(|row| {
        let (key, value) = row?;
        decode(key.get(crate::keyspace::PREFIX_BYTES..).unwrap_or_default(), value)
    })
}

/// Describes a backup, including the key that its table is encrypted with.
fn describe(view: &View<Catalogue>, backup: &Backup) -> BackupDescription {
    let mut description = backup.describe(backup.status());
    let table = view.catalogue().describe(&backup.table, |_| Tally::default());
    description.source.key_arn = table.key_arn;
    description
}

/// The first possible id. The marks of unfinished backups come before it.
pub(super) fn first_row() -> bytes::Bytes {
    Backup::row("0")
}

pub(super) fn last_row() -> Vec<u8> {
    crate::keyspace::RowSpace::backups().end()
}

fn decode(id: &[u8], row: bytes::Bytes) -> Result<Backup> {
    let backup = Backup::decode(&EncodedItem::from_bytes(row));
    backup.ok_or_else(|| Error::unreadable_backup(&String::from_utf8_lossy(id)))
}

impl Backups {
    /// Describes a backup.
    pub(crate) fn describe(&self, arn: &str) -> Result<BackupDescription> {
        let view = self.shared.background.view()?;
        Ok(describe(&view, &find(&view, arn)?))
    }

    /// Lists backups.
    pub(crate) fn list(&self, request: &ListBackups) -> Result<ListBackupsOutcome> {
        let view = self.shared.background.view()?;
        let limit = request.limit.unwrap_or(LIST_MAX).clamp(1, LIST_MAX);
        let start = request.start_after.as_deref().and_then(id_in).map_or_else(first_row, Backup::row);
        let end = last_row();
        let mut outcome = ListBackupsOutcome::default();
        for backup in rows(&view, &start, &end) {
            let backup = backup?;
            let wanted = request.table.as_ref().is_none_or(|table| *table == backup.table.name)
                && request.from_ms.is_none_or(|from_ms| backup.moment.time_ms >= from_ms)
                && request.until_ms.is_none_or(|until_ms| backup.moment.time_ms < until_ms);
            if !wanted {
                continue;
            }
            if outcome.backups.len() == limit {
                outcome.last = outcome.backups.last().map(|last: &BackupDescription| last.arn.clone());
                break;
            }
            outcome.backups.push(describe(&view, &backup));
        }
        Ok(outcome)
    }

    /// Returns all backups, the oldest first.
    pub(super) fn all(&self) -> Result<Vec<Backup>> {
        let view = self.shared.background.view()?;
        rows(&view, &first_row(), &last_row()).collect()
    }

    /// Deletes a backup: first its row, then its file.
    pub(crate) fn delete(&self, arn: &str, deleted: impl FnOnce(&BackupDescription)) -> Result<()> {
        let backup = find(&*self.shared.background.view()?, arn)?;
        if backup.state == BackupState::Creating {
            return Err(Error::BackupInUse(arn.to_owned()));
        }
        let _claim = self.claim(&backup, true)?;
        // Another call may have deleted it before this claim.
        let backup = self.forget(&backup.id).map_err(|error| match error {
            Error::BackupNotFound(_) => Error::BackupNotFound(arn.to_owned()),
            other => other,
        })?;
        deleted(&backup.describe(BackupStatus::Deleted));
        self.remove_file(&file_name(&backup.id));
        Ok(())
    }

    /// Removes the row of a backup.
    pub(super) fn forget(&self, id: &str) -> Result<Backup> {
        let (answer, pending) = Pending::channel();
        self.shared.background.submit(Job::RemoveBackup { id: id.to_owned(), answer })?;
        pending.wait()
    }

    /// Removes a file. If this fails or is interrupted, the next opening removes the file, because it has no row.
    pub(super) fn remove_file(&self, name: &str) {
        let disk = &self.shared.disk;
        if let Err(error) = disk.remove(name).and_then(|()| disk.sync_directory()) {
            tracing::warn!(file = name, %error, "the file of a deleted backup could not be removed");
        }
    }

    /// Tidies the folder at opening: removes files without a backup, and returns the ids of unfinished backups.
    pub(crate) fn tidy(&self) -> Result<Vec<String>> {
        let (whole, interrupted): (Vec<_>, Vec<_>) =
            self.all()?.into_iter().partition(|backup| backup.state == BackupState::Available);
        let kept: BTreeSet<String> = whole.iter().map(|backup| file_name(&backup.id)).collect();
        let names = self.shared.disk.list().map_err(|error| Error::Backup(error.to_string()))?;
        let (files, _): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name.starts_with(FILE_PREFIX));
        for file in files.iter().filter(|file| !kept.contains(*file)) {
            tracing::info!(file, "removing a file without a backup");
            self.remove_file(file);
        }
        for missing in kept.iter().filter(|name| !files.contains(*name)) {
            tracing::error!(file = missing, "the file of a backup is missing; the backup can't be restored");
        }
        Ok(interrupted.into_iter().map(|backup| backup.id).collect())
    }
}
