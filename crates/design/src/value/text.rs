//! Values as people write them on a command line.

use super::ValueError;
use crate::json::Json;
use crate::model::{FieldType, ParameterType};

/// The JSON value that a text stands for: texts, choices, ids, dates, times and base64 are taken as they are, without quotes;
/// lists and sets of them may be written with commas between their elements (`a,b,c`), or as JSON (`["a", "b, c"]`);
/// everything else is JSON. Bounds are checked later, by [`super::to_attribute`].
pub fn from_text(kind: &ParameterType, text: &str) -> Result<Json, ValueError> {
    match kind {
        ParameterType::Field(kind) => field(kind, text),
        ParameterType::Prefix => Ok(Json::from(text)),
        ParameterType::ListOf(of) => elements(text, |element| from_text(of, element)),
        ParameterType::Keys(_) => json(text),
    }
}

fn field(kind: &FieldType, text: &str) -> Result<Json, ValueError> {
    match kind {
        FieldType::Text { .. }
        | FieldType::Choice(_)
        | FieldType::Id
        | FieldType::Date
        | FieldType::Time
        | FieldType::Binary { .. } => Ok(Json::from(text)),
        FieldType::List { of, .. } | FieldType::Set { of, .. } if !is_nested(of) => {
            elements(text, |element| field(of, element))
        }
        _ => json(text),
    }
}

fn is_nested(kind: &FieldType) -> bool {
    use FieldType::{Any, List, Map, Object, Set};
    matches!(kind, List { .. } | Set { .. } | Map { .. } | Object(_) | Any { .. })
}

fn elements(text: &str, read: impl Fn(&str) -> Result<Json, ValueError>) -> Result<Json, ValueError> {
    if text.trim_start().starts_with('[') {
        return json(text);
    }
    if text.trim().is_empty() {
        return Ok(Json::List(Vec::new()));
    }
    let element = |(position, element): (usize, &str)| {
        read(element.trim()).map_err(|error| error.at(&format!("[{position}]")))
    };
    Ok(Json::List(text.split(',').enumerate().map(element).collect::<Result<_, _>>()?))
}

fn json(text: &str) -> Result<Json, ValueError> {
    text.parse().map_err(|error| ValueError::new(format!("expected JSON: {error}")))
}
