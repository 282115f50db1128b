//! Items that were written under another design: their keys are not those that the design makes from their fields, so
//! patterns don't find them.
//!
//! Nothing but the items tells for sure. They are looked at only if the designs differ, or if it isn't known which
//! design they were written under; and at most [`LOOKED_MAX`] of a table.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

use singlet_design::{Design, Entity, IndexEntry, Json, Table, Unique, to_attribute};
use singlet_store::{BatchGet, Scan, Store, StoreError};
use singlet_values::{AttributeValue, Item};

use super::blueprint::stored_as;
use super::difference::Difference;
use crate::derive;
use crate::error::RunError;
use crate::expiry::is_expired;
use crate::keys::table_key;
use crate::write::{key_of, reservation};

/// Most items of a table that are looked at: reading costs time and, at Amazon, money.
pub(super) const LOOKED_MAX: u64 = 100_000;

/// The items of an entity that don't match the design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outdated {
    /// Table name.
    pub table: String,
    /// The entity.
    pub entity: String,
    /// How many items were found.
    pub items: u64,
    /// The whole table was read. Otherwise there may be more.
    pub complete: bool,
    /// The outdated part in words.
    pub reasons: Vec<String>,
    /// The user who applied the design was told and went on.
    pub accepted: bool,
    /// The value that the type attribute of the items may have, if it differs from the design.
    pub(super) old_type: String,
}

impl fmt::Display for Outdated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outdated { table, entity, items, .. } = self;
        match (self.complete, items) {
            (true, 1) => write!(f, "1 item of {entity} in {table} is outdated"),
            (true, _) => write!(f, "{items} items of {entity} in {table} are outdated"),
            (false, 0) => write!(
                f,
                "items of {entity} in {table} may be outdated: none of the first {LOOKED_MAX} items of the table is, \
                 and the others were not read"
            ),
            (false, _) => write!(
                f,
                "at least {items} items of {entity} in {table} are outdated, among the first {LOOKED_MAX} of the table"
            ),
        }
    }
}

/// The words by which the reason about missing types is known again.
const UNTYPED: &str = "have no type attribute";

/// The items to look for in a table.
pub(super) struct Search<'a, S> {
    pub(super) store: &'a S,
    /// The table's name in the environment.
    pub(super) name: &'a str,
    pub(super) table: &'a Table,
    pub(super) design: &'a Design,
    /// The type attribute of the design before, if it is known.
    pub(super) old_type_attribute: Option<&'a str>,
    /// How many items the table has, about.
    pub(super) items: u64,
    /// The time, in seconds since 1970.
    pub(super) now_second: u64,
}

/// The knowledge of a search.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// The entities with outdated items.
    pub(super) outdated: Vec<Outdated>,
    /// How many items have no type, and no entity makes their key.
    pub(super) strangers: u64,
    /// The whole table was read.
    complete: bool,
}

impl Looked {
    /// Returns a note about items without a type, if there are any.
    pub(super) fn note(&self, table_name: &str, type_attribute: &str) -> Option<String> {
        let count = match (self.strangers, self.complete) {
            (0, _) => return None,
            (1, true) => "1 item has".to_owned(),
            (count, true) => format!("{count} items have"),
            (count, false) => format!("at least {count} items have"),
        };
        Some(format!(
            "{table_name}: {count} no type attribute `{type_attribute}`, and no entity makes the same key from the \
             fields. Lists and scans leave such items out: give each one its entity's type, or name the attribute that \
             holds it with `type` in [table]"
        ))
    }
}

/// An entity some of whose items may be outdated.
struct Suspect<'a> {
    name: String,
    old_type: String,
    /// `None` if the design doesn't have it.
    entity: Option<&'a Entity>,
    /// The constraints whose reservations are looked for.
    unique: Vec<&'a Unique>,
    reasons: Vec<String>,
    accepted: bool,
    items: u64,
    /// How many of them have no type.
    untyped: u64,
    /// The attributes that are not as the design makes them.
    attributes: BTreeSet<String>,
}

impl<S: Store> Search<'_, S> {
    /// Looks for the items of entities that changed, and of those that were outdated before.
    pub(super) async fn changed(
        &self,
        differences: Vec<Difference>,
        known: &[Outdated],
        watch: &mut (dyn FnMut(u64, u64) + Send),
    ) -> Result<Looked, StoreError> {
        let mut suspects: Vec<Suspect<'_>> = differences.into_iter().map(|one| self.differing(one)).collect();
        for mark in known {
            match suspects.iter_mut().find(|suspect| suspect.name == mark.entity) {
                // The part that was accepted before stays true, but isn't all of it any more.
                Some(suspect) => suspect.reasons.extend(mark.reasons.iter().cloned()),
                None => suspects.push(self.marked(mark)),
            }
        }
        let looked = self.look(&mut suspects, watch).await?;
        let left = suspects.into_iter().filter(|suspect| suspect.items > 0 || !looked.complete);
        let outdated = left.map(|suspect| self.outdated(suspect, looked.complete)).collect();
        Ok(Looked { outdated, ..looked })
    }

    /// Looks at items of every entity, because it isn't known what design they were written under.
    pub(super) async fn unknown(
        &self,
        watch: &mut (dyn FnMut(u64, u64) + Send),
    ) -> Result<Looked, StoreError> {
        let of = |entity| self.suspect(entity, |_| true);
        let mut suspects: Vec<Suspect<'_>> =
            self.design.entities_of(self.table).map(|entity| of(entity)).collect();
        let looked = self.look(&mut suspects, watch).await?;
        let found = suspects.into_iter().filter(|suspect| suspect.items > 0);
        let outdated = found.map(|suspect| self.outdated(suspect, looked.complete)).collect();
        Ok(Looked { outdated, ..looked })
    }

    fn differing(&self, difference: Difference) -> Suspect<'_> {
        let Difference { entity: name, old_type, reasons, unique } = difference;
        match self.entity(&name) {
            Some(entity) => {
                let looked_for = |constraint: &Unique| {
                    unique.contains(&constraint.labels().collect::<Vec<_>>().join(", "))
                };
                Suspect { old_type, reasons, ..self.suspect(entity, looked_for) }
            }
            None => Suspect { reasons, ..gone(name, old_type) },
        }
    }

    fn marked(&self, mark: &Outdated) -> Suspect<'_> {
        let suspect = match self.entity(&mark.entity) {
            Some(entity) => self.suspect(entity, |_| true),
            None => gone(mark.entity.clone(), mark.old_type.clone()),
        };
        let (old_type, reasons) = (mark.old_type.clone(), mark.reasons.clone());
        Suspect { old_type, reasons, accepted: true, ..suspect }
    }

    fn entity(&self, name: &str) -> Option<&Entity> {
        self.design.entities_of(self.table).find(|entity| entity.name == name).map(|entity| &**entity)
    }

    fn suspect<'a>(&self, entity: &'a Entity, looked_for: impl Fn(&Unique) -> bool) -> Suspect<'a> {
        Suspect {
            entity: Some(entity),
            unique: entity.unique.iter().filter(|unique| looked_for(unique)).collect(),
            ..gone(entity.name.clone(), entity.type_name.clone())
        }
    }

    /// Counts the outdated items of the suspects, and the items that are nobody's.
    async fn look(
        &self,
        suspects: &mut [Suspect<'_>],
        watch: &mut (dyn FnMut(u64, u64) + Send),
    ) -> Result<Looked, StoreError> {
        let mut found = Looked { complete: true, ..Looked::default() };
        if suspects.is_empty() {
            return Ok(found);
        }
        let (table, mut looked) = (self.name.to_owned(), 0);
        let total = self.items.min(LOOKED_MAX);
        let mut scan =
            Scan { table, index: None, filter: None, projection: None, limit: None, start_key: None };
        while looked < LOOKED_MAX {
            let page = self.store.scan(scan).await?;
            let items = page.items.iter().filter_map(|item| item.decode().ok());
            // Patterns don't show an expired item, and its reservations may be gone already.
            let lives = |item: &Item| !is_expired(self.table, item, self.now_second);
            let items: Vec<Item> = items.filter(lives).collect();
            let (untyped, strangers) = self.untyped(&items);
            found.strangers += strangers;
            for suspect in &mut *suspects {
                let mut own: Vec<&Item> = items.iter().filter(|item| self.is_of(suspect, item)).collect();
                let typed = own.len();
                own.extend(
                    untyped
                        .iter()
                        .filter(|(owner, _)| suspect.entity.is_some_and(|entity| entity.name == *owner))
                        .map(|(_, item)| *item),
                );
                suspect.untyped += (own.len() - typed) as u64;
                suspect.items +=
                    self.count(&own, suspect.entity, &suspect.unique, &mut suspect.attributes).await?;
            }
            looked += u64::from(page.scanned);
            watch(looked.min(total), total);
            match page.next {
                Some(next) => scan = next,
                None => return Ok(found),
            }
        }
        found.complete = false;
        Ok(found)
    }

    /// The items without a type: with the entity that makes their key from their fields, and how many are of none.
    fn untyped<'i>(&self, items: &'i [Item]) -> (Vec<(&str, &'i Item)>, u64) {
        let names = [Some(self.table.type_attribute.as_str()), self.old_type_attribute];
        let is_untyped = |item: &&Item| !names.iter().flatten().any(|name| item.contains(name));
        let (mut owned, mut strangers) = (Vec::new(), 0);
        for item in items.iter().filter(is_untyped) {
            let makes_key = |entity: &&std::sync::Arc<Entity>| {
                let made = table_key(entity, &*derive::with_defaults(entity, item));
                made.is_ok_and(|key| key == key_of(self.table, item))
            };
            match self.design.entities_of(self.table).find(makes_key) {
                Some(entity) => owned.push((entity.name.as_str(), item)),
                None => strangers += 1,
            }
        }
        (owned, strangers)
    }

    /// Whether an item belongs to an entity by its type. A type that the design has is what the design says.
    fn is_of(&self, suspect: &Suspect<'_>, item: &Item) -> bool {
        let now = self.table.type_attribute.as_str();
        let kind = [Some(now), self.old_type_attribute].into_iter().flatten().find_map(|name| item.get(name));
        let Some(AttributeValue::S(kind)) = kind else { return false };
        let is_taken = || self.design.entities_of(self.table).any(|entity| entity.type_name == *kind);
        match suspect.entity {
            Some(entity) if entity.type_name == *kind => true,
            _ => suspect.old_type == *kind && !is_taken(),
        }
    }

    async fn count(
        &self,
        items: &[&Item],
        entity: Option<&Entity>,
        unique: &[&Unique],
        attributes: &mut BTreeSet<String>,
    ) -> Result<u64, StoreError> {
        let Some(entity) = entity else { return Ok(items.len() as u64) };
        let reserved = self.reservations(entity, unique, items).await?;
        let mut count = 0;
        for item in items {
            let different = differing_attributes(entity, item);
            let seen = derive::with_defaults(entity, item);
            let lacks = unique.iter().filter_map(|unique| reservation(entity, unique, &seen));
            let lacks = lacks.filter(|wanted| {
                !reserved
                    .get(&key_of(self.table, wanted))
                    .is_some_and(|there| wanted.iter().all(|(name, value)| there.get(name) == Some(value)))
            });
            if !different.is_empty() || lacks.count() > 0 {
                count += 1;
                attributes.extend(different);
            }
        }
        Ok(count)
    }

    /// The reservations that are there for items of an entity, by their keys.
    async fn reservations(
        &self,
        entity: &Entity,
        unique: &[&Unique],
        items: &[&Item],
    ) -> Result<HashMap<Item, Item>, StoreError> {
        let mut keys: HashSet<Item> = HashSet::new();
        for item in items {
            let seen = derive::with_defaults(entity, item);
            let wanted = unique.iter().filter_map(|unique| reservation(entity, unique, &seen));
            keys.extend(wanted.map(|wanted| key_of(self.table, &wanted)));
        }
        if keys.is_empty() {
            return Ok(HashMap::new());
        }
        let (table, keys) = (self.name.to_owned(), keys.into_iter().collect());
        let request = BatchGet { table, keys, consistent: false, projection: None };
        let answer = self.store.batch_get(request).await?;
        let items = answer.items.iter().filter_map(|item| item.decode().ok());
        Ok(items.map(|item| (key_of(self.table, &item), item)).collect())
    }
}

impl<S> Search<'_, S> {
    fn outdated(&self, suspect: Suspect<'_>, complete: bool) -> Outdated {
        let (mut reasons, kind) = (suspect.reasons, &self.table.type_attribute);
        // An earlier search counted others.
        reasons.retain(|reason| !reason.contains(UNTYPED));
        let known = reasons.len();
        let others =
            suspect.attributes.iter().filter(|name| suspect.untyped < suspect.items || *name != kind);
        let names: Vec<String> = others.map(|name| format!("`{name}`")).collect();
        if known == 0 && !names.is_empty() {
            reasons
                .push(format!("{}: missing, or not what the design makes of the fields", names.join(", ")));
        }
        if suspect.untyped > 0 {
            reasons.push(format!(
                "{} of them {UNTYPED} `{kind}`, so `get` finds them, but lists and scans leave them out: set it to \
                 `{}`, or put the items again",
                suspect.untyped,
                suspect.entity.map_or(suspect.old_type.as_str(), |entity| &entity.type_name)
            ));
        }
        if reasons.is_empty() {
            reasons.push("a value that must be unique isn't reserved".to_owned());
        }
        Outdated {
            table: self.name.to_owned(),
            entity: suspect.name,
            items: suspect.items,
            complete,
            reasons,
            accepted: suspect.accepted,
            old_type: suspect.old_type,
        }
    }
}

/// An entity that the design doesn't have.
fn gone<'a>(name: String, old_type: String) -> Suspect<'a> {
    let (unique, reasons, attributes) = (Vec::new(), Vec::new(), BTreeSet::new());
    Suspect {
        name,
        old_type,
        entity: None,
        unique,
        reasons,
        accepted: false,
        items: 0,
        untyped: 0,
        attributes,
    }
}

/// The attributes of an item that are not what the design makes of its fields.
fn differing_attributes(entity: &Entity, item: &Item) -> Vec<String> {
    let mut whole = derive::with_defaults(entity, item).into_owned();
    match derive::complete(entity, &mut whole) {
        Ok(()) => {}
        // A field that is missing or doesn't fit makes no key at all.
        Err(RunError::Parameter { parameter, .. }) => return vec![parameter],
        Err(_) => return vec![entity.table.partition.name.clone()],
    }
    let table = &entity.table;
    let made = table.key().map(|key| key.name.as_str()).chain([table.type_attribute.as_str()]);
    let made = made.chain(derive::derived(entity).into_iter().map(|derived| derived.attribute));
    // Fields that are keys of an index as they are: an item without one isn't in the index.
    let applied = entity.indexes.iter().filter(|entry| derive::applies(entity, entry, &whole));
    let made = made.chain(applied.flat_map(IndexEntry::templates).map(|(attribute, _)| attribute));
    let mut different: Vec<String> =
        made.filter(|name| whole.get(name) != item.get(name)).map(str::to_owned).collect();
    different.extend(left_behind(entity, item).map(str::to_owned));
    different.extend(wrong_types(entity, item).map(str::to_owned));
    different
}

/// The keys of indexes that an item has although its entity is not in them, and a time to live that it no longer has.
fn left_behind<'a>(entity: &'a Entity, item: &'a Item) -> impl Iterator<Item = &'a str> {
    let keys = entity.table.indexes.iter().flat_map(|index| index.key()).map(|key| key.name.as_str());
    let expiry = entity.table.ttl.as_deref().filter(|_| entity.ttl.is_none());
    keys.chain(expiry).filter(|name| {
        let is_own = entity.field(name).is_some()
            || entity.table.key().any(|key| key.name == *name)
            || entity.indexes.iter().any(|entry| entry.templates().any(|(known, _)| known == *name));
        !is_own && item.contains(name)
    })
}

/// The fields that decide where an item is found, and whose values have another type than the design says.
fn wrong_types<'a>(entity: &'a Entity, item: &Item) -> impl Iterator<Item = &'a str> {
    derive::deciding_fields(entity).into_iter().filter(|path| {
        let Some((value, kind)) = derive::value_at(item, path).zip(entity.field_at(path)) else {
            return false;
        };
        match (value, stored_as(kind)) {
            (_, "any") => false,
            (AttributeValue::S(text), "date" | "time") => {
                to_attribute(kind, &Json::from(text.as_str())).ok().as_ref() != Some(value)
            }
            (AttributeValue::S(_), stored) => stored != "string",
            (AttributeValue::N(_), stored) => stored != "number",
            (AttributeValue::Bool(_), stored) => stored != "bool",
            (AttributeValue::B(_), stored) => stored != "binary",
            _ => false,
        }
    })
}
