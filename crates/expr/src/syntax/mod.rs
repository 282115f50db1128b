//! The trees that the parser produces: names and placeholders as they are in the text.
//!
//! This module looks nothing up. [`crate::check`] checks a tree alone; binding (in [`crate::condition`],
//! [`crate::update`] and [`crate::projection`]) looks up the placeholders.

mod condition;
mod parser;
mod update;

use crate::error::Problem;
pub(crate) use parser::Parser;

/// The longest text of an expression.
pub(crate) const TEXT_BYTES_MAX: usize = singlet_values::limits::EXPRESSION_BYTES_MAX;

/// A condition: a filter, a key condition, or the condition of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition<'a> {
    Or(Vec<Condition<'a>>),
    And(Vec<Condition<'a>>),
    Not(Box<Condition<'a>>),
    Compare { left: Operand<'a>, comparator: Comparator, right: Operand<'a> },
    Between { operand: Operand<'a>, low: Operand<'a>, high: Operand<'a> },
    In { operand: Operand<'a>, candidates: Vec<Operand<'a>> },
    Call(Call<'a>),
}

/// The six comparators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparator {
    /// The comparator that means the same after the operands change sides.
    #[must_use]
    pub fn mirrored(self) -> Comparator {
        match self {
            Comparator::Less => Comparator::Greater,
            Comparator::LessOrEqual => Comparator::GreaterOrEqual,
            Comparator::Greater => Comparator::Less,
            Comparator::GreaterOrEqual => Comparator::LessOrEqual,
            Comparator::Equal | Comparator::NotEqual => self,
        }
    }

    /// The comparator as expressions write it.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparator::Equal => "=",
            Comparator::NotEqual => "<>",
            Comparator::Less => "<",
            Comparator::LessOrEqual => "<=",
            Comparator::Greater => ">",
            Comparator::GreaterOrEqual => ">=",
        }
    }
}

/// Something that has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operand<'a> {
    Path(Path<'a>),
    /// A placeholder with its colon.
    Value(&'a str),
    Call(Call<'a>),
}

/// A function and its operands. Any name is accepted here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call<'a> {
    pub(crate) function: &'a str,
    pub(crate) operands: Vec<Operand<'a>>,
}

/// A top-level attribute and the steps from it. A name that begins with `#` is a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path<'a> {
    pub(crate) head: &'a str,
    pub(crate) steps: Vec<Step<'a>>,
}

/// One step into a map or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    Field(&'a str),
    /// The digits of the index.
    Index(&'a str),
}

/// An update: its sections in the order they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Update<'a> {
    pub(crate) sections: Vec<Section<'a>>,
}

/// One of the four kinds of sections, with its actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Section<'a> {
    Set(Vec<(Path<'a>, SetValue<'a>)>),
    Remove(Vec<Path<'a>>),
    Add(Vec<(Path<'a>, &'a str)>),
    Delete(Vec<(Path<'a>, &'a str)>),
}

impl Section<'_> {
    pub(crate) fn keyword(&self) -> &'static str {
        match self {
            Section::Set(_) => "SET",
            Section::Remove(_) => "REMOVE",
            Section::Add(_) => "ADD",
            Section::Delete(_) => "DELETE",
        }
    }
}

/// The right side of an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SetValue<'a> {
    Operand(Operand<'a>),
    Sum(Operand<'a>, Operand<'a>),
    Difference(Operand<'a>, Operand<'a>),
}

/// Parses a condition.
pub(crate) fn parse_condition(text: &str) -> Result<Condition<'_>, Problem> {
    Parser::parse(text, Parser::condition)
}

/// Parses an update.
pub(crate) fn parse_update(text: &str) -> Result<Update<'_>, Problem> {
    Parser::parse(text, Parser::update)
}

/// Parses a projection.
pub(crate) fn parse_projection(text: &str) -> Result<Vec<Path<'_>>, Problem> {
    Parser::parse(text, |parser| parser.separated(Parser::path))
}

#[cfg(test)]
mod tests;
