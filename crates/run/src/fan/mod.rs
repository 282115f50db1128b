//! Entries of feeds: items that are made for each pair of an item and a match.
//!
//! Workers write them, and readers make those of sources that have too many matches. Both use the same rules, so that an
//! entry that isn't stored looks like one that is.

mod mark;

use singlet_design::{Entity, Fan, Template, to_attribute};
use singlet_values::limits::ITEM_BYTES_MAX;
use singlet_values::{AttributeValue, Item};

use crate::conditions::holds_for;
use crate::derive::{applies, complete, given_value, key_of, value_at, with_defaults};

pub use mark::{KIND, MARKED, MATCH, OWNER, crowd_key, derivation_owner, mark_key, marks};

/// Returns whether entries are made for an item.
pub fn is_fanned(fan: &Fan, item: &Item) -> bool {
    let Some(condition) = &fan.condition else { return true };
    holds_for(&fan.each, condition, &with_defaults(&fan.each, item))
}

/// Returns whether the query finds an item under the right key.
pub fn is_match(fan: &Fan, found: &Item) -> bool {
    let entity = &*fan.found;
    let is_there = match &fan.matches.index {
        Some(index) => {
            let entry = entity.indexes.iter().find(|entry| entry.index.name == *index);
            entry.is_some_and(|entry| applies(entity, entry, found))
        }
        None => true,
    };
    let filter = fan.filter.as_ref();
    is_there && filter.is_none_or(|filter| holds_for(entity, filter, &with_defaults(entity, found)))
}

/// Returns whether a match is one of an item.
pub fn belongs(fan: &Fan, item: &Item, found: &Item) -> bool {
    fan.matches.link.iter().all(|(own, theirs)| {
        let value = value_at(item, own);
        value.is_some() && value == value_at(found, theirs)
    })
}

/// Returns the entry of an item and a match, or why it can't be made. `None` if there is none.
pub fn entry_of(fan: &Fan, item: &Item, found: &Item) -> Result<Option<Item>, String> {
    if !belongs(fan, item, found) || !is_match(fan, found) || !is_fanned(fan, item) {
        return Ok(None);
    }
    let entity = &*fan.entity;
    let mut entry = fields_of(fan, item, found, &|_| true)?;
    complete(entity, &mut entry).map_err(|error| error.to_string())?;
    if entry.size_bytes() > ITEM_BYTES_MAX {
        return Err("the item would have more than 400 KB".to_owned());
    }
    Ok(Some(entry))
}

/// Returns the table's key of an entry. It needs only those fields of the item that are in [`key_paths`].
pub fn entry_key(fan: &Fan, item: &Item, found: &Item) -> Option<Item> {
    let in_key = key_fields(&fan.entity);
    let fields = fields_of(fan, item, found, &|name| in_key.contains(&name)).ok()?;
    key_of(&fan.entity, &fields).ok()
}

/// Returns the fields of an item, without paths into them, that decide where its entries are.
pub fn key_paths(fan: &Fan) -> Vec<&str> {
    let in_key = key_fields(&fan.entity);
    let values = fan.set.iter().filter(|(name, _)| in_key.contains(&name.as_str()));
    let composed = values.filter_map(|(_, value)| match value {
        singlet_design::ValueSource::Composed(composed) => Some(composed.names()),
        _ => None,
    });
    let names = composed.flatten().filter_map(|name| name.field());
    let names = names.filter(|path| fan.of_match(path).is_none());
    let own = fan.item_key.iter().chain(&fan.matches.link).map(|(own, _)| own.as_str());
    let mut paths: Vec<&str> = names.chain(own).map(first).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Returns the fields of a match, without paths into them, that tell which one it is.
pub fn match_paths(fan: &Fan) -> Vec<&str> {
    let key = fan.match_key.iter().map(|(own, _)| own.as_str());
    let link = fan.matches.link.iter().map(|(_, theirs)| theirs.as_str());
    let mut paths: Vec<&str> = key.chain(link).map(first).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Returns these attributes of an item; `None` if it lacks one.
pub fn only(item: &Item, names: &[&str]) -> Option<Item> {
    names.iter().map(|name| Some((*name, item.get(name)?.clone()))).collect()
}

/// Returns the fields of an entry that a rule gives, and the defaults of others.
fn fields_of(fan: &Fan, item: &Item, found: &Item, wanted: &dyn Fn(&str) -> bool) -> Result<Item, String> {
    let (item, found) = (with_defaults(&fan.each, item), with_defaults(&fan.found, found));
    let look = |path: &str| -> Option<AttributeValue> {
        match fan.of_match(path) {
            Some(path) => value_at(&found, path).cloned(),
            None => value_at(&item, path).cloned(),
        }
    };
    let mut entry = Item::new();
    for field in fan.entity.fields.iter().filter(|field| wanted(&field.name)) {
        let value = match fan.set.iter().find(|(name, _)| *name == field.name) {
            // Nothing in an entry depends on the time.
            Some((_, source)) => given_value(field, source, &look, 0).map_err(|error| error.to_string())?,
            None => field.default.as_ref().and_then(|default| to_attribute(&field.kind, default).ok()),
        };
        if let Some(value) = value {
            entry.insert(field.name.as_str(), value);
        }
    }
    Ok(entry)
}

fn key_fields(entity: &Entity) -> Vec<&str> {
    std::iter::once(&entity.key.partition).chain(&entity.key.sort).flat_map(Template::fields).collect()
}

fn first(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}
