//! Defaults of fields, for items from before the field was there.

use singlet_values::AttributeValue;

use super::{is_empty_set, to_attribute};
use crate::field::Field;

/// The value that an item without the field has: its default. `None` if the field has none, or may be missing.
pub fn default_of(field: &Field) -> Option<AttributeValue> {
    if field.optional || field.made.is_some() {
        return None;
    }
    let value = to_attribute(&field.kind, field.default.as_ref()?).ok()?;
    (!is_empty_set(&value)).then_some(value)
}
