//! `UpdateTimeToLive` and `DescribeTimeToLive`: requests, their answers and their refusals.

use crate::support::{Client, text, wait_until};
use serde_json::{Value, json};

fn specification(enabled: bool, attribute: &str) -> Value {
    json!({
        "TableName": "hash",
        "TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": attribute},
    })
}

fn describe(client: &Client) -> Value {
    client.call("DescribeTimeToLive", json!({"TableName": "hash"}))["TimeToLiveDescription"].clone()
}

#[test]
fn expiry_is_turned_on_and_described() {
    let client = Client::with_tables();
    assert_eq!(describe(&client), json!({"TimeToLiveStatus": "DISABLED"}));
    let asked = specification(true, "expires");
    let answer = client.call("UpdateTimeToLive", asked.clone());
    assert_eq!(answer, json!({"TimeToLiveSpecification": asked["TimeToLiveSpecification"]}));
    wait_until(|| describe(&client)["TimeToLiveStatus"] == "ENABLED");
    assert_eq!(describe(&client), json!({"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}));
    let by_arn = json!({"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/hash"});
    assert_eq!(client.call("DescribeTimeToLive", by_arn)["TimeToLiveDescription"], describe(&client));
}

#[test]
fn items_expire() {
    let client = Client::with_tables();
    client.put("hash", json!({"a": {"S": "old"}, "expires": {"N": "1"}}));
    client.put("hash", json!({"a": {"S": "text"}, "expires": {"S": "1"}}));
    client.call("UpdateTimeToLive", specification(true, "expires"));
    // A few seconds ago by any clock that this test may run by, and less than five years.
    let second = std::process::Command::new("date").arg("+%s").output().expect("there is a clock");
    let second = String::from_utf8(second.stdout).expect("digits").trim().to_owned();
    client.put("hash", json!({"a": {"S": "due"}, "expires": {"N": second}}));
    wait_until(|| client.get("hash", json!({"a": {"S": "due"}})).is_null());
    assert!(!client.get("hash", json!({"a": {"S": "old"}})).is_null(), "1970 is more than five years ago");
    assert!(!client.get("hash", json!({"a": {"S": "text"}})).is_null());
}

#[test]
fn changes_that_can_not_be_made_are_refused_with_dynamodbs_texts() {
    let client = Client::with_tables();
    let refused = |enabled, attribute| client.invalid("UpdateTimeToLive", specification(enabled, attribute));
    assert_eq!(refused(false, "expires"), "TimeToLive is already disabled");
    client.call("UpdateTimeToLive", specification(true, "expires"));
    assert_eq!(refused(true, "expires"), "TimeToLive is already enabled");
    let other = "TimeToLive is active on a different AttributeName: current AttributeName is expires";
    assert_eq!(refused(true, "other"), other);
    assert_eq!(refused(false, "other"), other);
    let lately = "Time to live has been modified multiple times within a fixed interval";
    assert_eq!(refused(false, "expires"), lately);
}

#[test]
fn members_are_held_against_the_model() {
    let client = Client::with_tables();
    let invalid = |body: Value| client.invalid("UpdateTimeToLive", body);
    let missing = "The parameter 'TableName' is required but was not present in the request";
    assert_eq!(invalid(json!({})), missing);
    assert_eq!(client.invalid("DescribeTimeToLive", json!({})), missing);
    let null = |path: &str| {
        format!(
            "1 validation error detected: Value null at '{path}' failed to satisfy constraint: \
             Member must not be null"
        )
    };
    assert_eq!(invalid(json!({"TableName": "hash"})), null("timeToLiveSpecification"));
    let with = |specification: Value| json!({"TableName": "hash", "TimeToLiveSpecification": specification});
    assert_eq!(invalid(with(json!({"Enabled": true}))), null("timeToLiveSpecification.attributeName"));
    assert_eq!(invalid(with(json!({"AttributeName": "x"}))), null("timeToLiveSpecification.enabled"));
    assert_eq!(
        invalid(with(json!({"Enabled": true, "AttributeName": ""}))),
        "1 validation error detected: Value '' at 'timeToLiveSpecification.attributeName' failed to satisfy \
         constraint: Member must have length greater than or equal to 1"
    );
    let long = "x".repeat(256);
    assert_eq!(
        invalid(with(json!({"Enabled": true, "AttributeName": long}))),
        format!(
            "1 validation error detected: Value '{long}' at 'timeToLiveSpecification.attributeName' failed to \
             satisfy constraint: Member must have length less than or equal to 255"
        )
    );
    client.call("UpdateTimeToLive", specification(true, &"x".repeat(255)));
    assert_eq!(
        client.misshapen("UpdateTimeToLive", with(json!([]))),
        "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.TimeToLiveSpecification"
    );
    assert_eq!(
        client.misshapen("UpdateTimeToLive", with(json!({"Enabled": 1}))),
        "NUMBER_VALUE cannot be converted to Boolean"
    );
}

#[test]
fn a_table_that_is_not_there_is_not_found() {
    let client = Client::new();
    for (operation, body) in [
        ("UpdateTimeToLive", specification(true, "expires")),
        ("DescribeTimeToLive", json!({"TableName": "hash"})),
    ] {
        let error = client.error(operation, body);
        assert_eq!(error["__type"], "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException");
        assert_eq!(text(&error["message"]), "Requested resource not found: Table: hash not found");
    }
}
