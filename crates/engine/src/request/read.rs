//! Requests that read many items in order: query and scan.

use singlet_expr::{Condition, KeyCondition, Projection};
use singlet_values::{EncodedItem, Item};

use crate::capacity::Consumed;

/// Most bytes that a page reads, before the filter.
pub const PAGE_BYTES_MAX: usize = singlet_values::limits::PAGE_BYTES_MAX;

/// What a query or scan returns of each item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Select {
    /// Every attribute of the item, also those that an index does not project.
    AllAttributes,
    /// What the index projects.
    AllProjectedAttributes,
    /// What the projection names.
    SpecificAttributes,
    /// Nothing but the count.
    Count,
}

/// Reads the items of one partition key in sort-key order.
#[derive(Debug, Clone)]
pub struct Query {
    /// Table name.
    pub table: String,
    /// Index name.
    pub index: Option<String>,
    /// Partition key and range of sort keys.
    pub key_condition: KeyCondition,
    /// Keep only the items for which this holds; it saves no capacity.
    pub filter: Option<Condition>,
    /// Return only these paths.
    pub projection: Option<Projection>,
    /// What to return; `None` is decided by projection and index.
    pub select: Option<Select>,
    /// Evaluate at most this many items.
    pub limit: Option<usize>,
    /// Ascending order of sort keys, or descending.
    pub forward: bool,
    /// Strongly consistent; refused on global indexes.
    pub consistent: bool,
    /// Continue after this key (`LastEvaluatedKey` of the page before).
    pub start_key: Option<Item>,
}

impl Query {
    /// A strongly consistent query of a whole partition or range, ascending.
    pub fn new(table: impl Into<String>, key_condition: KeyCondition) -> Self {
        Query {
            table: table.into(),
            index: None,
            key_condition,
            filter: None,
            projection: None,
            select: None,
            limit: None,
            forward: true,
            consistent: true,
            start_key: None,
        }
    }

    /// Reads an index; global indexes are read without asking for strong consistency.
    pub fn index(mut self, name: impl Into<String>) -> Self {
        self.index = Some(name.into());
        self.consistent = false;
        self
    }

    /// Keeps only the items for which this holds.
    pub fn filter(mut self, filter: Condition) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Returns only these paths.
    pub fn projection(mut self, projection: Projection) -> Self {
        self.projection = Some(projection);
        self
    }

    /// Returns this of each item.
    pub fn select(mut self, select: Select) -> Self {
        self.select = Some(select);
        self
    }

    /// Evaluates at most this many items.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Descending order of sort keys.
    pub fn backward(mut self) -> Self {
        self.forward = false;
        self
    }

    /// Continues after a page's last key.
    pub fn start_key(mut self, key: Option<Item>) -> Self {
        self.start_key = key;
        self
    }
}

/// One part of a parallel scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanSegment {
    /// Which part, from zero.
    pub segment: u32,
    /// Of how many, 1 to 1,000,000.
    pub total: u32,
}

/// Reads all items of a table or index, in no particular order.
#[derive(Debug, Clone)]
pub struct Scan {
    /// Table name.
    pub table: String,
    /// Index name.
    pub index: Option<String>,
    /// Keep only the items for which this holds; it saves no capacity.
    pub filter: Option<Condition>,
    /// Return only these paths.
    pub projection: Option<Projection>,
    /// What to return; `None` is decided by projection and index.
    pub select: Option<Select>,
    /// Evaluate at most this many items.
    pub limit: Option<usize>,
    /// Read one segment only.
    pub segment: Option<ScanSegment>,
    /// Strongly consistent; refused on global indexes.
    pub consistent: bool,
    /// Continue after this key (`LastEvaluatedKey` of the page before).
    pub start_key: Option<Item>,
}

impl Scan {
    /// A scan of the whole table.
    pub fn new(table: impl Into<String>) -> Self {
        Scan {
            table: table.into(),
            index: None,
            filter: None,
            projection: None,
            select: None,
            limit: None,
            segment: None,
            consistent: false,
            start_key: None,
        }
    }

    /// Reads an index.
    pub fn index(mut self, name: impl Into<String>) -> Self {
        self.index = Some(name.into());
        self
    }

    /// Keeps only the items for which this holds.
    pub fn filter(mut self, filter: Condition) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Returns only these paths.
    pub fn projection(mut self, projection: Projection) -> Self {
        self.projection = Some(projection);
        self
    }

    /// Returns this of each item.
    pub fn select(mut self, select: Select) -> Self {
        self.select = Some(select);
        self
    }

    /// Evaluates at most this many items.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Reads one segment of several.
    pub fn segment(mut self, segment: u32, total: u32) -> Self {
        self.segment = Some(ScanSegment { segment, total });
        self
    }

    /// Continues after a page's last key.
    pub fn start_key(mut self, key: Option<Item>) -> Self {
        self.start_key = key;
        self
    }
}

/// A page of a query or scan.
#[derive(Debug, Clone, Default)]
pub struct PageOutcome {
    /// The items, in order; `None` for `Select::Count`.
    pub items: Option<Vec<EncodedItem>>,
    /// How many items passed the filter.
    pub count: usize,
    /// How many items were evaluated.
    pub scanned_count: usize,
    /// Where the next page starts; `None` at the end.
    pub last_key: Option<Item>,
    /// Capacity used.
    pub consumed: Consumed,
}
