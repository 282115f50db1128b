//! The key of the single item that a statement names.

use singlet_expr::{Comparator, Condition, KeyAttribute, KeyNames, Operand, Test};
use singlet_values::{AttributeValue, Item};

use crate::error::StatementError;
use crate::statement::Insert;

/// A `WHERE` clause that names one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyed {
    /// The key attributes.
    pub key: Item,
    /// The other conditions of the clause.
    pub rest: Option<Condition>,
}

/// Splits a `WHERE` clause into the key of one item and the other conditions.
pub fn split_key(condition: Option<&Condition>, key: &KeyNames<'_>) -> Result<Keyed, StatementError> {
    let Some(condition) = condition else { return Err(StatementError::IncompleteKey) };
    refuse_nested_keys(condition, key)?;
    let mut rest = Vec::new();
    collect_parts(condition.test(), &mut rest);
    let mut item = Item::new();
    for attribute in key.partition.iter().chain(key.sort) {
        let is_equality = |part: &&Test| equality(part, attribute.name).is_some();
        let mut found = rest.iter().copied().filter(is_equality);
        let (first, second) = (found.next(), found.next());
        if second.is_some() {
            return Err(StatementError::KeyTwice { attribute: attribute.name.to_owned() });
        }
        let value = first.and_then(|part| equality(part, attribute.name));
        let value = value.ok_or(StatementError::IncompleteKey)?;
        check_kind(attribute, value)?;
        item.insert(attribute.name.to_owned(), value.clone());
        rest.retain(|part| !is_equality(part));
    }
    let rest = Condition::all(rest.into_iter().cloned().map(Condition::from));
    Ok(Keyed { key: item, rest })
}

impl Insert {
    /// Rejects an item without a key, or with a key of another kind.
    pub fn check_key(&self, key: &KeyNames<'_>) -> Result<(), StatementError> {
        key.partition.iter().chain(key.sort).try_for_each(|attribute| match self.item.get(attribute.name) {
            Some(value) => check_kind(attribute, value),
            None => Err(StatementError::KeyMissing { attribute: attribute.name.to_owned() }),
        })
    }
}

pub(crate) fn check_kind(attribute: &KeyAttribute<'_>, value: &AttributeValue) -> Result<(), StatementError> {
    match value.kind() == attribute.kind {
        true => Ok(()),
        false => Err(StatementError::KeyKind { attribute: attribute.name.to_owned() }),
    }
}

/// Key attributes are scalars, so a condition can't enter them.
pub(crate) fn refuse_nested_keys(condition: &Condition, key: &KeyNames<'_>) -> Result<(), StatementError> {
    let is_key = |name: &&str| key.partition.iter().chain(key.sort).any(|attribute| attribute.name == *name);
    match condition.nested_attributes().find(is_key) {
        Some(attribute) => Err(StatementError::NestedKey { attribute: attribute.to_owned() }),
        None => Ok(()),
    }
}

/// The parts of a condition that must all be true.
pub(crate) fn collect_parts<'t>(test: &'t Test, parts: &mut Vec<&'t Test>) {
    match test {
        Test::And(inner) => inner.iter().for_each(|part| collect_parts(part, parts)),
        part => parts.push(part),
    }
}

/// The value that a test requires an attribute to equal.
pub(crate) fn equality<'t>(test: &'t Test, attribute: &str) -> Option<&'t AttributeValue> {
    let Test::Compare { left, comparator: Comparator::Equal, right } = test else { return None };
    match (left, right) {
        (Operand::Path(path), Operand::Literal(literal))
        | (Operand::Literal(literal), Operand::Path(path)) => {
            (path.head == attribute && path.steps.is_empty()).then(|| literal.value())
        }
        _ => None,
    }
}
