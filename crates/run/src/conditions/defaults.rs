//! Conditions on fields with a default, for items that are older than the field.

use singlet_design::{Condition, FieldType, Tree};
use singlet_expr as expr;
use singlet_values::{AttributeValue, EncodedItem, Item};

use super::translate::translate;
use crate::error::RunError;

/// The values and types that a condition is translated with.
pub(crate) struct Asked<'a> {
    /// The type that a path leads to.
    pub(crate) field: &'a dyn Fn(&str) -> Option<FieldType>,
    /// The value of a parameter.
    pub(crate) argument: &'a dyn Fn(&str) -> Option<AttributeValue>,
    /// The value that the design gives an item without the field.
    pub(crate) default: &'a dyn Fn(&str) -> Option<AttributeValue>,
    /// The time for `{now}`.
    pub(crate) now_ms: u64,
    /// An attribute that every item has, for conditions that are also evaluated where no item exists. `None` for
    /// filters, which see only items.
    pub(crate) key: Option<&'a str>,
}

impl Asked<'_> {
    /// Returns the condition that a store evaluates: with defaults, and without the terms whose optional parameters
    /// aren't given. `None` if nothing is left.
    pub(crate) fn bind(&self, condition: &Condition) -> Result<Option<expr::Condition>, RunError> {
        let Some(given) = condition.given(&|name| (self.argument)(name).is_some()) else { return Ok(None) };
        let given = self.settled(given);
        Ok(self.translate(&self.with_defaults(&self.computed(&given)?)))
    }

    /// Returns a condition that holds for an item without a field exactly if it holds for the field's default. A
    /// comparison of two fields takes them as they are stored.
    fn with_defaults(&self, condition: &Condition) -> Condition {
        Condition { tree: self.tree(&condition.tree), ..condition.clone() }
    }

    /// Returns the tree that a store evaluates.
    fn translate(&self, condition: &Condition) -> Option<expr::Condition> {
        translate(condition, self.field, self.argument, self.now_ms)
    }

    fn tree(&self, tree: &Tree) -> Tree {
        match tree {
            Tree::And(branches) => Tree::And(branches.iter().map(|branch| self.tree(branch)).collect()),
            Tree::Or(branches) => Tree::Or(branches.iter().map(|branch| self.tree(branch)).collect()),
            Tree::Not(inner) => Tree::Not(Box::new(self.tree(inner))),
            test => self.test(test),
        }
    }

    fn test(&self, test: &Tree) -> Tree {
        let mut fields: Vec<&str> = test.paths().iter().filter_map(|path| path.split('.').next()).collect();
        fields.dedup();
        let [field] = fields.as_slice() else { return test.clone() };
        let Some(default) = (self.default)(field) else { return test.clone() };
        let old: Item = [(*field, default)].into_iter().collect();
        match (self.holds(test, &old), self.holds(test, &Item::new())) {
            (true, false) => Tree::Or(vec![self.lacks(field), test.clone()]),
            (false, true) => Tree::And(vec![Tree::Exists((*field).to_owned()), test.clone()]),
            _ => test.clone(),
        }
    }

    /// There is an item, and it lacks the field.
    fn lacks(&self, field: &str) -> Tree {
        let missing = Tree::Missing(field.to_owned());
        match self.key {
            Some(key) => Tree::And(vec![Tree::Exists(key.to_owned()), missing]),
            None => missing,
        }
    }

    fn holds(&self, test: &Tree, item: &Item) -> bool {
        let alone = Condition { source: String::new(), tree: test.clone(), optional: Vec::new() };
        let condition = self.translate(&alone);
        condition.is_some_and(|condition| condition.matches(EncodedItem::encode(item).view()))
    }
}
