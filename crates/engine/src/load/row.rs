//! Rows to load, and how they are made ready for the writer.

use bytes::Bytes;
use singlet_values::EncodedItem;

use crate::error::{Invalid, Result};
use crate::keyspace::PREFIX_BYTES;
use crate::table::{KeyProblem, Table};
use crate::write::{Entries, PreparedRow, check_size};

/// A row to load into a table.
#[derive(Debug)]
pub(crate) enum LoadRow {
    /// Writes an item, in place of the one that is there.
    Put(EncodedItem),
    /// Removes the item with this row key, given without the six bytes that say which table it is of.
    Delete(Bytes),
}

impl LoadRow {
    /// The row key without table and space, as [`LoadRow::Delete`] takes it, from a whole row key.
    pub(crate) fn suffix(row: &Bytes) -> Bytes {
        row.slice(row.len().min(PREFIX_BYTES)..)
    }

    /// Checks the row and makes its key and its index entries.
    pub(super) fn prepare(self, table: &Table) -> Result<PreparedRow> {
        match self {
            LoadRow::Put(item) => {
                let row = table.key.row_key(table.items(), item.view()).map_err(KeyProblem::in_item)?;
                check_size(&item, Invalid::ItemTooLarge)?;
                let entries: Entries =
                    table.kept_indexes().map(|index| index.entry(table, &row, &item).ok()).collect();
                Ok(PreparedRow { row: row.into(), item: Some(item), entries })
            }
            LoadRow::Delete(suffix) => {
                let row = table.items().key(&suffix);
                Ok(PreparedRow { row, item: None, entries: Entries::new() })
            }
        }
    }
}
