//! Requests and their answers, in DynamoDB's terms.
//!
//! Conditions, filters, projections and updates are trees. A store evaluates them, translates them, or prints them with
//! [`singlet_expr::Printer`]. A store rejects a tree whose `check` fails, as DynamoDB would.

use singlet_expr::{Condition, KeyCondition, Projection, Update};
use singlet_values::{EncodedItem, Item};

/// `GetItem`.
#[derive(Debug, Clone, PartialEq)]
pub struct GetItem {
    /// Table name.
    pub table: String,
    /// Exactly the key attributes.
    pub key: Item,
    /// Strongly consistent.
    pub consistent: bool,
    /// The parts of the item to return. `None` returns all of it.
    pub projection: Option<Projection>,
}

/// `BatchGetItem` of one table, with any number of keys.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchGet {
    /// Table name.
    pub table: String,
    /// Keys, all different.
    pub keys: Vec<Item>,
    /// Strongly consistent.
    pub consistent: bool,
    /// The parts of the items to return. `None` returns all of them.
    pub projection: Option<Projection>,
}

/// `TransactGetItems`.
#[derive(Debug, Clone, PartialEq)]
pub struct TransactGet {
    /// The reads. Their `consistent` has no effect.
    pub gets: Vec<GetItem>,
}

/// `Query`.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Table name.
    pub table: String,
    /// Index name.
    pub index: Option<String>,
    /// The partition and the range of sort keys to read.
    pub key: KeyCondition,
    /// Keeps only the items for which this holds. It saves no capacity.
    pub filter: Option<Condition>,
    /// The parts of the items to return. `None` returns all of them.
    pub projection: Option<Projection>,
    /// The maximum number of items to evaluate.
    pub limit: Option<u32>,
    /// Ascending.
    pub forward: bool,
    /// Strongly consistent.
    pub consistent: bool,
    /// `ExclusiveStartKey`.
    pub start_key: Option<Item>,
}

/// `Scan`.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// Table name.
    pub table: String,
    /// Index name.
    pub index: Option<String>,
    /// Keeps only the items for which this holds. It saves no capacity.
    pub filter: Option<Condition>,
    /// The parts of the items to return. `None` returns all of them.
    pub projection: Option<Projection>,
    /// The maximum number of items to evaluate.
    pub limit: Option<u32>,
    /// `ExclusiveStartKey`.
    pub start_key: Option<Item>,
}

/// The item that a write returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReturnItem {
    /// No item.
    #[default]
    None,
    /// The item before the write.
    Old,
    /// The item after the write (updates only).
    New,
}

/// `PutItem`.
#[derive(Debug, Clone, PartialEq)]
pub struct PutItem {
    /// Table name.
    pub table: String,
    /// The item.
    pub item: Item,
    /// Must hold for the existing item. A failure carries that item.
    pub condition: Option<Condition>,
    /// `None` or `Old`.
    pub returned: ReturnItem,
}

/// `UpdateItem`.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateItem {
    /// Table name.
    pub table: String,
    /// Exactly the key attributes.
    pub key: Item,
    /// The changes.
    pub update: Update,
    /// Must hold for the existing item. A failure carries that item.
    pub condition: Option<Condition>,
    /// The item that is returned.
    pub returned: ReturnItem,
}

/// `DeleteItem`.
#[derive(Debug, Clone, PartialEq)]
pub struct DeleteItem {
    /// Table name.
    pub table: String,
    /// Exactly the key attributes.
    pub key: Item,
    /// Must hold for the existing item. A failure carries that item.
    pub condition: Option<Condition>,
    /// `None` or `Old`.
    pub returned: ReturnItem,
}

/// `TransactWriteItems`.
#[derive(Debug, Clone, PartialEq)]
pub struct TransactWrite {
    /// The actions, each on another item.
    pub actions: Vec<TransactAction>,
    /// `ClientRequestToken`: a repeated request with the same token takes effect once.
    pub token: Option<String>,
    /// Other writes of the items aren't refused meanwhile, if the store can do so. For writes in the background.
    pub yields: bool,
}

/// One action of a transaction. A failed condition carries the item; `returned` has no effect.
#[derive(Debug, Clone, PartialEq)]
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
        /// Must hold for the existing item.
        condition: Condition,
    },
}

impl TransactAction {
    /// The table that the action reads or writes.
    pub fn table(&self) -> &str {
        match self {
            TransactAction::Put(put) => &put.table,
            TransactAction::Update(update) => &update.table,
            TransactAction::Delete(delete) => &delete.table,
            TransactAction::Check { table, .. } => table,
        }
    }
}

/// The capacity units that a call used, as the backend reported them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Consumed {
    /// Read units, including those of indexes.
    pub read: f64,
    /// Write units, including those of indexes.
    pub write: f64,
    /// Units per index. They are read units for a read and write units for a write.
    pub indexes: Vec<(String, f64)>,
}

impl Consumed {
    /// Adds the units of another call.
    pub fn add(&mut self, other: &Consumed) {
        self.read += other.read;
        self.write += other.write;
        for (index, units) in &other.indexes {
            self.add_index(index, *units);
        }
    }

    /// Adds units of one index.
    pub fn add_index(&mut self, index: &str, units: f64) {
        match self.indexes.iter_mut().find(|(known, _)| known == index) {
            Some((_, sum)) => *sum += units,
            None => self.indexes.push((index.to_owned(), units)),
        }
    }
}

/// The answer to a read of one item.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The item. `None` if there is none under the key.
    pub item: Option<EncodedItem>,
    /// Units used.
    pub consumed: Consumed,
}

/// The answer to a batch: the items that exist, in any order.
#[derive(Debug, Clone, Default)]
pub struct BatchFound {
    /// The items.
    pub items: Vec<EncodedItem>,
    /// Units used.
    pub consumed: Consumed,
}

/// The answer to a transaction that reads.
#[derive(Debug, Clone, Default)]
pub struct TransactFound {
    /// One for each read, in request order. `None` if there is no item under the key.
    pub items: Vec<Option<EncodedItem>>,
    /// Units used.
    pub consumed: Consumed,
}

/// A page of a [`Query`] or a [`Scan`].
#[derive(Debug, Clone)]
pub struct Page<R> {
    /// The items that passed the filter, in order.
    pub items: Vec<EncodedItem>,
    /// The same request for the page that follows: it starts at `LastEvaluatedKey`. `None` on the last page.
    pub next: Option<R>,
    /// How many items were evaluated.
    pub scanned: u32,
    /// Units used.
    pub consumed: Consumed,
}

/// The answer to a write.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// The item that the request asked for.
    pub item: Option<EncodedItem>,
    /// Units used.
    pub consumed: Consumed,
}
