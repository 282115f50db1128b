//! Point-in-time recovery in the commit order: turning it on and off, and removing deleted tables.

use bytes::Bytes;

use super::JobBatch;
use super::schema::store;
use crate::bookkeeping::DeletedTable;
use crate::error::{Error, Invalid, Result};
use crate::keyspace::RowSpace;
use crate::request::UpdateRecovery;
use crate::table::{PERIOD_DAYS, PERIOD_DAYS_DEFAULT, RecoverySetting, Table};

/// Turns recovery on or off. Every change of the table after this commit is recorded.
pub(super) fn set_recovery(batch: &mut JobBatch<'_>, request: UpdateRecovery) -> Result<()> {
    let UpdateRecovery { table, enabled, period_days } = request;
    let found = batch.catalogue().resource(&table).map_err(|_| Error::SourceTableNotFound(table.clone()))?;
    let mut changed = Table::clone(found);
    if let Some(days) = period_days.filter(|days| !PERIOD_DAYS.contains(days)) {
        return Err(
            Invalid::Parameter(format!("RecoveryPeriodInDays must be between 1 and 35, not {days}")).into()
        );
    }
    let before = changed.settings.recovery;
    changed.settings.recovery = enabled.then(|| RecoverySetting {
        since_ms: before.map_or(batch.time_ms(), |setting| setting.since_ms),
        since_sequence: before.map_or(Some(batch.sequence()), |setting| setting.since_sequence),
        period_days: period_days.or(before.map(|setting| setting.period_days)).unwrap_or(PERIOD_DAYS_DEFAULT),
    });
    if changed.settings.recovery != before {
        store(batch, changed);
    }
    Ok(())
}

/// Keeps a table that is being deleted, if it has recovery. Returns whether it did; then its items stay.
pub(super) fn keep_deleted(batch: &mut JobBatch<'_>, table: &Table) -> bool {
    if table.settings.recovery.is_none() {
        return false;
    }
    let deleted = DeletedTable { table: table.clone(), deleted_ms: batch.time_ms() };
    batch.put(DeletedTable::row(table.number), deleted.encode());
    true
}

/// Corrects the time of a deletion that was recorded by a clock that was ahead.
pub(super) fn redate_deleted(batch: &mut JobBatch<'_>, table: u32) -> Result<()> {
    let row = DeletedTable::row(table);
    let Some(deleted) = batch.get(&row)?.as_ref().and_then(DeletedTable::decode) else { return Ok(()) };
    if deleted.deleted_ms > batch.time_ms() {
        let deleted = DeletedTable { deleted_ms: batch.time_ms(), ..deleted };
        batch.put(row, deleted.encode());
    }
    Ok(())
}

/// Removes a deleted table for good. Its items are removed in the background.
pub(super) fn forget_deleted(batch: &mut JobBatch<'_>, table: u32) -> Result<()> {
    let row = DeletedTable::row(table);
    if batch.get(&row)?.is_none() {
        return Ok(());
    }
    batch.delete(row);
    let items = RowSpace::items(table);
    let tally = batch.tally_of(items.tally());
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    batch.tally(items.tally(), -signed(tally.count), -signed(tally.bytes));
    batch.put(RowSpace::purges().key(&items.prefix()), Bytes::new());
    Ok(())
}
