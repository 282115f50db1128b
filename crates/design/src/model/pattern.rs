//! Access patterns: what can be asked of a design.

use std::sync::Arc;
use std::time::Duration;

use super::entity::Entity;
use super::table::{Index, Table};
use crate::condition::Condition;
use crate::field::ParameterType;
use crate::json::Json;
use crate::report::Span;
use crate::template::Template;

/// One access pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// Its name.
    pub name: String,
    /// What it answers.
    pub about: Option<String>,
    /// Free words, such as the ids of a catalogue.
    pub tags: Vec<String>,
    /// How often it is expected.
    pub rate: Option<Rate>,
    /// The share of its calls that falls on the busiest key, between 0 and 1.
    pub busiest: Option<f64>,
    /// The field that says whom its items belong to.
    pub owner: Option<String>,
    /// A step of other patterns, which callers can't run by itself.
    pub internal: bool,
    /// How long it may take.
    pub within: Option<Duration>,
    /// What the caller gives, in order of first use.
    pub parameters: Vec<Parameter>,
    /// What it does.
    pub operation: Operation,
    /// Where it stands in the file.
    pub span: Span,
}

impl Pattern {
    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Whether it reads, and writes nothing.
    pub fn reads(&self) -> bool {
        use Operation::{BatchGet, Exists, Get, Merge, Parts, Query, Scan};
        matches!(self.operation, Get(_) | Exists(_) | BatchGet(_) | Query(_) | Scan(_) | Parts(_) | Merge(_))
    }

    /// The patterns that it runs as steps or parts, in their order.
    pub fn runs(&self) -> Vec<&Arc<Pattern>> {
        match &self.operation {
            Operation::Transaction(transaction) => {
                transaction.steps.iter().map(|step| &step.pattern).collect()
            }
            Operation::Parts(parts) => parts.parts.iter().map(|part| &part.pattern).collect(),
            Operation::Merge(merge) => vec![&merge.each, &merge.run],
            _ => Vec::new(),
        }
    }

    /// What it writes: the entities of all its steps, in their order. Empty for a read.
    pub fn written(&self) -> Vec<&Arc<Entity>> {
        match &self.operation {
            Operation::Create(insert) | Operation::Put(insert) => vec![&insert.entity],
            Operation::Update(update) => vec![&update.entity],
            Operation::Transaction(transaction) => {
                transaction.steps.iter().flat_map(|step| step.pattern.written()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The references of the item that it writes and that it checks in the same transaction. Empty for composed
    /// patterns: their steps have them.
    pub fn checked_references(&self) -> &[Reference] {
        match &self.operation {
            Operation::Create(insert) | Operation::Put(insert) => &insert.must_exist,
            Operation::Update(update) => &update.must_exist,
            _ => &[],
        }
    }

    /// The entities that it reads or writes; some may come twice.
    pub fn entities(&self) -> Vec<&Arc<Entity>> {
        match &self.operation {
            Operation::Get(get) | Operation::Exists(get) => vec![&get.entity],
            Operation::BatchGet(get) => vec![&get.entity],
            Operation::Query(query) => query.entities.iter().collect(),
            Operation::Scan(scan) => vec![&scan.entity],
            Operation::Create(insert) | Operation::Put(insert) => vec![&insert.entity],
            Operation::Update(update) => vec![&update.entity],
            Operation::Delete(delete) => vec![&delete.entity],
            Operation::Check(check) => vec![&check.entity],
            Operation::Transaction(transaction) => {
                transaction.steps.iter().flat_map(|step| step.pattern.entities()).collect()
            }
            Operation::Parts(parts) => parts.parts.iter().flat_map(|part| part.pattern.entities()).collect(),
            Operation::Merge(merge) => {
                [&merge.each, &merge.run].iter().flat_map(|run| run.entities()).collect()
            }
        }
    }
}

/// A rate, in thousandths of a request a second so that `5/day` has a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Requests a second.
    pub per_second: f64,
}

/// What a caller gives to a pattern.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What values it takes.
    pub kind: ParameterType,
    /// Whether it must be given.
    pub required: bool,
    /// What it is for.
    pub about: Option<String>,
}

/// What a pattern does.
#[derive(Debug, Clone)]
pub enum Operation {
    /// Reads one item, or tells that it isn't there.
    Get(Get),
    /// Tells whether an item is there.
    Exists(Get),
    /// Reads several items by key.
    BatchGet(BatchGet),
    /// Reads a page of items in order.
    Query(Query),
    /// Reads a page of everything in a table or index.
    Scan(Scan),
    /// Writes a new item; refused if it is there.
    Create(Insert),
    /// Writes an item, replacing what is there.
    Put(Insert),
    /// Changes an item that is there.
    Update(Update),
    /// Deletes an item.
    Delete(Delete),
    /// Holds a condition against an item, inside a transaction.
    Check(Check),
    /// Several writes, all or none.
    Transaction(Transaction),
    /// Several reads at once.
    Parts(Parts),
    /// A list, then a query for each of its items, merged into one order.
    Merge(Merge),
}

/// Reads one item by the table's key, or the first item under an index's key.
#[derive(Debug, Clone)]
pub struct Get {
    /// What is read.
    pub entity: Arc<Entity>,
    /// Through this index.
    pub on: Option<Arc<Index>>,
    /// The key that is asked for, if it isn't the entity's own.
    pub key: Option<AskedKey>,
    /// What the caller knows, if the pattern says so.
    pub by: Option<Vec<String>>,
    /// Strongly consistent.
    pub consistent: bool,
    /// Only these fields.
    pub show: Option<Vec<String>>,
    /// References that are followed.
    pub resolve: Vec<Resolve>,
    /// Whether items past their time-to-live are shown.
    pub show_expired: bool,
    /// Items of other entities may lie under the same index key: they are not meant.
    pub mixed: bool,
}

/// Reads several items of one entity by key; the parameter is a list.
#[derive(Debug, Clone)]
pub struct BatchGet {
    /// What is read.
    pub entity: Arc<Entity>,
    /// The parameter: a list of key objects, or of plain values if the key needs one value only.
    pub parameter: String,
    /// What the caller knows, if the pattern says so.
    pub by: Option<Vec<String>>,
    /// Strongly consistent.
    pub consistent: bool,
    /// Only these fields.
    pub show: Option<Vec<String>>,
    /// Whether items past their time-to-live are shown.
    pub show_expired: bool,
}

/// Reads the items under one partition key in sort order.
#[derive(Debug, Clone)]
pub struct Query {
    /// What is read: one entity, or several of one item collection. Others under the key are left out.
    pub entities: Vec<Arc<Entity>>,
    /// The table.
    pub table: Arc<Table>,
    /// Through this index.
    pub on: Option<Arc<Index>>,
    /// The key that is asked for, if it isn't the entity's own.
    pub key: Option<AskedKey>,
    /// What the caller knows, if the pattern says so.
    pub by: Option<Vec<String>>,
    /// Ascending or descending.
    pub order: Order,
    /// The word that the pattern has for the order.
    pub order_word: Option<OrderWord>,
    /// Leading fields of the sort key whose text is known, in order: those that `match` names, and those that the
    /// partition key gives whole.
    pub matched: Vec<String>,
    /// The next part of the sort key, bounded by parameters.
    pub range: Option<SortRange>,
    /// What the key is spread over, if the partition template has a shard.
    pub shards: Option<ShardRead>,
    /// Keeps only the items for which this holds.
    pub filter: Option<Condition>,
    /// Items on a page, unless the caller asks for another number.
    pub limit: Option<u32>,
    /// Strongly consistent.
    pub consistent: bool,
    /// Only these fields.
    pub show: Option<Vec<String>>,
    /// References that are followed.
    pub resolve: Vec<Resolve>,
    /// Whether items past their time-to-live are shown.
    pub show_expired: bool,
    /// Items of other entities may lie among those that are read: they are left out, by the type attribute where the
    /// index carries it, by the shape of their keys where it doesn't.
    pub mixed: bool,
}

/// Reads everything in a table or index, page by page, and keeps what is asked for.
#[derive(Debug, Clone)]
pub struct Scan {
    /// What is kept.
    pub entity: Arc<Entity>,
    /// Through this index.
    pub on: Option<Arc<Index>>,
    /// Keeps only the items for which this holds.
    pub filter: Option<Condition>,
    /// Items on a page, unless the caller asks for another number.
    pub limit: Option<u32>,
    /// Only these fields.
    pub show: Option<Vec<String>>,
    /// Whether items past their time-to-live are shown.
    pub show_expired: bool,
    /// For people who look after the data, not for what is served.
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

/// What a pattern calls its order: it says what the items should be sorted by.
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
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            OrderWord::Oldest => "oldest",
            OrderWord::Newest => "newest",
            OrderWord::Lowest => "lowest",
            OrderWord::Highest => "highest",
        }
    }

    /// The order.
    pub fn order(self) -> Order {
        match self {
            OrderWord::Oldest | OrderWord::Lowest => Order::Ascending,
            OrderWord::Newest | OrderWord::Highest => Order::Descending,
        }
    }

    /// Whether it speaks of time, and not of a number.
    pub fn is_of_time(self) -> bool {
        matches!(self, OrderWord::Oldest | OrderWord::Newest)
    }
}

/// A key that a pattern asks for and that isn't made by the templates of its entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedKey {
    /// One for each partition attribute.
    pub partition: Vec<Template>,
    /// The first sort attributes: all but the last whole, the last a beginning in lists.
    pub sort: Vec<Template>,
}

/// Bounds on the next part of the sort key.
#[derive(Debug, Clone, PartialEq)]
pub enum SortRange {
    /// `from` and `to`, both optional and inclusive, are values of this field.
    Between {
        /// The field.
        field: String,
    },
    /// The parameter named like the field is the beginning of its text.
    Prefix {
        /// The field.
        field: String,
    },
}

/// A partition key that is spread over shards: every shard is read, and the answers are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardRead {
    /// How many there are.
    pub count: u32,
}

/// A reference that is followed: the item it names is put into the answer.
#[derive(Debug, Clone)]
pub struct Resolve {
    /// The name under which it is put into the answer.
    pub name: String,
    /// The field that holds the reference, or a list or set of references.
    pub field: String,
    /// What it refers to.
    pub entity: Arc<Entity>,
}

/// A reference whose item must be there when it is written.
#[derive(Debug, Clone)]
pub struct Reference {
    /// The field that holds it.
    pub field: String,
    /// What it refers to.
    pub entity: Arc<Entity>,
    /// Where each field of that entity's key comes from: (its field, the field of the item that is written).
    pub key: Vec<(String, String)>,
}

/// Writes a whole item.
#[derive(Debug, Clone)]
pub struct Insert {
    /// What is written.
    pub entity: Arc<Entity>,
    /// Fields that the pattern itself gives a value.
    pub set: Vec<(String, ValueSource)>,
    /// Must hold on the item that is there.
    pub condition: Option<Condition>,
    /// References whose items must be there.
    pub must_exist: Vec<Reference>,
}

/// Changes fields of an item; refused if the item isn't there.
#[derive(Debug, Clone)]
pub struct Update {
    /// What is changed.
    pub entity: Arc<Entity>,
    /// The changes, in the order of the file.
    pub changes: Vec<Change>,
    /// Must hold on the item that is there.
    pub condition: Option<Condition>,
    /// References that the changes may write, and whose items must be there.
    pub must_exist: Vec<Reference>,
}

/// One change of an update.
#[derive(Debug, Clone)]
pub enum Change {
    /// Gives a field a value. If it comes from an optional parameter that is missing, the field stays; `null` takes
    /// an optional field away.
    Set {
        /// The field, or a path into an object: `address.city`.
        path: String,
        /// The value.
        value: ValueSource,
    },
    /// Adds to a number, or elements to a set.
    Add {
        /// The field.
        path: String,
        /// What is added.
        value: ValueSource,
    },
    /// Takes a field away.
    Remove {
        /// The field.
        path: String,
    },
    /// Takes elements out of a set.
    Subtract {
        /// The field.
        path: String,
        /// The elements.
        value: ValueSource,
    },
    /// Adds an element to a list whose elements have a key: refused if the key is there or the list is full.
    InsertElement(ElementChange),
    /// Changes fields of one element of such a list: refused if it isn't there.
    ChangeElement(ElementChange),
    /// Takes one element out of such a list: refused if it isn't there.
    DropElement(ElementChange),
}

impl Change {
    /// The field that is changed, without the path into it.
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

/// Which list an element operation is about. The element's fields are parameters of the pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct ElementChange {
    /// The list.
    pub field: String,
    /// The element's field that identifies it.
    pub key: String,
    /// The parameter that holds the key, and the parameters for the other fields: (parameter, element field).
    pub members: Vec<(String, String)>,
}

/// Deletes an item; deleting what isn't there succeeds, unless a condition says otherwise.
#[derive(Debug, Clone)]
pub struct Delete {
    /// What is deleted.
    pub entity: Arc<Entity>,
    /// Must hold on the item that is there.
    pub condition: Option<Condition>,
}

/// Holds a condition against an item.
#[derive(Debug, Clone)]
pub struct Check {
    /// What is looked at.
    pub entity: Arc<Entity>,
    /// Must hold; without one, the item must be there.
    pub condition: Option<Condition>,
}

/// Several writes, all or none.
#[derive(Debug, Clone)]
pub struct Transaction {
    /// The writes, in order.
    pub steps: Vec<Step>,
}

/// One write of a transaction.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its name in the answer.
    pub name: String,
    /// A create, put, update, delete or check.
    pub pattern: Arc<Pattern>,
    /// Parameters that don't come from the caller under their own name.
    pub bindings: Vec<Binding>,
    /// Runs once for each element of a list parameter: (the step's parameter, the caller's list parameter).
    pub each: Option<(String, String)>,
    /// Most elements of that list: a longer one is refused.
    pub each_max: Option<u32>,
}

/// A parameter of a part or step that is given by the composed pattern.
#[derive(Debug, Clone)]
pub struct Binding {
    /// The parameter of the part.
    pub parameter: String,
    /// Where its value comes from.
    pub argument: Argument,
}

/// Where the value of a bound parameter comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A constant.
    Constant(Json),
    /// A parameter of the composed pattern.
    Parameter(String),
    /// The time of the call.
    Now,
    /// A field of what an earlier step wrote, ids made by Singlet included: (step, field). In a merge the step is
    /// the list, and the field is one of its item.
    Result(String, String),
}

/// Several reads at once.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The reads, in order.
    pub parts: Vec<ReadPart>,
    /// All gets, at one point of the commit order.
    pub together: bool,
}

/// One read of a composed pattern.
#[derive(Debug, Clone)]
pub struct ReadPart {
    /// Its name in the answer.
    pub name: String,
    /// A read.
    pub pattern: Arc<Pattern>,
    /// Parameters that don't come from the caller under their own name.
    pub bindings: Vec<Binding>,
}

/// A list, then a query for each of its items, merged into one order with one cursor.
#[derive(Debug, Clone)]
pub struct Merge {
    /// The list: a query.
    pub each: Arc<Pattern>,
    /// The query that is run for each item of the list.
    pub run: Arc<Pattern>,
    /// Parameters of `run` and where they come from; `Argument::Result("each", field)` is a field of the list's item.
    pub bindings: Vec<Binding>,
    /// The field that orders the merged items.
    pub by: String,
    /// The order.
    pub order: Order,
    /// Items on a page.
    pub limit: u32,
    /// Most items of the list that are followed.
    pub each_max: u32,
}

/// Where a written value comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueSource {
    /// A constant, as JSON.
    Constant(Json),
    /// A parameter.
    Parameter(String),
    /// The time of the write.
    Now,
}
