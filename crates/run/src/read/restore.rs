//! What an index doesn't carry but its keys tell: fields of items that were read through a narrow index.

use singlet_design::{Entity, Index, Projection};
use singlet_values::EncodedItem;

/// Puts the fields that its keys tell into an item that was read through an index. An index that carries everything
/// leaves nothing to restore.
pub(super) fn restore(entity: &Entity, index: &Index, item: EncodedItem) -> EncodedItem {
    if index.projection == Projection::All {
        return item;
    }
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
