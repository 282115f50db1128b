//! Items past their time to live are as good as gone, whether the table has removed them yet or not.

use singlet_design::Entity;
use singlet_store::ExpressionBuilder;
use singlet_values::{AttributeValue, Item};

use crate::expiry::first_living;

/// The attribute with the second of expiry, if items of this entity can have it.
fn attribute(entity: &Entity) -> Option<&str> {
    let name = entity.table.ttl.as_deref()?;
    (entity.ttl.is_some() || entity.field(name).is_some()).then_some(name)
}

/// Whether an item is past its time to live.
pub(super) fn is_expired(entity: &Entity, item: &Item, now_second: u64) -> bool {
    match attribute(entity).and_then(|name| item.get(name)) {
        Some(AttributeValue::N(expiry)) => *expiry < first_living(now_second),
        _ => false,
    }
}

/// The condition that an item isn't there.
pub(super) fn absent(entity: &Entity, now_second: u64, builder: &mut ExpressionBuilder) -> String {
    let missing = format!("attribute_not_exists({})", builder.name(&entity.table.partition.name));
    match attribute(entity) {
        None => missing,
        Some(name) => format!("({missing} OR {})", expired(name, now_second, builder)),
    }
}

/// The condition that an item is there.
pub(super) fn present(entity: &Entity, now_second: u64, builder: &mut ExpressionBuilder) -> String {
    let there = format!("attribute_exists({})", builder.name(&entity.table.partition.name));
    match attribute(entity) {
        None => there,
        Some(name) => format!("{there} AND NOT {}", expired(name, now_second, builder)),
    }
}

/// The condition that an attribute holds a second of expiry that is over. It does not hold if there is none.
pub(super) fn expired(attribute: &str, now_second: u64, builder: &mut ExpressionBuilder) -> String {
    let name = builder.name(attribute);
    let living = builder.value(first_living(now_second).into());
    format!("{name} < {living}")
}
