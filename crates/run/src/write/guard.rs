//! What a write has read and must find unchanged: the condition that makes reading and writing one step.

use singlet_store::ExpressionBuilder;
use singlet_values::{AttributeValue, Item};

use crate::derive::value_at;

/// Parts of an item as they were read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Guard {
    parts: Vec<(String, Option<AttributeValue>)>,
    /// The item was not there.
    absent: bool,
}

impl Guard {
    /// The item was not there, and must still not be.
    pub(super) fn absent() -> Self {
        Guard { parts: Vec::new(), absent: true }
    }

    /// What a path leads to must stay as it is in this item.
    pub(super) fn keep(&mut self, item: &Item, path: &str) {
        if self.parts.iter().all(|(known, _)| known != path) {
            self.parts.push((path.to_owned(), value_at(item, path).cloned()));
        }
    }

    /// Whether it holds against the item that is there.
    pub(super) fn holds(&self, item: Option<&Item>) -> bool {
        match item {
            None => self.absent || self.parts.is_empty(),
            Some(item) => {
                !self.absent && self.parts.iter().all(|(path, value)| value_at(item, path) == value.as_ref())
            }
        }
    }

    /// Adds what it demands to the terms of a condition. `partition` is the name of the table's partition key.
    pub(super) fn write(&self, partition: &str, builder: &mut ExpressionBuilder, terms: &mut Vec<String>) {
        if self.absent {
            terms.push(format!("attribute_not_exists({})", builder.name(partition)));
        }
        for (path, value) in &self.parts {
            let path = builder.path(path);
            terms.push(match value {
                Some(value) => format!("{path} = {}", builder.value(value.clone())),
                None => format!("attribute_not_exists({path})"),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_holds_only_while_every_part_is_as_it_was_read() {
        let mut item = Item::from([("name", "an")]);
        let mut guard = Guard::default();
        guard.keep(&item, "name");
        guard.keep(&item, "mail");
        assert!(guard.holds(Some(&item)));
        assert!(!guard.holds(None));
        item.insert("other", "x");
        assert!(guard.holds(Some(&item)));
        item.insert("mail", "x");
        assert!(!guard.holds(Some(&item)));
        assert!(Guard::absent().holds(None) && !Guard::absent().holds(Some(&item)));
    }

    #[test]
    fn elements_of_lists_are_reached_by_position() {
        let food = |id: &str| AttributeValue::M(Item::from([("food_id", id)]));
        let item = Item::from([("foods", vec![food("a"), food("b")])]);
        let mut guard = Guard::default();
        guard.keep(&item, "foods[1].food_id");
        guard.keep(&item, "foods[2].food_id");
        assert!(guard.holds(Some(&item)));
        assert!(!guard.holds(Some(&Item::from([("foods", vec![food("b"), food("a")])]))));
        assert!(!guard.holds(Some(&Item::from([("foods", vec![food("a"), food("b"), food("c")])]))));
    }
}
