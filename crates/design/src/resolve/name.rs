//! Checks names.

pub(super) use crate::names::{help, is_design_name, list, list_or};

use super::Context;
use crate::model::DESIGN_NAMES_RESERVED;
use crate::report::Span;
use crate::syntax::Node;

/// Returns and checks the name of the design.
pub(super) fn design(context: &Context<'_>, root: &Node) -> String {
    let Some(node) = root.get("design") else { return String::new() };
    let name = node.text().unwrap_or_default();
    if node.text().is_some() && !is_design_name(name) {
        context.mistakes.add_with_help(
            node.span,
            format!("`{name}` can't be the name of a design"),
            "use lower-case letters, digits and hyphens",
        );
    }
    if DESIGN_NAMES_RESERVED.contains(&name) {
        context.mistakes.add_with_help(
            node.span,
            format!("`{name}` can't be the name of a design: a server has its own page at `/{name}`"),
            "choose another name",
        );
    }
    name.to_owned()
}

/// Checks that a name can be used in templates and conditions.
pub(super) fn check_word(context: &Context<'_>, what: &str, name: &str, span: Span) {
    let mut letters = name.chars();
    let begins_well = letters.next().is_some_and(|letter| letter.is_alphabetic() || letter == '_');
    if !begins_well || !letters.all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-')) {
        context.mistakes.add_with_help(
            span,
            format!("`{name}` can't be the name of {what}"),
            "begin with a letter, and use letters, digits, underscores and hyphens",
        );
    }
}

/// Checks that a name can be part of the name of a table.
pub(super) fn check_part(context: &Context<'_>, what: &str, name: &str, span: Span) {
    if name.is_empty() || !name.chars().all(in_table_name) {
        context.mistakes.add_with_help(
            span,
            format!("`{name}` can't be the name of {what}"),
            "use letters, digits, hyphens, underscores and dots",
        );
    }
}

/// Returns whether DynamoDB allows a character in the name of a table or index.
pub(super) fn in_table_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.')
}
