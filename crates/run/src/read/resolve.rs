//! References: the items that a field names are read in batches and put into the answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use singlet_design::{Entity, Json, Resolve, Values};
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
    entity: Arc<Entity>,
    table: String,
    /// The field of the other entity whose value the reference holds.
    key_field: String,
    expiry: Expiry,
}

impl ResolvePlan {
    pub(super) fn new(context: &PlanContext<'_>, resolve: &Resolve) -> Self {
        let entity = &resolve.entity;
        let templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
        let fields: Vec<&str> = templates.flat_map(|template| template.fields()).collect();
        // A reference usually has the name of the key field that it holds. If not, the last field of the key is what
        // tells items of one collection apart.
        let same = fields.iter().find(|field| **field == resolve.field);
        let key_field = same.or(fields.last()).copied().unwrap_or_default().to_owned();
        ResolvePlan {
            name: resolve.name.clone(),
            field: resolve.field.clone(),
            entity: entity.clone(),
            table: context.table_name(&entity.table),
            key_field,
            expiry: Expiry::new(entity.table.ttl.clone()),
        }
    }

    /// The key that a reference of an item leads to.
    fn key(&self, item: ItemRef<'_>, reference: ValueRef<'_>) -> Result<Item, RunError> {
        table_key(&self.entity, &Referring { item, reference, key_field: &self.key_field })
    }
}

/// The reference, and for other parts of the key the fields of the item that refers.
struct Referring<'a> {
    item: ItemRef<'a>,
    reference: ValueRef<'a>,
    key_field: &'a str,
}

impl Values for Referring<'_> {
    fn value(&self, path: &str) -> Option<ValueRef<'_>> {
        if path == self.key_field {
            return Some(self.reference);
        }
        value_at(self.item, path)
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
            let json = |reference: ValueRef<'_>| -> Result<Option<Json>, RunError> {
                let key = key_bytes(&plan.key(item, reference)?);
                let there = found.get(plan.table.as_str()).and_then(|items| items.get(&key));
                let there = there.filter(|item| !plan.expiry.is_over(item.view(), now_ms));
                Ok(there.map(|item| Record::of(plan.entity.clone(), item.clone()).to_json()))
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
        record.resolved = resolved;
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
        let (_, keys) = wanted.entry(&plan.table).or_insert_with(|| (&plan.entity, BTreeMap::new()));
        for record in records {
            let item = record.item.view();
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
            for reference in several {
                let key = plan.key(item, reference)?;
                keys.insert(key_bytes(&key), key);
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
