//! `BatchGetItem` and `BatchWriteItem`: requests and their answers.

use crate::support::{Client, text};
use serde_json::{Value, json};

fn put(key: &str) -> Value {
    json!({"PutRequest": {"Item": {"a": {"S": key}}}})
}

fn delete(key: &str) -> Value {
    json!({"DeleteRequest": {"Key": {"a": {"S": key}}}})
}

#[test]
fn a_batch_writes_to_several_tables_and_leaves_nothing_unprocessed() {
    let client = Client::with_tables();
    client.put("hash", json!({"a": {"S": "old"}}));
    let answer = client.call(
        "BatchWriteItem",
        json!({
            "RequestItems": {
                "hash": [put("new"), delete("old")],
                "range": [{"PutRequest": {"Item": {"a": {"S": "k"}, "b": {"S": "s"}}}}],
            },
            "ReturnConsumedCapacity": "TOTAL",
            "ReturnItemCollectionMetrics": "SIZE",
        }),
    );
    assert_eq!(answer["UnprocessedItems"], json!({}));
    let collections = &answer["ItemCollectionMetrics"];
    assert_eq!(collections["range"][0]["ItemCollectionKey"], json!({"a": {"S": "k"}}));
    let mut tables: Vec<String> = answer["ConsumedCapacity"]
        .as_array()
        .unwrap()
        .iter()
        .map(|table| text(&table["TableName"]))
        .collect();
    tables.sort();
    assert_eq!(tables, ["hash", "range"]);
    assert!(client.get("hash", json!({"a": {"S": "old"}})).is_null());
    assert_eq!(client.get("hash", json!({"a": {"S": "new"}})), json!({"a": {"S": "new"}}));
}

#[test]
fn a_batch_reads_from_several_tables_and_leaves_out_what_is_not_there() {
    let client = Client::with_tables();
    client.put("hash", json!({"a": {"S": "1"}, "x": {"S": "x"}}));
    client.put("range", json!({"a": {"S": "k"}, "b": {"S": "s"}}));
    let answer = client.call(
        "BatchGetItem",
        json!({
            "RequestItems": {
                "hash": {"Keys": [{"a": {"S": "1"}}, {"a": {"S": "2"}}], "ProjectionExpression": "x"},
                "range": {"Keys": [{"a": {"S": "k"}, "b": {"S": "s"}}]},
            },
        }),
    );
    assert_eq!(
        answer,
        json!({
            "Responses": {"hash": [{"x": {"S": "x"}}], "range": [{"a": {"S": "k"}, "b": {"S": "s"}}]},
            "UnprocessedKeys": {},
        })
    );
}

#[test]
fn keys_past_sixteen_megabytes_come_back_as_a_request_to_send_again() {
    let client = Client::with_tables();
    let large = "x".repeat(390_000);
    for key in 0..60 {
        client.put("hash", json!({"a": {"S": key.to_string()}, "large": {"S": large}}));
    }
    let keys: Vec<Value> = (0..60).map(|key| json!({"a": {"S": key.to_string()}})).collect();
    let mut request = json!({"RequestItems": {"hash": {
        "Keys": keys, "ConsistentRead": true, "ProjectionExpression": "#a",
        "ExpressionAttributeNames": {"#a": "a"},
    }}});
    let answer = client.call("BatchGetItem", request.clone());
    let left = &answer["UnprocessedKeys"]["hash"];
    let read = answer["Responses"]["hash"].as_array().unwrap().len();
    assert_eq!(read + left["Keys"].as_array().unwrap().len(), 60);
    assert_eq!(left["ConsistentRead"], json!(true));
    assert_eq!(left["ProjectionExpression"], json!("#a"));
    assert_eq!(left["ExpressionAttributeNames"], json!({"#a": "a"}));
    request["RequestItems"] = answer["UnprocessedKeys"].clone();
    let rest = client.call("BatchGetItem", request);
    assert_eq!(rest["Responses"]["hash"].as_array().unwrap().len(), 60 - read);
}

#[test]
fn batches_of_a_wrong_size_are_refused() {
    let client = Client::with_tables();
    let keys =
        |count: usize| -> Vec<Value> { (0..count).map(|at| json!({"a": {"S": at.to_string()}})).collect() };
    let puts = |count: usize| -> Vec<Value> { (0..count).map(|at| put(&at.to_string())).collect() };
    let cases = [
        ("BatchGetItem", json!({}), "The requestItems parameter is required for BatchGetItem"),
        ("BatchWriteItem", json!({}), "The requestItems parameter is required for BatchWriteItem"),
        (
            "BatchGetItem",
            json!({"hash": {"Keys": keys(101)}}),
            "1 validation error detected: Value at 'RequestItems.hash.member.Keys' failed to satisfy constraint: \
             Member must have length less than or equal to 100",
        ),
        (
            "BatchGetItem",
            json!({"hash": {"Keys": []}}),
            "1 validation error detected: Value at 'RequestItems.hash.member.Keys' failed to satisfy constraint: \
             Member must have length greater than or equal to 1",
        ),
        (
            "BatchGetItem",
            json!({"hash": {"Keys": keys(100)}, "range": {"Keys": keys(1)}}),
            "Too many items requested for the BatchGetItem call",
        ),
        (
            "BatchWriteItem",
            json!({"hash": puts(26)}),
            "1 validation error detected: Value '{hash=[26 write requests]}' at 'requestItems' failed to satisfy \
             constraint: Map value must satisfy constraint: [Member must have length less than or equal to 25, \
             Member must have length greater than or equal to 1]",
        ),
        (
            "BatchWriteItem",
            json!({"hash": []}),
            "1 validation error detected: Value '{hash=[]}' at 'requestItems' failed to satisfy constraint: Map \
             value must satisfy constraint: [Member must have length less than or equal to 25, Member must have \
             length greater than or equal to 1]",
        ),
        (
            "BatchWriteItem",
            json!({"hash": puts(20), "range": puts(6)}),
            "Too many items requested for the BatchWriteItem call",
        ),
    ];
    for (operation, items, text) in cases {
        assert_eq!(client.invalid(operation, json!({"RequestItems": items})), text);
    }
}

#[test]
fn a_write_request_is_a_put_or_a_delete() {
    let client = Client::with_tables();
    for request in [
        json!({}),
        json!({"PutRequest": put("a")["PutRequest"], "DeleteRequest": delete("a")["DeleteRequest"]}),
    ] {
        assert_eq!(
            client.invalid("BatchWriteItem", json!({"RequestItems": {"hash": [request]}})),
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported \
             datatypes"
        );
    }
}

#[test]
fn one_item_twice_in_a_batch_is_refused() {
    let client = Client::with_tables();
    let duplicates = "Provided list of item keys contains duplicates";
    let writes = json!({"RequestItems": {"hash": [put("k"), delete("k")]}});
    assert_eq!(client.invalid("BatchWriteItem", writes), duplicates);
    let reads = json!({"RequestItems": {"hash": {"Keys": [{"a": {"S": "k"}}, {"a": {"S": "k"}}]}}});
    assert_eq!(client.invalid("BatchGetItem", reads), duplicates);
}

#[test]
fn a_table_name_that_is_none_is_reported_as_a_key_of_the_map() {
    let client = Client::with_tables();
    let rule = "failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or \
                equal to 255, Member must have length greater than or equal to 3, Member must satisfy regular \
                expression pattern: [a-zA-Z0-9_.-]+]";
    let reads = json!({"RequestItems": {"bad!": {"Keys": [{"a": {"S": "k"}}]}}});
    assert_eq!(
        client.invalid("BatchGetItem", reads),
        format!("1 validation error detected: Value '{{bad!=[1 keys]}}' at 'requestItems' {rule}")
    );
    let writes = json!({"RequestItems": {"bad!": [put("k")]}});
    assert_eq!(
        client.invalid("BatchWriteItem", writes),
        format!("1 validation error detected: Value '{{bad!=[1 write requests]}}' at 'requestItems' {rule}")
    );
}

#[test]
fn the_tables_of_a_batch_are_asked_in_one_generation_of_parameters() {
    let client = Client::with_tables();
    let request = json!({"RequestItems": {
        "hash": {"Keys": [{"a": {"S": "k"}}], "ProjectionExpression": "a"},
        "range": {"Keys": [{"a": {"S": "k"}, "b": {"S": "s"}}], "AttributesToGet": ["a"]},
    }});
    assert_eq!(
        client.invalid("BatchGetItem", request),
        "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: \
         {AttributesToGet} Expression parameters: {ProjectionExpression}"
    );
}

#[test]
fn missing_members_of_write_requests_are_found() {
    let client = Client::with_tables();
    assert_eq!(
        client.invalid(
            "BatchWriteItem",
            json!({"RequestItems": {"hash": [{"PutRequest": {}, "DeleteRequest": {}}]}})
        ),
        "2 validation errors detected: Value null at 'requestItems.hash.member.1.member.deleteRequest.key' failed to \
         satisfy constraint: Member must not be null; Value null at \
         'requestItems.hash.member.1.member.putRequest.item' failed to satisfy constraint: Member must not be null"
    );
}
