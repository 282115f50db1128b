//! Finds the place in an item that a path leads to, and changes the value there.

use singlet_values::{AttributeValue, Attributes, Item};

use crate::path::{Path, Step};

/// A place in a map or a list, which may be empty.
pub(super) enum Place<'i> {
    Field(&'i mut Attributes, &'i str),
    Element(&'i mut Vec<AttributeValue>, usize),
}

impl<'i> Place<'i> {
    /// The place at the end of a path, if the list or map around it exists.
    pub(super) fn find(item: &'i mut Item, path: &'i Path) -> Option<Place<'i>> {
        let Some((last, steps)) = path.steps.split_last() else {
            return Some(Place::Field(item, &path.head));
        };
        let mut value = item.get_mut(&path.head)?;
        for step in steps {
            value = match (value, step) {
                (AttributeValue::M(map), Step::Field(name)) => map.get_mut(name)?,
                (AttributeValue::L(list), Step::Index(index)) => list.get_mut(*index)?,
                _ => return None,
            };
        }
        match (value, last) {
            (AttributeValue::M(map), Step::Field(name)) => Some(Place::Field(map, name)),
            (AttributeValue::L(list), Step::Index(index)) => Some(Place::Element(list, *index)),
            _ => None,
        }
    }

    /// Puts a value there. In a list, a higher index than the last means the end.
    pub(super) fn put(self, value: AttributeValue) {
        match self {
            Place::Field(map, name) => {
                map.insert(name, value);
            }
            Place::Element(list, index) => match list.get_mut(index) {
                Some(element) => *element = value,
                None => list.push(value),
            },
        }
    }

    /// Removes the value there. In a list, later elements move up.
    pub(super) fn remove(self) {
        match self {
            Place::Field(map, name) => {
                map.remove(name);
            }
            Place::Element(list, index) => {
                if index < list.len() {
                    list.remove(index);
                }
            }
        }
    }
}
