//! Values between JSON and attributes: checked against their field on the way in, clean JSON on the way out.

use singlet_engine::values::{AttributeValue, ValueRef};

use crate::json::Json;
use crate::model::FieldType;

/// Why a value does not fit its field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", place(path))]
pub struct ValueError {
    /// Where in the value: empty, `.city`, `[2].name`…
    pub path: String,
    /// What was expected and what came.
    pub reason: String,
}

fn place(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}

/// The attribute that a JSON value makes for a field. Times are normalised, choices and bounds checked, fields of
/// nested objects too (their defaults and ids are made by the caller before).
pub fn to_attribute(kind: &FieldType, json: &Json) -> Result<AttributeValue, ValueError> {
    let _ = (kind, json);
    todo!()
}

/// The JSON of an attribute. With a field type, binaries and sets are written as it says; without, as they are.
pub fn to_json(value: ValueRef<'_>) -> Json {
    let _ = value;
    todo!()
}
