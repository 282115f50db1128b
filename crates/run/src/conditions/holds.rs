//! Conditions that follow from an item alone.

use singlet_design::{Condition, Entity, FieldType, default_of};
use singlet_values::{AttributeValue, EncodedItem, Item};

use super::Asked;

/// Returns whether a condition that doesn't depend on a call holds for an item.
pub fn holds_for(entity: &Entity, condition: &Condition, item: &Item) -> bool {
    let default = |name: &str| default_of(entity.field(name)?);
    holds_by(&|path| entity.field_at(path).cloned(), &default, condition, item)
}

/// The same for an item that is put together from several entities, with the types and the defaults of its fields.
pub fn holds_by(
    field: &dyn Fn(&str) -> Option<FieldType>,
    default: &dyn Fn(&str) -> Option<AttributeValue>,
    condition: &Condition,
    item: &Item,
) -> bool {
    let asked = Asked { field, argument: &|_| None, default, now_ms: 0, key: None };
    let bound = asked.bind(condition).ok().flatten();
    bound.is_some_and(|condition| condition.matches(EncodedItem::encode(item).view()))
}
