//! JSON Schemas of fields and parameters.

use singlet_design::{Field, FieldType, Json, ParameterType, Pattern};
use singlet_run::seed::example;

use super::members::Members;
use super::rules::{KeyUse, elements_max, in_key, use_of};

/// The instants that Singlet stores, in seconds since 1970: the years 1 to 9999.
const EPOCH: (i64, i64) = (-62_135_596_800, 253_402_300_799);

/// The writer of a value. Objects that callers give may lack the fields that have a default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// The caller.
    Given,
    /// The API.
    Shown,
}

/// A closed object with these properties.
pub(super) fn closed(properties: Json, required: &[&str]) -> Json {
    let required = (!required.is_empty()).then(|| Json::from(required.to_vec()));
    Members::new()
        .text("type", "object")
        .with("properties", properties)
        .maybe("required", required)
        .with("additionalProperties", false)
        .json()
}

/// The schema of a field's values.
pub(super) fn of_field(kind: &FieldType, direction: Direction) -> Json {
    let typed = |name: &str| Members::new().text("type", name);
    let count = |count: Option<u32>| count.map(|count| Json::from(i64::from(count)));
    match kind {
        FieldType::Text { min, max } => {
            typed("string").maybe("minLength", count(*min)).maybe("maxLength", count(*max)).json()
        }
        FieldType::Choice(choices) => typed("string").with("enum", choices.clone()).json(),
        FieldType::Int { min, max } => typed("integer").maybe("minimum", *min).maybe("maximum", *max).json(),
        FieldType::Number { min, max } => {
            typed("number").maybe("minimum", *min).maybe("maximum", *max).json()
        }
        FieldType::Bool => typed("boolean").json(),
        FieldType::Binary { .. } => typed("string")
            .text("contentEncoding", "base64")
            .text("pattern", "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$")
            .json(),
        FieldType::Date => typed("string").text("format", "date").json(),
        FieldType::Time => typed("string").text("format", "date-time").json(),
        FieldType::Epoch => typed("integer").with("minimum", EPOCH.0).with("maximum", EPOCH.1).json(),
        FieldType::Id => typed("string").with("minLength", 1).json(),
        FieldType::List { of, max, .. } => {
            typed("array").with("items", of_field(of, direction)).maybe("maxItems", count(*max)).json()
        }
        FieldType::Set { of, max } => typed("array")
            .with("items", of_field(of, direction))
            .maybe("maxItems", count(*max))
            .with("uniqueItems", true)
            .json(),
        FieldType::Map { of, max } => typed("object")
            .with("additionalProperties", of_field(of, direction))
            .with("propertyNames", Members::new().with("minLength", 1).json())
            .maybe("maxProperties", count(*max))
            .json(),
        FieldType::Object(fields) => of_object(fields, direction),
        FieldType::Any { .. } => Members::new().text("description", "Any JSON value").json(),
    }
}

fn of_object(fields: &[Field], direction: Direction) -> Json {
    let property = |field: &Field| {
        let schema = of_field(&field.kind, direction);
        let is_left_out = field.optional || field.default.is_some() || field.made.is_some();
        let schema = if direction == Direction::Given && is_left_out { nullable(schema) } else { schema };
        (field.name.clone(), described(schema, field.about.as_deref()))
    };
    let needed = |field: &&Field| match direction {
        Direction::Given => !field.optional && field.default.is_none() && field.made.is_none(),
        Direction::Shown => is_always_shown(field),
    };
    let required: Vec<&str> = fields.iter().filter(needed).map(|field| field.name.as_str()).collect();
    closed(Json::Object(fields.iter().map(property).collect()), &required)
}

/// Whether every stored item has a field. An empty set is stored as nothing.
pub(super) fn is_always_shown(field: &Field) -> bool {
    let may_be_missing = field.optional || field.computed || field.derived;
    !may_be_missing && !matches!(field.kind, FieldType::Set { .. })
}

/// The schema of a parameter's values, with an example.
pub(super) fn of_parameter(name: &str, kind: &ParameterType, pattern: &Pattern) -> Json {
    let schema = match kind {
        // The beginning of every string is empty.
        ParameterType::Prefix => of_parameter_type(kind),
        ParameterType::Keys(members) => keys(members, pattern),
        _ => for_key(of_parameter_type(kind), name, pattern),
    };
    let schema = match elements_max(pattern, name) {
        Some(max) => add(schema, "maxItems", Json::from(i64::from(max))),
        None => schema,
    };
    let example = match (example(name, kind), kind) {
        // A key of one value is given as it is.
        (Json::List(keys), ParameterType::Keys(members)) if members.len() == 1 => {
            let value = |key: Json| key.as_object().and_then(|members| members.first().cloned());
            Json::List(keys.into_iter().filter_map(value).map(|(_, value)| value).collect())
        }
        (example, _) => example,
    };
    add(schema, "examples", Json::List(vec![example]))
}

fn of_parameter_type(kind: &ParameterType) -> Json {
    match kind {
        ParameterType::Field(kind) => of_field(kind, Direction::Given),
        ParameterType::Prefix => Members::new().text("type", "string").json(),
        ParameterType::ListOf(of) => list(of_parameter_type(of)),
        ParameterType::Keys(members) => list(of_key(members, &|_| None)),
    }
}

fn list(items: Json) -> Json {
    Members::new().text("type", "array").with("items", items).json()
}

/// The keys of the items of a batch.
fn keys(members: &[(String, FieldType)], pattern: &Pattern) -> Json {
    let entities = pattern.entities();
    list(of_key(members, &|name| use_of(entities.first()?, name)))
}

/// A key is an object, or its value if there is one only.
fn of_key<'a>(members: &[(String, FieldType)], key: &dyn Fn(&str) -> Option<KeyUse<'a>>) -> Json {
    let schema = |name: &str, kind: &FieldType| with_key_rules(of_field(kind, Direction::Given), key(name));
    if let [(name, kind)] = members {
        return schema(name, kind);
    }
    let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    let property = |(name, kind): &(String, FieldType)| (name.clone(), schema(name, kind));
    closed(Json::Object(members.iter().map(property).collect()), &names)
}

/// A string in a key can't be empty, and one beside other text can't contain the separator.
fn for_key(schema: Json, name: &str, pattern: &Pattern) -> Json {
    match schema {
        Json::Object(mut members) if schema_type(&members) == Some("array") => {
            let items = members.iter_mut().find(|(name, _)| name == "items");
            if let Some((_, items)) = items {
                *items = with_key_rules(std::mem::take(items), in_key(pattern, name, true));
            }
            Json::Object(members)
        }
        schema => with_key_rules(schema, in_key(pattern, name, false)),
    }
}

fn schema_type(members: &[(String, Json)]) -> Option<&str> {
    members.iter().find(|(name, _)| name == "type").and_then(|(_, kind)| kind.as_text())
}

fn with_key_rules(schema: Json, key: Option<KeyUse<'_>>) -> Json {
    let Some(key) = key else { return schema };
    let kind = schema.get("type").and_then(Json::as_text);
    if let (Some("number"), Some(decimals)) = (kind, key.decimals) {
        let step = format!("1e-{decimals}").parse().unwrap_or_default();
        return add(schema, "multipleOf", step);
    }
    let is_text = kind == Some("string");
    let is_open = ["enum", "format", "pattern"].iter().all(|word| schema.get(word).is_none());
    if !is_text || !is_open {
        return schema;
    }
    let schema =
        if schema.get("minLength").is_none() { add(schema, "minLength", Json::from(1)) } else { schema };
    match key.is_part {
        true => add(schema, "pattern", Json::from(format!("^[^{}]*$", key.entity.table.separator))),
        false => schema,
    }
}

/// A schema that also takes null.
pub(super) fn nullable(schema: Json) -> Json {
    let Json::Object(members) = schema else { return schema };
    let with_null = |(name, value): (String, Json)| match (name.as_str(), value) {
        ("type", Json::Text(kind)) => (name, Json::from(vec![kind, "null".to_owned()])),
        ("enum", Json::List(mut values)) => {
            values.push(Json::Null);
            (name, Json::List(values))
        }
        (_, value) => (name, value),
    };
    Json::Object(members.into_iter().map(with_null).collect())
}

/// A schema with a description.
pub(super) fn described(schema: Json, about: Option<&str>) -> Json {
    match about {
        Some(about) => add(schema, "description", Json::from(about)),
        None => schema,
    }
}

/// A schema with one more member.
pub(super) fn add(schema: Json, name: &str, value: Json) -> Json {
    match schema {
        Json::Object(mut members) => {
            members.retain(|(known, _)| known != name);
            members.push((name.to_owned(), value));
            Json::Object(members)
        }
        other => other,
    }
}
