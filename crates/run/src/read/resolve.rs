//! References: the items that a field names are read in batches and put into the answer.

use std::collections::BTreeMap;

use singlet_design::{Entity, Json, Reference, Resolve, Values};
use singlet_store::Store;
use singlet_values::{EncodedItem, Item, ItemRef, ValueRef};

use super::keyed::{key_bytes, read_keys};
use crate::call::{PlanContext, Site};
use crate::error::RunError;
use crate::expiry::Expiry;
use crate::keys::table_key;
use crate::outcome::Record;

/// Most items that the references of one answer lead to.
const REFERENCES_MAX: usize = 10_000;

/// A reference with everything that doesn't depend on the call.
#[derive(Debug, Clone)]
pub(super) struct ResolvePlan {
    name: String,
    field: String,
    /// One, or those of which an item names one.
    targets: Vec<Target>,
}

/// An entity that a reference can lead to.
#[derive(Debug, Clone)]
struct Target {
    reference: Reference,
    table: String,
    expiry: Expiry,
}

impl ResolvePlan {
    pub(super) fn new(context: &PlanContext<'_>, resolve: &Resolve) -> Self {
        let target = |reference: &Reference| Target {
            table: context.table_name(&reference.entity.table),
            expiry: Expiry::new(reference.entity.table.ttl.clone()),
            reference: reference.clone(),
        };
        let targets = resolve.targets.iter().map(target).collect();
        ResolvePlan { name: resolve.name.clone(), field: resolve.field.clone(), targets }
    }

    /// The entity to which a reference of an item leads; `None` if the item names none.
    fn target(&self, item: ItemRef<'_>) -> Option<&Target> {
        self.targets.iter().find(|target| match &target.reference.when {
            Some((field, word)) => matches!(value_at(item, field), Some(ValueRef::S(value)) if value == word),
            None => true,
        })
    }
}

impl Target {
    /// The key that a reference of an item leads to; `None` if the item lacks another part of it.
    fn key(&self, item: ItemRef<'_>, held: ValueRef<'_>) -> Result<Option<Item>, RunError> {
        let Reference { field, entity, key, .. } = &self.reference;
        if key.iter().any(|(_, own)| own != field && value_at(item, own).is_none()) {
            return Ok(None);
        }
        table_key(entity, &Referring { item, held, reference: &self.reference }).map(Some)
    }
}

/// The value of a reference, and for other parts of the key the fields of the item that refers.
struct Referring<'a> {
    item: ItemRef<'a>,
    held: ValueRef<'a>,
    reference: &'a Reference,
}

impl Values for Referring<'_> {
    fn value(&self, path: &str) -> Option<ValueRef<'_>> {
        let (_, own) = self.reference.key.iter().find(|(member, _)| member == path)?;
        if *own == self.reference.field { Some(self.held) } else { value_at(self.item, own) }
    }
}

/// The value that a path such as `address.city` leads to.
pub(super) fn value_at<'a>(item: ItemRef<'a>, path: &str) -> Option<ValueRef<'a>> {
    let mut names = path.split('.');
    let first = item.get(names.next()?)?;
    names.try_fold(first, |value, name| match value {
        ValueRef::M(members) => members.get(name),
        _ => None,
    })
}

/// One reference, or a list of them.
enum References<'a> {
    One(ValueRef<'a>),
    Many(Vec<ValueRef<'a>>),
}

fn references<'a>(item: ItemRef<'a>, field: &str) -> Option<References<'a>> {
    Some(match item.get(field)? {
        ValueRef::L(list) => References::Many(list.iter().collect()),
        ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set) => References::Many(set.iter().collect()),
        ValueRef::Null => return None,
        one => References::One(one),
    })
}

/// Puts what the references of the records lead to into them: an object, or null if it isn't there; for a list or set
/// of references the list of those that are there.
pub(super) async fn resolve<S: Store>(
    site: &Site<S>,
    plans: &[ResolvePlan],
    records: &mut [Record],
    now_ms: u64,
) -> Result<(), RunError> {
    if plans.is_empty() || records.is_empty() {
        return Ok(());
    }
    let found = read(site, plans, records).await?;
    for record in records {
        let mut resolved = Vec::with_capacity(plans.len());
        for plan in plans {
            let item = record.item.view();
            let target = plan.target(item);
            let json = |held: ValueRef<'_>| -> Result<Option<Json>, RunError> {
                let Some(target) = target else { return Ok(None) };
                let Some(key) = target.key(item, held)? else { return Ok(None) };
                let there = found.get(target.table.as_str()).and_then(|items| items.get(&key_bytes(&key)));
                let there = there.filter(|item| !target.expiry.is_over(item.view(), now_ms));
                let record = |item: &EncodedItem| Record::of(target.reference.entity.clone(), item.clone());
                Ok(there.map(|item| record(item).to_json()))
            };
            let value = match references(item, &plan.field) {
                None => Json::Null,
                Some(References::One(reference)) => json(reference)?.unwrap_or_default(),
                Some(References::Many(several)) => {
                    let there = several.into_iter().filter_map(|reference| json(reference).transpose());
                    Json::List(there.collect::<Result<_, _>>()?)
                }
            };
            resolved.push((plan.name.clone(), value));
        }
        record.resolved = Some(resolved.into());
    }
    Ok(())
}

/// The items found, by table and key.
type Referred<'p> = BTreeMap<&'p str, BTreeMap<Vec<u8>, EncodedItem>>;

async fn read<'p, S: Store>(
    site: &Site<S>,
    plans: &'p [ResolvePlan],
    records: &[Record],
) -> Result<Referred<'p>, RunError> {
    let mut wanted: BTreeMap<&str, (&Entity, BTreeMap<Vec<u8>, Item>)> = BTreeMap::new();
    let mut count = 0;
    for plan in plans {
        for record in records {
            let item = record.item.view();
            let Some(target) = plan.target(item) else { continue };
            let (_, keys) =
                wanted.entry(&target.table).or_insert_with(|| (&target.reference.entity, BTreeMap::new()));
            let several = match references(item, &plan.field) {
                None => continue,
                Some(References::One(reference)) => vec![reference],
                Some(References::Many(several)) => several,
            };
            count += several.len();
            if count > REFERENCES_MAX {
                let reason =
                    format!("{} leads to more than {REFERENCES_MAX} items: ask for shorter pages", plan.name);
                return Err(RunError::Limit(reason));
            }
            for held in several {
                if let Some(key) = target.key(item, held)? {
                    keys.insert(key_bytes(&key), key);
                }
            }
        }
    }
    let mut found = Referred::new();
    for (table, (entity, keys)) in wanted {
        let keys = keys.into_values().collect();
        found.insert(table, read_keys(&site.store, &entity.table, table, keys, false, None).await?);
    }
    Ok(found)
}
