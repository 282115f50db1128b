//! Splits a condition into tokens.

use std::ops::Range;

use singlet_values::Number;

use super::{Comparison, ConditionError};
use crate::expression::{Expression, resembles_unit};

/// A token of a condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A field, a path, a keyword or a function.
    Word(String),
    /// `'text'`; a quote inside is doubled.
    Text(String),
    Number(Number),
    /// `{name}`, `{now - 30s}`
    Hole(Expression),
    /// `{name?}`
    OptionalParameter(String),
    /// `30s`
    Duration(Expression),
    Plus,
    Minus,
    Times,
    Comparison(Comparison),
    Open,
    Close,
    Comma,
}

impl Token {
    /// Returns whether it uses a parameter without `?`.
    pub(super) fn requires(&self, parameter: &str) -> bool {
        let Token::Hole(expression) = self else { return false };
        expression.names().into_iter().any(|name| name.parameter() == Some(parameter))
    }
}

/// A token and its position.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) range: Range<usize>,
}

/// Returns all tokens of a text.
pub(super) fn words(text: &str) -> Result<Vec<Placed>, ConditionError> {
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        at += rest.len() - rest.trim_start().len();
        let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) else { return Ok(words) };
        let (token, length) = next(rest, at)?;
        words.push(Placed { token, range: at..at + length });
        at += length;
    }
}

/// Returns the first token of a text that doesn't begin with white space, and its length.
fn next(rest: &str, at: usize) -> Result<(Token, usize), ConditionError> {
    const SYMBOLS: [(&str, Token); 12] = [
        ("<>", Token::Comparison(Comparison::NotEqual)),
        ("!=", Token::Comparison(Comparison::NotEqual)),
        ("<=", Token::Comparison(Comparison::AtMost)),
        (">=", Token::Comparison(Comparison::AtLeast)),
        ("<", Token::Comparison(Comparison::Less)),
        (">", Token::Comparison(Comparison::Greater)),
        ("=", Token::Comparison(Comparison::Equal)),
        ("(", Token::Open),
        (")", Token::Close),
        (",", Token::Comma),
        ("+", Token::Plus),
        ("*", Token::Times),
    ];
    if let Some((symbol, token)) = SYMBOLS.into_iter().find(|(symbol, _)| rest.starts_with(symbol)) {
        return Ok((token, symbol.len()));
    }
    match rest.chars().next() {
        Some('\'') => text(rest, at),
        Some('{') => hole(rest, at),
        Some('-') if !is_negative_number(rest) => Ok((Token::Minus, 1)),
        Some('0'..='9' | '-' | '.') => number(rest, at),
        Some(first) if is_word(first) => {
            let length =
                rest.find(|character: char| !is_word(character) && character != '.').unwrap_or(rest.len());
            let (word, _) = rest.split_at(length);
            Ok((Token::Word(word.to_owned()), length))
        }
        Some('"') => {
            let help = "write strings in single quotes, such as `'open'`";
            Err(ConditionError::new(at..at + 1, "unexpected double quote", help))
        }
        Some(other) => {
            let help = "use fields, values, comparisons, `and`, `or`, `not` and parentheses";
            let message = format!("unexpected character {other:?}");
            Err(ConditionError::new(at..at + other.len_utf8(), message, help))
        }
        None => Ok((Token::Comma, 0)),
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '-'
}

/// Returns whether a text that begins with a minus begins with a number.
fn is_negative_number(rest: &str) -> bool {
    rest.chars().nth(1).is_some_and(|second| second == '.' || second.is_ascii_digit())
}

fn text(rest: &str, at: usize) -> Result<(Token, usize), ConditionError> {
    let mut value = String::new();
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((position, character)) = characters.next() {
        match (character, characters.peek()) {
            ('\'', Some((_, '\''))) => {
                value.push('\'');
                characters.next();
            }
            ('\'', _) => return Ok((Token::Text(value), position + 1)),
            (other, _) => value.push(other),
        }
    }
    let help = "close it with a quote; a quote inside the string is doubled, as in `'it''s'`";
    Err(ConditionError::new(at..at + rest.len(), "missing closing quote", help))
}

fn hole(rest: &str, at: usize) -> Result<(Token, usize), ConditionError> {
    let Some(end) = rest.find('}') else {
        let help = "write a parameter as `{name}`, and the current time as `{now}`";
        return Err(ConditionError::new(at..at + 1, "missing closing brace", help));
    };
    let inside = rest.get(1..end).unwrap_or_default();
    if let Some(name) = inside.strip_suffix('?') {
        return optional(name, at, end).map(|token| (token, end + 1));
    }
    Ok((Token::Hole(Expression::parse(inside, at + 1)?), end + 1))
}

/// Returns the token of `{name?}`, which ends at `end` bytes after `at`.
fn optional(name: &str, at: usize, end: usize) -> Result<Token, ConditionError> {
    if !name.split('.').all(|part| !part.is_empty() && part.chars().all(is_word)) {
        let help = "write an optional parameter as `{name?}`";
        let message = format!("{name:?} isn't a valid parameter name");
        return Err(ConditionError::new(at..at + end + 1, message, help));
    }
    if name == "now" {
        let message = "`{now}` is always there, so it can't be optional";
        return Err(ConditionError::new(at..at + end + 1, message, "write `{now}`"));
    }
    Ok(Token::OptionalParameter(name.to_owned()))
}

fn number(rest: &str, at: usize) -> Result<(Token, usize), ConditionError> {
    let mut before = 'e';
    let ends = |character: char| {
        let is_sign = matches!(character, '+' | '-') && matches!(before, 'e' | 'E');
        before = character;
        !(character.is_alphanumeric() || is_sign || matches!(character, '.' | '_'))
    };
    let length = rest.find(ends).unwrap_or(rest.len());
    let (text, after) = rest.split_at(length);
    let space = after.len() - after.trim_start().len();
    let word = after.trim_start();
    let (word, _) = word.split_at(word.find(|letter| !is_word(letter)).unwrap_or(word.len()));
    if text.parse::<Number>().is_ok() && space > 0 && resembles_unit(word) {
        let length = length + space + word.len();
        let duration = Expression::parse(rest.get(..length).unwrap_or_default(), at)?;
        return Ok((Token::Duration(duration), length));
    }
    let unit = text.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    match (text.parse(), Expression::parse(text, at)) {
        (Err(_), Err(error)) if resembles_unit(unit) => Err(error.into()),
        (Ok(number), _) => Ok((Token::Number(number), length)),
        (Err(_), Ok(duration @ Expression::Duration(_))) => Ok((Token::Duration(duration), length)),
        (Err(_), _) => {
            let message = format!("`{text}` isn't a number of at most 38 digits");
            let help = "write numbers as `12` or `-12.5`, and strings in single quotes";
            Err(ConditionError::new(at..at + length, message, help))
        }
    }
}
