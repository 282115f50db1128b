//! Point-in-time recovery over the protocol: shapes and errors.

use crate::support::{Client, text, wait_until_active};
use serde_json::{Value, json};

fn turn_on(client: &Client, table: &str) -> Value {
    let specification = json!({"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 7});
    client.call(
        "UpdateContinuousBackups",
        json!({"TableName": table, "PointInTimeRecoverySpecification": specification}),
    )
}

fn type_of(error: &Value) -> String {
    text(&error["__type"]).replace("com.amazonaws.dynamodb.v20120810#", "")
}

#[test]
fn continuous_backups_are_always_there_and_recovery_is_on_or_off() {
    let client = Client::with_tables();
    let described = client.call("DescribeContinuousBackups", json!({"TableName": "range"}));
    let off = json!({
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"}
    });
    assert_eq!(described["ContinuousBackupsDescription"], off);
    let on = turn_on(&client, "range");
    let window = &on["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"];
    assert_eq!(window["PointInTimeRecoveryStatus"], "ENABLED");
    assert_eq!(window["RecoveryPeriodInDays"], 7);
    assert!(window["EarliestRestorableDateTime"].as_f64() <= window["LatestRestorableDateTime"].as_f64());
}

#[test]
fn a_table_comes_back_as_it_was() {
    let client = Client::with_tables();
    let item =
        |n: &str| json!({"a": {"S": "x"}, "b": {"S": n}, "c": {"S": "c"}, "d": {"S": n}, "e": {"N": n}});
    client.put("range", item("1"));
    turn_on(&client, "range");
    client.put("range", item("2"));
    let restored = client.call(
        "RestoreTableToPointInTime",
        json!({"SourceTableName": "range", "TargetTableName": "again", "UseLatestRestorableTime": true}),
    );
    let summary = &restored["TableDescription"]["RestoreSummary"];
    assert!(text(&summary["SourceTableArn"]).ends_with(":table/range"));
    assert_eq!(summary["RestoreInProgress"], true);
    assert!(summary["SourceBackupArn"].is_null());
    let table = wait_until_active(&client, "again");
    assert_eq!(table["RestoreSummary"]["RestoreInProgress"], false);
    assert_eq!(table["ItemCount"], 2);
}

#[test]
fn what_cannot_be_recovered_is_refused_by_name() {
    let client = Client::with_tables();
    let cases = [
        (
            json!({"SourceTableName": "range", "UseLatestRestorableTime": true}),
            "PointInTimeRecoveryUnavailableException",
        ),
        (json!({"SourceTableName": "nowhere", "UseLatestRestorableTime": true}), "TableNotFoundException"),
    ];
    for (request, expected) in cases {
        let request = crate::support::with(request, json!({"TargetTableName": "new"}));
        assert_eq!(type_of(&client.error("RestoreTableToPointInTime", request)), expected);
    }
    turn_on(&client, "range");
    let cases = [
        (json!({"SourceTableName": "range", "RestoreDateTime": 1}), "InvalidRestoreTimeException"),
        (
            json!({"SourceTableName": "range", "UseLatestRestorableTime": true, "TargetTableName": "range"}),
            "TableAlreadyExistsException",
        ),
    ];
    for (request, expected) in cases {
        let named = !request["TargetTableName"].is_null();
        let request =
            if named { request } else { crate::support::with(request, json!({"TargetTableName": "new"})) };
        assert_eq!(type_of(&client.error("RestoreTableToPointInTime", request)), expected);
    }
    for request in [
        json!({"SourceTableName": "range", "TargetTableName": "new"}),
        json!({"SourceTableName": "range", "TargetTableName": "new", "UseLatestRestorableTime": true, "RestoreDateTime": 1}),
        json!({"TargetTableName": "new", "UseLatestRestorableTime": true}),
    ] {
        let refused = client.error("RestoreTableToPointInTime", request);
        assert!(text(&refused["__type"]).ends_with("ValidationException"), "{refused}");
    }
    let unknown = client.error("DescribeContinuousBackups", json!({"TableName": "nowhere"}));
    assert_eq!(type_of(&unknown), "TableNotFoundException");
    let days = json!({"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 36});
    let refused = client.error(
        "UpdateContinuousBackups",
        json!({"TableName": "range", "PointInTimeRecoverySpecification": days}),
    );
    assert!(text(&refused["message"]).contains("less than or equal to 35"), "{refused}");
}
