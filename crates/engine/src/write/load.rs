//! Loading a new table: its rows come in jobs of bounded size, and nobody sees the table before the last one.
//!
//! Rows are written like any other, so indexes, item collections and counts come out right, also where a row replaces
//! an earlier one. They cost no capacity and leave no records for readers of the log: a table that is being loaded has
//! none.

use std::sync::Arc;

use bytes::Bytes;
use singlet_values::EncodedItem;

use super::Batch;
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

/// A row to load, made ready on the loader's thread.
#[derive(Debug)]
pub(crate) struct PreparedRow {
    pub(crate) row: Bytes,
    /// The item; `None` removes the one that is there.
    pub(crate) item: Option<EncodedItem>,
    pub(crate) entries: Entries,
    /// What must be there, if the loader knows.
    pub(crate) expected: Expected,
}

/// What a row replaces.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Anything,
    Exactly(Option<EncodedItem>),
}

/// Creates a table that nobody reads or writes until its load ends.
pub(super) fn begin_load(
    batch: &mut Batch<'_>,
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
pub(super) fn load_rows(batch: &mut Batch<'_>, table_number: u32, rows: Vec<PreparedRow>) -> Result<()> {
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

/// Opens a loaded table to everybody; `note` is a row that is written in the same commit.
pub(super) fn end_load(
    batch: &mut Batch<'_>,
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

/// Removes a table that is being loaded; its rows go in the background.
pub(super) fn abandon_load(batch: &mut Batch<'_>, table_number: u32) -> Result<()> {
    let table = loading(batch, table_number)?;
    remove(batch, &table);
    Ok(())
}

/// The table that is being loaded under this number.
fn loading(batch: &Batch<'_>, table_number: u32) -> Result<Arc<Table>> {
    let table = batch.catalogue().numbered(table_number).filter(|table| table.is_loading());
    table.cloned().ok_or(Error::TableNotFound)
}
