//! One write as the caller's thread prepares it: everything that needs no look at the stored item is done here, so
//! that the single writer has less to do.

use std::sync::Arc;

use bytes::Bytes;
use singlet_expr::{Condition, Update};
use singlet_values::{AttributeValue, EncodedItem, Item};

use crate::catalogue::Catalogue;
use crate::error::{Invalid, Result};
use crate::request::{BatchWriteAction, DeleteItem, ITEM_BYTES_MAX, PutItem, TransactAction, UpdateItem};
use crate::table::{Entry, KeyProblem, Table};

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

/// What a write takes of the disk for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Growth {
    /// Nothing: it removes, or ends what was begun.
    Nothing,
    /// It removes, and what it removes is kept for streams and recoveries.
    Past,
    /// It adds.
    Data,
}

/// What a write does.
#[derive(Debug)]
pub(crate) enum ActionKind {
    Put { item: EncodedItem, entries: Entries },
    Update { key: EncodedItem, update: Option<Update> },
    Delete,
    Check,
}

/// The entries of an item in the indexes of a table, in the order of [`Table::kept_indexes`].
pub(crate) type Entries = Vec<Option<Entry>>;

impl Action {
    /// What it may take of the disk for good.
    pub(crate) fn growth(&self) -> Growth {
        match self.kind {
            ActionKind::Put { .. } | ActionKind::Update { .. } => Growth::Data,
            ActionKind::Delete if self.table.settings.records_changes() => Growth::Past,
            ActionKind::Delete | ActionKind::Check => Growth::Nothing,
        }
    }

    /// What it takes in the log at most, about.
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
        let (row, item) = encode_item(&table, &request.item)?;
        let entries = entries(&table, &row, &item)?;
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
        let (row, key) = encode_key(&table, &request.key)?;
        let UpdateItem { update, condition, return_old_on_failure, .. } = request;
        Ok(Action { table, row, kind: ActionKind::Update { key, update }, condition, return_old_on_failure })
    }

    /// Prepares a delete.
    pub(crate) fn delete(catalogue: &Catalogue, request: DeleteItem) -> Result<Action> {
        let table = catalogue.table(&request.table)?.clone();
        let (row, _) = encode_key(&table, &request.key)?;
        let DeleteItem { condition, return_old_on_failure, .. } = request;
        Ok(Action { table, row, kind: ActionKind::Delete, condition, return_old_on_failure })
    }

    /// Prepares one write of a batch.
    pub(crate) fn batch_write(catalogue: &Catalogue, action: BatchWriteAction) -> Result<Action> {
        let (table, kind, row) = match action {
            BatchWriteAction::Put { table, item } => {
                let table = catalogue.table(&table)?.clone();
                let (row, item) = encode_item(&table, &item)?;
                let entries = entries(&table, &row, &item)?;
                (table, ActionKind::Put { item, entries }, row)
            }
            BatchWriteAction::Delete { table, key } => {
                let table = catalogue.table(&table)?.clone();
                let (row, _) = encode_key(&table, &key)?;
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
                let (row, _) = encode_key(&table, &key)?;
                let condition = Some(condition);
                Ok(Action { table, row, kind: ActionKind::Check, condition, return_old_on_failure })
            }
        }
    }
}

/// What an item and entries of it take in the log. An entry that carries the whole item shares the item's bytes.
pub(super) fn with_entries_bytes<'a>(item: &EncodedItem, entries: impl Iterator<Item = &'a Entry>) -> usize {
    let bytes = item.as_bytes();
    let is_own = |entry: &&Entry| !std::ptr::eq(entry.item.as_bytes(), bytes);
    bytes.len() + entries.filter(is_own).map(|entry| entry.item.as_bytes().len()).sum::<usize>()
}

/// The entries of an item that is written; a wrong index key refuses the write.
pub(crate) fn entries(table: &Table, row: &[u8], item: &EncodedItem) -> Result<Entries, Invalid> {
    table
        .kept_indexes()
        .map(|index| {
            let entry = match index.entry(table, row, item) {
                // An item without the whole key isn't in the index, but what it has of the key must fit.
                Err(KeyProblem::Missing(_)) => index.key.check_present(item.view()).map(|()| None),
                entry => entry.map(Some),
            };
            entry.map_err(|problem| problem.in_index(&index.name))
        })
        .collect()
}

/// Checks and encodes an item, and makes its row key.
fn encode_item(table: &Table, item: &Item) -> Result<(Bytes, EncodedItem)> {
    check_levels(item)?;
    let item = EncodedItem::encode(item);
    let row = table.key.row_key(table.items(), item.view()).map_err(KeyProblem::in_item)?;
    check_size(&item, Invalid::ItemTooLarge)?;
    Ok((row.into(), item))
}

/// Checks that a key has exactly the table's key attributes, and makes its row key.
pub(crate) fn encode_key(table: &Table, key: &Item) -> Result<(Bytes, EncodedItem)> {
    if key.len() != table.key.attributes().count() {
        return Err(Invalid::KeyMismatch.into());
    }
    let key = EncodedItem::encode(key);
    let row = table.key.row_key(table.items(), key.view()).map_err(KeyProblem::in_key)?;
    Ok((row.into(), key))
}

/// Refuses an item of over 400 KB.
pub(crate) fn check_size(item: &EncodedItem, error: Invalid) -> Result<(), Invalid> {
    if item.size_bytes() > ITEM_BYTES_MAX { Err(error) } else { Ok(()) }
}

/// Refuses an item that is nested too deeply.
pub(crate) fn check_levels(item: &Item) -> Result<(), Invalid> {
    let too_deep = item.iter().any(|(_, value)| value.depth() > AttributeValue::DEPTH_MAX);
    if too_deep { Err(Invalid::TooDeep) } else { Ok(()) }
}
