//! Reads of many items by key.

use std::collections::BTreeMap;

use singlet_design::Entity;
use singlet_store::{BatchGet, Store};
use singlet_values::{AttributeValue, EncodedItem, Item};

use crate::error::DeriveError;

/// Items to be read: by table, each encoded key once.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    tables: BTreeMap<String, BTreeMap<Vec<u8>, Item>>,
}

/// The items that were there.
#[derive(Debug, Default)]
pub(crate) struct Found {
    items: BTreeMap<(String, Vec<u8>), Item>,
}

impl Wanted {
    pub(crate) fn ask(&mut self, table: String, key: Item) {
        self.tables.entry(table).or_default().insert(encode(&key), key);
    }

    /// Reads the items consistently.
    pub(crate) async fn read(self, store: &impl Store) -> Result<Found, DeriveError> {
        let mut found = Found::default();
        for (table, keys) in self.tables {
            let keys: Vec<Item> = keys.into_values().collect();
            let first = keys.first().into_iter();
            let names: Vec<String> = first.flat_map(Item::iter).map(|(name, _)| name.to_owned()).collect();
            let request = BatchGet { table: table.clone(), keys, consistent: true, projection: None };
            for item in store.batch_get(request).await?.items {
                let item = item.decode().map_err(DeriveError::corrupt)?;
                let key = names.iter().filter_map(|name| Some((name.as_str(), item.get(name)?.clone())));
                found.items.insert((table.clone(), encode(&key.collect())), item);
            }
        }
        Ok(found)
    }
}

impl Found {
    /// Returns the item under a key.
    pub(crate) fn get(&self, table: &str, key: &Item) -> Option<&Item> {
        self.items.get(&(table.to_owned(), encode(key)))
    }

    /// Returns the item under a key if it is one of an entity.
    pub(crate) fn of_entity(&self, entity: &Entity, table: &str, key: &Item) -> Option<&Item> {
        self.get(table, key).filter(|item| is_of(entity, item))
    }
}

/// Returns the key as bytes.
pub(crate) fn encode(key: &Item) -> Vec<u8> {
    EncodedItem::encode(key).as_bytes().to_vec()
}

/// Returns whether an item is one of an entity.
fn is_of(entity: &Entity, item: &Item) -> bool {
    let type_name = AttributeValue::from(entity.type_name.as_str());
    item.get(&entity.table.type_attribute) == Some(&type_name)
}
