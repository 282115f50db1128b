//! Leaving out the parts of a condition whose optional parameters aren't given.

use super::{Condition, Operand, Tree};
use crate::expression::Name;

impl Condition {
    /// Returns the condition without the terms of `and` and `or` that use an optional parameter for which `is_given` is
    /// false; `None` if nothing is left.
    pub fn given(&self, is_given: &dyn Fn(&str) -> bool) -> Option<Condition> {
        let left_out: Vec<&str> =
            self.optional.iter().map(String::as_str).filter(|name| !is_given(name)).collect();
        if left_out.is_empty() {
            return Some(self.clone());
        }
        Some(Condition { tree: self.tree.without(&left_out)?, ..self.clone() })
    }
}

impl Tree {
    /// Returns the tree without its terms that use one of these parameters; `None` if nothing is left.
    fn without(&self, parameters: &[&str]) -> Option<Tree> {
        let rest =
            |trees: &[Tree]| trees.iter().filter_map(|tree| tree.without(parameters)).collect::<Vec<_>>();
        match self {
            Tree::And(trees) => joined(rest(trees), Tree::And),
            Tree::Or(trees) => joined(rest(trees), Tree::Or),
            // The term is the negation, but inside it parentheses can have terms of their own.
            Tree::Not(tree) => tree.without(parameters).map(|tree| Tree::Not(Box::new(tree))),
            test if test.parameters().iter().any(|name| parameters.contains(name)) => None,
            test => Some(test.clone()),
        }
    }

    /// Returns the parameters of a single test.
    fn parameters(&self) -> Vec<&str> {
        let operands: Vec<&Operand> = match self {
            Tree::And(_) | Tree::Or(_) | Tree::Not(_) | Tree::Exists(_) | Tree::Missing(_) => Vec::new(),
            Tree::Computed(left, _, right) => {
                return left.names().into_iter().chain(right.names()).filter_map(Name::parameter).collect();
            }
            Tree::BeginsWith(_, operand) | Tree::Contains(_, operand) => vec![operand],
            Tree::Compare(one, _, other) => vec![one, other],
            Tree::Between(one, least, most) => vec![one, least, most],
            Tree::In(one, others) => std::iter::once(one).chain(others).collect(),
        };
        operands.into_iter().flat_map(Operand::parameters).collect()
    }
}

impl Operand {
    /// Returns the parameters that it uses.
    fn parameters(&self) -> Vec<&str> {
        match self {
            Operand::Parameter(name) => vec![name],
            Operand::Computed(expression) => {
                expression.names().into_iter().filter_map(Name::parameter).collect()
            }
            Operand::Path(_) | Operand::Size(_) | Operand::Constant(_) | Operand::Now => Vec::new(),
        }
    }
}

/// Joins the terms that are left.
fn joined(mut terms: Vec<Tree>, join: fn(Vec<Tree>) -> Tree) -> Option<Tree> {
    if terms.len() > 1 { Some(join(terms)) } else { terms.pop() }
}
