//! `TransactGetItems`.

use serde::Deserialize;
use singlet_engine::{Database, TransactGet, TransactGetItem, TransactGetOutcome};

use super::{Answer, TablesReport};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::expressions::{check_generations, parse_projection, placeholders};
use crate::read::{self, AttributeMap, Element, Field, List, Map, Structure, Text};
use crate::table_name::{self, Home, TableName};
use crate::write::{CapacityReport, JsonWriter, write_capacities, write_item};

const ACTIONS_MAX: usize = singlet_values::limits::TRANSACTION_ACTIONS_MAX;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TransactGetItemsBody<'a> {
    #[serde(borrow)]
    transact_items: Option<List<Element<TransactGetItemMember<'a>>>>,
    #[serde(borrow)]
    return_consumed_capacity: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TransactGetItemMember<'a> {
    #[serde(borrow)]
    get: Option<Field<Get<'a>>>,
}

impl Structure for TransactGetItemMember<'_> {
    const NAME: &'static str = "TransactGetItem";
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Get<'a> {
    key: Option<AttributeMap>,
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    #[serde(borrow)]
    projection_expression: Option<Text<'a>>,
    #[serde(borrow)]
    expression_attribute_names: Option<Map<Text<'a>>>,
}

impl Structure for Get<'_> {
    const NAME: &'static str = "Get";
}

/// Checks the number of a transaction's actions.
pub(super) fn check_count(constraints: &mut Constraints, count: usize) {
    let shown = if count == 0 { "[]".to_owned() } else { format!("[{count} actions]") };
    constraints.length("transactItems", shown.as_str(), count, (1, ACTIONS_MAX));
}

/// Serves the operation.
pub(crate) fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let (request, report) = read(body, Home::of(database))?;
    let outcome = database.transact_get(&request)?;
    Ok(Answer::of_tables(write_responses(&outcome, &report), outcome.consumed))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<(TransactGet, TablesReport), Failure> {
    let body: TransactGetItemsBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let capacity = constraints.choice("returnConsumedCapacity", body.return_consumed_capacity.as_ref());
    let members = constraints.required("transactItems", body.transact_items);
    if let Some(List(members)) = &members {
        check_count(&mut constraints, members.len());
        for (at, Element(member)) in members.iter().enumerate() {
            check_constraints(&mut constraints, at, member);
        }
    }
    let List(members) = constraints.take(members)?;

    let mut items = Vec::with_capacity(members.len());
    let mut tables = Vec::new();
    for (at, Element(member)) in members.into_iter().enumerate() {
        let Some(Field(get)) = member.get else {
            continue;
        };
        let path = format_args!("transactItems.{}.member.get.tableName", at + 1);
        let table = table_name::parse(get.table_name.as_ref().map_or("", Text::as_str), path, home)?;
        items.push(read_get(&table, get)?);
        tables.push(table);
    }
    Ok((TransactGet { items }, TablesReport { capacity: capacity.unwrap_or_default(), tables }))
}

fn check_constraints(constraints: &mut Constraints, at: usize, member: &TransactGetItemMember<'_>) {
    let path = format_args!("transactItems.{}.member.get", at + 1);
    if let Some(Field(get)) = constraints.required(path, member.get.as_ref()) {
        constraints.required(format_args!("{path}.key"), get.key.as_ref());
        constraints.table_name(format_args!("{path}.tableName"), get.table_name.as_ref());
    }
}

fn read_get(table: &TableName, get: Get<'_>) -> Result<TransactGetItem, Failure> {
    check_generations(
        &[("ProjectionExpression", get.projection_expression.is_some())],
        &[],
        get.expression_attribute_names.as_ref(),
        None,
    )?;
    let key = get.key.unwrap_or_default().checked()?;
    let mut placeholders = placeholders(get.expression_attribute_names, None)?;
    let projection = parse_projection(get.projection_expression.as_ref(), &mut placeholders)?;
    placeholders.finish()?;
    Ok(TransactGetItem { table: table.name.clone(), key, projection })
}

/// Writes the answer. A missing item is an empty response.
pub(super) fn write_responses(outcome: &TransactGetOutcome, report: &TablesReport) -> Vec<u8> {
    let stored_bytes: usize = outcome.items.iter().flatten().map(|item| item.as_bytes().len()).sum();
    let mut json = JsonWriter::with_capacity(256 + stored_bytes * 2);
    json.object(|json| {
        json.key("Responses").array(|json| {
            for item in &outcome.items {
                json.object(|json| {
                    if let Some(item) = item {
                        write_item(json.key("Item"), item.view());
                    }
                });
            }
        });
        let accounts = outcome.consumed.iter().map(|consumed| (consumed, report.label(&consumed.table)));
        write_capacities(json, CapacityReport { detail: report.capacity, transaction: true }, accounts);
    });
    json.into_bytes()
}
