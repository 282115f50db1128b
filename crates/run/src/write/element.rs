//! One element of a list whose elements have a key, without rewriting the others.
//!
//! DynamoDB reaches list elements by position only, so the position is found by reading, and the write demands that
//! the element with this key is still there.

use singlet_design::{Change, ElementChange, Entity, Field, FieldType};
use singlet_values::{AttributeValue, Attributes, Item};

use super::edit::Edit;
use super::guard::Guard;
use super::supplier::Supplier;
use crate::arguments::Given;
use crate::error::RunError;

/// Lists up to this length are guarded key by key, so that other changes of the elements don't disturb; the
/// expression of a longer one would pass DynamoDB's limits, and the whole list is compared.
const KEYS_GUARDED_MAX: usize = 64;

/// The list that a change is about, and what the design says of it.
struct List<'a> {
    entity: &'a Entity,
    change: &'a ElementChange,
    fields: &'a [Field],
    max: Option<u32>,
}

/// The edits that make an element change in this item; `after` gets the new list, the guard what was relied on.
pub(super) fn edits(
    entity: &Entity,
    change: &Change,
    source: &Supplier<'_>,
    before: &Item,
    guard: &mut Guard,
    after: &mut Item,
) -> Result<Vec<Edit>, RunError> {
    let (Change::InsertElement(element) | Change::ChangeElement(element) | Change::DropElement(element)) =
        change
    else {
        return Ok(Vec::new());
    };
    let Some(FieldType::List { of, max, .. }) = entity.field(&element.field).map(|field| &field.kind) else {
        return Ok(Vec::new());
    };
    let fields: &[Field] = if let FieldType::Object(fields) = &**of { fields } else { &[] };
    let list = List { entity, change: element, fields, max: *max };
    let mut elements = match before.get(&element.field) {
        Some(AttributeValue::L(elements)) => elements.clone(),
        _ => Vec::new(),
    };
    let edits = match change {
        Change::InsertElement(_) => list.insert(source, before, guard, &mut elements)?,
        Change::ChangeElement(_) => list.change(source, before, guard, &mut elements)?,
        _ => list.remove(source, before, guard, &mut elements)?,
    };
    after.insert(element.field.as_str(), elements);
    Ok(edits)
}

impl List<'_> {
    fn insert(
        &self,
        source: &Supplier<'_>,
        before: &Item,
        guard: &mut Guard,
        elements: &mut Vec<AttributeValue>,
    ) -> Result<Vec<Edit>, RunError> {
        let mut members = Attributes::with_capacity(self.fields.len());
        for field in self.fields {
            let value = match self.given(source, &field.name) {
                Given::Value(value) => Some(value),
                Given::Missing | Given::Null => source.unasked(field)?,
            };
            match value {
                Some(value) => _ = members.insert(field.name.as_str(), value),
                None if field.optional => {}
                None => return Err(self.lacking(&field.name)),
            }
        }
        let Some(key) = members.get(&self.change.key) else { return Err(self.lacking(&self.change.key)) };
        if self.position(elements, key).is_some() {
            return Err(RunError::Exists { entity: self.name() });
        }
        if self.max.is_some_and(|max| elements.len() >= usize::try_from(max).unwrap_or(usize::MAX)) {
            return Err(RunError::Limit(format!(
                "{}.{} has {} elements already, and may not have more",
                self.entity.name,
                self.change.field,
                elements.len()
            )));
        }
        self.guard_keys(before, elements, guard);
        let element = AttributeValue::M(members);
        let edit = match before.contains(&self.change.field) {
            true => Edit::set(format!("{}[{}]", self.change.field, elements.len()), element.clone()),
            false => Edit::set(self.change.field.as_str(), AttributeValue::L(vec![element.clone()])),
        };
        elements.push(element);
        Ok(vec![edit])
    }

    fn change(
        &self,
        source: &Supplier<'_>,
        before: &Item,
        guard: &mut Guard,
        elements: &mut [AttributeValue],
    ) -> Result<Vec<Edit>, RunError> {
        let place = self.find(source, before, guard, elements)?;
        let mut edits = Vec::with_capacity(self.change.members.len());
        for (parameter, name) in self.change.members.iter().filter(|(_, name)| *name != self.change.key) {
            let field = self.fields.iter().find(|field| field.name == *name);
            let path = format!("{}[{place}].{name}", self.change.field);
            match self.given(source, name) {
                Given::Missing => continue,
                Given::Null if field.is_none_or(|field| field.optional) => edits.push(Edit::remove(path)),
                Given::Null => return Err(self.lacking(parameter)),
                Given::Value(value) => edits.push(Edit::set(path, value)),
            }
        }
        if edits.is_empty() {
            let others = self.change.members.iter().filter(|(_, name)| *name != self.change.key);
            let names: Vec<&str> = others.map(|(parameter, _)| parameter.as_str()).collect();
            return Err(RunError::Parameter {
                parameter: names.join("`, `"),
                reason: super::change::NOTHING_GIVEN.to_owned(),
            });
        }
        if let Some(AttributeValue::M(members)) = elements.get_mut(place) {
            for edit in &edits {
                let name = edit.path.rsplit_once("].").map_or("", |(_, name)| name);
                Edit { path: name.to_owned(), verb: edit.verb.clone() }.apply(members)?;
            }
        }
        Ok(edits)
    }

    fn remove(
        &self,
        source: &Supplier<'_>,
        before: &Item,
        guard: &mut Guard,
        elements: &mut Vec<AttributeValue>,
    ) -> Result<Vec<Edit>, RunError> {
        let place = self.find(source, before, guard, elements)?;
        if place < elements.len() {
            elements.remove(place);
        }
        Ok(vec![Edit::remove(format!("{}[{place}]", self.change.field))])
    }

    /// Where the element with the given key is.
    fn find(
        &self,
        source: &Supplier<'_>,
        before: &Item,
        guard: &mut Guard,
        elements: &[AttributeValue],
    ) -> Result<usize, RunError> {
        let Given::Value(key) = self.given(source, &self.change.key) else {
            return Err(self.lacking(&self.change.key));
        };
        let place = self.position(elements, &key).ok_or_else(|| RunError::Missing { entity: self.name() })?;
        guard.keep(before, &self.key_path(place));
        Ok(place)
    }

    /// Demands that the list holds the same keys as it did: nobody adds the same one, or one more than fits.
    fn guard_keys(&self, before: &Item, elements: &[AttributeValue], guard: &mut Guard) {
        if elements.len() > KEYS_GUARDED_MAX || elements.is_empty() {
            return guard.keep(before, &self.change.field);
        }
        // One past the end must be empty, or the list has grown.
        for place in 0..=elements.len() {
            guard.keep(before, &self.key_path(place));
        }
    }

    fn key_path(&self, place: usize) -> String {
        format!("{}[{place}].{}", self.change.field, self.change.key)
    }

    fn position(&self, elements: &[AttributeValue], key: &AttributeValue) -> Option<usize> {
        let key_of = |element: &AttributeValue| match element {
            AttributeValue::M(members) => members.get(&self.change.key) == Some(key),
            _ => false,
        };
        elements.iter().position(key_of)
    }

    /// The caller's value for a field of the element.
    fn given(&self, source: &Supplier<'_>, name: &str) -> Given {
        let parameter = self.change.members.iter().find(|(_, field)| field == name);
        let given = parameter.and_then(|(parameter, _)| source.bound.given(parameter));
        given.cloned().unwrap_or(Given::Missing)
    }

    fn name(&self) -> String {
        format!("this element of {}.{}", self.entity.name, self.change.field)
    }

    fn lacking(&self, field: &str) -> RunError {
        let parameter = self.change.members.iter().find(|(_, known)| known == field);
        RunError::Parameter {
            parameter: parameter.map_or(field, |(parameter, _)| parameter).to_owned(),
            reason: format!("is missing, and an element of {} can't do without it", self.change.field),
        }
    }
}
