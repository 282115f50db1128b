//! Where written values come from: the pattern, the caller, the clock, the field's default, or chance.

use singlet_design::{
    Entity, Field, FieldType, Insert, Json, Made, Name, Origin, ParameterType, Pattern, ValueSource, fill,
    instant, is_empty_set, to_attribute,
};
use singlet_values::{AttributeValue, Item};

use crate::arguments::{ArgumentList, Arguments, Bound, Given};
use crate::entropy::{Entropy, make};
use crate::error::RunError;
use crate::expression::evaluate;

/// Makes values for one call.
pub(super) struct Supplier<'a> {
    pub(super) bound: &'a Bound<'a>,
    pub(super) entropy: &'a dyn Entropy,
    pub(super) now_ms: u64,
}

impl Supplier<'_> {
    /// All fields of a new item.
    pub(super) fn fields(&self, insert: &Insert) -> Result<Item, RunError> {
        let entity = &insert.entity;
        let mut item = Item::with_capacity(entity.fields.len() + 8);
        for field in &entity.fields {
            let set = insert.set.iter().find(|(name, _)| *name == field.name);
            let given = match set {
                Some((_, source)) => self.value(source, &field.name, &field.kind)?,
                None => self.bound.given(&field.name).cloned().unwrap_or(Given::Missing),
            };
            let value = match given {
                Given::Value(value) => Some(value),
                Given::Missing | Given::Null => self.unasked(field)?,
            };
            match value {
                Some(value) if is_empty_set(&value) => {}
                Some(value) => _ = item.insert(field.name.as_str(), value),
                None if field.optional || field.computed => {}
                None => return Err(lacking(entity, field)),
            }
        }
        Ok(item)
    }

    /// The value that a source gives to a field.
    pub(super) fn value(
        &self,
        source: &ValueSource,
        path: &str,
        kind: &FieldType,
    ) -> Result<Given, RunError> {
        match source {
            ValueSource::Constant(Json::Null) => Ok(Given::Null),
            ValueSource::Constant(json) => self.constant(path, kind, json).map(Given::Value),
            ValueSource::Parameter(name) => Ok(self.bound.given(name).cloned().unwrap_or(Given::Missing)),
            ValueSource::Now => Ok(Given::Value(self.now(kind))),
            ValueSource::Composed(composed) => {
                let look = |name: &Name| match &name.origin {
                    Origin::Parameter(name) => self.bound.get(name).cloned(),
                    Origin::Result(..) | Origin::Field(_) => None,
                };
                let value = evaluate(composed, path, kind, &look, self.now_ms)?;
                Ok(value.map_or(Given::Missing, Given::Value))
            }
        }
    }

    /// The time of the call, as a field of this type holds it.
    pub(super) fn now(&self, kind: &FieldType) -> AttributeValue {
        instant(kind, self.now_ms)
    }

    /// The value that a field has when nobody gives one: made, or its default.
    pub(super) fn unasked(&self, field: &Field) -> Result<Option<AttributeValue>, RunError> {
        Making { entropy: self.entropy, now_ms: self.now_ms }.unasked(field)
    }

    /// A constant of the design as a value.
    fn constant(&self, path: &str, kind: &FieldType, json: &Json) -> Result<AttributeValue, RunError> {
        Making { entropy: self.entropy, now_ms: self.now_ms }.value(path, kind, json)
    }
}

/// Makes ids and times.
#[derive(Clone, Copy)]
pub(super) struct Making<'a> {
    pub(super) entropy: &'a dyn Entropy,
    pub(super) now_ms: u64,
}

impl Making<'_> {
    /// The value that a field has when nobody gives one: made, or its default.
    pub(super) fn unasked(self, field: &Field) -> Result<Option<AttributeValue>, RunError> {
        match (field.made, &field.default) {
            (Some(made), _) => Ok(Some(make(made, self.now_ms, self.entropy).into())),
            (None, Some(Json::Null)) | (None, None) => Ok(None),
            (None, Some(default)) => self.value(&field.name, &field.kind, default).map(Some),
        }
    }

    /// A value of a field, with what the objects in it lack and Singlet makes.
    pub(super) fn value(self, path: &str, kind: &FieldType, json: &Json) -> Result<AttributeValue, RunError> {
        let mut json = json.clone();
        fill_objects(kind, &mut json, &mut |made| make(made, self.now_ms, self.entropy).into());
        to_attribute(kind, &json).map_err(|error| RunError::Parameter {
            parameter: format!("{path}{}", error.path),
            reason: error.reason,
        })
    }
}

/// The caller's arguments with what the objects in them lack and Singlet makes: ids and times of nested fields. `None`
/// if no parameter has such fields.
pub(super) fn filled(
    pattern: &Pattern,
    arguments: &dyn ArgumentList,
    entropy: &dyn Entropy,
    now_ms: u64,
) -> Option<Arguments> {
    let mut filled: Option<Arguments> = None;
    let copied = || {
        let names = arguments.names().into_iter();
        names.filter_map(|name| Some((name.to_owned(), arguments.argument(name)?.clone()))).collect()
    };
    for parameter in &pattern.parameters {
        let kind = kind_of(&parameter.kind);
        if !makes(kind) || arguments.argument(&parameter.name).is_none() {
            continue;
        }
        if let Some(json) = filled.get_or_insert_with(copied).get_mut(&parameter.name) {
            let make = &mut |made| make(made, now_ms, entropy).into();
            match (&parameter.kind, json) {
                (ParameterType::ListOf(_), Json::List(elements)) => {
                    elements.iter_mut().for_each(|element| fill_objects(kind, element, make));
                }
                (_, json) => fill_objects(kind, json, make),
            }
        }
    }
    filled
}

fn kind_of(kind: &ParameterType) -> &FieldType {
    match kind {
        ParameterType::Field(kind) => kind,
        ParameterType::ListOf(of) => kind_of(of),
        ParameterType::Prefix | ParameterType::Keys(_) => &FieldType::Bool,
    }
}

/// Whether objects inside such a value have fields that Singlet makes.
fn makes(kind: &FieldType) -> bool {
    match kind {
        FieldType::Object(fields) => fields.iter().any(|field| field.made.is_some() || makes(&field.kind)),
        FieldType::List { of, .. } | FieldType::Map { of, .. } => makes(of),
        _ => false,
    }
}

fn fill_objects(kind: &FieldType, json: &mut Json, make: &mut dyn FnMut(Made) -> Json) {
    match (kind, json) {
        (FieldType::Object(fields), object) => fill(fields, object, make),
        (FieldType::List { of, .. }, Json::List(elements)) => {
            elements.iter_mut().for_each(|element| fill_objects(of, element, make));
        }
        (FieldType::Map { of, .. }, Json::Object(members)) => {
            members.iter_mut().for_each(|(_, member)| fill_objects(of, member, make));
        }
        _ => {}
    }
}

pub(super) fn lacking(entity: &Entity, field: &Field) -> RunError {
    RunError::Parameter {
        parameter: field.name.clone(),
        reason: format!("is missing, and {} can't do without it", entity.name),
    }
}
