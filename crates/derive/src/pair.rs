//! Pairs of an item and a match, and the entry that each has.

use singlet_design::{Entity, Fan};
use singlet_run::derive::{key_of, value_at};
use singlet_run::fan::{entry_key, entry_of, only};
use singlet_values::Item;

use crate::reads::{Found, Wanted};

/// The place of a rule, and the encoded key of an entry.
pub(crate) type PairId = (usize, Vec<u8>);

/// An entry that has to be looked at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pair {
    /// The table's key of the entry.
    pub(crate) key: Item,
    /// The fields in the key of the item.
    pub(crate) item: Item,
    /// The fields in the key of the match.
    pub(crate) found: Item,
}

impl Pair {
    /// The entry of an item and a match. It needs only the fields of the item that decide where the entry is. `None` if they
    /// can't have one.
    pub(crate) fn of(fan: &Fan, item: &Item, found: &Item) -> Option<Pair> {
        let fields = |key: &[(String, String)], item: &Item| -> Option<Item> {
            key.iter().map(|(own, _)| Some((own.as_str(), value_at(item, own)?.clone()))).collect()
        };
        let key = entry_key(fan, item, found)?;
        Some(Pair { key, item: fields(&fan.item_key, item)?, found: fields(&fan.match_key, found)? })
    }

    /// A stored entry.
    pub(crate) fn stored(fan: &Fan, entry: &Item) -> Option<Pair> {
        let fields = |key: &[(String, String)]| -> Item {
            let fields = key.iter();
            fields.filter_map(|(own, field)| Some((own.as_str(), value_at(entry, field)?.clone()))).collect()
        };
        let names: Vec<&str> = fan.entity.table.key().map(|key| key.name.as_str()).collect();
        let key = only(entry, &names)?;
        Some(Pair { key, item: fields(&fan.item_key), found: fields(&fan.match_key) })
    }
}

/// Asks for the entry, the item and the match of a pair.
pub(crate) fn ask(fan: &Fan, pair: &Pair, environment: &str, wanted: &mut Wanted) {
    wanted.ask(fan.entity.table.name_in(environment), pair.key.clone());
    for (entity, fields) in [(&fan.each, &pair.item), (&fan.found, &pair.found)] {
        if let Ok(key) = key_of(entity, fields) {
            wanted.ask(entity.table.name_in(environment), key);
        }
    }
}

/// Returns the entry that belongs under the key of a pair, by the item and the match as they are now.
pub(crate) fn right_entry(
    fan: &Fan,
    pair: &Pair,
    there: &Found,
    environment: &str,
) -> Result<Option<Item>, String> {
    let present = |entity: &Entity, fields: &Item| -> Option<Item> {
        let key = key_of(entity, fields).ok()?;
        there.of_entity(entity, &entity.table.name_in(environment), &key).cloned()
    };
    let both = present(&fan.each, &pair.item).zip(present(&fan.found, &pair.found));
    let Some((item, found)) = both else { return Ok(None) };
    let entry = entry_of(fan, &item, &found)?;
    let is_here = |entry: &Item| pair.key.iter().all(|(name, value)| entry.get(name) == Some(value));
    Ok(entry.filter(is_here))
}
