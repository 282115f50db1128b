//! Conversions between JSON and attributes.

use std::collections::BTreeSet;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use singlet_values::{AttributeValue, Attributes, Number, SetRef, ValueRef};

use super::{ValueError, in_words, normal_time};
use crate::field::{Field, FieldType};
use crate::instant::{self, InstantError};
use crate::json::Json;
use crate::names::nearest;

/// The nesting at which [`to_json`] stops; items have at most 32 levels.
const DEPTH_MAX: usize = 64;

/// The maximum number of characters of a wrong value that an error shows.
const SHOWN_CHARACTERS_MAX: usize = 40;

/// Validates a JSON value against the type of a field and returns the attribute. Times are normalized, and nested objects
/// get the defaults of their fields; [`super::fill`] generates ids before. An empty list for a set gives an empty set,
/// which no item can hold: see [`is_empty_set`].
pub fn to_attribute(kind: &FieldType, json: &Json) -> Result<AttributeValue, ValueError> {
    read(kind, json, 0)
}

/// Returns whether this is an empty set, which means a missing attribute.
pub fn is_empty_set(value: &AttributeValue) -> bool {
    match value {
        AttributeValue::Ss(set) => set.is_empty(),
        AttributeValue::Ns(set) => set.is_empty(),
        AttributeValue::Bs(set) => set.is_empty(),
        _ => false,
    }
}

fn read(kind: &FieldType, json: &Json, depth: usize) -> Result<AttributeValue, ValueError> {
    match kind {
        FieldType::Text { min, max } => {
            let text = text(kind, json)?;
            check_length(kind, text, *min, *max)?;
            Ok(AttributeValue::from(text))
        }
        FieldType::Choice(choices) => choice(kind, choices, json),
        FieldType::Int { min, max } => {
            let number = whole(kind, json)?;
            check_bounds(kind, json, (&number, min.as_ref(), max.as_ref()))
        }
        FieldType::Number { min, max } => {
            let number = *json.as_number().ok_or_else(|| unexpected(kind, json))?;
            check_bounds(kind, json, (&number, min.as_ref(), max.as_ref()))
        }
        FieldType::Bool => json.as_bool().map(AttributeValue::Bool).ok_or_else(|| unexpected(kind, json)),
        FieldType::Binary { max } => binary(kind, *max, json),
        FieldType::Date => date(kind, json),
        FieldType::Time => time(kind, json),
        FieldType::Epoch => epoch(kind, json),
        FieldType::Id => match text(kind, json)? {
            "" => Err(ValueError::new("can't be empty")),
            id => Ok(AttributeValue::from(id)),
        },
        FieldType::List { of, key, .. } => {
            let elements = elements(kind, json)?;
            list(of, key.as_deref(), elements, deeper(depth)?)
        }
        FieldType::Set { of, .. } => set(of, elements(kind, json)?, depth),
        FieldType::Map { of, max } => {
            let members = json.as_object().ok_or_else(|| unexpected(kind, json))?;
            check_count(kind, members.len(), *max)?;
            map(of, members, deeper(depth)?)
        }
        FieldType::Object(fields) => object(kind, fields, json, deeper(depth)?),
        FieldType::Any { max_bytes } => {
            let value = any(json, depth)?;
            match max_bytes {
                Some(max) if value.size_bytes() > *max as usize => {
                    Err(measured(kind, format_args!("{} bytes", value.size_bytes())))
                }
                _ => Ok(value),
            }
        }
    }
}

/// Makes the error for a value of another type or outside the bounds.
fn unexpected(kind: &FieldType, json: &Json) -> ValueError {
    ValueError::new(format!("must be {}, not {}", in_words(kind), shown(json)))
}

/// Makes the error for a value of the wrong size.
fn measured(kind: &FieldType, size: fmt::Arguments<'_>) -> ValueError {
    ValueError::new(format!("must be {}; it has {size}", in_words(kind)))
}

/// Shows a value in an error as the caller wrote it, if it is short. A string that looks like a number or boolean keeps
/// its quotes, because the quotes are the mistake.
fn shown(json: &Json) -> String {
    match json {
        Json::List(_) | Json::Object(_) => json.kind().to_owned(),
        Json::Text(text) if text.is_empty() => "an empty string".to_owned(),
        Json::Text(text) if text.chars().count() > SHOWN_CHARACTERS_MAX => {
            format!("`{}…`", text.chars().take(SHOWN_CHARACTERS_MAX).collect::<String>())
        }
        Json::Text(text) => match text.parse::<Json>() {
            Ok(Json::Number(_) | Json::Bool(_)) => format!("the string `{json}`"),
            _ => format!("`{text}`"),
        },
        Json::Null | Json::Bool(_) | Json::Number(_) => format!("`{json}`"),
    }
}

fn text<'a>(kind: &FieldType, json: &'a Json) -> Result<&'a str, ValueError> {
    json.as_text().ok_or_else(|| unexpected(kind, json))
}

/// Returns the next level of nesting, within DynamoDB's limit.
fn deeper(depth: usize) -> Result<usize, ValueError> {
    if depth >= AttributeValue::DEPTH_MAX {
        return Err(ValueError::new("can't have more than 32 levels of nesting"));
    }
    Ok(depth + 1)
}

fn check_length(kind: &FieldType, text: &str, min: Option<u32>, max: Option<u32>) -> Result<(), ValueError> {
    if min.is_none() && max.is_none() {
        return Ok(());
    }
    let length = text.chars().count();
    if min.is_some_and(|min| length < min as usize) || max.is_some_and(|max| length > max as usize) {
        return Err(measured(kind, format_args!("{length}")));
    }
    Ok(())
}

fn check_bounds(
    kind: &FieldType,
    json: &Json,
    (number, min, max): (&Number, Option<&Number>, Option<&Number>),
) -> Result<AttributeValue, ValueError> {
    if min.is_some_and(|min| number < min) || max.is_some_and(|max| number > max) {
        return Err(unexpected(kind, json));
    }
    Ok(AttributeValue::N(*number))
}

fn check_count(kind: &FieldType, count: usize, max: Option<u32>) -> Result<(), ValueError> {
    match max {
        Some(max) if count > max as usize => Err(measured(kind, format_args!("{count}"))),
        _ => Ok(()),
    }
}

fn choice(kind: &FieldType, choices: &[String], json: &Json) -> Result<AttributeValue, ValueError> {
    let text = text(kind, json)?;
    if choices.iter().any(|choice| choice == text) {
        return Ok(AttributeValue::from(text));
    }
    let mut error = unexpected(kind, json);
    if let Some(choice) = nearest(text, choices.iter().map(String::as_str)) {
        error.reason.push_str(&format!("; did you mean `{choice}`?"));
    }
    Err(error)
}

fn whole(kind: &FieldType, json: &Json) -> Result<Number, ValueError> {
    let number = *json.as_number().ok_or_else(|| unexpected(kind, json))?;
    if number.to_i64().is_none() && number.to_string().contains('.') {
        return Err(unexpected(kind, json));
    }
    Ok(number)
}

fn binary(kind: &FieldType, max: Option<u32>, json: &Json) -> Result<AttributeValue, ValueError> {
    let bytes = STANDARD.decode(text(kind, json)?).map_err(|_| unexpected(kind, json))?;
    match max {
        Some(max) if bytes.len() > max as usize => Err(measured(kind, format_args!("{}", bytes.len()))),
        _ => Ok(AttributeValue::B(bytes)),
    }
}

fn date(kind: &FieldType, json: &Json) -> Result<AttributeValue, ValueError> {
    let text = text(kind, json)?;
    let digits = |part: Option<&str>| part.is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let written_out = text.len() == 10 && digits(text.get(..4)) && text.get(4..5) == Some("-");
    if written_out && instant::parse_date(text).is_some() {
        return Ok(AttributeValue::from(text));
    }
    Err(unexpected(kind, json))
}

fn time(kind: &FieldType, json: &Json) -> Result<AttributeValue, ValueError> {
    normal_time(text(kind, json)?).map(AttributeValue::S).map_err(|error| match error {
        InstantError::NotATime => unexpected(kind, json),
        InstantError::OutOfRange => ValueError::new(format!(
            "must be a time from `0001-01-01T00:00:00Z` to `9999-12-31T23:59:59.999Z`, not {}",
            shown(json)
        )),
        InstantError::LeapSecond => ValueError::new(format!(
            "can't be a leap second, as {} is; use second 59 or the next minute",
            shown(json)
        )),
    })
}

fn epoch(kind: &FieldType, json: &Json) -> Result<AttributeValue, ValueError> {
    let number = whole(kind, json)?;
    match number.to_i64().and_then(instant::of_second) {
        Some(_) => Ok(AttributeValue::N(number)),
        None => Err(ValueError::new(format!(
            "must be {}, in the years 1 to 9999, not {}",
            in_words(kind),
            shown(json)
        ))),
    }
}

/// Returns the elements of a list or set, after checking their number.
fn elements<'a>(kind: &FieldType, json: &'a Json) -> Result<&'a [Json], ValueError> {
    let elements = json.as_list().ok_or_else(|| unexpected(kind, json))?;
    let (FieldType::List { max, .. } | FieldType::Set { max, .. }) = kind else { return Ok(elements) };
    check_count(kind, elements.len(), *max)?;
    Ok(elements)
}

fn list(
    of: &FieldType,
    key: Option<&str>,
    elements: &[Json],
    depth: usize,
) -> Result<AttributeValue, ValueError> {
    let mut values = Vec::with_capacity(elements.len());
    let mut known = BTreeSet::new();
    for (position, element) in elements.iter().enumerate() {
        let place = || format!("[{position}]");
        let value = read(of, element, depth).map_err(|error| error.at(&place()))?;
        if is_empty_set(&value) {
            return Err(ValueError::new("can't be an empty set inside a list").at(&place()));
        }
        if let Some(key) = key {
            let text = element.get(key).map(Json::to_string).unwrap_or_default();
            if !known.insert(text) {
                return Err(
                    ValueError::new(format!("has the same `{key}` as an earlier element")).at(&place())
                );
            }
        }
        values.push(value);
    }
    Ok(AttributeValue::L(values))
}

fn set(of: &FieldType, elements: &[Json], depth: usize) -> Result<AttributeValue, ValueError> {
    let (mut texts, mut numbers, mut binaries) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (position, element) in elements.iter().enumerate() {
        let place = || format!("[{position}]");
        let new = match read(of, element, depth).map_err(|error| error.at(&place()))? {
            AttributeValue::S(text) => texts.insert(text),
            AttributeValue::N(number) => numbers.insert(number),
            AttributeValue::B(bytes) => binaries.insert(bytes),
            _ => {
                return Err(
                    ValueError::new("must be a string, a number or bytes to be in a set").at(&place())
                );
            }
        };
        if !new {
            return Err(ValueError::new("appears twice in the set").at(&place()));
        }
    }
    Ok(match of {
        FieldType::Int { .. } | FieldType::Number { .. } | FieldType::Epoch => AttributeValue::Ns(numbers),
        FieldType::Binary { .. } => AttributeValue::Bs(binaries),
        _ => AttributeValue::Ss(texts),
    })
}

fn map(of: &FieldType, members: &[(String, Json)], depth: usize) -> Result<AttributeValue, ValueError> {
    let mut values = Vec::with_capacity(members.len());
    for (name, member) in members {
        if name.is_empty() {
            return Err(ValueError::new("can't have an empty name"));
        }
        let value = read(of, member, depth).map_err(|error| error.at(&format!(".{name}")))?;
        if !is_empty_set(&value) {
            values.push((name.clone(), value));
        }
    }
    Ok(AttributeValue::M(values.into_iter().collect()))
}

fn object(
    kind: &FieldType,
    fields: &[Field],
    json: &Json,
    depth: usize,
) -> Result<AttributeValue, ValueError> {
    let members = json.as_object().ok_or_else(|| unexpected(kind, json))?;
    let unknown = members.iter().find(|(name, _)| !fields.iter().any(|field| field.name == *name));
    if let Some((name, _)) = unknown {
        let help = match nearest(name, fields.iter().map(|field| field.name.as_str())) {
            Some(field) => format!("; did you mean `{field}`?"),
            None => String::new(),
        };
        return Err(ValueError::new(format!("isn't a field of the object{help}")).at(&format!(".{name}")));
    }
    let mut values = Attributes::with_capacity(fields.len());
    for field in fields {
        let given = json.get(&field.name).filter(|value| !value.is_null()).or(field.default.as_ref());
        let place = || format!(".{}", field.name);
        let Some(given) = given else {
            if field.optional {
                continue;
            }
            return Err(ValueError::new("is missing").at(&place()));
        };
        let value = read(&field.kind, given, depth).map_err(|error| error.at(&place()))?;
        if !is_empty_set(&value) {
            values.insert(field.name.clone(), value);
        }
    }
    Ok(AttributeValue::M(values))
}

fn any(json: &Json, depth: usize) -> Result<AttributeValue, ValueError> {
    Ok(match json {
        Json::Null => AttributeValue::Null,
        Json::Bool(truth) => AttributeValue::Bool(*truth),
        Json::Number(number) => AttributeValue::N(*number),
        Json::Text(text) => AttributeValue::S(text.clone()),
        Json::List(elements) => {
            let depth = deeper(depth)?;
            let element = |(position, element)| {
                any(element, depth).map_err(|error: ValueError| error.at(&format!("[{position}]")))
            };
            AttributeValue::L(elements.iter().enumerate().map(element).collect::<Result<_, _>>()?)
        }
        Json::Object(members) => {
            let depth = deeper(depth)?;
            let member = |(name, member): &(String, Json)| {
                any(member, depth)
                    .map(|value| (name.clone(), value))
                    .map_err(|error| error.at(&format!(".{name}")))
            };
            AttributeValue::M(
                members.iter().map(member).collect::<Result<Vec<_>, _>>()?.into_iter().collect(),
            )
        }
    })
}

/// Returns an attribute as JSON: numbers exactly, binary in base64, sets as sorted lists.
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

/// Returns a set as a list; elements are stored in ascending order.
fn write_set(set: SetRef<'_>) -> Json {
    Json::List(set.iter().map(|element| write(element, 0)).collect())
}
