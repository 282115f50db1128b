//! Names and limits, a table for each operation: what each answers to names that are empty or too long, to characters
//! that aren't allowed, and to keys of several attributes.

use serde_json::{Value, json};

use crate::support::{Client, definitions, key_schema};

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/hash";
const EMPTY: &str = "Empty attribute name";
const LONG: &str = "Attribute name is too large, must be less than 65536 bytes";

/// Requests with an attribute name in every place where a request can have one. Those with the name behind a
/// placeholder say so in their error.
fn requests_with_name(name: &str) -> Vec<(&'static str, Value, bool)> {
    let key = json!({"a": {"S": "k"}});
    let value = json!({"S": "v"});
    let names = json!({"#n": name});
    let values = json!({":v": value});
    let update = "SET b = :v";
    vec![
        ("PutItem", json!({"Item": {"a": {"S": "k"}, name: value}}), false),
        ("PutItem", json!({"Item": {"a": {"S": "k"}, "m": {"M": {name: value}}}}), false),
        ("PutItem", json!({"Item": key, "Expected": {name: {"Exists": false}}}), false),
        (
            "PutItem",
            json!({"Item": key, "ConditionExpression": "attribute_exists(#n)", "ExpressionAttributeNames": names}),
            true,
        ),
        ("DeleteItem", json!({"Key": key, "Expected": {name: {"Exists": false}}}), false),
        ("GetItem", json!({"Key": {"a": {"S": "k"}, name: value}}), false),
        ("GetItem", json!({"Key": key, "AttributesToGet": [name]}), false),
        (
            "GetItem",
            json!({"Key": key, "ProjectionExpression": "#n", "ExpressionAttributeNames": names}),
            true,
        ),
        ("UpdateItem", json!({"Key": key, "AttributeUpdates": {name: {"Value": value}}}), false),
        (
            "UpdateItem",
            json!({
                "Key": key, "UpdateExpression": "SET #n = :v", "ExpressionAttributeNames": names,
                "ExpressionAttributeValues": values,
            }),
            true,
        ),
        (
            "UpdateItem",
            json!({
                "Key": key, "UpdateExpression": update, "ConditionExpression": "#n = :v",
                "ExpressionAttributeNames": names, "ExpressionAttributeValues": values,
            }),
            true,
        ),
        ("Scan", json!({"ScanFilter": {name: {"ComparisonOperator": "NULL"}}}), false),
        ("Scan", json!({"AttributesToGet": [name]}), false),
        (
            "Query",
            json!({"KeyConditions": {name: {"ComparisonOperator": "EQ", "AttributeValueList": [value]}}}),
            false,
        ),
        (
            "Query",
            json!({
                "KeyConditions": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [value]}},
                "QueryFilter": {name: {"ComparisonOperator": "NOT_NULL"}},
            }),
            false,
        ),
    ]
}

#[test]
fn attribute_names_are_neither_empty_nor_too_long() {
    let client = Client::with_tables();
    for (name, text) in [(String::new(), EMPTY), ("n".repeat(65_536), LONG)] {
        for (operation, request, in_names) in requests_with_name(&name) {
            let expected = match in_names {
                true => format!("ExpressionAttributeNames contains invalid value: {text} for key #n"),
                false => text.to_owned(),
            };
            let request = crate::support::with(request, json!({"TableName": "hash"}));
            assert_eq!(client.invalid(operation, request), expected, "{operation}");
        }
    }
    // One byte less is fine.
    let name = "n".repeat(65_535);
    client.put("hash", json!({"a": {"S": "k"}, name.clone(): {"S": "v"}}));
    let request = json!({"TableName": "hash", "Key": {"a": {"S": "k"}}, "AttributesToGet": [name.clone()]});
    assert_eq!(client.call("GetItem", request)["Item"], json!({name: {"S": "v"}}));
}

#[test]
fn names_of_tables_that_cannot_exist_are_invalid_and_others_are_not_found() {
    let client = Client::with_tables();
    let key = json!({"a": {"S": "k"}});
    for (operation, rest) in [
        ("PutItem", json!({"Item": key})),
        ("GetItem", json!({"Key": key})),
        ("DeleteItem", json!({"Key": key})),
        ("UpdateItem", json!({"Key": key})),
        ("Scan", json!({})),
        (
            "Query",
            json!({"KeyConditionExpression": "a = :v", "ExpressionAttributeValues": {":v": {"S": "k"}}}),
        ),
        ("DescribeTable", json!({})),
        ("DescribeTimeToLive", json!({})),
        ("DeleteTable", json!({})),
    ] {
        let named = |name: &str| crate::support::with(rest.clone(), json!({"TableName": name}));
        for name in ["no!table", "with space", "\u{fc}ber"] {
            let text = client.invalid(operation, named(name));
            assert!(
                text.contains("regular expression pattern: [a-zA-Z0-9_.-]+"),
                "{operation} {name}: {text}"
            );
        }
        for (name, rule) in [("a".repeat(256), "less than or equal to 255"), (String::new(), "greater than")]
        {
            let text = client.invalid(operation, named(&name));
            assert!(text.contains(&format!("Member must have length {rule}")), "{operation}: {text}");
        }
        let missing = client.error(operation, named("nowhere"));
        assert!(missing["__type"].as_str().unwrap().ends_with("#ResourceNotFoundException"), "{missing}");
    }
}

fn table_with_index(key: Value, names: &[&str], projection: Value) -> Value {
    json!({
        "TableName": "indexed",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": definitions(names),
        "KeySchema": key_schema(&["p"], &[]),
        "GlobalSecondaryIndexes": [{"IndexName": "index", "KeySchema": key, "Projection": projection}],
    })
}

#[test]
fn projected_names_are_distinct_and_at_most_255_characters() {
    let client = Client::new();
    let projected = |names: Value| {
        let projection = json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": names});
        table_with_index(key_schema(&["a"], &[]), &["p", "a"], projection)
    };
    assert_eq!(
        client.invalid("CreateTable", projected(json!(["z", "y", "z"]))),
        "One or more parameter values were invalid: Duplicate element in NonKeyAttributes: z"
    );
    for name in [String::new(), "z".repeat(256)] {
        assert_eq!(
            client.invalid("CreateTable", projected(json!(["x", name]))),
            format!(
                "1 validation error detected: Value '[x, {name}]' at \
                 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes' failed to satisfy constraint: Member \
                 must satisfy constraint: [Member must have length less than or equal to 255, Member must have length \
                 greater than or equal to 1]"
            )
        );
    }
    client.call("CreateTable", projected(json!(["z".repeat(255), "y"])));
}

#[test]
fn an_index_has_up_to_four_attributes_of_each_kind_and_partition_attributes_first() {
    let client = Client::new();
    let all = ["p", "a", "b", "c", "d", "e"];
    let create = |key: Value, names: &[&str]| {
        client.invalid("CreateTable", table_with_index(key, names, json!({"ProjectionType": "ALL"})))
    };
    let prefix = "One or more parameter values were invalid: ";
    for kind in ["HASH", "RANGE"] {
        let key = match kind {
            "HASH" => key_schema(&["a", "b", "c", "d", "e"], &[]),
            _ => key_schema(&["p"], &["a", "b", "c", "d", "e"]),
        };
        let text = format!("The KeySchema exceeds the maximum allowed number of {kind} key attributes");
        assert_eq!(create(key, &all), format!("{prefix}{text}"));
    }
    let interleaved = json!([
        {"AttributeName": "a", "KeyType": "HASH"},
        {"AttributeName": "b", "KeyType": "RANGE"},
        {"AttributeName": "c", "KeyType": "HASH"},
    ]);
    assert_eq!(
        create(interleaved, &["p", "a", "b", "c"]),
        format!("{prefix}All HASH key attributes must precede RANGE key attributes in the KeySchema")
    );
    let repeated = "The KeySchema contains multiple key attributes with the same name";
    assert_eq!(create(key_schema(&["a", "a"], &[]), &["p", "a"]), repeated);
    assert_eq!(create(key_schema(&["a", "b"], &["a"]), &["p", "a", "b"]), repeated);
    assert_eq!(
        create(key_schema(&["a"], &["a"]), &["p", "a"]),
        "Both the Hash Key and the Range Key element in the KeySchema have the same name"
    );
}

#[test]
fn conditions_on_an_index_of_several_attributes_have_no_gap() {
    let client = Client::new();
    let names = ["p", "h1", "h2", "r1", "r2", "r3"];
    let key = key_schema(&["h1", "h2"], &["r1", "r2", "r3"]);
    client.call("CreateTable", table_with_index(key, &names, json!({"ProjectionType": "ALL"})));
    let hash = |names: &str| {
        format!("HASH key attributes {names} must have equality conditions specified in the query")
    };
    let range = |names: &str, because: &str| {
        format!(
            "RANGE key attributes {names} must have equality conditions specified in the query because a condition is \
             present on key attribute {because}"
        )
    };
    for (conditions, text) in [
        (&[("h1", "EQ")][..], hash("h2")),
        (&[("h1", "EQ"), ("h2", "GT")], hash("h2")),
        (&[("r1", "EQ"), ("r2", "EQ")], hash("h1, h2")),
        (&[("h1", "EQ"), ("h2", "EQ"), ("r2", "EQ")], range("r1", "r2")),
        (&[("h1", "EQ"), ("h2", "EQ"), ("r1", "GT"), ("r2", "EQ")], range("r1", "r2")),
        (&[("h1", "EQ"), ("h2", "EQ"), ("r3", "BEGINS_WITH")], range("r1, r2", "r3")),
    ] {
        let symbol = |name: &str, operator: &str| match operator {
            "EQ" => format!("{name} = :v"),
            "GT" => format!("{name} > :v"),
            _ => format!("begins_with({name}, :v)"),
        };
        let expression: Vec<String> =
            conditions.iter().map(|(name, operator)| symbol(name, operator)).collect();
        let request = json!({
            "TableName": "indexed", "IndexName": "index", "KeyConditionExpression": expression.join(" AND "),
            "ExpressionAttributeValues": {":v": {"S": "v"}},
        });
        assert_eq!(client.invalid("Query", request), text, "{conditions:?}");
    }
    let legacy = json!({
        "TableName": "indexed", "IndexName": "index",
        "KeyConditions": {"h1": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "v"}]}},
    });
    assert_eq!(client.invalid("Query", legacy), hash("h2"));
}

#[test]
fn tags_have_the_characters_that_dynamodb_allows() {
    let client = Client::with_tables();
    let tag = |key: &str, value: &str| json!({"ResourceArn": ARN, "Tags": [{"Key": key, "Value": value}]});
    for (key, value, text) in [
        ("hi!", "dog", "The Tag Key provided is invalid, Key: hi!"),
        ("dog", "d%g", "The Tag Value provided is invalid, Value: d%g"),
        ("aws:dog", "cat", "Tag Key cannot be prefixed with aws:, Key: aws:dog"),
    ] {
        assert_eq!(client.invalid("TagResource", tag(key, value)), text);
        let tags = json!({"Tags": [{"Key": key, "Value": value}]});
        let table = crate::support::with(crate::support::hash_table("tagged"), tags);
        assert_eq!(client.invalid("CreateTable", table), text);
    }
    let twice = json!({"ResourceArn": ARN, "Tags": [{"Key": "a", "Value": "b"}, {"Key": "a", "Value": "c"}]});
    let text = "Duplicate Tag Keys provided as input: Duplicate Tag Key found a";
    assert_eq!(client.invalid("TagResource", twice), text);
    let many: Vec<Value> = (0..51).map(|number| json!({"Key": number.to_string(), "Value": ""})).collect();
    let text = "Number of Tags exceed the current limit for the provided ResourceArn";
    assert_eq!(client.invalid("TagResource", json!({"ResourceArn": ARN, "Tags": many})), text);
    let fine = tag("Gr\u{f6}\u{df}e 1", "a+b-c=d._:/ @");
    assert_eq!(client.raw("TagResource", fine.to_string().as_bytes()).body, b"", "DynamoDB sends no body");
}

#[test]
fn a_new_index_repeats_the_types_of_its_attributes_as_they_are() {
    let client = Client::with_tables();
    let create = |name: &str| {
        json!([{"Create": {
            "IndexName": name, "KeySchema": key_schema(&["c"], &[]), "Projection": {"ProjectionType": "ALL"},
        }}])
    };
    let update = |rest: Value| crate::support::with(json!({"TableName": "range"}), rest);
    assert_eq!(
        client.invalid("UpdateTable", update(json!({"GlobalSecondaryIndexUpdates": create("another")}))),
        "One or more parameter values were invalid: AttributeDefinitions is not specified for index: another"
    );
    let retyped = json!({
        "AttributeDefinitions": [{"AttributeName": "c", "AttributeType": "N"}],
        "GlobalSecondaryIndexUpdates": create("another"),
    });
    assert_eq!(
        client.invalid("UpdateTable", update(retyped)),
        "One or more parameter values were invalid: Attributes cannot be redefined. Please check that your attribute \
         has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{a:S:HASH}, \
         SchemaElement: key{c:S:RANGE}] New schema: Schema:[SchemaElement: key{c:N:HASH}]"
    );
    let both = json!([{"Create": create("another")[0]["Create"], "Delete": {"IndexName": "global"}}]);
    assert_eq!(
        client.invalid("UpdateTable", update(json!({"GlobalSecondaryIndexUpdates": both}))),
        "One or more parameter values were invalid: Only one global secondary index action is allowed per \
         GlobalSecondaryIndexUpdate object"
    );
}

#[test]
fn a_start_key_has_the_types_of_the_key_that_is_read() {
    let client = Client::with_tables();
    let schema = "The provided key element does not match the schema";
    let invalid = "The provided starting key is invalid";
    let read = |operation: &str, index: Option<&str>, start: Value| {
        let request = match operation {
            "Query" => {
                let name = if index == Some("global") { "c" } else { "a" };
                json!({
                    "TableName": "range", "ExclusiveStartKey": start, "ExpressionAttributeValues": {":v": {"S": "v"}},
                    "KeyConditionExpression": format!("{name} = :v"),
                })
            }
            _ => json!({"TableName": "range", "ExclusiveStartKey": start}),
        };
        let index = index.map_or(json!({}), |index| json!({"IndexName": index}));
        client.invalid(operation, crate::support::with(request, index))
    };
    let (text, number) = (json!({"S": "v"}), json!({"N": "1"}));
    let detail = format!("{invalid}: {schema}");
    assert_eq!(read("Query", None, json!({"a": text})), invalid);
    assert_eq!(read("Query", None, json!({"a": number, "b": text})), schema);
    assert_eq!(read("Query", None, json!({"a": text, "b": number})), schema);
    assert_eq!(read("Query", Some("local"), json!({"a": text, "b": text, "c": number})), schema);
    assert_eq!(read("Query", Some("local"), json!({"a": text, "b": number, "c": text})), detail);
    assert_eq!(read("Query", Some("global"), json!({"a": number, "b": text, "c": text, "d": text})), detail);
    assert_eq!(read("Scan", None, json!({"a": text})), detail);
    assert_eq!(read("Scan", None, json!({"a": number, "b": text})), detail);
    assert_eq!(read("Scan", Some("local"), json!({"a": text})), invalid);
}

#[test]
fn a_query_of_a_table_without_sort_key_has_one_page() {
    let client = Client::with_tables();
    client.put("hash", json!({"a": {"S": "k"}}));
    let query = json!({
        "TableName": "hash", "Limit": 1, "KeyConditionExpression": "a = :v",
        "ExpressionAttributeValues": {":v": {"S": "k"}},
    });
    let page = client.call("Query", query.clone());
    assert_eq!((&page["Count"], &page["LastEvaluatedKey"]), (&json!(1), &Value::Null));
    let start = crate::support::with(query, json!({"ExclusiveStartKey": {"a": {"S": "k"}}}));
    assert_eq!(
        client.invalid("Query", start),
        "The provided exclusive start key is invalid: ExclusiveStartKey: {a=AttributeValue: {S:k}}"
    );
}

#[test]
fn only_the_first_invalid_action_of_a_transaction_has_a_reason() {
    let client = Client::with_tables();
    let put = |key: Value| json!({"Put": {"TableName": "hash", "Item": {"a": key}}});
    let mut actions = vec![put(json!({"S": "fine"})), put(json!({"N": "7"})), put(json!({"N": "8"}))];
    actions.push(json!({"Put": {
        "TableName": "hash", "Item": {"a": {"S": "k"}}, "ConditionExpression": "attribute_exists(a)",
    }}));
    let error = client.error("TransactWriteItems", json!({"TransactItems": actions}));
    let reasons = error["CancellationReasons"].as_array().unwrap();
    let codes: Vec<&str> = reasons.iter().map(|reason| reason["Code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["None", "ValidationError", "None", "None"]);
    assert!(reasons[2].get("Message").is_none(), "{error}");
}
