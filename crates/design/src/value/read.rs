//! JSON into attributes.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use jiff::civil::Date;
use singlet_engine::values::{AttributeValue, Attributes, Number};

use super::{ValueError, nearest, normal_time};
use crate::json::Json;
use crate::model::{Field, FieldType};

/// The attribute that a JSON value makes for a field. Times are normalised, choices and bounds checked, fields of
/// nested objects too: their defaults are put in, ids are made before by [`super::fill`]. An empty list for a set
/// gives an empty set, which no item can hold: see [`is_empty_set`].
pub fn to_attribute(kind: &FieldType, json: &Json) -> Result<AttributeValue, ValueError> {
    read(kind, json, 0)
}

/// Whether this is a set without elements, which stands for a missing attribute.
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
            let text = text(json, "a text")?;
            check_length(text, *min, *max)?;
            Ok(AttributeValue::from(text))
        }
        FieldType::Choice(choices) => choice(text(json, "a text")?, choices),
        FieldType::Int { min, max } => {
            let number = whole(json)?;
            check_bounds(&number, min.as_ref(), max.as_ref())?;
            Ok(AttributeValue::N(number))
        }
        FieldType::Number { min, max } => {
            let number = *json.as_number().ok_or_else(|| unexpected("a number", json))?;
            check_bounds(&number, min.as_ref(), max.as_ref())?;
            Ok(AttributeValue::N(number))
        }
        FieldType::Bool => {
            json.as_bool().map(AttributeValue::Bool).ok_or_else(|| unexpected("true or false", json))
        }
        FieldType::Binary { max } => binary(json, *max),
        FieldType::Date => date(json),
        FieldType::Time => time(json),
        FieldType::Epoch => epoch(json),
        FieldType::Id => match text(json, "an id")? {
            "" => Err(ValueError::new("an id can't be empty")),
            id => Ok(AttributeValue::from(id)),
        },
        FieldType::List { of, max, key } => list(of, *max, key.as_deref(), json, deeper(depth)?),
        FieldType::Set { of, max } => set(of, *max, json, depth),
        FieldType::Map { of, max } => map(of, *max, json, deeper(depth)?),
        FieldType::Object(fields) => object(fields, json, deeper(depth)?),
        FieldType::Any { max_bytes } => {
            let value = any(json, depth)?;
            match max_bytes {
                Some(max) if value.size_bytes() > *max as usize => {
                    let size = value.size_bytes();
                    Err(ValueError::new(format!("at most {max} bytes fit, these are {size}")))
                }
                _ => Ok(value),
            }
        }
    }
}

fn unexpected(expected: &str, json: &Json) -> ValueError {
    ValueError::new(format!("expected {expected}, got {}", json.kind()))
}

fn text<'a>(json: &'a Json, expected: &str) -> Result<&'a str, ValueError> {
    json.as_text().ok_or_else(|| unexpected(expected, json))
}

/// One level further down; DynamoDB's own bound on nesting.
fn deeper(depth: usize) -> Result<usize, ValueError> {
    if depth >= AttributeValue::DEPTH_MAX {
        return Err(ValueError::new("nested deeper than 32 levels"));
    }
    Ok(depth + 1)
}

fn check_length(text: &str, min: Option<u32>, max: Option<u32>) -> Result<(), ValueError> {
    if min.is_none() && max.is_none() {
        return Ok(());
    }
    let length = text.chars().count();
    match (min, max) {
        (Some(min), _) if length < min as usize => {
            Err(ValueError::new(format!("at least {min} characters are needed, this has {length}")))
        }
        (_, Some(max)) if length > max as usize => {
            Err(ValueError::new(format!("at most {max} characters fit, this has {length}")))
        }
        _ => Ok(()),
    }
}

fn check_bounds(number: &Number, min: Option<&Number>, max: Option<&Number>) -> Result<(), ValueError> {
    match (min, max) {
        (Some(min), _) if number < min => {
            Err(ValueError::new(format!("{number} is too small: at least {min}")))
        }
        (_, Some(max)) if number > max => {
            Err(ValueError::new(format!("{number} is too large: at most {max}")))
        }
        _ => Ok(()),
    }
}

fn check_count(count: usize, max: Option<u32>) -> Result<(), ValueError> {
    match max {
        Some(max) if count > max as usize => {
            Err(ValueError::new(format!("at most {max} entries fit, these are {count}")))
        }
        _ => Ok(()),
    }
}

fn choice(text: &str, choices: &[String]) -> Result<AttributeValue, ValueError> {
    if choices.iter().any(|choice| choice == text) {
        return Ok(AttributeValue::from(text));
    }
    let help = match nearest(text, choices.iter().map(String::as_str)) {
        Some(choice) => format!("; did you mean {choice}?"),
        None => String::new(),
    };
    Err(ValueError::new(format!("{text:?} is none of {}{help}", choices.join(", "))))
}

fn whole(json: &Json) -> Result<Number, ValueError> {
    let number = *json.as_number().ok_or_else(|| unexpected("a whole number", json))?;
    if number.to_i64().is_none() && number.to_string().contains('.') {
        return Err(ValueError::new(format!("expected a whole number, got {number}")));
    }
    Ok(number)
}

fn binary(json: &Json, max: Option<u32>) -> Result<AttributeValue, ValueError> {
    let text = text(json, "bytes in base64")?;
    let bytes = STANDARD
        .decode(text)
        .map_err(|_| ValueError::new("expected bytes in base64, and this text is not base64"))?;
    match max {
        Some(max) if bytes.len() > max as usize => {
            Err(ValueError::new(format!("at most {max} bytes fit, these are {}", bytes.len())))
        }
        _ => Ok(AttributeValue::B(bytes)),
    }
}

fn date(json: &Json) -> Result<AttributeValue, ValueError> {
    let text = text(json, "a date such as 2025-01-20")?;
    let digits = |part: Option<&str>| part.is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let written_out = text.len() == 10 && digits(text.get(..4)) && text.get(4..5) == Some("-");
    if written_out && text.parse::<Date>().is_ok() {
        return Ok(AttributeValue::from(text));
    }
    Err(ValueError::new(format!("expected a date such as 2025-01-20, got {text:?}")))
}

fn time(json: &Json) -> Result<AttributeValue, ValueError> {
    let text = text(json, "a time such as 2025-01-20T15:30:00Z")?;
    normal_time(text).map(AttributeValue::S).ok_or_else(|| {
        ValueError::new(format!(
            "expected a time with its offset, such as 2025-01-20T15:30:00Z, got {text:?}"
        ))
    })
}

fn epoch(json: &Json) -> Result<AttributeValue, ValueError> {
    let number = whole(json)?;
    match number.to_i64().map(Timestamp::from_second) {
        Some(Ok(_)) => Ok(AttributeValue::N(number)),
        _ => Err(ValueError::new(format!("expected seconds since 1970, got {number}"))),
    }
}

fn list(
    of: &FieldType,
    max: Option<u32>,
    key: Option<&str>,
    json: &Json,
    depth: usize,
) -> Result<AttributeValue, ValueError> {
    let elements = json.as_list().ok_or_else(|| unexpected("a list", json))?;
    check_count(elements.len(), max)?;
    let mut values = Vec::with_capacity(elements.len());
    let mut known = BTreeSet::new();
    for (position, element) in elements.iter().enumerate() {
        let place = || format!("[{position}]");
        let value = read(of, element, depth).map_err(|error| error.at(&place()))?;
        if is_empty_set(&value) {
            return Err(ValueError::new("a set in a list can't be empty").at(&place()));
        }
        if let Some(key) = key {
            let text = element.get(key).map(Json::to_string).unwrap_or_default();
            if !known.insert(text) {
                return Err(ValueError::new(format!("an element before it has the same {key}")).at(&place()));
            }
        }
        values.push(value);
    }
    Ok(AttributeValue::L(values))
}

fn set(of: &FieldType, max: Option<u32>, json: &Json, depth: usize) -> Result<AttributeValue, ValueError> {
    let elements = json.as_list().ok_or_else(|| unexpected("a list of different values", json))?;
    check_count(elements.len(), max)?;
    let (mut texts, mut numbers, mut binaries) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (position, element) in elements.iter().enumerate() {
        let place = || format!("[{position}]");
        let new = match read(of, element, depth).map_err(|error| error.at(&place()))? {
            AttributeValue::S(text) => texts.insert(text),
            AttributeValue::N(number) => numbers.insert(number),
            AttributeValue::B(bytes) => binaries.insert(bytes),
            _ => return Err(ValueError::new("a set holds texts, numbers or bytes").at(&place())),
        };
        if !new {
            return Err(ValueError::new(format!("{element} stands twice in a set")).at(&place()));
        }
    }
    Ok(match of {
        FieldType::Int { .. } | FieldType::Number { .. } | FieldType::Epoch => AttributeValue::Ns(numbers),
        FieldType::Binary { .. } => AttributeValue::Bs(binaries),
        _ => AttributeValue::Ss(texts),
    })
}

fn map(of: &FieldType, max: Option<u32>, json: &Json, depth: usize) -> Result<AttributeValue, ValueError> {
    let members = json.as_object().ok_or_else(|| unexpected("an object", json))?;
    check_count(members.len(), max)?;
    let mut values = Vec::with_capacity(members.len());
    for (name, member) in members {
        if name.is_empty() {
            return Err(ValueError::new("a name can't be empty"));
        }
        let value = read(of, member, depth).map_err(|error| error.at(&format!(".{name}")))?;
        if !is_empty_set(&value) {
            values.push((name.clone(), value));
        }
    }
    Ok(AttributeValue::M(values.into_iter().collect()))
}

fn object(fields: &[Field], json: &Json, depth: usize) -> Result<AttributeValue, ValueError> {
    let members = json.as_object().ok_or_else(|| unexpected("an object", json))?;
    let unknown = members.iter().find(|(name, _)| !fields.iter().any(|field| field.name == *name));
    if let Some((name, _)) = unknown {
        let help = match nearest(name, fields.iter().map(|field| field.name.as_str())) {
            Some(field) => format!("; did you mean {field}?"),
            None => String::new(),
        };
        return Err(ValueError::new(format!("there is no such field{help}")).at(&format!(".{name}")));
    }
    let mut values = Attributes::with_capacity(fields.len());
    for field in fields {
        let given = json.get(&field.name).filter(|value| !value.is_null()).or(field.default.as_ref());
        let place = || format!(".{}", field.name);
        let Some(given) = given else {
            if field.optional {
                continue;
            }
            return Err(ValueError::new("it is missing").at(&place()));
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
