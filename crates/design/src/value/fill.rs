//! What a value lacks: what Singlet makes for a new one, and defaults for items from before a field was there.

use singlet_values::AttributeValue;

use super::{is_empty_set, to_attribute};
use crate::field::{Field, FieldType, Made};
use crate::json::Json;

/// Puts the made values and defaults into an object that lacks them, and into the objects nested in it, in lists
/// and maps too. What doesn't fit is left for [`super::to_attribute`] to refuse.
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

/// The value that an item without the field has: its default. `None` if the field has none, or may be missing.
pub fn default_of(field: &Field) -> Option<AttributeValue> {
    if field.optional || field.made.is_some() {
        return None;
    }
    let value = to_attribute(&field.kind, field.default.as_ref()?).ok()?;
    (!is_empty_set(&value)).then_some(value)
}
