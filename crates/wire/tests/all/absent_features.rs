//! Operations on features that the server doesn't have, as tools call them.

use serde_json::{Value, json};

use crate::support::Client;

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/range";

fn kind_and_text(error: &Value) -> (&str, &str) {
    let kind = error["__type"].as_str().unwrap_or_default();
    (kind.rsplit('#').next().unwrap_or_default(), error["message"].as_str().unwrap_or_default())
}

#[test]
fn a_table_without_such_features_is_described_as_one() {
    let client = Client::with_tables();
    let range = json!({"TableName": "range"});
    for (operation, request, answer) in [
        (
            "DescribeKinesisStreamingDestination",
            range.clone(),
            json!({"TableName": "range", "KinesisDataStreamDestinations": []}),
        ),
        (
            "DescribeContributorInsights",
            range.clone(),
            json!({"TableName": "range", "ContributorInsightsStatus": "DISABLED"}),
        ),
        (
            "DescribeContributorInsights",
            json!({"TableName": "range", "IndexName": "global"}),
            json!({"TableName": "range", "IndexName": "global", "ContributorInsightsStatus": "DISABLED"}),
        ),
        (
            "UpdateContributorInsights",
            json!({"TableName": "range", "ContributorInsightsAction": "DISABLE"}),
            json!({"TableName": "range", "ContributorInsightsStatus": "DISABLED"}),
        ),
        ("ListContributorInsights", range, json!({"ContributorInsightsSummaries": []})),
        ("ListContributorInsights", json!({"MaxResults": 10}), json!({"ContributorInsightsSummaries": []})),
        ("ListGlobalTables", json!({}), json!({"GlobalTables": []})),
        ("DeleteResourcePolicy", json!({"ResourceArn": ARN}), json!({})),
    ] {
        assert_eq!(client.call(operation, request), answer, "{operation}");
    }
}

#[test]
fn what_does_not_exist_is_reported_with_dynamodbs_error() {
    let client = Client::with_tables();
    let missing = "Requested resource not found: Table: nowhere not found";
    let nowhere = "arn:aws:dynamodb:us-east-1:000000000000:table/nowhere";
    let stream = format!("{ARN}/stream/2026-11-19T00:00:00.000");
    let policy = |arn: &str| format!("Resource-based policy not found for the provided ResourceArn: {arn}");
    let global = "Global table with name: 'range' does not exist.";
    for (operation, request, kind, text) in [
        (
            "DescribeGlobalTable",
            json!({"GlobalTableName": "range"}),
            "GlobalTableNotFoundException",
            format!("Global table not found: {global}"),
        ),
        (
            "DescribeGlobalTableSettings",
            json!({"GlobalTableName": "range"}),
            "GlobalTableNotFoundException",
            global.to_owned(),
        ),
        (
            "DescribeTableReplicaAutoScaling",
            json!({"TableName": "range"}),
            "ResourceNotFoundException",
            global.to_owned(),
        ),
        ("GetResourcePolicy", json!({"ResourceArn": ARN}), "PolicyNotFoundException", policy(ARN)),
        ("GetResourcePolicy", json!({"ResourceArn": stream}), "PolicyNotFoundException", policy(&stream)),
        (
            "DeleteResourcePolicy",
            json!({"ResourceArn": ARN, "ExpectedRevisionId": "1"}),
            "PolicyNotFoundException",
            policy(ARN),
        ),
        (
            "GetResourcePolicy",
            json!({"ResourceArn": nowhere}),
            "ResourceNotFoundException",
            missing.to_owned(),
        ),
        (
            "DescribeKinesisStreamingDestination",
            json!({"TableName": "nowhere"}),
            "ResourceNotFoundException",
            missing.to_owned(),
        ),
        (
            "DescribeContributorInsights",
            json!({"TableName": "range", "IndexName": "nothing"}),
            "ResourceNotFoundException",
            "Requested resource not found: Index: nothing not found for table: range".to_owned(),
        ),
    ] {
        let error = client.error(operation, request);
        assert_eq!(kind_and_text(&error), (kind, text.as_str()), "{operation}");
    }
}

#[test]
fn changes_that_would_have_no_effect_are_refused() {
    let client = Client::with_tables();
    let kinesis =
        json!({"TableName": "range", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/s"});
    let unsupported = "is not supported by this server";
    for (operation, request, part) in [
        ("PutResourcePolicy", json!({"ResourceArn": ARN, "Policy": "{}"}), unsupported),
        ("EnableKinesisStreamingDestination", kinesis.clone(), unsupported),
        (
            "DisableKinesisStreamingDestination",
            kinesis.clone(),
            "must be ACTIVE to perform DISABLE operation.",
        ),
        ("UpdateKinesisStreamingDestination", kinesis, "Updates are only allowed in ACTIVE state."),
        (
            "UpdateContributorInsights",
            json!({"TableName": "range", "ContributorInsightsAction": "ENABLE"}),
            unsupported,
        ),
        (
            "CreateGlobalTable",
            json!({"GlobalTableName": "range", "ReplicationGroup": []}),
            "version 2017.11.29 is not supported",
        ),
    ] {
        let text = client.invalid(operation, request);
        assert!(text.contains(part), "{operation}: {text}");
    }
}

#[test]
fn their_members_are_checked() {
    let client = Client::with_tables();
    let null = |path: &str| {
        format!(
            "1 validation error detected: Value null at '{path}' failed to satisfy constraint: Member must not be null"
        )
    };
    let index = format!("{ARN}/index/global");
    for (operation, request, text) in [
        ("DescribeGlobalTable", json!({}), null("globalTableName")),
        ("GetResourcePolicy", json!({}), null("resourceArn")),
        ("PutResourcePolicy", json!({"ResourceArn": ARN}), null("policy")),
        ("EnableKinesisStreamingDestination", json!({"TableName": "range"}), null("streamArn")),
        ("UpdateContributorInsights", json!({"TableName": "range"}), null("contributorInsightsAction")),
        (
            "GetResourcePolicy",
            json!({"ResourceArn": index}),
            format!(
                "One or more parameter values were invalid: Invalid resource arn provided, only table or stream is \
                 accepted. Provided resource arn: {index}"
            ),
        ),
        (
            "GetResourcePolicy",
            json!({"ResourceArn": "range"}),
            "One or more parameter values were invalid: ARNs must start with 'arn:': range".to_owned(),
        ),
        (
            "ListContributorInsights",
            json!({"MaxResults": 101}),
            "1 validation error detected: Value '101' at 'maxResults' failed to satisfy constraint: Member must have \
             value less than or equal to 100"
                .to_owned(),
        ),
    ] {
        assert_eq!(client.invalid(operation, request), text, "{operation}");
    }
}
