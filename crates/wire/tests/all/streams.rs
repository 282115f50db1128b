//! Streams: shapes of requests and answers, and their errors.

use std::sync::Arc;

use crate::support::{Client, hash_table, text, wait_until, with};
use serde_json::{Value, json};
use singlet_engine::{Database, ManualClock, Options};

const START_MS: u64 = 1_700_000_000_123;

fn with_stream(name: &str, view: &str) -> Value {
    with(hash_table(name), json!({"StreamSpecification": {"StreamEnabled": true, "StreamViewType": view}}))
}

/// A service with a clock of its own and the table `hash`, which has a stream.
fn watched(view: &str) -> (Client, Arc<ManualClock>, String) {
    let clock = Arc::new(ManualClock::new(START_MS));
    let options = Options { clock: clock.clone(), ..Options::default() };
    let client = Client::on(Database::in_memory_with(options).unwrap());
    client.call("CreateTable", with_stream("hash", view));
    let table = client.call("DescribeTable", json!({"TableName": "hash"}))["Table"].clone();
    let arn = text(&table["LatestStreamArn"]);
    (client, clock, arn)
}

fn shards(client: &Client, arn: &str) -> Vec<Value> {
    let description = client.call("DescribeStream", json!({"StreamArn": arn}));
    description["StreamDescription"]["Shards"].as_array().unwrap().clone()
}

fn iterator(client: &Client, arn: &str, shard: &Value) -> String {
    let request = json!({
        "StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON",
    });
    text(&client.call("GetShardIterator", request)["ShardIterator"])
}

/// All records of a stream.
fn records(client: &Client, arn: &str) -> Vec<Value> {
    let mut records = Vec::new();
    for shard in shards(client, arn) {
        let answer = client.call("GetRecords", json!({"ShardIterator": iterator(client, arn, &shard)}));
        records.extend(answer["Records"].as_array().unwrap().iter().cloned());
    }
    records
}

#[test]
fn a_table_tells_of_its_stream() {
    let (client, _, arn) = watched("NEW_IMAGE");
    let table = client.call("DescribeTable", json!({"TableName": "hash"}))["Table"].clone();
    assert_eq!(table["StreamSpecification"], json!({"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}));
    assert_eq!(table["LatestStreamLabel"], "2023-11-14T22:13:20.123");
    assert_eq!(arn, "arn:aws:dynamodb:us-east-1:000000000000:table/hash/stream/2023-11-14T22:13:20.123");

    let off = json!({"TableName": "hash", "StreamSpecification": {"StreamEnabled": false}});
    client.call("UpdateTable", off.clone());
    let table = client.call("DescribeTable", json!({"TableName": "hash"}))["Table"].clone();
    assert_eq!(table.get("StreamSpecification"), None);
    assert_eq!(table["LatestStreamArn"], json!(arn), "the last stream is still named");
    assert_eq!(client.invalid("UpdateTable", off), "Table has no stream to disable: TableName: hash");
}

#[test]
fn a_stream_is_asked_for_with_a_view_and_ended_without() {
    let client = Client::with_tables();
    let create = |stream: Value| with(hash_table("other"), json!({"StreamSpecification": stream}));
    let update = |stream: Value| json!({"TableName": "hash", "StreamSpecification": stream});
    let required = "One or more parameter values were invalid: If stream is being enabled then UpdateViewType is required";
    assert_eq!(client.invalid("CreateTable", create(json!({"StreamEnabled": true}))), required);
    assert_eq!(client.invalid("UpdateTable", update(json!({"StreamEnabled": true}))), required);
    assert_eq!(
        client.invalid("CreateTable", create(json!({"StreamEnabled": false, "StreamViewType": "NEW_IMAGE"}))),
        "One or more parameter values were invalid: Table is being created with a stream disabled, UpdateViewType \
         should not be specified"
    );
    assert_eq!(
        client.invalid("UpdateTable", update(json!({"StreamEnabled": false, "StreamViewType": "KEYS_ONLY"}))),
        "One or more parameter values were invalid: If stream is being disabled, then UpdateViewType must not be \
         specified"
    );
    assert_eq!(
        client.invalid("UpdateTable", update(json!({"StreamEnabled": true, "StreamViewType": "ALL"}))),
        "1 validation error detected: Value 'ALL' at 'streamSpecification.streamViewType' failed to satisfy \
         constraint: Member must satisfy enum value set: [NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES, KEYS_ONLY]"
    );
    let on = update(json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}));
    let table = client.call("UpdateTable", on.clone())["TableDescription"].clone();
    assert_eq!(table["StreamSpecification"]["StreamViewType"], "KEYS_ONLY");
    assert_eq!(client.invalid("UpdateTable", on), "Table already has an enabled stream: TableName: hash");
}

#[test]
fn streams_are_listed_and_described() {
    let (client, _, arn) = watched("NEW_AND_OLD_IMAGES");
    client.call("CreateTable", with_stream("more", "KEYS_ONLY"));
    let label = "2023-11-14T22:13:20.123";
    let listed = client.call("ListStreams", json!({"TableName": "hash"}));
    assert_eq!(listed, json!({"Streams": [{"StreamArn": arn, "TableName": "hash", "StreamLabel": label}]}));
    let first = client.call("ListStreams", json!({"Limit": 1}));
    assert_eq!(first["LastEvaluatedStreamArn"], json!(arn));
    let rest = client.call("ListStreams", json!({"ExclusiveStartStreamArn": arn}));
    assert_eq!(
        (&rest["Streams"][0]["TableName"], rest.get("LastEvaluatedStreamArn")),
        (&json!("more"), None)
    );

    let described = client.call("DescribeStream", json!({"StreamArn": arn}))["StreamDescription"].clone();
    let shards = described["Shards"].as_array().unwrap();
    assert_eq!(shards.len(), 4);
    let shard = &shards[0];
    assert!(text(&shard["ShardId"]).starts_with("shardId-00000001700000000123-"));
    let start = text(&shard["SequenceNumberRange"]["StartingSequenceNumber"]);
    assert!(start.len() == 21 && start.bytes().all(|byte| byte.is_ascii_digit()));
    assert_eq!(shard["SequenceNumberRange"].get("EndingSequenceNumber"), None);
    assert_eq!(shard.get("ParentShardId"), None);
    let mut rest = described.clone();
    rest["Shards"] = json!([]);
    assert_eq!(
        rest,
        json!({
            "StreamArn": arn, "StreamLabel": label, "StreamStatus": "ENABLED",
            "StreamViewType": "NEW_AND_OLD_IMAGES", "CreationRequestDateTime": 1_700_000_000.123,
            "TableName": "hash", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "Shards": [],
        })
    );
    let page =
        client.call("DescribeStream", json!({"StreamArn": arn, "Limit": 3}))["StreamDescription"].clone();
    assert_eq!(page["LastEvaluatedShardId"], shards[2]["ShardId"]);
    let next = json!({"StreamArn": arn, "ExclusiveStartShardId": shards[2]["ShardId"]});
    let next = client.call("DescribeStream", next)["StreamDescription"].clone();
    assert_eq!(next["Shards"], json!([shards[3]]));
}

#[test]
fn children_of_a_shard_are_found_by_a_filter() {
    let (client, clock, arn) = watched("KEYS_ONLY");
    let parents = shards(&client, &arn);
    clock.advance_ms(4 * 60 * 60 * 1000);
    // The background looks every second.
    let mut all = parents.clone();
    for _ in 0..100 {
        all = shards(&client, &arn);
        if all.len() == 8 {
            break;
        }
        std::thread::park_timeout(std::time::Duration::from_millis(100));
    }
    assert_eq!(all.len(), 8);
    for parent in &parents {
        let filter = json!({"Type": "CHILD_SHARDS", "ShardId": parent["ShardId"]});
        let found = client.call("DescribeStream", json!({"StreamArn": arn, "ShardFilter": filter}));
        let found = found["StreamDescription"]["Shards"].as_array().unwrap().clone();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0]["ParentShardId"], parent["ShardId"]);
        let closed = all.iter().find(|shard| shard["ShardId"] == parent["ShardId"]).unwrap();
        let end = text(&closed["SequenceNumberRange"]["EndingSequenceNumber"]);
        assert!(end < text(&found[0]["SequenceNumberRange"]["StartingSequenceNumber"]));
        let done = client.call("GetRecords", json!({"ShardIterator": iterator(&client, &arn, closed)}));
        assert_eq!(done, json!({"Records": []}), "a closed shard ends");
    }
    let wrong = json!({"StreamArn": arn, "ShardFilter": {"Type": "PARENTS", "ShardId": "x"}});
    assert_eq!(
        client.invalid("DescribeStream", wrong),
        "2 validation errors detected: Value 'PARENTS' at 'shardFilter.type' failed to satisfy constraint: \
         Member must satisfy enum value set: [CHILD_SHARDS]; Value 'x' at 'shardFilter.shardId' failed to satisfy \
         constraint: Member must have length greater than or equal to 28"
    );
}

#[test]
fn a_record_has_dynamodbs_members() {
    let (client, clock, arn) = watched("NEW_AND_OLD_IMAGES");
    client.put("hash", json!({"a": {"S": "k"}, "n": {"N": "1"}}));
    clock.advance_ms(2_000);
    client.put("hash", json!({"a": {"S": "k"}, "n": {"N": "2"}}));
    client.call("DeleteItem", json!({"TableName": "hash", "Key": {"a": {"S": "k"}}}));
    let mut records = records(&client, &arn);
    let mut own = Vec::new();
    for record in &mut records {
        own.push((record["eventID"].take(), record["dynamodb"]["SequenceNumber"].take()));
    }
    for (id, number) in &own {
        assert_eq!((text(id).len(), text(number).len()), (32, 21));
    }
    assert!(own.windows(2).all(|pair| pair[0].0 != pair[1].0 && text(&pair[0].1) < text(&pair[1].1)));
    let record = |name: &str, change: Value| {
        let common = json!({
            "Keys": {"a": {"S": "k"}}, "SequenceNumber": null, "StreamViewType": "NEW_AND_OLD_IMAGES",
        });
        json!({
            "eventID": null, "eventName": name, "eventVersion": "1.1", "eventSource": "aws:dynamodb",
            "awsRegion": "us-east-1", "dynamodb": with(common, change),
        })
    };
    let version = |n: &str| json!({"a": {"S": "k"}, "n": {"N": n}});
    let (early, late) = (1_700_000_000, 1_700_000_002);
    assert_eq!(
        records,
        [
            record(
                "INSERT",
                json!({"ApproximateCreationDateTime": early, "NewImage": version("1"), "SizeBytes": 7})
            ),
            record(
                "MODIFY",
                json!({
                    "ApproximateCreationDateTime": late, "NewImage": version("2"), "OldImage": version("1"),
                    "SizeBytes": 12,
                })
            ),
            record(
                "REMOVE",
                json!({"ApproximateCreationDateTime": late, "OldImage": version("2"), "SizeBytes": 7})
            ),
        ]
    );
}

#[test]
fn an_expired_item_is_removed_by_the_service() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let options = Options { clock: clock.clone(), ..Options::default() };
    let database = Database::in_memory_with(options).unwrap();
    let client = Client::on(database.clone());
    client.call("CreateTable", with_stream("hash", "OLD_IMAGE"));
    let arn = text(&client.call("DescribeTable", json!({"TableName": "hash"}))["Table"]["LatestStreamArn"]);
    let specification = json!({"AttributeName": "until", "Enabled": true});
    client.call("UpdateTimeToLive", json!({"TableName": "hash", "TimeToLiveSpecification": specification}));
    // Until then the table is looked through for items with a time, and none of them is deleted.
    let status = || client.call("DescribeTimeToLive", json!({"TableName": "hash"}));
    wait_until(|| status()["TimeToLiveDescription"]["TimeToLiveStatus"] == "ENABLED");
    client.put("hash", json!({"a": {"S": "k"}, "until": {"N": "1700000010"}}));
    clock.advance_ms(20_000);
    database.expire_due().unwrap();
    let records = records(&client, &arn);
    assert_eq!(records.len(), 2);
    assert_eq!(records[0].get("userIdentity"), None);
    assert_eq!(records[1]["eventName"], "REMOVE");
    assert_eq!(
        records[1]["userIdentity"],
        json!({"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"})
    );
}

#[test]
fn errors_of_streams_have_their_names() {
    let (client, clock, arn) = watched("KEYS_ONLY");
    let shard = shards(&client, &arn)[0].clone();
    let (other, id) = (arn.replace("hash", "nobody"), &shard["ShardId"]);
    let error = |operation: &str, body: Value| {
        let error = client.error(operation, body);
        let name = text(&error["__type"]).replace("com.amazonaws.dynamodb.v20120810#", "");
        (name, text(&error["message"]))
    };
    let told = |name: &str, message: String| (name.to_owned(), message);
    assert_eq!(
        error("DescribeStream", json!({"StreamArn": other})),
        told("ResourceNotFoundException", format!("Requested resource not found: Stream: {other} not found"))
    );
    let unknown = "shardId-00000001700000000123-00000000";
    assert_eq!(
        error(
            "GetShardIterator",
            json!({"StreamArn": arn, "ShardId": unknown, "ShardIteratorType": "LATEST"})
        ),
        told("ResourceNotFoundException", "Requested resource not found: Shard does not exist".to_owned())
    );
    client.put("hash", json!({"a": {"S": "k"}}));
    let old = iterator(&client, &arn, &shard);
    let number = records(&client, &arn)[0]["dynamodb"]["SequenceNumber"].clone();
    clock.advance_ms(15 * 60 * 1000 + 1);
    assert_eq!(
        error("GetRecords", json!({"ShardIterator": old})),
        told("ExpiredIteratorException", "The provided iterator exceeds the maximum age allowed.".to_owned())
    );
    clock.advance_ms(24 * 60 * 60 * 1000);
    let at = json!({
        "StreamArn": arn, "ShardId": id, "ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": number,
    });
    assert_eq!(
        error("GetShardIterator", at),
        told("TrimmedDataAccessException", "The data you are trying to access has been trimmed".to_owned())
    );
}

#[test]
fn wrong_requests_are_told_what_is_wrong() {
    let (client, _, arn) = watched("KEYS_ONLY");
    let id = text(&shards(&client, &arn)[0]["ShardId"]);
    let number = "1".repeat(21);
    let start = |kind: &str, number: Option<&str>| {
        let request = json!({"StreamArn": arn, "ShardId": id, "ShardIteratorType": kind});
        number.map_or(request.clone(), |number| with(request, json!({"SequenceNumber": number})))
    };
    let null = |member: &str| {
        format!("Value null at '{member}' failed to satisfy constraint: Member must not be null")
    };
    let cases: Vec<(&str, Value, String)> = vec![
        ("DescribeStream", json!({}), format!("1 validation error detected: {}", null("streamArn"))),
        ("DescribeStream", json!({"StreamArn": "x".repeat(50)}), "Invalid StreamArn".to_owned()),
        (
            "DescribeStream",
            json!({"StreamArn": arn, "Limit": 101}),
            "1 validation error detected: Value '101' at 'limit' failed to satisfy constraint: Member must have \
             value less than or equal to 100"
                .to_owned(),
        ),
        ("GetRecords", json!({}), format!("1 validation error detected: {}", null("shardIterator"))),
        ("GetRecords", json!({"ShardIterator": "nonsense"}), "Invalid ShardIterator".to_owned()),
        (
            "GetRecords",
            json!({"ShardIterator": "x", "Limit": 1001}),
            "1 validation error detected: Value '1001' at 'limit' failed to satisfy constraint: Member must have \
             value less than or equal to 1000"
                .to_owned(),
        ),
        (
            "ListStreams",
            json!({"Limit": 0}),
            "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have \
             value greater than or equal to 1"
                .to_owned(),
        ),
        ("ListStreams", json!({"ExclusiveStartStreamArn": "x".repeat(40)}), "Invalid StreamArn".to_owned()),
        (
            "GetShardIterator",
            json!({}),
            format!(
                "3 validation errors detected: {}; {}; {}",
                null("streamArn"),
                null("shardId"),
                null("shardIteratorType")
            ),
        ),
        (
            "GetShardIterator",
            start("BEGINNING", None),
            "1 validation error detected: Value 'BEGINNING' at 'shardIteratorType' failed to satisfy constraint: \
             Member must satisfy enum value set: [AFTER_SEQUENCE_NUMBER, LATEST, AT_SEQUENCE_NUMBER, TRIM_HORIZON]"
                .to_owned(),
        ),
        (
            "GetShardIterator",
            start("AT_SEQUENCE_NUMBER", Some("5")),
            "1 validation error detected: Value '5' at 'sequenceNumber' failed to satisfy constraint: Member must \
             have length greater than or equal to 21"
                .to_owned(),
        ),
        (
            "GetShardIterator",
            start("AT_SEQUENCE_NUMBER", None),
            "One or more parameter values were invalid: SequenceNumber is required for ShardIteratorType \
             AT_SEQUENCE_NUMBER"
                .to_owned(),
        ),
        (
            "GetShardIterator",
            start("LATEST", Some(&number)),
            "One or more parameter values were invalid: SequenceNumber must not be specified for ShardIteratorType \
             LATEST"
                .to_owned(),
        ),
        (
            "GetShardIterator",
            start("AT_SEQUENCE_NUMBER", Some(&"x".repeat(21))),
            format!("Invalid SequenceNumber: {}", "x".repeat(21)),
        ),
    ];
    for (operation, request, message) in cases {
        assert_eq!(client.invalid(operation, request.clone()), message, "{operation} {request}");
    }
    assert_eq!(
        client.misshapen("GetRecords", json!({"ShardIterator": 5})),
        "NUMBER_VALUE cannot be converted to String"
    );
}
