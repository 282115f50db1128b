//! Conditions that are built as trees, without text.

use singlet_values::AttributeValue;

use super::{Condition, Operand, Test};
use crate::path::Path;
use crate::syntax::Comparator;

impl Condition {
    /// All conditions hold. `None` if there are none.
    pub fn all(conditions: impl IntoIterator<Item = Condition>) -> Option<Condition> {
        let mut parts = Vec::new();
        for Condition { test } in conditions {
            match test {
                Test::And(inner) => parts.extend(inner),
                test => parts.push(test),
            }
        }
        joined(parts, Test::And)
    }

    /// At least one of the conditions holds. `None` if there are none.
    pub fn any(conditions: impl IntoIterator<Item = Condition>) -> Option<Condition> {
        let mut parts = Vec::new();
        for Condition { test } in conditions {
            match test {
                Test::Or(inner) => parts.extend(inner),
                test => parts.push(test),
            }
        }
        joined(parts, Test::Or)
    }

    /// Both conditions hold.
    #[must_use]
    pub fn and(self, other: Condition) -> Condition {
        Condition::all([self, other]).unwrap_or_else(|| Test::And(Vec::new()).into())
    }

    /// One of the conditions holds, or both do.
    #[must_use]
    pub fn or(self, other: Condition) -> Condition {
        Condition::any([self, other]).unwrap_or_else(|| Test::Or(Vec::new()).into())
    }

    /// The condition doesn't hold.
    #[must_use]
    pub fn negated(self) -> Condition {
        Test::Not(Box::new(self.test)).into()
    }

    /// There is a value at the path.
    pub fn exists(path: Path) -> Condition {
        Test::Exists(path).into()
    }

    /// There is no value at the path.
    pub fn missing(path: Path) -> Condition {
        Test::NotExists(path).into()
    }

    /// The operands are equal.
    pub fn equal(left: impl Into<Operand>, right: impl Into<Operand>) -> Condition {
        Condition::compare(left, Comparator::Equal, right)
    }

    /// The operands compare like this.
    pub fn compare(left: impl Into<Operand>, comparator: Comparator, right: impl Into<Operand>) -> Condition {
        Test::Compare { left: left.into(), comparator, right: right.into() }.into()
    }

    /// The operand is between two others, inclusive.
    pub fn between(
        operand: impl Into<Operand>,
        low: impl Into<Operand>,
        high: impl Into<Operand>,
    ) -> Condition {
        Test::Between { operand: operand.into(), low: low.into(), high: high.into() }.into()
    }

    /// The operand equals one of the candidates.
    pub fn one_of<O: Into<Operand>>(
        operand: impl Into<Operand>,
        candidates: impl IntoIterator<Item = O>,
    ) -> Condition {
        let candidates = candidates.into_iter().map(Into::into).collect();
        Test::In { operand: operand.into(), candidates }.into()
    }

    /// The operand begins with the prefix.
    pub fn begins_with(operand: impl Into<Operand>, prefix: impl Into<Operand>) -> Condition {
        Test::BeginsWith { operand: operand.into(), prefix: prefix.into() }.into()
    }

    /// The operand contains the part.
    pub fn contains(operand: impl Into<Operand>, part: impl Into<Operand>) -> Condition {
        Test::Contains { operand: operand.into(), part: part.into() }.into()
    }
}

/// A single part needs nothing around it.
fn joined(mut parts: Vec<Test>, join: fn(Vec<Test>) -> Test) -> Option<Condition> {
    match parts.len() {
        0 => None,
        1 => parts.pop().map(Condition::from),
        _ => Some(join(parts).into()),
    }
}

impl Operand {
    /// The size of the value at a path.
    pub fn size(path: Path) -> Operand {
        Operand::Size(Box::new(path.into()))
    }
}

impl From<Path> for Operand {
    fn from(path: Path) -> Self {
        Operand::Path(path)
    }
}

impl From<AttributeValue> for Operand {
    fn from(value: AttributeValue) -> Self {
        Operand::Literal(value.into())
    }
}
