//! Parses values with holes, and the expressions in them.

use singlet_values::Number;

use super::{Composed, Expression, ExpressionError, Hole, Name, Origin, Period, TextPiece};
use crate::holes::{BraceError, HolePiece, holes};
use crate::limits::{TEMPLATE_BYTES_MAX, number};
use crate::names::nearest;
use crate::template::{Format, Split};

/// The maximum nesting of parentheses and minus signs.
const DEPTH_MAX: usize = 32;

/// The units of durations, with their milliseconds.
const UNITS: [(&str, u64); 12] = [
    ("ms", 1),
    ("s", 1000),
    ("second", 1000),
    ("seconds", 1000),
    ("minute", 60_000),
    ("minutes", 60_000),
    ("hour", 3_600_000),
    ("hours", 3_600_000),
    ("day", 86_400_000),
    ("days", 86_400_000),
    ("week", 604_800_000),
    ("weeks", 604_800_000),
];

const OPERAND: &str = "write a number, a duration such as `30s`, `now` or a name";

impl From<BraceError> for ExpressionError {
    fn from(error: BraceError) -> Self {
        ExpressionError::new(error.range, error.message, error.help)
    }
}

impl Composed {
    /// Parses a text with holes. Each name is taken for a parameter without a type.
    pub fn parse(text: &str) -> Result<Composed, ExpressionError> {
        if text.contains('{') && text.len() > TEMPLATE_BYTES_MAX {
            let message = format!("a value with holes can have at most {} bytes", number(TEMPLATE_BYTES_MAX));
            return Err(ExpressionError { range: 0..0, message, help: None });
        }
        let mut pieces = Vec::new();
        for piece in holes(text) {
            pieces.push(match piece? {
                HolePiece::Literal(literal) => TextPiece::Literal(literal),
                HolePiece::Hole { inside, at } => TextPiece::Hole(hole(inside, at)?),
            });
        }
        Ok(Composed { source: text.to_owned(), pieces })
    }
}

/// Parses the text between braces; `at` is the position of the opening one.
fn hole(text: &str, at: usize) -> Result<Hole, ExpressionError> {
    let range = at..at + text.len() + 2;
    let split = text.split_once(':').and_then(|(_, format)| Split::named(format));
    let (expression, format) = match text.split_once(':') {
        None => (text, Format::Plain),
        Some((expression, _)) if split.is_some() => (expression, Format::Plain),
        Some((expression, format)) => {
            let format_at = at + 2 + expression.len();
            let format = Format::parse(format, format_at).map_err(|error| ExpressionError {
                range: error.range,
                message: error.message,
                help: Split::nearest(format).map(|name| format!("did you mean `{name}`?")).or(error.help),
            })?;
            (expression, format)
        }
    };
    Ok(Hole { expression: Expression::parse(expression, at + 1)?, format, split, range })
}

impl Expression {
    /// Parses an expression; `at` is its position in the text that surrounds it.
    pub fn parse(text: &str, at: usize) -> Result<Expression, ExpressionError> {
        let mut parser = ExpressionParser { text, start: at, at: 0 };
        if text.trim().is_empty() {
            let message = "there is nothing between the braces";
            return Err(ExpressionError::new(parser.start..at + text.len(), message, OPERAND));
        }
        let expression = parser.sum(0)?;
        match parser.next() {
            None => Ok(expression),
            Some(other) => Err(parser.unexpected(other)),
        }
    }
}

struct ExpressionParser<'t> {
    text: &'t str,
    /// The position of the text in the one that surrounds it.
    start: usize,
    at: usize,
}

impl<'t> ExpressionParser<'t> {
    /// Returns the next character that isn't white space.
    fn next(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn takes(&mut self, symbol: char) -> bool {
        let there = self.next() == Some(symbol);
        self.at += if there { symbol.len_utf8() } else { 0 };
        there
    }

    fn sum(&mut self, depth: usize) -> Result<Expression, ExpressionError> {
        let mut left = self.product(depth)?;
        loop {
            if self.takes('+') {
                left = Expression::Sum(Box::new(left), Box::new(self.product(depth)?));
            } else if self.takes('-') {
                left = Expression::Difference(Box::new(left), Box::new(self.product(depth)?));
            } else {
                return Ok(left);
            }
        }
    }

    fn product(&mut self, depth: usize) -> Result<Expression, ExpressionError> {
        let mut left = self.factor(depth)?;
        while self.takes('*') {
            left = Expression::Product(Box::new(left), Box::new(self.factor(depth)?));
        }
        Ok(left)
    }

    fn factor(&mut self, depth: usize) -> Result<Expression, ExpressionError> {
        let first = self.next();
        if depth > DEPTH_MAX {
            return Err(self.error(0, "the expression is nested too deeply", "remove parentheses"));
        }
        match first {
            Some('(') => {
                self.at += 1;
                let inner = self.sum(depth + 1)?;
                if !self.takes(')') {
                    return Err(self.error(1, "expected a closing parenthesis", "add `)`"));
                }
                Ok(inner)
            }
            Some('-') => {
                self.at += 1;
                Ok(match self.factor(depth + 1)? {
                    Expression::Number(number) => Expression::Number(number.negated()),
                    inner => Expression::Negative(Box::new(inner)),
                })
            }
            Some(first) if first == '.' || is_word(first) => self.word(),
            Some(other) => Err(self.unexpected(other)),
            None => Err(self.error(0, "expected a value", OPERAND)),
        }
    }

    /// Parses a number, a duration or a name.
    fn word(&mut self) -> Result<Expression, ExpressionError> {
        let rest = self.rest();
        let length = rest.find(|letter| letter != '.' && !is_word(letter)).unwrap_or(rest.len());
        let (word, _) = rest.split_at(length);
        if !word.starts_with(|first: char| first == '.' || first.is_ascii_digit()) {
            return self.name(word);
        }
        let digits = word.find(|letter: char| letter != '.' && !letter.is_ascii_digit()).unwrap_or(length);
        let (digits, unit) = word.split_at(digits);
        if unit.is_empty()
            && let Ok(number) = digits.parse::<Number>()
        {
            self.at += length;
            return match self.unit()? {
                Some((unit, ms)) => self.duration(&format!("{digits} {unit}"), number, ms),
                None => Ok(Expression::Number(number)),
            };
        }
        if let (Ok(amount), Some(ms)) = (digits.parse::<Number>(), unit_ms(unit)) {
            self.at += length;
            return self.duration(word, amount, ms);
        }
        if let Ok(number) = word.parse::<Number>() {
            self.at += length;
            return Ok(Expression::Number(number));
        }
        if digits.parse::<Number>().is_ok()
            && unit.chars().all(char::is_alphabetic)
            && nearest_unit(unit).is_some()
        {
            return Err(self.no_unit(length, unit));
        }
        self.name(word)
    }

    /// Takes a unit of time after a number and white space. No other word can stand there.
    fn unit(&mut self) -> Result<Option<(&'t str, u64)>, ExpressionError> {
        let after = self.rest().trim_start();
        let length = after.find(|letter| !is_word(letter)).unwrap_or(after.len());
        let (unit, _) = after.split_at(length);
        let Some(ms) = unit_ms(unit) else {
            if !unit.starts_with(char::is_alphabetic) {
                return Ok(None);
            }
            self.at = self.text.len() - after.len();
            return Err(self.no_unit(length, unit));
        };
        self.at = self.text.len() - after.len() + length;
        Ok(Some((unit, ms)))
    }

    /// Makes an error about the next bytes, which should be a unit of time.
    fn no_unit(&self, length: usize, unit: &str) -> ExpressionError {
        let guess = nearest_unit(unit).map(|known| format!("did you mean `{known}`? ")).unwrap_or_default();
        let help =
            format!("{guess}the units are `ms`, `s`, `seconds`, `minutes`, `hours`, `days` and `weeks`");
        self.error(length, format!("`{unit}` isn't a unit of time"), help)
    }

    fn duration(&self, source: &str, amount: Number, ms: u64) -> Result<Expression, ExpressionError> {
        let milliseconds = amount.checked_mul(&Number::from(ms)).ok();
        match milliseconds.filter(|milliseconds| milliseconds.to_i64().is_some()) {
            Some(milliseconds) => {
                Ok(Expression::Duration(Period { source: source.to_owned(), milliseconds }))
            }
            None => {
                let range = (self.start + self.at).saturating_sub(source.len())..self.start + self.at;
                let message = format!("`{source}` isn't a whole number of milliseconds");
                Err(ExpressionError::new(range, message, "write a duration such as `30s` or `1.5 hours`"))
            }
        }
    }

    fn name(&mut self, word: &str) -> Result<Expression, ExpressionError> {
        if word.ends_with('-') || word.starts_with("now-") {
            let help = "write spaces around a minus sign, such as `{now - 1 day}`";
            return Err(self.error(word.len(), format!("`{word}` isn't a name"), help));
        }
        if word.split('.').any(str::is_empty) {
            let help = "write names with one dot between them, such as `{order.total}`";
            return Err(self.error(word.len(), "a path can't have an empty step", help));
        }
        self.at += word.len();
        Ok(match word {
            "now" => Expression::Now,
            name => Expression::Name(Name { origin: Origin::Parameter(name.to_owned()), kind: None }),
        })
    }

    fn unexpected(&self, character: char) -> ExpressionError {
        let (message, help) = match character {
            '/' => ("there is no division".to_owned(), "multiply by a decimal, such as `{total * 0.5}`"),
            '?' => ("a value can't be optional here".to_owned(), "remove the question mark"),
            '\'' | '"' => {
                ("strings can't be part of an expression".to_owned(), "write text outside the braces")
            }
            '(' => ("functions can't be used in a value".to_owned(), OPERAND),
            other if is_word(other) => {
                ("expected `+`, `-` or `*`".to_owned(), "a name has letters, digits, `_` and `-`")
            }
            other => (format!("unexpected character {other:?}"), "use names, numbers, `+`, `-` and `*`"),
        };
        self.error(character.len_utf8(), message, help)
    }

    /// Makes an error about the next bytes.
    fn error(&self, length: usize, message: impl Into<String>, help: impl Into<String>) -> ExpressionError {
        let start = self.start + self.at;
        let end = (start + length).min(self.start + self.text.len());
        ExpressionError::new(start..end.max(start), message, help)
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-')
}

/// Returns whether a word after a number is a unit of time, or was probably meant to be one. Words of conditions aren't.
pub(crate) fn resembles_unit(word: &str) -> bool {
    let is_meant = || word.len() > 3 && word != "between" && nearest_unit(word).is_some();
    unit_ms(word).is_some() || is_meant()
}

fn nearest_unit(unit: &str) -> Option<&'static str> {
    nearest(unit, UNITS.iter().map(|(name, _)| *name))
}

fn unit_ms(unit: &str) -> Option<u64> {
    UNITS.iter().find(|(name, _)| *name == unit).map(|(_, ms)| *ms)
}
