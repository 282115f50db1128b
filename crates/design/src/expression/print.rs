//! Expressions as text, for messages and descriptions.

use std::fmt;

use super::{Composed, Expression, Name, Origin};

impl fmt::Display for Composed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Number(number) => write!(f, "{number}"),
            Expression::Duration(span) => f.write_str(&span.source),
            Expression::Now => f.write_str("now"),
            Expression::Name(name) => write!(f, "{name}"),
            Expression::Negative(inner) if inner.is_sum() => write!(f, "-({inner})"),
            Expression::Negative(inner) => write!(f, "-{inner}"),
            Expression::Sum(left, right) => write!(f, "{left} + {right}"),
            Expression::Difference(left, right) if right.is_sum() => write!(f, "{left} - ({right})"),
            Expression::Difference(left, right) => write!(f, "{left} - {right}"),
            Expression::Product(left, right) => {
                left.write_factor(f)?;
                f.write_str(" * ")?;
                right.write_factor(f)
            }
        }
    }
}

impl Expression {
    fn is_sum(&self) -> bool {
        matches!(self, Expression::Sum(..) | Expression::Difference(..))
    }

    fn write_factor(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_sum() { write!(f, "({self})") } else { write!(f, "{self}") }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Origin::Parameter(name) | Origin::Field(name) => f.write_str(name),
            Origin::Result(step, field) => write!(f, "{step}.{field}"),
        }
    }
}
