//! The file as it is written: TOML with places, held against the description of the language.

mod broken;
mod check;
pub(crate) mod language;
mod mistakes;
mod tree;

pub(crate) use check::{are_several, check};
pub(crate) use mistakes::Mistakes;
pub(crate) use tree::{Entry, Node, Value};

use toml::de::DeTable;

/// Reads a file and holds it against the description of the language. `None` if it isn't TOML.
pub(crate) fn read(source: &str, mistakes: &Mistakes) -> Option<Node> {
    let (document, errors) = DeTable::parse_recoverable(source);
    let readable = broken::note(source, &errors, mistakes);
    let root = readable.then(|| tree::root(&document))?;
    check::check_file(&root, mistakes);
    Some(root)
}
