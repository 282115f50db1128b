//! The grammar of updates.

use super::{Operand, Parser, Path, Section, SetValue, Update};
use crate::error::Problem;
use crate::lexer::TokenKind;

impl<'a> Parser<'a> {
    /// One or more sections, with nothing between them.
    pub(super) fn update(&mut self) -> Result<Update<'a>, Problem> {
        let mut sections = vec![self.section()?];
        while self.current() != TokenKind::End {
            sections.push(self.section()?);
        }
        Ok(Update { sections })
    }

    fn section(&mut self) -> Result<Section<'a>, Problem> {
        if self.eat(TokenKind::Set) {
            self.separated(Self::assignment).map(Section::Set)
        } else if self.eat(TokenKind::Remove) {
            self.separated(Self::path).map(Section::Remove)
        } else if self.eat(TokenKind::Add) {
            self.separated(Self::path_and_value).map(Section::Add)
        } else if self.eat(TokenKind::Delete) {
            self.separated(Self::path_and_value).map(Section::Delete)
        } else {
            Err(self.unexpected())
        }
    }

    fn assignment(&mut self) -> Result<(Path<'a>, SetValue<'a>), Problem> {
        let path = self.path()?;
        self.expect(TokenKind::Equal)?;
        let (value, _) = self.set_value()?;
        Ok((path, value))
    }

    fn path_and_value(&mut self) -> Result<(Path<'a>, &'a str), Problem> {
        Ok((self.path()?, self.expect(TokenKind::Value)?))
    }

    /// An operand, or the sum or difference of two, and whether the whole is in parentheses.
    fn set_value(&mut self) -> Result<(SetValue<'a>, bool), Problem> {
        let (left, in_parentheses) = if self.current() == TokenKind::Open {
            match self.in_parentheses(Self::set_value)? {
                SetValue::Operand(left) => (left, true),
                // Only two operands can be added. A third is a syntax error, with or without parentheses.
                arithmetic => return Ok((arithmetic, true)),
            }
        } else {
            (self.bare_operand(Self::set_operand)?, false)
        };
        if self.eat(TokenKind::Plus) {
            Ok((SetValue::Sum(left, self.set_operand()?), false))
        } else if self.eat(TokenKind::Minus) {
            Ok((SetValue::Difference(left, self.set_operand()?), false))
        } else {
            Ok((SetValue::Operand(left), in_parentheses))
        }
    }

    /// An operand of a function, of `+` or of `-`.
    fn set_operand(&mut self) -> Result<Operand<'a>, Problem> {
        self.set_operand_in_any_parentheses().map(|(operand, _)| operand)
    }

    fn set_operand_in_any_parentheses(&mut self) -> Result<(Operand<'a>, bool), Problem> {
        if self.current() == TokenKind::Open {
            Ok((self.in_parentheses(Self::set_operand_in_any_parentheses)?, true))
        } else {
            Ok((self.bare_operand(Self::set_operand)?, false))
        }
    }
}
