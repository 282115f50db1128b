//! Resolves conditions that are judged by an item alone, whenever it changes.

use std::collections::BTreeSet;

use super::Context;
use super::name;
use super::template::find;
use crate::condition::Condition;
use crate::model::{Field, FieldType};
use crate::syntax::Node;

/// The fields that a condition can use, and the names of those with mistakes.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) fields: &'a [Field],
    pub(super) vague: &'a BTreeSet<String>,
    /// The types of further paths, along references.
    pub(super) beyond: &'a dyn Fn(&str) -> Option<FieldType>,
}

impl Known<'_> {
    /// Whether a path begins with a field that has a mistake.
    pub(super) fn is_vague(&self, path: &str) -> bool {
        path.split('.').next().is_some_and(|first| self.vague.contains(first))
    }
}

/// Resolves a condition on the fields of an item; `None` after a mistake.
pub(super) fn condition(context: &Context<'_>, node: &Node, known: Known<'_>) -> Option<Condition> {
    let wrong = |range: std::ops::Range<usize>, message: String, help: Option<String>| {
        context.mistakes.add_with(context.inside(node, range), message, help);
    };
    let condition = match Condition::parse(node.text()?) {
        Ok(condition) => condition,
        Err(error) => {
            wrong(error.range, error.message, error.help);
            return None;
        }
    };
    if condition.tree.paths().iter().any(|path| known.is_vague(path)) {
        return None;
    }
    let kind = |path: &str| {
        find(known.fields, path).map(|found| found.kind.clone()).or_else(|| (known.beyond)(path))
    };
    let nearest = |path: &str| {
        crate::names::nearest(path, known.fields.iter().map(|field| field.name.as_str())).map(str::to_owned)
    };
    let parameters = match condition.check_naming(&kind, &nearest) {
        Ok(parameters) => parameters,
        Err(error) => {
            wrong(error.range, error.message, error.help);
            return None;
        }
    };
    if !parameters.is_empty() || condition.tree.uses_the_call() {
        context.mistakes.add_with_help(
            node.span,
            "derived data can't depend on parameters or on the time",
            "compare fields of the items with constants or with each other",
        );
        return None;
    }
    let computed = condition.tree.computed_fields();
    if !computed.is_empty() {
        context.mistakes.add_with_help(
            node.span,
            format!("this condition can't calculate with {}", name::list(&computed)),
            "keep the result in a computed field, and compare that",
        );
        return None;
    }
    Some(condition)
}
