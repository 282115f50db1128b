//! Writes of single items, alone or in a batch.

use bytes::Bytes;
use singlet_values::EncodedItem;

use super::change::{Change, ExpiryChange, signed, size};
use super::collection::Collection;
use super::{Action, Batch};
use crate::error::{Error, Result};
use crate::request::{BatchWriteOutcome, ReturnValues, WriteOutcome};
use crate::table::Table;

/// What a single write is to return.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reply {
    pub(crate) values: ReturnValues,
    pub(crate) collection_metrics: bool,
}

/// Writes one item.
pub(super) fn write_one(batch: &mut Batch<'_>, action: Action, reply: Reply) -> Result<WriteOutcome> {
    let change = decide(batch, action, reply.values)?;
    let collection = change.apply_with_collection(batch)?;
    Ok(WriteOutcome {
        collection: collection.filter(|_| reply.collection_metrics),
        attributes: change.returned,
        consumed: change.consumed,
    })
}

/// Writes the items of a batch. They could be taken apart by a crash; here they never are.
pub(super) fn write_batch(
    batch: &mut Batch<'_>,
    actions: Vec<Action>,
    collection_metrics: bool,
) -> Result<BatchWriteOutcome> {
    let mut outcome = BatchWriteOutcome::default();
    let changes = actions
        .into_iter()
        .map(|action| decide(batch, action, ReturnValues::None))
        .collect::<Result<Vec<_>>>()?;
    for change in changes {
        let described = change.apply_with_collection(batch)?;
        if collection_metrics && let Some(collection) = described {
            outcome.collections.push((change.table.name.clone(), collection));
        }
        change.consumed.merge_into(&mut outcome.consumed);
    }
    Ok(outcome)
}

/// Decides an action on the item that is there at this point of the commit order.
pub(super) fn decide(batch: &Batch<'_>, action: Action, values: ReturnValues) -> Result<Change> {
    let table = batch.attachment().numbered(action.table.number).ok_or(Error::TableNotFound)?.clone();
    let old = batch.get(&action.row)?.map(EncodedItem::from_bytes);
    action.decide(&table, old, values)
}

/// Enters the second at which the item in a row expires.
pub(super) fn enter_expiry(batch: &mut Batch<'_>, table: &Table, second: u64, row: &[u8]) {
    batch.put(table.expiry_row(second, row), Bytes::new());
    batch.attachment().horizon().note(table.number, second, batch.sequence());
}

impl Change {
    /// Puts the change into the batch: item, index entries and counts.
    pub(super) fn apply(&self, batch: &mut Batch<'_>) {
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

    /// Keeps up the row that tells when the item expires. It counts in no size and costs nothing.
    fn apply_to_expiries(&self, batch: &mut Batch<'_>, table: &Table) {
        let Some(ExpiryChange { before, after }) = self.expiry else { return };
        if let Some(second) = before {
            batch.delete(table.expiry_row(second, &self.row));
        }
        if let Some(second) = after {
            enter_expiry(batch, table, second, &self.row);
        }
    }

    fn apply_to_indexes(&self, batch: &mut Batch<'_>, table: &Table) {
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
            let space = crate::keyspace::RowSpace::index(table.number, change.index);
            batch.tally(space.tally(), change.growth_count(), change.growth_bytes());
        }
    }

    /// Applies the change and keeps the size of its item collection, if the table has any.
    pub(super) fn apply_with_collection(
        &self,
        batch: &mut Batch<'_>,
    ) -> Result<Option<crate::request::ItemCollection>> {
        let collection = Collection::after(batch, self)?;
        self.apply(batch);
        Ok(collection.map(|collection| {
            collection.store(batch);
            collection.describe()
        }))
    }
}
