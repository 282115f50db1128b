//! Requests that read or write several items at one point of the commit order.

use singlet_expr::{Condition, Projection};
use singlet_values::{EncodedItem, Item};

use super::{DeleteItem, ItemCollection, PutItem, UpdateItem};
use crate::capacity::Consumed;

/// Most bytes of items that a cancelled transaction returns in its reasons: as many as DynamoDB lets the items of a
/// transaction have together. Later reasons come without their items.
pub const RETURNED_BYTES_MAX: usize = 4 * 1024 * 1024;

/// One action of a write transaction. `return_values` and `collection_metrics` of the parts are not looked at.
#[derive(Debug, Clone)]
pub enum TransactAction {
    /// Puts an item.
    Put(PutItem),
    /// Updates an item.
    Update(UpdateItem),
    /// Deletes an item.
    Delete(DeleteItem),
    /// Only checks a condition.
    Check {
        /// Table name.
        table: String,
        /// Exactly the key attributes.
        key: Item,
        /// Must hold.
        condition: Condition,
        /// A failed condition carries the item that is there.
        return_old_on_failure: bool,
    },
}

impl TransactAction {
    /// Only checks a condition.
    pub fn check(table: impl Into<String>, key: Item, condition: Condition) -> Self {
        TransactAction::Check { table: table.into(), key, condition, return_old_on_failure: false }
    }

    /// Whether a failed condition carries the item that is there.
    pub fn returns_old_on_failure(&self) -> bool {
        match self {
            TransactAction::Put(put) => put.return_old_on_failure,
            TransactAction::Update(update) => update.return_old_on_failure,
            TransactAction::Delete(delete) => delete.return_old_on_failure,
            TransactAction::Check { return_old_on_failure, .. } => *return_old_on_failure,
        }
    }
}

impl From<PutItem> for TransactAction {
    fn from(put: PutItem) -> Self {
        TransactAction::Put(put)
    }
}

impl From<UpdateItem> for TransactAction {
    fn from(update: UpdateItem) -> Self {
        TransactAction::Update(update)
    }
}

impl From<DeleteItem> for TransactAction {
    fn from(delete: DeleteItem) -> Self {
        TransactAction::Delete(delete)
    }
}

/// Writes up to 100 items, all or none.
#[derive(Debug, Clone)]
pub struct TransactWrite {
    /// The actions; no item twice.
    pub actions: Vec<TransactAction>,
    /// Makes a repeat within ten minutes answer like the first call instead of writing again.
    pub token: Option<String>,
    /// Identifies the request's content: the same token with another fingerprint is refused. Callers that take
    /// requests from outside hash the request's bytes; 0 lets the engine compute it from the actions.
    pub fingerprint: u128,
    /// Report item collection sizes.
    pub collection_metrics: bool,
}

impl TransactWrite {
    /// A transaction without a token.
    pub fn new(actions: Vec<TransactAction>) -> Self {
        TransactWrite { actions, token: None, fingerprint: 0, collection_metrics: false }
    }

    /// Makes a repeat within ten minutes answer like the first call.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }
}

/// What a write transaction did.
#[derive(Debug, Clone, Default)]
pub struct TransactWriteOutcome {
    /// Capacity used, one entry for each table.
    pub consumed: Vec<Consumed>,
    /// Item collections touched, with their tables.
    pub collections: Vec<(String, ItemCollection)>,
}

/// One read of a transaction.
#[derive(Debug, Clone)]
pub struct TransactGetItem {
    /// Table name.
    pub table: String,
    /// Exactly the key attributes.
    pub key: Item,
    /// Return only these paths.
    pub projection: Option<Projection>,
}

impl TransactGetItem {
    /// Reads the whole item.
    pub fn new(table: impl Into<String>, key: Item) -> Self {
        TransactGetItem { table: table.into(), key, projection: None }
    }
}

/// Reads up to 100 items at one point of the commit order.
#[derive(Debug, Clone)]
pub struct TransactGet {
    /// The reads.
    pub items: Vec<TransactGetItem>,
}

/// What a read transaction found.
#[derive(Debug, Clone, Default)]
pub struct TransactGetOutcome {
    /// In request order.
    pub items: Vec<Option<EncodedItem>>,
    /// Capacity used, one entry for each table.
    pub consumed: Vec<Consumed>,
}
