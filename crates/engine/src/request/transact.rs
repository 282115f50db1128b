//! Requests that read or write several items at one point of the commit order.

use singlet_expr::{Condition, Projection};
use singlet_values::{EncodedItem, Item};

use super::{DeleteItem, ItemCollection, PutItem, UpdateItem};
use crate::capacity::Consumed;

/// The most bytes of items that a cancelled transaction returns in its reasons. DynamoDB allows as many for all items
/// of a transaction. Later reasons come without their items.
pub const RETURNED_BYTES_MAX: usize = 4 * 1024 * 1024;

/// One action of a write transaction. The `return_values` and `collection_metrics` of its parts are ignored.
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
        /// The condition.
        condition: Condition,
        /// Whether a failed condition returns the existing item.
        return_old_on_failure: bool,
    },
}

impl TransactAction {
    /// Only checks a condition.
    pub fn check(table: impl Into<String>, key: Item, condition: Condition) -> Self {
        TransactAction::Check { table: table.into(), key, condition, return_old_on_failure: false }
    }

    /// Whether a failed condition returns the existing item.
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

/// The most actions of a transaction in the background. Other writes wait for one as a whole, so there is a limit.
pub const BACKGROUND_ACTIONS_MAX: usize = 500;

/// Writes up to 100 items, all or none.
#[derive(Debug, Clone)]
pub struct TransactWrite {
    /// The actions, each for a different item.
    pub actions: Vec<TransactAction>,
    /// A token that makes a repeated request within ten minutes return the first answer instead of writing again.
    pub token: Option<String>,
    /// Identifies the content of the request. The same token with another fingerprint is refused. Callers with
    /// requests from outside hash the request's bytes. 0 lets the engine compute it from the actions.
    pub fingerprint: u128,
    /// Report item collection sizes.
    pub collection_metrics: bool,
    /// Don't refuse other writes of the items meanwhile, whatever [`crate::Conflicts`] says: for writes in the background,
    /// which clients don't know about. Such a transaction may have [`BACKGROUND_ACTIONS_MAX`] actions.
    pub yields: bool,
}

impl TransactWrite {
    /// A transaction without a token.
    pub fn new(actions: Vec<TransactAction>) -> Self {
        TransactWrite { actions, token: None, fingerprint: 0, collection_metrics: false, yields: false }
    }

    /// Sets a token, so that a repeated request within ten minutes returns the first answer.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }
}

/// The result of a write transaction.
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

/// The result of a read transaction.
#[derive(Debug, Clone, Default)]
pub struct TransactGetOutcome {
    /// In request order.
    pub items: Vec<Option<EncodedItem>>,
    /// Capacity used, one entry for each table.
    pub consumed: Vec<Consumed>,
}
