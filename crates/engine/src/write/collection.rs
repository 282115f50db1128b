//! Item collections: the items and entries under one partition key in a table with local indexes, and their size.

use singlet_values::{AttributeValue, EncodedItem};

use super::JobBatch;
use super::change::{Change, signed};
use crate::error::{Error, Result};
use crate::keyspace::RowSpace;
use crate::request::ItemCollection;

/// The most bytes of an item collection.
const COLLECTION_BYTES_MAX: i64 = singlet_values::limits::COLLECTION_BYTES_MAX.cast_signed();
/// The unit of size estimates.
const GIGABYTE: f64 = 1024.0 * 1024.0 * 1024.0;

/// An item collection that a write changes.
#[derive(Debug)]
pub(crate) struct Collection {
    row: bytes::Bytes,
    key: AttributeValue,
    key_name: String,
    size_bytes: i64,
    growth_bytes: i64,
}

impl Collection {
    /// Returns the collection after the write, or `None` if the table has no collections. Refuses a write that makes
    /// it too large.
    pub(crate) fn after(batch: &JobBatch<'_>, change: &Change) -> Result<Option<Collection>> {
        if !change.table.has_collections() {
            return Ok(None);
        }
        let Some(item) = change.new.as_ref().or(change.old.as_ref()) else { return Ok(None) };
        let Some(mut collection) = Collection::of(change, item) else { return Ok(None) };
        collection.growth_bytes = change.collection_growth_bytes();
        collection.size_bytes = read_size(batch, &collection.row)? + collection.growth_bytes;
        if collection.growth_bytes > 0 && collection.size_bytes > COLLECTION_BYTES_MAX {
            return Err(Error::CollectionTooLarge);
        }
        Ok(Some(collection))
    }

    fn of(change: &Change, item: &EncodedItem) -> Option<Collection> {
        let table = &change.table;
        let row = table.key.partition_row(RowSpace::collections(table.number), item.view()).ok()?;
        let key_name = table.key.partition.first()?.name.clone();
        let key = item.view().get(&key_name)?.to_value().ok()?;
        Some(Collection { row: row.into(), key, key_name, size_bytes: 0, growth_bytes: 0 })
    }

    /// Stores the collection's size, if it changed.
    pub(crate) fn store(&self, batch: &mut JobBatch<'_>) {
        if self.growth_bytes == 0 {
            return;
        }
        if self.size_bytes > 0 {
            let size = bytes::Bytes::copy_from_slice(&self.size_bytes.to_be_bytes());
            batch.put(self.row.clone(), size);
        } else {
            batch.delete(self.row.clone());
        }
    }

    /// The collection as a write reports it.
    pub(crate) fn describe(&self) -> ItemCollection {
        let gigabytes = (self.size_bytes as f64 / GIGABYTE).floor();
        ItemCollection {
            key_name: self.key_name.clone(),
            key: self.key.clone(),
            size_estimate_gb: (gigabytes, gigabytes + 1.0),
        }
    }
}

fn read_size(batch: &JobBatch<'_>, row: &[u8]) -> Result<i64> {
    let stored = batch.get(row)?;
    let bytes = stored.as_deref().and_then(|bytes| bytes.try_into().ok());
    Ok(bytes.map_or(signed(0), i64::from_be_bytes))
}
