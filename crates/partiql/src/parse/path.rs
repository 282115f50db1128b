//! Identifiers and document paths.

use singlet_expr::{Path, Step};

use super::Parser;
use crate::error::StatementError;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// A name, with or without double quotes.
    pub(super) fn identifier(&mut self) -> Result<String, StatementError> {
        if !self.at_identifier() {
            return Err(StatementError::malformed("Expected identifier"));
        }
        named(self.advance()?.content())
    }

    /// A document path.
    pub(super) fn path(&mut self) -> Result<Path, StatementError> {
        let head = self.identifier()?;
        self.path_after(head)
    }

    /// The rest of a document path whose first name has been taken.
    pub(super) fn path_after(&mut self, head: String) -> Result<Path, StatementError> {
        let mut path = Path::attribute(named(head)?);
        loop {
            if self.take_symbol(".")? {
                path.steps.push(self.field()?);
            } else if self.take_symbol("[")? {
                path.steps.push(self.element()?);
                self.expect_symbol("]")?;
            } else {
                return Ok(path);
            }
        }
    }

    /// The name after a dot.
    fn field(&mut self) -> Result<Step, StatementError> {
        if self.token.is_symbol("*") {
            return Err(StatementError::Hierarchy);
        }
        if !self.at_identifier() {
            return Err(StatementError::malformed("Invalid path dot component"));
        }
        named(self.advance()?.content()).map(Step::Field)
    }

    /// The inside of brackets: a position in a list, or a name in quotes.
    fn element(&mut self) -> Result<Step, StatementError> {
        if self.token.kind == TokenKind::Text {
            return named(self.advance()?.content()).map(Step::Field);
        }
        let sign = if self.take_symbol("-")? { "-" } else { "" };
        if self.token.kind != TokenKind::Number {
            return Err(StatementError::malformed("Invalid path component"));
        }
        let position = self.position();
        let index = format!("{sign}{}", self.advance()?.text);
        match index.parse::<i32>().map(usize::try_from) {
            Ok(Ok(index)) => Ok(Step::Index(index)),
            _ => Err(StatementError::IndexRange { index, position }),
        }
    }
}

/// No attribute has an empty name.
fn named(name: String) -> Result<String, StatementError> {
    if name.is_empty() { Err(StatementError::EmptyComponent) } else { Ok(name) }
}
