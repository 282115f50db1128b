//! The grammar of conditions.
//!
//! A parenthesis may open a condition, as in `(a = :v OR b = :v)`, or an operand, as in `(a) = :v`. The parser learns
//! only later which of them it is, so the content of parentheses is [`Parsed`], which can be either.
//!
//! The nesting of conditions is limited only by the length of the text. The parser therefore keeps the outer conditions
//! on its own stack, not on the thread's.

use super::{Comparator, Condition, Operand, Parser};
use crate::error::Problem;
use crate::lexer::TokenKind;

/// A condition or an operand, and whether it is in parentheses.
struct Parsed<'a> {
    what: Either<'a>,
    in_parentheses: bool,
}

enum Either<'a> {
    Condition(Condition<'a>),
    Operand(Operand<'a>),
}

/// The parts that have been read since a parenthesis was opened.
#[derive(Default)]
struct Group<'a> {
    /// Conditions that an OR follows.
    alternatives: Vec<Condition<'a>>,
    /// Conditions after the last OR that an AND follows.
    requirements: Vec<Condition<'a>>,
    /// NOTs after the last AND or OR.
    negations: usize,
}

impl<'a> Group<'a> {
    /// Whether the next part is the only one in the group.
    fn is_empty(&self) -> bool {
        self.alternatives.is_empty() && self.requirements.is_empty() && self.negations == 0
    }

    /// Takes a condition that an AND follows.
    fn require(&mut self, condition: Condition<'a>) {
        let condition = self.negated(condition);
        self.requirements.push(condition);
    }

    /// Takes a condition that an OR follows.
    fn offer(&mut self, condition: Condition<'a>) {
        let alternative = self.with_requirements(condition);
        self.alternatives.push(alternative);
    }

    /// Takes the last condition and returns all of them as one.
    fn finish(mut self, last: Condition<'a>) -> Condition<'a> {
        let last = self.with_requirements(last);
        joined(self.alternatives, last, Condition::Or)
    }

    fn with_requirements(&mut self, last: Condition<'a>) -> Condition<'a> {
        let last = self.negated(last);
        joined(std::mem::take(&mut self.requirements), last, Condition::And)
    }

    fn negated(&mut self, mut condition: Condition<'a>) -> Condition<'a> {
        for _ in 0..std::mem::take(&mut self.negations) {
            condition = Condition::Not(Box::new(condition));
        }
        condition
    }
}

/// Several conditions as one; a single one is returned unchanged.
fn joined<'a>(
    mut conditions: Vec<Condition<'a>>,
    last: Condition<'a>,
    join: fn(Vec<Condition<'a>>) -> Condition<'a>,
) -> Condition<'a> {
    if conditions.is_empty() {
        return last;
    }
    conditions.push(last);
    join(conditions)
}

impl<'a> Parser<'a> {
    /// A whole condition.
    pub(super) fn condition(&mut self) -> Result<Condition<'a>, Problem> {
        let mut enclosing: Vec<Group<'a>> = Vec::new();
        let mut group = Group::default();
        loop {
            while self.eat(TokenKind::Not) {
                group.negations += 1;
            }
            if self.eat(TokenKind::Open) {
                enclosing.push(std::mem::take(&mut group));
                continue;
            }
            let operand = self.bare_operand(Self::condition_operand)?;
            let mut part = self.comparison(operand, false)?;
            // Closes parentheses until AND or OR asks for another part.
            loop {
                match self.current() {
                    TokenKind::And => {
                        group.require(self.as_condition(part)?);
                        self.advance();
                        break;
                    }
                    TokenKind::Or => {
                        group.offer(self.as_condition(part)?);
                        self.advance();
                        break;
                    }
                    _ => {}
                }
                let whole = self.finish_group(group, part)?;
                let Some(outer) = enclosing.pop() else { return self.as_condition(whole) };
                group = outer;
                self.expect(TokenKind::Close)?;
                part = self.after_parentheses(whole)?;
            }
        }
    }

    fn finish_group(&self, group: Group<'a>, last: Parsed<'a>) -> Result<Parsed<'a>, Problem> {
        if group.is_empty() {
            return Ok(last);
        }
        let condition = group.finish(self.as_condition(last)?);
        Ok(Parsed { what: Either::Condition(condition), in_parentheses: false })
    }

    /// An operand is a condition only if it is a call.
    fn as_condition(&self, parsed: Parsed<'a>) -> Result<Condition<'a>, Problem> {
        match parsed.what {
            Either::Condition(condition) => Ok(condition),
            Either::Operand(Operand::Call(call)) => Ok(Condition::Call(call)),
            Either::Operand(_) => Err(self.unexpected()),
        }
    }

    /// The content of parentheses that have just been closed. A path may continue after them: `(a.b)[0]`.
    fn after_parentheses(&mut self, inner: Parsed<'a>) -> Result<Parsed<'a>, Problem> {
        self.see_parentheses(inner.in_parentheses);
        match inner.what {
            Either::Operand(operand) => {
                let (operand, in_parentheses) = self.operand_from(operand)?;
                self.comparison(operand, in_parentheses)
            }
            condition => Ok(Parsed { what: condition, in_parentheses: true }),
        }
    }

    /// The comparison that an operand begins, or the operand if there is none.
    fn comparison(&mut self, left: Operand<'a>, in_parentheses: bool) -> Result<Parsed<'a>, Problem> {
        let condition = if self.eat(TokenKind::Between) {
            let low = self.condition_operand()?;
            self.expect(TokenKind::And)?;
            let high = self.condition_operand()?;
            Condition::Between { operand: left, low, high }
        } else if self.eat(TokenKind::In) {
            self.expect(TokenKind::Open)?;
            let candidates = self.separated(Self::condition_operand)?;
            self.expect(TokenKind::Close)?;
            Condition::In { operand: left, candidates }
        } else if let Some(comparator) = comparator(self.current()) {
            self.advance();
            Condition::Compare { left, comparator, right: self.condition_operand()? }
        } else {
            return Ok(Parsed { what: Either::Operand(left), in_parentheses });
        };
        Ok(Parsed { what: Either::Condition(condition), in_parentheses: false })
    }

    /// An operand where nothing else is allowed.
    fn condition_operand(&mut self) -> Result<Operand<'a>, Problem> {
        self.operand_in_any_parentheses().map(|(operand, _)| operand)
    }

    fn operand_in_any_parentheses(&mut self) -> Result<(Operand<'a>, bool), Problem> {
        if self.current() != TokenKind::Open {
            return Ok((self.bare_operand(Self::condition_operand)?, false));
        }
        let operand = self.in_parentheses(Self::operand_in_any_parentheses)?;
        self.operand_from(operand)
    }

    /// The operand in parentheses with the steps after them, and whether there are none.
    fn operand_from(&mut self, operand: Operand<'a>) -> Result<(Operand<'a>, bool), Problem> {
        match operand {
            Operand::Path(path) if matches!(self.current(), TokenKind::Dot | TokenKind::OpenBracket) => {
                Ok((Operand::Path(self.path_from(path)?), false))
            }
            operand => Ok((operand, true)),
        }
    }
}

fn comparator(kind: TokenKind) -> Option<Comparator> {
    Some(match kind {
        TokenKind::Equal => Comparator::Equal,
        TokenKind::NotEqual => Comparator::NotEqual,
        TokenKind::Less => Comparator::Less,
        TokenKind::LessOrEqual => Comparator::LessOrEqual,
        TokenKind::Greater => Comparator::Greater,
        TokenKind::GreaterOrEqual => Comparator::GreaterOrEqual,
        _ => return None,
    })
}
