//! `TransactGetItems` and `TransactWriteItems`: requests and their answers.

use crate::support::Client;
use serde_json::{Value, json};

fn put(key: &str, condition: Option<&str>) -> Value {
    let item = json!({"a": {"S": key}, "n": {"N": "1"}});
    json!({"Put": {"TableName": "hash", "Item": item, "ConditionExpression": condition}})
}

#[test]
fn a_transaction_puts_updates_deletes_and_checks() {
    let client = Client::with_tables();
    for key in ["update", "delete", "check"] {
        client.put("hash", json!({"a": {"S": key}, "n": {"N": "1"}}));
    }
    let key = |key: &str| json!({"a": {"S": key}});
    let answer = client.call(
        "TransactWriteItems",
        json!({
            "TransactItems": [
                put("put", None),
                {"Update": {
                    "TableName": "hash", "Key": key("update"), "UpdateExpression": "SET n = n + :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}},
                }},
                {"Delete": {"TableName": "hash", "Key": key("delete")}},
                {"ConditionCheck": {
                    "TableName": "hash", "Key": key("check"), "ConditionExpression": "attribute_exists(a)",
                }},
            ],
            "ReturnConsumedCapacity": "INDEXES",
        }),
    );
    let consumed = &answer["ConsumedCapacity"][0];
    assert_eq!(consumed["TableName"], "hash");
    assert_eq!(consumed["CapacityUnits"], consumed["WriteCapacityUnits"]);
    assert_eq!(consumed["Table"]["CapacityUnits"], consumed["Table"]["WriteCapacityUnits"]);
    assert!(consumed.get("ReadCapacityUnits").is_none());
    assert_eq!(client.get("hash", key("update"))["n"], json!({"N": "2"}));
    assert!(client.get("hash", key("delete")).is_null());
}

#[test]
fn a_cancelled_transaction_gives_a_reason_for_each_action() {
    let client = Client::with_tables();
    client.put("hash", json!({"a": {"S": "there"}}));
    let mut failing = put("there", Some("attribute_not_exists(a)"));
    failing["Put"]["ReturnValuesOnConditionCheckFailure"] = json!("ALL_OLD");
    let error = client.error("TransactWriteItems", json!({"TransactItems": [put("new", None), failing]}));
    assert_eq!(
        error,
        json!({
            "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
            "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons \
                        [None, ConditionalCheckFailed]",
            "CancellationReasons": [
                {"Code": "None"},
                {
                    "Code": "ConditionalCheckFailed",
                    "Item": {"a": {"S": "there"}},
                    "Message": "The conditional request failed",
                },
            ],
        })
    );
    assert!(client.get("hash", json!({"a": {"S": "new"}})).is_null());
}

#[test]
fn a_token_is_good_for_one_content_however_it_is_written() {
    let client = Client::with_tables();
    let call = |body: &str| {
        let reply = client.raw("TransactWriteItems", body.as_bytes());
        (reply.status, reply.error)
    };
    let first =
        r#"{"ClientRequestToken":"t","TransactItems":[{"Put":{"TableName":"hash","Item":{"a":{"S":"k"}}}}]}"#;
    let same = r#"{ "TransactItems" : [ { "Put" : { "Item" : { "a" : { "S" : "\u006b" } }, "TableName" : "hash" } } ],
                    "ReturnConsumedCapacity": "TOTAL", "ClientRequestToken" : "t" }"#;
    let other = first.replace(r#"{"S":"k"}"#, r#"{"S":"l"}"#);
    assert_eq!(call(first), (200, None));
    assert_eq!(call(same), (200, None));
    assert_eq!(call(&other), (400, Some("IdempotentParameterMismatchException")));
}

#[test]
fn a_read_transaction_answers_in_order_with_gaps() {
    let client = Client::with_tables();
    client.put("hash", json!({"a": {"S": "1"}, "n": {"N": "1"}}));
    let get = |key: &str| json!({"Get": {"TableName": "hash", "Key": {"a": {"S": key}}, "ProjectionExpression": "n"}});
    let answer = client.call(
        "TransactGetItems",
        json!({"TransactItems": [get("none"), get("1")], "ReturnConsumedCapacity": "TOTAL"}),
    );
    assert_eq!(answer["Responses"], json!([{}, {"Item": {"n": {"N": "1"}}}]));
    let consumed = json!([{"TableName": "hash", "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}]);
    assert_eq!(answer["ConsumedCapacity"], consumed);
}

#[test]
fn a_key_that_does_not_fit_cancels_a_read_transaction() {
    let client = Client::with_tables();
    let error = client
        .error("TransactGetItems", json!({"TransactItems": [{"Get": {"TableName": "hash", "Key": {}}}]}));
    assert_eq!(error["__type"], "com.amazonaws.dynamodb.v20120810#TransactionCanceledException");
    assert_eq!(error["CancellationReasons"][0]["Code"], "ValidationError");
}

#[test]
fn transactions_of_a_wrong_size_are_refused() {
    let client = Client::with_tables();
    let puts: Vec<Value> = (0..101).map(|at| put(&at.to_string(), None)).collect();
    for operation in ["TransactWriteItems", "TransactGetItems"] {
        assert_eq!(
            client.invalid(operation, json!({"TransactItems": []})),
            "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have \
             length greater than or equal to 1"
        );
    }
    assert_eq!(
        client.invalid("TransactWriteItems", json!({"TransactItems": puts})),
        "1 validation error detected: Value '[101 actions]' at 'transactItems' failed to satisfy constraint: Member \
         must have length less than or equal to 100"
    );
}

#[test]
fn an_action_is_one_of_four() {
    let client = Client::with_tables();
    let both =
        json!({"Put": put("a", None)["Put"], "Delete": {"TableName": "hash", "Key": {"a": {"S": "b"}}}});
    for action in [json!({}), both] {
        assert_eq!(
            client.invalid("TransactWriteItems", json!({"TransactItems": [action]})),
            "TransactItems can only contain one of Check, Put, Update or Delete"
        );
    }
}

#[test]
fn missing_members_of_actions_are_found() {
    let client = Client::with_tables();
    assert_eq!(
        client.invalid("TransactWriteItems", json!({"TransactItems": [{"Update": {"TableName": "hash"}}]})),
        "2 validation errors detected: Value null at 'transactItems.1.member.update.key' failed to satisfy constraint: \
         Member must not be null; Value null at 'transactItems.1.member.update.updateExpression' failed to satisfy \
         constraint: Member must not be null"
    );
}

#[test]
fn the_first_action_with_a_mistake_is_reported_before_any_table_is_looked_up() {
    let client = Client::new();
    let mut unused = put("k", Some("attribute_exists(a)"));
    unused["Put"]["ExpressionAttributeValues"] = json!({":v": {"S": "x"}});
    let syntax = put("l", Some("a = = b"));
    let unused_text = "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}";
    let syntax_text = "Invalid ConditionExpression: Syntax error; token: \"=\", near: \"= = b\"";
    let call = |items: Value| client.invalid("TransactWriteItems", json!({"TransactItems": items}));
    assert_eq!(call(json!([put("j", None), unused, syntax])), unused_text);
    assert_eq!(call(json!([put("j", None), syntax, unused])), syntax_text);
}

#[test]
fn a_token_and_the_enums_are_checked_together() {
    let client = Client::with_tables();
    let request = json!({
        "TransactItems": [put("k", None)], "ClientRequestToken": "x".repeat(37),
        "ReturnConsumedCapacity": "BOGUS", "ReturnItemCollectionMetrics": "BOGUS2",
    });
    assert_eq!(
        client.invalid("TransactWriteItems", request),
        format!(
            "3 validation errors detected: Value '{}' at 'clientRequestToken' failed to satisfy constraint: Member must \
             have length less than or equal to 36; Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy \
             constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; Value 'BOGUS2' at \
             'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: \
             [SIZE, NONE]",
            "x".repeat(37)
        )
    );
}

#[test]
fn one_item_twice_in_a_transaction_is_refused() {
    let client = Client::with_tables();
    assert_eq!(
        client.invalid("TransactWriteItems", json!({"TransactItems": [put("k", None), put("k", None)]})),
        "Transaction request cannot include multiple operations on one item"
    );
}
