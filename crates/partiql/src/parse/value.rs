//! Literals: values that are written in the statement, and `?`.

use std::collections::BTreeSet;
use std::fmt;

use singlet_values::{AttributeValue, Attributes, Item, Number, NumberError};

use super::Parser;
use crate::error::StatementError;
use crate::lexer::{Token, TokenKind};

/// Where a literal stands in the value around it, for errors.
#[derive(Clone, Copy)]
enum Under<'u> {
    Root,
    Field(&'u Under<'u>, &'u str),
    Element(&'u Under<'u>, usize),
}

impl Under<'_> {
    fn depth(&self) -> usize {
        match self {
            Under::Root => 0,
            Under::Field(outer, _) | Under::Element(outer, _) => 1 + outer.depth(),
        }
    }
}

impl fmt::Display for Under<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Under::Root => out.write_str("root"),
            Under::Field(outer, name) => write!(out, "{outer}.{name}"),
            Under::Element(outer, index) => write!(out, "{outer}[{index}]"),
        }
    }
}

impl Parser<'_> {
    /// A literal or a parameter.
    pub(super) fn literal(&mut self) -> Result<AttributeValue, StatementError> {
        if self.token.is_word("MISSING") {
            return Err(StatementError::MissingAsValue);
        }
        match self.at_value() {
            true => self.value(&Under::Root),
            false => Err(self.unexpected()),
        }
    }

    /// The item of an `INSERT`, after its opening brace. Every attribute is the root of its own value.
    pub(super) fn item(&mut self) -> Result<Item, StatementError> {
        self.members(&Under::Root, |parser, _| parser.value(&Under::Root))
    }

    fn at_value(&self) -> bool {
        match self.token.kind {
            TokenKind::Text | TokenKind::Number => true,
            TokenKind::Symbol => {
                ["?", "+", "-", "[", "{", "<<"].iter().any(|symbol| self.token.is_symbol(symbol))
            }
            TokenKind::Word => ["TRUE", "FALSE", "NULL"].iter().any(|word| self.token.is_word(word)),
            TokenKind::Quoted | TokenKind::End => false,
        }
    }

    fn value(&mut self, under: &Under<'_>) -> Result<AttributeValue, StatementError> {
        if !self.at_value() {
            return Err(self.not_a_literal(under));
        }
        let depth = under.depth();
        if depth > 0 && self.token.is_symbol("?") {
            return Err(self.nested_parameter(under));
        }
        let token = self.advance()?;
        if depth >= AttributeValue::DEPTH_MAX && (token.is_symbol("[") || token.is_symbol("{")) {
            return Err(StatementError::ValueTooDeep);
        }
        match (token.kind, token.text) {
            (TokenKind::Text, _) => Ok(AttributeValue::S(token.content())),
            (TokenKind::Number, text) => number(text, under),
            (TokenKind::Symbol, "?") => self.parameter(),
            (TokenKind::Symbol, "+" | "-") => self.signed_number(&token, under),
            (TokenKind::Symbol, "[") => self.elements(under).map(AttributeValue::L),
            (TokenKind::Symbol, "{") => {
                let member = |parser: &mut Self, name: &str| parser.value(&Under::Field(under, name));
                self.members(under, member).map(AttributeValue::M)
            }
            (TokenKind::Symbol, _) => self.set(under),
            _ if token.is_word("NULL") => Ok(AttributeValue::Null),
            _ => Ok(AttributeValue::Bool(token.is_word("TRUE"))),
        }
    }

    fn signed_number(
        &mut self,
        sign: &Token<'_>,
        under: &Under<'_>,
    ) -> Result<AttributeValue, StatementError> {
        if self.token.kind != TokenKind::Number {
            return Err(StatementError::malformed("Expected a number"));
        }
        let text = format!("{}{}", sign.text, self.advance()?.text);
        number(&text, under)
    }

    /// The elements of a list, after its opening bracket.
    fn elements(&mut self, under: &Under<'_>) -> Result<Vec<AttributeValue>, StatementError> {
        if self.take_symbol("]")? {
            return Ok(Vec::new());
        }
        let mut count = 0;
        let elements = self.list(|parser| {
            count += 1;
            parser.value(&Under::Element(under, count - 1))
        })?;
        self.close("]", under)?;
        Ok(elements)
    }

    /// The members of a map, after its opening brace.
    fn members(
        &mut self,
        under: &Under<'_>,
        mut member: impl FnMut(&mut Self, &str) -> Result<AttributeValue, StatementError>,
    ) -> Result<Attributes, StatementError> {
        let mut members = Attributes::new();
        if self.take_symbol("}")? {
            return Ok(members);
        }
        loop {
            let position = self.position();
            let name = match self.token.kind {
                TokenKind::Text => self.advance()?.content(),
                TokenKind::Word | TokenKind::Quoted => {
                    return Err(StatementError::KeyNotString { under: under.to_string(), position });
                }
                _ => return Err(StatementError::malformed("Expected a name in quotes")),
            };
            if name.is_empty() {
                return Err(StatementError::EmptyComponent);
            }
            if members.contains(&name) {
                return Err(StatementError::DuplicateKey { key: name, under: under.to_string(), position });
            }
            self.expect_symbol(":")?;
            let value = member(self, &name)?;
            members.insert(name, value);
            if !self.take_symbol(",")? {
                self.close("}", under)?;
                return Ok(members);
            }
        }
    }

    /// The elements of a set, after `<<`.
    fn set(&mut self, under: &Under<'_>) -> Result<AttributeValue, StatementError> {
        if self.take_symbol(">>")? {
            return Err(StatementError::EmptySet);
        }
        let elements = self.list(|parser| parser.value(&Under::Element(under, 0)))?;
        self.close(">>", under)?;
        set_of(elements)
    }

    /// Ends a list, map or set. Arithmetic inside them isn't a literal.
    fn close(&mut self, symbol: &str, under: &Under<'_>) -> Result<(), StatementError> {
        let arithmetic = ["+", "-", "*", "/", "||"].iter().any(|operator| self.token.is_symbol(operator));
        if arithmetic { Err(self.not_a_literal(under)) } else { self.expect_symbol(symbol) }
    }

    /// A parameter is a whole value. It can't be a part of one.
    fn nested_parameter(&self, under: &Under<'_>) -> StatementError {
        let found = "Parameter".to_owned();
        StatementError::NotALiteral { found, under: under.to_string(), position: self.position() }
    }

    /// The error for a token that can't begin a term.
    pub(super) fn unexpected(&self) -> StatementError {
        let operator = ["AND", "BETWEEN", "IN", "IS", "LIKE", "NOT", "OR"];
        StatementError::malformed(match self.token.kind {
            TokenKind::Word if operator.iter().any(|word| self.token.is_word(word)) => "Unexpected operator",
            TokenKind::Word => "Unexpected keyword",
            _ => "Unexpected term",
        })
    }

    fn not_a_literal(&self, under: &Under<'_>) -> StatementError {
        if self.token.kind == TokenKind::End {
            return StatementError::malformed("Expected expression");
        }
        let found = self.token.text.to_owned();
        StatementError::NotALiteral { found, under: under.to_string(), position: self.position() }
    }
}

fn number(text: &str, under: &Under<'_>) -> Result<AttributeValue, StatementError> {
    let number: Result<Number, NumberError> = text.parse();
    number.map(AttributeValue::N).map_err(|error| StatementError::Number { error, under: under.to_string() })
}

/// A set of strings, of numbers or of binaries.
fn set_of(elements: Vec<AttributeValue>) -> Result<AttributeValue, StatementError> {
    let count = elements.len();
    if let Some(texts) = all(&elements, |element| match element {
        AttributeValue::S(text) => Some(text.clone()),
        _ => None,
    }) {
        let set: BTreeSet<String> = texts.iter().cloned().collect();
        return match set.len() == count {
            true => Ok(AttributeValue::Ss(set)),
            false => Err(StatementError::DuplicateStrings(texts)),
        };
    }
    if let Some(numbers) = all(&elements, |element| match element {
        AttributeValue::N(number) => Some(*number),
        _ => None,
    }) {
        let set: BTreeSet<Number> = numbers.into_iter().collect();
        return match set.len() == count {
            true => Ok(AttributeValue::Ns(set)),
            false => Err(StatementError::DuplicateNumbers),
        };
    }
    Err(StatementError::SetElement)
}

/// The inside of all elements, if all are of one kind.
fn all<T>(elements: &[AttributeValue], inside: impl Fn(&AttributeValue) -> Option<T>) -> Option<Vec<T>> {
    elements.iter().map(inside).collect()
}
