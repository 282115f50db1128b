//! The syntax of a design file: TOML with source positions, checked against the description of the language.

mod broken;
mod check;
pub(crate) mod language;
mod mistakes;
mod size;
mod tree;

pub(crate) use check::{are_several, check};
pub(crate) use mistakes::Mistakes;
pub(crate) use tree::{Entry, Node, Value};

use toml::de::DeTable;

/// Parses a file and checks it against the description of the language. Returns `None` if it isn't TOML or too large.
pub(crate) fn read(source: &str, mistakes: &Mistakes) -> Option<Node> {
    if !size::check_length(source, mistakes) {
        return None;
    }
    let (document, errors) = DeTable::parse_recoverable(source);
    let readable = broken::note(source, &errors, mistakes);
    let root = readable.then(|| tree::root(&document))?;
    if !size::check_tree(&root, mistakes) {
        return None;
    }
    check::check_file(&root, mistakes);
    Some(root)
}
