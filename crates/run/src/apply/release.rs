//! Reserved values that no item has any more: nobody freed them while the field wasn't unique.
//!
//! They are looked for when a value becomes unique, and freed by a step of the plan. Each one is freed in a transaction
//! that checks what was read of its holder, so a write at the same time keeps its value.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use singlet_design::{Design, Entity, Table, Unique};
use singlet_expr::{Condition, Path};
use singlet_store::{
    BatchGet, DeleteItem, ReturnItem, Scan, Store, StoreError, TransactAction, TransactWrite,
};
use singlet_values::{AttributeValue, Item};

use super::blueprint::{Blueprint, EntityBlueprint, Pairs, outermost};
use super::outdated::LOOKED_MAX;
use crate::derive;
use crate::expiry::is_expired;
use crate::write::{holder_key, key_of, reservation, reservation_head};

/// How often one value is tried whose holder is being written.
const ATTEMPTS_MAX: u32 = 10;

/// The values of an entity that are reserved although no item has them.
#[derive(Debug, Clone)]
pub struct Release {
    /// Table name.
    pub table: String,
    /// The entity.
    pub entity: Arc<Entity>,
    /// The unique constraints, as the design writes them.
    pub unique: Vec<String>,
    /// How many values were found.
    pub values: u64,
    /// The whole table was read. Otherwise there may be more.
    pub complete: bool,
}

impl PartialEq for Release {
    fn eq(&self, other: &Release) -> bool {
        let parts = |of: &Release| (of.table.clone(), of.entity.name.clone(), of.unique.clone(), of.values);
        parts(self) == parts(other) && self.complete == other.complete
    }
}

impl Eq for Release {}

impl std::fmt::Display for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Release { table, entity, unique, values, complete } = self;
        let unique = unique.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ");
        let count = match (complete, values) {
            (true, 1) => "1 value".to_owned(),
            (true, _) => format!("{values} values"),
            (false, 0) => "any value".to_owned(),
            (false, _) => format!("at least {values} values"),
        };
        write!(
            f,
            "free {count} of {unique} in {table}, reserved for items of {} that don't have them",
            entity.name
        )
    }
}

/// The constraints of a design that the one before didn't have, or whose reservations it may have made otherwise: the
/// entity's name and the constraint as it is written.
pub(super) fn unsettled(old: Option<&Blueprint>, new: &Blueprint) -> Vec<(String, String)> {
    let mut unsettled = Vec::new();
    for after in &new.entities {
        let before = old.and_then(|old| old.entity(&after.name));
        let is_separated = old.is_some_and(|old| old.separator != new.separator);
        for unique in &after.unique {
            let is_settled = before.is_some_and(|before| {
                let is_of = |(path, _): &&(String, String)| unique.contains(outermost(path));
                let types = |of: &EntityBlueprint| of.fields.iter().filter(is_of).cloned().collect::<Pairs>();
                let defaults = |of: &EntityBlueprint| {
                    of.defaults.iter().flatten().filter(is_of).cloned().collect::<Pairs>()
                };
                let computed = |of: &EntityBlueprint| {
                    of.computed.iter().flatten().filter(is_of).cloned().collect::<Pairs>()
                };
                let is_same = types(before) == types(after)
                    && defaults(before) == defaults(after)
                    && computed(before) == computed(after);
                !is_separated && before.unique.contains(unique) && is_same
            });
            if !is_settled {
                unsettled.push((after.name.clone(), unique.clone()));
            }
        }
    }
    unsettled
}

/// The constraints that a design no longer has: the entity's name and the constraint.
pub(super) fn dropped<'a>(old: &'a Blueprint, new: &Blueprint) -> Vec<(&'a str, &'a str)> {
    let mut dropped = Vec::new();
    for before in &old.entities {
        let Some(after) = new.entity(&before.name) else { continue };
        let gone = before.unique.iter().filter(|unique| !after.unique.contains(unique));
        dropped.extend(gone.map(|unique| (before.name.as_str(), unique.as_str())));
    }
    dropped
}

/// Looks for reserved values that no item has, of the constraints of a table.
pub(super) async fn find(
    design: &Design,
    (table, name): (&Table, &str),
    unsettled: &[(String, String)],
    now_second: u64,
    store: &impl Store,
) -> Result<Vec<Release>, StoreError> {
    let mut releases: Vec<Release> = Vec::new();
    for entity in design.entities_of(table) {
        let own = unsettled.iter().filter(|(owner, _)| *owner == entity.name);
        let unique: Vec<String> = own.map(|(_, unique)| unique.clone()).collect();
        if !unique.is_empty() {
            let (table, entity) = (name.to_owned(), Arc::clone(entity));
            releases.push(Release { table, entity, unique, values: 0, complete: true });
        }
    }
    let (mut looked, mut next) = (0, (!releases.is_empty()).then(|| scan(name)));
    while let Some(request) = next.take_if(|_| looked < LOOKED_MAX) {
        let page = store.scan(request).await?;
        let items: Vec<Item> = page.items.iter().filter_map(|item| item.decode().ok()).collect();
        for release in &mut releases {
            release.values += release.stale(&items, now_second, store).await?.len() as u64;
        }
        looked += u64::from(page.scanned);
        next = page.next;
    }
    releases.iter_mut().for_each(|release| release.complete = next.is_none());
    releases.retain(|release| release.values > 0 || !release.complete);
    Ok(releases)
}

fn scan(table: &str) -> Scan {
    let table = table.to_owned();
    Scan { table, index: None, filter: None, projection: None, limit: None, start_key: None }
}

/// A reservation that its holder doesn't need.
struct Stale<'i> {
    reservation: &'i Item,
    holder_key: Item,
    /// The item under the holder's key, if there is one.
    holder: Option<Item>,
}

impl Release {
    /// Frees the values, of the whole table.
    pub(super) async fn run(
        &self,
        now_second: u64,
        store: &impl Store,
        tell: &mut (dyn FnMut() + Send),
    ) -> Result<(), StoreError> {
        let mut next = Some(scan(&self.table));
        while let Some(request) = next.take() {
            let page = store.scan(request).await?;
            let items: Vec<Item> = page.items.iter().filter_map(|item| item.decode().ok()).collect();
            for stale in self.stale(&items, now_second, store).await? {
                self.free(stale.reservation, now_second, store).await?;
            }
            tell();
            next = page.next;
        }
        Ok(())
    }

    /// Frees one value, unless its holder has it by now.
    async fn free(&self, reservation: &Item, now_second: u64, store: &impl Store) -> Result<(), StoreError> {
        for attempt in 1.. {
            let stale = self.stale(std::slice::from_ref(reservation), now_second, store).await?;
            let Some(stale) = stale.first() else { return Ok(()) };
            let write = TransactWrite { actions: self.actions(stale), token: None, yields: false };
            match store.transact_write(write).await {
                // Another process freed it, or its holder is being written.
                Err(StoreError::Cancelled { .. } | StoreError::TryAgain(_)) if attempt < ATTEMPTS_MAX => {}
                Err(StoreError::Cancelled { .. }) => return Ok(()),
                other => return other.map(|_| ()),
            }
        }
        Ok(())
    }

    /// Deletes the reservation if neither it nor its holder has changed.
    fn actions(&self, stale: &Stale<'_>) -> Vec<TransactAction> {
        let table = &self.entity.table;
        let same = |item: &Item, name: &str| {
            let path = Path::attribute(name);
            match item.get(name) {
                Some(value) => Condition::equal(path, value.clone()),
                None => Condition::missing(path),
            }
        };
        let reserved =
            Condition::all(stale.reservation.iter().map(|(name, _)| same(stale.reservation, name)));
        let absent = Condition::missing(Path::attribute(&table.partition.name));
        let unchanged = stale.holder.as_ref().and_then(|holder| {
            let fields =
                self.entity.unique.iter().flat_map(|unique| &unique.fields).map(|path| outermost(path));
            let own = [table.partition.name.as_str(), table.type_attribute.as_str()].into_iter();
            Condition::all(own.chain(table.ttl.as_deref()).chain(fields).map(|name| same(holder, name)))
        });
        let (table_name, key) = (self.table.clone(), key_of(table, stale.reservation));
        let delete =
            DeleteItem { table: table_name.clone(), key, condition: reserved, returned: ReturnItem::None };
        let condition = unchanged.unwrap_or(absent);
        let check = TransactAction::Check { table: table_name, key: stale.holder_key.clone(), condition };
        vec![TransactAction::Delete(delete), check]
    }

    /// The reservations among some items that their holders don't need.
    async fn stale<'i>(
        &self,
        items: &'i [Item],
        now_second: u64,
        store: &impl Store,
    ) -> Result<Vec<Stale<'i>>, StoreError> {
        let (entity, table) = (&*self.entity, &*self.entity.table);
        let looked_for =
            |unique: &&Unique| self.unique.contains(&unique.labels().collect::<Vec<_>>().join(", "));
        let heads: Vec<String> =
            entity.unique.iter().filter(looked_for).map(|unique| reservation_head(entity, unique)).collect();
        // An expired one is free to take.
        let reserved = items.iter().filter(|item| !is_expired(table, item, now_second)).filter_map(|item| {
            let Some(AttributeValue::S(key)) = item.get(&table.partition.name) else { return None };
            let is_own = heads.iter().any(|head| key.starts_with(head.as_str()));
            Some((item, is_own.then(|| holder_key(table, item))??))
        });
        let reserved: Vec<(&Item, Item)> = reserved.collect();
        if reserved.is_empty() {
            return Ok(Vec::new());
        }
        let keys: HashSet<Item> = reserved.iter().map(|(_, key)| key.clone()).collect();
        let keys = keys.into_iter().collect();
        let request = BatchGet { table: self.table.clone(), keys, consistent: true, projection: None };
        let found = store.batch_get(request).await?.items;
        let found =
            found.iter().filter_map(|item| item.decode().ok()).map(|item| (key_of(table, &item), item));
        let holders: HashMap<Item, Item> = found.collect();
        let stale = reserved.into_iter().filter_map(|(reservation, holder_key)| {
            let holder = holders.get(&holder_key).cloned();
            let is_needed = holder.as_ref().is_some_and(|holder| self.needs(holder, reservation, now_second));
            (!is_needed).then_some(Stale { reservation, holder_key, holder })
        });
        Ok(stale.collect())
    }

    /// Whether a holder has the reserved value. Of an item of another type it isn't known.
    fn needs(&self, holder: &Item, reserved: &Item, now_second: u64) -> bool {
        let (entity, table) = (&*self.entity, &*self.entity.table);
        if is_expired(table, holder, now_second) {
            return false;
        }
        let kind = holder.get(&table.type_attribute);
        if kind.is_some_and(|kind| *kind != AttributeValue::from(entity.type_name.as_str())) {
            return true;
        }
        let seen = derive::with_defaults(entity, holder);
        let mut wanted = entity.unique.iter().filter_map(|unique| reservation(entity, unique, &seen));
        wanted.any(|wanted| key_of(table, &wanted) == key_of(table, reserved))
    }
}
