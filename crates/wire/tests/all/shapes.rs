//! JSON of the wrong shape: what DynamoDB's front end says about each token in each place.

use crate::support::{Client, set};
use serde_json::{Value, json};

/// The value that belongs in a place.
#[derive(Clone, Copy)]
enum Wanted {
    Text,
    Flag,
    Integer,
    Long,
    Blob,
    List,
    Map(&'static str),
    /// A structure that is a member of another.
    Field(&'static str),
    /// A structure in a list or map.
    Element(&'static str),
}

/// Tokens that do not belong there, with the texts they get.
fn wrong(wanted: Wanted) -> Vec<(Value, String)> {
    let scalar = |name: &str| {
        vec![
            (json!([]), format!("Unrecognized collection type class java.lang.{name}")),
            (json!({}), "Start of structure or map found where not expected".to_owned()),
        ]
    };
    let conversions = |name: &str, tokens: &[(Value, &str)]| {
        let convert = |(token, found): &(Value, &str)| {
            (token.clone(), format!("{found} cannot be converted to {name}"))
        };
        tokens.iter().map(convert).chain(scalar(name)).collect()
    };
    let flags = [(json!(true), "TRUE_VALUE"), (json!(false), "FALSE_VALUE")];
    let numbers = [
        (json!(23), "NUMBER_VALUE"),
        (json!(-2147483648i64), "NUMBER_VALUE"),
        (json!(34.56), "DECIMAL_VALUE"),
    ];
    let all = |text: &str| {
        [json!("23"), json!(true), json!(23), json!(34.56)].map(|token| (token, text.to_owned())).to_vec()
    };
    let with = |mut cases: Vec<(Value, String)>, token: Value, text: String| {
        cases.push((token, text));
        cases
    };
    let class = "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.";
    match wanted {
        Wanted::Text => conversions("String", &[flags.as_slice(), &numbers].concat()),
        Wanted::Integer => {
            conversions("Integer", &[flags.as_slice(), &[(json!("23"), "STRING_VALUE")]].concat())
        }
        Wanted::Long => conversions("Long", &[flags.as_slice(), &[(json!("23"), "STRING_VALUE")]].concat()),
        Wanted::Flag => {
            let cases = conversions("Boolean", &numbers);
            with(cases, json!("23"), "Unexpected token received from parser".to_owned())
        }
        Wanted::Blob => {
            let not = "only base-64-encoded strings are convertible to bytes".to_owned();
            let base64 = "Invalid last non-pad Base64 character dectected".to_owned();
            vec![
                (json!(true), not.clone()),
                (json!(23), not.clone()),
                (json!(34.56), not),
                (json!([]), "Unrecognized collection type class java.nio.ByteBuffer".to_owned()),
                (json!({}), "Start of structure or map found where not expected".to_owned()),
                (
                    json!("23456"),
                    "Base64 encoded length is expected a multiple of 4 bytes but found: 5".to_owned(),
                ),
                (json!("=+/="), base64.clone()),
                (json!("+/+="), base64),
            ]
        }
        Wanted::List => {
            let map = "Start of structure or map found where not expected".to_owned();
            with(all("Unexpected field type"), json!({}), map)
        }
        Wanted::Map(name) => {
            let list = format!("Unrecognized collection type java.util.Map<java.lang.String, {name}>");
            with(all("Unexpected field type"), json!([]), list)
        }
        Wanted::Field(name) => with(all("Unexpected field type"), json!([]), format!("{class}{name}")),
        Wanted::Element(name) => {
            with(all("Unexpected value type in payload"), json!([]), format!("{class}{name}"))
        }
    }
}

fn assert_places(operation: &str, places: &[(&str, Wanted)]) {
    let client = Client::new();
    for (path, wanted) in places {
        for (token, text) in wrong(*wanted) {
            let mut body = json!({});
            set(&mut body, path, token);
            assert_eq!(client.misshapen(operation, body.clone()), text, "{operation} {body}");
        }
    }
}

const VALUES: &str = "com.amazonaws.dynamodb.v20120810.AttributeValue";

/// The places inside an attribute value.
fn value_places(path: &str, place: Wanted) -> Vec<(String, Wanted)> {
    let inside = [
        ("S", Wanted::Text),
        ("N", Wanted::Text),
        ("B", Wanted::Blob),
        ("BOOL", Wanted::Flag),
        ("NULL", Wanted::Flag),
        ("SS", Wanted::List),
        ("SS.0", Wanted::Text),
        ("NS", Wanted::List),
        ("NS.0", Wanted::Text),
        ("BS", Wanted::List),
        ("BS.0", Wanted::Blob),
        ("L", Wanted::List),
        ("L.0", Wanted::Element("AttributeValue")),
        ("L.0.BS.0", Wanted::Blob),
        ("M", Wanted::Map(VALUES)),
        ("M.a", Wanted::Element("AttributeValue")),
        ("M.a.BS.0", Wanted::Blob),
    ];
    let inside = inside.iter().map(|(member, wanted)| (format!("{path}.{member}"), *wanted));
    std::iter::once((path.to_owned(), place)).chain(inside).collect()
}

fn assert_values(operation: &str, path: &str, place: Wanted) {
    let places = value_places(path, place);
    let places: Vec<(&str, Wanted)> = places.iter().map(|(path, wanted)| (path.as_str(), *wanted)).collect();
    assert_places(operation, &places);
}

#[test]
fn members_of_item_operations() {
    let common = [
        ("TableName", Wanted::Text),
        ("ReturnConsumedCapacity", Wanted::Text),
        ("ExpressionAttributeNames", Wanted::Map("java.lang.String")),
        ("ExpressionAttributeNames.a", Wanted::Text),
    ];
    for operation in ["GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan"] {
        assert_places(operation, &common);
    }
    assert_places(
        "GetItem",
        &[
            ("Key", Wanted::Map(VALUES)),
            ("AttributesToGet", Wanted::List),
            ("AttributesToGet.0", Wanted::Text),
            ("ConsistentRead", Wanted::Flag),
        ],
    );
    assert_places(
        "PutItem",
        &[
            ("Item", Wanted::Map(VALUES)),
            ("Expected", Wanted::Map("com.amazonaws.dynamodb.v20120810.ExpectedAttributeValue")),
            ("Expected.a", Wanted::Element("ExpectedAttributeValue")),
            ("Expected.a.Exists", Wanted::Flag),
            ("ReturnValues", Wanted::Text),
        ],
    );
    assert_places(
        "UpdateItem",
        &[
            ("AttributeUpdates", Wanted::Map("com.amazonaws.dynamodb.v20120810.AttributeValueUpdate")),
            ("AttributeUpdates.a", Wanted::Element("AttributeValueUpdate")),
            ("AttributeUpdates.a.Action", Wanted::Text),
        ],
    );
}

#[test]
fn attribute_values_wherever_they_stand() {
    assert_values("GetItem", "Key.a", Wanted::Element("AttributeValue"));
    assert_values("PutItem", "Item.a", Wanted::Element("AttributeValue"));
    assert_values("PutItem", "Expected.a.Value", Wanted::Field("AttributeValue"));
    assert_values("Query", "KeyConditions.a.AttributeValueList.0", Wanted::Element("AttributeValue"));
    assert_values("Scan", "ExclusiveStartKey.a", Wanted::Element("AttributeValue"));
    assert_values("BatchGetItem", "RequestItems.a.Keys.0.a", Wanted::Element("AttributeValue"));
    assert_values("TransactWriteItems", "TransactItems.0.Put.Item.a", Wanted::Element("AttributeValue"));
}

#[test]
fn members_of_batches_and_transactions() {
    assert_places(
        "BatchGetItem",
        &[
            ("RequestItems", Wanted::Map("com.amazonaws.dynamodb.v20120810.KeysAndAttributes")),
            ("RequestItems.a", Wanted::Element("KeysAndAttributes")),
            ("RequestItems.a.Keys", Wanted::List),
            ("RequestItems.a.ConsistentRead", Wanted::Flag),
        ],
    );
    assert_places(
        "BatchWriteItem",
        &[
            ("RequestItems", Wanted::Map("java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>")),
            ("RequestItems.a.0", Wanted::Element("WriteRequest")),
            ("RequestItems.a.0.PutRequest", Wanted::Field("PutRequest")),
            ("RequestItems.a.0.DeleteRequest", Wanted::Field("DeleteRequest")),
        ],
    );
    assert_places(
        "TransactGetItems",
        &[
            ("TransactItems", Wanted::List),
            ("TransactItems.0", Wanted::Element("TransactGetItem")),
            ("TransactItems.0.Get", Wanted::Field("Get")),
        ],
    );
}

#[test]
fn members_of_table_operations() {
    assert_places(
        "CreateTable",
        &[
            ("AttributeDefinitions", Wanted::List),
            ("AttributeDefinitions.0", Wanted::Element("AttributeDefinition")),
            ("KeySchema.0", Wanted::Element("KeySchemaElement")),
            ("LocalSecondaryIndexes.0", Wanted::Element("LocalSecondaryIndex")),
            ("GlobalSecondaryIndexes.0", Wanted::Element("GlobalSecondaryIndex")),
            ("GlobalSecondaryIndexes.0.Projection", Wanted::Field("Projection")),
            ("GlobalSecondaryIndexes.0.Projection.NonKeyAttributes.0", Wanted::Text),
            ("ProvisionedThroughput", Wanted::Field("ProvisionedThroughput")),
            ("ProvisionedThroughput.ReadCapacityUnits", Wanted::Long),
        ],
    );
    assert_places(
        "UpdateTable",
        &[
            ("GlobalSecondaryIndexUpdates.0", Wanted::Element("GlobalSecondaryIndexUpdate")),
            ("GlobalSecondaryIndexUpdates.0.Update", Wanted::Field("UpdateGlobalSecondaryIndexAction")),
            ("GlobalSecondaryIndexUpdates.0.Delete", Wanted::Field("DeleteGlobalSecondaryIndexAction")),
        ],
    );
    assert_places("ListTables", &[("Limit", Wanted::Integer), ("ExclusiveStartTableName", Wanted::Text)]);
    assert_places("TagResource", &[("Tags.0", Wanted::Element("Tag")), ("Tags.0.Key", Wanted::Text)]);
}

#[test]
fn what_is_no_object_gets_no_text() {
    let client = Client::new();
    let bare = json!({"__type": "com.amazon.coral.service#SerializationException"});
    for body in [
        "",
        "hi",
        "[]",
        "\"x\"",
        "1",
        "null",
        "{",
        "{}x",
        "{\"a\":1,}",
        "\u{feff}{}",
        "{\"ExclusiveStartTableName\":\"\u{1}\"}",
    ] {
        let reply = client.raw("ListTables", body.as_bytes());
        assert_eq!((reply.status, crate::support::parse(&reply)), (400, bare.clone()), "{body:?}");
    }
    let not_utf8 =
        [&b"{\"ExclusiveStartTableName\":\"\xff\"}"[..], b"{\"ignored\":\"\xff\"}", b"{\"\xff\":1}"];
    for body in not_utf8 {
        let reply = client.raw("ListTables", body);
        assert_eq!((reply.status, crate::support::parse(&reply)), (400, bare.clone()), "{body:?}");
    }
}

#[test]
fn unknown_members_and_nulls_are_ignored() {
    let client = Client::new();
    let request = json!({
        "hi": "yo", "stuff": {"deep": [1, 2.5, null]}, "ExclusiveStartTableName": null, "Limit": null,
    });
    assert_eq!(client.call("ListTables", request), json!({"TableNames": []}));
}

#[test]
fn words_count_as_booleans_and_decimals_are_cut() {
    let client = Client::with_tables();
    let key = json!({"a": {"S": "k"}});
    for (word, units) in [("yes", 1.0), ("TRUE", 1.0), ("1", 1.0), ("no", 0.5), ("false", 0.5), ("0", 0.5)] {
        let request = json!({"TableName": "hash", "Key": key, "ConsistentRead": word, "ReturnConsumedCapacity": "TOTAL"});
        assert_eq!(
            client.call("GetItem", request)["ConsumedCapacity"]["CapacityUnits"],
            json!(units),
            "{word}"
        );
    }
    assert_eq!(client.call("ListTables", json!({"Limit": 1.9}))["TableNames"], json!(["hash"]));
}

#[test]
fn targets_that_name_no_operation_are_unknown() {
    let client = Client::new();
    let long = "é".repeat(70_000);
    for operation in
        ["ListTable", "UpdateEverything", "CreateGlobalTables", "describeTable", "", long.as_str()]
    {
        let reply = client.raw(operation, b"{}");
        let mut unknown = json!({"__type": "com.amazon.coral.service#UnknownOperationException"});
        if !operation.is_empty() {
            let name: String = operation.chars().take(64).collect();
            unknown["message"] = format!("The operation {name} is not supported by this server.").into();
        }
        assert_eq!((reply.status, crate::support::parse(&reply)), (400, unknown), "{operation}");
        assert_eq!((reply.operation, reply.error), (None, Some("UnknownOperationException")));
    }
}
