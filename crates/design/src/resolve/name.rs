//! Names: which are allowed.

pub(super) use crate::names::{help, list, list_or};

use super::context::Context;
use crate::report::Span;
use crate::syntax::Node;

/// The design's name.
pub(super) fn design(context: &Context<'_>, root: &Node) -> String {
    let Some(node) = root.get("design") else { return String::new() };
    let name = node.text().unwrap_or_default();
    let allowed = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    if node.text().is_some() && (name.is_empty() || !name.chars().all(allowed)) {
        context.mistakes.add_with_help(
            node.span,
            format!("`{name}` can't be the name of a design"),
            "a name has small letters, digits and hyphens only",
        );
    }
    name.to_owned()
}

/// Notes a mistake unless the name can stand in templates and conditions.
pub(super) fn check_word(context: &Context<'_>, what: &str, name: &str, span: Span) {
    let mut letters = name.chars();
    let begins_well = letters.next().is_some_and(|letter| letter.is_alphabetic() || letter == '_');
    if !begins_well || !letters.all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-')) {
        context.mistakes.add_with_help(
            span,
            format!("`{name}` can't be the name of {what}"),
            "a name begins with a letter and has letters, digits, underscores and hyphens only",
        );
    }
}

/// Notes a mistake unless the name may stand in the name of a table.
pub(super) fn check_part(context: &Context<'_>, what: &str, name: &str, span: Span) {
    if name.is_empty() || !name.chars().all(in_table_name) {
        context.mistakes.add_with_help(
            span,
            format!("`{name}` can't be the name of {what}"),
            "a name has letters, digits, hyphens, underscores and dots only",
        );
    }
}

/// Whether DynamoDB allows the letter in the name of a table or index.
pub(super) fn in_table_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.')
}
