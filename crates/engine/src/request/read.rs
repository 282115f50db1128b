//! Requests that read many items in order: query and scan.

use singlet_expr::{Condition, KeyCondition, Projection};
use singlet_values::{EncodedItem, Item, Kind};

use crate::capacity::Consumed;

/// The most bytes that a page reads, before the filter.
pub const PAGE_BYTES_MAX: usize = singlet_values::limits::PAGE_BYTES_MAX;

/// The attributes that a query or scan returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Select {
    /// Every attribute of the item, including those that an index doesn't project.
    AllAttributes,
    /// The attributes that the index projects.
    AllProjectedAttributes,
    /// The attributes that the projection names.
    SpecificAttributes,
    /// Only the count.
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
    /// Returns only the items that match. It doesn't reduce the capacity.
    pub filter: Option<Condition>,
    /// Whether the filter may test the key of the query. DynamoDB allows it only in PartiQL statements.
    pub filters_keys: bool,
    /// Return only these paths.
    pub projection: Option<Projection>,
    /// The attributes to return. `None` follows from the projection and the index.
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
            filters_keys: false,
            projection: None,
            select: None,
            limit: None,
            forward: true,
            consistent: true,
            start_key: None,
        }
    }

    /// Reads an index. Global indexes are read without strong consistency.
    pub fn index(mut self, name: impl Into<String>) -> Self {
        self.index = Some(name.into());
        self.consistent = false;
        self
    }

    /// Returns only the items that match.
    pub fn filter(mut self, filter: Condition) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Returns only these paths.
    pub fn projection(mut self, projection: Projection) -> Self {
        self.projection = Some(projection);
        self
    }

    /// Returns these attributes.
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

/// The key of a table or an index: the names and kinds of its attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyDescription {
    /// The attributes of the partition key.
    pub partition: Vec<(String, Kind)>,
    /// The attributes of the sort key, in order.
    pub sort: Vec<(String, Kind)>,
}

/// One part of a parallel scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanSegment {
    /// The number of the segment, from zero.
    pub segment: u32,
    /// The number of segments, 1 to 1,000,000.
    pub total: u32,
}

/// Reads all items of a table or index, in no particular order.
#[derive(Debug, Clone)]
pub struct Scan {
    /// Table name.
    pub table: String,
    /// Index name.
    pub index: Option<String>,
    /// Returns only the items that match. It doesn't reduce the capacity.
    pub filter: Option<Condition>,
    /// Return only these paths.
    pub projection: Option<Projection>,
    /// The attributes to return. `None` follows from the projection and the index.
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

    /// Returns only the items that match.
    pub fn filter(mut self, filter: Condition) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Returns only these paths.
    pub fn projection(mut self, projection: Projection) -> Self {
        self.projection = Some(projection);
        self
    }

    /// Returns these attributes.
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
