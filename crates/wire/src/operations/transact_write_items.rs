//! `TransactWriteItems`.

use std::fmt::Display;

use serde::Deserialize;
use singlet_engine::{
    Database, DeleteItem, PutItem, ReturnValues, TransactAction, TransactWrite, TransactWriteOutcome,
    UpdateItem,
};
use singlet_expr::ExpressionKind;

use super::batch_write_item::write_collections;
use super::transact_get_items::check_count;
use super::{Answer, TablesReport};
use crate::choice::{Choice, ReturnItemCollectionMetrics, ReturnValuesOnConditionCheckFailure};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::expressions::{Given, check_generations, parse_condition, parse_update, placeholders};
use crate::read::{self, AttributeMap, ContentHash, Element, Field, List, Map, Structure, Text};
use crate::room::{self, AnswerRoom};
use crate::table_name::{self, Home, TableName};
use crate::text::RequestError;
use crate::write::{CapacityReport, JsonWriter, write_capacities};

const TOKEN_BYTES: (usize, usize) = (1, 36);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TransactWriteItemsBody<'a> {
    #[serde(borrow)]
    transact_items: Option<List<Element<Member<'a>>>>,
    #[serde(borrow)]
    return_consumed_capacity: Option<Text<'a>>,
    #[serde(borrow)]
    return_item_collection_metrics: Option<Text<'a>>,
    #[serde(borrow)]
    client_request_token: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Member<'a> {
    #[serde(borrow)]
    condition_check: Option<Field<Action<'a>>>,
    #[serde(borrow)]
    put: Option<Field<Action<'a>>>,
    #[serde(borrow)]
    delete: Option<Field<Action<'a>>>,
    #[serde(borrow)]
    update: Option<Field<Action<'a>>>,
}

impl Structure for Member<'_> {
    const NAME: &'static str = "TransactWriteItem";
}

/// The members of all four actions. Members that an action doesn't have are ignored, like all unknown members.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Action<'a> {
    item: Option<AttributeMap>,
    key: Option<AttributeMap>,
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    #[serde(borrow)]
    update_expression: Option<Text<'a>>,
    #[serde(borrow)]
    condition_expression: Option<Text<'a>>,
    #[serde(borrow)]
    expression_attribute_names: Option<Map<Text<'a>>>,
    expression_attribute_values: Option<AttributeMap>,
    #[serde(borrow)]
    return_values_on_condition_check_failure: Option<Text<'a>>,
}

impl Structure for Action<'_> {
    const NAME: &'static str = "TransactWriteItem";
}

/// Which of the four actions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    ConditionCheck,
    Put,
    Delete,
    Update,
}

impl Verb {
    fn member(self) -> &'static str {
        match self {
            Verb::ConditionCheck => "conditionCheck",
            Verb::Put => "put",
            Verb::Delete => "delete",
            Verb::Update => "update",
        }
    }
}

impl<'a> Member<'a> {
    /// The actions in an element. There should be one.
    fn actions(&self) -> impl Iterator<Item = (Verb, &Action<'a>)> {
        [
            (Verb::ConditionCheck, &self.condition_check),
            (Verb::Put, &self.put),
            (Verb::Delete, &self.delete),
            (Verb::Update, &self.update),
        ]
        .into_iter()
        .filter_map(|(verb, action)| Some((verb, &action.as_ref()?.0)))
    }

    fn into_action(self) -> Result<(Verb, Action<'a>), RequestError> {
        match (self.condition_check, self.put, self.delete, self.update) {
            (Some(Field(action)), None, None, None) => Ok((Verb::ConditionCheck, action)),
            (None, Some(Field(action)), None, None) => Ok((Verb::Put, action)),
            (None, None, Some(Field(action)), None) => Ok((Verb::Delete, action)),
            (None, None, None, Some(Field(action))) => Ok((Verb::Update, action)),
            _ => Err(RequestError::TransactAction),
        }
    }
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8], room: &dyn AnswerRoom) -> Result<Answer, Failure> {
    let (request, report) = read(body, Home::of(database))?;
    let returning = request.actions.iter().filter(|action| action.returns_old_on_failure()).count();
    room::for_reasons(room, returning).await?;
    let outcome = database.submit_transact_write(request).await?;
    Ok(Answer::of_tables(write(&outcome, &report), outcome.consumed))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<(TransactWrite, TablesReport), Failure> {
    let body: TransactWriteItemsBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    if let Some(token) = body.client_request_token.as_ref().map(Text::as_str) {
        constraints.length("clientRequestToken", token, token.len(), TOKEN_BYTES);
    }
    let capacity = constraints.choice("returnConsumedCapacity", body.return_consumed_capacity.as_ref());
    let metrics =
        constraints.choice("returnItemCollectionMetrics", body.return_item_collection_metrics.as_ref());
    let members = constraints.required("transactItems", body.transact_items);
    if let Some(List(members)) = &members {
        check_count(&mut constraints, members.len());
        for (at, Element(member)) in members.iter().enumerate() {
            for (verb, action) in member.actions() {
                let path = format_args!("transactItems.{}.member.{}", at + 1, verb.member());
                check_constraints(&mut constraints, path, verb, action);
            }
        }
    }
    let List(members) = constraints.take(members)?;

    let mut actions = Vec::with_capacity(members.len());
    let mut tables = Vec::with_capacity(members.len());
    for (at, Element(member)) in members.into_iter().enumerate() {
        let (verb, action) = member.into_action()?;
        let path = format_args!("transactItems.{}.member.{}.tableName", at + 1, verb.member());
        let table = table_name::parse(action.table_name.as_ref().map_or("", Text::as_str), path, home)?;
        actions.push(read_action(&table, verb, action)?);
        tables.push(table);
    }
    let request = TransactWrite {
        actions,
        fingerprint: if body.client_request_token.is_some() { fingerprint(bytes) } else { 0 },
        token: body.client_request_token.map(Text::into_string),
        collection_metrics: metrics == Some(ReturnItemCollectionMetrics::Size),
        yields: false,
    };
    Ok((request, TablesReport { capacity: capacity.unwrap_or_default(), tables }))
}

fn check_constraints(constraints: &mut Constraints, path: impl Display, verb: Verb, action: &Action<'_>) {
    match verb {
        Verb::Put => constraints.required(format_args!("{path}.item"), action.item.as_ref()),
        Verb::ConditionCheck | Verb::Delete | Verb::Update => {
            constraints.required(format_args!("{path}.key"), action.key.as_ref())
        }
    };
    constraints.table_name(format_args!("{path}.tableName"), action.table_name.as_ref());
    match verb {
        Verb::ConditionCheck => {
            constraints
                .required(format_args!("{path}.conditionExpression"), action.condition_expression.as_ref());
        }
        Verb::Update => {
            constraints.required(format_args!("{path}.updateExpression"), action.update_expression.as_ref());
        }
        Verb::Put | Verb::Delete => {}
    }
    let path = format_args!("{path}.returnValuesOnConditionCheckFailure");
    constraints.choice::<ReturnValuesOnConditionCheckFailure>(
        path,
        action.return_values_on_condition_check_failure.as_ref(),
    );
}

fn read_action(table: &TableName, verb: Verb, action: Action<'_>) -> Result<TransactAction, Failure> {
    let update = ("UpdateExpression", action.update_expression.is_some());
    let condition = ("ConditionExpression", action.condition_expression.is_some());
    let both: [Given; 2] = [update, condition];
    let expressions = if verb == Verb::Update { both.as_slice() } else { &[condition] };
    check_generations(
        expressions,
        &[],
        action.expression_attribute_names.as_ref(),
        action.expression_attribute_values.as_ref(),
    )?;
    let on_failure = action.return_values_on_condition_check_failure.as_ref();
    let on_failure = on_failure.and_then(|word| Choice::named(word.as_str()));
    let return_old_on_failure = on_failure == Some(ReturnValuesOnConditionCheckFailure::AllOld);
    let subject = if verb == Verb::Put { action.item } else { action.key };
    let subject = subject.unwrap_or_default().checked()?;
    let mut placeholders =
        placeholders(action.expression_attribute_names, action.expression_attribute_values)?;
    let update = action.update_expression.as_ref().filter(|_| verb == Verb::Update);
    let update = parse_update(update, &mut placeholders)?;
    let condition = action.condition_expression.as_ref();
    let condition = parse_condition(ExpressionKind::Condition, condition, &mut placeholders)?;
    placeholders.finish()?;

    let table = table.name.as_str();
    Ok(match (verb, condition) {
        (Verb::ConditionCheck, Some(condition)) => {
            TransactAction::Check { table: table.to_owned(), key: subject, condition, return_old_on_failure }
        }
        (Verb::ConditionCheck, None) => return Err(RequestError::TransactAction.into()),
        (Verb::Put, condition) => {
            TransactAction::Put(PutItem { condition, return_old_on_failure, ..PutItem::new(table, subject) })
        }
        (Verb::Delete, condition) => TransactAction::Delete(DeleteItem {
            condition,
            return_old_on_failure,
            ..DeleteItem::new(table, subject)
        }),
        (Verb::Update, condition) => TransactAction::Update(UpdateItem {
            table: table.to_owned(),
            key: subject,
            update,
            condition,
            return_values: ReturnValues::None,
            return_old_on_failure,
            collection_metrics: false,
        }),
    })
}

/// The content that a token identifies: the actions, regardless of white space and the order of members.
fn fingerprint(bytes: &[u8]) -> u128 {
    #[derive(Deserialize)]
    struct Actions {
        #[serde(rename = "TransactItems")]
        items: ContentHash,
    }
    let content = read::body::<Actions>(bytes).map(|actions| actions.items);
    content.unwrap_or_else(|_| ContentHash::of_bytes(bytes)).0
}

/// Writes the answer.
fn write(outcome: &TransactWriteOutcome, report: &TablesReport) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(256);
    json.object(|json| {
        let accounts = outcome.consumed.iter().map(|consumed| (consumed, report.label(&consumed.table)));
        write_capacities(json, CapacityReport { detail: report.capacity, transaction: true }, accounts);
        write_collections(json, &outcome.collections, |name| report.label(name));
    });
    json.into_bytes()
}
