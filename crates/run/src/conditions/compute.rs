//! Computes the values of a condition that depend only on the call, such as `{now - 30s}`.

use singlet_design::{
    Comparison, Condition, Expression, FieldType, Json, Name, Operand, Origin, Tree, beginning_type,
    contained_type, to_json,
};

use singlet_values::{AttributeValue, Item};

use super::Asked;
use super::translate::{kind_of, part_of};
use crate::error::RunError;
use crate::expression::{compare, evaluate_expression};
use crate::item_path::value_at;

impl Asked<'_> {
    /// Returns the condition with each computed value as a constant. A value whose parameter is missing is null, which no
    /// field holds.
    pub(super) fn computed(&self, condition: &Condition) -> Result<Condition, RunError> {
        Ok(Condition { tree: self.computed_tree(&condition.tree)?, ..condition.clone() })
    }

    /// Returns the condition in which each comparison that calculates with fields is decided by the item that was read,
    /// and so the fields must stay as they are there. Without an item, no such comparison holds.
    pub(crate) fn decided(
        &self,
        condition: &Condition,
        item: Option<&Item>,
    ) -> Result<Option<Condition>, RunError> {
        let Some(given) = condition.given(&|name| (self.argument)(name).is_some()) else { return Ok(None) };
        Ok(Some(Condition { tree: self.decided_tree(&given.tree, item)?, ..given.clone() }))
    }

    fn decided_tree(&self, tree: &Tree, item: Option<&Item>) -> Result<Tree, RunError> {
        let branches = |branches: &[Tree]| {
            branches.iter().map(|branch| self.decided_tree(branch, item)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match tree {
            Tree::And(all) => Tree::And(branches(all)?),
            Tree::Or(any) => Tree::Or(branches(any)?),
            Tree::Not(inner) => Tree::Not(Box::new(self.decided_tree(inner, item)?)),
            Tree::Computed(left, comparison, right) => {
                let holds = match item {
                    Some(item) => self.compares(left, *comparison, right, item)?,
                    None => false,
                };
                // The key is there exactly if the item is, which the guard demands.
                let key = self.key.unwrap_or_default().to_owned();
                if holds == item.is_some() { Tree::Exists(key) } else { Tree::Missing(key) }
            }
            test => test.clone(),
        })
    }

    /// Whether a comparison holds for an item. As in DynamoDB, one with a missing value doesn't.
    fn compares(
        &self,
        left: &Expression,
        comparison: Comparison,
        right: &Expression,
        item: &Item,
    ) -> Result<bool, RunError> {
        let (mut left, mut right) = (left.clone(), right.clone());
        let known = |origin: &Origin| {
            let Origin::Field(path) = origin else { return None };
            Some(Name { origin: origin.clone(), kind: (self.field)(path) })
        };
        if Expression::check_compared(&mut left, &mut right, &(0..0), &known).is_err() {
            return Ok(false);
        }
        let look = |name: &Name| match &name.origin {
            Origin::Parameter(name) => (self.argument)(name),
            Origin::Field(path) => value_at(item, path).cloned(),
            Origin::Result(..) => None,
        };
        let order = compare(&left, &right, &look, self.now_ms)?;
        Ok(order.is_some_and(|order| match comparison {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
        }))
    }

    fn computed_tree(&self, tree: &Tree) -> Result<Tree, RunError> {
        let branches = |branches: &[Tree]| {
            branches.iter().map(|branch| self.computed_tree(branch)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match tree {
            Tree::And(all) => Tree::And(branches(all)?),
            Tree::Or(any) => Tree::Or(branches(any)?),
            Tree::Not(inner) => Tree::Not(Box::new(self.computed_tree(inner)?)),
            Tree::Compare(left, comparison, right) => {
                let kind = kind_of(self.field, [left, right], *comparison);
                Tree::Compare(self.constant(left, &kind)?, *comparison, self.constant(right, &kind)?)
            }
            Tree::Between(value, low, high) => {
                let kind = kind_of(self.field, [value, low, high], Comparison::AtLeast);
                let constant = |operand| self.constant(operand, &kind);
                Tree::Between(constant(value)?, constant(low)?, constant(high)?)
            }
            Tree::In(value, list) => {
                let kind = kind_of(self.field, std::iter::once(value).chain(list), Comparison::Equal);
                let list = list.iter().map(|operand| self.constant(operand, &kind));
                Tree::In(self.constant(value, &kind)?, list.collect::<Result<_, _>>()?)
            }
            Tree::BeginsWith(path, value) => {
                let kind = part_of(self.field, path, beginning_type);
                Tree::BeginsWith(path.clone(), self.constant(value, &kind)?)
            }
            Tree::Contains(path, value) => {
                let kind = part_of(self.field, path, contained_type);
                Tree::Contains(path.clone(), self.constant(value, &kind)?)
            }
            Tree::Exists(_) | Tree::Missing(_) | Tree::Computed(..) => tree.clone(),
        })
    }

    fn constant(&self, operand: &Operand, kind: &FieldType) -> Result<Operand, RunError> {
        let Operand::Computed(expression) = operand else { return Ok(operand.clone()) };
        self.value(expression, kind).map(Operand::Constant)
    }

    /// The value of an expression without fields, for comparing it with a field of this type.
    fn value(&self, expression: &Expression, kind: &FieldType) -> Result<Json, RunError> {
        let mut expression = expression.clone();
        // The design was checked when it was read: this only gives the names their types.
        if expression.check(kind, &(0..0), &|_| None).is_err() {
            return Ok(Json::Null);
        }
        let look = |name: &Name| match &name.origin {
            Origin::Parameter(name) => (self.argument)(name),
            Origin::Result(..) | Origin::Field(_) => None,
        };
        let value = evaluate_expression(&expression, kind, &look, self.now_ms)?;
        Ok(value.as_ref().and_then(AttributeValue::as_scalar).map_or(Json::Null, to_json))
    }
}
