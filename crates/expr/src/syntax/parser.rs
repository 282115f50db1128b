//! The parser's cursor, and the parts of the grammar that all expressions share: paths, operands and calls.

use super::{Call, Operand, Path, Step, TEXT_BYTES_MAX};
use crate::error::Problem;
use crate::function::Function;
use crate::lexer::{Lexer, Token, TokenKind};

/// The maximum nesting of operands that the parser follows.
///
/// A valid operand is at most a call in a call, each in parentheses. Following deeper nesting could exhaust the stack.
const OPERAND_NESTING_MAX: usize = 16;

/// Reads a text from left to right with one token of look-ahead.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    lexer: Lexer<'a>,
    previous: Option<Token>,
    current: Token,
    following: Token,
    nesting: usize,
    /// Whether redundant parentheses were seen. They are reported only if there isn't a syntax error.
    redundant_parentheses: bool,
}

impl<'a> Parser<'a> {
    /// Parses a whole text as one `rule`.
    pub(super) fn parse<T>(
        text: &'a str,
        rule: impl FnOnce(&mut Self) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        if text.is_empty() {
            return Err(Problem::Empty);
        }
        if text.len() > TEXT_BYTES_MAX {
            return Err(Problem::TooLong { bytes: text.len() });
        }
        let mut lexer = Lexer::new(text);
        let (current, following) = (lexer.next(), lexer.next());
        let mut parser =
            Parser { lexer, previous: None, current, following, nesting: 0, redundant_parentheses: false };
        let parsed = rule(&mut parser)?;
        parser.expect(TokenKind::End)?;
        if parser.redundant_parentheses {
            return Err(Problem::RedundantParentheses);
        }
        Ok(parsed)
    }

    pub(super) fn current(&self) -> TokenKind {
        self.current.kind
    }

    /// Takes the current token and returns its text.
    pub(super) fn advance(&mut self) -> &'a str {
        let token = self.current;
        self.previous = Some(token);
        self.current = self.following;
        self.following = self.lexer.next();
        self.lexer.slice(token.start, token.end)
    }

    /// Takes the current token if it is of this kind.
    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.current.kind == kind;
        if found {
            self.advance();
        }
        found
    }

    /// Takes the current token, which must be of this kind.
    pub(super) fn expect(&mut self, kind: TokenKind) -> Result<&'a str, Problem> {
        if self.current.kind == kind { Ok(self.advance()) } else { Err(self.unexpected()) }
    }

    /// The error that names the current token and its neighbours.
    pub(super) fn unexpected(&self) -> Problem {
        let is_end = |token: Token| token.kind == TokenKind::End;
        let start = self.previous.unwrap_or(self.current).start;
        let last = [self.following, self.current].into_iter().find(|token| !is_end(*token));
        let end = last.or(self.previous).unwrap_or(self.current).end;
        let token = if is_end(self.current) {
            "<EOF>"
        } else {
            self.lexer.slice(self.current.start, self.current.end)
        };
        Problem::Syntax { token: token.to_owned(), near: self.lexer.slice(start, end).to_owned() }
    }

    /// One or more of something, with commas between them.
    pub(super) fn separated<T>(
        &mut self,
        rule: impl Fn(&mut Self) -> Result<T, Problem>,
    ) -> Result<Vec<T>, Problem> {
        let mut parts = vec![rule(self)?];
        while self.eat(TokenKind::Comma) {
            parts.push(rule(self)?);
        }
        Ok(parts)
    }

    /// An operand, or a similar part, in parentheses. `inner` returns whether the part itself is in parentheses.
    pub(super) fn in_parentheses<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<(T, bool), Problem>,
    ) -> Result<T, Problem> {
        self.expect(TokenKind::Open)?;
        self.enter().ok_or(Problem::RedundantParentheses)?;
        let (inner, in_parentheses) = inner(self)?;
        self.nesting -= 1;
        self.see_parentheses(in_parentheses);
        self.expect(TokenKind::Close)?;
        Ok(inner)
    }

    /// Records a pair of parentheses around something that may already be in parentheses.
    pub(super) fn see_parentheses(&mut self, around_parentheses: bool) {
        self.redundant_parentheses |= around_parentheses;
    }

    fn enter(&mut self) -> Option<()> {
        self.nesting += 1;
        (self.nesting <= OPERAND_NESTING_MAX).then_some(())
    }

    /// `name`, `name.name`, `name[3]` and so on.
    pub(super) fn path(&mut self) -> Result<Path<'a>, Problem> {
        let head = self.name()?;
        self.path_from(Path { head, steps: Vec::new() })
    }

    /// Adds the steps that follow to a path.
    pub(super) fn path_from(&mut self, mut path: Path<'a>) -> Result<Path<'a>, Problem> {
        loop {
            let step = if self.eat(TokenKind::Dot) {
                Step::Field(self.name()?)
            } else if self.eat(TokenKind::OpenBracket) {
                let index = self.expect(TokenKind::Digits)?;
                self.expect(TokenKind::CloseBracket)?;
                Step::Index(index)
            } else {
                return Ok(path);
            };
            path.steps.push(step);
        }
    }

    fn name(&mut self) -> Result<&'a str, Problem> {
        match self.current() {
            TokenKind::Identifier | TokenKind::Name => Ok(self.advance()),
            _ => Err(self.unexpected()),
        }
    }

    /// A path, a value or a call, not in parentheses. The operands of a call are read by `argument`.
    pub(super) fn bare_operand(
        &mut self,
        argument: fn(&mut Self) -> Result<Operand<'a>, Problem>,
    ) -> Result<Operand<'a>, Problem> {
        match self.current() {
            TokenKind::Value => Ok(Operand::Value(self.advance())),
            TokenKind::Identifier if self.following.kind == TokenKind::Open => {
                self.call(argument).map(Operand::Call)
            }
            _ => self.path().map(Operand::Path),
        }
    }

    fn call(&mut self, argument: fn(&mut Self) -> Result<Operand<'a>, Problem>) -> Result<Call<'a>, Problem> {
        let function = self.advance();
        self.expect(TokenKind::Open)?;
        self.enter().ok_or_else(|| match Function::named(function) {
            None => Problem::UnknownFunction { function: function.to_owned() },
            Some(function) => Problem::MisusedFunction { function: function.name() },
        })?;
        let operands = self.separated(argument)?;
        self.nesting -= 1;
        self.expect(TokenKind::Close)?;
        Ok(Call { function, operands })
    }
}
