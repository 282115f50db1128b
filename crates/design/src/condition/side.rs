//! Parses the sides of comparisons, which can be sums.

use std::ops::Range;

use super::lex::{Placed, Token};
use super::parse::{DEPTH_MAX, Parser};
use super::{Comparison, ConditionError, Operand, Tree};
use crate::expression::{Expression, Name, Origin};
use crate::json::Json;

/// One side of a comparison.
pub(super) enum SideValue {
    /// A single value.
    Plain(Operand),
    /// A sum or product. At least one of its values is a field.
    Calculated(Expression),
}

type Joined = fn(Box<Expression>, Box<Expression>) -> Expression;

impl Parser<'_> {
    /// Parses a value that has no arithmetic with fields.
    pub(super) fn value(&mut self) -> Result<Operand, ConditionError> {
        let start = self.at;
        match self.side()? {
            SideValue::Plain(operand) => Ok(operand),
            SideValue::Calculated(_) => {
                let range = self.range_since(start);
                let help = "calculate with `=`, `<>`, `<`, `<=`, `>`, `>=`, `between` or `in` only";
                Err(ConditionError::new(range, "fields can't be calculated with here", help))
            }
        }
    }

    /// Parses a side of a comparison.
    pub(super) fn side(&mut self) -> Result<SideValue, ConditionError> {
        let (start, places) = (self.at, self.places.len());
        let side = self.sum(0)?;
        let SideValue::Calculated(expression) = side else { return Ok(side) };
        if expression.names().into_iter().any(|name| name.field().is_some()) {
            return Ok(SideValue::Calculated(expression));
        }
        let range = self.range_since(start);
        self.places.truncate(places);
        self.places.push(range);
        Ok(SideValue::Plain(Operand::of(expression)))
    }

    /// Makes a comparison of two sides. `start` is the first token of the comparison, `places` the number of places
    /// before it.
    pub(super) fn compared(
        &mut self,
        (left, comparison, right): (SideValue, Comparison, SideValue),
        (start, places): (usize, usize),
    ) -> Result<Tree, ConditionError> {
        let (left, right) = match (left, right) {
            (SideValue::Plain(left), SideValue::Plain(right)) => {
                return Ok(Tree::Compare(left, comparison, right));
            }
            sides => sides,
        };
        let range = self.range_since(start);
        let left = left.expression(&range)?;
        let tree = Tree::comparing(left, comparison, right.expression(&range)?);
        let fields = self.fields_since(start);
        self.places.truncate(places);
        for path in tree.paths() {
            let place = fields.iter().find(|(name, _)| name == path).map(|(_, place)| place);
            self.places.push(place.unwrap_or(&range).clone());
        }
        self.places.push(range);
        Ok(tree)
    }

    fn sum(&mut self, depth: usize) -> Result<SideValue, ConditionError> {
        let mut left = self.product(depth)?;
        loop {
            let joined: Joined = if self.token(&Token::Plus) {
                Expression::Sum
            } else if self.token(&Token::Minus) {
                Expression::Difference
            } else if matches!(self.words.get(self.at), Some(Placed { token: Token::Number(number), .. }) if number.is_negative())
            {
                // `sold -1`: the minus belongs to the number.
                Expression::Sum
            } else {
                return Ok(left);
            };
            let right = self.product(depth)?;
            left = self.joined(left, right, joined)?;
        }
    }

    fn product(&mut self, depth: usize) -> Result<SideValue, ConditionError> {
        let mut left = self.factor(depth)?;
        while self.token(&Token::Times) {
            let right = self.factor(depth)?;
            left = self.joined(left, right, Expression::Product)?;
        }
        Ok(left)
    }

    fn factor(&mut self, depth: usize) -> Result<SideValue, ConditionError> {
        if depth > DEPTH_MAX {
            return Err(self.error("the condition is nested too deeply", "remove parentheses"));
        }
        if self.token(&Token::Open) {
            let inner = self.sum(depth + 1)?;
            self.expect(&Token::Close, "expected a closing parenthesis")?;
            return Ok(inner);
        }
        if self.token(&Token::Minus) {
            let inner = self.factor(depth + 1)?.expression(&self.last_place())?;
            return Ok(SideValue::Calculated(Expression::Negative(Box::new(inner))));
        }
        if let Some(Placed { token: Token::Duration(duration), range }) = self.words.get(self.at) {
            self.places.push(range.clone());
            self.at += 1;
            return Ok(SideValue::Calculated(duration.clone()));
        }
        self.operand().map(SideValue::Plain)
    }

    fn joined(
        &mut self,
        left: SideValue,
        right: SideValue,
        join: Joined,
    ) -> Result<SideValue, ConditionError> {
        self.count_operator()?;
        let place = self.last_place();
        let (left, right) = (left.expression(&place)?, right.expression(&place)?);
        Ok(SideValue::Calculated(join(Box::new(left), Box::new(right))))
    }

    fn last_place(&self) -> Range<usize> {
        self.places.last().cloned().unwrap_or_default()
    }

    /// Returns the position of the tokens from `start` on that were taken.
    fn range_since(&self, start: usize) -> Range<usize> {
        let taken = self.words.get(start..self.at).unwrap_or_default();
        match (taken.first(), taken.last()) {
            (Some(first), Some(last)) => first.range.start..last.range.end,
            _ => self.end..self.end,
        }
    }

    /// Returns the words among the tokens from `start` on that were taken, with their positions.
    fn fields_since(&self, start: usize) -> Vec<(String, Range<usize>)> {
        let taken = self.words.get(start..self.at).unwrap_or_default().iter();
        let word = |placed: &Placed| match &placed.token {
            Token::Word(word) => Some((word.clone(), placed.range.clone())),
            _ => None,
        };
        taken.filter_map(word).collect()
    }
}

impl SideValue {
    /// Returns it as an expression. `place` is its position, for messages.
    fn expression(self, place: &Range<usize>) -> Result<Expression, ConditionError> {
        let name = |origin| Expression::Name(Name { origin, kind: None });
        let what = match self {
            SideValue::Calculated(expression) | SideValue::Plain(Operand::Computed(expression)) => {
                return Ok(expression);
            }
            SideValue::Plain(Operand::Path(path)) => return Ok(name(Origin::Field(path))),
            SideValue::Plain(Operand::Parameter(parameter)) => return Ok(name(Origin::Parameter(parameter))),
            SideValue::Plain(Operand::Now) => return Ok(Expression::Now),
            SideValue::Plain(Operand::Constant(Json::Number(number))) => {
                return Ok(Expression::Number(number));
            }
            SideValue::Plain(Operand::Size(_)) => "a size",
            SideValue::Plain(Operand::Constant(Json::Bool(_))) => "a boolean",
            SideValue::Plain(Operand::Constant(_)) => "a string",
        };
        let help = "calculate with numbers, times, durations such as `30s`, fields and parameters";
        Err(ConditionError::new(place.clone(), format!("{what} can't be calculated with"), help))
    }
}
