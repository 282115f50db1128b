//! Conditions and filters: `status = 'open' and total >= {least} and not exists(cancelled_at)`.
//!
//! A condition is read once, checked against the fields of an entity, and written as a DynamoDB expression with
//! placeholders when a pattern runs.

mod check;
mod lex;
mod parse;
mod write;

use std::ops::Range;

use crate::json::Json;

/// A condition on the fields of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// As it was written.
    pub source: String,
    /// What it says.
    pub tree: Tree,
}

/// What a condition says.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// All hold.
    And(Vec<Tree>),
    /// One holds.
    Or(Vec<Tree>),
    /// It does not hold.
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
    /// `begins_with(path, text)`
    BeginsWith(String, Operand),
    /// `contains(path, value)`: part of a text, element of a list or set.
    Contains(String, Operand),
}

/// How two values are compared.
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

/// What stands on a side of a comparison.
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
    /// `{now}`: the time of the call, written as the field on the other side wants it.
    Now,
}

/// Why a text is no condition, or does not fit the fields.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConditionError {
    /// The bytes of the text that are wrong.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

impl ConditionError {
    fn new(range: Range<usize>, message: impl Into<String>, help: &str) -> Self {
        ConditionError { range, message: message.into(), help: Some(help.to_owned()) }
    }
}

#[cfg(test)]
mod tests;
