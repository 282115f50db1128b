//! Loading a new table. Its rows arrive in jobs of bounded size, and the table can't be used before the last one.
//!
//! Rows are written like any others, so indexes, item collections and counts are correct, even if a row replaces an
//! earlier one. They cost no capacity and aren't recorded, because a table that is being loaded has no stream and no
//! recovery.

use std::sync::Arc;

use bytes::Bytes;
use singlet_values::EncodedItem;

use super::JobBatch;
use super::change::Change;
use super::schema::{describe, new_table, remove, store};
use crate::error::{Error, Result};
use crate::request::{CreateTable, TableDescription};
use crate::table::{Entries, LoadSource, Restored, Table};

/// A table that is being loaded.
#[derive(Debug)]
pub(crate) struct Loading {
    pub(crate) table: Arc<Table>,
    pub(crate) description: TableDescription,
}

/// A row to load, prepared on the loader's thread.
#[derive(Debug)]
pub(crate) struct PreparedRow {
    pub(crate) row: Bytes,
    /// The item; `None` removes the existing one.
    pub(crate) item: Option<EncodedItem>,
    pub(crate) entries: Entries,
    /// The value that must exist, if the loader knows it.
    pub(crate) expected: Expected,
}

/// The value that a row replaces.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Anything,
    Exactly(Option<EncodedItem>),
}

/// Creates a table that can't be read or written until its load ends.
pub(super) fn begin_load(
    batch: &mut JobBatch<'_>,
    definition: CreateTable,
    source: LoadSource,
    arn: &str,
) -> Result<Loading> {
    let mut table = new_table(batch, definition, arn)?;
    table.restored = Some(Restored { source, loading: true });
    let table = store(batch, table);
    let description = describe(batch, &table);
    Ok(Loading { table, description })
}

/// Writes rows of a table that is being loaded.
pub(super) fn load_rows(batch: &mut JobBatch<'_>, table_number: u32, rows: Vec<PreparedRow>) -> Result<()> {
    let table = loading(batch, table_number)?;
    for PreparedRow { row, item, entries, expected } in rows {
        let old = batch.get(&row)?.map(EncodedItem::from_bytes);
        if let Expected::Exactly(expected) = expected
            && expected != old
        {
            return Err(Error::HistoryGap);
        }
        Change::between(&table, row, old, item, entries).apply_with_collection(batch)?;
    }
    Ok(())
}

/// Opens a loaded table. `note` is a row that is written in the same commit.
pub(super) fn end_load(
    batch: &mut JobBatch<'_>,
    table_number: u32,
    note: Option<(Bytes, Bytes)>,
) -> Result<TableDescription> {
    let table = loading(batch, table_number)?;
    let restored = table.restored.clone().map(|restored| Restored { loading: false, ..restored });
    let table = store(batch, Table { restored, ..Table::clone(&table) });
    if let Some((row, value)) = note {
        batch.put(row, value);
    }
    Ok(describe(batch, &table))
}

/// Removes a table that is being loaded. Its rows are removed in the background.
pub(super) fn abandon_load(batch: &mut JobBatch<'_>, table_number: u32) -> Result<()> {
    let table = loading(batch, table_number)?;
    remove(batch, &table);
    Ok(())
}

/// The table that is being loaded under this number.
fn loading(batch: &JobBatch<'_>, table_number: u32) -> Result<Arc<Table>> {
    let table = batch.catalogue().numbered(table_number).filter(|table| table.is_loading());
    table.cloned().ok_or(Error::TableNotFound)
}
