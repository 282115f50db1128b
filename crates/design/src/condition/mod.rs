//! Conditions and filters: `status = 'open' and total >= {least} and not exists(cancelled_at)`.
//!
//! A condition is parsed once and checked against the fields of an entity.

mod arithmetic;
mod check;
mod given;
mod habits;
mod lex;
mod optional;
mod parse;
mod side;

pub use check::{beginning_type, compared_type, contained_type};

use std::ops::Range;

use crate::expression::{Expression, ExpressionError, Name, Origin};
use crate::json::Json;

/// A condition on the fields of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// Its text in the design.
    pub source: String,
    /// Its meaning.
    pub tree: Tree,
    /// The parameters that are marked with `?` wherever they are used.
    pub optional: Vec<String>,
}

/// The meaning of a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// True if all are true.
    And(Vec<Tree>),
    /// True if any is true.
    Or(Vec<Tree>),
    /// True if the inner one is false.
    Not(Box<Tree>),
    /// `total >= {least}`
    Compare(Operand, Comparison, Operand),
    /// `total between {least} and {most}`
    Between(Operand, Operand, Operand),
    /// `status in ('open', 'paid')`
    In(Operand, Vec<Operand>),
    /// `exists(path)`
    Exists(String),
    /// `missing(path)`
    Missing(String),
    /// `sold + {n} <= cap`: a comparison that is computed from fields of the item.
    Computed(Expression, Comparison, Expression),
    /// `begins_with(path, text)`
    BeginsWith(String, Operand),
    /// `contains(path, value)`: a part of a string, or an element of a list or set.
    Contains(String, Operand),
}

impl Tree {
    /// Returns every path that it uses, in order.
    pub fn paths(&self) -> Vec<&str> {
        let operands: Vec<&Operand> = match self {
            Tree::And(trees) | Tree::Or(trees) => return trees.iter().flat_map(Tree::paths).collect(),
            Tree::Not(tree) => return tree.paths(),
            Tree::Exists(path) | Tree::Missing(path) => return vec![path],
            Tree::Computed(left, _, right) => return arithmetic::fields_of(left, right),
            Tree::BeginsWith(path, operand) | Tree::Contains(path, operand) => {
                return std::iter::once(path.as_str()).chain(operand.path()).collect();
            }
            Tree::Compare(one, _, other) => vec![one, other],
            Tree::Between(one, least, most) => vec![one, least, most],
            Tree::In(one, others) => std::iter::once(one).chain(others).collect(),
        };
        operands.into_iter().filter_map(Operand::path).collect()
    }

    /// Returns whether it depends on the call: on its time or on a parameter.
    pub fn uses_the_call(&self) -> bool {
        let given = |operand: &Operand| {
            matches!(operand, Operand::Parameter(_) | Operand::Now | Operand::Computed(_))
        };
        match self {
            Tree::And(trees) | Tree::Or(trees) => trees.iter().any(Tree::uses_the_call),
            Tree::Not(tree) => tree.uses_the_call(),
            Tree::Exists(_) | Tree::Missing(_) => false,
            Tree::Computed(left, _, right) => {
                let calls = |side: &Expression| {
                    side.uses_now() || side.names().iter().any(|name| name.field().is_none())
                };
                calls(left) || calls(right)
            }
            Tree::BeginsWith(_, operand) | Tree::Contains(_, operand) => given(operand),
            Tree::Compare(one, _, other) => given(one) || given(other),
            Tree::Between(one, least, most) => [one, least, most].into_iter().any(given),
            Tree::In(one, others) => given(one) || others.iter().any(given),
        }
    }
}

impl Operand {
    /// Returns a value of the call as an operand.
    fn of(expression: Expression) -> Operand {
        match expression {
            Expression::Now => Operand::Now,
            Expression::Number(number) => Operand::Constant(Json::Number(number)),
            Expression::Name(Name { origin: Origin::Parameter(name), .. }) => Operand::Parameter(name),
            computed => Operand::Computed(computed),
        }
    }

    /// Returns the path that it uses.
    fn path(&self) -> Option<&str> {
        match self {
            Operand::Path(path) | Operand::Size(path) => Some(path),
            Operand::Constant(_) | Operand::Parameter(_) | Operand::Now | Operand::Computed(_) => None,
        }
    }
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>` or `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A field or a path into an object.
    Path(String),
    /// `size(path)`
    Size(String),
    /// `'text'`, `12.5`, `true`
    Constant(Json),
    /// `{name}`
    Parameter(String),
    /// `{now}`: the time of the call, in the format of the field on the other side.
    Now,
    /// `{now - 30s}`: a value of the call that is computed.
    Computed(Expression),
}

/// The reason why a text isn't a condition, or doesn't fit the fields.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConditionError {
    /// The bytes of the text that are wrong.
    pub range: Range<usize>,
    /// The mistake.
    pub message: String,
    /// How to correct it.
    pub help: Option<String>,
}

impl ConditionError {
    fn new(range: Range<usize>, message: impl Into<String>, help: &str) -> Self {
        ConditionError { range, message: message.into(), help: Some(help.to_owned()) }
    }
}

impl From<ExpressionError> for ConditionError {
    fn from(ExpressionError { range, message, help }: ExpressionError) -> Self {
        ConditionError { range, message, help }
    }
}

#[cfg(test)]
mod tests;
