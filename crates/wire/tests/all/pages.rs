//! `Query` and `Scan`: requests and their answers.

use crate::support::{Client, text, with};
use serde_json::{Value, json};

/// Five items under one partition key, in the table and in both indexes.
fn filled() -> Client {
    let client = Client::with_tables();
    for at in 0..5 {
        client.put(
            "range",
            json!({
                "a": {"S": "k"}, "b": {"S": format!("s{at}")}, "c": {"S": "c"}, "d": {"S": "tie"},
                "e": {"N": at.to_string()}, "f": {"S": "f"},
            }),
        );
    }
    client
}

fn query(extra: Value) -> Value {
    let request = json!({
        "TableName": "range",
        "KeyConditionExpression": "a = :a",
        "ExpressionAttributeValues": {":a": {"S": "k"}},
    });
    with(request, extra)
}

fn sort_keys(page: &Value) -> Vec<String> {
    let items = page.get("Items").and_then(Value::as_array).expect("a page has items");
    let sort_key = |item: &Value| item.pointer("/b/S").map(text).expect("an item has a sort key");
    items.iter().map(sort_key).collect()
}

#[test]
fn a_query_returns_its_items_in_order_with_counts() {
    let client = filled();
    let page = client.call("Query", query(json!({})));
    assert_eq!(sort_keys(&page), ["s0", "s1", "s2", "s3", "s4"]);
    assert_eq!((&page["Count"], &page["ScannedCount"]), (&json!(5), &json!(5)));
    assert!(page.get("LastEvaluatedKey").is_none());
    let page = client.call("Query", query(json!({"ScanIndexForward": false})));
    assert_eq!(sort_keys(&page), ["s4", "s3", "s2", "s1", "s0"]);
}

#[test]
fn an_empty_page_has_an_empty_list() {
    let client = Client::with_tables();
    let empty = json!({"Count": 0, "Items": [], "ScannedCount": 0});
    assert_eq!(client.call("Query", query(json!({}))), empty);
    assert_eq!(client.call("Scan", json!({"TableName": "range"})), empty);
}

#[test]
fn a_filter_lowers_the_count_but_not_the_scanned_count() {
    let client = filled();
    let request = query(json!({
        "FilterExpression": "e > :e",
        "ExpressionAttributeValues": {":a": {"S": "k"}, ":e": {"N": "2"}},
    }));
    let page = client.call("Query", request);
    assert_eq!(sort_keys(&page), ["s3", "s4"]);
    assert_eq!((&page["Count"], &page["ScannedCount"]), (&json!(2), &json!(5)));
}

#[test]
fn select_count_returns_no_items() {
    let client = filled();
    let page = client.call("Query", query(json!({"Select": "COUNT"})));
    assert_eq!(page, json!({"Count": 5, "ScannedCount": 5}));
}

#[test]
fn pages_of_an_index_with_ties_continue_from_a_key_that_holds_both_keys() {
    let client = filled();
    let mut request = json!({
        "TableName": "range", "IndexName": "global", "Limit": 2,
        "KeyConditionExpression": "c = :c AND d = :d",
        "ExpressionAttributeValues": {":c": {"S": "c"}, ":d": {"S": "tie"}},
    });
    let mut seen = Vec::new();
    loop {
        let page = client.call("Query", request.clone());
        seen.extend(sort_keys(&page));
        let Some(last) = page.get("LastEvaluatedKey") else { break };
        let names: Vec<&String> = last.as_object().unwrap().keys().collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
        request["ExclusiveStartKey"] = last.clone();
    }
    assert_eq!(seen, ["s0", "s1", "s2", "s3", "s4"]);
}

#[test]
fn an_index_returns_what_it_projects() {
    let client = filled();
    let page = client.call(
        "Query",
        json!({
            "TableName": "range", "IndexName": "global", "Limit": 1, "KeyConditionExpression": "c = :c",
            "ExpressionAttributeValues": {":c": {"S": "c"}}, "ReturnConsumedCapacity": "INDEXES",
        }),
    );
    let names: Vec<&String> = page["Items"][0].as_object().unwrap().keys().collect();
    assert_eq!(names, ["a", "b", "c", "d", "e"]);
    assert_eq!(
        page["ConsumedCapacity"],
        json!({
            "TableName": "range", "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.0},
            "GlobalSecondaryIndexes": {"global": {"CapacityUnits": 0.5}},
        })
    );
}

#[test]
fn the_segments_of_a_parallel_scan_share_the_items() {
    let client = filled();
    let segment = |segment: u32| {
        let request = json!({"TableName": "range", "Segment": segment, "TotalSegments": 3});
        sort_keys(&client.call("Scan", request))
    };
    let mut seen: Vec<String> = (0..3).flat_map(segment).collect();
    seen.sort();
    assert_eq!(seen, ["s0", "s1", "s2", "s3", "s4"]);
}

#[test]
fn legacy_conditions_still_work() {
    let client = filled();
    let equals = |value: &str| json!({"ComparisonOperator": "EQ", "AttributeValueList": [{"S": value}]});
    let between = json!({"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"S": "s1"}, {"S": "s3"}]});
    let greater = json!({"ComparisonOperator": "GT", "AttributeValueList": [{"N": "1"}]});
    let page = client.call(
        "Query",
        json!({
            "TableName": "range", "KeyConditions": {"a": equals("k"), "b": between},
            "QueryFilter": {"e": greater}, "AttributesToGet": ["b"],
        }),
    );
    assert_eq!(page["Items"], json!([{"b": {"S": "s2"}}, {"b": {"S": "s3"}}]));
    let page = client.call(
        "Scan",
        json!({
            "TableName": "range", "ConditionalOperator": "OR",
            "ScanFilter": {"b": equals("s0"), "e": {"ComparisonOperator": "IN", "AttributeValueList": [{"N": "4"}]}},
        }),
    );
    let mut seen = sort_keys(&page);
    seen.sort();
    assert_eq!(seen, ["s0", "s4"]);
}

#[test]
fn what_a_page_may_return_must_not_be_said_twice() {
    let client = filled();
    let cases = [
        (
            json!({"Select": "ALL_ATTRIBUTES", "ProjectionExpression": "a"}),
            "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
        ),
        (
            json!({"Select": "COUNT", "ProjectionExpression": "a"}),
            "Cannot specify the ProjectionExpression when choosing to get only the Count",
        ),
        (
            json!({"Select": "SPECIFIC_ATTRIBUTES"}),
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
        ),
        (
            json!({"Select": "ALL_PROJECTED_ATTRIBUTES"}),
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ),
    ];
    for (extra, text) in cases {
        assert_eq!(client.invalid("Query", query(extra)), text);
    }
}

#[test]
fn segments_must_fit_together() {
    let client = filled();
    let cases = [
        (
            json!({"Segment": 0}),
            "The TotalSegments parameter is required but was not present in the request when Segment parameter is \
             present",
        ),
        (
            json!({"TotalSegments": 4}),
            "The Segment parameter is required but was not present in the request when parameter TotalSegments is \
             present",
        ),
        (
            json!({"Segment": 5, "TotalSegments": 5}),
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not \
             less than TotalSegments: 5",
        ),
    ];
    for (mut request, text) in cases {
        request["TableName"] = json!("range");
        assert_eq!(client.invalid("Scan", request), text);
    }
}

#[test]
fn a_query_without_a_key_is_refused() {
    let client = filled();
    assert_eq!(
        client.invalid("Query", json!({"TableName": "range"})),
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
    );
}

#[test]
fn a_start_key_that_no_item_can_have_is_refused_as_a_start_key() {
    let client = filled();
    let start = |value: Value| client.invalid("Query", query(json!({"ExclusiveStartKey": {"a": value}})));
    assert_eq!(
        start(json!({})),
        "The provided starting key is invalid: Supplied AttributeValue is empty, must contain exactly one of the \
         supported datatypes"
    );
    assert_eq!(start(json!({"N": "x"})), "The parameter cannot be converted to a numeric value: x");
}
