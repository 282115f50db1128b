//! `GetItem`, `PutItem`, `UpdateItem` and `DeleteItem`: requests and their answers.

use crate::support::{Client, with};
use serde_json::json;

#[test]
fn an_item_of_every_kind_comes_back_as_it_was_put() {
    let client = Client::with_tables();
    let item = json!({
        "a": {"S": "k"},
        "b": {"B": "AP8="},
        "bool": {"BOOL": true},
        "bs": {"BS": ["AA==", "AQ=="]},
        "l": {"L": [{"S": ""}, {"L": []}, {"M": {"x": {"N": "1"}}}]},
        "m": {"M": {}},
        "n": {"N": "-12.5"},
        "ns": {"NS": ["-1", "2"]},
        "null": {"NULL": true},
        "s\"\\\u{1}é": {"S": "\"\\\n\u{7f}é\u{1F600}"},
        "ss": {"SS": ["", "x"]},
    });
    client.put("hash", item.clone());
    assert_eq!(client.get("hash", json!({"a": {"S": "k"}})), item);
}

#[test]
fn numbers_come_back_normalised() {
    let client = Client::with_tables();
    client.put("hash", json!({"a": {"S": "k"}, "n": {"N": "+0001.500e2"}, "z": {"N": "-0.0"}}));
    let item = client.get("hash", json!({"a": {"S": "k"}}));
    assert_eq!(item, json!({"a": {"S": "k"}, "n": {"N": "150"}, "z": {"N": "0"}}));
}

#[test]
fn an_item_that_is_not_there_is_an_empty_answer() {
    let client = Client::with_tables();
    let answer = client.call("GetItem", json!({"TableName": "hash", "Key": {"a": {"S": "none"}}}));
    assert_eq!(answer, json!({}));
}

#[test]
fn a_get_returns_only_what_its_projection_names() {
    let client = Client::with_tables();
    client.put(
        "hash",
        json!({"a": {"S": "k"}, "b": {"M": {"c": {"S": "x"}, "d": {"S": "y"}}}, "e": {"S": "z"}}),
    );
    let get = |extra: serde_json::Value| {
        let request = json!({"TableName": "hash", "Key": {"a": {"S": "k"}}});
        client.call("GetItem", with(request, extra))["Item"].clone()
    };
    assert_eq!(
        get(json!({"ProjectionExpression": "#b.c, e", "ExpressionAttributeNames": {"#b": "b"}})),
        json!({"b": {"M": {"c": {"S": "x"}}}, "e": {"S": "z"}})
    );
    assert_eq!(get(json!({"AttributesToGet": ["e", "none"]})), json!({"e": {"S": "z"}}));
}

#[test]
fn return_values_are_those_asked_for() {
    let client = Client::with_tables();
    let put = |values: &str| {
        client.call(
            "PutItem",
            json!({"TableName": "hash", "Item": {"a": {"S": "k"}, "n": {"N": "1"}}, "ReturnValues": values}),
        )
    };
    assert_eq!(put("ALL_OLD"), json!({}));
    assert_eq!(put("ALL_OLD"), json!({"Attributes": {"a": {"S": "k"}, "n": {"N": "1"}}}));
    assert_eq!(put("NONE"), json!({}));

    let update = |values: &str| {
        client.call(
            "UpdateItem",
            json!({
                "TableName": "hash", "Key": {"a": {"S": "k"}}, "ReturnValues": values,
                "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}},
            }),
        )
    };
    assert_eq!(update("NONE"), json!({}));
    assert_eq!(update("UPDATED_OLD"), json!({"Attributes": {"n": {"N": "2"}}}));
    assert_eq!(update("UPDATED_NEW"), json!({"Attributes": {"n": {"N": "4"}}}));
    assert_eq!(update("ALL_OLD"), json!({"Attributes": {"a": {"S": "k"}, "n": {"N": "4"}}}));
    assert_eq!(update("ALL_NEW"), json!({"Attributes": {"a": {"S": "k"}, "n": {"N": "6"}}}));

    let delete = json!({"TableName": "hash", "Key": {"a": {"S": "k"}}, "ReturnValues": "ALL_OLD"});
    assert_eq!(client.call("DeleteItem", delete.clone())["Attributes"]["n"], json!({"N": "6"}));
    assert_eq!(client.call("DeleteItem", delete), json!({}));
}

#[test]
fn a_failed_condition_shows_the_item_only_when_asked() {
    let client = Client::with_tables();
    client.put("hash", json!({"a": {"S": "k"}, "n": {"N": "1"}}));
    let mut put = json!({
        "TableName": "hash", "Item": {"a": {"S": "k"}}, "ConditionExpression": "attribute_not_exists(a)",
    });
    let failed = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
        "message": "The conditional request failed",
    });
    assert_eq!(client.error("PutItem", put.clone()), failed);
    put["ReturnValuesOnConditionCheckFailure"] = json!("ALL_OLD");
    assert_eq!(client.error("PutItem", put)["Item"], json!({"a": {"S": "k"}, "n": {"N": "1"}}));
}

#[test]
fn capacity_is_reported_as_asked() {
    let client = Client::with_tables();
    let item = json!({"a": {"S": "k"}, "b": {"S": "s"}, "c": {"S": "c"}, "d": {"S": "d"}});
    let put = |detail: &str| {
        client.call("PutItem", json!({"TableName": "range", "Item": item, "ReturnConsumedCapacity": detail}))
    };
    assert_eq!(put("NONE"), json!({}));
    assert_eq!(
        client.call("DeleteItem", json!({"TableName": "range", "Key": {"a": {"S": "k"}, "b": {"S": "s"}}})),
        json!({})
    );
    assert_eq!(
        put("INDEXES")["ConsumedCapacity"],
        json!({
            "TableName": "range",
            "CapacityUnits": 3.0,
            "Table": {"CapacityUnits": 1.0},
            "LocalSecondaryIndexes": {"local": {"CapacityUnits": 1.0}},
            "GlobalSecondaryIndexes": {"global": {"CapacityUnits": 1.0}},
        })
    );
    let get = |detail: &str, consistent: bool| {
        let key = json!({"a": {"S": "k"}, "b": {"S": "s"}});
        let request = json!({
            "TableName": "range", "Key": key, "ReturnConsumedCapacity": detail, "ConsistentRead": consistent,
        });
        client.call("GetItem", request)["ConsumedCapacity"].clone()
    };
    assert_eq!(get("TOTAL", false), json!({"TableName": "range", "CapacityUnits": 0.5}));
    assert_eq!(
        get("INDEXES", true),
        json!({"TableName": "range", "CapacityUnits": 1.0, "Table": {"CapacityUnits": 1.0}})
    );
}

#[test]
fn the_server_learns_the_capacity_also_when_the_caller_does_not_ask() {
    let client = Client::with_tables();
    let reply = client.raw("GetItem", br#"{"TableName":"hash","Key":{"a":{"S":"k"}}}"#);
    let [consumed] = reply.consumed.tables() else { panic!("one table was read") };
    assert_eq!((consumed.table.as_str(), consumed.total().read), ("hash", 0.5));
}

#[test]
fn item_collection_sizes_are_reported_for_tables_with_local_indexes() {
    let client = Client::with_tables();
    let put = |table: &str| {
        let item = json!({"a": {"S": "k"}, "b": {"S": "s"}});
        let request = json!({"TableName": table, "Item": item, "ReturnItemCollectionMetrics": "SIZE"});
        client.call("PutItem", request)["ItemCollectionMetrics"].clone()
    };
    let metrics = put("range");
    assert_eq!(metrics["ItemCollectionKey"], json!({"a": {"S": "k"}}));
    assert_eq!(metrics["SizeEstimateRangeGB"].as_array().map(Vec::len), Some(2));
    assert!(put("hash").is_null());
}

#[test]
fn a_table_may_be_named_by_its_arn_and_answers_repeat_it() {
    let client = Client::with_tables();
    let arn = client.call("DescribeTable", json!({"TableName": "hash"}))["Table"]["TableArn"].clone();
    let put = json!({"TableName": arn, "Item": {"a": {"S": "k"}}, "ReturnConsumedCapacity": "TOTAL"});
    assert_eq!(client.call("PutItem", put)["ConsumedCapacity"]["TableName"], arn);
    assert_eq!(client.get("hash", json!({"a": {"S": "k"}})), json!({"a": {"S": "k"}}));
    assert_eq!(client.call("DescribeTable", json!({"TableName": arn}))["Table"]["TableName"], "hash");
}

#[test]
fn legacy_parameters_still_work() {
    let client = Client::with_tables();
    client.put("hash", json!({"a": {"S": "k"}, "n": {"N": "1"}, "s": {"SS": ["x", "y"]}}));
    let answer = client.call(
        "UpdateItem",
        json!({
            "TableName": "hash", "Key": {"a": {"S": "k"}}, "ReturnValues": "ALL_NEW",
            "AttributeUpdates": {
                "n": {"Action": "ADD", "Value": {"N": "2"}},
                "s": {"Action": "DELETE", "Value": {"SS": ["x"]}},
                "t": {"Value": {"S": "new"}},
            },
            "Expected": {"n": {"Value": {"N": "1"}}, "none": {"Exists": false}},
            "ConditionalOperator": "AND",
        }),
    );
    let expected = json!({"a": {"S": "k"}, "n": {"N": "3"}, "s": {"SS": ["y"]}, "t": {"S": "new"}});
    assert_eq!(answer["Attributes"], expected);
    let error = client.error(
        "DeleteItem",
        json!({
            "TableName": "hash", "Key": {"a": {"S": "k"}},
            "Expected": {"n": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "3"}]}},
        }),
    );
    assert_eq!(error["__type"], "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException");
}

#[test]
fn a_table_that_is_not_there_is_not_found() {
    let client = Client::new();
    let not_found = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
        "message": "Requested resource not found",
    });
    let key = json!({"TableName": "none", "Key": {"a": {"S": "k"}}});
    for operation in ["GetItem", "DeleteItem", "UpdateItem"] {
        assert_eq!(client.error(operation, key.clone()), not_found, "{operation}");
    }
    assert_eq!(client.error("PutItem", json!({"TableName": "none", "Item": {"a": {"S": "k"}}})), not_found);
    assert_eq!(client.error("Scan", json!({"TableName": "none"})), not_found);
}
