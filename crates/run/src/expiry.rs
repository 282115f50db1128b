//! Items past their time to live: as good as gone, whether the table has removed them yet or not.
//!
//! The table's time-to-live attribute decides, for reads and writes and for each entity, because DynamoDB deletes by it
//! whichever client wrote it.
//!
//! Expired is expired: DynamoDB's rule that times more than five years past are ignored is one of the deleter, which
//! must not take a mistaken number for a time. Such an item stays in the table, and nobody sees it.

use singlet_design::Table;
use singlet_expr::{Comparator, Condition, Path};
use singlet_values::{AttributeValue, Item, ItemRef, Number, ValueRef};

/// The least time to live that isn't over. A fraction of a second is cut off, so all below it are.
fn first_living(now_second: u64) -> Number {
    Number::from(now_second.saturating_add(1))
}

/// Leaves out expired items.
#[derive(Debug, Clone)]
pub(crate) struct Expiry {
    attribute: Option<String>,
}

impl Expiry {
    /// By this attribute; `None` lets everything through.
    pub(crate) fn new(attribute: Option<String>) -> Self {
        Expiry { attribute }
    }

    /// The attribute that must be read.
    pub(crate) fn attribute(&self) -> Option<&str> {
        self.attribute.as_deref()
    }

    /// Whether an item's time is over.
    #[inline]
    pub(crate) fn is_over(&self, item: ItemRef<'_>, now_ms: u64) -> bool {
        let Some(attribute) = &self.attribute else { return false };
        let Some(ValueRef::N(number)) = item.get(attribute) else { return false };
        number < first_living(now_ms / 1000).view()
    }
}

/// Whether an item of a table is past its time to live.
pub(crate) fn is_expired(table: &Table, item: &Item, now_second: u64) -> bool {
    match table.ttl.as_ref().and_then(|name| item.get(name)) {
        Some(AttributeValue::N(expiry)) => *expiry < first_living(now_second),
        _ => false,
    }
}

/// The condition that an item of a table isn't there.
pub(crate) fn absent(table: &Table, now_second: u64) -> Condition {
    let missing = Condition::missing(Path::attribute(&table.partition.name));
    match &table.ttl {
        None => missing,
        Some(name) => missing.or(expired(name, now_second)),
    }
}

/// The condition that an item of a table is there.
pub(crate) fn present(table: &Table, now_second: u64) -> Condition {
    let there = Condition::exists(Path::attribute(&table.partition.name));
    match &table.ttl {
        None => there,
        Some(name) => there.and(expired(name, now_second).negated()),
    }
}

/// The condition that an attribute holds a second of expiry that is over. It does not hold if there is none.
pub(crate) fn expired(attribute: &str, now_second: u64) -> Condition {
    let living = AttributeValue::N(first_living(now_second));
    Condition::compare(Path::attribute(attribute), Comparator::Less, living)
}
