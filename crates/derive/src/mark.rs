//! The mark of an item: it tells tallies that belong to the item from copies that a program made.

use singlet_design::Entity;
use singlet_values::{EncodedItem, Item};
use xxhash_rust::xxh3::xxh3_64;

/// Returns a text that no other item has.
pub(crate) fn mark(owner: &str, entity: &Entity, key: &Item) -> String {
    let mut bytes = format!("{owner}\0{}\0", entity.name).into_bytes();
    bytes.extend_from_slice(EncodedItem::encode(key).as_bytes());
    format!("{:016x}", xxh3_64(&bytes))
}

/// Returns the attributes of the table's key that an item has. They needn't be those that its fields make.
pub(crate) fn stored_key(entity: &Entity, item: &Item) -> Item {
    let names = entity.table.key().map(|key| key.name.as_str());
    names.filter_map(|name| Some((name, item.get(name)?.clone()))).collect()
}
