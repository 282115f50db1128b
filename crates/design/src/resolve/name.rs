//! Names: which are allowed, and which one was probably meant.

use super::context::Context;
use crate::report::Span;
use crate::syntax::Node;
use crate::value::nearest;

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

/// A help for an unknown name: the nearest one, else all that there are.
pub(crate) fn help<'a>(
    name: &str,
    what: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    /// More names than this are not listed.
    const LISTED_MAX: usize = 16;
    let candidates: Vec<&str> = candidates.into_iter().collect();
    if let Some(nearest) = nearest(name, candidates.iter().copied()) {
        return Some(format!("did you mean `{nearest}`?"));
    }
    match candidates.len() {
        0 => Some(format!("there is no {what} yet")),
        1 => Some(format!("there is only {}", list(&candidates))),
        2..=LISTED_MAX => Some(format!("there are {}", list(&candidates))),
        _ => None,
    }
}

/// Names in a sentence: `a`, `b` and `c`.
pub(crate) fn list<T: AsRef<str>>(names: &[T]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
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

/// Names in a sentence: `a`, `b` or `c`.
pub(crate) fn list_or<T: AsRef<str>>(names: &[T]) -> String {
    list(names).replace(" and ", " or ")
}

/// A help for a word that is none of these: the nearest one, else all of them.
pub(crate) fn help_of<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let mut words: Vec<&str> = Vec::new();
    for candidate in candidates {
        if !words.contains(&candidate) {
            words.push(candidate);
        }
    }
    match nearest(name, words.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("it can be {}", list_or(&words)),
    }
}
