//! The file as it is written: TOML with places, held against the description of the language.

mod mistakes;
mod tree;

pub(crate) use mistakes::Mistakes;
pub(crate) use tree::{Entry, Node, Value};

use toml::de::DeTable;

/// Reads a file. `None` if it isn't TOML; the mistakes say why.
pub(crate) fn read(source: &str, mistakes: &Mistakes) -> Option<Node> {
    let (document, errors) = DeTable::parse_recoverable(source);
    for error in &errors {
        mistakes.add(error.span().unwrap_or_default().into(), error.message());
    }
    errors.is_empty().then(|| tree::root(&document))
}
