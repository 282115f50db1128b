//! Values as text on a command line.

use super::{ValueError, parameter_in_words};
use crate::field::{FieldType, ParameterType};
use crate::json::{Json, JsonError};

/// Returns the JSON value of a text. Strings, choices, ids, dates, times and base64 have no quotes. Lists and sets of them
/// have commas between their elements (`a,b,c`) or are JSON (`["a", "b, c"]`). Objects, maps and nested lists are JSON.
/// If a number is expected and the text isn't one, the result is a string, and [`super::to_attribute`] refuses it with the
/// type and its bounds.
pub fn from_text(kind: &ParameterType, text: &str) -> Result<Json, ValueError> {
    match kind {
        ParameterType::Field(kind) => field(kind, text),
        ParameterType::Prefix => Ok(Json::from(text)),
        ParameterType::ListOf(of) => elements(text, |element| from_text(of, element)),
        ParameterType::Keys(_) => json(text),
    }
    .map_err(|error| match error.path.as_str() {
        "" => ValueError::new(format!("must be {}: {}", parameter_in_words(kind), error.reason)),
        _ => error,
    })
}

/// Returns the text that [`from_text`] turns into this value.
pub fn to_text(kind: &ParameterType, json: &Json) -> String {
    match (kind, json) {
        (ParameterType::Keys(_), _) | (ParameterType::Field(FieldType::Any { .. }), _) => json.to_string(),
        (_, Json::Text(text)) => text.clone(),
        (_, Json::List(elements)) => {
            let plain = |element: &Json| match element {
                Json::Text(text) if !text.contains([',', '[']) && text.trim() == text => Some(text.clone()),
                Json::Number(number) => Some(number.to_string()),
                _ => None,
            };
            let plain: Option<Vec<String>> = elements.iter().map(plain).collect();
            plain.map_or_else(|| json.to_string(), |elements| elements.join(","))
        }
        _ => json.to_string(),
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
        FieldType::Int { .. } | FieldType::Number { .. } | FieldType::Epoch | FieldType::Bool => {
            let value = text.parse::<Json>().ok();
            let scalar = value.filter(|json| matches!(json, Json::Number(_) | Json::Bool(_) | Json::Null));
            Ok(scalar.unwrap_or_else(|| Json::from(text)))
        }
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
    text.parse()
        .map_err(|error: JsonError| ValueError::new(format!("{} at {}", error.reason, error.place(text))))
}
