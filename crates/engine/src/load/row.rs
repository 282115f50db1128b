//! Rows to load, and their preparation for the writer.

use bytes::Bytes;
use singlet_values::{EncodedItem, Item};

use crate::error::{Invalid, Result};
use crate::keyspace::PREFIX_BYTES;
use crate::table::{Entries, Table, check_size};
use crate::write::{Expected, PreparedRow};

/// A row to load into a table.
#[derive(Debug)]
pub(crate) enum LoadRow {
    /// Writes an item, replacing an existing one.
    Put(EncodedItem),
    /// Writes an item from outside. It is fully validated, as for a put.
    Foreign(Item),
    /// Writes or removes the item with this row key, given without the six bytes of table and space.
    At { suffix: Bytes, expected: Expected, item: Option<EncodedItem> },
}

impl LoadRow {
    /// Returns the row key without table and space, as [`LoadRow::At`] needs it.
    pub(crate) fn suffix(row: &Bytes) -> Bytes {
        row.slice(row.len().min(PREFIX_BYTES)..)
    }

    /// Replaces one value of a row by the next.
    pub(crate) fn replace(row: &Bytes, expected: Option<Bytes>, item: Option<Bytes>) -> LoadRow {
        let [expected, item] = [expected, item].map(|value| value.map(EncodedItem::from_bytes));
        LoadRow::At { suffix: LoadRow::suffix(row), expected: Expected::Exactly(expected), item }
    }

    /// Validates the row and creates its key and its index entries.
    pub(super) fn prepare(self, table: &Table) -> Result<PreparedRow> {
        let (row, item, expected) = match self {
            LoadRow::Put(item) => {
                let row = table.row_of(&item)?;
                check_size(&item, Invalid::ItemTooLarge)?;
                (row, Some(item), Expected::Anything)
            }
            LoadRow::Foreign(item) => {
                let (row, item) = table.encode_item(&item)?;
                let entries = table.index_entries(&row, &item)?;
                return Ok(PreparedRow { row, item: Some(item), entries, expected: Expected::Anything });
            }
            LoadRow::At { suffix, expected, item } => (table.items().key(&suffix), item, expected),
        };
        let entries = match &item {
            Some(item) => table.kept_indexes().map(|index| index.entry(table, &row, item).ok()).collect(),
            None => Entries::new(),
        };
        Ok(PreparedRow { row, item, entries, expected })
    }
}
