//! Gives the names of an expression their types, and checks that the value fits its place.

use std::ops::Range;

use super::{Composed, Expression, ExpressionError, Hole, Meaning, Name, TextPiece};
use crate::field::FieldType;
use crate::template::{Format, Split};
use crate::value::holds_instant;

const TEXT: FieldType = FieldType::Text { min: None, max: None };
const NUMBER: FieldType = FieldType::Number { min: None, max: None };
const INT: FieldType = FieldType::Int { min: None, max: None };

/// The kinds of values that can be calculated with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// A number.
    Number,
    /// A length of time.
    Duration,
    /// A point in time.
    Instant,
}

impl Quantity {
    /// Returns the quantity of a field of this type, if it has one.
    pub fn of(kind: &FieldType) -> Option<Quantity> {
        match kind {
            FieldType::Int { .. } | FieldType::Number { .. } => Some(Quantity::Number),
            FieldType::Time | FieldType::Date | FieldType::Epoch => Some(Quantity::Instant),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Quantity::Number => "a number",
            Quantity::Duration => "a duration",
            Quantity::Instant => "a time",
        }
    }
}

impl Composed {
    /// Checks that the value fits a field or parameter of this type, and gives each name its type. `meaning` is the
    /// meaning of a name that isn't a new parameter.
    pub fn check(&mut self, kind: &FieldType, meaning: &Meaning<'_>) -> Result<(), ExpressionError> {
        if let [TextPiece::Hole(hole)] = self.pieces.as_mut_slice()
            && let Some(split) = hole.split
        {
            return hole.check_split(split, kind, meaning);
        }
        let whole = self.whole().is_some();
        let length = self.source.len();
        if !whole && !holds_text(kind) {
            let message = format!("this value is a string, which doesn't fit the type `{}`", kind.word());
            let help = "only a single hole without other text has a type of its own";
            return Err(ExpressionError::new(0..length, message, help));
        }
        for piece in &mut self.pieces {
            let TextPiece::Hole(hole) = piece else { continue };
            if whole {
                hole.expression.check(kind, &hole.range, meaning)?;
            } else {
                hole.check_written(meaning)?;
            }
        }
        Ok(())
    }
}

/// Returns whether a field of this type can hold a text with holes.
fn holds_text(kind: &FieldType) -> bool {
    matches!(
        kind,
        FieldType::Text { .. }
            | FieldType::Choice(_)
            | FieldType::Id
            | FieldType::Date
            | FieldType::Any { .. }
    )
}

impl Hole {
    /// Checks a hole that makes a list of strings.
    fn check_split(
        &mut self,
        split: Split,
        kind: &FieldType,
        meaning: &Meaning<'_>,
    ) -> Result<(), ExpressionError> {
        let error =
            |message: String, help: &str| Err(ExpressionError::new(self.range.clone(), message, help));
        let word = split.name();
        let holds = match kind {
            FieldType::List { of, .. } | FieldType::Set { of, .. } => matches!(**of, FieldType::Text { .. }),
            FieldType::Any { .. } => true,
            _ => false,
        };
        if !holds {
            let message =
                format!("`{word}` makes a list of strings, which doesn't fit the type `{}`", kind.word());
            return error(message, "use it for a list or set of strings");
        }
        self.expression.give_meaning(meaning);
        let Expression::Name(name) = &mut self.expression else {
            return error(
                format!("`{word}` needs a string"),
                "write a name before it, such as `{name:words}`",
            );
        };
        let text =
            |kind: &FieldType| matches!(kind, FieldType::Text { .. } | FieldType::Choice(_) | FieldType::Id);
        match name.kind.get_or_insert(TEXT) {
            FieldType::Any { .. } => Ok(()),
            FieldType::List { of, .. } | FieldType::Set { of, .. } if text(of) => Ok(()),
            kind if text(kind) => Ok(()),
            kind => {
                let message = format!(
                    "`{word}` needs a string or a list of strings, but this is of type `{}`",
                    kind.word()
                );
                error(message, "use a field or parameter of type `string`")
            }
        }
    }

    /// Checks an expression that is written into a text.
    fn check_written(&mut self, meaning: &Meaning<'_>) -> Result<(), ExpressionError> {
        if let Some(split) = self.split {
            let message = format!("`{}` makes a list, which can't be part of a text", split.name());
            let help = "a value with it is nothing but this hole";
            return Err(ExpressionError::new(self.range.clone(), message, help));
        }
        let (range, format) = (&self.range, self.format);
        self.expression.give_meaning(meaning);
        let (wanted, open) = match format {
            Format::Plain => match &self.expression {
                // The thing that the name belongs to decides later.
                Expression::Name(name) if name.parameter().is_some_and(|name| name.contains('.')) => {
                    (None, FieldType::Any { max_bytes: None })
                }
                Expression::Name(_) => (None, TEXT),
                other => (Some(other.shape().unwrap_or(Quantity::Number)), NUMBER),
            },
            Format::Padded { .. } => (Some(Quantity::Number), NUMBER),
            format if format.cuts_time() || format == Format::Descending => {
                (Some(Quantity::Instant), FieldType::Time)
            }
            _ => (None, TEXT),
        };
        match wanted {
            Some(Quantity::Duration) => Err(no_duration(&self.expression, range)),
            Some(wanted) => self.expression.expect(wanted, &open, range),
            None => self.check_text(&open),
        }
    }

    /// Checks that a hole without arithmetic can be written as text.
    fn check_text(&mut self, open: &FieldType) -> Result<(), ExpressionError> {
        let Expression::Name(name) = &mut self.expression else {
            let message =
                format!("`{}` isn't a string, so it has no format `{}`", self.expression, self.format);
            return Err(ExpressionError::new(self.range.clone(), message, "remove the format"));
        };
        let kind = name.kind.get_or_insert_with(|| open.clone());
        let is_text = matches!(kind, FieldType::Text { .. } | FieldType::Choice(_) | FieldType::Id);
        let is_scalar = is_text || Quantity::of(kind).is_some() || matches!(kind, FieldType::Bool);
        let fits = is_text || (is_scalar && self.format == Format::Plain);
        if fits || matches!(kind, FieldType::Any { .. }) {
            return Ok(());
        }
        let message = format!("`{name}` is of type `{}`, which can't be used here", kind.word());
        let name = name.to_string();
        let help = match is_scalar {
            true => format!("write `{{{name}}}` without the format"),
            false => "strings, numbers, times, dates and booleans can be part of a text".to_owned(),
        };
        Err(ExpressionError::new(self.range.clone(), message, help))
    }
}

impl Expression {
    /// Checks that the value fits a field or parameter of this type. `range` is its position, for messages.
    pub fn check(
        &mut self,
        kind: &FieldType,
        range: &Range<usize>,
        meaning: &Meaning<'_>,
    ) -> Result<(), ExpressionError> {
        self.give_meaning(meaning);
        if let Expression::Name(name) = self {
            name.kind.get_or_insert_with(|| kind.clone());
            return Ok(());
        }
        if matches!(self, Expression::Now) && holds_instant(kind) {
            return Ok(());
        }
        let wanted = match kind {
            FieldType::Any { .. } => Some(self.shape().unwrap_or(Quantity::Number)),
            kind => Quantity::of(kind),
        };
        let open = match (kind, wanted) {
            (FieldType::Int { .. }, _) => INT,
            (FieldType::Any { .. }, Some(Quantity::Instant)) => FieldType::Time,
            (kind, Some(Quantity::Instant)) => kind.clone(),
            _ => NUMBER,
        };
        match wanted {
            Some(Quantity::Duration) => Err(no_duration(self, range)),
            Some(wanted) => self.expect(wanted, &open, range),
            None => {
                let shape = self.shape().unwrap_or(Quantity::Number).name();
                let message = format!("`{self}` is {shape}, which doesn't fit the type `{}`", kind.word());
                Err(ExpressionError { range: range.clone(), message, help: None })
            }
        }
    }

    /// Checks that two expressions can be compared with each other: both are numbers, or both are times.
    pub fn check_compared(
        left: &mut Expression,
        right: &mut Expression,
        range: &Range<usize>,
        meaning: &Meaning<'_>,
    ) -> Result<(), ExpressionError> {
        left.give_meaning(meaning);
        right.give_meaning(meaning);
        let wanted = left.shape().or(right.shape()).unwrap_or(Quantity::Number);
        let open = if wanted == Quantity::Instant { FieldType::Time } else { NUMBER };
        left.expect(wanted, &open, range)?;
        right.expect(wanted, &open, range)
    }

    /// Replaces the names that have a meaning of their own.
    pub(crate) fn give_meaning(&mut self, meaning: &Meaning<'_>) {
        self.visit_names(&mut |name| {
            if let (None, Some(known)) = (&name.kind, meaning(&name.origin)) {
                *name = known;
            }
        });
    }

    /// Returns what it certainly is, by its form and the names that have a type.
    pub fn shape(&self) -> Option<Quantity> {
        match self {
            Expression::Number(_) => Some(Quantity::Number),
            Expression::Duration(_) => Some(Quantity::Duration),
            Expression::Now => Some(Quantity::Instant),
            Expression::Name(name) => Quantity::of(name.kind.as_ref()?),
            Expression::Negative(inner) => inner.shape(),
            Expression::Sum(left, right) | Expression::Difference(left, right) => {
                match (left.shape(), right.shape()) {
                    (Some(Quantity::Instant), _) | (_, Some(Quantity::Instant)) => Some(Quantity::Instant),
                    // Something before a duration can be a time or another duration.
                    (left, Some(Quantity::Duration)) => left,
                    (left, right) => left.or(right),
                }
            }
            Expression::Product(left, right) => match (left.shape(), right.shape()) {
                (Some(Quantity::Duration), _) | (_, Some(Quantity::Duration)) => Some(Quantity::Duration),
                _ => Some(Quantity::Number),
            },
        }
    }

    /// Checks that it is such a quantity. A name without a type gets it: `open` for numbers and times.
    pub(crate) fn expect(
        &mut self,
        wanted: Quantity,
        open: &FieldType,
        range: &Range<usize>,
    ) -> Result<(), ExpressionError> {
        use Quantity::{Duration, Instant, Number};
        match (&mut *self, wanted) {
            (Expression::Number(_), Number)
            | (Expression::Duration(_), Duration)
            | (Expression::Now, Instant) => Ok(()),
            (Expression::Name(name), wanted) => name.expect(wanted, open, range),
            (Expression::Negative(inner), Number | Duration) => inner.expect(wanted, open, range),
            (Expression::Sum(left, right), Instant) => {
                let last = left.shape() == Some(Duration) || right.shape() == Some(Instant);
                let (first, second) = if last { (Duration, Instant) } else { (Instant, Duration) };
                left.expect(first, open, range)?;
                right.expect(second, open, range)
            }
            (Expression::Difference(left, right), Instant) => {
                left.expect(Instant, open, range)?;
                right.expect(Duration, open, range)
            }
            (Expression::Sum(left, right) | Expression::Difference(left, right), wanted) => {
                left.expect(wanted, open, range)?;
                right.expect(wanted, open, range)
            }
            (Expression::Product(left, right), Duration) => {
                let leads = left.shape() == Some(Duration);
                let (first, second) = if leads { (Duration, Number) } else { (Number, Duration) };
                left.expect(first, &NUMBER, range)?;
                right.expect(second, &NUMBER, range)
            }
            (Expression::Product(left, right), Number) => {
                left.expect(Number, open, range)?;
                right.expect(Number, open, range)
            }
            (wrong, wanted) => Err(misfit(wrong, wanted, range)),
        }
    }
}

impl Name {
    fn expect(
        &mut self,
        wanted: Quantity,
        open: &FieldType,
        range: &Range<usize>,
    ) -> Result<(), ExpressionError> {
        match &self.kind {
            None if wanted == Quantity::Duration => {}
            None => {
                let fits = Quantity::of(open) == Some(wanted);
                self.kind = Some(match (fits, wanted) {
                    (true, _) => open.clone(),
                    (false, Quantity::Instant) => FieldType::Time,
                    (false, _) => NUMBER,
                });
                return Ok(());
            }
            Some(FieldType::Any { .. }) => return Ok(()),
            Some(kind) if Quantity::of(kind) == Some(wanted) => return Ok(()),
            Some(kind) if wanted != Quantity::Duration => {
                let message =
                    format!("`{self}` is of type `{}`, but {} is needed", kind.word(), wanted.name());
                return Err(ExpressionError { range: range.clone(), message, help: None });
            }
            Some(_) => {}
        }
        let message = format!("`{self}` can't be added to a time, because it has no unit");
        Err(ExpressionError::new(range.clone(), message, format!("multiply it by a unit: `{self} * 1s`")))
    }
}

fn misfit(wrong: &Expression, wanted: Quantity, range: &Range<usize>) -> ExpressionError {
    let have = wrong.shape().unwrap_or(Quantity::Number);
    let message = format!("`{wrong}` is {}, but {} is needed", have.name(), wanted.name());
    let help = match (have, wanted) {
        (Quantity::Number, Quantity::Duration) => format!("add a unit, such as `{wrong}s` or `{wrong} days`"),
        (Quantity::Number, _) => "write a time and a duration, such as `{now + 30s}`".to_owned(),
        (Quantity::Duration, _) => "add it to a time, such as `{now + 30s}`".to_owned(),
        (Quantity::Instant, _) => {
            "a time can only be the start of a time, such as `{now - 1 day}`".to_owned()
        }
    };
    ExpressionError::new(range.clone(), message, help)
}

fn no_duration(expression: &Expression, range: &Range<usize>) -> ExpressionError {
    let message = format!("`{expression}` is a duration, which no field can hold");
    ExpressionError::new(range.clone(), message, "add it to a time, such as `{now + 30s}`")
}
