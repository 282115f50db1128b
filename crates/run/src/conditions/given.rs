//! Decides the comparisons of a condition that depend only on parameters, such as `{from} <> {to}`. No store is asked to
//! compare two values of a request.

use singlet_design::{Comparison, Condition, FieldType, Operand, Tree, compared_type, to_attribute};
use singlet_expr as expr;
use singlet_values::ItemRef;

use super::Asked;
use super::translate::comparator;

/// An attribute of which it doesn't matter whether an item has it.
const ANY_ATTRIBUTE: &str = "singlet";

impl Asked<'_> {
    /// Returns the condition without comparisons of parameters: each of them is always true, or never.
    pub(super) fn settled(&self, condition: Condition) -> Condition {
        if !has_given(&condition.tree) {
            return condition;
        }
        // A loaded design has been checked: this only gives the parameters their types.
        let kinds = condition.check(self.field).unwrap_or_default();
        Condition { tree: self.settled_tree(&condition.tree, &kinds), ..condition }
    }

    fn settled_tree(&self, tree: &Tree, kinds: &[(String, FieldType)]) -> Tree {
        let branches = |branches: &[Tree]| branches.iter().map(|one| self.settled_tree(one, kinds)).collect();
        match tree {
            Tree::And(all) => Tree::And(branches(all)),
            Tree::Or(any) => Tree::Or(branches(any)),
            Tree::Not(inner) => Tree::Not(Box::new(self.settled_tree(inner, kinds))),
            Tree::Compare(left, comparison, right) if tree.compares_parameters() => {
                let both =
                    vec![Tree::Exists(ANY_ATTRIBUTE.to_owned()), Tree::Missing(ANY_ATTRIBUTE.to_owned())];
                let holds = self.given_holds((left, *comparison, right), kinds);
                if holds { Tree::Or(both) } else { Tree::And(both) }
            }
            test => test.clone(),
        }
    }

    fn given_holds(
        &self,
        (left, comparison, right): (&Operand, Comparison, &Operand),
        kinds: &[(String, FieldType)],
    ) -> bool {
        let kind = [left, right].into_iter().find_map(|operand| match operand {
            Operand::Parameter(name) => kinds.iter().find(|(known, _)| known == name),
            _ => None,
        });
        let kind =
            kind.map_or(FieldType::Any { max_bytes: None }, |(_, kind)| compared_type(kind, comparison));
        let value = |operand: &Operand| match operand {
            Operand::Parameter(name) => (self.argument)(name),
            Operand::Constant(json) => to_attribute(&kind, json).ok(),
            _ => None,
        };
        // As in DynamoDB, a comparison with a missing value doesn't hold.
        let Some((left, right)) = value(left).zip(value(right)) else { return false };
        let compared = expr::Condition::compare(left, comparator(comparison), right);
        compared.matches(ItemRef::EMPTY)
    }
}

fn has_given(tree: &Tree) -> bool {
    match tree {
        Tree::And(branches) | Tree::Or(branches) => branches.iter().any(has_given),
        Tree::Not(inner) => has_given(inner),
        test => test.compares_parameters(),
    }
}
