//! Comparisons of values that the caller gives: with each other, or with constants. They don't depend on the item.

use std::ops::Range;

use super::check::{ConditionChecker, Side, TEXT};
use super::{Comparison, ConditionError, Operand, Tree};
use crate::field::FieldType;
use crate::json::Json;

/// A comparison whose types may become known later in the condition.
pub(super) struct GivenComparison {
    left: (Operand, Range<usize>),
    comparison: Comparison,
    right: (Operand, Range<usize>),
}

impl Tree {
    /// Returns whether it compares a parameter with another one or with a constant.
    pub fn compares_parameters(&self) -> bool {
        let Tree::Compare(left, _, right) = self else { return false };
        let is_parameter = |operand: &Operand| matches!(operand, Operand::Parameter(_));
        let is_given = |operand: &Operand| is_parameter(operand) || matches!(operand, Operand::Constant(_));
        is_given(left) && is_given(right) && (is_parameter(left) || is_parameter(right))
    }
}

impl ConditionChecker<'_> {
    /// Notes a comparison of two values of the call. Their places come in order.
    pub(super) fn note_given(&mut self, left: &Operand, comparison: Comparison, right: &Operand) {
        let left = (left.clone(), self.place());
        let right = (right.clone(), self.place());
        self.given.push(GivenComparison { left, comparison, right });
    }

    /// Checks the noted comparisons, once the types of parameters that are compared with fields are known.
    pub(super) fn check_given(&mut self) -> Result<(), ConditionError> {
        let mut open = std::mem::take(&mut self.given);
        loop {
            let count = open.len();
            let mut left = Vec::new();
            for one in open {
                match self.given_kind(&one) {
                    Some(kind) => self.fit_given(&one, &kind)?,
                    None => left.push(one),
                }
            }
            let is_stuck = left.len() == count;
            open = left;
            let Some(first) = open.first().filter(|_| is_stuck) else {
                if open.is_empty() {
                    return Ok(());
                }
                continue;
            };
            // Nothing else tells the type. Most parameters that are only compared with each other are ids.
            if !matches!(first.comparison, Comparison::Equal | Comparison::NotEqual) {
                let help = "compare one of them with a field as well, or give it the name of a field";
                let message = "the type of these parameters isn't known";
                return Err(ConditionError::new(first.left.1.clone(), message, help));
            }
            let first = open.remove(0);
            self.fit_given(&first, &TEXT)?;
        }
    }

    /// The type of one of the two sides: of a parameter that is compared with a field or has the name of one, or of a
    /// constant.
    fn given_kind(&self, one: &GivenComparison) -> Option<FieldType> {
        let sides = [&one.left.0, &one.right.0];
        let of_parameter = |operand: &&Operand| {
            let Operand::Parameter(name) = operand else { return None };
            let known = self.parameters.iter().find(|(known, _)| known == name);
            known.map(|(_, kind)| kind.clone()).or_else(|| (self.field)(name))
        };
        let of_constant = |operand: &&Operand| match operand {
            Operand::Constant(Json::Text(_)) => Some(TEXT),
            Operand::Constant(Json::Number(_)) => Some(FieldType::Number { min: None, max: None }),
            Operand::Constant(Json::Bool(_)) => Some(FieldType::Bool),
            _ => None,
        };
        sides.iter().find_map(of_parameter).or_else(|| sides.iter().find_map(of_constant))
    }

    fn fit_given(&mut self, one: &GivenComparison, kind: &FieldType) -> Result<(), ConditionError> {
        for (operand, place) in [&one.left, &one.right] {
            let side = Side { operand, place: place.clone(), kind: None };
            self.fit(&side, kind, one.comparison)?;
        }
        super::check::orderable(kind, one.comparison, &one.left.1)
    }
}
