//! `SELECT`, and the clauses that it shares with writes.

use singlet_expr::{Condition, ExpressionKind, Path, Projection};

use super::Parser;
use crate::error::StatementError;
use crate::lexer::TokenKind;
use crate::statement::{OrderTerm, Select, Source};

impl Parser<'_> {
    /// The statement after the word `SELECT`.
    pub(super) fn select(&mut self) -> Result<Select, StatementError> {
        let columns = self.columns()?;
        self.expect_word("FROM")?;
        if self.token.kind == TokenKind::End {
            return Err(self.unexpected());
        }
        let source = self.source()?;
        if self.token.is_symbol(",") {
            return Err(StatementError::SeveralSources);
        }
        self.refuse_alias()?;
        let condition = self.where_clause()?;
        let order = self.order()?;
        Ok(Select { source, columns, condition, order })
    }

    fn columns(&mut self) -> Result<Option<Vec<Path>>, StatementError> {
        if self.token.is_word("DISTINCT") {
            return Err(StatementError::Distinct);
        }
        if self.take_symbol("*")? {
            return match self.token.is_symbol(",") {
                true => Err(StatementError::StarAndOthers),
                false => Ok(None),
            };
        }
        if self.take_word("VALUE")? {
            return Err(match self.at_identifier() {
                true => StatementError::SelectValue,
                false => StatementError::malformed("Expected identifier"),
            });
        }
        let columns = self.list(Parser::column)?;
        let projection = Projection::columns(columns);
        projection.check()?;
        if let Some(name) = projection.repeated_column() {
            return Err(StatementError::DuplicateColumn { name });
        }
        Ok(Some(projection.paths().to_vec()))
    }

    fn column(&mut self) -> Result<Path, StatementError> {
        let position = self.position();
        if self.token.kind == TokenKind::Word && !self.at_identifier() {
            return Err(StatementError::malformed("Expected identifier"));
        }
        if !self.at_identifier() {
            return Err(match self.token.kind {
                TokenKind::End => StatementError::malformed("Expected identifier"),
                _ => StatementError::UnexpectedComponent { position },
            });
        }
        let path = self.path()?;
        if self.token.is_symbol("(") {
            return Err(StatementError::UnexpectedComponent { position });
        }
        self.refuse_alias()?;
        Ok(path)
    }

    /// A table, or a table and an index.
    pub(super) fn source(&mut self) -> Result<Source, StatementError> {
        let is_literal = matches!(self.token.kind, TokenKind::Text | TokenKind::Number | TokenKind::Symbol);
        if is_literal && !self.token.is_symbol(";") {
            return Err(StatementError::UnexpectedSource);
        }
        if !self.at_identifier() {
            return Err(StatementError::malformed("Expected identifier for simple path"));
        }
        let table = self.identifier()?;
        let index = if self.take_symbol(".")? { Some(self.identifier()?) } else { None };
        match self.token.is_symbol(".") {
            true => Err(StatementError::SourceTooLong),
            false => Ok(Source { table, index }),
        }
    }

    /// A second name after a table or a column.
    pub(super) fn refuse_alias(&mut self) -> Result<(), StatementError> {
        match self.token.is_word("AS") || self.at_identifier() {
            true => Err(StatementError::Alias),
            false => Ok(()),
        }
    }

    /// The `WHERE` clause, if there is one.
    pub(super) fn where_clause(&mut self) -> Result<Option<Condition>, StatementError> {
        if !self.take_word("WHERE")? {
            return Ok(None);
        }
        let condition = Condition::from(self.condition()?);
        condition.check(ExpressionKind::Condition)?;
        Ok(Some(condition))
    }

    fn order(&mut self) -> Result<Vec<OrderTerm>, StatementError> {
        if !self.take_word("ORDER")? {
            return Ok(Vec::new());
        }
        self.expect_word("BY")?;
        self.list(|parser| {
            let attribute = parser.identifier()?;
            let descending = parser.take_word("DESC")?;
            if !descending {
                parser.take_word("ASC")?;
            }
            Ok(OrderTerm { attribute, descending })
        })
    }
}
