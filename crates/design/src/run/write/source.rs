//! Where written values come from: the pattern, the caller, the clock, the field's default, or chance.

use jiff::Timestamp;
use singlet_engine::values::{AttributeValue, Item};

use crate::entropy::Entropy;
use crate::json::Json;
use crate::model::{Entity, Field, FieldType, Insert, Made, ValueSource};
use crate::run::RunError;
use crate::run::arguments::{Bound, Given};
use crate::value::to_attribute;

/// Makes values for one call.
pub(super) struct Source<'a> {
    pub(super) bound: &'a Bound<'a>,
    pub(super) entropy: &'a dyn Entropy,
    pub(super) now_ms: u64,
}

impl Source<'_> {
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
                Given::Value(mut value) => {
                    self.fill(&field.kind, &mut value)?;
                    Some(value)
                }
                Given::Missing | Given::Null => self.unasked(field)?,
            };
            match value {
                Some(value) if is_empty_set(&value) => {}
                Some(value) => _ = item.insert(field.name.as_str(), value),
                None if field.optional => {}
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
            ValueSource::Constant(json) => constant(path, kind, json).map(Given::Value),
            ValueSource::Parameter(name) => Ok(self.bound.given(name).cloned().unwrap_or(Given::Missing)),
            ValueSource::Now => Ok(Given::Value(self.now(path, kind)?)),
        }
    }

    /// The time of the call, as a field of this type holds it.
    pub(super) fn now(&self, path: &str, kind: &FieldType) -> Result<AttributeValue, RunError> {
        if matches!(kind, FieldType::Epoch) {
            return Ok(AttributeValue::from(self.now_ms / 1000));
        }
        let form = if matches!(kind, FieldType::Date) { "%Y-%m-%d" } else { "%Y-%m-%dT%H:%M:%S.%3fZ" };
        let instant = i64::try_from(self.now_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
        let instant = instant.ok_or_else(|| RunError::Parameter {
            parameter: path.to_owned(),
            reason: "the clock is past the last instant that a time can hold".to_owned(),
        })?;
        Ok(AttributeValue::S(instant.strftime(form).to_string()))
    }

    /// The value that a field has when nobody gives one: made, or its default.
    pub(super) fn unasked(&self, field: &Field) -> Result<Option<AttributeValue>, RunError> {
        match (field.made, &field.default) {
            (Some(Made::Created | Made::Updated), _) => self.now(&field.name, &field.kind).map(Some),
            (Some(made), _) => Ok(Some(made.id(self.entropy, self.now_ms).into())),
            (None, Some(Json::Null)) | (None, None) => Ok(None),
            (None, Some(default)) => constant(&field.name, &field.kind, default).map(Some),
        }
    }

    /// Gives the objects inside a value what nobody gave: ids, times and defaults of their fields.
    pub(super) fn fill(&self, kind: &FieldType, value: &mut AttributeValue) -> Result<(), RunError> {
        match (kind, value) {
            (FieldType::Object(fields), AttributeValue::M(members)) => {
                for field in fields {
                    match members.get_mut(&field.name) {
                        Some(member) => self.fill(&field.kind, member)?,
                        None => {
                            if let Some(made) = self.unasked(field)? {
                                members.insert(field.name.as_str(), made);
                            }
                        }
                    }
                }
                Ok(())
            }
            (FieldType::List { of, .. }, AttributeValue::L(elements)) => {
                elements.iter_mut().try_for_each(|element| self.fill(of, element))
            }
            (FieldType::Map { of, .. }, AttributeValue::M(members)) => {
                let names: Vec<String> = members.iter().map(|(name, _)| name.to_owned()).collect();
                let mut each = names.iter();
                each.try_for_each(|name| members.get_mut(name).map_or(Ok(()), |value| self.fill(of, value)))
            }
            _ => Ok(()),
        }
    }
}

/// A constant of the design as a value.
pub(super) fn constant(path: &str, kind: &FieldType, json: &Json) -> Result<AttributeValue, RunError> {
    to_attribute(kind, json).map_err(|error| RunError::Parameter {
        parameter: format!("{path}{}", error.path),
        reason: error.reason,
    })
}

/// An empty set can't be stored: it is the same as none.
pub(super) fn is_empty_set(value: &AttributeValue) -> bool {
    match value {
        AttributeValue::Ss(set) => set.is_empty(),
        AttributeValue::Ns(set) => set.is_empty(),
        AttributeValue::Bs(set) => set.is_empty(),
        _ => false,
    }
}

fn lacking(entity: &Entity, field: &Field) -> RunError {
    RunError::Parameter {
        parameter: field.name.clone(),
        reason: format!("is missing, and {} can't do without it", entity.name),
    }
}
