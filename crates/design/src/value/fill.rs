//! Adds missing values: generated ids and times, and defaults.

use singlet_values::AttributeValue;

use super::{is_empty_set, to_attribute};
use crate::field::{Field, FieldType, Made};
use crate::json::Json;

/// Adds generated values and defaults to an object that lacks them, and to nested objects, including those in lists and
/// maps. [`super::to_attribute`] later refuses values that don't fit.
pub fn fill(fields: &[Field], object: &mut Json, make: &mut dyn FnMut(Made) -> Json) {
    let Json::Object(members) = object else { return };
    for field in fields {
        let position = members.iter().position(|(name, value)| *name == field.name && !value.is_null());
        if let Some((_, value)) = position.and_then(|position| members.get_mut(position)) {
            fill_value(&field.kind, value, make);
            continue;
        }
        let made = field.made.map(&mut *make).or_else(|| field.default.clone());
        let Some(mut value) = made else { continue };
        fill_value(&field.kind, &mut value, make);
        members.retain(|(name, _)| *name != field.name);
        members.push((field.name.clone(), value));
    }
}

fn fill_value(kind: &FieldType, value: &mut Json, make: &mut dyn FnMut(Made) -> Json) {
    match (kind, value) {
        (FieldType::Object(fields), object) => fill(fields, object, make),
        (FieldType::List { of, .. }, Json::List(elements)) => {
            elements.iter_mut().for_each(|element| fill_value(of, element, make));
        }
        (FieldType::Map { of, .. }, Json::Object(members)) => {
            members.iter_mut().for_each(|(_, member)| fill_value(of, member, make));
        }
        _ => {}
    }
}

/// Returns the default that an item without the field has. `None` if the field has no default or is optional.
pub fn default_of(field: &Field) -> Option<AttributeValue> {
    if field.optional || field.made.is_some() {
        return None;
    }
    let value = to_attribute(&field.kind, field.default.as_ref()?).ok()?;
    (!is_empty_set(&value)).then_some(value)
}
