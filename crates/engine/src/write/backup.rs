//! Backups in the commit order. The moment of a backup is the position of the job that begins it.

use bytes::Bytes;
use singlet_values::EncodedItem;
use std::ops::Bound;

use super::JobBatch;
use super::schema::store;
use crate::bookkeeping::{Backup, BackupState, backup_id};
use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::keyspace::RowSpace;
use crate::moment::Moment;
use crate::store::{Direction, View};
use crate::table::{ScheduleSetting, Table};

/// The backup to begin.
#[derive(Debug)]
pub(crate) enum BackupStart {
    /// A new one. Scheduled backups have a retention period.
    New { table: String, name: String, keep_ms: Option<u64> },
    /// An interrupted one, at a new moment.
    Again { id: String },
}

/// A backup whose items must be written, and the snapshot to read them from.
pub(crate) struct BegunBackup {
    pub(crate) backup: Backup,
    pub(crate) view: View<Catalogue>,
}

/// Fixes the moment of a backup.
pub(super) fn begin_backup(batch: &mut JobBatch<'_>, start: BackupStart) -> Result<BegunBackup> {
    // The writes of this job come after the moment.
    let moment = Moment { sequence: batch.sequence().saturating_sub(1), time_ms: batch.time_ms() };
    let view = batch.snapshot();
    let backup = match start {
        BackupStart::New { table, name, keep_ms } => new_backup(batch, moment, &table, name, keep_ms)?,
        BackupStart::Again { id } => again(batch, moment, &id)?,
    };
    batch.put(Backup::row(&backup.id), backup.encode().into_bytes());
    if backup.expires_ms.is_none() {
        batch.put(marker(backup.table.number, &backup.id), Bytes::new());
    }
    Ok(BegunBackup { backup, view })
}

fn new_backup(
    batch: &JobBatch<'_>,
    moment: Moment,
    table: &str,
    name: String,
    keep_ms: Option<u64>,
) -> Result<Backup> {
    let found = batch.catalogue().resource(table);
    let table = found.map_err(|_| Error::SourceTableNotFound(table.to_owned()))?;
    if table.is_loading() {
        return Err(Error::TableInUse(table.name.clone()));
    }
    let mut turn = 0;
    let id = loop {
        let id = backup_id(table, moment, turn);
        if batch.get(&Backup::row(&id))?.is_none() {
            break id;
        }
        turn += 1;
    };
    Ok(Backup {
        id,
        name,
        state: BackupState::Creating,
        moment,
        expires_ms: keep_ms.map(|keep_ms| moment.time_ms.saturating_add(keep_ms)),
        table: Table::clone(table),
        tally: batch.tally_of(table.items().tally()),
    })
}

fn again(batch: &JobBatch<'_>, moment: Moment, id: &str) -> Result<Backup> {
    let backup = read(batch, id)?;
    let table = batch.catalogue().numbered(backup.table.number);
    let table = table.ok_or_else(|| Error::SourceTableNotFound(backup.table.name.clone()))?;
    let keep_ms = backup.expires_ms.map(|expires_ms| expires_ms.saturating_sub(backup.moment.time_ms));
    Ok(Backup {
        moment,
        expires_ms: keep_ms.map(|keep_ms| moment.time_ms.saturating_add(keep_ms)),
        table: Table::clone(table),
        tally: batch.tally_of(table.items().tally()),
        ..backup
    })
}

/// Completes a backup after all its items are durable.
pub(super) fn end_backup(batch: &mut JobBatch<'_>, id: &str) -> Result<Backup> {
    let backup = Backup { state: BackupState::Available, ..read(batch, id)? };
    batch.put(Backup::row(id), backup.encode().into_bytes());
    batch.delete(marker(backup.table.number, id));
    Ok(backup)
}

/// Removes the row of a backup. Its file is removed afterwards.
pub(super) fn remove_backup(batch: &mut JobBatch<'_>, id: &str) -> Result<Backup> {
    let backup = read(batch, id)?;
    batch.delete(Backup::row(id));
    batch.delete(marker(backup.table.number, id));
    Ok(backup)
}

fn read(batch: &JobBatch<'_>, id: &str) -> Result<Backup> {
    let row = batch.get(&Backup::row(id))?.ok_or_else(|| Error::BackupNotFound(id.to_owned()))?;
    Backup::decode(&EncodedItem::from_bytes(row)).ok_or_else(|| Error::unreadable_backup(id))
}

/// Whether a caller waits for a backup of this table.
pub(super) fn is_being_backed_up(batch: &JobBatch<'_>, table: u32) -> Result<bool> {
    let (start, end) = (marker(table, ""), marker(table.saturating_add(1), ""));
    let mut rows = batch.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
    Ok(rows.next().transpose()?.is_some())
}

/// A row that marks an unfinished backup that a caller asked for. Its table must not be deleted before it is done.
/// The row sorts before all ids, which begin with a digit.
fn marker(table: u32, id: &str) -> Bytes {
    let mut rest = vec![0];
    rest.extend_from_slice(&table.to_be_bytes());
    rest.extend_from_slice(id.as_bytes());
    RowSpace::backups().key(&rest)
}

/// Sets or removes the schedule of a table.
pub(super) fn set_schedule(
    batch: &mut JobBatch<'_>,
    name: &str,
    schedule: Option<ScheduleSetting>,
) -> Result<()> {
    let mut table = Table::clone(batch.catalogue().resource(name)?);
    table.settings.schedule = schedule;
    store(batch, table);
    Ok(())
}
