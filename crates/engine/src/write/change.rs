//! The changes of a decided write to its table and indexes.

use std::sync::Arc;

use bytes::Bytes;
use singlet_values::EncodedItem;

use super::JobBatch;
use super::action::with_entries_bytes;
use super::collection::Collection;
use crate::capacity::{Consumed, Units, write_units};
use crate::error::Result;
use crate::keyspace::RowSpace;
use crate::request::ItemCollection;
use crate::table::{Entries, Index, IndexEntry, Table};

/// A decided write: the item before and after, and the changes that follow from it.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) table: Arc<Table>,
    pub(crate) row: Bytes,
    pub(crate) old: Option<EncodedItem>,
    pub(crate) new: Option<EncodedItem>,
    pub(crate) index_changes: Vec<IndexChange>,
    pub(crate) expiry: Option<ExpiryChange>,
    pub(crate) consumed: Consumed,
    /// The attributes that the write returns.
    pub(crate) returned: Option<EncodedItem>,
}

/// The entries of one index to remove and to write.
#[derive(Debug)]
pub(crate) struct IndexChange {
    /// The index's number.
    pub(crate) index: u16,
    /// Whether the entries count towards the item collection.
    pub(crate) local: bool,
    pub(crate) remove: Option<IndexEntry>,
    pub(crate) put: Option<IndexEntry>,
    /// The size of the entry that `put` replaces under the same key.
    pub(crate) replaced_bytes: Option<usize>,
}

/// The second at which an item expires, before and after a write that changes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpiryChange {
    pub(crate) before: Option<u64>,
    pub(crate) after: Option<u64>,
}

impl Change {
    /// A condition check: nothing changes, but it costs as much as a write of the item.
    pub(super) fn nothing(table: &Arc<Table>, row: Bytes, old: Option<EncodedItem>) -> Change {
        let mut consumed = Consumed::of(&table.name);
        consumed.table_units = Units::write(write_units(size(&old)));
        let new = old.clone();
        let index_changes = Vec::new();
        Change { table: table.clone(), row, old, new, index_changes, expiry: None, consumed, returned: None }
    }

    /// Returns the approximate number of bytes in the log.
    pub(super) fn logged_bytes(&self) -> usize {
        let before_bytes = match &self.old {
            Some(old) if self.table.settings.records_changes() => old.as_bytes().len(),
            _ => 0,
        };
        let puts = self.index_changes.iter().filter_map(|change| change.put.as_ref());
        before_bytes + self.new.as_ref().map_or(0, |new| with_entries_bytes(new, puts))
    }

    /// The deletion of an item.
    pub(super) fn deletion(table: &Arc<Table>, row: Bytes, old: Option<EncodedItem>) -> Change {
        Change::between(table, row, old, None, Entries::new())
    }

    /// Derives the changes from an item before and after, and from its index entries after.
    pub(super) fn between(
        table: &Arc<Table>,
        row: Bytes,
        old: Option<EncodedItem>,
        new: Option<EncodedItem>,
        new_entries: Entries,
    ) -> Change {
        let mut consumed = Consumed::of(&table.name);
        consumed.table_units = Units::write(write_units(size(&old).max(size(&new))));
        let mut index_changes = Vec::new();
        // Without a new item there are no new entries.
        let new_entries = new_entries.into_iter().chain(std::iter::repeat_with(|| None));
        for (index, new_entry) in table.kept_indexes().zip(new_entries) {
            // The backfill adds and counts the entries that it hasn't reached yet.
            if !index.covers(&row) {
                continue;
            }
            // An item from before the index was created may not fit it. Then it has no entry.
            let old_entry = old.as_ref().and_then(|old| index.entry(table, &row, old).ok());
            if let Some((change, units)) = IndexChange::between(index, old_entry, new_entry) {
                consumed.add_index(index.local, &index.name, Units::write(units));
                index_changes.push(change);
            }
        }
        let expiry = ExpiryChange::between(table, &row, old.as_ref(), new.as_ref());
        Change { table: table.clone(), row, old, new, index_changes, expiry, consumed, returned: None }
    }

    /// Whether the write changes nothing.
    pub(crate) fn is_nothing(&self) -> bool {
        self.old == self.new
    }

    /// Returns the growth of the item and its local index entries.
    pub(crate) fn collection_growth_bytes(&self) -> i64 {
        let local = self.index_changes.iter().filter(|change| change.local);
        let growth = signed(size(&self.new)) - signed(size(&self.old));
        growth + local.map(IndexChange::growth_bytes).sum::<i64>()
    }
}

impl Change {
    /// Adds the change to the batch: item, index entries and counts.
    pub(super) fn apply(&self, batch: &mut JobBatch<'_>) {
        if self.is_nothing() {
            return;
        }
        let table = &self.table;
        let bytes = |item: &Option<EncodedItem>| item.as_ref().map(|item| item.clone().into_bytes());
        match bytes(&self.new) {
            after if table.settings.records_changes() => {
                batch.record(self.row.clone(), bytes(&self.old), after);
            }
            Some(new) => batch.put(self.row.clone(), new),
            None => batch.delete(self.row.clone()),
        }
        let count = i64::from(self.new.is_some()) - i64::from(self.old.is_some());
        batch.tally(table.items().tally(), count, signed(size(&self.new)) - signed(size(&self.old)));
        self.apply_to_indexes(batch, table);
        self.apply_to_expiries(batch, table);
    }

    /// Maintains the row with the item's expiry time. It isn't counted and costs nothing.
    fn apply_to_expiries(&self, batch: &mut JobBatch<'_>, table: &Table) {
        let Some(ExpiryChange { before, after }) = self.expiry else { return };
        if let Some(second) = before {
            batch.delete(table.expiry_row(second, &self.row));
        }
        if let Some(second) = after {
            enter_expiry(batch, table, second, &self.row);
        }
    }

    fn apply_to_indexes(&self, batch: &mut JobBatch<'_>, table: &Table) {
        for change in &self.index_changes {
            if let Some(entry) = &change.remove {
                batch.delete(entry.key.clone());
            }
            #[cfg(simulated)]
            if crate::planted::Bug::DropsIndexEntry.is_planted() && batch.sequence().is_multiple_of(16) {
                continue;
            }
            if let Some(entry) = &change.put {
                batch.put(entry.key.clone(), entry.item.clone().into_bytes());
            }
            let space = RowSpace::index(table.number, change.index);
            batch.tally(space.tally(), change.growth_count(), change.growth_bytes());
        }
    }

    /// Applies the change and maintains the size of its item collection, if the table has any.
    pub(super) fn apply_with_collection(&self, batch: &mut JobBatch<'_>) -> Result<Option<ItemCollection>> {
        let collection = Collection::after(batch, self)?;
        self.apply(batch);
        Ok(collection.map(|collection| {
            collection.store(batch);
            collection.describe()
        }))
    }
}

impl ExpiryChange {
    /// Returns the change of an item's expiry time, or `None` if it stays. The backfill adds the times that it hasn't
    /// reached yet.
    fn between(
        table: &Table,
        row: &[u8],
        old: Option<&EncodedItem>,
        new: Option<&EncodedItem>,
    ) -> Option<ExpiryChange> {
        let ttl = table.kept_ttl(row)?;
        let second = |item: Option<&EncodedItem>| item.and_then(|item| ttl.second(item));
        let (before, after) = (second(old), second(new));
        (before != after).then_some(ExpiryChange { before, after })
    }
}

impl IndexChange {
    /// Returns the change of one index and its cost in write units, or `None` if nothing changes.
    fn between(
        index: &Index,
        old: Option<IndexEntry>,
        new: Option<IndexEntry>,
    ) -> Option<(IndexChange, f64)> {
        let (index, local) = (index.number, index.local);
        match (old, new) {
            (None, None) => None,
            (Some(old), Some(new)) if old.key == new.key => {
                if old.item == new.item {
                    return None;
                }
                let units = write_units(old.item.size_bytes().max(new.item.size_bytes()));
                let replaced_bytes = Some(old.item.size_bytes());
                Some((IndexChange { index, local, remove: None, put: Some(new), replaced_bytes }, units))
            }
            (remove, put) => {
                let units = |entry: &Option<IndexEntry>| {
                    entry.as_ref().map_or(0.0, |e| write_units(e.item.size_bytes()))
                };
                let units = units(&remove) + units(&put);
                Some((IndexChange { index, local, remove, put, replaced_bytes: None }, units))
            }
        }
    }

    /// Returns by how many entries the index grows.
    pub(crate) fn growth_count(&self) -> i64 {
        let added = self.put.is_some() && self.replaced_bytes.is_none();
        i64::from(added) - i64::from(self.remove.is_some())
    }

    /// Returns by how many bytes the index grows.
    pub(crate) fn growth_bytes(&self) -> i64 {
        let bytes =
            |entry: &Option<IndexEntry>| entry.as_ref().map_or(0, |entry| signed(entry.item.size_bytes()));
        bytes(&self.put) - bytes(&self.remove) - signed(self.replaced_bytes.unwrap_or(0))
    }
}

/// Records the second at which the item in a row expires.
pub(super) fn enter_expiry(batch: &mut JobBatch<'_>, table: &Table, second: u64, row: &[u8]) {
    batch.put(table.expiry_row(second, row), Bytes::new());
    batch.catalogue().horizon().note(table.number, second, batch.sequence());
}

/// The size of an item, or 0 without one.
pub(crate) fn size(item: &Option<EncodedItem>) -> usize {
    item.as_ref().map_or(0, EncodedItem::size_bytes)
}

/// A size as a term of a difference.
pub(crate) fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
