//! Operations of the model as requests to an engine. Mounted twice: on the simulated engine, and in a test of the
//! ordinary one. The module above says which (`engine`) and where the model is (`model`).

use super::engine::expr::{Condition, ExprError, ExpressionKind, KeyCondition, Placeholders, Update};
use super::engine::values::{AttributeValue, EncodedItem, Item};
use super::engine::{
    CancellationReason, CreateTable, Database, DeleteItem, Error, GetItem, IndexDefinition,
    ProjectedAttributes, PutItem, Query, ReturnValues, ScalarType, Scan, StreamView, TransactAction,
    TransactGet, TransactGetItem, TransactWrite, UpdateItem,
};
use super::model::{Answer, Change, KEYS_PER_PARTITION, Operation, Test, Value, Write};

/// The table that the clients work on.
pub(crate) const TABLE: &str = "simulated";
const GROUPS: &str = "groups";

/// The outcome of an operation.
#[derive(Debug)]
pub(crate) enum Performed {
    /// It was answered.
    Answered(Answer),
    /// It was refused because of another one, and did nothing.
    Refused,
    /// Nobody knows: the database failed meanwhile.
    Unknown(String),
    /// The answer makes no sense.
    Wrong(String),
}

/// The table with its indexes and its stream.
pub(crate) fn definition() -> CreateTable {
    CreateTable::new(TABLE, "p", ScalarType::S)
        .sort_key("s", ScalarType::N)
        .attribute("n", ScalarType::N)
        .attribute("g", ScalarType::S)
        .local_index(
            IndexDefinition::new("numbers", &["p"], &["n"]).projection(ProjectedAttributes::KeysOnly),
        )
        .global_index(IndexDefinition::new(GROUPS, &["g"], &["n"]))
        .stream(StreamView::NewAndOldImages)
}

/// Asks the engine.
pub(crate) fn perform(database: &Database, operation: &Operation) -> Performed {
    match try_perform(database, operation) {
        Ok(Ok(answer)) => Performed::Answered(answer),
        Ok(Err(wrong)) => Performed::Wrong(wrong),
        Err(error) => refusal(operation, error),
    }
}

/// The engine's answer, or the fault in it, or the reason of a refusal.
type Outcome = Result<Result<Answer, String>, Error>;

fn try_perform(database: &Database, operation: &Operation) -> Outcome {
    Ok(match operation {
        Operation::Write(write) => write_one(database, write)?.map(Answer::Item),
        Operation::Transact(writes, token) => {
            let actions = writes.iter().map(action).collect();
            let request = TransactWrite::new(actions);
            let request = match token {
                Some(token) => request.token(format!("token {token}")),
                None => request,
            };
            database.transact_write(request).map(|_| Ok(Answer::Done))?
        }
        Operation::Get(key) => {
            let found = database.get_item(&GetItem::new(TABLE, key_item(*key)))?;
            value_of(*key, found.item.as_ref()).map(Answer::Item)
        }
        Operation::TransactGet(keys) => {
            let items = keys.iter().map(|key| TransactGetItem::new(TABLE, key_item(*key))).collect();
            let found = database.transact_get(&TransactGet { items })?;
            let values = keys.iter().zip(&found.items).map(|(key, item)| value_of(*key, item.as_ref()));
            values.collect::<Result<_, _>>().map(Answer::Items)
        }
        Operation::Query(partition) => {
            let condition =
                expression("p = :p", [(":p", partition_of(partition * KEYS_PER_PARTITION).into())]);
            found(database.query(&Query::new(TABLE, condition(KeyCondition::parse)))?.items)
        }
        Operation::QueryGroup(group) => {
            let condition = expression("g = :g", [(":g", group_of(*group).into())]);
            found(database.query(&Query::new(TABLE, condition(KeyCondition::parse)).index(GROUPS))?.items)
        }
        Operation::Scan => found(database.scan(&Scan::new(TABLE))?.items),
    })
}

fn refusal(operation: &Operation, error: Error) -> Performed {
    let is_conflict = |reason: &CancellationReason| matches!(reason, CancellationReason::Conflict);
    match error {
        Error::ConditionFailed { .. } => Performed::Answered(Answer::Refused),
        Error::TransactionConflict | Error::TransactionInProgress => Performed::Refused,
        Error::TransactionCanceled { reasons } if reasons.iter().any(is_conflict) => Performed::Refused,
        Error::TransactionCanceled { reasons } => {
            let failed = |reason: &CancellationReason| match reason {
                CancellationReason::None => Ok(false),
                CancellationReason::ConditionFailed { .. } => Ok(true),
                other => Err(format!("{operation:?} was cancelled because of {other:?}")),
            };
            match reasons.iter().map(failed).collect() {
                Ok(failed) => Performed::Answered(Answer::Cancelled(failed)),
                Err(wrong) => Performed::Wrong(wrong),
            }
        }
        Error::Storage(reason) => Performed::Unknown(reason),
        Error::Closed => Performed::Unknown("the database is closed".to_owned()),
        other => Performed::Wrong(format!("{operation:?} was refused: {other}")),
    }
}

fn write_one(database: &Database, write: &Write) -> Result<Result<Option<Value>, String>, Error> {
    let outcome = match action(write) {
        TransactAction::Put(put) => database.put_item(put.return_values(ReturnValues::AllOld))?,
        TransactAction::Update(update) => database.update_item(update.return_values(ReturnValues::AllNew))?,
        TransactAction::Delete(delete) => database.delete_item(delete.return_values(ReturnValues::AllOld))?,
        // Alone, a test is a read.
        TransactAction::Check { .. } => return Ok(Err(format!("{write:?} is no write"))),
    };
    Ok(value_of(write.key, outcome.attributes.as_ref()))
}

fn action(write: &Write) -> TransactAction {
    let key = key_item(write.key);
    let condition = condition(write.test);
    match write.change {
        Change::Put(value) => {
            TransactAction::Put(PutItem { condition, ..PutItem::new(TABLE, item_of(write.key, value)) })
        }
        Change::Add(by) => {
            let update = expression("ADD n :by", [(":by", by.into())])(Update::parse);
            TransactAction::Update(UpdateItem { condition, ..UpdateItem::new(TABLE, key, update) })
        }
        Change::Delete => TransactAction::Delete(DeleteItem { condition, ..DeleteItem::new(TABLE, key) }),
        Change::Nothing => {
            let always = || condition_of("attribute_exists(p) OR attribute_not_exists(p)", []);
            TransactAction::check(TABLE, key, condition.unwrap_or_else(always))
        }
    }
}

fn condition(test: Test) -> Option<Condition> {
    match test {
        Test::Always => None,
        Test::Exists => Some(condition_of("attribute_exists(p)", [])),
        Test::Absent => Some(condition_of("attribute_not_exists(p)", [])),
        Test::NumberIs(number) => Some(condition_of("n = :n", [(":n", number.into())])),
    }
}

fn condition_of<const N: usize>(text: &str, values: [(&str, AttributeValue); N]) -> Condition {
    expression(text, values)(|text, placeholders| {
        Condition::parse(ExpressionKind::Condition, text, placeholders)
    })
}

/// An expression from text and values, to be parsed.
#[expect(clippy::expect_used, reason = "the expressions are written in this file")]
fn expression<'a, T, P, const N: usize>(
    text: &'a str,
    values: [(&'a str, AttributeValue); N],
) -> impl FnOnce(P) -> T
where
    P: FnOnce(&str, &mut Placeholders) -> Result<T, ExprError>,
{
    move |parse| {
        let values =
            (N > 0).then(|| values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
        let mut placeholders = Placeholders::new(None, values).expect("the placeholders are well-formed");
        parse(text, &mut placeholders).expect("the expression is right")
    }
}

fn partition_of(key: u8) -> String {
    format!("p{}", key / KEYS_PER_PARTITION)
}

fn group_of(group: u8) -> String {
    format!("g{group}")
}

/// The key attributes of an item.
pub(crate) fn key_item(key: u8) -> Item {
    let mut item = Item::new();
    item.insert("p", partition_of(key));
    item.insert("s", i64::from(key));
    item
}

/// The item of a value.
pub(crate) fn item_of(key: u8, value: Value) -> Item {
    let mut item = key_item(key);
    item.insert("n", value.number);
    if let Some(group) = value.group {
        item.insert("g", group_of(group));
    }
    if value.padding > 0 {
        item.insert("x", "x".repeat(usize::from(value.padding)));
    }
    item
}

fn found(items: Option<Vec<EncodedItem>>) -> Result<Answer, String> {
    let mut values = items.unwrap_or_default().iter().map(read_item).collect::<Result<Vec<_>, _>>()?;
    values.sort_unstable();
    Ok(Answer::Found(values))
}

fn value_of(key: u8, item: Option<&EncodedItem>) -> Result<Option<Value>, String> {
    let Some(item) = item else { return Ok(None) };
    match read_item(item)? {
        (found, value) if found == key => Ok(Some(value)),
        (found, _) => Err(format!("item {found} came instead of item {key}")),
    }
}

/// The key and the value of an item; what doesn't come from here is an error.
pub(crate) fn read_item(item: &EncodedItem) -> Result<(u8, Value), String> {
    let item = item.decode().map_err(|error| format!("an item can't be read: {error}"))?;
    let number = |name: &str| match item.get(name) {
        Some(AttributeValue::N(number)) => number.to_i64(),
        _ => None,
    };
    let text = |name: &str| match item.get(name) {
        Some(AttributeValue::S(text)) => Some(text.as_str()),
        _ => None,
    };
    let read = || {
        let key = u8::try_from(number("s")?).ok()?;
        let group = text("g").map(|group| group.trim_start_matches('g').parse());
        let value = Value {
            number: number("n")?,
            group: group.transpose().ok()?,
            padding: u16::try_from(text("x").map_or(0, str::len)).ok()?,
        };
        (item_of(key, value) == item).then_some((key, value))
    };
    read().ok_or_else(|| format!("an item is not as anybody wrote it: {item:?}"))
}
