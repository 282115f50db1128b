//! Operations on tables and their tags: requests and their answers.

use crate::support::{Client, definitions, hash_table, key_schema, text, with};
use serde_json::{Value, json};

#[test]
fn a_created_table_is_described_with_all_that_was_asked_for() {
    let client = Client::new();
    let mut request = json!({
        "TableName": "music",
        "AttributeDefinitions": definitions(&["a", "b", "c", "d"]),
        "KeySchema": key_schema(&["a"], &["b"]),
        "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
        "LocalSecondaryIndexes": [{
            "IndexName": "local", "KeySchema": key_schema(&["a"], &["c"]), "Projection": {"ProjectionType": "KEYS_ONLY"},
        }],
        "GlobalSecondaryIndexes": [{
            "IndexName": "global", "KeySchema": key_schema(&["c", "d"], &["b"]),
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["e"]},
            "ProvisionedThroughput": {"ReadCapacityUnits": 7, "WriteCapacityUnits": 8},
        }],
        "TableClass": "STANDARD_INFREQUENT_ACCESS",
        "DeletionProtectionEnabled": true,
        "Tags": [{"Key": "team", "Value": "rock"}],
    });
    request["StreamSpecification"] = json!({"StreamEnabled": false});
    request["SSESpecification"] = json!({"Enabled": false});
    let created = client.call("CreateTable", request.clone())["TableDescription"].clone();
    assert_eq!(created["TableName"], "music");

    let table = client.call("DescribeTable", json!({"TableName": "music"}))["Table"].clone();
    assert_eq!(table["KeySchema"], request["KeySchema"]);
    assert_eq!(table["TableStatus"], "ACTIVE");
    assert_eq!(table["ItemCount"], 0);
    assert_eq!(table["TableSizeBytes"], 0);
    assert_eq!(table["DeletionProtectionEnabled"], true);
    assert_eq!(table["TableClassSummary"], json!({"TableClass": "STANDARD_INFREQUENT_ACCESS"}));
    assert_eq!(
        table["ProvisionedThroughput"],
        json!({"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 5, "WriteCapacityUnits": 6})
    );
    assert!(table["CreationDateTime"].is_number());
    assert!(table.get("BillingModeSummary").is_none());
    let arn = text(&table["TableArn"]);
    assert!(arn.starts_with("arn:aws:dynamodb:") && arn.ends_with(":table/music"), "{arn}");
    assert_eq!(
        table["LocalSecondaryIndexes"],
        json!([{
            "IndexName": "local", "KeySchema": key_schema(&["a"], &["c"]),
            "Projection": {"ProjectionType": "KEYS_ONLY"}, "IndexSizeBytes": 0, "ItemCount": 0,
            "IndexArn": format!("{arn}/index/local"),
        }])
    );
    let global = &table["GlobalSecondaryIndexes"][0];
    assert_eq!(global["KeySchema"], key_schema(&["c", "d"], &["b"]));
    assert_eq!(global["Projection"], json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["e"]}));
    assert_eq!(global["ProvisionedThroughput"]["ReadCapacityUnits"], 7);
    assert_eq!(global["IndexStatus"], "ACTIVE");

    let tags = client.call("ListTagsOfResource", json!({"ResourceArn": arn}));
    assert_eq!(tags, json!({"Tags": [{"Key": "team", "Value": "rock"}]}));
}

#[test]
fn an_on_demand_table_has_a_billing_summary() {
    let client = Client::new();
    client.call("CreateTable", hash_table("music"));
    let table = client.call("DescribeTable", json!({"TableName": "music"}))["Table"].clone();
    assert_eq!(table["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST");
    assert_eq!(table["ProvisionedThroughput"]["ReadCapacityUnits"], 0);
    assert_eq!(
        table["WarmThroughput"],
        json!({"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"})
    );
}

#[test]
fn a_deleted_table_is_gone() {
    let client = Client::new();
    client.call("CreateTable", hash_table("music"));
    let deleted = client.call("DeleteTable", json!({"TableName": "music"}))["TableDescription"].clone();
    assert_eq!((&deleted["TableName"], &deleted["TableStatus"]), (&json!("music"), &json!("DELETING")));
    assert!(deleted.get("KeySchema").is_none());
    assert_eq!(
        client.error("DescribeTable", json!({"TableName": "music"})),
        json!({
            "__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
            "message": "Requested resource not found: Table: music not found",
        })
    );
}

#[test]
fn tables_are_listed_in_pages() {
    let client = Client::new();
    for name in ["ccc", "aaa", "bbb"] {
        client.call("CreateTable", hash_table(name));
    }
    assert_eq!(client.call("ListTables", json!({})), json!({"TableNames": ["aaa", "bbb", "ccc"]}));
    let first = client.call("ListTables", json!({"Limit": 2}));
    assert_eq!(first, json!({"TableNames": ["aaa", "bbb"], "LastEvaluatedTableName": "bbb"}));
    let rest = client.call("ListTables", json!({"Limit": 2, "ExclusiveStartTableName": "bbb"}));
    assert_eq!(rest, json!({"TableNames": ["ccc"]}));
}

#[test]
fn a_table_is_updated() {
    let client = Client::new();
    client.call("CreateTable", hash_table("music"));
    let update = |extra: Value| {
        client.call("UpdateTable", with(json!({"TableName": "music"}), extra))["TableDescription"].clone()
    };
    assert_eq!(update(json!({"DeletionProtectionEnabled": true}))["DeletionProtectionEnabled"], true);
    assert_eq!(
        client.invalid("DeleteTable", json!({"TableName": "music"})),
        "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first."
    );
    update(json!({
        "AttributeDefinitions": definitions(&["a", "b"]),
        "GlobalSecondaryIndexUpdates": [{"Create": {
            "IndexName": "global", "KeySchema": key_schema(&["b"], &[]), "Projection": {"ProjectionType": "ALL"},
        }}],
    }));
    let table = client.call("DescribeTable", json!({"TableName": "music"}))["Table"].clone();
    assert_eq!(table["GlobalSecondaryIndexes"][0]["IndexName"], "global");
}

#[test]
fn what_cannot_be_honoured_is_refused_and_not_ignored() {
    let client = Client::new();
    let create = [
        ("SSEType", json!({"Enabled": true, "SSEType": "AES256"})),
        ("ResourcePolicy", json!("{}")),
        ("GlobalTableSourceArn", json!("arn:x")),
    ];
    for (member, value) in create {
        let mut request = hash_table("music");
        request[if member == "SSEType" { "SSESpecification" } else { member }] = value;
        let text = client.invalid("CreateTable", request);
        assert!(text.contains(member) && text.ends_with("is not supported by this server"), "{text}");
    }
    client.call("CreateTable", hash_table("music"));
    let update = [
        ("SSEType", json!({"Enabled": true, "SSEType": "AES256"})),
        ("ReplicaUpdates", json!([{"Create": {"RegionName": "eu-west-1"}}])),
        ("MultiRegionConsistency", json!("STRONG")),
    ];
    for (member, value) in update {
        let mut request = json!({"TableName": "music"});
        request[if member == "SSEType" { "SSESpecification" } else { member }] = value;
        let text = client.invalid("UpdateTable", request);
        assert!(text.contains(member) && text.ends_with("is not supported by this server"), "{text}");
    }
}

#[test]
fn encryption_is_refused_where_there_is_none() {
    let client = Client::new();
    let asks = [
        json!({"Enabled": true}),
        json!({"Enabled": true, "SSEType": "KMS"}),
        json!({"SSEType": "KMS"}),
        json!({"KMSMasterKeyId": "alias/mine"}),
    ];
    client.call("CreateTable", hash_table("there"));
    for ask in asks {
        let mut request = hash_table("music");
        request["SSESpecification"] = ask.clone();
        let update = json!({"TableName": "there", "SSESpecification": ask});
        for text in [client.invalid("CreateTable", request), client.invalid("UpdateTable", update)] {
            assert!(text.contains("not encrypted") && text.contains("--key-file"), "{text}");
        }
    }
    let mut request = hash_table("music");
    request["SSESpecification"] = json!({"SSEType": "ROT13"});
    let text = client.invalid("CreateTable", request);
    assert!(text.contains("'sSESpecification.sSEType'") && text.contains("[AES256, KMS]"), "{text}");
    client.call("UpdateTable", json!({"TableName": "there", "SSESpecification": {"Enabled": false}}));
    let table = &client.call("DescribeTable", json!({"TableName": "there"}))["Table"];
    assert!(table.get("SSEDescription").is_none());
}

#[test]
fn encryption_is_described_where_it_was_asked_for() {
    let key = singlet_engine::Key::from_bytes([1; 32]);
    let client = Client::encrypted(&key);
    let mut request = hash_table("music");
    request["SSESpecification"] = json!({"Enabled": true, "SSEType": "KMS"});
    client.call("CreateTable", request);
    client.call("CreateTable", hash_table("plain"));
    let describe = |name: &str| client.call("DescribeTable", json!({"TableName": name}))["Table"].clone();
    let arn = format!("arn:aws:kms:us-east-1:000000000000:key/{}", key.id());
    let described = json!({"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": arn});
    assert_eq!(describe("music")["SSEDescription"], described);
    assert!(describe("plain").get("SSEDescription").is_none(), "encrypted all the same, but nobody asked");

    let update = |name: &str, ask: Value| json!({"TableName": name, "SSESpecification": ask});
    for name in [arn.as_str(), &key.id().to_string(), "alias/aws/dynamodb"] {
        let updated =
            client.call("UpdateTable", update("plain", json!({"Enabled": true, "KMSMasterKeyId": name})));
        assert_eq!(updated["TableDescription"]["SSEDescription"], described);
        client.call("UpdateTable", update("plain", json!({"Enabled": false})));
        assert!(describe("plain").get("SSEDescription").is_none());
    }
    let text = client.invalid("UpdateTable", update("plain", json!({"KMSMasterKeyId": "alias/mine"})));
    assert!(text.contains("alias/mine") && text.contains(&arn), "{text}");
}

#[test]
fn wrong_table_definitions_are_refused_with_dynamodbs_words() {
    let client = Client::new();
    let index = |name: &str, keys: Value, projection: Value| json!([{"IndexName": name, "KeySchema": keys, "Projection": projection}]);
    let cases = [
        (
            json!({"KeySchema": key_schema(&["a"], &["a"])}),
            "Invalid KeySchema: Some index key attribute have no definition",
        ),
        (
            json!({"KeySchema": key_schema(&[], &["a"])}),
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
        ),
        (
            json!({"KeySchema": key_schema(&["a", "b"], &[]), "AttributeDefinitions": definitions(&["a", "b"])}),
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type",
        ),
        (
            json!({"GlobalSecondaryIndexes": []}),
            "One or more parameter values were invalid: List of GlobalSecondaryIndexes is empty",
        ),
        (
            json!({"GlobalSecondaryIndexes": index("global", key_schema(&["a"], &[]), json!({}))}),
            "One or more parameter values were invalid: Unknown ProjectionType: null",
        ),
        (
            json!({"GlobalSecondaryIndexes": index(
                "global", key_schema(&["a"], &[]), json!({"ProjectionType": "ALL", "NonKeyAttributes": ["x"]}),
            )}),
            "One or more parameter values were invalid: ProjectionType is ALL, but NonKeyAttributes is specified",
        ),
        (
            json!({
                "AttributeDefinitions": definitions(&["a", "b"]),
                "LocalSecondaryIndexes": index("local", key_schema(&["a"], &["b"]), json!({"ProjectionType": "ALL"})),
            }),
            "One or more parameter values were invalid: Table KeySchema does not have a range key, which is required \
             when specifying a LocalSecondaryIndex",
        ),
        (
            json!({"BillingMode": "PROVISIONED",
                   "ProvisionedThroughput": {"ReadCapacityUnits": 1000000000001u64, "WriteCapacityUnits": 1}}),
            "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
        ),
    ];
    for (extra, expected) in cases {
        assert_eq!(client.invalid("CreateTable", with(hash_table("music"), extra)), expected);
    }
}

#[test]
fn an_update_that_updates_nothing_is_refused() {
    let client = Client::new();
    let nothing = "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, \
                   GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required";
    assert_eq!(client.invalid("UpdateTable", json!({"TableName": "abc"})), nothing);
    let empty = json!({"TableName": "abc", "GlobalSecondaryIndexUpdates": []});
    assert_eq!(client.invalid("UpdateTable", empty), nothing);
    assert_eq!(
        client.invalid("UpdateTable", json!({"TableName": "abc", "GlobalSecondaryIndexUpdates": [{}]})),
        "One or more parameter values were invalid: One of GlobalSecondaryIndexUpdate.Update, \
         GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null"
    );
    let delete = json!({"Delete": {"IndexName": "abc"}});
    assert_eq!(
        client.invalid(
            "UpdateTable",
            json!({"TableName": "abc", "GlobalSecondaryIndexUpdates": [delete, delete]})
        ),
        "One or more parameter values were invalid: Only one global secondary index update per index is allowed \
         simultaneously. Index: abc"
    );
}

#[test]
fn tags_are_set_replaced_and_removed() {
    let client = Client::with_tables();
    let arn = client.call("DescribeTable", json!({"TableName": "hash"}))["Table"]["TableArn"].clone();
    let tag = |key: &str, value: &str| json!({"Key": key, "Value": value});
    let list = || client.call("ListTagsOfResource", json!({"ResourceArn": arn}))["Tags"].clone();
    assert_eq!(list(), json!([]));
    let tags = json!({"ResourceArn": arn, "Tags": [tag("a", "1"), tag("b", "")]});
    assert_eq!(client.call("TagResource", tags), json!({}));
    client.call("TagResource", json!({"ResourceArn": arn, "Tags": [tag("a", "2")]}));
    assert_eq!(list(), json!([tag("a", "2"), tag("b", "")]));
    client.call("UntagResource", json!({"ResourceArn": arn, "TagKeys": ["a", "none"]}));
    assert_eq!(list(), json!([tag("b", "")]));
}

#[test]
fn tags_of_what_is_no_table_are_refused() {
    let client = Client::with_tables();
    let none = client.call("DescribeTable", json!({"TableName": "hash"}))["Table"]["TableArn"]
        .as_str()
        .unwrap()
        .replace("/hash", "/none");
    let tags = json!([{"Key": "a", "Value": "b"}]);
    assert_eq!(client.invalid("TagResource", json!({"Tags": tags})), "Invalid TableArn");
    assert_eq!(
        client.invalid("TagResource", json!({"ResourceArn": "abcd", "Tags": tags})),
        "One or more parameter values were invalid: ARNs must start with 'arn:': abcd"
    );
    assert_eq!(
        client.invalid("TagResource", json!({"ResourceArn": none, "Tags": []})),
        "Atleast one Tag needs to be provided as Input."
    );
    assert_eq!(
        client.invalid("UntagResource", json!({"ResourceArn": none, "TagKeys": []})),
        "Atleast one Tag Key needs to be provided as Input."
    );
    assert_eq!(
        client.error("TagResource", json!({"ResourceArn": none, "Tags": tags}))["message"],
        format!("Requested resource not found: ResourcArn: {none} not found")
    );
    let denied = client.error("ListTagsOfResource", json!({"ResourceArn": none}));
    assert_eq!(denied["__type"], "com.amazon.coral.service#AccessDeniedException");
}

#[test]
fn limits_and_endpoints_are_described() {
    let client = Client::new();
    assert_eq!(
        client.call("DescribeLimits", json!({})),
        json!({
            "AccountMaxReadCapacityUnits": 80000, "AccountMaxWriteCapacityUnits": 80000,
            "TableMaxReadCapacityUnits": 40000, "TableMaxWriteCapacityUnits": 40000,
        })
    );
    assert_eq!(
        client.call("DescribeEndpoints", json!({})),
        json!({"Endpoints": [{"Address": "localhost:8000", "CachePeriodInMinutes": 1440}]})
    );
}
