//! Access patterns.

mod composed;

use std::sync::Arc;
use std::time::Duration;

use super::entity::Entity;
use super::table::{Index, Table};
use crate::condition::Condition;
use crate::expression::Composed;
use crate::field::{FieldType, ParameterType};
use crate::json::Json;
use crate::report::Span;
use crate::template::{Format, Template};

pub use composed::{
    Argument, Binding, Each, EachList, Gather, ListSource, ListWalk, Merge, Parts, ReadPart, Step,
    Transaction,
};

/// An access pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub about: Option<String>,
    /// Free-form labels, such as requirement ids.
    pub tags: Vec<String>,
    /// The expected rate of calls.
    pub rate: Option<Rate>,
    /// The share of calls that use the busiest key, between 0 and 1.
    pub busiest: Option<f64>,
    /// The field that identifies the owner of the items.
    pub owner: Option<String>,
    /// Its path below the design, if the design gives one: `/posts/{post_id}`.
    pub path: Option<String>,
    /// Whether only other patterns can run it, as a step or part.
    pub internal: bool,
    /// Whether it is written inside the pattern that runs it. Its name is that of the other pattern and of the step or
    /// part: `place_order.stock`.
    pub inline: bool,
    /// The latency target.
    pub within: Option<Duration>,
    /// The parameters, in order of first use.
    pub parameters: Vec<Parameter>,
    /// Its operation.
    pub operation: Operation,
    /// Its position in the file.
    pub span: Span,
}

impl Pattern {
    /// Returns the parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Returns whether it only reads.
    pub fn reads(&self) -> bool {
        use Operation::{BatchGet, Count, Exists, Gather, Get, Merge, Parts, Query, Scan};
        matches!(
            self.operation,
            Get(_)
                | Exists(_)
                | BatchGet(_)
                | Query(_)
                | Count(_)
                | Scan(_)
                | Parts(_)
                | Merge(_)
                | Gather(_)
        )
    }

    /// Returns the query that it reads or counts.
    pub fn query(&self) -> Option<&Query> {
        match &self.operation {
            Operation::Query(query) | Operation::Count(Count { query, .. }) => Some(query),
            _ => None,
        }
    }

    /// Returns the walk over a list, if it is one.
    pub fn walk(&self) -> Option<&ListWalk> {
        match &self.operation {
            Operation::Merge(merge) => Some(&merge.walk),
            Operation::Gather(gather) => Some(&gather.walk),
            Operation::Claim(walk) | Operation::Bulk(walk) => Some(walk),
            _ => None,
        }
    }

    /// Returns the patterns that it runs as steps or parts, in order.
    pub fn runs(&self) -> Vec<&Arc<Pattern>> {
        match &self.operation {
            Operation::Transaction(transaction) => {
                transaction.steps.iter().map(|step| &step.pattern).collect()
            }
            Operation::Parts(parts) => parts.parts.iter().map(|part| &part.pattern).collect(),
            _ => self.walk().map(ListWalk::runs).unwrap_or_default(),
        }
    }

    /// Returns the entities that it writes, including those of its steps, in order. Empty for a read.
    pub fn written(&self) -> Vec<&Arc<Entity>> {
        match &self.operation {
            Operation::Create(insert) | Operation::Put(insert) => vec![&insert.entity],
            Operation::Update(update) => vec![&update.entity],
            Operation::Transaction(transaction) => {
                transaction.steps.iter().flat_map(|step| step.pattern.written()).collect()
            }
            Operation::Claim(walk) | Operation::Bulk(walk) => walk.run.written(),
            _ => Vec::new(),
        }
    }

    /// Returns the references that it checks in the transaction that writes the item. Empty for composed patterns, whose
    /// steps have them.
    pub fn checked_references(&self) -> &[Reference] {
        match &self.operation {
            Operation::Create(insert) | Operation::Put(insert) => &insert.must_exist,
            Operation::Update(update) => &update.must_exist,
            _ => &[],
        }
    }

    /// Returns the entities that it reads or writes, possibly with duplicates.
    pub fn entities(&self) -> Vec<&Arc<Entity>> {
        match &self.operation {
            Operation::Get(get) | Operation::Exists(get) => vec![&get.entity],
            Operation::BatchGet(get) => vec![&get.entity],
            Operation::Query(query) | Operation::Count(Count { query, .. }) => {
                query.entities.iter().collect()
            }
            Operation::Scan(scan) => vec![&scan.entity],
            Operation::Create(insert) | Operation::Put(insert) => vec![&insert.entity],
            Operation::Update(update) => vec![&update.entity],
            Operation::Delete(delete) => vec![&delete.entity],
            Operation::Check(check) => vec![&check.entity],
            Operation::Transaction(transaction) => {
                transaction.steps.iter().flat_map(|step| step.pattern.entities()).collect()
            }
            Operation::Parts(parts) => parts.parts.iter().flat_map(|part| part.pattern.entities()).collect(),
            Operation::Merge(Merge { walk, .. })
            | Operation::Gather(Gather { walk, .. })
            | Operation::Claim(walk)
            | Operation::Bulk(walk) => walk.runs().into_iter().flat_map(|run| run.entities()).collect(),
        }
    }
}

/// A rate of calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Calls per second.
    pub per_second: f64,
}

/// A parameter of a pattern.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: ParameterType,
    /// Whether the caller must give it.
    pub required: bool,
    /// Its purpose.
    pub about: Option<String>,
}

/// The operation of a pattern.
#[derive(Debug, Clone)]
pub enum Operation {
    /// Reads one item.
    Get(Get),
    /// Checks whether an item exists.
    Exists(Get),
    /// Reads several items by key.
    BatchGet(BatchGet),
    /// Reads a page of items in order.
    Query(Query),
    /// Counts the items of a query.
    Count(Count),
    /// Reads a page of a table or index, in no order.
    Scan(Scan),
    /// Writes a new item; refused if it exists.
    Create(Insert),
    /// Writes an item and replaces an existing one.
    Put(Insert),
    /// Changes an existing item, or creates it if it is missing.
    Update(Update),
    /// Deletes an item.
    Delete(Delete),
    /// Checks a condition on an item, in a transaction.
    Check(Check),
    /// Runs several writes, all or none.
    Transaction(Transaction),
    /// Runs several reads at once.
    Parts(Parts),
    /// Runs a query for each element of a list, and merges the results in order.
    Merge(Merge),
    /// Runs a query for each element of a list, and groups the results by a field, those with the most hits first.
    Gather(Gather),
    /// Changes or deletes the first item of a list for which that is possible.
    Claim(ListWalk),
    /// Runs a write for each element of a list, in batches.
    Bulk(ListWalk),
}

/// Reads one item by the table's key, or the first item under an index's key.
#[derive(Debug, Clone)]
pub struct Get {
    /// The entity.
    pub entity: Arc<Entity>,
    /// The index to read instead of the table.
    pub on: Option<Arc<Index>>,
    /// The key to read, if the pattern gives one.
    pub key: Option<AskedKey>,
    /// The fields that the caller knows, if the pattern names them.
    pub by: Option<Vec<String>>,
    /// Whether the read is strongly consistent.
    pub consistent: bool,
    /// The fields to return; `None` returns all.
    pub show: Option<Vec<String>>,
    /// The references to follow.
    pub resolve: Vec<Resolve>,
    /// Whether expired items are returned.
    pub show_expired: bool,
    /// Whether items of other entities may have the same index key; they are left out.
    pub mixed: bool,
}

/// Reads several items of one entity by key; the parameter is a list.
#[derive(Debug, Clone)]
pub struct BatchGet {
    /// The entity.
    pub entity: Arc<Entity>,
    /// The parameter: a list of key objects, or of values if the key needs only one.
    pub parameter: String,
    /// The fields that the caller knows, if the pattern names them.
    pub by: Option<Vec<String>>,
    /// Whether the read is strongly consistent.
    pub consistent: bool,
    /// The fields to return; `None` returns all.
    pub show: Option<Vec<String>>,
    /// Whether expired items are returned.
    pub show_expired: bool,
}

/// Reads the items under one partition key in sort order.
#[derive(Debug, Clone)]
pub struct Query {
    /// One entity, or several of one item collection. Items of others are left out.
    pub entities: Vec<Arc<Entity>>,
    /// The table.
    pub table: Arc<Table>,
    /// The index to read instead of the table.
    pub on: Option<Arc<Index>>,
    /// The key to read, if the pattern gives one.
    pub key: Option<AskedKey>,
    /// The fields that the caller knows, if the pattern names them.
    pub by: Option<Vec<String>>,
    /// The order in which the key is read.
    pub order: Order,
    /// Whether the part of the sort key that orders the items is in descending order. The highest are then first if the
    /// key is read in ascending order.
    pub descends: bool,
    /// The word for the order in the design.
    pub order_word: Option<OrderWord>,
    /// The orders between which callers choose with the parameter `order`, the default first. Empty if there is one order.
    pub orders: Vec<OrderWord>,
    /// The leading fields of the sort key whose text is known, in order: those in `match`, and those whose whole value is
    /// in the partition key.
    pub matched: Vec<String>,
    /// The next part of the sort key, bounded by parameters.
    pub range: Option<SortRange>,
    /// The shards to read, if the partition template has a shard.
    pub shards: Option<ShardRead>,
    /// The buckets to walk, if the range is over a time that the partition template truncates.
    pub buckets: Option<Buckets>,
    /// The condition that returned items satisfy.
    pub filter: Option<Condition>,
    /// The items on a page, unless the caller asks for another number.
    pub limit: Option<u32>,
    /// Whether the read is strongly consistent.
    pub consistent: bool,
    /// The fields to return; `None` returns all.
    pub show: Option<Vec<String>>,
    /// The references to follow.
    pub resolve: Vec<Resolve>,
    /// Whether expired items are returned.
    pub show_expired: bool,
    /// Whether items of other entities may be among those that are read. They are left out by their type attribute, or by
    /// the shape of their keys if the index doesn't contain it.
    pub mixed: bool,
}

impl Query {
    /// Returns the order in which the key is read for a word.
    pub fn order_of(&self, word: OrderWord) -> Order {
        match (self.descends, word.order()) {
            (false, order) => order,
            (true, Order::Ascending) => Order::Descending,
            (true, Order::Descending) => Order::Ascending,
        }
    }
}

/// Counts the items of a query.
#[derive(Debug, Clone)]
pub struct Count {
    /// The query, which shows nothing.
    pub query: Query,
    /// The items to read at most.
    pub max: u32,
}

/// Reads a whole table or index, page by page, and returns the items of one entity.
#[derive(Debug, Clone)]
pub struct Scan {
    /// The entity.
    pub entity: Arc<Entity>,
    /// The index to read instead of the table.
    pub on: Option<Arc<Index>>,
    /// The condition that returned items satisfy.
    pub filter: Option<Condition>,
    /// The items on a page, unless the caller asks for another number.
    pub limit: Option<u32>,
    /// The fields to return; `None` returns all.
    pub show: Option<Vec<String>>,
    /// Whether expired items are returned.
    pub show_expired: bool,
    /// Whether it is for administration and not for serving users.
    pub admin: bool,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Oldest or lowest first.
    Ascending,
    /// Newest or highest first.
    Descending,
}

/// The word for an order, which also shows what the items should be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderWord {
    /// By time, ascending.
    Oldest,
    /// By time, descending.
    Newest,
    /// By a number, ascending.
    Lowest,
    /// By a number, descending.
    Highest,
}

impl OrderWord {
    /// The parameter by which callers choose an order.
    pub const PARAMETER: &str = "order";

    /// Returns the word.
    pub fn word(self) -> &'static str {
        match self {
            OrderWord::Oldest => "oldest",
            OrderWord::Newest => "newest",
            OrderWord::Lowest => "lowest",
            OrderWord::Highest => "highest",
        }
    }

    /// Returns the order of the values.
    pub fn order(self) -> Order {
        match self {
            OrderWord::Oldest | OrderWord::Lowest => Order::Ascending,
            OrderWord::Newest | OrderWord::Highest => Order::Descending,
        }
    }

    /// Returns whether it is an order by time, not by a number.
    pub fn is_of_time(self) -> bool {
        matches!(self, OrderWord::Oldest | OrderWord::Newest)
    }
}

/// The key that a pattern gives instead of the templates of its entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedKey {
    /// The templates of the partition attributes.
    pub partition: Vec<Template>,
    /// The templates of the first sort attributes. In a query, the last one is a prefix.
    pub sort: Vec<Template>,
}

/// Bounds on the next part of the sort key.
#[derive(Debug, Clone, PartialEq)]
pub enum SortRange {
    /// The optional parameters `from` and `to`, both inclusive, bound this field.
    Between {
        /// The field.
        field: String,
    },
    /// The field begins with the parameter of the same name.
    Prefix {
        /// The field.
        field: String,
    },
}

/// The shards of a partition key: all are read, and the results are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardRead {
    /// The number of shards.
    pub count: u32,
}

/// The buckets of a partition key that truncates a time: they are read one after the other, in the order of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct Buckets {
    /// The field that holds the time. It is also an optional parameter, which selects a single bucket.
    pub field: String,
    /// The type of the field.
    pub kind: FieldType,
    /// The period of a bucket.
    pub format: Format,
    /// The empty buckets in a row after which a call ends.
    pub empty_max: u32,
}

/// A reference to follow: the answer includes the referenced item.
#[derive(Debug, Clone)]
pub struct Resolve {
    /// Its name in the answer.
    pub name: String,
    /// The field that holds the reference, or a list or set of references.
    pub field: String,
    /// The referenced entity, or each of those of which the item names one.
    pub targets: Vec<Reference>,
}

impl Resolve {
    /// Returns the fields of the item that tell which other item it refers to.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.targets.iter().flat_map(Reference::fields)
    }
}

/// A field that refers to an item of an entity.
#[derive(Debug, Clone)]
pub struct Reference {
    /// The field that holds the reference.
    pub field: String,
    /// The referenced entity.
    pub entity: Arc<Entity>,
    /// The source of each field of that entity's key: (field of the key, field of the item that refers).
    pub key: Vec<(String, String)>,
    /// The field and its value with which the reference is to this entity, if it is to one of several.
    pub when: Option<(String, String)>,
}

impl Reference {
    /// Returns the fields of the item that tell which other item it refers to.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let chooser = self.when.iter().map(|(field, _)| field.as_str());
        self.key.iter().map(|(_, own)| own.as_str()).chain(chooser)
    }
}

/// Writes a whole item.
#[derive(Debug, Clone)]
pub struct Insert {
    /// The entity.
    pub entity: Arc<Entity>,
    /// The fields to which the pattern gives a value.
    pub set: Vec<(String, ValueSource)>,
    /// The condition that the existing item must satisfy.
    pub condition: Option<Condition>,
    /// The references whose items must exist.
    pub must_exist: Vec<Reference>,
}

/// Changes fields of an item. If the item doesn't exist, it is refused, or an `upsert` creates it.
#[derive(Debug, Clone)]
pub struct Update {
    /// The entity.
    pub entity: Arc<Entity>,
    /// The changes, in the order of the file.
    pub changes: Vec<Change>,
    /// The values that only a new item gets, if the update creates a missing item. `None` refuses a missing item.
    pub first: Option<Vec<(String, ValueSource)>>,
    /// The condition that the existing item must satisfy.
    pub condition: Option<Condition>,
    /// The references that the changes may write, and whose items must exist.
    pub must_exist: Vec<Reference>,
}

/// One change of an update.
#[derive(Debug, Clone)]
pub enum Change {
    /// Sets a field. If the value is an optional parameter that is missing, the field stays; `null` removes an optional
    /// field.
    Set {
        /// The field, or a path into an object: `address.city`. Its last step can be a parameter: `votes.{kind}`.
        path: String,
        /// The value.
        value: ValueSource,
    },
    /// Adds to a number, or elements to a set or to the end of a list.
    Add {
        /// The field.
        path: String,
        /// The amount or the elements.
        value: ValueSource,
    },
    /// Removes a field.
    Remove {
        /// The field.
        path: String,
    },
    /// Removes elements from a set or list.
    Subtract {
        /// The field.
        path: String,
        /// The elements.
        value: ValueSource,
    },
    /// Adds an element to a list whose elements have a key; refused if the key exists or the list is full.
    InsertElement(ElementChange),
    /// Changes fields of one element of such a list; refused if it doesn't exist.
    ChangeElement(ElementChange),
    /// Removes one element from such a list; refused if it doesn't exist.
    DropElement(ElementChange),
}

impl Change {
    /// Returns the source of its value; `None` if it has none, or several.
    pub fn value(&self) -> Option<&ValueSource> {
        match self {
            Change::Set { value, .. } | Change::Add { value, .. } | Change::Subtract { value, .. } => {
                Some(value)
            }
            _ => None,
        }
    }

    /// Returns the name of the field that it changes, without the path into it.
    pub fn field(&self) -> &str {
        let path = match self {
            Change::Set { path, .. }
            | Change::Add { path, .. }
            | Change::Remove { path }
            | Change::Subtract { path, .. } => path,
            Change::InsertElement(element)
            | Change::ChangeElement(element)
            | Change::DropElement(element) => &element.field,
        };
        path.split('.').next().unwrap_or(path)
    }
}

/// The list and the parameters of an element operation. The fields of the element are parameters of the pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct ElementChange {
    /// The list.
    pub field: String,
    /// The field that identifies an element.
    pub key: String,
    /// The parameters, including the one for the key: (parameter, field of the element).
    pub members: Vec<(String, String)>,
}

/// Deletes an item. Without a condition, deleting an item that doesn't exist succeeds.
#[derive(Debug, Clone)]
pub struct Delete {
    /// The entity.
    pub entity: Arc<Entity>,
    /// The condition that the existing item must satisfy.
    pub condition: Option<Condition>,
}

/// Checks a condition on an item.
#[derive(Debug, Clone)]
pub struct Check {
    /// The entity.
    pub entity: Arc<Entity>,
    /// The condition; without one, the item must exist.
    pub condition: Option<Condition>,
}

/// The source of a written value.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueSource {
    /// A constant.
    Constant(Json),
    /// A parameter.
    Parameter(String),
    /// The time of the write.
    Now,
    /// Text with holes, such as `{quantity * price}`.
    Composed(Composed),
}
