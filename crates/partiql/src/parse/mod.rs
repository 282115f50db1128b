//! From tokens to statements.

mod condition;
mod path;
mod select;
mod value;
mod write;

use singlet_values::AttributeValue;

use crate::error::{Position, StatementError};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::statement::Statement;

/// The most conditions inside each other. Every level takes some stack.
const CONDITION_DEPTH_MAX: usize = 100;

/// Words that can't be identifiers without quotes, because a statement could be read in two ways.
const RESERVED: &[&str] = &[
    "ALL",
    "AND",
    "AS",
    "ASC",
    "AT",
    "BETWEEN",
    "BY",
    "CROSS",
    "DELETE",
    "DESC",
    "DISTINCT",
    "EXISTS",
    "FALSE",
    "FROM",
    "GROUP",
    "HAVING",
    "IN",
    "INNER",
    "INSERT",
    "INTO",
    "IS",
    "JOIN",
    "LEFT",
    "LIKE",
    "LIMIT",
    "MISSING",
    "NOT",
    "NULL",
    "ON",
    "OR",
    "ORDER",
    "OUTER",
    "PIVOT",
    "REMOVE",
    "RETURNING",
    "RIGHT",
    "SELECT",
    "SET",
    "TRUE",
    "UNION",
    "UNPIVOT",
    "UPDATE",
    "VALUE",
    "VALUES",
    "WHERE",
];

impl Statement {
    /// Parses a statement; `parameters` are the values of its `?`, in the order they are written.
    pub fn parse(text: &str, parameters: Vec<AttributeValue>) -> Result<Statement, StatementError> {
        let mut lexer = Lexer::new(text);
        let token = lexer.next()?;
        let mut parser = Parser { lexer, token, parameters: parameters.into_iter(), depth: 0 };
        let statement = parser.statement()?;
        parser.finish()?;
        Ok(statement)
    }

    /// Whether a text can only be a statement that reads, without parsing it. `false` if it can't be a statement.
    pub fn reads(text: &str) -> bool {
        Lexer::new(text).next().is_ok_and(|first| first.is_word("SELECT"))
    }
}

/// Reads a statement from left to right, one token ahead.
struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    parameters: std::vec::IntoIter<AttributeValue>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn statement(&mut self) -> Result<Statement, StatementError> {
        if self.take_word("SELECT")? {
            Ok(Statement::Select(self.select()?))
        } else if self.take_word("INSERT")? {
            Ok(Statement::Insert(self.insert()?))
        } else if self.take_word("UPDATE")? {
            Ok(Statement::Update(self.update()?))
        } else if self.take_word("FROM")? {
            Ok(Statement::Update(self.update_from()?))
        } else if self.take_word("DELETE")? {
            Ok(Statement::Delete(self.delete()?))
        } else if self.take_word("EXISTS")? {
            self.expect_symbol("(")?;
            self.expect_word("SELECT")?;
            let select = self.select()?;
            self.expect_symbol(")")?;
            Ok(Statement::Exists(select))
        } else {
            Err(StatementError::malformed("Expected data manipulation"))
        }
    }

    /// The statement must end here, and every parameter must have been used.
    fn finish(&mut self) -> Result<(), StatementError> {
        self.take_symbol(";")?;
        if self.take_word("LIMIT")? {
            return Err(StatementError::UnsupportedClause {
                clause: "LIMIT".to_owned(),
                position: self.position(),
            });
        }
        if self.token.kind != TokenKind::End {
            return Err(leftover());
        }
        match self.parameters.next() {
            Some(_) => Err(StatementError::ParameterCount),
            None => Ok(()),
        }
    }

    /// Takes the current token and reads the next.
    fn advance(&mut self) -> Result<Token<'a>, StatementError> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    /// Where the current token stands.
    fn position(&self) -> Position {
        self.lexer.position(&self.token)
    }

    /// Takes the current token if it is this word, and says whether it was.
    fn take_word(&mut self, word: &str) -> Result<bool, StatementError> {
        let found = self.token.is_word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn take_symbol(&mut self, symbol: &str) -> Result<bool, StatementError> {
        let found = self.token.is_symbol(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect_word(&mut self, word: &str) -> Result<(), StatementError> {
        match self.take_word(word)? {
            true => Ok(()),
            false => Err(StatementError::malformed(format!("Expected {word}"))),
        }
    }

    fn expect_symbol(&mut self, symbol: &str) -> Result<(), StatementError> {
        match self.take_symbol(symbol)? {
            true => Ok(()),
            false => Err(StatementError::malformed(format!("Expected {}", symbol_name(symbol)))),
        }
    }

    /// Whether the current token is an identifier.
    fn at_identifier(&self) -> bool {
        match self.token.kind {
            TokenKind::Quoted => true,
            TokenKind::Word => !RESERVED.iter().any(|word| self.token.is_word(word)),
            _ => false,
        }
    }

    /// The value of a `?`.
    fn parameter(&mut self) -> Result<AttributeValue, StatementError> {
        self.parameters.next().ok_or(StatementError::ParameterCount)
    }

    /// Runs a part of the grammar that can contain itself.
    fn nested<T>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T, StatementError>,
    ) -> Result<T, StatementError> {
        if self.depth == CONDITION_DEPTH_MAX {
            return Err(StatementError::malformed("Expression is nested too deeply"));
        }
        self.depth += 1;
        let outcome = part(self);
        self.depth -= 1;
        outcome
    }

    /// Parts separated by commas.
    fn list<T>(
        &mut self,
        mut part: impl FnMut(&mut Self) -> Result<T, StatementError>,
    ) -> Result<Vec<T>, StatementError> {
        let mut parts = vec![part(self)?];
        while self.take_symbol(",")? {
            parts.push(part(self)?);
        }
        Ok(parts)
    }
}

fn leftover() -> StatementError {
    StatementError::malformed("Unexpected token after expression")
}

/// The names of brackets in errors.
fn symbol_name(symbol: &str) -> &str {
    match symbol {
        "(" => "LEFT_PAREN",
        ")" => "RIGHT_PAREN",
        "]" => "RIGHT_BRACKET",
        other => other,
    }
}
