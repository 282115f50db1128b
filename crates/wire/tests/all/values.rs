//! Attribute values that no item can hold, and those that every item can.

use crate::support::Client;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Values that are refused, with their texts.
fn refused() -> Vec<(Value, &'static str)> {
    let empty = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
    let several = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes";
    let digits = "Attempting to store more than 38 significant digits in a Number";
    let overflow = "Number overflow. Attempting to store a number with magnitude larger than supported range";
    let underflow =
        "Number underflow. Attempting to store a number with magnitude smaller than supported range";
    vec![
        (json!({}), empty),
        (json!(null), empty),
        (json!({"a": ""}), empty),
        (json!({"S": null}), empty),
        (json!({"M": {"a": {}}}), empty),
        (json!({"L": [{}]}), empty),
        (json!({"L": [{"a": {}}]}), empty),
        (json!({"S": "a", "N": "1"}), several),
        (
            json!({"NULL": "no"}),
            "One or more parameter values were invalid: Null attribute value types must have the value of true",
        ),
        (json!({"SS": []}), "One or more parameter values were invalid: An string set  may not be empty"),
        (json!({"NS": []}), "One or more parameter values were invalid: An number set  may not be empty"),
        (json!({"BS": []}), "One or more parameter values were invalid: Binary sets should not be empty"),
        (
            json!({"SS": ["b", "a", "b"]}),
            "One or more parameter values were invalid: Input collection [b, a, b] contains duplicates.",
        ),
        (
            json!({"BS": ["Yg==", "Yg=="]}),
            "One or more parameter values were invalid: Input collection [Yg==, Yg==]of type BS contains duplicates.",
        ),
        (json!({"NS": ["1", "1.0"]}), "Input collection contains duplicates"),
        (json!({"N": ""}), "The parameter cannot be converted to a numeric value"),
        (json!({"S": "a", "N": "b"}), "The parameter cannot be converted to a numeric value: b"),
        (json!({"NS": ["1", "b"]}), "The parameter cannot be converted to a numeric value: b"),
        (json!({"N": "123456789012345678901234567890123456789"}), digits),
        (json!({"N": "-1.23456789012345678901234567890123456789"}), digits),
        (json!({"N": "1e126"}), overflow),
        (json!({"N": "-1e126"}), overflow),
        (json!({"N": "1e-131"}), underflow),
        (json!({"M": {"": {"S": "x"}}}), "Empty attribute name"),
    ]
}

#[test]
fn values_that_no_item_can_hold_are_refused_before_the_table_is_looked_up() {
    let client = Client::new();
    for (value, text) in refused() {
        let item = json!({"a": value});
        let places = [
            ("PutItem", json!({"TableName": "abc", "Item": item})),
            ("GetItem", json!({"TableName": "abc", "Key": item})),
            ("UpdateItem", json!({"TableName": "abc", "Key": item})),
            ("DeleteItem", json!({"TableName": "abc", "Key": item})),
            ("BatchGetItem", json!({"RequestItems": {"abc": {"Keys": [item]}}})),
            ("BatchWriteItem", json!({"RequestItems": {"abc": [{"PutRequest": {"Item": item}}]}})),
            ("BatchWriteItem", json!({"RequestItems": {"abc": [{"DeleteRequest": {"Key": item}}]}})),
            ("TransactGetItems", json!({"TransactItems": [{"Get": {"TableName": "abc", "Key": item}}]})),
            ("TransactWriteItems", json!({"TransactItems": [{"Put": {"TableName": "abc", "Item": item}}]})),
            (
                "Query",
                json!({"TableName": "abc", "KeyConditions": {
                    "a": {"ComparisonOperator": "EQ", "AttributeValueList": [value]},
                }}),
            ),
            (
                "PutItem",
                json!({"TableName": "abc", "Item": {"a": {"S": "k"}}, "Expected": {"b": {"Value": value}}}),
            ),
        ];
        for (operation, request) in places {
            // A JSON null is a member that is not given.
            if value.is_null() && request.to_string().contains("Expected") {
                continue;
            }
            assert_eq!(client.invalid(operation, request.clone()), text, "{operation} {request}");
        }
    }
}

#[test]
fn values_for_expressions_are_refused_with_their_placeholder() {
    let client = Client::new();
    for (value, text) in refused() {
        let request = json!({
            "TableName": "abc", "Item": {"a": {"S": "k"}},
            "ConditionExpression": "b = :v", "ExpressionAttributeValues": {":v": value},
        });
        assert_eq!(
            client.invalid("PutItem", request),
            format!("ExpressionAttributeValues contains invalid value: {text} for key :v")
        );
    }
}

/// A string inside `levels` maps or lists.
fn nested(levels: usize, list: bool) -> Value {
    (0..levels).fold(json!({"S": "leaf"}), |value, _| {
        if list { json!({"L": [value]}) } else { json!({"M": {"n": value}}) }
    })
}

#[test]
fn thirty_two_levels_with_the_leaf_are_the_limit() {
    let client = Client::with_tables();
    for list in [false, true] {
        client.put("hash", json!({"a": {"S": "k"}, "deep": nested(31, list)}));
        assert_eq!(client.get("hash", json!({"a": {"S": "k"}}))["deep"], nested(31, list));
        for levels in [32, 33, 50] {
            let item = json!({"a": {"S": "k"}, "deep": nested(levels, list)});
            assert_eq!(
                client.invalid("PutItem", json!({"TableName": "hash", "Item": item})),
                "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond \
                 supported limit"
            );
        }
    }
}

#[test]
fn a_nesting_bomb_is_refused_cheaply() {
    let client = Client::with_tables();
    let levels = 200_000;
    let bombs = [
        format!("{}{}", r#"{"L":["#.repeat(levels), "]}".repeat(levels)),
        format!("{}{{}}{}", r#"{"M":{"a":"#.repeat(levels), "}}".repeat(levels)),
    ];
    for bomb in bombs {
        let body = format!(r#"{{"TableName":"hash","Item":{{"a":{{"S":"k"}},"b":{bomb}}}}}"#);
        let reply = client.raw("PutItem", body.as_bytes());
        assert_eq!((reply.status, reply.error), (400, Some("ValidationException")));
        let ignored = format!(r#"{{"TableName":"hash","Item":{{"a":{{"S":"k"}}}},"Unknown":{bomb}}}"#);
        assert_eq!(client.raw("PutItem", ignored.as_bytes()).status, 200);
    }
    let brackets = "[".repeat(levels);
    assert_eq!(client.raw("PutItem", brackets.as_bytes()).status, 400);
}

#[test]
fn a_list_far_over_its_limit_is_refused_without_being_held() {
    let client = Client::new();
    let elements = vec!["{}"; 200_000].join(",");
    for (operation, member) in
        [("CreateTable", "AttributeDefinitions"), ("TransactWriteItems", "TransactItems")]
    {
        let body = format!(r#"{{"TableName":"abc","{member}":[{elements}]}}"#);
        assert_eq!(client.raw(operation, body.as_bytes()).error, Some("ValidationException"), "{operation}");
    }
}

#[test]
fn very_many_names_in_any_order_are_read_without_delay() {
    let client = Client::with_tables();
    let names: Vec<String> = (0..200_000u32).rev().map(|at| format!(r#""{at}":{{"S":""}}"#)).collect();
    let body = format!(r#"{{"TableName":"hash","Item":{{"a":{{"S":"k"}},{}}}}}"#, names.join(","));
    let reply = client.raw("PutItem", body.as_bytes());
    assert_eq!(crate::support::parse(&reply)["message"], "Item size has exceeded the maximum allowed size");
}

#[test]
fn an_attribute_without_a_name_comes_before_a_wrong_value() {
    let client = Client::new();
    for item in [r#"{"":{"S":"x"},"d":{}}"#, r#"{"d":{},"":{"S":"x"}}"#] {
        let reply = client.raw("PutItem", format!(r#"{{"TableName":"abc","Item":{item}}}"#).as_bytes());
        assert_eq!(crate::support::parse(&reply)["message"], "Empty attribute name");
    }
}

#[test]
fn the_last_of_two_equal_names_wins() {
    let client = Client::with_tables();
    let reply =
        client.raw("PutItem", br#"{"TableName":"hash","Item":{"a":{"S":"k"},"b":{"N":"1"},"b":{"N":"2"}}}"#);
    assert_eq!(reply.status, 200);
    assert_eq!(client.get("hash", json!({"a": {"S": "k"}}))["b"], json!({"N": "2"}));
}

/// Any value that an item can hold, in the form in which it comes back.
fn any_value() -> impl Strategy<Value = Value> {
    use base64::Engine as _;
    let blob = || any::<Vec<u8>>().prop_map(|bytes| base64::engine::general_purpose::STANDARD.encode(bytes));
    let scalar = prop_oneof![
        any::<String>().prop_map(|text| json!({"S": text})),
        any::<i64>().prop_map(|number| json!({"N": number.to_string()})),
        blob().prop_map(|blob| json!({"B": blob})),
        any::<bool>().prop_map(|flag| json!({"BOOL": flag})),
        Just(json!({"NULL": true})),
        prop::collection::btree_set(any::<String>(), 1..4).prop_map(|set| json!({"SS": set})),
        prop::collection::btree_set(any::<i32>(), 1..4)
            .prop_map(|set| json!({"NS": set.iter().map(i32::to_string).collect::<Vec<_>>()})),
        prop::collection::btree_set(any::<Vec<u8>>(), 1..4).prop_map(|set| {
            let encode = |bytes: &Vec<u8>| base64::engine::general_purpose::STANDARD.encode(bytes);
            json!({"BS": set.iter().map(encode).collect::<Vec<_>>()})
        }),
    ];
    scalar.prop_recursive(4, 32, 4, |value| {
        prop_oneof![
            prop::collection::vec(value.clone(), 0..4).prop_map(|list| json!({"L": list})),
            prop::collection::btree_map(".{1,8}", value, 0..4).prop_map(|map| json!({"M": map})),
        ]
    })
}

thread_local! {
    static CLIENT: Client = Client::with_tables();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn any_item_comes_back_as_it_was_put(values in prop::collection::btree_map("[b-z\u{e9}\"\\\\]{1,6}", any_value(), 0..6)) {
        CLIENT.with(|client| {
            let mut item = json!(values);
            item["a"] = json!({"S": "k"});
            client.put("hash", item.clone());
            prop_assert_eq!(client.get("hash", json!({"a": {"S": "k"}})), item);
            Ok(())
        })?;
    }
}
