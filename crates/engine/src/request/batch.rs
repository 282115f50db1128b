//! Requests that read or write several items without atomicity between them.

use singlet_expr::Projection;
use singlet_values::{EncodedItem, Item};

use super::ItemCollection;
use crate::capacity::Consumed;

/// The keys to read from one table.
#[derive(Debug, Clone)]
pub struct BatchGetTable {
    /// The table's name or ARN as the caller wrote it. Answers repeat it.
    pub label: String,
    /// Table name.
    pub table: String,
    /// The keys, without duplicates.
    pub keys: Vec<Item>,
    /// Strongly consistent.
    pub consistent: bool,
    /// Return only these paths.
    pub projection: Option<Projection>,
}

impl BatchGetTable {
    /// Strongly consistent reads of whole items.
    pub fn new(table: impl Into<String>, keys: Vec<Item>) -> Self {
        let table = table.into();
        BatchGetTable { label: table.clone(), table, keys, consistent: true, projection: None }
    }
}

/// Reads up to 100 items.
#[derive(Debug, Clone)]
pub struct BatchGet {
    /// Per table.
    pub tables: Vec<BatchGetTable>,
}

/// The items that a batch read found in one table.
#[derive(Debug, Clone, Default)]
pub struct BatchGetTableOutcome {
    /// The label of the request.
    pub label: String,
    /// The items found.
    pub items: Vec<EncodedItem>,
    /// Keys that were not read because the answer would exceed 16 MB, as positions in the request's keys: ask again.
    pub unprocessed: Vec<usize>,
    /// Capacity used.
    pub consumed: Consumed,
}

/// The result of a batch read.
#[derive(Debug, Clone, Default)]
pub struct BatchGetOutcome {
    /// Per table, in request order.
    pub tables: Vec<BatchGetTableOutcome>,
}

/// One write of a batch.
#[derive(Debug, Clone)]
pub enum BatchWriteAction {
    /// Puts the item.
    Put {
        /// Table name.
        table: String,
        /// The item.
        item: Item,
    },
    /// Deletes the item with this key.
    Delete {
        /// Table name.
        table: String,
        /// Exactly the key attributes.
        key: Item,
    },
}

/// Writes up to 25 different items.
#[derive(Debug, Clone)]
pub struct BatchWrite {
    /// The writes.
    pub actions: Vec<BatchWriteAction>,
    /// Report item collection sizes.
    pub collection_metrics: bool,
}

impl BatchWrite {
    /// A batch of these writes.
    pub fn new(actions: Vec<BatchWriteAction>) -> Self {
        BatchWrite { actions, collection_metrics: false }
    }
}

/// The result of a batch write. Every action of an accepted batch is done, so nothing is left unprocessed.
#[derive(Debug, Clone, Default)]
pub struct BatchWriteOutcome {
    /// Capacity used, one entry for each table, in order of first use.
    pub consumed: Vec<Consumed>,
    /// Item collections touched, with their tables.
    pub collections: Vec<(String, ItemCollection)>,
}
