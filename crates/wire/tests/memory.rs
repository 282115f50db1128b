//! No request takes more memory than is foretold from its bytes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use peak_alloc::PeakAlloc;
use singlet_engine::Database;
use singlet_wire::{Service, parsed_bytes_max};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const BODY_BYTES: usize = 512 << 10;

/// `part` as often as fits, each with its number in the place of `@`.
fn repeated(part: &str) -> String {
    let mut text = String::with_capacity(BODY_BYTES + part.len() + 16);
    for number in 0.. {
        text.push_str(&part.replace('@', &format!("{number:x}")));
        if text.len() >= BODY_BYTES {
            return text;
        }
        text.push(',');
    }
    text
}

/// Bodies that are as dense as possible in some way, each with its operation.
fn dense() -> Vec<(&'static str, &'static str, String)> {
    let item = |value: String| format!(r#"{{"TableName":"dense","Item":{{"id":{{"S":"x"}},"a":{value}}}}}"#);
    let list = |part| item(format!(r#"{{"L":[{}]}}"#, repeated(part)));
    let attributes =
        |parts: String| format!(r#"{{"TableName":"dense","Item":{{"id":{{"S":"x"}},{parts}}}}}"#);
    let values = |parts: String| {
        format!(r#"{{"TableName":"dense","FilterExpression":"a=b","ExpressionAttributeValues":{{{parts}}}}}"#)
    };
    let deep = format!("{}{}", r#"{"L":["#.repeat(30), "]}".repeat(30));
    vec![
        ("empty lists", "PutItem", list(r#"{"L":[]}"#)),
        ("lists of one element", "PutItem", list(&deep)),
        ("lists of two elements", "PutItem", list(r#"{"L":[{"L":[]},{"L":[]}]}"#)),
        ("maps of one name", "PutItem", list(r#"{"M":{"a":{"M":{}}}}"#)),
        ("names like datatypes", "PutItem", list(r#"{"M":{"S":{"S":""}}}"#)),
        ("numbers", "PutItem", list(r#"{"N":"1"}"#)),
        ("short strings", "PutItem", list(r#"{"S":"a"}"#)),
        ("strings with escapes", "PutItem", list(r#"{"S":"\u0061"}"#)),
        ("one string", "PutItem", item(format!(r#"{{"S":"{}"}}"#, "a".repeat(BODY_BYTES)))),
        ("one escaped string", "PutItem", item(format!(r#"{{"S":"\n{}"}}"#, "a".repeat(BODY_BYTES)))),
        ("binaries", "PutItem", list(r#"{"B":"AAAA"}"#)),
        ("a set of strings", "PutItem", item(format!(r#"{{"SS":[{}]}}"#, repeated(r#""@""#)))),
        ("a set of numbers", "PutItem", item(format!(r#"{{"NS":[{}]}}"#, repeated(r#""1""#)))),
        ("a set of many numbers", "PutItem", item(format!(r#"{{"NS":[{}]}}"#, numbers()))),
        ("many sets", "PutItem", list(r#"{"SS":["a"]}"#)),
        ("duplicates in a set", "PutItem", item(format!(r#"{{"SS":[{}]}}"#, repeated(r#""""#)))),
        ("attributes", "PutItem", attributes(repeated(r#""@":{"L":[]}"#))),
        ("the same attribute", "PutItem", attributes(repeated(r#""":{"L":[]}"#))),
        ("names after a problem", "PutItem", attributes(format!(r#""a":{{}},{}"#, repeated(r#""":1"#)))),
        (
            "datatypes after a problem",
            "PutItem",
            attributes(format!(r#""a":{{}},{}"#, repeated(r#""S":"""#))),
        ),
        ("placeholders", "Scan", values(repeated(r#"":@":{"S":""}"#))),
        ("placeholders of names", "GetItem", {
            format!(r#"{{"TableName":"dense","ExpressionAttributeNames":{{{}}}}}"#, repeated(r##""#@":"""##))
        }),
        ("requests", "BatchWriteItem", format!(r#"{{"RequestItems":{{"dense":[{}]}}}}"#, repeated("{}"))),
        ("tables", "BatchWriteItem", format!(r#"{{"RequestItems":{{{}}}}}"#, repeated(r#""@":[{}]"#))),
        ("requests for tables", "BatchWriteItem", {
            let requests = vec!["{}"; 1_000].join(",");
            format!(r#"{{"RequestItems":{{{}}}}}"#, repeated(&format!(r#""@":[{requests}]"#)))
        }),
        ("actions", "TransactWriteItems", format!(r#"{{"TransactItems":[{}]}}"#, repeated("{}"))),
        ("keys", "BatchGetItem", {
            format!(r#"{{"RequestItems":{{"dense":{{"Keys":[{}]}}}}}}"#, repeated(r#"{"a":{"S":""}}"#))
        }),
    ]
}

fn numbers() -> String {
    let numbers: Vec<String> = (0..BODY_BYTES / 9).map(|number| format!(r#""{number}""#)).collect();
    numbers.join(",")
}

#[test]
fn a_request_takes_no_more_memory_than_its_bytes_foretell() {
    let service = Service::new(Database::in_memory().unwrap());
    let table = br#"{"TableName":"dense","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}"#;
    assert_eq!(pollster::block_on(service.call("DynamoDB_20120810.CreateTable", table)).status, 200);
    let mut wrong = Vec::new();
    for (name, operation, body) in dense() {
        let target = format!("DynamoDB_20120810.{operation}");
        let before = ALLOCATOR.current_usage();
        ALLOCATOR.reset_peak_usage();
        let reply = pollster::block_on(service.call(&target, body.as_bytes()));
        let taken = ALLOCATOR.peak_usage().saturating_sub(before);
        let foretold = parsed_bytes_max(body.as_bytes());
        let shown = format!(
            "{name}: {:.1} bytes for each of the body, {:.1} foretold (status {})",
            taken as f64 / body.len() as f64,
            foretold as f64 / body.len() as f64,
            reply.status
        );
        println!("{shown}");
        if taken > foretold {
            wrong.push(shown);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
