//! Backups over the protocol: shapes and errors.

use std::time::{Duration, Instant};

use crate::support::{Client, key_schema, text, wait_until, wait_until_active, with};
use serde_json::{Value, json};

fn status(client: &Client, arn: &str) -> Value {
    let described = client.call("DescribeBackup", json!({"BackupArn": arn}));
    described["BackupDescription"]["BackupDetails"]["BackupStatus"].clone()
}

fn back_up(client: &Client, table: &str, name: &str) -> String {
    let created = client.call("CreateBackup", json!({"TableName": table, "BackupName": name}));
    let arn = text(&created["BackupDetails"]["BackupArn"]);
    wait_until(|| status(client, &arn) == "AVAILABLE");
    // Those of one millisecond are listed in no particular order.
    let made = Instant::now();
    wait_until(|| made.elapsed() > Duration::from_millis(2));
    arn
}

fn filled() -> Client {
    let client = Client::with_tables();
    for n in 0..30 {
        let n = n.to_string();
        client.put(
            "range",
            json!({"a": {"S": "x"}, "b": {"S": n}, "c": {"S": "c"}, "d": {"S": n}, "e": {"N": n}}),
        );
    }
    client
}

fn type_of(error: &Value) -> String {
    text(&error["__type"]).replace("com.amazonaws.dynamodb.v20120810#", "")
}

#[test]
fn a_backup_is_described_with_its_table() {
    let client = filled();
    let created = client.call("CreateBackup", json!({"TableName": "range", "BackupName": "first"}));
    let details = &created["BackupDetails"];
    assert_eq!(details["BackupStatus"], "CREATING");
    assert_eq!((&details["BackupName"], &details["BackupType"]), (&json!("first"), &json!("USER")));
    assert!(details["BackupCreationDateTime"].is_number());
    assert!(details.get("BackupExpiryDateTime").is_none());
    let arn = text(&details["BackupArn"]);
    assert!(arn.contains(":table/range/backup/01"), "{arn}");
    wait_until(|| status(&client, &arn) == "AVAILABLE");

    let table = client.call("DescribeTable", json!({"TableName": "range"}))["Table"].clone();
    let description = client.call("DescribeBackup", json!({"BackupArn": arn}))["BackupDescription"].clone();
    let size = &table["TableSizeBytes"];
    assert_eq!(&description["BackupDetails"]["BackupSizeBytes"], size);
    assert_eq!(
        description["SourceTableDetails"],
        json!({
            "TableName": "range", "TableId": table["TableId"], "TableArn": table["TableArn"],
            "TableSizeBytes": size, "KeySchema": key_schema(&["a"], &["b"]),
            "TableCreationDateTime": table["CreationDateTime"],
            "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
            "ItemCount": 30, "BillingMode": "PAY_PER_REQUEST",
        })
    );
    assert_eq!(
        description["SourceTableFeatureDetails"],
        json!({
            "LocalSecondaryIndexes": [{
                "IndexName": "local", "KeySchema": key_schema(&["a"], &["c"]), "Projection": {"ProjectionType": "ALL"},
            }],
            "GlobalSecondaryIndexes": [{
                "IndexName": "global", "KeySchema": key_schema(&["c"], &["d"]),
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["e"]},
                "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
            }],
        })
    );
    let deleted = client.call("DeleteBackup", json!({"BackupArn": arn}))["BackupDescription"].clone();
    assert_eq!(deleted["BackupDetails"]["BackupStatus"], "DELETED");
    assert_eq!(deleted["SourceTableDetails"], description["SourceTableDetails"]);
    let gone = client.error("DescribeBackup", json!({"BackupArn": arn}));
    assert_eq!(type_of(&gone), "BackupNotFoundException");
    assert_eq!(gone["message"], format!("Backup not found: {arn}"));
}

#[test]
fn a_table_is_restored_with_its_items_and_indexes() {
    let client = filled();
    let arn = back_up(&client, "range", "first");
    let request = json!({"TargetTableName": "copy", "BackupArn": arn});
    let restored = client.call("RestoreTableFromBackup", request)["TableDescription"].clone();
    assert_eq!((&restored["TableName"], &restored["TableStatus"]), (&json!("copy"), &json!("CREATING")));
    assert_eq!(restored["RestoreSummary"]["RestoreInProgress"], true);
    let table = wait_until_active(&client, "copy");
    let summary = &table["RestoreSummary"];
    assert_eq!(summary["SourceBackupArn"], arn);
    assert!(text(&summary["SourceTableArn"]).ends_with(":table/range"));
    assert_eq!(summary["RestoreInProgress"], false);
    assert!(summary["RestoreDateTime"].is_number());
    assert_eq!(table["ItemCount"], 30);
    assert_eq!(table["GlobalSecondaryIndexes"][0]["ItemCount"], 30);
    let query = json!({
        "TableName": "copy", "IndexName": "global", "KeyConditionExpression": "c = :c AND d = :d",
        "ExpressionAttributeValues": {":c": {"S": "c"}, ":d": {"S": "7"}},
    });
    let found = client.call("Query", query)["Items"].clone();
    assert_eq!(
        found,
        json!([{"a": {"S": "x"}, "b": {"S": "7"}, "c": {"S": "c"}, "d": {"S": "7"}, "e": {"N": "7"}}])
    );
}

#[test]
fn overrides_change_the_restored_table() {
    let client = filled();
    let arn = back_up(&client, "range", "first");
    let capacity = json!({"ReadCapacityUnits": 3, "WriteCapacityUnits": 4});
    let request = json!({
        "TargetTableName": "copy", "BackupArn": arn, "BillingModeOverride": "PROVISIONED",
        "ProvisionedThroughputOverride": capacity, "LocalSecondaryIndexOverride": [],
        "GlobalSecondaryIndexOverride": [{
            "IndexName": "global", "KeySchema": key_schema(&["c"], &["d"]),
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["e"]},
            "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
        }],
        "SSESpecificationOverride": {"Enabled": false},
    });
    client.call("RestoreTableFromBackup", request.clone());
    let table = wait_until_active(&client, "copy");
    assert_eq!(table["ProvisionedThroughput"]["WriteCapacityUnits"], 4);
    assert_eq!(table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"], 5);
    assert!(table.get("LocalSecondaryIndexes").is_none());

    let other = json!([{
        "IndexName": "other", "KeySchema": key_schema(&["c"], &[]), "Projection": {"ProjectionType": "ALL"},
    }]);
    let unknown = with(request, json!({"TargetTableName": "more", "GlobalSecondaryIndexOverride": other}));
    let told = client.invalid("RestoreTableFromBackup", unknown);
    assert!(told.contains("the source has no index other"), "{told}");
    let bare = json!({"TargetTableName": "more", "BackupArn": arn, "BillingModeOverride": "PROVISIONED"});
    client.invalid("RestoreTableFromBackup", bare);
}

#[test]
fn backups_are_listed_and_filtered() {
    let client = filled();
    let arns = [
        back_up(&client, "range", "one"),
        back_up(&client, "hash", "two"),
        back_up(&client, "range", "three"),
    ];
    let list = |request: Value| -> Vec<String> {
        let answer = client.call("ListBackups", request);
        let summaries = answer["BackupSummaries"].as_array().cloned().unwrap_or_default();
        summaries.iter().map(|summary| text(&summary["BackupName"])).collect()
    };
    let all = client.call("ListBackups", json!({}));
    let first = &all["BackupSummaries"][0];
    assert_eq!((&first["TableName"], &first["BackupArn"]), (&json!("range"), &json!(arns[0])));
    for member in
        ["TableId", "TableArn", "BackupStatus", "BackupType", "BackupCreationDateTime", "BackupSizeBytes"]
    {
        assert!(first.get(member).is_some(), "{member} of {first}");
    }
    assert!(all.get("LastEvaluatedBackupArn").is_none());
    assert_eq!(list(json!({"TableName": "range"})), ["one", "three"]);
    assert_eq!(list(json!({"TableName": first["TableArn"]})), ["one", "three"]);
    assert_eq!(list(json!({"BackupType": "ALL"})).len(), 3);
    assert!(list(json!({"BackupType": "SYSTEM"})).is_empty());
    assert!(list(json!({"BackupType": "AWS_BACKUP"})).is_empty());
    let created = first["BackupCreationDateTime"].as_f64().unwrap_or_default();
    assert_eq!(list(json!({"TimeRangeUpperBound": created})).len(), 0);
    assert!(list(json!({"TimeRangeLowerBound": created})).len() == 3);
    assert_eq!(list(json!({"TimeRangeLowerBound": created + 1000.0})).len(), 0);
    let page = client.call("ListBackups", json!({"Limit": 2}));
    assert_eq!(page["LastEvaluatedBackupArn"], arns[1]);
    assert_eq!(list(json!({"Limit": 2, "ExclusiveStartBackupArn": arns[1]})), ["three"]);
}

#[test]
fn errors_are_those_of_the_service() {
    let client = filled();
    let arn = back_up(&client, "range", "first");
    let missing = format!("{}0", &arn[..arn.len() - 1].replace("/backup/01", "/backup/09"));
    for (operation, request, kind) in [
        ("CreateBackup", json!({"TableName": "nothing", "BackupName": "name"}), "TableNotFoundException"),
        ("DescribeBackup", json!({"BackupArn": missing}), "BackupNotFoundException"),
        ("DeleteBackup", json!({"BackupArn": missing}), "BackupNotFoundException"),
        (
            "RestoreTableFromBackup",
            json!({"TargetTableName": "new", "BackupArn": missing}),
            "BackupNotFoundException",
        ),
        (
            "RestoreTableFromBackup",
            json!({"TargetTableName": "hash", "BackupArn": arn}),
            "TableAlreadyExistsException",
        ),
    ] {
        assert_eq!(type_of(&client.error(operation, request)), kind, "{operation}");
    }
    let told = client.error("CreateBackup", json!({"TableName": "nothing", "BackupName": "name"}));
    assert_eq!(told["message"], "Table not found: nothing");
}

#[test]
fn constraints_of_the_model_hold() {
    let client = filled();
    for (operation, request, told) in [
        ("CreateBackup", json!({"BackupName": "name"}), "'TableName' is required"),
        ("CreateBackup", json!({"TableName": "range"}), "Value null at 'backupName'"),
        ("CreateBackup", json!({"TableName": "range", "BackupName": "no"}), "greater than or equal to 3"),
        ("CreateBackup", json!({"TableName": "range", "BackupName": "a name"}), "regular expression pattern"),
        ("DescribeBackup", json!({}), "Value null at 'backupArn'"),
        ("DeleteBackup", json!({"BackupArn": "short"}), "greater than or equal to 37"),
        ("ListBackups", json!({"Limit": 0}), "greater than or equal to 1"),
        ("ListBackups", json!({"Limit": 101}), "less than or equal to 100"),
        ("ListBackups", json!({"BackupType": "MINE"}), "enum value set: [USER, SYSTEM, AWS_BACKUP, ALL]"),
        ("RestoreTableFromBackup", json!({}), "2 validation errors detected"),
    ] {
        let text = client.invalid(operation, request);
        assert!(text.contains(told), "{operation}: {text}");
    }
    let misshapen = client.misshapen("ListBackups", json!({"TimeRangeLowerBound": "yesterday"}));
    assert_eq!(misshapen, "STRING_VALUE cannot be converted to Date");
}

#[test]
fn a_backup_tells_of_stream_and_expiry_and_the_restored_table_has_neither() {
    let client = Client::with_tables();
    let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"});
    client.call("UpdateTable", json!({"TableName": "hash", "StreamSpecification": stream}));
    let expiry = json!({"Enabled": true, "AttributeName": "ends"});
    client.call("UpdateTimeToLive", json!({"TableName": "hash", "TimeToLiveSpecification": expiry}));
    let ttl =
        || client.call("DescribeTimeToLive", json!({"TableName": "hash"}))["TimeToLiveDescription"].clone();
    wait_until(|| ttl()["TimeToLiveStatus"] == "ENABLED");
    let arn = back_up(&client, "hash", "whole");
    let description = client.call("DescribeBackup", json!({"BackupArn": arn}))["BackupDescription"].clone();
    assert_eq!(
        description["SourceTableFeatureDetails"],
        json!({"StreamDescription": stream, "TimeToLiveDescription": ttl()})
    );
    client.call("RestoreTableFromBackup", json!({"TargetTableName": "copy", "BackupArn": arn}));
    let table = wait_until_active(&client, "copy");
    assert!(table.get("StreamSpecification").is_none(), "{table}");
    let described = client.call("DescribeTimeToLive", json!({"TableName": "copy"}));
    assert_eq!(described["TimeToLiveDescription"], json!({"TimeToLiveStatus": "DISABLED"}));
}
