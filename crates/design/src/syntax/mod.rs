//! The syntax of a design file: TOML with source positions, checked against the description of the language.

mod broken;
mod check;
pub(crate) mod language;
mod mistakes;
mod size;
mod tree;
mod words;

pub(crate) use check::{are_several, check};
pub(crate) use mistakes::Mistakes;
pub(crate) use tree::{Entry, Node, Value};
pub(crate) use words::{NEW_WORDS, NewWord};

use toml::de::DeTable;

/// Parses a file and checks it against the description of the language. Returns `None` if it isn't TOML or too large.
pub(crate) fn read(source: &str, mistakes: &Mistakes) -> Option<Node> {
    if !size::check_length(source, mistakes) {
        return None;
    }
    let (document, errors) = DeTable::parse_recoverable(source);
    let readable = broken::note(source, &errors, mistakes);
    let mut root = readable.then(|| tree::root(&document))?;
    if !size::check_tree(&root, mistakes) {
        return None;
    }
    words::complete(&mut root);
    check::check_file(&root, mistakes);
    Some(root)
}

/// Returns whether a file is TOML and within the limits, or notes why it isn't.
pub(crate) fn is_toml(source: &str, mistakes: &Mistakes) -> bool {
    if !size::check_length(source, mistakes) {
        return false;
    }
    let (document, errors) = DeTable::parse_recoverable(source);
    broken::note(source, &errors, mistakes)
        && errors.is_empty()
        && size::check_tree(&tree::root(&document), mistakes)
}
