//! Long work in small steps: filling new indexes, entering times of expiry and removing what was deleted. Each step is one job among the
//! others, so that nobody waits long for it, and its place is stored with it, so that a restart goes on from there.

use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use singlet_values::EncodedItem;

use super::Batch;
use super::change::{enter_expiry, signed};
use super::schema::store;
use crate::error::Result;
use crate::keyspace::{PREFIX_BYTES, RowSpace};
use crate::store::Direction;
use crate::table::{Index, IndexState, Table, TtlSetting, TtlState};

/// Most rows of one step.
const STEP_ROWS_MAX: usize = 512;
/// Most bytes of one step.
const STEP_BYTES_MAX: usize = 512 * 1024;

/// Whether there is more to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    Done,
    /// What is left would grow, and the disk is nearly full.
    Waits,
}

/// Does one step of the long work that there is. New indexes come first, because somebody waits for them.
///
/// What to do is decided here and not by whoever asks: here an order that was just given is seen, published or not.
pub(super) fn step(batch: &mut Batch<'_>, may_grow: bool) -> Result<Progress> {
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

fn find_index(batch: &Batch<'_>, wanted: impl Fn(&IndexState) -> bool) -> Option<(Arc<Table>, Index)> {
    batch.catalogue().tables().find_map(|table| {
        let index = table.indexes.iter().find(|index| wanted(&index.state))?;
        Some((table.clone(), index.clone()))
    })
}

fn find_ttl(batch: &Batch<'_>, wanted: impl Fn(&TtlState) -> bool) -> Option<(Arc<Table>, TtlSetting)> {
    batch.catalogue().tables().find_map(|table| {
        let ttl = table.settings.ttl.as_ref().filter(|ttl| wanted(&ttl.state))?;
        Some((table.clone(), ttl.clone()))
    })
}

/// Enters the times at which the next items of a table expire, because its expiry is being turned on.
fn enter_expiries(batch: &mut Batch<'_>, table: &Table, mut ttl: TtlSetting) -> Result<()> {
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

/// Removes the next times of a table whose expiry was turned off, and with the last ones the setting.
fn purge_expiries(batch: &mut Batch<'_>, table: &Table) -> Result<()> {
    if !remove_rows(batch, table.expiries())? {
        store(batch, table.with_ttl(None));
    }
    Ok(())
}

/// Enters the next items of a table into an index that is being created.
fn backfill(batch: &mut Batch<'_>, table: &Table, index: &Index) -> Result<()> {
    let IndexState::Creating { filled_to } = &index.state else { return Ok(()) };
    let rows = next_rows(batch, table.items(), filled_to)?;
    let (mut count, mut bytes) = (0, 0);
    for (row, value) in &rows.rows {
        let item = EncodedItem::from_bytes(value.clone());
        // An item that lacks the key, or has it with another type, is not in the index.
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

/// Removes the next entries of a deleted index, and with the last ones the index.
fn purge_index(batch: &mut Batch<'_>, table: &Table, index: &Index) -> Result<()> {
    let space = table.entries(index);
    if !remove_rows(batch, space)? {
        let tally = batch.tally_of(space.tally());
        batch.tally(space.tally(), -(tally.count as i64), -(tally.bytes as i64));
        store(batch, table.without_index(index.number));
    }
    Ok(())
}

/// Removes the next rows of a deleted table.
fn purge_space(batch: &mut Batch<'_>, purge: Bytes) -> Result<()> {
    let more = match purge.get(PREFIX_BYTES..).and_then(RowSpace::from_prefix) {
        Some(space) => remove_rows(batch, space)?,
        None => false,
    };
    if !more {
        batch.delete(purge);
    }
    Ok(())
}

fn next_purge(batch: &Batch<'_>) -> Result<Option<Bytes>> {
    let space = RowSpace::purges();
    let (start, end) = (space.prefix(), space.end());
    let mut rows = batch.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
    Ok(rows.next().transpose()?.map(|(row, _)| row))
}

/// Removes some rows of a space and says whether there are more.
fn remove_rows(batch: &mut Batch<'_>, space: RowSpace) -> Result<bool> {
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
fn next_rows(batch: &Batch<'_>, space: RowSpace, after: &[u8]) -> Result<Rows> {
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
