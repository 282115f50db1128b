//! Long work in small steps: filling new indexes, recording expiry times, and removing deleted rows. Each step is a
//! job among others, so that no caller waits long for it. Its position is stored in the same commit, so that a
//! restart continues there.

use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use singlet_values::EncodedItem;

use super::change::{Change, enter_expiry, signed};
use super::schema::store;
use super::{JobBatch, MARK_EXPIRY};
use crate::error::Result;
use crate::keyspace::{PREFIX_BYTES, RowSpace};
use crate::store::Direction;
use crate::table::{Index, IndexState, Table, TtlSetting, TtlState, expired_seconds};

/// The most rows in one step.
const STEP_ROWS_MAX: usize = 512;
/// The most bytes in one step.
const STEP_BYTES_MAX: usize = 512 * 1024;

/// Whether there is more to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    Done,
    /// The remaining work needs space, and the disk is nearly full.
    Waits,
}

/// Does one step of long work. New indexes come first, because callers wait for them.
///
/// The writer chooses the work, not the maintenance thread, because it also sees changes that aren't published yet.
pub(super) fn step(batch: &mut JobBatch<'_>, may_grow: bool) -> Result<Progress> {
    let index = find_index(batch, |state| matches!(state, IndexState::Creating { .. }));
    let ttl = find_ttl(batch, |state| matches!(state, TtlState::Enabling { .. }));
    let waits = !may_grow && (index.is_some() || ttl.is_some());
    if let Some((table, index)) = index.filter(|_| may_grow) {
        backfill(batch, &table, &index)?;
    } else if let Some((table, ttl)) = ttl.filter(|_| may_grow) {
        enter_expiries(batch, &table, ttl)?;
    } else if let Some((table, index)) = find_index(batch, |state| *state == IndexState::Deleting) {
        purge_index(batch, &table, &index)?;
    } else if let Some((table, _)) = find_ttl(batch, |state| *state == TtlState::Disabling) {
        purge_expiries(batch, &table)?;
    } else if let Some(purge) = next_purge(batch)? {
        purge_space(batch, purge)?;
    } else {
        return Ok(if waits { Progress::Waits } else { Progress::Done });
    }
    Ok(Progress::More)
}

fn find_index(batch: &JobBatch<'_>, wanted: impl Fn(&IndexState) -> bool) -> Option<(Arc<Table>, Index)> {
    batch.catalogue().tables().find_map(|table| {
        let index = table.indexes.iter().find(|index| wanted(&index.state))?;
        Some((table.clone(), index.clone()))
    })
}

fn find_ttl(batch: &JobBatch<'_>, wanted: impl Fn(&TtlState) -> bool) -> Option<(Arc<Table>, TtlSetting)> {
    batch.catalogue().tables().find_map(|table| {
        let ttl = table.settings.ttl.as_ref().filter(|ttl| wanted(&ttl.state))?;
        Some((table.clone(), ttl.clone()))
    })
}

/// Records the expiry times of the next items of a table whose time to live is being turned on.
fn enter_expiries(batch: &mut JobBatch<'_>, table: &Table, mut ttl: TtlSetting) -> Result<()> {
    let TtlState::Enabling { filled_to } = &ttl.state else { return Ok(()) };
    let rows = next_rows(batch, table.items(), filled_to)?;
    for (row, value) in &rows.rows {
        if let Some(second) = ttl.second(&EncodedItem::from_bytes(value.clone())) {
            enter_expiry(batch, table, second, row);
        }
    }
    ttl.state = match rows.rows.last() {
        Some((row, _)) if rows.more => TtlState::Enabling { filled_to: row.to_vec() },
        _ => TtlState::Enabled,
    };
    store(batch, table.with_ttl(Some(ttl)));
    Ok(())
}

/// Removes the next expiry times of a table whose time to live was turned off, and finally the setting.
fn purge_expiries(batch: &mut JobBatch<'_>, table: &Table) -> Result<()> {
    if !remove_rows(batch, table.expiries())? {
        store(batch, table.with_ttl(None));
    }
    Ok(())
}

/// Adds the next items of a table to an index that is being created.
fn backfill(batch: &mut JobBatch<'_>, table: &Table, index: &Index) -> Result<()> {
    let IndexState::Creating { filled_to } = &index.state else { return Ok(()) };
    let rows = next_rows(batch, table.items(), filled_to)?;
    let (mut count, mut bytes) = (0, 0);
    for (row, value) in &rows.rows {
        let item = EncodedItem::from_bytes(value.clone());
        // An item without the key, or with a key of another type, isn't in the index.
        let Ok(entry) = index.entry(table, row, &item) else { continue };
        count += 1;
        bytes += signed(entry.item.size_bytes());
        batch.put(entry.key, entry.item.into_bytes());
    }
    batch.tally(table.entries(index).tally(), count, bytes);
    let state = match rows.rows.last() {
        Some((row, _)) if rows.more => IndexState::Creating { filled_to: row.to_vec() },
        _ => IndexState::Active,
    };
    store(batch, table.with_index_state(index.number, state));
    Ok(())
}

/// Removes the next entries of a deleted index, and finally the index.
fn purge_index(batch: &mut JobBatch<'_>, table: &Table, index: &Index) -> Result<()> {
    let space = table.entries(index);
    if !remove_rows(batch, space)? {
        let tally = batch.tally_of(space.tally());
        batch.tally(space.tally(), -(tally.count as i64), -(tally.bytes as i64));
        store(batch, table.without_index(index.number));
    }
    Ok(())
}

/// Removes the next rows of a deleted table.
fn purge_space(batch: &mut JobBatch<'_>, purge: Bytes) -> Result<()> {
    let more = match purge.get(PREFIX_BYTES..).and_then(RowSpace::from_prefix) {
        Some(space) => remove_rows(batch, space)?,
        None => false,
    };
    if !more {
        batch.delete(purge);
    }
    Ok(())
}

fn next_purge(batch: &JobBatch<'_>) -> Result<Option<Bytes>> {
    let space = RowSpace::purges();
    let (start, end) = (space.prefix(), space.end());
    let mut rows = batch.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
    Ok(rows.next().transpose()?.map(|(row, _)| row))
}

/// Removes some rows of a space and returns whether there are more.
fn remove_rows(batch: &mut JobBatch<'_>, space: RowSpace) -> Result<bool> {
    let rows = next_rows(batch, space, &space.prefix())?;
    for (row, _) in rows.rows {
        batch.delete(row);
    }
    Ok(rows.more)
}

struct Rows {
    rows: Vec<(Bytes, Bytes)>,
    more: bool,
}

/// The rows of one step, after a row key.
fn next_rows(batch: &JobBatch<'_>, space: RowSpace, after: &[u8]) -> Result<Rows> {
    let mut start = after.to_vec();
    if start.is_empty() {
        start.extend_from_slice(&space.prefix());
    } else {
        // The smallest key above `after`.
        start.push(0);
    }
    let mut rows = Vec::new();
    let mut bytes = 0;
    for row in batch.range(Bound::Included(&start), Bound::Excluded(&space.end()), Direction::Forward) {
        if rows.len() == STEP_ROWS_MAX || bytes >= STEP_BYTES_MAX {
            return Ok(Rows { rows, more: true });
        }
        let (key, value) = row?;
        bytes += key.len() + value.len();
        rows.push((key, value));
    }
    Ok(Rows { rows, more: false })
}

/// Deletes the items of these rows of the expiry space, if they have expired at this point of the commit order. The
/// expiry thread saw an earlier state. Returns the number of deleted items.
pub(super) fn expire(batch: &mut JobBatch<'_>, table: u32, expiry_rows: Vec<Bytes>) -> Result<u64> {
    let Some(table) = batch.catalogue().numbered(table).cloned() else { return Ok(0) };
    let Some(ttl) = table.active_ttl() else { return Ok(0) };
    let due = expired_seconds(batch.time_ms() / 1000);
    batch.set_mark(MARK_EXPIRY);
    let mut expired = 0;
    for expiry_row in expiry_rows {
        let Some((second, row)) = table.read_expiry_row(&expiry_row) else { continue };
        let item = batch.get(&row)?.map(EncodedItem::from_bytes);
        if item.as_ref().and_then(|item| ttl.second(item)) != Some(second) {
            // A write that changes the item's time removes this row. If it still exists, it would be found again
            // forever.
            if batch.get(&expiry_row)?.is_some() {
                tracing::warn!(table = %table.name, second, "removed an expiry time without an item");
                batch.delete(expiry_row);
            }
        } else if due.contains(&second) {
            Change::deletion(&table, row, item).apply_with_collection(batch)?;
            expired += 1;
        }
    }
    Ok(expired)
}
