//! Writes of items.

use std::collections::HashSet;

use bytes::Bytes;
use xxhash_rust::xxh3::xxh3_128;

use super::Database;
use crate::error::{CancellationReason, Error, Invalid, Result};
use crate::options::Conflicts;
use crate::pending::Pending;
use crate::request::{
    BACKGROUND_ACTIONS_MAX, BatchWrite, BatchWriteOutcome, DeleteItem, PutItem, TransactAction,
    TransactWrite, TransactWriteOutcome, UpdateItem, WriteOutcome,
};
use crate::write::{Action, BatchAnswer, Claim, Clash, Job, ReturnOptions, Token, Transaction, parts};

/// The most writes in a batch.
const BATCH_ACTIONS_MAX: usize = singlet_values::limits::BATCH_WRITE_ACTIONS_MAX;
/// The most actions in a transaction.
const TRANSACTION_ACTIONS_MAX: usize = singlet_values::limits::TRANSACTION_ACTIONS_MAX;
/// The most bytes of items in a transaction.
const TRANSACTION_BYTES_MAX: usize = singlet_values::limits::TRANSACTION_BYTES_MAX;

impl Database {
    /// Puts an item.
    pub fn put_item(&self, request: PutItem) -> Result<WriteOutcome> {
        self.submit_put_item(request).wait()
    }

    /// Submits a put without waiting.
    pub fn submit_put_item(&self, request: PutItem) -> Pending<WriteOutcome> {
        let options =
            ReturnOptions { values: request.return_values, collection_metrics: request.collection_metrics };
        self.submit_write(Action::put(self.view().catalogue(), request), options)
    }

    /// Updates an item.
    pub fn update_item(&self, request: UpdateItem) -> Result<WriteOutcome> {
        self.submit_update_item(request).wait()
    }

    /// Submits an update without waiting.
    pub fn submit_update_item(&self, request: UpdateItem) -> Pending<WriteOutcome> {
        let options =
            ReturnOptions { values: request.return_values, collection_metrics: request.collection_metrics };
        self.submit_write(Action::update(self.view().catalogue(), request), options)
    }

    /// Deletes an item.
    pub fn delete_item(&self, request: DeleteItem) -> Result<WriteOutcome> {
        self.submit_delete_item(request).wait()
    }

    /// Submits a delete without waiting.
    pub fn submit_delete_item(&self, request: DeleteItem) -> Pending<WriteOutcome> {
        let options =
            ReturnOptions { values: request.return_values, collection_metrics: request.collection_metrics };
        self.submit_write(Action::delete(self.view().catalogue(), request), options)
    }

    fn submit_write(&self, action: Result<Action>, options: ReturnOptions) -> Pending<WriteOutcome> {
        let action = match action {
            Ok(action) => Box::new(action),
            Err(error) => return Pending::ready(Err(error)),
        };
        if self.inner.conflicts == Conflicts::Refuse && self.inner.in_flight.has(&action.row) {
            return Pending::ready(Err(Error::TransactionConflict));
        }
        self.look_ahead(std::iter::once(&action.row));
        let (answer, pending) = Pending::channel();
        self.submit(Job::Write { action, options, answer }, pending)
    }

    /// Reads the pages of rows that are about to be written into the cache, if the cache misses often. So the
    /// caller's thread waits for the disk, not the writer.
    fn look_ahead<'a>(&self, rows: impl Iterator<Item = &'a Bytes>) {
        if self.inner.store.take_look_ahead() {
            let view = self.view();
            // If a row can't be read, the writer reports it.
            rows.for_each(|row| _ = view.get(row));
        }
    }

    /// Writes several items.
    pub fn batch_write(&self, request: BatchWrite) -> Result<BatchWriteOutcome> {
        self.submit_batch_write(request).wait()
    }

    /// Submits a batch of writes without waiting.
    pub fn submit_batch_write(&self, request: BatchWrite) -> Pending<BatchWriteOutcome> {
        let collection_metrics = request.collection_metrics;
        match self.prepare_batch(request) {
            Ok(actions) => {
                self.look_ahead(actions.iter().map(|action| &action.row));
                let (answer, pending) = Pending::channel();
                let parts = parts(actions);
                let (count, answer) = (parts.len(), BatchAnswer::new(parts.len(), answer));
                for (done, actions) in parts.into_iter().enumerate() {
                    let job = Job::WriteBatch { actions, collection_metrics, answer: answer.clone() };
                    if let Err(error) = job.submit(&self.inner.store) {
                        answer.end(count - done, Err(error));
                        break;
                    }
                }
                pending
            }
            Err(error) => Pending::ready(Err(error)),
        }
    }

    fn prepare_batch(&self, request: BatchWrite) -> Result<Vec<Action>> {
        if request.actions.len() > BATCH_ACTIONS_MAX {
            return Err(Invalid::TooManyItems("BatchWriteItem").into());
        }
        let view = self.view();
        let actions = request.actions.into_iter().map(|action| Action::batch_write(view.catalogue(), action));
        let actions = actions.collect::<Result<Vec<_>>>()?;
        if all_distinct(&actions) { Ok(actions) } else { Err(Invalid::DuplicateKeys.into()) }
    }

    /// Writes several items, all or none.
    pub fn transact_write(&self, request: TransactWrite) -> Result<TransactWriteOutcome> {
        self.submit_transact_write(request).wait()
    }

    /// Submits a transaction without waiting.
    pub fn submit_transact_write(&self, request: TransactWrite) -> Pending<TransactWriteOutcome> {
        let yields = request.yields;
        let prepared = self.prepare_transaction(request).and_then(|transaction| {
            let claim = self.claim(&transaction, yields)?;
            Ok((transaction, claim))
        });
        match prepared {
            Ok((transaction, claim)) => {
                self.look_ahead(transaction.actions.iter().map(|action| &action.row));
                let (answer, pending) = Pending::channel();
                self.submit(Job::Transact { transaction: Box::new(transaction), claim, answer }, pending)
            }
            Err(error) => Pending::ready(Err(error)),
        }
    }

    fn prepare_transaction(&self, request: TransactWrite) -> Result<Transaction> {
        let actions_max = if request.yields { BACKGROUND_ACTIONS_MAX } else { TRANSACTION_ACTIONS_MAX };
        if request.actions.len() > actions_max {
            return Err(Invalid::TooManyItems("TransactWriteItems").into());
        }
        let token = request.token.map(|text| Token {
            text,
            fingerprint: if request.fingerprint == 0 {
                fingerprint(&request.actions)
            } else {
                request.fingerprint
            },
        });
        if request.actions.iter().map(written_bytes).sum::<usize>() > TRANSACTION_BYTES_MAX {
            return Err(Invalid::TransactionTooLarge.into());
        }
        let actions = self.prepare_actions(request.actions)?;
        if !all_distinct(&actions) {
            return Err(Invalid::DuplicateTransactionItems.into());
        }
        Ok(Transaction { actions, token, collection_metrics: request.collection_metrics })
    }

    /// Prepares the actions of a transaction. The first invalid item or key cancels it. DynamoDB gives no reason for
    /// later ones.
    fn prepare_actions(&self, requests: Vec<TransactAction>) -> Result<Vec<Action>> {
        let view = self.view();
        let mut actions = Vec::with_capacity(requests.len());
        let mut reasons = Vec::with_capacity(requests.len());
        for request in requests {
            match Action::transact(view.catalogue(), request) {
                Ok(action) => {
                    actions.push(action);
                    reasons.push(CancellationReason::None);
                }
                Err(error) => {
                    let is_first = actions.len() == reasons.len();
                    let reason = crate::write::reason(error)?;
                    reasons.push(if is_first { reason } else { CancellationReason::None });
                }
            }
        }
        if actions.len() == reasons.len() { Ok(actions) } else { Err(Error::TransactionCanceled { reasons }) }
    }

    /// Claims the transaction's items until it is durable.
    fn claim(&self, transaction: &Transaction, yields: bool) -> Result<Claim> {
        let rows: Vec<Bytes> = match self.inner.conflicts {
            Conflicts::Refuse if !yields => {
                transaction.actions.iter().map(|action| action.row.clone()).collect()
            }
            Conflicts::Refuse | Conflicts::Wait => Vec::new(),
        };
        let token = transaction.token.as_ref().map(|token| token.text.clone());
        self.inner.in_flight.claim(rows, token).map_err(|clash| match clash {
            Clash::Token => Error::TransactionInProgress,
            Clash::Rows(clashes) => {
                let reason =
                    |clash| if clash { CancellationReason::Conflict } else { CancellationReason::None };
                Error::TransactionCanceled { reasons: clashes.into_iter().map(reason).collect() }
            }
        })
    }
}

fn all_distinct(actions: &[Action]) -> bool {
    let mut seen = HashSet::with_capacity(actions.len());
    actions.iter().all(|action| seen.insert(&action.row))
}

fn written_bytes(action: &TransactAction) -> usize {
    match action {
        TransactAction::Put(put) => put.item.size_bytes(),
        TransactAction::Update(update) => update.key.size_bytes(),
        TransactAction::Delete(delete) => delete.key.size_bytes(),
        TransactAction::Check { key, .. } => key.size_bytes(),
    }
}

/// Identifies a request without a fingerprint. The debug output contains every part of it.
fn fingerprint(actions: &[TransactAction]) -> u128 {
    xxh3_128(format!("{actions:?}").as_bytes())
}
