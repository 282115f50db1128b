//! `BatchGetItem`.

use std::collections::BTreeMap;

use serde::Deserialize;
use singlet_engine::{BatchGet, BatchGetOutcome, BatchGetTable, Database};

use super::Answer;
use super::legacy::{check_attributes_to_get, projection_of};
use crate::choice::ReturnConsumedCapacity;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::expressions::{check_generations, parse_projection, placeholders};
use crate::read::{self, AttributeMap, Element, Flag, List, Map, Structure, Text};
use crate::table_name::{self, Home};
use crate::text::RequestError;
use crate::write::{CapacityReport, JsonWriter, write_attributes, write_capacities, write_item};

const KEYS_MAX: usize = singlet_values::limits::BATCH_GET_KEYS_MAX;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct BatchGetItemBody<'a> {
    #[serde(borrow)]
    request_items: Option<Map<Element<KeysAndAttributes<'a>>>>,
    #[serde(borrow)]
    return_consumed_capacity: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct KeysAndAttributes<'a> {
    keys: Option<List<AttributeMap>>,
    #[serde(borrow)]
    attributes_to_get: Option<List<Text<'a>>>,
    consistent_read: Option<Flag>,
    #[serde(borrow)]
    projection_expression: Option<Text<'a>>,
    #[serde(borrow)]
    expression_attribute_names: Option<Map<Text<'a>>>,
}

impl Structure for KeysAndAttributes<'_> {
    const NAME: &'static str = "KeysAndAttributes";
}

/// A read request, and the data that its answer needs.
pub(crate) struct Call<'a> {
    /// The request.
    pub(crate) request: BatchGet,
    capacity: ReturnConsumedCapacity,
    /// For each table, the members that unprocessed keys are returned with.
    repeats: Vec<Repeat<'a>>,
}

struct Repeat<'a> {
    attributes_to_get: Option<List<Text<'a>>>,
    consistent_read: Option<Flag>,
    projection_expression: Option<Text<'a>>,
    expression_attribute_names: Option<Map<Text<'a>>>,
}

/// Serves the operation.
pub(crate) fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let call = read(body, Home::of(database))?;
    let outcome = database.batch_get(&call.request)?;
    let body = write(&outcome, &call);
    Ok(Answer::of_tables(body, outcome.tables.into_iter().map(|table| table.consumed).collect()))
}

/// Reads the request.
fn read<'a>(bytes: &'a [u8], home: Home<'_>) -> Result<Call<'a>, Failure> {
    let body: BatchGetItemBody<'a> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let items = constraints.required("requestItems", body.request_items);
    for (table, Element(table_request)) in items.iter().flat_map(|Map(items)| items) {
        check_constraints(&mut constraints, table, table_request);
    }
    let capacity = constraints.choice("returnConsumedCapacity", body.return_consumed_capacity.as_ref());
    let Map(items) = constraints.take(items)?;
    if items.is_empty() {
        return Err(RequestError::EmptyBatch("BatchGetItem").into());
    }
    check_one_generation(&items)?;

    let mut request = BatchGet { tables: Vec::with_capacity(items.len()) };
    let mut repeats = Vec::with_capacity(items.len());
    let mut keys_left = KEYS_MAX;
    for (table, Element(table_request)) in items {
        let (table, repeat) = read_table(&table, table_request, home)?;
        keys_left =
            keys_left.checked_sub(table.keys.len()).ok_or(RequestError::TooManyItems("BatchGetItem"))?;
        request.tables.push(table);
        repeats.push(repeat);
    }
    Ok(Call { request, capacity: capacity.unwrap_or_default(), repeats })
}

fn check_constraints(constraints: &mut Constraints, table: &str, request: &KeysAndAttributes<'_>) {
    let count = request.keys.as_ref().map_or(0, |List(keys)| keys.len());
    table_name::check_map_key(constraints, table, format_args!("{{{table}=[{count} keys]}}"));
    constraints.required(format_args!("requestItems.{table}.member.keys"), request.keys.as_ref());
    if request.keys.is_some() {
        constraints.silent_length(format_args!("RequestItems.{table}.member.Keys"), count, (1, KEYS_MAX));
    }
    let path = format_args!("requestItems.{table}.member.attributesToGet");
    check_attributes_to_get(constraints, path, request.attributes_to_get.as_ref());
}

/// All tables must use the same generation of parameters.
fn check_one_generation(
    items: &BTreeMap<String, Element<KeysAndAttributes<'_>>>,
) -> Result<(), RequestError> {
    let expressions = items.values().any(|Element(table)| table.projection_expression.is_some());
    let legacy = items.values().any(|Element(table)| table.attributes_to_get.is_some());
    check_generations(&[("ProjectionExpression", expressions)], &[("AttributesToGet", legacy)], None, None)
}

fn read_table<'a>(
    table: &str,
    request: KeysAndAttributes<'a>,
    home: Home<'_>,
) -> Result<(BatchGetTable, Repeat<'a>), Failure> {
    check_generations(
        &[("ProjectionExpression", request.projection_expression.is_some())],
        &[("AttributesToGet", request.attributes_to_get.is_some())],
        request.expression_attribute_names.as_ref(),
        None,
    )?;
    let legacy = projection_of(request.attributes_to_get.clone())?;
    let mut placeholders = placeholders(request.expression_attribute_names.clone(), None)?;
    let projection = parse_projection(request.projection_expression.as_ref(), &mut placeholders)?.or(legacy);
    placeholders.finish()?;
    let name = table_name::parse(table, "tableName", home)?;
    let List(keys) = request.keys.unwrap_or(List(Vec::new()));
    let keys = keys.into_iter().map(AttributeMap::checked).collect::<Result<Vec<_>, _>>()?;
    let repeat = Repeat {
        attributes_to_get: request.attributes_to_get,
        consistent_read: request.consistent_read,
        projection_expression: request.projection_expression,
        expression_attribute_names: request.expression_attribute_names,
    };
    let consistent = repeat.consistent_read.is_some_and(|flag| flag.0);
    let label = name.as_written().to_owned();
    Ok((BatchGetTable { label, table: name.name, keys, consistent, projection }, repeat))
}

/// Writes the answer.
fn write(outcome: &BatchGetOutcome, call: &Call<'_>) -> Vec<u8> {
    let stored_bytes: usize =
        outcome.tables.iter().flat_map(|table| &table.items).map(|item| item.as_bytes().len()).sum();
    let mut json = JsonWriter::with_capacity(256 + stored_bytes * 2);
    json.object(|json| {
        json.key("Responses").object(|json| {
            for table in &outcome.tables {
                json.name(&table.label)
                    .array(|json| table.items.iter().for_each(|item| write_item(json, item.view())));
            }
        });
        json.key("UnprocessedKeys").object(|json| write_unprocessed(json, outcome, call));
        let accounts = outcome.tables.iter().map(|table| (&table.consumed, Some(table.label.as_str())));
        write_capacities(json, CapacityReport { detail: call.capacity, transaction: false }, accounts);
    });
    json.into_bytes()
}

/// Unprocessed keys have the form of a request, so that a client can send them again unchanged.
fn write_unprocessed(json: &mut JsonWriter, outcome: &BatchGetOutcome, call: &Call<'_>) {
    for ((answered, asked), repeat) in outcome.tables.iter().zip(&call.request.tables).zip(&call.repeats) {
        if answered.unprocessed.is_empty() {
            continue;
        }
        json.name(&answered.label).object(|json| {
            json.key("Keys").array(|json| {
                for key in answered.unprocessed.iter().filter_map(|at| asked.keys.get(*at)) {
                    write_attributes(json, key);
                }
            });
            repeat.write(json);
        });
    }
}

impl Repeat<'_> {
    fn write(&self, json: &mut JsonWriter) {
        if let Some(List(names)) = &self.attributes_to_get {
            json.key("AttributesToGet").array(|json| names.iter().for_each(|name| json.text(name.as_str())));
        }
        if let Some(Flag(consistent)) = self.consistent_read {
            json.key("ConsistentRead").boolean(consistent);
        }
        if let Some(text) = &self.projection_expression {
            json.key("ProjectionExpression").text(text.as_str());
        }
        if let Some(Map(names)) = &self.expression_attribute_names {
            json.key("ExpressionAttributeNames").object(|json| {
                names.iter().for_each(|(key, name)| json.name(key).text(name.as_str()));
            });
        }
    }
}
