//! Attributes that follow from an item's fields: its key, the index keys that apply, its type, its time to live.
//!
//! [`complete`] makes all of it for a whole item. [`derived`] lists what can change in an item's life, and
//! [`Derived::touched_by`] tells an update which of it has to be made anew. An item that lacks a field with a default
//! counts as if it had the default ([`with_defaults`]).

use std::borrow::Cow;

use singlet_design::{
    Composed, Entity, Field, IndexEntry, Json, KeyKind, Made, Name, Template, TimeToLive, ValueSource,
    Values, When, default_of, epoch_second, instant_at, to_attribute,
};
use singlet_values::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use singlet_values::{AttributeValue, Item, Number};

use crate::entropy::{Entropy, make};
use crate::error::RunError;
use crate::expression::evaluate;
use crate::keys::{refused, table_key};

pub use crate::item_path::value_at;

/// The table of derived data.
pub const DERIVED_TABLE: &str = "singlet-derived";

/// Whether two paths meet: one is the other, or leads into it.
pub fn paths_meet(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns the item with the default of each field that it lacks: it may be older than the field.
pub fn with_defaults<'i>(entity: &Entity, item: &'i Item) -> Cow<'i, Item> {
    let mut seen = with_given_defaults(entity, item);
    for (name, value) in entity.computed.iter().filter(|(name, _)| !item.contains(name)) {
        if let Ok(Some(value)) = computed_value(entity, (name, value), &seen) {
            seen.to_mut().insert(name.as_str(), value);
        }
    }
    seen
}

/// Returns exactly the attributes of the table's key for an item of an entity, from the fields that make it. Values that
/// no item of the table can have in its key are refused.
pub fn key_of(entity: &Entity, fields: &Item) -> Result<Item, RunError> {
    let key = table_key(entity, fields)?;
    let table = &entity.table;
    let sort = table.sort.as_ref().map(|sort| (sort, SORT_KEY_BYTES_MAX));
    for (attribute, bytes_max) in [(&table.partition, PARTITION_KEY_BYTES_MAX)].into_iter().chain(sort) {
        let fits = key.get(&attribute.name).is_some_and(|value| fits(attribute.kind, value, bytes_max));
        if !fits {
            let (parameter, reason) = (attribute.name.clone(), "can't be a key of the table".to_owned());
            return Err(RunError::Parameter { parameter, reason });
        }
    }
    Ok(key)
}

fn fits(kind: KeyKind, value: &AttributeValue, bytes_max: usize) -> bool {
    match (kind, value) {
        (KeyKind::Text, AttributeValue::S(text)) => (1..=bytes_max).contains(&text.len()),
        (KeyKind::Binary, AttributeValue::B(bytes)) => (1..=bytes_max).contains(&bytes.len()),
        (KeyKind::Number, AttributeValue::N(_)) => true,
        _ => false,
    }
}

/// Returns the value that a derivation gives a field: a constant, the time, or a text with fields of an item. `None` if one
/// of these fields is missing.
pub fn given_value(
    field: &Field,
    source: &ValueSource,
    look: &dyn Fn(&str) -> Option<AttributeValue>,
    now_ms: u64,
) -> Result<Option<AttributeValue>, RunError> {
    let Field { name, kind, .. } = field;
    match source {
        // A constant that doesn't fit is refused when the design is read.
        ValueSource::Constant(json) => Ok(to_attribute(kind, json).ok()),
        ValueSource::Now => Ok(i64::try_from(now_ms).ok().and_then(|now_ms| instant_at(kind, now_ms))),
        ValueSource::Composed(composed) => {
            evaluate(composed, name, kind, &|used| look(used.field()?), now_ms)
        }
        // Nobody calls a derivation.
        ValueSource::Parameter(_) => Ok(None),
    }
}

/// Returns a generated value of a new item.
pub fn generated(field: &Field, made: Made, now_ms: u64, entropy: &dyn Entropy) -> Option<AttributeValue> {
    to_attribute(&field.kind, &Json::Text(make(made, now_ms, entropy))).ok()
}

/// The value of a computed field by the other fields of an item; `None` if one of them is missing.
fn computed_value(
    entity: &Entity,
    (name, value): (&str, &Composed),
    item: &Item,
) -> Result<Option<AttributeValue>, RunError> {
    let Some(kind) = entity.field(name).map(|field| &field.kind) else { return Ok(None) };
    let look = |name: &Name| value_at(item, name.field()?).cloned();
    // No computed field depends on the time.
    evaluate(value, name, kind, &look, 0)
}

fn with_given_defaults<'i>(entity: &Entity, item: &'i Item) -> Cow<'i, Item> {
    let mut seen = Cow::Borrowed(item);
    for field in entity.fields.iter().filter(|field| !item.contains(&field.name)) {
        if let Some(default) = default_of(field) {
            seen.to_mut().insert(field.name.as_str(), default);
        }
    }
    seen
}

/// Returns the fields, or paths into objects, that decide where an item is found, each once: those in its keys, in the
/// conditions of its indexes, in unique constraints and in its time to live.
pub fn deciding_fields(entity: &Entity) -> Vec<&str> {
    let own = std::iter::once(&entity.key.partition).chain(&entity.key.sort).flat_map(Template::fields);
    let entries = entity.indexes.iter().flat_map(entry_fields);
    let unique = entity.unique.iter().flat_map(|unique| unique.fields.iter().map(String::as_str));
    let ttl = entity.ttl.iter().map(|ttl| ttl.field.as_str());
    let mut fields: Vec<&str> = Vec::new();
    for path in own.chain(entries).chain(unique).chain(ttl) {
        if !fields.contains(&path) {
            fields.push(path);
        }
    }
    fields
}

/// Returns the fields that are attributes of an index key as they are, in the indexes whose keys a change of what this
/// path leads to can change.
pub fn plain_keys_touched_by<'a>(entity: &'a Entity, path: &str) -> impl Iterator<Item = &'a str> {
    let is_touched = |entry: &&IndexEntry| entry_fields(entry).any(|field| paths_meet(field, path));
    let touched = entity.indexes.iter().filter(is_touched).flat_map(IndexEntry::templates);
    touched.map(|(attribute, _)| attribute).filter(|attribute| entity.field(attribute).is_some())
}

/// Gives an item every attribute that follows from its fields, and takes away those that no longer do. Existing derived
/// attributes are not trusted: this rebuilds them from scratch.
pub fn complete(entity: &Entity, item: &mut Item) -> Result<(), RunError> {
    for (name, value) in &entity.computed {
        match computed_value(entity, (name, value), item)? {
            Some(value) => item.insert(name.as_str(), value),
            None => item.remove(name),
        };
    }
    for (name, value) in table_key(entity, item)? {
        item.insert(name, value);
    }
    item.insert(entity.table.type_attribute.as_str(), entity.type_name.as_str());
    for derived in derived(entity) {
        match derived.value(entity, item)? {
            Some(value) => item.insert(derived.attribute, value),
            None => item.remove(derived.attribute),
        };
    }
    Ok(())
}

/// An attribute that follows from fields and can change in an item's life.
#[derive(Debug, Clone)]
pub struct Derived<'a> {
    /// The attribute.
    pub attribute: &'a str,
    source: DerivedFrom<'a>,
}

/// The source of an attribute.
#[derive(Debug, Clone)]
enum DerivedFrom<'a> {
    /// Entries of indexes: several if their indexes share the attribute. The first that applies gives the value.
    Entries(Vec<&'a IndexEntry>),
    /// A time to live.
    TimeToLive(&'a TimeToLive),
    /// A computed field.
    Computed(&'a Composed),
}

/// The attributes of an entity that can change in an item's life: index keys and time to live. Key attributes that
/// are fields are left out, and so is the table's key: an item with another key is another item.
pub fn derived(entity: &Entity) -> Vec<Derived<'_>> {
    // Computed fields come first, because keys are made from them.
    let computed = entity.computed.iter();
    let mut all: Vec<Derived<'_>> = computed
        .map(|(name, value)| Derived { attribute: name, source: DerivedFrom::Computed(value) })
        .collect();
    for entry in &entity.indexes {
        for (attribute, _) in entry.templates() {
            let is_given =
                entity.field(attribute).is_some() || entity.table.key().any(|key| key.name == attribute);
            if is_given {
                continue;
            }
            match all.iter_mut().find(|known| known.attribute == attribute).map(|known| &mut known.source) {
                Some(DerivedFrom::Entries(entries)) => entries.push(entry),
                _ => all.push(Derived { attribute, source: DerivedFrom::Entries(vec![entry]) }),
            }
        }
    }
    if let (Some(attribute), Some(ttl)) = (&entity.table.ttl, &entity.ttl)
        && ttl.field != *attribute
    {
        all.push(Derived { attribute, source: DerivedFrom::TimeToLive(ttl) });
    }
    all
}

impl<'a> Derived<'a> {
    /// The fields, or paths into objects, that it follows from; some may come twice.
    pub fn fields(&self) -> Vec<&'a str> {
        match &self.source {
            DerivedFrom::TimeToLive(ttl) => vec![ttl.field.as_str()],
            DerivedFrom::Computed(value) => value.names().into_iter().filter_map(Name::field).collect(),
            DerivedFrom::Entries(entries) => entries.iter().copied().flat_map(entry_fields).collect(),
        }
    }

    /// Whether it is a computed field.
    pub fn is_computed(&self) -> bool {
        matches!(self.source, DerivedFrom::Computed(_))
    }

    /// Whether a change of what this path leads to can change it.
    pub fn touched_by(&self, path: &str) -> bool {
        self.fields().iter().any(|field| paths_meet(field, path))
    }

    /// Returns its value by the item's fields; `None` if the item must not have it.
    pub fn value(&self, entity: &Entity, item: &Item) -> Result<Option<AttributeValue>, RunError> {
        let entries = match &self.source {
            DerivedFrom::TimeToLive(ttl) => return Ok(expiry_second(ttl, item).map(AttributeValue::from)),
            DerivedFrom::Computed(value) => return computed_value(entity, (self.attribute, value), item),
            DerivedFrom::Entries(entries) => entries,
        };
        let Some(entry) = entries.iter().find(|entry| applies(entity, entry, item)) else { return Ok(None) };
        let Some((_, template)) = entry.templates().find(|(name, _)| *name == self.attribute) else {
            return Ok(None);
        };
        template.render(entity.table.separator, item).map_err(refused)
    }
}

/// Whether an item is in an index by this entry: every `when` holds, and no part of the key is missing.
pub fn applies(entity: &Entity, entry: &IndexEntry, item: &Item) -> bool {
    let mut parts = entry.partition.iter().chain(&entry.sort).flat_map(Template::fields);
    entry.when.iter().all(|when| holds(entity, when, item)) && parts.all(|path| item.value(path).is_some())
}

/// The epoch second after which an item is gone; `None` if the field that it counts from is missing.
fn expiry_second(ttl: &TimeToLive, item: &Item) -> Option<Number> {
    let after = Number::from(ttl.after_seconds);
    match value_at(item, &ttl.field)? {
        AttributeValue::N(epoch) => epoch.checked_add(&after).ok(),
        AttributeValue::S(text) => Number::from(epoch_second(text)?).checked_add(&after).ok(),
        _ => None,
    }
}

fn entry_fields(entry: &IndexEntry) -> impl Iterator<Item = &str> {
    let parts = entry.partition.iter().chain(&entry.sort).flat_map(Template::fields);
    parts.chain(entry.when.iter().map(|when| when.field.as_str()))
}

fn holds(entity: &Entity, when: &When, item: &Item) -> bool {
    let (Some(have), Some(kind)) = (value_at(item, &when.field), entity.field_at(&when.field)) else {
        return false;
    };
    when.values.iter().any(|wanted| to_attribute(kind, wanted).as_ref() == Ok(have))
}
