//! The values of expressions: exact arithmetic on numbers and times.

use std::cmp::Ordering;

use singlet_design::{
    Composed, Expression, FieldType, Format, Hole, Json, Name, Quantity, Split, TextPiece, formatted,
    instant_at, instant_ms, to_attribute,
};
use singlet_values::{AttributeValue, Number, NumberError};

use crate::error::RunError;

/// The value of an expression, or of a part of one.
#[derive(Debug, Clone, PartialEq)]
enum Computed {
    /// A number.
    Number(Number),
    /// Milliseconds.
    Duration(Number),
    /// Milliseconds since 1970.
    Instant(i64),
    /// A value that can't be calculated with.
    Other(AttributeValue),
}

/// Where an expression gets the values of its names and the time of the call.
struct Evaluation<'a> {
    look: &'a dyn Fn(&Name) -> Option<AttributeValue>,
    now_ms: u64,
}

/// Why an expression has no value.
enum Fault {
    /// One of its names has no value.
    Missing,
    /// It can't be calculated.
    Impossible(String),
}

/// Returns the value of a text with holes for a field or parameter of this type. `None` if one of its names has no value.
/// `place` is the field or parameter, for messages.
pub(crate) fn evaluate(
    composed: &Composed,
    place: &str,
    kind: &FieldType,
    look: &dyn Fn(&Name) -> Option<AttributeValue>,
    now_ms: u64,
) -> Result<Option<AttributeValue>, RunError> {
    let evaluation = Evaluation { look, now_ms };
    let value = match (composed.whole(), composed.split()) {
        (Some(expression), _) => evaluation.whole(expression, kind),
        (None, Some((hole, split))) => evaluation.split(hole, split, kind),
        (None, None) => evaluation.text(composed, kind),
    };
    settled(value, place)
}

/// Returns the value of an expression of a condition, for comparing it with a field of this type.
pub(crate) fn evaluate_expression(
    expression: &Expression,
    kind: &FieldType,
    look: &dyn Fn(&Name) -> Option<AttributeValue>,
    now_ms: u64,
) -> Result<Option<AttributeValue>, RunError> {
    settled(Evaluation { look, now_ms }.whole(expression, kind), &format!("{{{expression}}}"))
}

/// Compares two numbers or two times. `None` if one of their names has no value.
pub(crate) fn compare(
    left: &Expression,
    right: &Expression,
    look: &dyn Fn(&Name) -> Option<AttributeValue>,
    now_ms: u64,
) -> Result<Option<Ordering>, RunError> {
    let evaluation = Evaluation { look, now_ms };
    let compared = evaluation.value(left).and_then(|left| Ok((left, evaluation.value(right)?)));
    match compared {
        Ok((Computed::Number(left), Computed::Number(right))) => Ok(Some(left.cmp(&right))),
        Ok((Computed::Instant(left), Computed::Instant(right))) => Ok(Some(left.cmp(&right))),
        Ok(_) | Err(Fault::Missing) => Ok(None),
        Err(Fault::Impossible(reason)) => {
            Err(RunError::Parameter { parameter: format!("{{{left}}}"), reason })
        }
    }
}

fn settled(value: Result<AttributeValue, Fault>, place: &str) -> Result<Option<AttributeValue>, RunError> {
    match value {
        Ok(value) => Ok(Some(value)),
        Err(Fault::Missing) => Ok(None),
        Err(Fault::Impossible(reason)) => Err(RunError::Parameter { parameter: place.to_owned(), reason }),
    }
}

impl Evaluation<'_> {
    fn whole(&self, expression: &Expression, kind: &FieldType) -> Result<AttributeValue, Fault> {
        let fitted = |json: Json| {
            to_attribute(kind, &json).map_err(|error| {
                Fault::Impossible(format!("{}, which is the value of `{{{expression}}}`", error.reason))
            })
        };
        match self.value(expression)? {
            Computed::Number(number) => fitted(Json::Number(number)),
            Computed::Instant(ms) => instant_at(kind, ms).ok_or_else(|| out_of_range(expression)),
            Computed::Duration(_) => Err(impossible(expression, "is a duration")),
            Computed::Other(value) => Ok(value),
        }
    }

    fn text(&self, composed: &Composed, kind: &FieldType) -> Result<AttributeValue, Fault> {
        let mut text = String::new();
        for piece in &composed.pieces {
            match piece {
                TextPiece::Literal(literal) => text.push_str(literal),
                TextPiece::Hole(hole) => text.push_str(&self.written(hole)?),
            }
        }
        to_attribute(kind, &Json::Text(text)).map_err(|error| {
            Fault::Impossible(format!("{}, which is the value of `{composed}`", error.reason))
        })
    }

    /// The parts of a text, or of the texts of a list.
    fn split(&self, hole: &Hole, split: Split, kind: &FieldType) -> Result<AttributeValue, Fault> {
        let value = match self.value(&hole.expression)? {
            Computed::Other(value) => value,
            _ => return Err(impossible(&hole.expression, "isn't a string")),
        };
        let parts = match &value {
            AttributeValue::S(text) => split.of([text.as_str()]),
            AttributeValue::Ss(texts) => split.of(texts.iter().map(String::as_str)),
            AttributeValue::L(texts) => split.of(texts.iter().filter_map(|text| match text {
                AttributeValue::S(text) => Some(text.as_str()),
                _ => None,
            })),
            _ => return Err(impossible(&hole.expression, "isn't a string")),
        };
        let parts = Json::List(parts.into_iter().map(Json::Text).collect());
        to_attribute(kind, &parts).map_err(|error| {
            Fault::Impossible(format!(
                "{}, which are the {} of `{}`",
                error.reason,
                split.name(),
                hole.expression
            ))
        })
    }

    /// The text of a hole in its format.
    fn written(&self, hole: &Hole) -> Result<String, Fault> {
        let value = match self.value(&hole.expression)? {
            Computed::Other(AttributeValue::S(text)) if hole.format == Format::Plain => return Ok(text),
            Computed::Other(value) => value,
            Computed::Number(number) => AttributeValue::N(number),
            Computed::Duration(_) => return Err(impossible(&hole.expression, "is a duration")),
            Computed::Instant(ms) => {
                let kind = match &hole.expression {
                    Expression::Name(name) => name.kind.clone().unwrap_or(FieldType::Time),
                    _ => FieldType::Time,
                };
                instant_at(&kind, ms).ok_or_else(|| out_of_range(&hole.expression))?
            }
        };
        let Some(scalar) = value.as_scalar() else {
            return Err(impossible(&hole.expression, "can't be part of a text"));
        };
        let name = hole.expression.to_string();
        formatted(&name, scalar, hole.format)
            .map_err(|error| Fault::Impossible(format!("can't be made: `{name}`: {}", error.reason)))
    }

    fn value(&self, expression: &Expression) -> Result<Computed, Fault> {
        use Computed::{Duration, Instant};
        let refused = |error: NumberError| impossible(expression, digits(error));
        Ok(match expression {
            Expression::Number(number) => Computed::Number(*number),
            Expression::Duration(period) => Duration(period.milliseconds),
            Expression::Now => Instant(i64::try_from(self.now_ms).unwrap_or(i64::MAX)),
            Expression::Name(name) => self.named(name)?,
            Expression::Negative(inner) => match self.value(inner)? {
                Computed::Number(number) => Computed::Number(number.negated()),
                Duration(ms) => Duration(ms.negated()),
                _ => return Err(impossible(expression, "can't be negative")),
            },
            Expression::Sum(left, right) => match (self.value(left)?, self.value(right)?) {
                (Computed::Number(left), Computed::Number(right)) => {
                    Computed::Number(left.checked_add(&right).map_err(refused)?)
                }
                (Duration(left), Duration(right)) => Duration(left.checked_add(&right).map_err(refused)?),
                (Instant(time), Duration(ms)) | (Duration(ms), Instant(time)) => {
                    Instant(later(expression, time, &ms)?)
                }
                _ => return Err(impossible(expression, "can't be added")),
            },
            Expression::Difference(left, right) => match (self.value(left)?, self.value(right)?) {
                (Computed::Number(left), Computed::Number(right)) => {
                    Computed::Number(left.checked_sub(&right).map_err(refused)?)
                }
                (Duration(left), Duration(right)) => Duration(left.checked_sub(&right).map_err(refused)?),
                (Instant(time), Duration(ms)) => Instant(later(expression, time, &ms.negated())?),
                _ => return Err(impossible(expression, "can't be subtracted")),
            },
            Expression::Product(left, right) => match (self.value(left)?, self.value(right)?) {
                (Computed::Number(left), Computed::Number(right)) => {
                    Computed::Number(left.checked_mul(&right).map_err(refused)?)
                }
                (Computed::Number(times), Duration(ms)) | (Duration(ms), Computed::Number(times)) => {
                    Duration(ms.checked_mul(&times).map_err(refused)?)
                }
                _ => return Err(impossible(expression, "can't be multiplied")),
            },
        })
    }

    fn named(&self, name: &Name) -> Result<Computed, Fault> {
        let value = (self.look)(name).ok_or(Fault::Missing)?;
        if value == AttributeValue::Null {
            return Err(Fault::Missing);
        }
        let quantity = name.kind.as_ref().and_then(Quantity::of);
        Ok(match (quantity, &value) {
            (Some(Quantity::Instant), _) => match instant_ms(&value) {
                Some(ms) => Computed::Instant(ms),
                None => return Err(Fault::Impossible(format!("needs a time in `{name}`"))),
            },
            (_, AttributeValue::N(number)) => Computed::Number(*number),
            _ => Computed::Other(value),
        })
    }
}

/// A time so many milliseconds later.
fn later(expression: &Expression, time: i64, ms: &Number) -> Result<i64, Fault> {
    let Some(ms) = ms.to_i64() else {
        return Err(impossible(expression, "has a duration that isn't a whole number of milliseconds"));
    };
    time.checked_add(ms).ok_or_else(|| out_of_range(expression))
}

fn out_of_range(expression: &Expression) -> Fault {
    impossible(expression, "isn't in the years 1 to 9999")
}

fn impossible(expression: &Expression, reason: &str) -> Fault {
    Fault::Impossible(format!("can't be computed: `{{{expression}}}` {reason}"))
}

fn digits(error: NumberError) -> &'static str {
    match error {
        NumberError::TooManyDigits => "has more than 38 digits",
        NumberError::Overflow => "is too large",
        NumberError::Underflow => "is too close to zero",
        NumberError::NotNumeric => "isn't a number",
    }
}
