//! Values with holes: `{now + 30s}`, `{quantity * price}`, `order {number:05}`.
//!
//! A text is parsed once ([`Composed::parse`]), its names are given their meanings and types
//! ([`Composed::check`]), and each call evaluates it. The same expressions stand in conditions.

mod check;
mod parse;
mod print;

use std::ops::Range;

use singlet_values::Number;

use crate::field::FieldType;
use crate::template::{Format, Split};

pub use check::Quantity;
pub(crate) use parse::resembles_unit;

/// A value that is written as text with holes.
#[derive(Debug, Clone, PartialEq)]
pub struct Composed {
    /// Its text in the design.
    pub source: String,
    /// Its parts, without adjacent literals.
    pub pieces: Vec<TextPiece>,
}

/// A part of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum TextPiece {
    /// Literal text.
    Literal(String),
    /// A hole with its format.
    Hole(Hole),
}

/// An expression in braces.
#[derive(Debug, Clone, PartialEq)]
pub struct Hole {
    /// Its value.
    pub expression: Expression,
    /// How the value is written.
    pub format: Format,
    /// The format that makes a list of it, instead of a text. Such a hole stands alone.
    pub split: Option<Split>,
    /// Its bytes in the text, braces included.
    pub range: Range<usize>,
}

/// A value that is computed for each call.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// `12.5`
    Number(Number),
    /// `30s`
    Duration(Period),
    /// `now`: the time of the call.
    Now,
    /// The value of something with a name.
    Name(Name),
    /// `-n`
    Negative(Box<Expression>),
    /// `a + b`
    Sum(Box<Expression>, Box<Expression>),
    /// `a - b`
    Difference(Box<Expression>, Box<Expression>),
    /// `a * b`
    Product(Box<Expression>, Box<Expression>),
}

/// A length of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    /// Its text in the design, such as `30s`.
    pub source: String,
    /// Its milliseconds.
    pub milliseconds: Number,
}

/// A name in an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    /// Its meaning. The parser takes each name for a parameter.
    pub origin: Origin,
    /// The type of its value; `None` until it is checked.
    pub kind: Option<FieldType>,
}

/// The thing that a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A parameter of the pattern.
    Parameter(String),
    /// A field of an earlier step, or of the element of a list: (step, field).
    Result(String, String),
    /// A field of the same item, or a path into one.
    Field(String),
}

/// Returns the name that an origin in the text really stands for, with its type. `None` if it is a new parameter, whose
/// type its place decides.
pub type Meaning<'m> = dyn Fn(&Origin) -> Option<Name> + 'm;

/// The reason why a text isn't a value, or doesn't fit its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// The bytes of the text that are wrong.
    pub range: Range<usize>,
    /// The mistake.
    pub message: String,
    /// How to correct it.
    pub help: Option<String>,
}

impl ExpressionError {
    fn new(range: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        ExpressionError { range, message: message.into(), help: Some(help.into()) }
    }
}

impl Name {
    /// Returns the field of the same item, if it is one.
    pub fn field(&self) -> Option<&str> {
        match &self.origin {
            Origin::Field(path) => Some(path),
            Origin::Parameter(_) | Origin::Result(..) => None,
        }
    }

    /// Returns the parameter, if it is one.
    pub fn parameter(&self) -> Option<&str> {
        match &self.origin {
            Origin::Parameter(name) => Some(name),
            Origin::Result(..) | Origin::Field(_) => None,
        }
    }

    /// Returns the step and the field, if it is a field of an earlier step or of a list's element.
    pub fn result(&self) -> Option<(&str, &str)> {
        match &self.origin {
            Origin::Result(step, field) => Some((step, field)),
            Origin::Parameter(_) | Origin::Field(_) => None,
        }
    }
}

impl Composed {
    /// Returns the text if it has no hole.
    pub fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [TextPiece::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns the expression if the text is exactly one hole without a format, so that the value has its type.
    pub fn whole(&self) -> Option<&Expression> {
        match self.pieces.as_slice() {
            [TextPiece::Hole(Hole { expression, format: Format::Plain, split: None, .. })] => {
                Some(expression)
            }
            _ => None,
        }
    }

    /// Returns the hole and its format if the value is a list of parts of a text.
    pub fn split(&self) -> Option<(&Hole, Split)> {
        match self.pieces.as_slice() {
            [TextPiece::Hole(hole)] => Some((hole, hole.split?)),
            _ => None,
        }
    }

    /// Returns the holes, in order.
    pub fn holes(&self) -> impl Iterator<Item = &Hole> {
        self.pieces.iter().filter_map(|piece| match piece {
            TextPiece::Hole(hole) => Some(hole),
            TextPiece::Literal(_) => None,
        })
    }

    /// Returns the names that it uses, in order.
    pub fn names(&self) -> Vec<&Name> {
        self.holes().flat_map(|hole| hole.expression.names()).collect()
    }

    /// Visits the names, in order, to change them.
    pub(crate) fn visit_names(&mut self, visitor: &mut dyn FnMut(&mut Name)) {
        for piece in &mut self.pieces {
            if let TextPiece::Hole(hole) = piece {
                hole.expression.visit_names(visitor);
            }
        }
    }

    /// Returns whether it depends on the time of the call.
    pub fn uses_now(&self) -> bool {
        self.holes().any(|hole| hole.expression.uses_now())
    }
}

impl Expression {
    /// Returns the names that it uses, in order.
    pub fn names(&self) -> Vec<&Name> {
        let mut names = Vec::new();
        self.visit(&mut |expression| {
            if let Expression::Name(name) = expression {
                names.push(name);
            }
        });
        names
    }

    /// Returns whether it depends on the time of the call.
    pub fn uses_now(&self) -> bool {
        let mut found = false;
        self.visit(&mut |expression| found |= *expression == Expression::Now);
        found
    }

    /// Visits the expression and those inside it, from the left.
    fn visit<'e>(&'e self, visitor: &mut dyn FnMut(&'e Expression)) {
        visitor(self);
        match self {
            Expression::Negative(inner) => inner.visit(visitor),
            Expression::Sum(left, right)
            | Expression::Difference(left, right)
            | Expression::Product(left, right) => {
                left.visit(visitor);
                right.visit(visitor);
            }
            Expression::Number(_) | Expression::Duration(_) | Expression::Now | Expression::Name(_) => {}
        }
    }

    /// Visits the names, from the left, to change them.
    fn visit_names(&mut self, visitor: &mut dyn FnMut(&mut Name)) {
        match self {
            Expression::Name(name) => visitor(name),
            Expression::Negative(inner) => inner.visit_names(visitor),
            Expression::Sum(left, right)
            | Expression::Difference(left, right)
            | Expression::Product(left, right) => {
                left.visit_names(visitor);
                right.visit_names(visitor);
            }
            Expression::Number(_) | Expression::Duration(_) | Expression::Now => {}
        }
    }
}

#[cfg(test)]
mod tests;
