//! The rows of an item: its own row, and its entries in the indexes of its table.

use bytes::Bytes;
use singlet_values::{AttributeValue, EncodedItem, Item, encode_subset};

use super::{Index, KeyProblem, Table};
use crate::error::{Invalid, Result};
use crate::keyspace::PARTS_AT;
use crate::request::{ITEM_BYTES_MAX, ProjectedAttributes};

/// An index entry. Its key ends with the item's own key, so entries with equal index keys are separate rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    pub(crate) key: Bytes,
    pub(crate) item: EncodedItem,
}

/// The entries of an item in the indexes of a table, in the order of [`Table::kept_indexes`].
pub(crate) type Entries = Vec<Option<IndexEntry>>;

impl Table {
    /// Validates and encodes an item, and returns it with its row key.
    pub(crate) fn encode_item(&self, item: &Item) -> Result<(Bytes, EncodedItem)> {
        check_levels(item)?;
        let item = EncodedItem::encode(item);
        let row = self.row_of(&item)?;
        check_size(&item, Invalid::ItemTooLarge)?;
        Ok((row, item))
    }

    /// Returns the row key of an item.
    pub(crate) fn row_of(&self, item: &EncodedItem) -> Result<Bytes, Invalid> {
        let row = self.key.row_key(self.items(), item.view()).map_err(KeyProblem::in_item)?;
        Ok(row.into())
    }

    /// Checks that a key has exactly the table's key attributes, and returns it encoded, with its row key.
    pub(crate) fn encode_key(&self, key: &Item) -> Result<(Bytes, EncodedItem)> {
        if key.len() != self.key.attributes().count() {
            return Err(Invalid::KeyMismatch.into());
        }
        let key = EncodedItem::encode(key);
        let row = self.key.row_key(self.items(), key.view()).map_err(KeyProblem::in_key)?;
        Ok((row.into(), key))
    }

    /// Returns the index entries of an item that is written. An index key of the wrong type is an error.
    pub(crate) fn index_entries(&self, row: &[u8], item: &EncodedItem) -> Result<Entries, Invalid> {
        self.kept_indexes()
            .map(|index| {
                let entry = match index.entry(self, row, item) {
                    // An item without the whole key isn't in the index, but the attributes that it has must fit.
                    Err(KeyProblem::Missing(_)) => index.key.check_present(item.view()).map(|()| None),
                    entry => entry.map(Some),
                };
                entry.map_err(|problem| problem.in_index(&index.name))
            })
            .collect()
    }
}

impl Index {
    /// Returns the entry of an item. [`KeyProblem::Missing`] means that the item isn't in the index.
    pub(crate) fn entry(
        &self,
        table: &Table,
        row: &[u8],
        item: &EncodedItem,
    ) -> Result<IndexEntry, KeyProblem<'_>> {
        let mut key = self.key.row_key(table.entries(self), item.view())?;
        key.extend_from_slice(row.get(PARTS_AT..).unwrap_or_default());
        let item = match self.projection {
            ProjectedAttributes::All => item.clone(),
            _ => encode_subset(item.view(), |name| self.projects(table, name)),
        };
        Ok(IndexEntry { key: key.into(), item })
    }
}

/// Refuses an item of more than 400 KB.
pub(crate) fn check_size(item: &EncodedItem, error: Invalid) -> Result<(), Invalid> {
    if item.size_bytes() > ITEM_BYTES_MAX { Err(error) } else { Ok(()) }
}

/// Refuses an item that is nested too deeply.
pub(crate) fn check_levels(item: &Item) -> Result<(), Invalid> {
    let too_deep = item.iter().any(|(_, value)| value.depth() > AttributeValue::DEPTH_MAX);
    if too_deep { Err(Invalid::TooDeep) } else { Ok(()) }
}
