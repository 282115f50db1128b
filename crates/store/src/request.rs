//! Requests and answers, in DynamoDB's terms.

use singlet_values::{AttributeValue, EncodedItem, Item};

use crate::expression::{Expression, ExpressionBuilder};

/// `GetItem`.
#[derive(Debug, Clone, PartialEq)]
pub struct Get {
    /// Table name.
    pub table: String,
    /// Exactly the key attributes.
    pub key: Item,
    /// Strongly consistent.
    pub consistent: bool,
    /// `ProjectionExpression`.
    pub projection: Option<Expression>,
}

/// `BatchGetItem` of one table, with any number of keys.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchGet {
    /// Table name.
    pub table: String,
    /// Keys, none twice.
    pub keys: Vec<Item>,
    /// Strongly consistent.
    pub consistent: bool,
    /// `ProjectionExpression`.
    pub projection: Option<Expression>,
}

/// `TransactGetItems`.
#[derive(Debug, Clone, PartialEq)]
pub struct TransactGet {
    /// The reads; their `consistent` doesn't matter.
    pub gets: Vec<Get>,
}

/// `Query`.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Table name.
    pub table: String,
    /// Index name.
    pub index: Option<String>,
    /// The partition attributes with their values.
    pub partition: Vec<(String, AttributeValue)>,
    /// Tests of the sort attributes: all but the last are `Equal`.
    pub sort: Vec<(String, KeyTest)>,
    /// `FilterExpression`.
    pub filter: Option<Expression>,
    /// `ProjectionExpression`.
    pub projection: Option<Expression>,
    /// Most items that are evaluated.
    pub limit: Option<u32>,
    /// Ascending.
    pub forward: bool,
    /// Strongly consistent.
    pub consistent: bool,
    /// `ExclusiveStartKey`.
    pub start_key: Option<Item>,
}

impl Query {
    /// The `KeyConditionExpression`, with placeholders that begin with `k`.
    pub fn key_expression(&self) -> Expression {
        let mut builder = ExpressionBuilder::new('k');
        let mut terms = Vec::with_capacity(self.partition.len() + self.sort.len());
        for (name, value) in &self.partition {
            terms.push(format!("{} = {}", builder.name(name), builder.value(value.clone())));
        }
        for (name, test) in &self.sort {
            terms.push(term(&mut builder, name, test));
        }
        builder.finish(terms.join(" AND "))
    }
}

/// `Scan`.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// Table name.
    pub table: String,
    /// Index name.
    pub index: Option<String>,
    /// `FilterExpression`.
    pub filter: Option<Expression>,
    /// `ProjectionExpression`.
    pub projection: Option<Expression>,
    /// Most items that are evaluated.
    pub limit: Option<u32>,
    /// `ExclusiveStartKey`.
    pub start_key: Option<Item>,
}

/// A test of a sort attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyTest {
    /// `=`
    Equal(AttributeValue),
    /// `begins_with`
    BeginsWith(AttributeValue),
    /// `BETWEEN`, both ends included.
    Between(AttributeValue, AttributeValue),
    /// `>=`
    AtLeast(AttributeValue),
    /// `<=`
    AtMost(AttributeValue),
    /// `<`
    Less(AttributeValue),
    /// `>`
    Greater(AttributeValue),
}

/// What a write returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReturnItem {
    /// Nothing.
    #[default]
    None,
    /// The item before.
    Old,
    /// The item after (updates only).
    New,
}

/// `PutItem`.
#[derive(Debug, Clone, PartialEq)]
pub struct Put {
    /// Table name.
    pub table: String,
    /// The item.
    pub item: Item,
    /// `ConditionExpression`. A failure carries the item that is there.
    pub condition: Option<Expression>,
    /// `None` or `Old`.
    pub returned: ReturnItem,
}

/// `UpdateItem`.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// Table name.
    pub table: String,
    /// Exactly the key attributes.
    pub key: Item,
    /// `UpdateExpression`.
    pub update: Expression,
    /// `ConditionExpression`; it shares no placeholder with `update` unless with the same meaning. A failure carries
    /// the item that is there.
    pub condition: Option<Expression>,
    /// What comes back.
    pub returned: ReturnItem,
}

/// `DeleteItem`.
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    /// Table name.
    pub table: String,
    /// Exactly the key attributes.
    pub key: Item,
    /// `ConditionExpression`. A failure carries the item that is there.
    pub condition: Option<Expression>,
    /// `None` or `Old`.
    pub returned: ReturnItem,
}

/// `TransactWriteItems`.
#[derive(Debug, Clone, PartialEq)]
pub struct TransactWrite {
    /// The actions; no item twice.
    pub actions: Vec<Action>,
    /// `ClientRequestToken`.
    pub token: Option<String>,
}

/// One action of a transaction. `returned` of the parts is not looked at; a failed condition carries the item.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Puts.
    Put(Put),
    /// Updates.
    Update(Update),
    /// Deletes.
    Delete(Delete),
    /// Only checks.
    Check {
        /// Table name.
        table: String,
        /// Exactly the key attributes.
        key: Item,
        /// Must hold.
        condition: Expression,
    },
}

impl Action {
    /// The table it is about.
    pub fn table(&self) -> &str {
        match self {
            Action::Put(put) => &put.table,
            Action::Update(update) => &update.table,
            Action::Delete(delete) => &delete.table,
            Action::Check { table, .. } => table,
        }
    }
}

/// Units that a call used, as the backend said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Consumed {
    /// Read units, indexes included.
    pub read: f64,
    /// Write units, indexes included.
    pub write: f64,
    /// Units per index, read or write, whichever the call was.
    pub indexes: Vec<(String, f64)>,
}

impl Consumed {
    /// Adds what another call used.
    pub fn add(&mut self, other: &Consumed) {
        self.read += other.read;
        self.write += other.write;
        for (index, units) in &other.indexes {
            self.add_index(index, *units);
        }
    }

    /// Adds to the account of an index.
    pub fn add_index(&mut self, index: &str, units: f64) {
        match self.indexes.iter_mut().find(|(known, _)| known == index) {
            Some((_, sum)) => *sum += units,
            None => self.indexes.push((index.to_owned(), units)),
        }
    }
}

/// What reads by key found: `items` in request order with `None` for what isn't there (for a batch: what was found,
/// in any order, all `Some`).
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The items.
    pub items: Vec<Option<EncodedItem>>,
    /// Units used.
    pub consumed: Consumed,
}

/// A page of a query or scan.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The items that passed the filter, in order.
    pub items: Vec<EncodedItem>,
    /// `LastEvaluatedKey`.
    pub last_key: Option<Item>,
    /// How many were evaluated.
    pub scanned: u32,
    /// Units used.
    pub consumed: Consumed,
}

/// What a write did.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// What was asked to come back.
    pub item: Option<EncodedItem>,
    /// Units used.
    pub consumed: Consumed,
}

fn term(builder: &mut ExpressionBuilder, name: &str, test: &KeyTest) -> String {
    let name = builder.name(name);
    let (operator, value) = match test {
        KeyTest::Equal(value) => ("=", value),
        KeyTest::AtLeast(value) => (">=", value),
        KeyTest::AtMost(value) => ("<=", value),
        KeyTest::Less(value) => ("<", value),
        KeyTest::Greater(value) => (">", value),
        KeyTest::BeginsWith(value) => {
            return format!("begins_with({name}, {})", builder.value(value.clone()));
        }
        KeyTest::Between(low, high) => {
            let (low, high) = (builder.value(low.clone()), builder.value(high.clone()));
            return format!("{name} BETWEEN {low} AND {high}");
        }
    };
    format!("{name} {operator} {}", builder.value(value.clone()))
}
