//! Items that are made from new items of another entity.

use sha2::{Digest, Sha256};
use singlet_design::{Entity, Field, Maker, Reference, to_attribute};
use singlet_run::SeededEntropy;
use singlet_run::derive::{complete, generated, given_value, key_of, value_at, with_defaults};
use singlet_run::holds_by;
use singlet_values::limits::ITEM_BYTES_MAX;
use singlet_values::{AttributeValue, Item};

use crate::reads::{Found, Wanted, encode};

/// A new item from which another one is made.
#[derive(Debug, Clone)]
pub(crate) struct Making {
    /// The new item, with its defaults.
    pub(crate) source: Item,
    /// The time at which it was written.
    pub(crate) time_ms: u64,
}

/// A rule that makes items.
#[derive(Debug, Clone)]
pub(crate) struct Workshop {
    pub(crate) name: String,
    pub(crate) rule: Maker,
}

/// The new item and the items that it refers to.
struct Materials<'a> {
    rule: &'a Maker,
    source: &'a Item,
    /// The referenced items, in the order of the rule's references.
    referenced: Vec<Item>,
}

impl Workshop {
    /// Asks for the items that the new item refers to.
    pub(crate) fn ask(&self, making: &Making, environment: &str, wanted: &mut Wanted) {
        for reference in &self.rule.references {
            if let Some(key) = referenced_key(reference, &making.source) {
                wanted.ask(reference.entity.table.name_in(environment), key);
            }
        }
    }

    /// Returns the item that is made, if there is to be one, or why it can't be made.
    pub(crate) fn make(
        &self,
        making: &Making,
        environment: &str,
        found: &Found,
    ) -> Result<Option<Item>, String> {
        let Some(materials) = self.materials(making, environment, found) else { return Ok(None) };
        if !materials.fit() {
            return Ok(None);
        }
        let entity = &*self.rule.entity;
        let entropy = SeededEntropy::new(self.seed(making));
        let mut item = Item::new();
        for field in &entity.fields {
            let value = match self.rule.set.iter().find(|(name, _)| *name == field.name) {
                Some((_, source)) => {
                    let look = |path: &str| materials.value(path);
                    let value = given_value(field, source, &look, making.time_ms);
                    value.map_err(|error| error.to_string())?
                }
                None => by_itself(field, making.time_ms, &entropy),
            };
            if let Some(value) = value {
                item.insert(field.name.as_str(), value);
            }
        }
        complete(entity, &mut item).map_err(|error| error.to_string())?;
        if item.size_bytes() > ITEM_BYTES_MAX {
            return Err("the item would have more than 400 KB".to_owned());
        }
        Ok(Some(item))
    }

    /// Returns what the new item and those that it refers to are. `None` if one of these doesn't exist.
    fn materials<'a>(
        &'a self,
        making: &'a Making,
        environment: &str,
        found: &Found,
    ) -> Option<Materials<'a>> {
        let referenced = self.rule.references.iter().map(|reference| {
            let key = referenced_key(reference, &making.source)?;
            let table = reference.entity.table.name_in(environment);
            let item = found.of_entity(&reference.entity, &table, &key)?;
            Some(with_defaults(&reference.entity, item).into_owned())
        });
        let referenced: Option<Vec<Item>> = referenced.collect();
        Some(Materials { rule: &self.rule, source: &making.source, referenced: referenced? })
    }

    /// Returns the seed of generated ids. It is the same whenever the item is made again after a failed attempt.
    fn seed(&self, making: &Making) -> u64 {
        let key = key_of(&self.rule.each, &making.source).map(|key| encode(&key)).unwrap_or_default();
        let mut digest = Sha256::new();
        digest.update(self.name.as_bytes());
        digest.update(making.time_ms.to_be_bytes());
        digest.update(key);
        let bytes = digest.finalize();
        bytes.iter().take(8).fold(0, |seed, byte| (seed << 8) | u64::from(*byte))
    }
}

impl Materials<'_> {
    /// Returns whether an item is to be made of them.
    fn fit(&self) -> bool {
        let Some(condition) = &self.rule.condition else { return true };
        let mut joined = self.source.clone();
        for path in condition.tree.paths() {
            if let Some((field, item)) = self.along(path).map(|(reference, item, _)| (&reference.field, item))
            {
                joined.insert(field.as_str(), item.clone());
            }
        }
        let kind = |path: &str| match self.along(path) {
            Some((reference, _, rest)) => reference.entity.field_at(rest).cloned(),
            None => self.rule.each.field_at(path).cloned(),
        };
        // The items have their defaults.
        holds_by(&kind, &|_| None, condition, &joined)
    }

    fn value(&self, path: &str) -> Option<AttributeValue> {
        match self.along(path) {
            Some((_, item, rest)) => value_at(item, rest).cloned(),
            None => value_at(self.source, path).cloned(),
        }
    }

    /// Returns the reference that a path leads along, the referenced item, and the rest of the path.
    fn along<'p>(&self, path: &'p str) -> Option<(&Reference, &Item, &'p str)> {
        let (reference, rest) = self.rule.along(path)?;
        let at = self.rule.references.iter().position(|known| known.field == reference.field)?;
        Some((reference, self.referenced.get(at)?, rest))
    }
}

/// Returns the value of a field of a new item that isn't given.
fn by_itself(field: &Field, now_ms: u64, entropy: &SeededEntropy) -> Option<AttributeValue> {
    match (field.made, &field.default) {
        (Some(made), _) => generated(field, made, now_ms, entropy),
        (None, Some(default)) => to_attribute(&field.kind, default).ok(),
        (None, None) => None,
    }
}

fn referenced_key(reference: &Reference, item: &Item) -> Option<Item> {
    let entity: &Entity = &reference.entity;
    let fields = reference.key.iter();
    let fields: Option<Item> =
        fields.map(|(member, own)| Some((member.as_str(), value_at(item, own)?.clone()))).collect();
    // Values that can't stand in a key name no item.
    key_of(entity, &fields?).ok()
}
