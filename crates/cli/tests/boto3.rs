//! The AWS SDK for Python against a server with access keys. Passed over where boto3 is not installed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::process::Command;

use support::Serving;

const KEYS: &str = "[key.AKIDWRITER]\nsecret = \"writer/secret+\"\n\n\
    [key.AKIDREADER]\nsecret = \"reader/secret+\"\nread_only = true\n\n\
    [key.ASIASESSION]\nsecret = \"session/secret+\"\nsession_token = \"token/+==\"\n";

const SCRIPT: &str = r#"
import sys, boto3
from botocore.exceptions import ClientError

def client(key, secret, token=None, region="us-east-1"):
    return boto3.client("dynamodb", endpoint_url="http://" + sys.argv[1], region_name=region,
                        aws_access_key_id=key, aws_secret_access_key=secret, aws_session_token=token)

def refused(call, code):
    try:
        call()
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
        return
    raise AssertionError("not refused: " + code)

writer = client("AKIDWRITER", "writer/secret+")
reader = client("AKIDREADER", "reader/secret+")
session = client("ASIASESSION", "session/secret+", "token/+==")

writer.create_table(TableName="Music", BillingMode="PAY_PER_REQUEST",
                    AttributeDefinitions=[{"AttributeName": "Artist", "AttributeType": "S"}],
                    KeySchema=[{"AttributeName": "Artist", "KeyType": "HASH"}])
item = {"Artist": {"S": "Björk"}, "Albums": {"N": "10"}, "Note": {"S": "x" * 300000}}
session.put_item(TableName="Music", Item=item)
key = {"Artist": {"S": "Björk"}}
assert reader.get_item(TableName="Music", Key=key)["Item"] == item

refused(lambda: reader.delete_item(TableName="Music", Key=key), "AccessDeniedException")
refused(lambda: client("AKIDWRITER", "wrong").list_tables(), "InvalidSignatureException")
refused(lambda: client("AKIDNOBODY", "x").list_tables(), "UnrecognizedClientException")
refused(lambda: client("ASIASESSION", "session/secret+", "old").list_tables(), "UnrecognizedClientException")
refused(lambda: client("AKIDWRITER", "writer/secret+", region="eu-west-1").list_tables(), "InvalidSignatureException")
"#;

#[test]
fn boto3_is_let_in_by_its_signature() {
    let present = Command::new("python3").args(["-c", "import boto3"]).output();
    if !present.is_ok_and(|output| output.status.success()) {
        eprintln!("passed over: python3 with boto3 is not here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys.toml");
    std::fs::write(&keys, KEYS).unwrap();
    let server = Serving::start(&["--in-memory", "--credentials", keys.to_str().unwrap()]);
    let output = Command::new("python3").args(["-c", SCRIPT, &server.address]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
