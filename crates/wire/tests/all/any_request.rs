//! No request stops the service, whatever its bytes are.

use crate::support::Client;
use proptest::prelude::*;
use serde_json::{Value, json};
use singlet_wire::Operation;

/// Members and words of the protocol; the last one is empty.
const WORDS: &str = "\
    TableName|hash|range|Key|Item|a|b|S|N|B|SS|NS|BS|M|L|BOOL|NULL|Keys|RequestItems|TransactItems|Put|\
    Update|Delete|Get|ConditionCheck|PutRequest|DeleteRequest|Expected|Value|Exists|AttributeUpdates|\
    Action|KeyConditions|QueryFilter|ScanFilter|ComparisonOperator|AttributeValueList|EQ|BETWEEN|IN|\
    ExclusiveStartKey|Limit|Segment|TotalSegments|IndexName|local|global|Select|COUNT|ReturnValues|\
    ALL_NEW|UpdateExpression|SET a = :v REMOVE b[0]|ConditionExpression|a = :v AND size(#n) > :v|\
    FilterExpression|KeyConditionExpression|a = :v|ProjectionExpression|a[0].b, #n|\
    ExpressionAttributeNames|#n|ExpressionAttributeValues|:v|AttributeDefinitions|AttributeName|\
    AttributeType|KeySchema|KeyType|HASH|RANGE|BillingMode|PAY_PER_REQUEST|Projection|ProjectionType|\
    ALL|GlobalSecondaryIndexes|GlobalSecondaryIndexUpdates|Create|Tags|ResourceArn|\
    TimeToLiveSpecification|Enabled|ReturnConsumedCapacity|INDEXES|ClientRequestToken|StreamSpecification|\
    StreamEnabled|StreamViewType|NEW_IMAGE|Type|CHILD_SHARDS|ShardId|TRIM_HORIZON|LATEST|\
    AT_SEQUENCE_NUMBER|100000000000000000001|shardId-00000001700000000000-00000000|\
    arn:aws:dynamodb:us-east-1:000000000000:table/hash/stream/x|1|1e126|AA==|Statement|Parameters|\
    SELECT * FROM hash WHERE a = ?|UPDATE hash SET b = [1] WHERE a = 'k'||";

/// Members that a request may have.
const MEMBERS: &str = "\
    TableName|Key|Item|RequestItems|TransactItems|Expected|AttributeUpdates|KeyConditions|\
    UpdateExpression|ConditionExpression|FilterExpression|ProjectionExpression|KeyConditionExpression|\
    ExpressionAttributeNames|ExpressionAttributeValues|ExclusiveStartKey|Select|Limit|IndexName|\
    KeySchema|AttributeDefinitions|GlobalSecondaryIndexes|GlobalSecondaryIndexUpdates|Tags|TagKeys|\
    TimeToLiveSpecification|StreamSpecification|StreamArn|ShardId|ShardIteratorType|SequenceNumber|\
    ShardIterator|ShardFilter|ResourceArn|Policy|ExpectedRevisionId|GlobalTableName|ContributorInsightsAction|\
    ExclusiveStartShardId|ExclusiveStartStreamArn|Statement|Parameters|NextToken|\
    Statements|TransactStatements|ConsistentRead";

/// JSON that often has the members and words of the protocol.
fn any_json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(WORDS.split('|').collect::<Vec<_>>());
    let text = prop_oneof![4 => words.prop_map(str::to_owned), 1 => any::<String>()];
    let leaf = prop_oneof![
        6 => text.clone().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(6, 64, 6, move |value| {
        prop_oneof![
            1 => prop::collection::vec(value.clone(), 0..4).prop_map(Value::from),
            4 => prop::collection::btree_map(text.clone(), value, 0..6).prop_map(|map| json!(map)),
        ]
    })
}

/// A request of the right shape for an operation, with one member replaced.
fn near_request() -> impl Strategy<Value = (Operation, Value)> {
    let key = json!({"a": {"S": "k"}});
    let sample = |operation: Operation| match operation {
        Operation::PutItem => json!({"TableName": "hash", "Item": key}),
        Operation::Query => json!({
            "TableName": "range", "KeyConditionExpression": "a = :v", "ExpressionAttributeValues": {":v": {"S": "k"}},
        }),
        Operation::BatchGetItem => json!({"RequestItems": {"hash": {"Keys": [key]}}}),
        Operation::BatchWriteItem => json!({"RequestItems": {"hash": [{"PutRequest": {"Item": key}}]}}),
        Operation::TransactGetItems => json!({"TransactItems": [{"Get": {"TableName": "hash", "Key": key}}]}),
        Operation::TransactWriteItems => {
            json!({"TransactItems": [{"Put": {"TableName": "hash", "Item": key}}]})
        }
        Operation::ExecuteStatement => json!({"Statement": "SELECT * FROM hash WHERE a = 'k'"}),
        Operation::BatchExecuteStatement => {
            json!({"Statements": [{"Statement": "INSERT INTO hash VALUE {'a': 'k'}"}]})
        }
        Operation::ExecuteTransaction => {
            json!({"TransactStatements": [{"Statement": "DELETE FROM hash WHERE a = 'k'"}]})
        }
        Operation::CreateTable => crate::support::hash_table("new"),
        Operation::TagResource | Operation::UntagResource | Operation::ListTagsOfResource => {
            json!({"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/hash"})
        }
        _ => json!({"TableName": "hash", "Key": key}),
    };
    let samples: Vec<(Operation, Value)> =
        Operation::ALL.iter().map(|operation| (*operation, sample(*operation))).collect();
    let members = prop::sample::select(MEMBERS.split('|').collect::<Vec<_>>());
    (prop::sample::select(samples), members, any_json()).prop_map(|((operation, request), member, value)| {
        (operation, crate::support::with(request, json!({member: value})))
    })
}

fn check(client: &Client, operation: Operation, body: &[u8]) {
    let reply = client.raw(operation.name(), body);
    assert!(
        matches!(reply.status, 200 | 400),
        "{operation:?} {} -> {}",
        String::from_utf8_lossy(body),
        reply.status
    );
    assert_eq!(reply.error.is_some(), reply.status == 400);
    assert!(
        reply.body.is_empty() || serde_json::from_slice::<Value>(&reply.body).is_ok(),
        "{:?}",
        String::from_utf8_lossy(&reply.body)
    );
}

thread_local! {
    static CLIENT: Client = Client::with_tables();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_answered(bytes in any::<Vec<u8>>()) {
        CLIENT.with(|client| Operation::ALL.iter().for_each(|operation| check(client, *operation, &bytes)));
    }

    #[test]
    fn any_json_is_answered(body in any_json()) {
        let bytes = body.to_string().into_bytes();
        CLIENT.with(|client| Operation::ALL.iter().for_each(|operation| check(client, *operation, &bytes)));
    }

    #[test]
    fn a_request_with_any_member_is_answered((operation, body) in near_request()) {
        CLIENT.with(|client| check(client, operation, body.to_string().as_bytes()));
    }

    #[test]
    fn a_request_cut_short_is_answered((operation, body) in near_request(), part in 0.0..1.0f64) {
        let bytes = body.to_string().into_bytes();
        let end = (bytes.len() as f64 * part) as usize;
        CLIENT.with(|client| check(client, operation, &bytes[..end]));
    }
}
