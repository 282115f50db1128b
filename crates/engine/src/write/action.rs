//! The preparation of one write on the caller's thread. Everything that doesn't need the stored item is done here, so
//! that the single writer has less to do.

use std::sync::Arc;

use bytes::Bytes;
use singlet_expr::{Condition, Update};
use singlet_values::{EncodedItem, Item, ItemRef};

use super::change::Change;
use crate::catalogue::Catalogue;
use crate::error::{Error, Invalid, Result};
use crate::request::{
    BatchWriteAction, DeleteItem, ITEM_BYTES_MAX, PutItem, ReturnValues, TransactAction, UpdateItem,
};
use crate::table::{Entries, IndexEntry, Table, check_levels, check_size};

/// A prepared write of one item.
#[derive(Debug)]
pub(crate) struct Action {
    pub(crate) table: Arc<Table>,
    /// The item's row key.
    pub(crate) row: Bytes,
    pub(crate) kind: ActionKind,
    pub(crate) condition: Option<Condition>,
    pub(crate) return_old_on_failure: bool,
}

/// The disk space that a write takes permanently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Growth {
    /// None: it removes something, or ends work that has begun.
    Nothing,
    /// It removes items, but streams or recovery keep them.
    Past,
    /// It adds data.
    Data,
}

/// The kind of a write.
#[derive(Debug)]
pub(crate) enum ActionKind {
    Put { item: EncodedItem, entries: Entries },
    Update { key: EncodedItem, update: Option<Update> },
    Delete,
    Check,
}

impl Action {
    /// Returns the disk space that it may take permanently.
    pub(crate) fn growth(&self) -> Growth {
        match self.kind {
            ActionKind::Put { .. } | ActionKind::Update { .. } => Growth::Data,
            ActionKind::Delete if self.table.settings.records_changes() => Growth::Past,
            ActionKind::Delete | ActionKind::Check => Growth::Nothing,
        }
    }

    /// Returns the approximate most bytes that it takes in the log.
    pub(crate) fn logged_bytes_max(&self) -> usize {
        let before_bytes = if self.table.settings.records_changes() { ITEM_BYTES_MAX } else { 0 };
        match &self.kind {
            ActionKind::Put { item, entries } => {
                before_bytes + with_entries_bytes(item, entries.iter().flatten())
            }
            ActionKind::Update { .. } => {
                before_bytes + ITEM_BYTES_MAX * (1 + self.table.kept_indexes().count())
            }
            ActionKind::Delete => before_bytes,
            ActionKind::Check => 0,
        }
    }

    /// Prepares a put.
    pub(crate) fn put(catalogue: &Catalogue, request: PutItem) -> Result<Action> {
        let table = catalogue.table(&request.table)?.clone();
        let (row, item) = table.encode_item(&request.item)?;
        let entries = table.index_entries(&row, &item)?;
        let kind = ActionKind::Put { item, entries };
        let PutItem { condition, return_old_on_failure, .. } = request;
        Ok(Action { table, row, kind, condition, return_old_on_failure })
    }

    /// Prepares an update.
    pub(crate) fn update(catalogue: &Catalogue, request: UpdateItem) -> Result<Action> {
        let table = catalogue.table(&request.table)?.clone();
        if let Some(update) = &request.update
            && let Some(name) = update.top_level_attributes().find(|name| table.key.contains(name))
        {
            return Err(Invalid::KeyUpdate(name.to_owned()).into());
        }
        let (row, key) = table.encode_key(&request.key)?;
        let UpdateItem { update, condition, return_old_on_failure, .. } = request;
        Ok(Action { table, row, kind: ActionKind::Update { key, update }, condition, return_old_on_failure })
    }

    /// Prepares a delete.
    pub(crate) fn delete(catalogue: &Catalogue, request: DeleteItem) -> Result<Action> {
        let table = catalogue.table(&request.table)?.clone();
        let (row, _) = table.encode_key(&request.key)?;
        let DeleteItem { condition, return_old_on_failure, .. } = request;
        Ok(Action { table, row, kind: ActionKind::Delete, condition, return_old_on_failure })
    }

    /// Prepares one write of a batch.
    pub(crate) fn batch_write(catalogue: &Catalogue, action: BatchWriteAction) -> Result<Action> {
        let (table, kind, row) = match action {
            BatchWriteAction::Put { table, item } => {
                let table = catalogue.table(&table)?.clone();
                let (row, item) = table.encode_item(&item)?;
                let entries = table.index_entries(&row, &item)?;
                (table, ActionKind::Put { item, entries }, row)
            }
            BatchWriteAction::Delete { table, key } => {
                let table = catalogue.table(&table)?.clone();
                let (row, _) = table.encode_key(&key)?;
                (table, ActionKind::Delete, row)
            }
        };
        Ok(Action { table, row, kind, condition: None, return_old_on_failure: false })
    }

    /// Prepares one action of a transaction.
    pub(crate) fn transact(catalogue: &Catalogue, action: TransactAction) -> Result<Action> {
        match action {
            TransactAction::Put(put) => Action::put(catalogue, put),
            TransactAction::Update(update) => Action::update(catalogue, update),
            TransactAction::Delete(delete) => Action::delete(catalogue, delete),
            TransactAction::Check { table, key, condition, return_old_on_failure } => {
                let table = catalogue.table(&table)?.clone();
                let (row, _) = table.encode_key(&key)?;
                let condition = Some(condition);
                Ok(Action { table, row, kind: ActionKind::Check, condition, return_old_on_failure })
            }
        }
    }
}

impl Action {
    /// Decides the write on the existing item. `table` is the table at this point of the commit order. Its indexes
    /// may have changed since the action was prepared.
    pub(super) fn decide(
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

/// An item after an update, and the attributes for `UPDATED_OLD` or `UPDATED_NEW`.
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

/// Returns the bytes that an item and its entries take in the log. An entry with the whole item shares the item's
/// bytes.
pub(super) fn with_entries_bytes<'a>(
    item: &EncodedItem,
    entries: impl Iterator<Item = &'a IndexEntry>,
) -> usize {
    let bytes = item.as_bytes();
    let is_own = |entry: &&IndexEntry| !std::ptr::eq(entry.item.as_bytes(), bytes);
    bytes.len() + entries.filter(is_own).map(|entry| entry.item.as_bytes().len()).sum::<usize>()
}
