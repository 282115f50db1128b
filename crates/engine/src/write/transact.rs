//! Write transactions: all actions are decided on one state, and all are applied or none.

use super::change::{Change, size};
use super::single::decide;
use super::{Action, JobBatch, Token};
use crate::capacity::{Consumed, ReadKind, Units};
use crate::error::{CancellationReason, Error, Invalid, Result};
use crate::request::{RETURNED_BYTES_MAX, ReturnValues, TransactWriteOutcome};

/// The most bytes of a transaction's items, before and after it, with their index entries. It is one commit, which is
/// in memory as a whole. The log takes a little more, for the keys.
const LOGGED_BYTES_MAX: usize = 192 << 20;

/// A prepared transaction.
#[derive(Debug)]
pub(crate) struct Transaction {
    pub(crate) actions: Vec<Action>,
    pub(crate) token: Option<Token>,
    pub(crate) collection_metrics: bool,
}

/// Executes a transaction completely or not at all.
pub(super) fn write_transaction(
    batch: &mut JobBatch<'_>,
    transaction: Transaction,
) -> Result<TransactWriteOutcome> {
    let Transaction { actions, token, collection_metrics } = transaction;
    if let Some(token) = &token
        && token.is_repeat(batch)?
    {
        return repeat(batch, &actions);
    }
    let changes = decide_all(batch, actions)?;
    let mut outcome = TransactWriteOutcome::default();
    let count = changes.len();
    for (place, mut change) in changes.into_iter().enumerate() {
        let described =
            change.apply_with_collection(batch).or_else(|error| cancel_at(place, count, error))?;
        if collection_metrics && let Some(collection) = described {
            outcome.collections.push((change.table.name.clone(), collection));
        }
        // A transaction prepares and then commits each item, so it costs twice the units on the table and once on
        // indexes.
        change.consumed.table_units.write *= 2.0;
        change.consumed.merge_into(&mut outcome.consumed);
    }
    if let Some(token) = token {
        token.store(batch)?;
    }
    Ok(outcome)
}

/// Decides every action, so that a cancellation has a reason for each.
fn decide_all(batch: &JobBatch<'_>, actions: Vec<Action>) -> Result<Vec<Change>> {
    let mut changes = Vec::with_capacity(actions.len());
    let mut reasons = Vec::with_capacity(actions.len());
    let mut returned_bytes_left = RETURNED_BYTES_MAX;
    let mut bytes = 0;
    for action in actions {
        match decide(batch, action, ReturnValues::None) {
            Ok(change) => {
                bytes += change.logged_bytes();
                if bytes > LOGGED_BYTES_MAX {
                    return Err(Invalid::TransactionTooLarge.into());
                }
                changes.push(change);
                reasons.push(CancellationReason::None);
            }
            Err(error) => reasons.push(within(reason(error)?, &mut returned_bytes_left)),
        }
    }
    if changes.len() == reasons.len() { Ok(changes) } else { Err(Error::TransactionCanceled { reasons }) }
}

/// Omits the item of a reason if earlier items have used up the limit. A small request must not cause an answer with
/// a hundred large items.
fn within(reason: CancellationReason, bytes_left: &mut usize) -> CancellationReason {
    match reason {
        CancellationReason::ConditionFailed { item: Some(item) } => {
            let left = bytes_left.checked_sub(item.as_bytes().len());
            *bytes_left = left.unwrap_or(0);
            CancellationReason::ConditionFailed { item: left.map(|_| item) }
        }
        reason => reason,
    }
}

/// Cancels the transaction because of one of its actions.
fn cancel_at<T>(place: usize, count: usize, error: Error) -> Result<T> {
    let mut reasons = vec![CancellationReason::None; count];
    if let Some(slot) = reasons.get_mut(place) {
        *slot = reason(error)?;
    }
    Err(Error::TransactionCanceled { reasons })
}

/// Returns the reason with which an error of one action cancels its transaction. Other errors fail the whole call.
pub(crate) fn reason(error: Error) -> Result<CancellationReason> {
    match error {
        Error::ConditionFailed { item } => Ok(CancellationReason::ConditionFailed { item }),
        Error::Invalid(invalid) => Ok(CancellationReason::Invalid(invalid)),
        Error::CollectionTooLarge => Ok(CancellationReason::CollectionTooLarge),
        Error::TransactionConflict => Ok(CancellationReason::Conflict),
        other => Err(other),
    }
}

/// Returns the answer to a transaction that was executed already. It costs a read of its items.
fn repeat(batch: &JobBatch<'_>, actions: &[Action]) -> Result<TransactWriteOutcome> {
    let mut outcome = TransactWriteOutcome::default();
    for action in actions {
        let item = batch.get(&action.row)?.map(singlet_values::EncodedItem::from_bytes);
        let mut consumed = Consumed::of(&action.table.name);
        consumed.table_units = Units::read(ReadKind::Transactional.units(size(&item)));
        consumed.merge_into(&mut outcome.consumed);
    }
    Ok(outcome)
}
