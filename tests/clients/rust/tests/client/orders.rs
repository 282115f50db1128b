//! A table of orders with an index, one for each test.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType,
    Projection, ProjectionType, PutRequest, ScalarAttributeType, TableStatus, WriteRequest,
};

use crate::connect;

pub(crate) type Item = HashMap<String, AttributeValue>;

/// How many orders a filled table has: as many as one batch takes.
pub(crate) const COUNT: u32 = 25;

pub(crate) fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

pub(crate) fn n(number: impl ToString) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

pub(crate) fn key(customer: &str, number: u32) -> Item {
    HashMap::from([("customer".to_owned(), s(customer)), ("number".to_owned(), n(number))])
}

/// An order of one of three customers, on one of two days: most index keys are equal, which is where paging goes wrong.
pub(crate) fn order(number: u32) -> Item {
    let mut item = key(&format!("C{}", number % 3), number);
    item.insert("status".to_owned(), s("open"));
    item.insert("day".to_owned(), s(&format!("2026-03-1{}", number % 2)));
    item
}

/// An empty table.
pub(crate) async fn table(name: &str) -> Client {
    let client = connect::open().await;
    let index = GlobalSecondaryIndex::builder()
        .index_name("by_status")
        .key_schema(part("status", KeyType::Hash))
        .key_schema(part("day", KeyType::Range))
        .projection(Projection::builder().projection_type(ProjectionType::All).build())
        .build()
        .expect("the index is complete");
    client
        .create_table()
        .table_name(name)
        .billing_mode(BillingMode::PayPerRequest)
        .attribute_definitions(attribute("customer", ScalarAttributeType::S))
        .attribute_definitions(attribute("number", ScalarAttributeType::N))
        .attribute_definitions(attribute("status", ScalarAttributeType::S))
        .attribute_definitions(attribute("day", ScalarAttributeType::S))
        .key_schema(part("customer", KeyType::Hash))
        .key_schema(part("number", KeyType::Range))
        .global_secondary_indexes(index)
        .send()
        .await
        .expect("the table is created");
    until_active(&client, name).await;
    client
}

/// A table with all the orders.
pub(crate) async fn filled(name: &str) -> Client {
    let client = table(name).await;
    let puts = (0..COUNT).map(order).map(|item| {
        let put = PutRequest::builder().set_item(Some(item)).build().expect("the put has an item");
        WriteRequest::builder().put_request(put).build()
    });
    let answer = client
        .batch_write_item()
        .request_items(name, puts.collect())
        .send()
        .await
        .expect("the orders are written");
    assert!(answer.unprocessed_items().is_none_or(HashMap::is_empty));
    client
}

async fn until_active(client: &Client, name: &str) {
    for _ in 0..100 {
        let answer = client.describe_table().table_name(name).send().await.expect("the table is there");
        if answer.table().and_then(|table| table.table_status()) == Some(&TableStatus::Active) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{name} doesn't become active");
}

fn attribute(name: &str, kind: ScalarAttributeType) -> AttributeDefinition {
    AttributeDefinition::builder().attribute_name(name).attribute_type(kind).build().expect("both are set")
}

fn part(name: &str, kind: KeyType) -> KeySchemaElement {
    KeySchemaElement::builder().attribute_name(name).key_type(kind).build().expect("both are set")
}
