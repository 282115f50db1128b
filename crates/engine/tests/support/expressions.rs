//! Expressions from text and values.

use singlet_engine::expr::{
    Condition, ExprError, ExpressionKind, KeyCondition, Placeholders, Projection, Update,
};
use singlet_engine::values::Item;

/// A condition; `values` holds its placeholders.
pub(crate) fn condition(text: &str, values: Item) -> Condition {
    parse(text, values, |text, placeholders| Condition::parse(ExpressionKind::Condition, text, placeholders))
}

/// A filter.
pub(crate) fn filter(text: &str, values: Item) -> Condition {
    parse(text, values, |text, placeholders| Condition::parse(ExpressionKind::Filter, text, placeholders))
}

/// An update.
pub(crate) fn update(text: &str, values: Item) -> Update {
    parse(text, values, Update::parse)
}

/// A key condition.
pub(crate) fn key_condition(text: &str, values: Item) -> KeyCondition {
    parse(text, values, KeyCondition::parse)
}

/// A projection.
pub(crate) fn projection(text: &str) -> Projection {
    parse(text, Item::new(), Projection::parse)
}

fn parse<T>(
    text: &str,
    values: Item,
    parse: impl FnOnce(&str, &mut Placeholders) -> Result<T, ExprError>,
) -> T {
    let values = (!values.is_empty()).then(|| values.into_iter().collect());
    let mut placeholders = Placeholders::new(None, values).expect("the placeholders are well-formed");
    let parsed = parse(text, &mut placeholders).expect("the expression is right");
    placeholders.finish().expect("every value is used");
    parsed
}
