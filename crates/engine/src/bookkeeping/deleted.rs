//! Deleted tables that can still be recovered.

use std::ops::Bound;

use bytes::Bytes;
use singlet_values::EncodedItem;

use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::keyspace::{PREFIX_BYTES, RowSpace};
use crate::store::{Direction, View};
use crate::table::Table;

/// A deleted table. Its items are still stored, but its indexes aren't.
#[derive(Debug, Clone)]
pub(crate) struct DeletedTable {
    pub(crate) table: Table,
    pub(crate) deleted_ms: u64,
}

impl DeletedTable {
    /// Returns the row key of a deleted table.
    pub(crate) fn row(table: u32) -> Bytes {
        RowSpace::deleted().key(&table.to_be_bytes())
    }

    pub(crate) fn encode(&self) -> Bytes {
        let mut value = self.deleted_ms.to_be_bytes().to_vec();
        value.extend_from_slice(self.table.encode().as_bytes());
        value.into()
    }

    pub(crate) fn decode(value: &Bytes) -> Option<DeletedTable> {
        let deleted_ms = u64::from_be_bytes(*value.first_chunk()?);
        let item = EncodedItem::from_bytes(value.slice(size_of::<u64>()..));
        Some(DeletedTable { table: Table::decode(&item)?, deleted_ms })
    }

    /// Returns all deleted tables, in the order of their creation.
    pub(crate) fn all(view: &View<Catalogue>) -> Result<Vec<DeletedTable>> {
        let space = RowSpace::deleted();
        let (start, end) = (space.prefix(), space.end());
        let rows = view.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
        rows.map(|row| {
            let (key, value) = row?;
            DeletedTable::decode(&value).ok_or_else(|| {
                let number = key.get(PREFIX_BYTES..).unwrap_or_default();
                Error::Storage(format!("the descriptor of the deleted table {number:?} can't be read"))
            })
        })
        .collect()
    }
}
