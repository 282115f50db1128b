//! The constraints of the service model, and what is checked in which order.

use crate::support::Client;
use serde_json::{Value, json};

const NULL: &str = "failed to satisfy constraint: Member must not be null";

fn detected(violations: &[String]) -> String {
    let plural = if violations.len() == 1 { "" } else { "s" };
    format!("{} validation error{plural} detected: {}", violations.len(), violations.join("; "))
}

fn null(path: &str) -> String {
    format!("Value null at '{path}' {NULL}")
}

fn word(word: &str, path: &str, set: &str) -> String {
    format!(
        "Value '{word}' at '{path}' failed to satisfy constraint: Member must satisfy enum value set: [{set}]"
    )
}

#[test]
fn required_members_are_reported_together() {
    let client = Client::new();
    let cases: [(&str, &[&str]); 8] = [
        ("GetItem", &["tableName", "key"]),
        ("PutItem", &["tableName", "item"]),
        ("UpdateItem", &["tableName", "key"]),
        ("DeleteItem", &["tableName", "key"]),
        ("Query", &["tableName"]),
        ("Scan", &["tableName"]),
        ("BatchGetItem", &["requestItems"]),
        ("TransactWriteItems", &["transactItems"]),
    ];
    for (operation, paths) in cases {
        let violations: Vec<String> = paths.iter().map(|path| null(path)).collect();
        assert_eq!(client.invalid(operation, json!({})), detected(&violations), "{operation}");
    }
}

#[test]
fn operations_on_tables_name_the_missing_parameter() {
    let client = Client::new();
    for operation in ["CreateTable", "UpdateTable", "DeleteTable", "DescribeTable"] {
        assert_eq!(
            client.invalid(operation, json!({})),
            "The parameter 'TableName' is required but was not present in the request",
            "{operation}"
        );
    }
}

#[test]
fn operations_on_tables_check_the_name_before_all_else() {
    let client = Client::new();
    let rules = [
        ("", "Member must have length greater than or equal to 1"),
        ("ab", "Member must have length greater than or equal to 3"),
        ("ab!", "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
    ];
    for (name, rule) in rules {
        let text = format!("Value '{name}' at 'tableName' failed to satisfy constraint: {rule}");
        for operation in ["CreateTable", "UpdateTable", "DeleteTable", "DescribeTable"] {
            let request = json!({"TableName": name, "KeySchema": [], "BillingMode": "A"});
            assert_eq!(
                client.invalid(operation, request),
                detected(std::slice::from_ref(&text)),
                "{operation}"
            );
        }
    }
}

#[test]
fn words_that_are_none_of_the_known_are_reported_together() {
    let client = Client::new();
    let capacity = word("hi", "returnConsumedCapacity", "INDEXES, TOTAL, NONE");
    let metrics = word("hi", "returnItemCollectionMetrics", "SIZE, NONE");
    let values = word("hi", "returnValues", "ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW");
    let failure = word("hi", "returnValuesOnConditionCheckFailure", "ALL_OLD, NONE");
    let request = json!({
        "TableName": "abc", "Item": {}, "ReturnConsumedCapacity": "hi", "ReturnItemCollectionMetrics": "hi",
        "ReturnValues": "hi", "ReturnValuesOnConditionCheckFailure": "hi",
    });
    assert_eq!(client.invalid("PutItem", request), detected(&[capacity, metrics, values, failure]));
}

#[test]
fn members_are_reported_in_dynamodbs_order() {
    let client = Client::new();
    let request = json!({
        "TableName": "", "ReturnConsumedCapacity": "INVALID", "ReturnValues": "INVALID", "UpdateExpression": "SET a = :a",
    });
    let empty = "Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1";
    assert_eq!(
        client.invalid("UpdateItem", request),
        detected(&[
            word("INVALID", "returnConsumedCapacity", "INDEXES, TOTAL, NONE"),
            empty.to_owned(),
            word("INVALID", "returnValues", "ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW"),
            null("key"),
        ])
    );
    let xor = json!({
        "TableName": "abc", "Expected": {"a": {"Exists": false}, "b": {"Exists": false}}, "ConditionalOperator": "XOR",
    });
    assert_eq!(
        client.invalid("UpdateItem", xor),
        detected(&[word("XOR", "conditionalOperator", "OR, AND"), null("key")])
    );
}

#[test]
fn numbers_and_names_have_bounds() {
    let client = Client::new();
    let at_least = |path: &str, value: i64| {
        format!(
            "Value '{value}' at '{path}' failed to satisfy constraint: Member must have value greater than or equal to 1"
        )
    };
    let cases = [
        (
            "Query",
            json!({"TableName": "abc", "Limit": 0}),
            vec!["Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1".to_owned()],
        ),
        ("Scan", json!({"TableName": "abc", "Limit": 0}), vec![at_least("limit", 0)]),
        (
            "Scan",
            json!({"TableName": "abc", "TotalSegments": 0, "Segment": 0}),
            vec![at_least("totalSegments", 0)],
        ),
        (
            "ListTables",
            json!({"Limit": 101}),
            vec!["Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100".to_owned()],
        ),
        (
            "Query",
            json!({"TableName": "abc", "IndexName": "a;"}),
            vec![
                "Value 'a;' at 'indexName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+".to_owned(),
                "Value 'a;' at 'indexName' failed to satisfy constraint: Member must have length greater than or equal to 3".to_owned(),
            ],
        ),
        (
            "GetItem",
            json!({"TableName": "abc", "Key": {}, "AttributesToGet": []}),
            vec!["Value '[]' at 'attributesToGet' failed to satisfy constraint: Member must have length greater than or equal to 1".to_owned()],
        ),
    ];
    for (operation, request, violations) in cases {
        assert_eq!(client.invalid(operation, request), detected(&violations), "{operation}");
    }
}

#[test]
fn legacy_conditions_need_an_operator() {
    let client = Client::new();
    let operators =
        "IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS";
    let request = json!({"TableName": "abc", "KeyConditions": {"a": {}, "b": {"ComparisonOperator": ""}}});
    assert_eq!(
        client.invalid("Query", request),
        detected(&[
            null("keyConditions.a.member.comparisonOperator"),
            word("", "keyConditions.b.member.comparisonOperator", operators),
        ])
    );
}

#[test]
fn the_members_of_a_new_table_are_all_looked_at() {
    let client = Client::new();
    let request = json!({
        "TableName": "abc", "BillingMode": "A", "ProvisionedThroughput": {"ReadCapacityUnits": -1},
        "AttributeDefinitions": [{}, {"AttributeName": "b", "AttributeType": "SS"}],
        "KeySchema": [{"KeyType": "HASH"}, {"AttributeName": "a"}, {"KeyType": "Woop", "AttributeName": "a"}],
    });
    let shown = "[KeySchemaElement(attributeName=null, keyType=HASH), KeySchemaElement(attributeName=a, keyType=null), \
                 KeySchemaElement(attributeName=a, keyType=Woop)]";
    assert_eq!(
        client.invalid("CreateTable", request),
        detected(&[
            null("attributeDefinitions.1.member.attributeName"),
            null("attributeDefinitions.1.member.attributeType"),
            word("SS", "attributeDefinitions.2.member.attributeType", "B, N, S"),
            word("A", "billingMode", "PROVISIONED, PAY_PER_REQUEST"),
            null("provisionedThroughput.writeCapacityUnits"),
            "Value '-1' at 'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: Member must have value greater than or equal to 1".to_owned(),
            format!("Value '{shown}' at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 2"),
            null("keySchema.1.member.attributeName"),
            null("keySchema.2.member.keyType"),
            word("Woop", "keySchema.3.member.keyType", "HASH, RANGE"),
        ])
    );
}

#[test]
fn global_indexes_are_looked_at_before_local_ones() {
    let client = Client::new();
    let index = |name: &str| json!([{"IndexName": name, "KeySchema": crate::support::key_schema(&["a"], &[]), "Projection": {"ProjectionType": "ALL"}}]);
    let mut request = crate::support::hash_table("abc");
    request["LocalSecondaryIndexes"] = index("aa");
    request["GlobalSecondaryIndexes"] = index("zz");
    let short = |name: &str, list: &str| {
        format!(
            "Value '{name}' at '{list}.1.member.indexName' failed to satisfy constraint: Member must have length greater than or equal to 3"
        )
    };
    assert_eq!(
        client.invalid("CreateTable", request),
        detected(&[short("zz", "globalSecondaryIndexes"), short("aa", "localSecondaryIndexes")])
    );
}

/// Each request makes the mistakes of all those after it, and is refused for its own.
#[test]
fn a_put_is_checked_in_dynamodbs_order() {
    let client = Client::new();
    let mut request = json!({
        "TableName": "abc", "Item": {"a": {}}, "ReturnValues": "UPDATED_NEW", "ReturnConsumedCapacity": "hi",
        "Expected": {"a": {"Exists": true}}, "ConditionExpression": "", "ExpressionAttributeNames": {"a": "a"},
        "ExpressionAttributeValues": {"b": {}},
    });
    let mut check = |text: &str, member: &str, correction: Value| {
        assert_eq!(client.invalid("PutItem", request.clone()), text);
        request[member] = correction;
    };
    let capacity = detected(&[word("hi", "returnConsumedCapacity", "INDEXES, TOTAL, NONE")]);
    check(&capacity, "ReturnConsumedCapacity", Value::Null);
    check(
        "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: \
         {Expected} Expression parameters: {ConditionExpression}",
        "Expected",
        Value::Null,
    );
    check(
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        "Item",
        json!({"a": {"S": "k"}}),
    );
    check("ReturnValues can only be ALL_OLD or NONE", "ReturnValues", Value::Null);
    check(
        "ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\"",
        "ExpressionAttributeNames",
        json!({"#a": "a"}),
    );
    check(
        "ExpressionAttributeValues contains invalid key: Syntax error; key: \"b\"",
        "ExpressionAttributeValues",
        json!({":a": {}, ":b": {"S": "b"}}),
    );
    check(
        "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, must contain exactly one \
         of the supported datatypes for key :a",
        "ExpressionAttributeValues",
        json!({":b": {"S": "b"}}),
    );
    check(
        "Invalid ConditionExpression: The expression can not be empty;",
        "ConditionExpression",
        json!("a = b"),
    );
    check(
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}",
        "ExpressionAttributeNames",
        Value::Null,
    );
    check(
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}",
        "ExpressionAttributeValues",
        Value::Null,
    );
    assert_eq!(client.error("PutItem", request)["message"], "Requested resource not found");
}

#[test]
fn placeholders_need_an_expression() {
    let client = Client::new();
    let names = "ExpressionAttributeNames can only be specified when using expressions";
    let values = "ExpressionAttributeValues can only be specified when using expressions: ";
    let key = json!({"a": {"S": "k"}});
    let with = |operation: &str, member: &str, placeholders: Value| {
        let mut request = json!({"TableName": "abc", "Key": key, "Item": key});
        request[member] = placeholders;
        client.invalid(operation, request)
    };
    for operation in ["GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan"] {
        assert_eq!(with(operation, "ExpressionAttributeNames", json!({"#a": "a"})), names, "{operation}");
    }
    let cases = [
        ("PutItem", "ConditionExpression is null"),
        ("DeleteItem", "ConditionExpression is null"),
        ("UpdateItem", "UpdateExpression and ConditionExpression are null"),
        ("Query", "FilterExpression and KeyConditionExpression are null"),
        ("Scan", "FilterExpression is null"),
    ];
    for (operation, text) in cases {
        let refused = with(operation, "ExpressionAttributeValues", json!({":a": {"S": "a"}}));
        assert_eq!(refused, format!("{values}{text}"), "{operation}");
    }
}

#[test]
fn the_generations_of_parameters_do_not_mix() {
    let client = Client::new();
    let conditions = json!({"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{}]}});
    let mut request = json!({
        "TableName": "abc", "AttributesToGet": ["a", "a"], "QueryFilter": conditions, "ConditionalOperator": "OR",
        "KeyConditions": conditions, "ProjectionExpression": "", "FilterExpression": "",
        "KeyConditionExpression": "",
    });
    let mixed = |legacy: &str, expressions: &str| {
        format!(
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: \
             {{{legacy}}} Expression parameters: {{{expressions}}}"
        )
    };
    assert_eq!(
        client.invalid("Query", request.clone()),
        mixed(
            "AttributesToGet, QueryFilter, ConditionalOperator, KeyConditions",
            "ProjectionExpression, FilterExpression, KeyConditionExpression"
        )
    );
    request.as_object_mut().unwrap().remove("KeyConditionExpression");
    assert_eq!(
        client.invalid("Query", request),
        mixed("AttributesToGet, QueryFilter, ConditionalOperator", "ProjectionExpression, FilterExpression")
    );
}
