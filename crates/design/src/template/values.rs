//! Sources of values: items in both forms, maps, and two sources in order.

use std::collections::BTreeMap;

use singlet_values::{AttributeValue, EncodedItem, Item, ItemRef, ValueRef};

use super::Values;

impl Values for Item {
    /// Lists, maps and sets count as missing, because they can't be part of a key.
    fn value(&self, path: &str) -> Option<ValueRef<'_>> {
        let mut steps = path.split('.');
        let first = self.get(steps.next()?)?;
        scalar_at(first, steps)
    }
}

impl Values for BTreeMap<String, AttributeValue> {
    fn value(&self, path: &str) -> Option<ValueRef<'_>> {
        if let Some(value) = self.get(path) {
            return scalar_at(value, std::iter::empty());
        }
        let mut steps = path.split('.');
        let first = self.get(steps.next()?)?;
        scalar_at(first, steps)
    }
}

impl Values for ItemRef<'_> {
    fn value(&self, path: &str) -> Option<ValueRef<'_>> {
        let mut steps = path.split('.');
        let mut value = self.get(steps.next()?)?;
        for step in steps {
            let ValueRef::M(map) = value else { return None };
            value = map.get(step)?;
        }
        (value != ValueRef::Null).then_some(value)
    }
}

impl Values for EncodedItem {
    fn value(&self, path: &str) -> Option<ValueRef<'_>> {
        let mut steps = path.split('.');
        let mut value = self.view().get(steps.next()?)?;
        for step in steps {
            let ValueRef::M(map) = value else { return None };
            value = map.get(step)?;
        }
        (value != ValueRef::Null).then_some(value)
    }
}

/// The first source that has a value wins.
impl<A: Values, B: Values> Values for (A, B) {
    fn value(&self, path: &str) -> Option<ValueRef<'_>> {
        self.0.value(path).or_else(|| self.1.value(path))
    }
}

impl<V: Values + ?Sized> Values for &V {
    fn value(&self, path: &str) -> Option<ValueRef<'_>> {
        (**self).value(path)
    }
}

fn scalar_at<'a, 'p>(
    value: &'a AttributeValue,
    steps: impl Iterator<Item = &'p str>,
) -> Option<ValueRef<'a>> {
    let mut value = value;
    for step in steps {
        let AttributeValue::M(map) = value else { return None };
        value = map.get(step)?;
    }
    value.as_scalar().filter(|scalar| *scalar != ValueRef::Null)
}
