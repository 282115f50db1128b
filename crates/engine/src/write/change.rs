//! What a write does to the table and its indexes, decided on the item that is there.

use std::sync::Arc;

use bytes::Bytes;
use singlet_expr::Update;
use singlet_values::{EncodedItem, Item, ItemRef};

use super::action::{Action, ActionKind, with_entries_bytes};
use crate::capacity::{Consumed, Units, write_units};
use crate::error::{Error, Invalid, Result};
use crate::request::ReturnValues;
use crate::table::{Entries, Index, IndexEntry, Table, check_levels, check_size};

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

impl Action {
    /// Decides the write on the item that is there now. `table` is the table as it is at this point of the commit
    /// order: its indexes may have changed since the action was prepared.
    pub(crate) fn decide(
        self,
        table: &Arc<Table>,
        old: Option<EncodedItem>,
        values: ReturnValues,
    ) -> Result<Change> {
        let present = old.as_ref().map_or(ItemRef::EMPTY, EncodedItem::view);
        if let Some(condition) = &self.condition
            && !condition.matches(present)
        {
            let item = if self.return_old_on_failure { old } else { None };
            return Err(Error::ConditionFailed { item });
        }
        let (new, new_entries, touched) = match self.kind {
            ActionKind::Put { item, entries: prepared } => {
                let current = Arc::ptr_eq(table, &self.table);
                let entries = if current { prepared } else { table.index_entries(&self.row, &item)? };
                (Some(item), entries, None)
            }
            ActionKind::Update { key, update } => {
                let Updated { item, touched } = update_item(&key, update.as_ref(), old.as_ref(), values)?;
                let entries = match &item {
                    Some(item) => table.index_entries(&self.row, item)?,
                    None => Entries::new(),
                };
                (item, entries, touched)
            }
            ActionKind::Delete => (None, Entries::new(), None),
            ActionKind::Check => return Ok(Change::nothing(table, self.row, old)),
        };
        let mut change = Change::between(table, self.row, old, new, new_entries);
        change.returned = match values {
            ReturnValues::None => None,
            ReturnValues::AllOld => change.old.clone(),
            ReturnValues::AllNew => change.new.clone(),
            ReturnValues::UpdatedOld | ReturnValues::UpdatedNew => touched,
        };
        Ok(change)
    }
}

/// An item after an update, and the attributes that `UPDATED_OLD` or `UPDATED_NEW` ask for.
struct Updated {
    item: Option<EncodedItem>,
    touched: Option<EncodedItem>,
}

fn update_item(
    key: &EncodedItem,
    update: Option<&Update>,
    old: Option<&EncodedItem>,
    values: ReturnValues,
) -> Result<Updated> {
    let Some(update) = update else {
        return Ok(Updated { item: Some(old.unwrap_or(key).clone()), touched: None });
    };
    let updated = match old {
        Some(old) => update.apply(old.view())?,
        None if update.creates_item() => update.apply_to_new(key.view())?,
        None => return Ok(Updated { item: None, touched: None }),
    };
    let touched = match values {
        ReturnValues::UpdatedOld => updated.updated_old(),
        ReturnValues::UpdatedNew => updated.updated_new(),
        _ => Item::new(),
    };
    let touched = (!touched.is_empty()).then(|| EncodedItem::encode(&touched));
    check_levels(&updated.item)?;
    let item = EncodedItem::encode(&updated.item);
    check_size(&item, Invalid::UpdatedItemTooLarge)?;
    Ok(Updated { item: Some(item), touched })
}

impl Change {
    /// A checked item: nothing changes, but the check costs what a write of the item would.
    fn nothing(table: &Arc<Table>, row: Bytes, old: Option<EncodedItem>) -> Change {
        let mut consumed = Consumed::of(&table.name);
        consumed.table_units = Units::write(write_units(size(&old)));
        let new = old.clone();
        let index_changes = Vec::new();
        Change { table: table.clone(), row, old, new, index_changes, expiry: None, consumed, returned: None }
    }

    /// What it takes in the log, about.
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

    /// What follows from an item before and after, and its entries in the indexes after.
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
        // Where there is no new item there are no new entries.
        let new_entries = new_entries.into_iter().chain(std::iter::repeat_with(|| None));
        for (index, new_entry) in table.kept_indexes().zip(new_entries) {
            // What the backfill has not reached, it will enter itself, and count.
            if !index.covers(&row) {
                continue;
            }
            // An item from before the index was made may not fit it; then it has no entry.
            let old_entry = old.as_ref().and_then(|old| index.entry(table, &row, old).ok());
            if let Some((change, units)) = IndexChange::between(index, old_entry, new_entry) {
                consumed.add_index(index.local, &index.name, Units::write(units));
                index_changes.push(change);
            }
        }
        let expiry = ExpiryChange::between(table, &row, old.as_ref(), new.as_ref());
        Change { table: table.clone(), row, old, new, index_changes, expiry, consumed, returned: None }
    }

    /// Whether the write leaves everything as it is.
    pub(crate) fn is_nothing(&self) -> bool {
        self.old == self.new
    }

    /// By how much the item and its local index entries grow.
    pub(crate) fn collection_growth_bytes(&self) -> i64 {
        let local = self.index_changes.iter().filter(|change| change.local);
        let growth = signed(size(&self.new)) - signed(size(&self.old));
        growth + local.map(IndexChange::growth_bytes).sum::<i64>()
    }
}

impl ExpiryChange {
    /// What happens to an item's time of expiry; `None` if nothing does. What the backfill has not reached, it will
    /// enter itself.
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
    /// What happens to one index and the write units that it costs; `None` if nothing does.
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

    /// By how many entries the index grows.
    pub(crate) fn growth_count(&self) -> i64 {
        let added = self.put.is_some() && self.replaced_bytes.is_none();
        i64::from(added) - i64::from(self.remove.is_some())
    }

    /// By how many bytes the index grows.
    pub(crate) fn growth_bytes(&self) -> i64 {
        let bytes =
            |entry: &Option<IndexEntry>| entry.as_ref().map_or(0, |entry| signed(entry.item.size_bytes()));
        bytes(&self.put) - bytes(&self.remove) - signed(self.replaced_bytes.unwrap_or(0))
    }
}

/// The size of an item that may not be there.
pub(crate) fn size(item: &Option<EncodedItem>) -> usize {
    item.as_ref().map_or(0, EncodedItem::size_bytes)
}

/// A size as a term of a difference.
pub(crate) fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
