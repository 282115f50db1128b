//! Conditions and filters, evaluated on stored bytes.

mod bind;
mod evaluate;
mod search;

use singlet_values::{ItemRef, Kind};

use crate::check::check_condition;
use crate::error::{ExprError, ExpressionKind, Problem, Within};
use crate::literal::Literal;
use crate::path::Path;
use crate::placeholders::Placeholders;
use crate::syntax::{self, Comparator};

/// A condition on an item: a `ConditionExpression`, a `FilterExpression`, or the older parameters instead of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    test: Test,
}

impl Condition {
    /// Parses an expression; `kind` is the parameter that errors name.
    pub fn parse(
        kind: ExpressionKind,
        text: &str,
        placeholders: &mut Placeholders,
    ) -> Result<Condition, ExprError> {
        Test::parse(text, placeholders).map(Condition::from).within(kind)
    }

    /// Whether an item meets the condition. An item that doesn't exist is [`ItemRef::EMPTY`].
    ///
    /// The evaluation reads only the attributes that the condition names, and only as far as it needs them.
    pub fn matches(&self, item: ItemRef<'_>) -> bool {
        self.test.matches(item)
    }

    /// The top-level attributes that the condition names, in the order they are written, with repeats.
    pub fn top_level_attributes(&self) -> impl Iterator<Item = &str> {
        self.test.paths().into_iter().map(|path| path.head.as_str())
    }

    /// The top-level attributes that the condition enters with `.` or `[]`. A key attribute doesn't allow that.
    pub fn nested_attributes(&self) -> impl Iterator<Item = &str> {
        let nested = |path: &&Path| !path.steps.is_empty();
        self.test.paths().into_iter().filter(nested).map(|path| path.head.as_str())
    }
}

impl From<Test> for Condition {
    fn from(test: Test) -> Self {
        Condition { test }
    }
}

/// A condition with its placeholders looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Or(Vec<Test>),
    And(Vec<Test>),
    Not(Box<Test>),
    Compare { left: Operand, comparator: Comparator, right: Operand },
    Between { operand: Operand, low: Operand, high: Operand },
    In { operand: Operand, candidates: Vec<Operand> },
    Exists(Path),
    NotExists(Path),
    HasKind { operand: Operand, kind: Kind },
    BeginsWith { operand: Operand, prefix: Operand },
    Contains { operand: Operand, part: Operand },
}

/// An operand, which may have a value in an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Path(Path),
    Literal(Literal),
    /// The size of the operand inside, a number.
    Size(Box<Operand>),
}

impl Test {
    /// Parses, checks and binds.
    pub(crate) fn parse(text: &str, placeholders: &mut Placeholders) -> Result<Test, Problem> {
        let condition = syntax::parse_condition(text)?;
        check_condition(&condition)?;
        bind::bind_condition(&condition, placeholders)
    }

    /// Every path in the condition, in the order they are written.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        let mut paths = Vec::new();
        self.collect_paths(&mut paths);
        paths
    }

    fn collect_paths<'t>(&'t self, paths: &mut Vec<&'t Path>) {
        let mut operands = |operands: &[&'t Operand]| paths.extend(operands.iter().filter_map(|o| o.path()));
        match self {
            Test::Or(parts) | Test::And(parts) => parts.iter().for_each(|part| part.collect_paths(paths)),
            Test::Not(part) => part.collect_paths(paths),
            Test::Compare { left, right, .. } => operands(&[left, right]),
            Test::Between { operand, low, high } => operands(&[operand, low, high]),
            Test::In { operand, candidates } => {
                operands(&[operand]);
                paths.extend(candidates.iter().filter_map(Operand::path));
            }
            Test::Exists(path) | Test::NotExists(path) => paths.push(path),
            Test::HasKind { operand, .. } => operands(&[operand]),
            Test::BeginsWith { operand, prefix: other } | Test::Contains { operand, part: other } => {
                operands(&[operand, other]);
            }
        }
    }
}

impl Operand {
    /// The path that the operand reads, if it reads any.
    fn path(&self) -> Option<&Path> {
        match self {
            Operand::Path(path) => Some(path),
            Operand::Literal(_) => None,
            Operand::Size(inner) => inner.path(),
        }
    }
}

#[cfg(test)]
mod tests;
