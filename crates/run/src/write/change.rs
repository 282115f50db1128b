//! The changes of an update with its caller's values.

use singlet_design::{
    Change, Entity, Field, FieldType, Json, Made, Update, ValueSource, default_of, is_empty_set,
};
use singlet_values::AttributeValue;

use super::edit::{Edit, Verb};
use super::supplier::Supplier;
use crate::arguments::Given;
use crate::error::RunError;

/// The changes that an update makes with what its caller gave, list elements apart. Every write also makes the
/// time of the last write anew.
pub(super) fn edits(update: &Update, source: &Supplier<'_>) -> Result<Vec<Edit>, RunError> {
    let entity = &update.entity;
    let mut edits = Vec::with_capacity(update.changes.len() + 1);
    for change in &update.changes {
        edits.extend(edit(entity, change, source)?);
    }
    // An upsert without changes creates the item, or sets the time of its last write.
    let is_change = !update.changes.is_empty();
    if is_change && edits.is_empty() && !update.changes.iter().any(|change| is_element(entity, change)) {
        return Err(nothing_given(update));
    }
    for field in entity.fields.iter().filter(|field| field.made == Some(Made::Updated)) {
        if edits.iter().all(|edit| edit.path != field.name) {
            edits.push(Edit::set(field.name.as_str(), source.now(&field.kind)));
        }
    }
    Ok(edits)
}

/// Whether a change is about single elements of a list, which must be read before.
pub(super) fn is_element(entity: &Entity, change: &Change) -> bool {
    match change {
        Change::InsertElement(_) | Change::ChangeElement(_) | Change::DropElement(_) => true,
        Change::Subtract { path, .. } => matches!(entity.field_at(path), Some(FieldType::List { .. })),
        Change::Set { .. } | Change::Add { .. } | Change::Remove { .. } => false,
    }
}

/// The elements that a change adds to a list or removes from it: those of a list in the design, or one value.
pub(super) fn list_elements(
    source: &Supplier<'_>,
    value: &ValueSource,
    path: &str,
    list: &FieldType,
) -> Result<Vec<AttributeValue>, RunError> {
    let FieldType::List { of, .. } = list else { return Ok(Vec::new()) };
    let several = FieldType::List { of: of.clone(), max: None, key: None };
    let is_list = matches!(value, ValueSource::Constant(Json::List(_)));
    Ok(match source.value(value, path, if is_list { &several } else { of })? {
        Given::Value(AttributeValue::L(elements)) if is_list => elements,
        Given::Value(element) => vec![element],
        Given::Missing | Given::Null => Vec::new(),
    })
}

/// The path of a change, with the value of the parameter that names an entry of a map.
fn named(change: &Change, source: &Supplier<'_>) -> Result<String, RunError> {
    let (Change::Set { path, .. }
    | Change::Add { path, .. }
    | Change::Remove { path }
    | Change::Subtract { path, .. }) = change
    else {
        return Ok(String::new());
    };
    let Some((map, parameter)) = path.strip_suffix('}').and_then(|path| path.split_once(".{")) else {
        return Ok(path.clone());
    };
    let refused =
        |reason: &str| RunError::Parameter { parameter: parameter.to_owned(), reason: reason.to_owned() };
    match source.bound.get(parameter) {
        Some(AttributeValue::S(name)) if name.contains(['.', '[', ']']) => {
            Err(refused("names an entry of a map, so it can't contain `.`, `[` or `]`"))
        }
        Some(AttributeValue::S(name)) if !name.is_empty() => Ok(format!("{map}.{name}")),
        _ => Err(refused("names an entry of a map, so it can't be empty")),
    }
}

fn edit(entity: &Entity, change: &Change, source: &Supplier<'_>) -> Result<Option<Edit>, RunError> {
    let kind_of = |path: &str| entity.field_at(path).cloned().unwrap_or(FieldType::Any { max_bytes: None });
    let path = named(change, source)?;
    let path = &path;
    match change {
        Change::Set { value, .. } => {
            let kind = kind_of(path);
            match source.value(value, path, &kind)? {
                Given::Missing => Ok(None),
                Given::Null if is_optional(entity, path) => Ok(Some(Edit::remove(path.as_str()))),
                Given::Null => Err(RunError::Parameter {
                    parameter: path.clone(),
                    reason: format!("can't be removed: {} requires it", entity.name),
                }),
                Given::Value(value) => Ok(Some(Edit::set(path.as_str(), value))),
            }
        }
        Change::Remove { .. } => Ok(Some(Edit::remove(path.as_str()))),
        Change::Add { value, .. } if matches!(kind_of(path), FieldType::List { .. }) => {
            let start = match entity.field(path).and_then(default_of) {
                Some(AttributeValue::L(start)) => start,
                _ => Vec::new(),
            };
            let more = list_elements(source, value, path, &kind_of(path))?;
            Ok((!more.is_empty()).then(|| Edit { path: path.clone(), verb: Verb::Append { more, start } }))
        }
        Change::Add { value, .. } => {
            let value = source.value(value, path, &unbounded(kind_of(path)))?;
            let start = entity.field(path).and_then(default_of);
            let start = start.filter(|start| matches!(start, AttributeValue::N(start) if !start.is_zero()));
            Ok(elements(path, value, |more| Verb::Add { more, start: start.clone() }))
        }
        // The list is read first: see [`super::list`].
        Change::Subtract { .. } if matches!(kind_of(path), FieldType::List { .. }) => Ok(None),
        Change::Subtract { value, .. } => {
            let value = source.value(value, path, &unbounded(kind_of(path)))?;
            Ok(elements(path, value, Verb::Subtract))
        }
        Change::InsertElement(_) | Change::ChangeElement(_) | Change::DropElement(_) => Ok(None),
    }
}

fn elements(path: &str, given: Given, verb: impl Fn(AttributeValue) -> Verb) -> Option<Edit> {
    match given {
        Given::Value(value) if !is_empty_set(&value) => {
            Some(Edit { path: path.to_owned(), verb: verb(value) })
        }
        _ => None,
    }
}

/// The type of a difference: the bounds of a number are bounds of the sum, not of what is added.
fn unbounded(kind: FieldType) -> FieldType {
    match kind {
        FieldType::Int { .. } | FieldType::Epoch => FieldType::Int { min: None, max: None },
        FieldType::Number { .. } => FieldType::Number { min: None, max: None },
        FieldType::Set { of, .. } => FieldType::Set { of, max: None },
        kind => kind,
    }
}

/// Whether a field may be missing; members of maps always may.
fn is_optional(entity: &Entity, path: &str) -> bool {
    let mut names = path.split('.');
    let mut field = names.next().and_then(|name| entity.field(name));
    for name in names {
        field = match field.map(|field| &field.kind) {
            Some(FieldType::Object(fields)) => fields.iter().find(|field| field.name == name),
            _ => return true,
        };
    }
    field.is_none_or(|field: &Field| field.optional)
}

/// An update to which the caller gives nothing would change nothing.
pub(super) const NOTHING_GIVEN: &str = "can't be left out altogether: give at least one value to change";

fn nothing_given(update: &Update) -> RunError {
    let parameter = |change: &Change| match change {
        Change::Set { value: ValueSource::Parameter(name), .. }
        | Change::Add { value: ValueSource::Parameter(name), .. }
        | Change::Subtract { value: ValueSource::Parameter(name), .. } => Some(name.clone()),
        _ => None,
    };
    let names: Vec<String> = update.changes.iter().filter_map(parameter).collect();
    RunError::Parameter { parameter: names.join("`, `"), reason: NOTHING_GIVEN.to_owned() }
}
