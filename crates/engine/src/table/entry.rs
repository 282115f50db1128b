//! The entry of an item in an index.

use bytes::Bytes;
use singlet_values::{EncodedItem, encode_subset};

use super::{Index, KeyProblem, Table};
use crate::keyspace::PARTS_AT;
use crate::request::ProjectedAttributes;

/// One index entry: its key ends with the item's own key, so entries whose index keys are equal stay apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: Bytes,
    pub(crate) item: EncodedItem,
}

impl Index {
    /// The entry of an item. An item without one of the index's key attributes has none ([`KeyProblem::Missing`]).
    pub(crate) fn entry(
        &self,
        table: &Table,
        row: &[u8],
        item: &EncodedItem,
    ) -> Result<Entry, KeyProblem<'_>> {
        let mut key = self.key.row_key(table.entries(self), item.view())?;
        key.extend_from_slice(row.get(PARTS_AT..).unwrap_or_default());
        let item = match self.projection {
            ProjectedAttributes::All => item.clone(),
            _ => encode_subset(item.view(), |name| self.projects(table, name)),
        };
        Ok(Entry { key: key.into(), item })
    }
}
