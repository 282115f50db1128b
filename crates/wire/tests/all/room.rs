//! Operations whose answers may be large ask for the memory first. Without it they are refused, and have done nothing.

use std::future::{Future, ready};
use std::pin::Pin;

use crate::support::{Client, hash_table, with};
use serde_json::{Value, json};
use singlet_engine::Database;
use singlet_wire::{AnswerRoom, Operation, Service};

/// Room for no answer.
struct Full;

impl AnswerRoom for Full {
    fn try_reserve(&self, _: usize) -> bool {
        false
    }

    fn reserve(&self, _: usize) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(ready(false))
    }
}

/// The status of a request whose answer gets no memory.
fn status(service: &Service, operation: &str, body: &Value) -> u16 {
    let operation = Operation::from_target(&format!("DynamoDB_20120810.{operation}")).unwrap();
    pollster::block_on(service.perform_within(operation, body.to_string().as_bytes(), &Full)).status
}

/// A database with one item, a service on it, and a client that has room.
fn scene() -> (Service, Client) {
    let database = Database::in_memory().unwrap();
    let client = Client::on(database.clone());
    client.call("CreateTable", hash_table("hash"));
    client.put("hash", item());
    (Service::new(database), client)
}

fn item() -> Value {
    json!({"a": {"S": "k"}, "n": {"N": "1"}})
}

fn key() -> Value {
    json!({"a": {"S": "k"}})
}

#[test]
fn writes_that_return_items_ask_for_room_and_others_do_not() {
    let put = json!({"TableName": "hash", "Item": {"a": {"S": "k"}, "n": {"N": "2"}}});
    let delete = json!({"TableName": "hash", "Key": key()});
    let update = with(
        delete.clone(),
        json!({"UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "2"}}}),
    );
    let on_failure = json!({
        "ConditionExpression": "attribute_exists(a)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    });
    for (operation, request) in [("PutItem", &put), ("UpdateItem", &update), ("DeleteItem", &delete)] {
        let (service, client) = scene();
        for returning in [json!({"ReturnValues": "ALL_OLD"}), on_failure.clone()] {
            assert_eq!(status(&service, operation, &with(request.clone(), returning)), 503, "{operation}");
            assert_eq!(client.get("hash", key()), item(), "{operation}: nothing was changed");
        }
        assert_eq!(status(&service, operation, request), 200, "{operation}");
    }
}

#[test]
fn transactions_that_return_items_ask_for_room_and_others_do_not() {
    let (service, client) = scene();
    let delete = json!({"TableName": "hash", "Key": key()});
    let returning = with(
        delete.clone(),
        json!({"ConditionExpression": "attribute_exists(a)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}),
    );
    let transaction = |delete: &Value| json!({"TransactItems": [{"Delete": delete}]});
    assert_eq!(status(&service, "TransactWriteItems", &transaction(&returning)), 503);
    assert_eq!(client.get("hash", key()), item(), "nothing was changed");
    assert_eq!(status(&service, "TransactWriteItems", &transaction(&delete)), 200);
}

#[test]
fn pages_ask_for_room() {
    let (service, _client) = scene();
    let query = json!({
        "TableName": "hash",
        "KeyConditionExpression": "a = :a",
        "ExpressionAttributeValues": {":a": {"S": "k"}},
    });
    assert_eq!(status(&service, "Query", &query), 503);
    assert_eq!(status(&service, "Scan", &json!({"TableName": "hash"})), 503);
    assert_eq!(status(&service, "GetItem", &json!({"TableName": "hash", "Key": key()})), 200);
}
