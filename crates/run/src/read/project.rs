//! What a read asks the store for when only some fields are shown.

use singlet_design::{Index, Projection, Table};
use singlet_store::{Expression, ExpressionBuilder};

/// Whether items carry an attribute where they are read: an index may leave it out.
pub(super) fn carries(table: &Table, index: Option<&Index>, attribute: &str) -> bool {
    let Some(index) = index else { return true };
    // A query of a local index fetches from the table what the index doesn't have.
    index.local
        || match &index.projection {
            Projection::All => true,
            Projection::Keys => is_key(table, index, attribute),
            Projection::Include(names) => {
                names.iter().any(|name| name == attribute) || is_key(table, index, attribute)
            }
        }
}

fn is_key(table: &Table, index: &Index, attribute: &str) -> bool {
    table.key().chain(index.key()).any(|key| key.name == attribute)
}

/// Asks for the shown fields, for what else is `needed`, and for the keys, from which cursors are made.
pub(super) fn projection<'n>(
    table: &'n Table,
    index: Option<&'n Index>,
    show: &'n [String],
    needed: impl IntoIterator<Item = &'n str>,
) -> Expression {
    let mut builder = ExpressionBuilder::new('p');
    let index_keys = index.into_iter().flat_map(|index| index.key());
    let keys = table.key().chain(index_keys).map(|attribute| attribute.name.as_str());
    let wanted = show.iter().map(String::as_str).chain(needed);
    let mut placeholders: Vec<String> = Vec::new();
    for name in keys.chain(wanted.filter(|name| carries(table, index, name))) {
        let placeholder = builder.name(name);
        if !placeholders.contains(&placeholder) {
            placeholders.push(placeholder);
        }
    }
    builder.finish(placeholders.join(", "))
}
