//! `GetItem`.

use serde::Deserialize;
use singlet_engine::{Database, GetItem, GetOutcome};

use super::legacy::{check_attributes_to_get, projection_of};
use super::{Answer, TableReport};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::expressions::{check_generations, parse_projection, placeholders};
use crate::read::{self, AttributeMap, Flag, List, Map, Text};
use crate::table_name::{self, Home};
use crate::write::{JsonWriter, write_item};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GetItemBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    key: Option<AttributeMap>,
    #[serde(borrow)]
    attributes_to_get: Option<List<Text<'a>>>,
    consistent_read: Option<Flag>,
    #[serde(borrow)]
    return_consumed_capacity: Option<Text<'a>>,
    #[serde(borrow)]
    projection_expression: Option<Text<'a>>,
    #[serde(borrow)]
    expression_attribute_names: Option<Map<Text<'a>>>,
}

/// Serves the operation.
pub(crate) fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let (request, report) = read(body, Home::of(database))?;
    let outcome = database.get_item(&request)?;
    Ok(Answer::of_table(write(&outcome, &report), outcome.consumed))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<(GetItem, TableReport), Failure> {
    let body: GetItemBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let capacity = constraints.choice("returnConsumedCapacity", body.return_consumed_capacity.as_ref());
    check_attributes_to_get(&mut constraints, "attributesToGet", body.attributes_to_get.as_ref());
    let table = constraints.table_name("tableName", body.table_name.as_ref());
    let key = constraints.required("key", body.key);
    let (table, key) = constraints.take(table.zip(key))?;
    let table = table_name::parse(table, "tableName", home)?;

    check_generations(
        &[("ProjectionExpression", body.projection_expression.is_some())],
        &[("AttributesToGet", body.attributes_to_get.is_some())],
        body.expression_attribute_names.as_ref(),
        None,
    )?;
    let key = key.checked()?;
    let legacy = projection_of(body.attributes_to_get)?;
    let mut placeholders = placeholders(body.expression_attribute_names, None)?;
    let projection = parse_projection(body.projection_expression.as_ref(), &mut placeholders)?.or(legacy);
    placeholders.finish()?;
    let consistent = body.consistent_read.is_some_and(|flag| flag.0);
    let report = TableReport { capacity: capacity.unwrap_or_default(), label: table.label };
    Ok((GetItem { table: table.name, key, consistent, projection }, report))
}

/// Writes the answer.
fn write(outcome: &GetOutcome, report: &TableReport) -> Vec<u8> {
    let bytes = outcome.item.as_ref().map_or(64, |item| 256 + item.as_bytes().len() * 2);
    let mut json = JsonWriter::with_capacity(bytes);
    json.object(|json| {
        if let Some(item) = &outcome.item {
            write_item(json.key("Item"), item.view());
        }
        report.write(json, &outcome.consumed);
    });
    json.into_bytes()
}
