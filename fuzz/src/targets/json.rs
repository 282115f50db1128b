//! JSON: a line of a data file (`{"Item": …}`), and the JSON that patterns take.
//!
//! Promises, held against another JSON library:
//! - what isn't JSON is refused;
//! - an item that is taken is written as JSON that reads as the same item, and then the same text (a fixed point);
//! - JSON of patterns that is taken means what the other library says, and is printed so that it reads the same.

use serde::de::IgnoredAny;
use serde_json::Value;
use singlet_design::Json;
use singlet_values::{AttributeValue, EncodedItem};
use singlet_wire::items::{read_item_line, write_item_line};

pub(crate) fn run(input: &[u8]) {
    check_line(input);
    if let Ok(text) = std::str::from_utf8(input) {
        check_pattern_json(text, serde_json::from_str(text).ok().as_ref());
    }
}

fn check_line(input: &[u8]) {
    let item = match read_item_line(input) {
        Ok(item) => item,
        Err(reason) => return assert!(!reason.is_empty()),
    };
    // By grammar alone: members that are skipped may have numbers of any exponent and halves of surrogate pairs.
    let text = std::str::from_utf8(input).expect("JSON is UTF-8");
    assert!(serde_json::from_str::<IgnoredAny>(text).is_ok(), "this isn't JSON");
    assert!(item.iter().all(|(_, value)| value.depth() <= AttributeValue::DEPTH_MAX));
    let stored = EncodedItem::encode(&item);
    assert_eq!(stored.decode().as_ref(), Ok(&item));
    let mut written = Vec::new();
    write_item_line(&mut written, stored.view());
    let again = read_item_line(&written)
        .unwrap_or_else(|reason| panic!("{reason}: {}", String::from_utf8_lossy(&written)));
    assert_eq!(again, item);
    let mut twice = Vec::new();
    write_item_line(&mut twice, EncodedItem::encode(&again).view());
    assert_eq!(twice, written);
    assert!(serde_json::from_slice::<Value>(&written).is_ok());
}

fn check_pattern_json(text: &str, judged: Option<&Value>) {
    let json: Json = match text.parse() {
        Ok(json) => json,
        Err(error) => {
            let error: singlet_design::JsonError = error;
            assert!(error.at <= text.len() && text.is_char_boundary(error.at), "{error:?}");
            return;
        }
    };
    if let Some(judged) = judged {
        assert!(agrees(&json, judged), "{json:?} {judged:?}");
    }
    for printed in [format!("{json}"), format!("{json:#}")] {
        assert_eq!(printed.parse::<Json>().as_ref(), Ok(&json), "{printed}");
    }
}

fn agrees(json: &Json, judged: &Value) -> bool {
    match (json, judged) {
        (Json::Null, Value::Null) => true,
        (Json::Bool(one), Value::Bool(other)) => one == other,
        (Json::Text(one), Value::String(other)) => one == other,
        // Floats of the other library have 17 digits: whole numbers that fit must be the same.
        (Json::Number(one), Value::Number(other)) => {
            other.as_i64().is_none_or(|integer| one.to_i64() == Some(integer))
        }
        (Json::List(ones), Value::Array(others)) => {
            ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| agrees(one, other))
        }
        (Json::Object(ones), Value::Object(others)) => {
            ones.len() == others.len()
                && ones.iter().all(|(name, one)| others.get(name).is_some_and(|other| agrees(one, other)))
        }
        _ => false,
    }
}
