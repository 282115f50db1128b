//! `BatchWriteItem`.

use serde::Deserialize;
use singlet_engine::{BatchWrite, BatchWriteAction, BatchWriteOutcome, Database};

use super::{Answer, TablesReport};
use crate::choice::ReturnItemCollectionMetrics;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, AttributeMap, Element, Field, List, Map, MapValue, Structure, Text};
use crate::table_name::{self, Home, TableName};
use crate::text::RequestError;
use crate::write::{CapacityReport, JsonWriter, write_capacities, write_collection};

const REQUESTS_MAX: usize = singlet_values::limits::BATCH_WRITE_ACTIONS_MAX;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct BatchWriteItemBody<'a> {
    request_items: Option<Map<WriteRequests>>,
    #[serde(borrow)]
    return_consumed_capacity: Option<Text<'a>>,
    #[serde(borrow)]
    return_item_collection_metrics: Option<Text<'a>>,
}

type WriteRequests = List<Element<WriteRequest>>;

impl MapValue for WriteRequests {
    const NAME: &'static str = "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>";
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct WriteRequest {
    delete_request: Option<Field<DeleteRequest>>,
    put_request: Option<Field<PutRequest>>,
}

impl Structure for WriteRequest {
    const NAME: &'static str = "WriteRequest";
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DeleteRequest {
    key: Option<AttributeMap>,
}

impl Structure for DeleteRequest {
    const NAME: &'static str = "DeleteRequest";
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct PutRequest {
    item: Option<AttributeMap>,
}

impl Structure for PutRequest {
    const NAME: &'static str = "PutRequest";
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let (request, report) = read(body, Home::of(database))?;
    let outcome = database.submit_batch_write(request).await?;
    Ok(Answer::of_tables(write(&outcome, &report), outcome.consumed))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<(BatchWrite, TablesReport), Failure> {
    let body: BatchWriteItemBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let capacity = constraints.choice("returnConsumedCapacity", body.return_consumed_capacity.as_ref());
    let metrics =
        constraints.choice("returnItemCollectionMetrics", body.return_item_collection_metrics.as_ref());
    let items = constraints.required("requestItems", body.request_items);
    for (table, requests) in items.iter().flat_map(|Map(items)| items) {
        check_constraints(&mut constraints, table, requests);
    }
    let Map(items) = constraints.take(items)?;
    let mut constraints = Constraints::default();
    for (table, List(requests)) in &items {
        let shown = format_args!("{{{table}=[{} write requests]}}", requests.len());
        table_name::check_map_key(&mut constraints, table, shown);
    }
    constraints.check()?;
    if items.is_empty() {
        return Err(RequestError::EmptyBatch("BatchWriteItem").into());
    }
    if items.iter().map(|(_, List(requests))| requests.len()).sum::<usize>() > REQUESTS_MAX {
        return Err(RequestError::TooManyItems("BatchWriteItem").into());
    }

    let mut actions = Vec::new();
    let mut tables = Vec::with_capacity(items.len());
    for (table, List(requests)) in items {
        let table = table_name::parse(&table, "tableName", home)?;
        for Element(request) in requests {
            actions.push(action(&table, request)?);
        }
        tables.push(table);
    }
    let collection_metrics = metrics == Some(ReturnItemCollectionMetrics::Size);
    Ok((
        BatchWrite { actions, collection_metrics },
        TablesReport { capacity: capacity.unwrap_or_default(), tables },
    ))
}

fn check_constraints(constraints: &mut Constraints, table: &str, List(requests): &WriteRequests) {
    let count = requests.len();
    if !(1..=REQUESTS_MAX).contains(&count) {
        let shown = if count == 0 { String::new() } else { format!("{count} write requests") };
        constraints.violation(
            format_args!("{{{table}=[{shown}]}}"),
            "requestItems",
            "Map value must satisfy constraint: [Member must have length less than or equal to 25, \
             Member must have length greater than or equal to 1]",
        );
    }
    for (at, Element(request)) in requests.iter().enumerate() {
        let path = format_args!("requestItems.{table}.member.{}.member", at + 1);
        if let Some(Field(delete)) = &request.delete_request {
            constraints.required(format_args!("{path}.deleteRequest.key"), delete.key.as_ref());
        }
        if let Some(Field(put)) = &request.put_request {
            constraints.required(format_args!("{path}.putRequest.item"), put.item.as_ref());
        }
    }
}

fn action(table: &TableName, request: WriteRequest) -> Result<BatchWriteAction, Failure> {
    let table = table.name.clone();
    match (request.put_request, request.delete_request) {
        (Some(Field(PutRequest { item: Some(item) })), None) => {
            Ok(BatchWriteAction::Put { table, item: item.checked()? })
        }
        (None, Some(Field(DeleteRequest { key: Some(key) }))) => {
            Ok(BatchWriteAction::Delete { table, key: key.checked()? })
        }
        _ => Err(RequestError::WriteRequest.into()),
    }
}

/// Writes the answer.
fn write(outcome: &BatchWriteOutcome, report: &TablesReport) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(256);
    json.object(|json| {
        json.key("UnprocessedItems").object(|_| ());
        write_collections(json, &outcome.collections, |name| report.label(name));
        let accounts = outcome.consumed.iter().map(|consumed| (consumed, report.label(&consumed.table)));
        write_capacities(json, CapacityReport { detail: report.capacity, transaction: false }, accounts);
    });
    json.into_bytes()
}

/// Writes the item collections that a batch or transaction touched, by table.
pub(super) fn write_collections<'a>(
    json: &mut JsonWriter,
    collections: &[(String, singlet_engine::ItemCollection)],
    label: impl Fn(&str) -> Option<&'a str>,
) {
    if collections.is_empty() {
        return;
    }
    let mut tables: Vec<&str> = collections.iter().map(|(table, _)| table.as_str()).collect();
    tables.sort_unstable();
    tables.dedup();
    json.key("ItemCollectionMetrics").object(|json| {
        for table in tables {
            json.name(label(table).unwrap_or(table)).array(|json| {
                for (_, collection) in collections.iter().filter(|(of, _)| of == table) {
                    write_collection(json, collection);
                }
            });
        }
    });
}
