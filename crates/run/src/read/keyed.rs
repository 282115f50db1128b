//! Reading several items by key, and finding each again under its key.

use std::collections::BTreeMap;

use singlet_design::Table;
use singlet_expr::Projection;
use singlet_store::{BatchGet, Store, StoreError};
use singlet_values::{AttributeValue, EncodedItem, Item, write_key_part};

use crate::error::RunError;

/// Bytes that tell keys of one table apart.
pub(crate) fn key_bytes(key: &Item) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(64);
    for (_, value) in key.iter() {
        // Only texts, numbers and bytes can stand in a key.
        let _ = value.as_scalar().map(|value| write_key_part(&mut bytes, value));
    }
    bytes
}

/// The key of an item that was read.
fn key_of(table: &Table, item: &EncodedItem) -> Option<Item> {
    let value = |name: &str| -> Option<(String, AttributeValue)> {
        Some((name.to_owned(), item.view().get(name)?.to_value().ok()?))
    };
    table.key().map(|attribute| value(&attribute.name)).collect()
}

/// The items that are there, by key. The keys must be distinct; the projection, if any, must have the key.
pub(crate) async fn read_keys<S: Store>(
    store: &S,
    table: &Table,
    name: &str,
    keys: Vec<Item>,
    consistent: bool,
    projection: Option<Projection>,
) -> Result<BTreeMap<Vec<u8>, EncodedItem>, RunError> {
    if keys.is_empty() {
        return Ok(BTreeMap::new());
    }
    let request = BatchGet { table: name.to_owned(), keys, consistent, projection };
    let items = store.batch_get(request).await?.items.into_iter();
    let keyed = |item: EncodedItem| match key_of(table, &item) {
        Some(key) => Ok((key_bytes(&key), item)),
        None => Err(StoreError::Unavailable(format!("{name} gave an item without its key")).into()),
    };
    items.map(keyed).collect()
}
