//! Exports and imports over the protocol: shapes and errors.

use std::time::{Duration, Instant};

use crate::support::{BUCKET, Export, Scene, TABLE, definition};
use serde_json::{Value, json};
use singlet_wire::Service;

const READY_WITHIN: Duration = Duration::from_secs(30);

struct Client(Service);

impl Client {
    fn of(scene: &Scene) -> Self {
        Client(Service::new(scene.database.clone()))
    }

    fn answer(&self, operation: &str, body: &Value) -> (u16, Value) {
        let target = format!("DynamoDB_20120810.{operation}");
        let reply = pollster::block_on(self.0.call(&target, body.to_string().as_bytes()));
        (reply.status, serde_json::from_slice(&reply.body).unwrap())
    }

    fn call(&self, operation: &str, body: Value) -> Value {
        let (status, answer) = self.answer(operation, &body);
        assert_eq!(status, 200, "{operation} {body} -> {answer}");
        answer
    }

    /// Name and text of the error.
    fn refused(&self, operation: &str, body: Value) -> (String, String) {
        let (status, answer) = self.answer(operation, &body);
        assert_eq!(status, 400, "{operation} {body} -> {answer}");
        let name = answer["__type"].as_str().unwrap().rsplit('#').next().unwrap().to_owned();
        let text = answer.get("message").or(answer.get("Message")).and_then(Value::as_str);
        (name, text.unwrap_or_default().to_owned())
    }

    fn wait(&self, operation: &str, arn: (&str, &Value), member: &str, status: &str) -> Value {
        let start = Instant::now();
        loop {
            let described = self.call(operation, json!({arn.0: arn.1}))[member].clone();
            if described[status] != "IN_PROGRESS" {
                return described;
            }
            assert!(start.elapsed() < READY_WITHIN, "it does not come to an end");
            std::thread::park_timeout(Duration::from_millis(1));
        }
    }
}

fn scene() -> (Scene, Client, String) {
    let scene = Scene::new();
    let table = scene.database.create_table(definition(TABLE)).unwrap();
    let client = Client::of(&scene);
    for pk in 0..3 {
        let item = json!({"pk": {"N": pk.to_string()}, "sk": {"S": "x"}, "group": {"S": "g"}});
        client.call("PutItem", json!({"TableName": TABLE, "Item": item}));
    }
    (scene, client, table.arn)
}

fn turn_on(client: &Client) {
    let specification = json!({"PointInTimeRecoveryEnabled": true});
    client.call(
        "UpdateContinuousBackups",
        json!({"TableName": TABLE, "PointInTimeRecoverySpecification": specification}),
    );
}

fn parameters(name: &str) -> Value {
    json!({
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "N"},
            {"AttributeName": "sk", "AttributeType": "S"},
            {"AttributeName": "group", "AttributeType": "S"},
        ],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "GlobalSecondaryIndexes": [{
            "IndexName": "groups",
            "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }],
    })
}

#[test]
fn a_table_is_exported_and_imported_as_the_model_says() {
    let (scene, client, table_arn) = scene();
    turn_on(&client);
    let request = json!({
        "TableArn": table_arn, "S3Bucket": BUCKET, "S3Prefix": "p", "ClientToken": "once", "S3SseAlgorithm": "AES256",
    });
    let begun = client.call("ExportTableToPointInTime", request.clone())["ExportDescription"].clone();
    assert_eq!(begun["ExportStatus"], "IN_PROGRESS");
    assert_eq!(
        (&begun["ExportType"], &begun["ExportFormat"]),
        (&json!("FULL_EXPORT"), &json!("DYNAMODB_JSON"))
    );
    assert_eq!(begun["S3SseAlgorithm"], "AES256");
    assert!(begun["ExportTime"].is_number() && begun["StartTime"].is_number() && begun["EndTime"].is_null());
    let arn = &begun["ExportArn"];
    let done = client.wait("DescribeExport", ("ExportArn", arn), "ExportDescription", "ExportStatus");
    assert_eq!((&done["ExportStatus"], &done["ItemCount"]), (&json!("COMPLETED"), &json!(3)));
    assert!(done["BilledSizeBytes"].as_u64() > Some(0));
    let manifest = done["ExportManifest"].as_str().unwrap();
    assert!(
        manifest.starts_with("p/AWSDynamoDB/") && manifest.ends_with("/manifest-summary.json"),
        "{manifest}"
    );
    assert!(scene.bucket().join(manifest).exists());
    let again = client.call("ExportTableToPointInTime", request)["ExportDescription"].clone();
    assert_eq!(again, done, "the same token");
    let other = json!({"TableArn": table_arn, "S3Bucket": "other-bucket", "ClientToken": "once"});
    assert_eq!(client.refused("ExportTableToPointInTime", other).0, "ExportConflictException");
    let listed = client.call("ListExports", json!({"TableArn": table_arn}));
    assert_eq!(
        listed,
        json!({"ExportSummaries": [{"ExportArn": arn, "ExportStatus": "COMPLETED", "ExportType": "FULL_EXPORT"}]})
    );
    let export = scene.database.describe_export(arn.as_str().unwrap()).unwrap();
    assert_eq!(Export::read(&scene.bucket(), &export).lines.len(), 3);

    let data = manifest.replace("manifest-summary.json", "data/");
    let request = json!({
        "S3BucketSource": {"S3Bucket": BUCKET, "S3KeyPrefix": data},
        "InputFormat": "DYNAMODB_JSON",
        "InputCompressionType": "GZIP",
        "TableCreationParameters": parameters("copy"),
    });
    let begun = client.call("ImportTable", request)["ImportTableDescription"].clone();
    assert_eq!(begun["ImportStatus"], "IN_PROGRESS");
    assert_eq!(begun["TableCreationParameters"], parameters("copy"));
    let arn = &begun["ImportArn"];
    let done = client.wait("DescribeImport", ("ImportArn", arn), "ImportTableDescription", "ImportStatus");
    assert_eq!(done["ImportStatus"], "COMPLETED");
    let counts =
        ["ProcessedItemCount", "ImportedItemCount", "ErrorCount"].map(|name| done[name].as_u64().unwrap());
    assert_eq!(counts, [3, 3, 0]);
    assert!(done["ProcessedSizeBytes"].as_u64() > Some(100));
    let table = client.call("DescribeTable", json!({"TableName": "copy"}))["Table"].clone();
    assert_eq!((&table["TableStatus"], &table["ItemCount"]), (&json!("ACTIVE"), &json!(3)));
    assert_eq!(table["GlobalSecondaryIndexes"][0]["ItemCount"], 3);
    assert!(table["RestoreSummary"].is_null());
    assert_eq!(done["TableId"], table["TableId"]);
    let listed = client.call("ListImports", json!({}));
    let summary = &listed["ImportSummaryList"][0];
    assert_eq!((&summary["ImportArn"], &summary["InputFormat"]), (arn, &json!("DYNAMODB_JSON")));
}

#[test]
fn an_incremental_export_says_its_period() {
    let (scene, client, table_arn) = scene();
    turn_on(&client);
    let from = singlet_engine::Clock::now_ms(scene.clock.as_ref()) / 1000;
    scene.clock.advance_ms(1_000);
    let key = json!({"pk": {"N": "1"}, "sk": {"S": "x"}});
    client.call("DeleteItem", json!({"TableName": TABLE, "Key": key}));
    scene.clock.advance_ms(20 * 60_000);
    let request = json!({
        "TableArn": table_arn, "S3Bucket": BUCKET, "ExportType": "INCREMENTAL_EXPORT",
        "IncrementalExportSpecification": {"ExportFromTime": from, "ExportToTime": from + 900, "ExportViewType": "NEW_IMAGE"},
    });
    let begun = client.call("ExportTableToPointInTime", request)["ExportDescription"].clone();
    let specification = &begun["IncrementalExportSpecification"];
    assert_eq!(specification["ExportFromTime"].as_f64(), Some(from as f64));
    assert_eq!(specification["ExportViewType"], "NEW_IMAGE");
    assert!(begun["ExportTime"].is_null());
    let done = client.wait(
        "DescribeExport",
        ("ExportArn", &begun["ExportArn"]),
        "ExportDescription",
        "ExportStatus",
    );
    assert_eq!(done["ItemCount"], 1);
    let export = scene.database.describe_export(begun["ExportArn"].as_str().unwrap()).unwrap();
    let lines = Export::read(&scene.bucket(), &export).lines;
    assert_eq!(lines[0]["Keys"], key);
    assert!(lines[0].get("NewImage").is_none() && lines[0].get("OldImage").is_none());
}

#[test]
fn what_cannot_be_exported_is_refused_by_name() {
    let (_scene, client, table_arn) = scene();
    let export = |members: Value| {
        let mut request = json!({"TableArn": table_arn, "S3Bucket": BUCKET});
        members.as_object().unwrap().iter().for_each(|(name, value)| request[name] = value.clone());
        client.refused("ExportTableToPointInTime", request)
    };
    assert_eq!(export(json!({})).0, "PointInTimeRecoveryUnavailableException");
    turn_on(&client);
    let missing = json!({"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/nowhere"});
    assert_eq!(export(missing).0, "TableNotFoundException");
    let (name, message) = export(json!({"ExportTime": 1}));
    assert_eq!(name, "InvalidExportTimeException");
    assert!(message.contains("which reaches from 2023-11-14T"), "{message}");
    for (members, text) in [
        (json!({"ExportFormat": "ION"}), "ExportFormat ION is not supported"),
        (json!({"ExportFormat": "XML"}), "enum value set: [DYNAMODB_JSON, ION]"),
        (json!({"S3SseAlgorithm": "KMS"}), "S3SseAlgorithm KMS is not supported"),
        (json!({"S3Bucket": "../x"}), "regular expression pattern"),
        (json!({"S3Bucket": null}), "Member must not be null"),
        (json!({"S3Prefix": "../x"}), "not a path inside a bucket"),
        (json!({"S3Prefix": "x".repeat(1025)}), "less than or equal to 1024"),
        (json!({"S3BucketOwner": "me"}), "[0-9]{12}"),
        (json!({"ClientToken": "a$b"}), "clientToken"),
        (json!({"ExportType": "INCREMENTAL_EXPORT"}), "ExportFromTime"),
        (json!({"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": {}}), "ExportFromTime"),
        (json!({"IncrementalExportSpecification": {"ExportFromTime": 1}}), "INCREMENTAL_EXPORT"),
        (
            json!({"ExportType": "INCREMENTAL_EXPORT",
                   "IncrementalExportSpecification": {"ExportFromTime": 1_700_000_000, "ExportToTime": 1_700_000_001}}),
            "ExportToTime is 2023-11-14T22:13:21.000Z, and ExportFromTime, 2023-11-14T22:13:20.000Z, is less than 15 minutes",
        ),
    ] {
        let (name, message) = export(members.clone());
        assert!(name == "ValidationException" && message.contains(text), "{members} -> {name} {message}");
    }
    let arn = format!("{table_arn}/export/01693685827463-2d8752fd");
    assert_eq!(client.refused("DescribeExport", json!({"ExportArn": arn})).0, "ExportNotFoundException");
    assert_eq!(client.refused("DescribeExport", json!({"ExportArn": "short"})).0, "ValidationException");
    assert_eq!(client.refused("ListExports", json!({"MaxResults": 26})).0, "ValidationException");
}

#[test]
fn what_cannot_be_imported_is_refused_by_name() {
    let (scene, client, table_arn) = scene();
    let base = json!({
        "S3BucketSource": {"S3Bucket": BUCKET},
        "InputFormat": "CSV",
        "TableCreationParameters": parameters("new"),
    });
    let import = |members: Value| {
        let mut request = base.clone();
        members.as_object().unwrap().iter().for_each(|(name, value)| request[name] = value.clone());
        client.refused("ImportTable", request)
    };
    for (members, text) in [
        (json!({"InputFormat": "ION"}), "InputFormat ION is not supported"),
        (json!({"InputFormat": null}), "inputFormat"),
        (json!({"S3BucketSource": null}), "s3BucketSource"),
        (json!({"S3BucketSource": {"S3Bucket": "..", "S3KeyPrefix": "x"}}), "s3BucketSource.s3Bucket"),
        (
            json!({"S3BucketSource": {"S3Bucket": BUCKET, "S3KeyPrefix": "/etc/"}}),
            "not a path inside a bucket",
        ),
        (json!({"InputCompressionType": "LZ4"}), "[GZIP, ZSTD, NONE]"),
        (json!({"InputFormatOptions": {"Csv": {"Delimiter": "x"}}}), "delimiter"),
        (json!({"InputFormatOptions": {"Csv": {"Delimiter": ",,"}}}), "delimiter"),
        (json!({"InputFormatOptions": {"Csv": {"HeaderList": []}}}), "headerList"),
        (json!({"InputFormatOptions": {"Csv": {"HeaderList": ["a\"b"]}}}), "headerList.1.member"),
        (
            json!({"InputFormat": "DYNAMODB_JSON", "InputFormatOptions": {"Csv": {"Delimiter": ","}}}),
            "belongs to InputFormat CSV",
        ),
        (json!({"TableCreationParameters": {"TableName": "x"}}), "tableCreationParameters.tableName"),
    ] {
        let (name, message) = import(members.clone());
        assert!(name == "ValidationException" && message.contains(text), "{members} -> {name} {message}");
    }
    assert_eq!(import(json!({"TableCreationParameters": parameters(TABLE)})).0, "ResourceInUseException");
    let arn = format!("{table_arn}/import/01693685827463-2d8752fd");
    assert_eq!(client.refused("DescribeImport", json!({"ImportArn": arn})).0, "ImportNotFoundException");
    assert_eq!(client.refused("ListImports", json!({"NextToken": "x"})).0, "ValidationException");

    scene.put_object("a.csv", "pk,sk\n1,x\n");
    let mut tokens = Vec::new();
    for name in ["one-table", "two-table", "three-table"] {
        let mut request = base.clone();
        request["TableCreationParameters"] = parameters(name);
        request["ClientToken"] = json!(name);
        let begun = client.call("ImportTable", request)["ImportTableDescription"].clone();
        let arn = begun["ImportArn"].clone();
        client.wait("DescribeImport", ("ImportArn", &arn), "ImportTableDescription", "ImportStatus");
        tokens.push(arn);
    }
    let mut other = base.clone();
    other["ClientToken"] = json!("one-table");
    assert_eq!(client.refused("ImportTable", other).0, "IdempotentParameterMismatchException");
    let page = client.call("ListImports", json!({"PageSize": 2}));
    let token = page["NextToken"].as_str().unwrap();
    assert!(token.len() >= 112 && token.len() % 16 == 0);
    let rest = client.call("ListImports", json!({"PageSize": 2, "NextToken": token}));
    assert_eq!(page["ImportSummaryList"].as_array().unwrap().len(), 2);
    assert_eq!(rest["ImportSummaryList"].as_array().unwrap().len(), 1);
    assert!(rest["NextToken"].is_null());
}
