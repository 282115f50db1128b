//! Conditions and filters, evaluated on stored bytes.

mod bind;
mod build;
mod evaluate;
mod rules;
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

    /// The tree, for stores that translate it.
    pub fn test(&self) -> &Test {
        &self.test
    }

    /// Rejects a condition that DynamoDB would reject for every item. A parsed condition has been checked already.
    pub fn check(&self, kind: ExpressionKind) -> Result<(), ExprError> {
        self.test.check().within(kind)
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

/// The tree of a condition, with its placeholders looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// At least one part is true.
    Or(Vec<Test>),
    /// All parts are true.
    And(Vec<Test>),
    /// The part is false.
    Not(Box<Test>),
    /// A comparison of two operands.
    Compare {
        /// The left operand.
        left: Operand,
        /// The comparator.
        comparator: Comparator,
        /// The right operand.
        right: Operand,
    },
    /// The operand is between two others, inclusive.
    Between {
        /// The operand.
        operand: Operand,
        /// The lower bound.
        low: Operand,
        /// The upper bound.
        high: Operand,
    },
    /// The operand equals one of several.
    In {
        /// The operand.
        operand: Operand,
        /// The operands that it may equal.
        candidates: Vec<Operand>,
    },
    /// There is a value at the path.
    Exists(Path),
    /// There is no value at the path.
    NotExists(Path),
    /// The operand is of this kind.
    HasKind {
        /// The operand.
        operand: Operand,
        /// The kind.
        kind: Kind,
    },
    /// The operand begins with another.
    BeginsWith {
        /// The operand.
        operand: Operand,
        /// Its beginning.
        prefix: Operand,
    },
    /// The operand contains another, as a part of a string or as an element.
    Contains {
        /// The operand.
        operand: Operand,
        /// The part or element.
        part: Operand,
    },
}

/// An operand, which may have a value in an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The value at a path.
    Path(Path),
    /// A value of the request.
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
        match self {
            Test::Or(parts) | Test::And(parts) => parts.iter().for_each(|part| part.collect_paths(paths)),
            Test::Not(part) => part.collect_paths(paths),
            Test::Exists(path) | Test::NotExists(path) => paths.push(path),
            test => paths.extend(test.operands().into_iter().filter_map(Operand::path)),
        }
    }

    /// The operands of this test itself, in the order they are written.
    fn operands(&self) -> Vec<&Operand> {
        match self {
            Test::Or(_) | Test::And(_) | Test::Not(_) | Test::Exists(_) | Test::NotExists(_) => Vec::new(),
            Test::Compare { left, right, .. } => vec![left, right],
            Test::Between { operand, low, high } => vec![operand, low, high],
            Test::In { operand, candidates } => std::iter::once(operand).chain(candidates).collect(),
            Test::HasKind { operand, .. } => vec![operand],
            Test::BeginsWith { operand, prefix: other } | Test::Contains { operand, part: other } => {
                vec![operand, other]
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
