//! Conditions and filters: `status = 'open' and total >= {least} and not exists(cancelled_at)`.
//!
//! A condition is read once, checked against the fields of an entity, and written as a DynamoDB expression with
//! placeholders when a pattern runs.

use std::ops::Range;

use singlet_engine::values::AttributeValue;

use crate::json::Json;
use crate::model::FieldType;
use crate::store::ExpressionBuilder;

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

impl Condition {
    /// Reads a condition.
    pub fn parse(text: &str) -> Result<Condition, ConditionError> {
        let _ = text;
        todo!()
    }

    /// Holds it against the fields: every path must lead somewhere, every constant must fit. Gives the parameters
    /// with the type of the field that each is compared with, in order of first use.
    pub fn check(
        &self,
        field: &dyn Fn(&str) -> Option<FieldType>,
    ) -> Result<Vec<(String, FieldType)>, ConditionError> {
        let _ = field;
        todo!()
    }

    /// Writes it as the text of a DynamoDB expression. `argument` gives the value of a parameter, already of the
    /// field's type; `now_ms` is the time for `{now}`.
    pub fn write(
        &self,
        builder: &mut ExpressionBuilder,
        field: &dyn Fn(&str) -> Option<FieldType>,
        argument: &dyn Fn(&str) -> Option<AttributeValue>,
        now_ms: u64,
    ) -> String {
        let _ = (builder, field, argument, now_ms);
        todo!()
    }
}
