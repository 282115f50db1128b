//! Writes of single items, alone or in a batch.

use singlet_values::EncodedItem;

use super::change::Change;
use super::{Action, JobBatch};
use crate::error::{Error, Result};
use crate::request::{BatchWriteOutcome, ReturnValues, WriteOutcome};

/// The parts of the result that a single write returns.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReturnOptions {
    pub(crate) values: ReturnValues,
    pub(crate) collection_metrics: bool,
}

/// Writes one item.
pub(super) fn write_one(
    batch: &mut JobBatch<'_>,
    action: Action,
    options: ReturnOptions,
) -> Result<WriteOutcome> {
    let change = decide(batch, action, options.values)?;
    let collection = change.apply_with_collection(batch)?;
    Ok(WriteOutcome {
        collection: collection.filter(|_| options.collection_metrics),
        attributes: change.returned,
        consumed: change.consumed,
    })
}

/// Writes the items of a batch. DynamoDB may apply only some of them after a failure; here it is one commit.
pub(super) fn write_batch(
    batch: &mut JobBatch<'_>,
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

/// Decides an action on the existing item at this point of the commit order.
pub(super) fn decide(batch: &JobBatch<'_>, action: Action, values: ReturnValues) -> Result<Change> {
    let table = batch.catalogue().numbered(action.table.number).ok_or(Error::TableNotFound)?.clone();
    let old = batch.get(&action.row)?.map(EncodedItem::from_bytes);
    action.decide(&table, old, values)
}
