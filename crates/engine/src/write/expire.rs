//! Deleting items whose time is over, as one job among the others.

use bytes::Bytes;
use singlet_values::EncodedItem;

use super::change::Change;
use super::{Batch, MARK_EXPIRY};
use crate::error::Result;
use crate::table::expired_seconds;

/// Deletes those items of a table that these rows of the expiry space stand for, if their time is over at this place
/// of the commit order: whoever found the rows saw an earlier state. Says how many.
pub(super) fn expire(batch: &mut Batch<'_>, table: u32, expiry_rows: Vec<Bytes>) -> Result<u64> {
    let Some(table) = batch.catalogue().numbered(table).cloned() else { return Ok(0) };
    let Some(ttl) = table.active_ttl() else { return Ok(0) };
    let due = expired_seconds(batch.time_ms() / 1000);
    batch.set_mark(MARK_EXPIRY);
    let mut expired = 0;
    for expiry_row in expiry_rows {
        let Some((second, row)) = table.read_expiry_row(&expiry_row) else { continue };
        let item = batch.get(&row)?.map(EncodedItem::from_bytes);
        if item.as_ref().and_then(|item| ttl.second(item)) != Some(second) {
            // Whoever changed the item's time removed this row. One that is there all the same would be found for ever.
            if batch.get(&expiry_row)?.is_some() {
                tracing::warn!(table = %table.name, second, "removed an expiry that belongs to no item");
                batch.delete(expiry_row);
            }
        } else if due.contains(&second) {
            Change::deletion(&table, row, item).apply_with_collection(batch)?;
            expired += 1;
        }
    }
    Ok(expired)
}
