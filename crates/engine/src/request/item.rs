//! Requests about one item: put, get, update, delete.

use singlet_expr::{Condition, Projection, Update};
use singlet_values::{AttributeValue, EncodedItem, Item};

use crate::capacity::Consumed;

/// The most bytes of an item, as DynamoDB counts them.
pub const ITEM_BYTES_MAX: usize = singlet_values::limits::ITEM_BYTES_MAX;

/// Which attributes a write returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReturnValues {
    /// Nothing.
    #[default]
    None,
    /// The item before the write.
    AllOld,
    /// The touched attributes before the write (updates only).
    UpdatedOld,
    /// The item after the write (updates only).
    AllNew,
    /// The touched attributes after the write (updates only).
    UpdatedNew,
}

/// Puts an item, replacing one with the same key.
#[derive(Debug, Clone)]
pub struct PutItem {
    /// Table name.
    pub table: String,
    /// The item.
    pub item: Item,
    /// A condition on the existing item, or on an empty item if there is none.
    pub condition: Option<Condition>,
    /// `None` or `AllOld`.
    pub return_values: ReturnValues,
    /// Whether a failed condition returns the existing item.
    pub return_old_on_failure: bool,
    /// Report the item collection's size.
    pub collection_metrics: bool,
}

impl PutItem {
    /// A put without a condition that returns nothing.
    pub fn new(table: impl Into<String>, item: Item) -> Self {
        PutItem {
            table: table.into(),
            item,
            condition: None,
            return_values: ReturnValues::None,
            return_old_on_failure: false,
            collection_metrics: false,
        }
    }

    /// Puts only if the condition holds.
    pub fn condition(mut self, condition: Condition) -> Self {
        self.condition = Some(condition);
        self
    }

    /// Returns these attributes.
    pub fn return_values(mut self, values: ReturnValues) -> Self {
        self.return_values = values;
        self
    }

    /// Returns the existing item if the condition fails.
    pub fn return_old_on_failure(mut self) -> Self {
        self.return_old_on_failure = true;
        self
    }

    /// Reports the item collection's size.
    pub fn collection_metrics(mut self) -> Self {
        self.collection_metrics = true;
        self
    }
}

/// Reads one item.
#[derive(Debug, Clone)]
pub struct GetItem {
    /// Table name.
    pub table: String,
    /// Exactly the key attributes.
    pub key: Item,
    /// Asks for a strongly consistent read. Every read is strongly consistent, but this one costs twice the capacity.
    pub consistent: bool,
    /// Return only these paths.
    pub projection: Option<Projection>,
}

impl GetItem {
    /// A strongly consistent read of the whole item.
    pub fn new(table: impl Into<String>, key: Item) -> Self {
        GetItem { table: table.into(), key, consistent: true, projection: None }
    }

    /// Returns only these paths.
    pub fn projection(mut self, projection: Projection) -> Self {
        self.projection = Some(projection);
        self
    }
}

/// Updates an item, or creates it.
#[derive(Debug, Clone)]
pub struct UpdateItem {
    /// Table name.
    pub table: String,
    /// Exactly the key attributes.
    pub key: Item,
    /// The changes. `None` only creates the item if it doesn't exist.
    pub update: Option<Update>,
    /// A condition on the existing item, or on an empty item if there is none.
    pub condition: Option<Condition>,
    /// The attributes to return.
    pub return_values: ReturnValues,
    /// Whether a failed condition returns the existing item.
    pub return_old_on_failure: bool,
    /// Report the item collection's size.
    pub collection_metrics: bool,
}

impl UpdateItem {
    /// An update without a condition that returns nothing.
    pub fn new(table: impl Into<String>, key: Item, update: Update) -> Self {
        UpdateItem {
            table: table.into(),
            key,
            update: Some(update),
            condition: None,
            return_values: ReturnValues::None,
            return_old_on_failure: false,
            collection_metrics: false,
        }
    }

    /// Updates only if the condition holds.
    pub fn condition(mut self, condition: Condition) -> Self {
        self.condition = Some(condition);
        self
    }

    /// Returns these attributes.
    pub fn return_values(mut self, values: ReturnValues) -> Self {
        self.return_values = values;
        self
    }

    /// Returns the existing item if the condition fails.
    pub fn return_old_on_failure(mut self) -> Self {
        self.return_old_on_failure = true;
        self
    }

    /// Reports the item collection's size.
    pub fn collection_metrics(mut self) -> Self {
        self.collection_metrics = true;
        self
    }
}

/// Deletes an item. Deleting a missing item succeeds.
#[derive(Debug, Clone)]
pub struct DeleteItem {
    /// Table name.
    pub table: String,
    /// Exactly the key attributes.
    pub key: Item,
    /// A condition on the existing item, or on an empty item if there is none.
    pub condition: Option<Condition>,
    /// `None` or `AllOld`.
    pub return_values: ReturnValues,
    /// Whether a failed condition returns the existing item.
    pub return_old_on_failure: bool,
    /// Report the item collection's size.
    pub collection_metrics: bool,
}

impl DeleteItem {
    /// A delete without a condition that returns nothing.
    pub fn new(table: impl Into<String>, key: Item) -> Self {
        DeleteItem {
            table: table.into(),
            key,
            condition: None,
            return_values: ReturnValues::None,
            return_old_on_failure: false,
            collection_metrics: false,
        }
    }

    /// Deletes only if the condition holds.
    pub fn condition(mut self, condition: Condition) -> Self {
        self.condition = Some(condition);
        self
    }

    /// Returns these attributes.
    pub fn return_values(mut self, values: ReturnValues) -> Self {
        self.return_values = values;
        self
    }

    /// Returns the existing item if the condition fails.
    pub fn return_old_on_failure(mut self) -> Self {
        self.return_old_on_failure = true;
        self
    }

    /// Reports the item collection's size.
    pub fn collection_metrics(mut self) -> Self {
        self.collection_metrics = true;
        self
    }
}

/// The size of the items and local index entries that share a partition key.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemCollection {
    /// Name of the partition key attribute.
    pub key_name: String,
    /// The partition key.
    pub key: AttributeValue,
    /// Lower and upper estimate in gigabytes.
    pub size_estimate_gb: (f64, f64),
}

/// The result of a write of one item.
#[derive(Debug, Clone, Default)]
pub struct WriteOutcome {
    /// The requested attributes; `None` if there are none to return.
    pub attributes: Option<EncodedItem>,
    /// Capacity used.
    pub consumed: Consumed,
    /// Item collection size, if asked for and the table has local indexes.
    pub collection: Option<ItemCollection>,
}

/// The result of a read of one item.
#[derive(Debug, Clone, Default)]
pub struct GetOutcome {
    /// The item, if it exists.
    pub item: Option<EncodedItem>,
    /// Capacity used.
    pub consumed: Consumed,
}
