//! The values that a write has read and must find unchanged: the condition that makes reading and writing one step.

use singlet_expr::{Condition, Path};
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

    /// The value at a path must stay as it is in this item.
    pub(super) fn keep(&mut self, item: &Item, path: &str) {
        if self.parts.iter().all(|(known, _)| known != path) {
            self.parts.push((path.to_owned(), value_at(item, path).cloned()));
        }
    }

    /// Everything that another guard keeps must stay as well.
    pub(super) fn join(&mut self, other: &Guard) {
        self.absent |= other.absent;
        for part in &other.parts {
            if !self.parts.contains(part) {
                self.parts.push(part.clone());
            }
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

    /// The conditions that everything is still as it was read. `partition` is the name of the table's partition key.
    pub(super) fn conditions(&self, partition: &str) -> impl Iterator<Item = Condition> {
        let absent = self.absent.then(|| Condition::missing(Path::attribute(partition)));
        let parts = self.parts.iter().map(|(path, value)| {
            let path = Path::dotted(path);
            match value {
                Some(value) => Condition::equal(path, value.clone()),
                None => Condition::missing(path),
            }
        });
        absent.into_iter().chain(parts)
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
