//! Attributes into JSON.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use singlet_values::{SetRef, ValueRef};

use crate::json::Json;

/// Levels that are looked at; items have at most 32.
const DEPTH_MAX: usize = 64;

/// The JSON of an attribute: numbers exact, binaries in base64, sets as sorted lists.
pub fn to_json(value: ValueRef<'_>) -> Json {
    write(value, DEPTH_MAX)
}

fn write(value: ValueRef<'_>, depth: usize) -> Json {
    match value {
        ValueRef::S(text) => Json::Text(text.to_owned()),
        ValueRef::N(number) => Json::Number(number.to_number()),
        ValueRef::B(bytes) => Json::Text(STANDARD.encode(bytes)),
        ValueRef::Bool(truth) => Json::Bool(truth),
        ValueRef::Null => Json::Null,
        ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set) => write_set(set),
        ValueRef::M(_) | ValueRef::L(_) if depth == 0 => Json::Null,
        ValueRef::M(map) => {
            Json::Object(map.iter().map(|(name, value)| (name.to_owned(), write(value, depth - 1))).collect())
        }
        ValueRef::L(list) => Json::List(list.iter().map(|value| write(value, depth - 1)).collect()),
    }
}

/// Elements are stored in ascending order.
fn write_set(set: SetRef<'_>) -> Json {
    Json::List(set.iter().map(|element| write(element, 0)).collect())
}
