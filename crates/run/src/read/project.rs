//! The attributes that a read requests when only some fields are shown, and the fields that it restores from keys.

use singlet_design::{Entity, Index, Projection, Table};
use singlet_expr::{self as expr, Path};
use singlet_values::EncodedItem;

/// Whether items carry an attribute where they are read: an index may leave it out.
pub(crate) fn carries(table: &Table, index: Option<&Index>, attribute: &str) -> bool {
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
) -> expr::Projection {
    let index_keys = index.into_iter().flat_map(|index| index.key());
    let keys = table.key().chain(index_keys).map(|attribute| attribute.name.as_str());
    let wanted = show.iter().map(String::as_str).chain(needed);
    let mut names: Vec<&str> = Vec::new();
    for name in keys.chain(wanted.filter(|name| carries(table, index, name))) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    expr::Projection::of(names.into_iter().map(Path::attribute).collect())
}

/// Puts the fields that its keys tell into an item that was read through an index. An index that carries everything
/// leaves nothing to restore.
#[inline]
pub(super) fn restore(entity: &Entity, index: &Index, item: EncodedItem) -> EncodedItem {
    match index.projection {
        Projection::All => item,
        Projection::Keys | Projection::Include(_) => restore_missing(entity, index, item),
    }
}

fn restore_missing(entity: &Entity, index: &Index, item: EncodedItem) -> EncodedItem {
    let table_names = entity.table.key().map(|attribute| attribute.name.as_str());
    let table = table_names.zip(std::iter::once(&entity.key.partition).chain(&entity.key.sort));
    let entry = entity.entry(&index.name).into_iter().flat_map(|entry| entry.templates());
    let view = item.view();
    let told = table.chain(entry).flat_map(|(name, template)| {
        let read = |key| template.read(entity.table.separator, |path| entity.field_at(path), key);
        view.get(name).map(read).unwrap_or_default()
    });
    let missing: Vec<_> =
        told.filter(|(field, _)| !field.contains('.') && view.get(field).is_none()).collect();
    if missing.is_empty() {
        return item;
    }
    let Ok(mut whole) = view.to_item() else { return item };
    for (field, value) in missing {
        whole.insert(field, value);
    }
    EncodedItem::encode(&whole)
}
