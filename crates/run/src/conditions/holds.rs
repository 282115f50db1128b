//! Conditions that follow from an item alone.

use singlet_design::{Condition, Entity, default_of};
use singlet_values::{EncodedItem, Item};

use super::Asked;

/// Returns whether a condition that doesn't depend on a call holds for an item.
pub fn holds_for(entity: &Entity, condition: &Condition, item: &Item) -> bool {
    let asked = Asked {
        field: &|path| entity.field_at(path).cloned(),
        argument: &|_| None,
        default: &|name| default_of(entity.field(name)?),
        now_ms: 0,
        key: None,
    };
    let bound = asked.bind(condition).ok().flatten();
    bound.is_some_and(|condition| condition.matches(EncodedItem::encode(item).view()))
}
