//! Descriptions of types for help texts and error messages.

use std::fmt::Display;

use singlet_values::Number;

use crate::field::{FieldType, ParameterType};

/// Describes the values of a parameter as a noun phrase: `an integer between 1 and 5`.
pub fn parameter_in_words(kind: &ParameterType) -> String {
    match kind {
        ParameterType::Field(kind) => in_words(kind),
        ParameterType::Prefix => "the beginning of a string".to_owned(),
        ParameterType::ListOf(of) => format!("a list of {}", several(of)),
        ParameterType::Keys(members) => match members.as_slice() {
            [(_, kind)] => format!("a list of {}", plural(kind)),
            _ => format!("a list of keys, each a JSON object with {}", names(members.iter().map(|(n, _)| n))),
        },
    }
}

/// Describes the values of a field as a noun phrase: `a string of at most 30 characters`.
pub fn in_words(kind: &FieldType) -> String {
    match kind {
        FieldType::Text { min, max } => format!("a string{}", characters(*min, *max)),
        FieldType::Choice(choices) => format!("one of {}", names(choices)),
        FieldType::Int { min, max } => format!("an integer{}", between(min.as_ref(), max.as_ref())),
        FieldType::Number { min, max } => format!("a number{}", between(min.as_ref(), max.as_ref())),
        FieldType::Bool => "`true` or `false`".to_owned(),
        FieldType::Binary { max: Some(max) } => format!("at most {max} bytes in base64"),
        FieldType::Binary { max: None } => "bytes in base64".to_owned(),
        FieldType::Date => "a date such as `2026-11-17`".to_owned(),
        FieldType::Time => "a time such as `2026-11-17T10:00:00Z`".to_owned(),
        FieldType::Epoch => "a time in seconds since 1970, such as `1794909600`".to_owned(),
        FieldType::Id => "an id".to_owned(),
        FieldType::List { of, max, .. } => format!("a list of {}{}", at_most(*max), plural(of)),
        FieldType::Set { of, max } => format!("a list of {}distinct {}", at_most(*max), plural(of)),
        FieldType::Map { of, max } => {
            let entries = max.map(|max| format!("of at most {max} entries ")).unwrap_or_default();
            format!("a JSON object {entries}whose values are {}", plural(of))
        }
        FieldType::Object(fields) => {
            format!("a JSON object with the fields {}", names(fields.iter().map(|field| &field.name)))
        }
        FieldType::Any { max_bytes: Some(max) } => format!("any JSON value of at most {max} bytes"),
        FieldType::Any { max_bytes: None } => "any JSON value".to_owned(),
    }
}

/// Returns the short name of a type, for tables and programs.
pub fn type_name(kind: &ParameterType) -> &'static str {
    match kind {
        ParameterType::Prefix => "string",
        ParameterType::ListOf(_) | ParameterType::Keys(_) => "list",
        ParameterType::Field(kind) => match kind {
            FieldType::Text { .. } | FieldType::Choice(_) => "string",
            FieldType::Int { .. } => "integer",
            FieldType::Number { .. } => "number",
            FieldType::Bool => "boolean",
            FieldType::Binary { .. } => "base64",
            FieldType::Date => "date",
            FieldType::Time => "time",
            FieldType::Epoch => "epoch",
            FieldType::Id => "id",
            FieldType::List { .. } | FieldType::Set { .. } => "list",
            FieldType::Map { .. } | FieldType::Object(_) => "object",
            FieldType::Any { .. } => "any",
        },
    }
}

fn several(kind: &ParameterType) -> String {
    match kind {
        ParameterType::Field(kind) => plural(kind),
        ParameterType::Prefix => "prefixes of strings".to_owned(),
        ParameterType::ListOf(_) | ParameterType::Keys(_) => "lists".to_owned(),
    }
}

fn plural(kind: &FieldType) -> String {
    match kind {
        FieldType::Text { min, max } => format!("strings{}", characters(*min, *max)),
        FieldType::Choice(choices) => format!("values among {}", names(choices)),
        FieldType::Int { min, max } => format!("integers{}", between(min.as_ref(), max.as_ref())),
        FieldType::Number { min, max } => format!("numbers{}", between(min.as_ref(), max.as_ref())),
        FieldType::Bool => "`true` or `false`".to_owned(),
        FieldType::Binary { .. } => "base64 strings".to_owned(),
        FieldType::Date => "dates such as `2026-11-17`".to_owned(),
        FieldType::Time => "times such as `2026-11-17T10:00:00Z`".to_owned(),
        FieldType::Epoch => "times in seconds since 1970".to_owned(),
        FieldType::Id => "ids".to_owned(),
        FieldType::List { .. } | FieldType::Set { .. } => "lists".to_owned(),
        FieldType::Object(fields) => {
            format!("JSON objects with the fields {}", names(fields.iter().map(|field| &field.name)))
        }
        FieldType::Map { .. } => "JSON objects".to_owned(),
        FieldType::Any { .. } => "JSON values".to_owned(),
    }
}

fn characters(min: Option<u32>, max: Option<u32>) -> String {
    match (min.filter(|min| *min > 0), max) {
        (None, None) => String::new(),
        (None, Some(max)) => format!(" of at most {max} characters"),
        (Some(min), None) => format!(" of at least {min} characters"),
        (Some(min), Some(max)) => format!(" of {min} to {max} characters"),
    }
}

fn between(min: Option<&Number>, max: Option<&Number>) -> String {
    match (min, max) {
        (None, None) => String::new(),
        (None, Some(max)) => format!(" of at most {max}"),
        (Some(min), None) => format!(" of at least {min}"),
        (Some(min), Some(max)) => format!(" between {min} and {max}"),
    }
}

fn at_most(max: Option<u32>) -> String {
    max.map(|max| format!("at most {max} ")).unwrap_or_default()
}

fn names(names: impl IntoIterator<Item = impl Display>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
