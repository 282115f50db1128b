//! Planning the write of an item without a pattern.

use singlet_design::{Entity, Field, Made, Reference, Template, Unique, instant, is_empty_set};
use singlet_expr::{Condition, Path};
use singlet_store::{DeleteItem, PutItem, ReturnItem, Store, TransactAction, UpdateItem};
use singlet_values::{AttributeValue, Item};

use super::version::followed_fields;
use super::{ItemAction, ItemDifference, ItemError, ItemPlan, ItemSetback, ItemVersion, ItemWrite};
use crate::arguments::Arguments;
use crate::call::Site;
use crate::derive::{self, paths_meet};
use crate::error::{RunError, WrongParameter};
use crate::expiry;
use crate::write::edit::{self, Edit, Verb};
use crate::write::plan::{Planned, Presence, Purpose};
use crate::write::planner::Planner;
use crate::write::supplier::{Making, lacking};
use crate::write::unique::key_of;
use crate::write::update::{fill, plain_keys, touched, touched_uniques};

impl<'r, S: Store> Planner<'r, S> {
    pub(super) async fn item<'a>(&self, write: &'a ItemWrite) -> Result<ItemPlan<'a>, ItemSetback>
    where
        'r: 'a,
    {
        let entity = &*write.entity;
        match &write.action {
            ItemAction::Create { fields } => self.created(entity, fields).await,
            ItemAction::Change { key, seen, fields } => {
                let before = self.seen(entity, key, *seen).await?;
                let missing = || ItemSetback::Item(ItemError::Conflict { present: None });
                self.changed(entity, key, before.ok_or_else(missing)?, fields).await
            }
            ItemAction::Delete { key, seen } => {
                let before = self.seen(entity, key, *seen).await?;
                self.deleted(entity, key, before).await
            }
            ItemAction::Restore { item, seen } => {
                let key = key_of(&entity.table, item);
                let before = self.seen(entity, &key, *seen).await?;
                self.restored(entity, item, before).await
            }
        }
    }

    /// The item under a key, if it is as its writer has seen it. An expired item isn't there.
    async fn seen(
        &self,
        entity: &Entity,
        key: &Item,
        seen: ItemVersion,
    ) -> Result<Option<Item>, ItemSetback> {
        let present = self.read(entity, key.clone()).await?;
        let present = present.filter(|item| !expiry::is_expired(&entity.table, item, self.now_ms / 1000));
        if ItemVersion::of(&self.site.design, entity, present.as_ref()) != seen {
            return Err(ItemSetback::Item(ItemError::Conflict { present: present.map(Box::new) }));
        }
        let type_name = AttributeValue::from(entity.type_name.as_str());
        if present.as_ref().is_some_and(|item| item.get(&entity.table.type_attribute) != Some(&type_name)) {
            return Err(RunError::Missing { entity: entity.name.clone() }.into());
        }
        Ok(present)
    }

    async fn created<'a>(&self, entity: &'a Entity, given: &Arguments) -> Result<ItemPlan<'a>, ItemSetback>
    where
        'r: 'a,
    {
        let values = self.values(entity, given)?;
        let making = self.making();
        let mut item = Item::with_capacity(entity.fields.len() + 8);
        let mut wrong = Vec::new();
        for field in &entity.fields {
            let value = match values.iter().find(|(name, _)| *name == field.name) {
                Some((_, Some(value))) => Some(value.clone()),
                _ => making.unasked(field)?,
            };
            match value {
                Some(value) if is_empty_set(&value) => {}
                Some(value) => _ = item.insert(field.name.as_str(), value),
                None if field.optional || field.computed => {}
                None => wrong.extend(as_wrong(lacking(entity, field))),
            }
        }
        refuse(wrong)?;
        derive::complete(entity, &mut item)?;
        let expectation = self.expectation(&entity.name, entity, Presence::Absent, None);
        let condition = Some(expiry::absent(&entity.table, expectation.now_second));
        let mut actions = vec![Planned {
            action: TransactAction::Put(PutItem {
                table: self.site.table_name(&entity.table).to_owned(),
                item: item.clone(),
                condition,
                returned: ReturnItem::None,
            }),
            meaning: Purpose::Item(expectation),
        }];
        let uniques: Vec<&Unique> = entity.unique.iter().collect();
        actions.extend(self.reserve(entity, &uniques, None, Some(&item)).await?);
        self.check_all(entity, &item, |_| true, &mut actions)?;
        Ok(ItemPlan { difference: ItemDifference { before: None, after: Some(item) }, actions })
    }

    async fn changed<'a>(
        &self,
        entity: &'a Entity,
        key: &Item,
        before: Item,
        given: &Arguments,
    ) -> Result<ItemPlan<'a>, ItemSetback>
    where
        'r: 'a,
    {
        let mut edits = Vec::new();
        for (name, value) in self.values(entity, given)? {
            let edit = value.map_or_else(|| Edit::remove(name), |value| Edit::set(name, value));
            let is_new = match &edit.verb {
                Verb::Set(value) => before.get(name) != Some(value),
                _ => before.contains(name),
            };
            edits.extend(is_new.then_some(edit));
        }
        if edits.is_empty() {
            let difference = ItemDifference { after: Some(before.clone()), before: Some(before) };
            return Ok(ItemPlan { difference, actions: Vec::new() });
        }
        refuse(keys_of_table(entity, &edits))?;
        for field in entity.fields.iter().filter(|field| field.made == Some(Made::Updated)) {
            if edits.iter().all(|edit| edit.path != field.name) {
                edits.push(Edit::set(field.name.as_str(), instant(&field.kind, self.now_ms)));
            }
        }
        let mut after = before.clone();
        edits.iter().try_for_each(|edit| edit.apply(&mut after))?;
        let derived = touched(entity, &edits);
        let uniques = touched_uniques(entity, &edits, &derived);
        let written: Vec<String> = edits.iter().map(|edit| edit.path.clone()).collect();
        let reserved = uniques.iter().flat_map(|unique| unique.fields.iter().map(String::as_str));
        let deciding = derived.iter().flat_map(|derived| derived.fields()).chain(reserved);
        let filled = fill(entity, deciding.chain(plain_keys(entity, &edits)), &edits, &after);
        filled.iter().try_for_each(|edit| edit.apply(&mut after))?;
        edits.extend(filled);
        for derived in &derived {
            let edit = match derived.value(entity, &after)? {
                Some(value) => Edit { path: derived.attribute.to_owned(), verb: Verb::Set(value) },
                None => Edit::remove(derived.attribute),
            };
            edit.apply(&mut after)?;
            edits.push(edit);
        }
        let relied = derived.iter().flat_map(|derived| derived.fields());
        let relied: Vec<&str> = relied.chain(edits.iter().map(|edit| edit.path.as_str())).collect();
        let mut actions = vec![Planned {
            action: TransactAction::Update(UpdateItem {
                table: self.site.table_name(&entity.table).to_owned(),
                key: key.clone(),
                update: edit::update(&edits),
                condition: self.unchanged(entity, Some(&before), &relied),
                returned: ReturnItem::None,
            }),
            meaning: Purpose::Seen { entity },
        }];
        actions.extend(self.reserve(entity, &uniques, Some(&before), Some(&after)).await?);
        let referring = derive::with_defaults(entity, &after);
        let is_written = |field: &str| written.iter().any(|path| paths_meet(field, path));
        self.check_all(entity, &referring, is_written, &mut actions)?;
        Ok(ItemPlan { difference: ItemDifference { before: Some(before), after: Some(after) }, actions })
    }

    async fn deleted<'a>(
        &self,
        entity: &'a Entity,
        key: &Item,
        before: Option<Item>,
    ) -> Result<ItemPlan<'a>, ItemSetback> {
        let Some(before) = before else {
            return Err(RunError::Missing { entity: entity.name.clone() }.into());
        };
        let mut actions = vec![Planned {
            action: TransactAction::Delete(DeleteItem {
                table: self.site.table_name(&entity.table).to_owned(),
                key: key.clone(),
                condition: self.unchanged(entity, Some(&before), &[]),
                returned: ReturnItem::None,
            }),
            meaning: Purpose::Seen { entity },
        }];
        let uniques: Vec<&Unique> = entity.unique.iter().collect();
        actions.extend(self.reserve(entity, &uniques, Some(&before), None).await?);
        Ok(ItemPlan { difference: ItemDifference { before: Some(before), after: None }, actions })
    }

    /// Writes an item as it was. Its keys are made by the present design.
    async fn restored<'a>(
        &self,
        entity: &'a Entity,
        item: &Item,
        before: Option<Item>,
    ) -> Result<ItemPlan<'a>, ItemSetback>
    where
        'r: 'a,
    {
        let mut after = item.clone();
        if let Some(before) = &before {
            for name in followed_fields(&self.site.design, entity) {
                match before.get(name) {
                    Some(value) => _ = after.insert(name, value.clone()),
                    None => _ = after.remove(name),
                }
            }
        }
        derive::complete(entity, &mut after)?;
        if key_of(&entity.table, &after) != key_of(&entity.table, item) {
            let reason = "was another one by an earlier design, so the item can't be restored".to_owned();
            let parameter = entity.table.partition.name.clone();
            return Err(RunError::Parameter { parameter, reason }.into());
        }
        let difference = ItemDifference { before, after: Some(after) };
        if difference.before == difference.after {
            return Ok(ItemPlan { difference, actions: Vec::new() });
        }
        let (before, after) = (difference.before.as_ref(), difference.after.clone().unwrap_or_default());
        let names: Vec<&str> =
            before.into_iter().flat_map(|item| item.iter().map(|(name, _)| name)).collect();
        let mut actions = vec![Planned {
            action: TransactAction::Put(PutItem {
                table: self.site.table_name(&entity.table).to_owned(),
                item: after.clone(),
                condition: self.unchanged(entity, before, &names),
                returned: ReturnItem::None,
            }),
            meaning: Purpose::Seen { entity },
        }];
        let uniques: Vec<&Unique> = entity.unique.iter().collect();
        actions.extend(self.reserve(entity, &uniques, before, Some(&after)).await?);
        self.check_all(entity, &after, |_| true, &mut actions)?;
        Ok(ItemPlan { difference, actions })
    }

    /// The condition that an item is as it was read. Of the attributes that a worker keeps current, only these must be.
    fn unchanged(&self, entity: &Entity, before: Option<&Item>, relied: &[&str]) -> Option<Condition> {
        let now_second = self.now_ms / 1000;
        let Some(before) = before else { return Some(expiry::absent(&entity.table, now_second)) };
        let followed = followed_fields(&self.site.design, entity);
        let is_relied =
            |name: &str| !followed.contains(&name) || relied.iter().any(|path| paths_meet(name, path));
        let same = before.iter().filter(|(name, _)| is_relied(name));
        let same = same.map(|(name, value)| Condition::equal(Path::attribute(name), value.clone()));
        let mut absent: Vec<&str> = relied.iter().filter_map(|path| path.split('.').next()).collect();
        absent.retain(|name| !before.contains(name));
        absent.sort_unstable();
        absent.dedup();
        let absent = absent.into_iter().map(|name| Condition::missing(Path::attribute(name)));
        Condition::all([expiry::present(&entity.table, now_second)].into_iter().chain(same).chain(absent))
    }

    fn check_all<'a>(
        &self,
        entity: &Entity,
        item: &Item,
        is_written: impl Fn(&str) -> bool,
        actions: &mut Vec<Planned<'a>>,
    ) -> Result<(), RunError>
    where
        'r: 'a,
    {
        let site: &'r Site<S> = self.site;
        let references: &'a [Reference] = site.design.checked_references(entity);
        let written = references.iter().filter(|reference| reference.fields().any(&is_written));
        self.check_references(written, item, actions)
    }

    fn making(&self) -> Making<'_> {
        Making { entropy: &*self.site.entropy, now_ms: self.now_ms }
    }

    /// The given values by the types of their fields; `None` removes a field.
    fn values<'e>(
        &self,
        entity: &'e Entity,
        given: &Arguments,
    ) -> Result<Vec<(&'e str, Option<AttributeValue>)>, ItemSetback> {
        let (mut values, mut wrong) = (Vec::new(), Vec::new());
        for (name, json) in given {
            let fault = |reason: &str| WrongParameter { parameter: name.clone(), reason: reason.to_owned() };
            let Some(field) = entity.field(name) else {
                wrong.push(fault("isn't a field of the entity"));
                continue;
            };
            if let Some(reason) = unsettable(field) {
                wrong.push(fault(reason));
            } else if json.is_null() {
                match field.optional {
                    true => values.push((field.name.as_str(), None)),
                    false => wrong.push(fault("can't be removed, because the entity requires it")),
                }
            } else {
                match self.making().value(name, &field.kind, json) {
                    Ok(value) => values.push((field.name.as_str(), Some(value))),
                    Err(error) => wrong.extend(as_wrong(error)),
                }
            }
        }
        refuse(wrong)?;
        Ok(values)
    }
}

/// Why nobody can set a field.
fn unsettable(field: &Field) -> Option<&'static str> {
    match field {
        Field { derived: true, .. } => Some("is derived from other items, so nobody can set it"),
        Field { computed: true, .. } => Some("is computed from other fields, so nobody can set it"),
        Field { internal: true, .. } => Some("is internal, so only patterns can set it"),
        _ => None,
    }
}

/// The edits that would change the key of the table: an item with another key is another item.
fn keys_of_table(entity: &Entity, edits: &[Edit]) -> Vec<WrongParameter> {
    let fields: Vec<&str> =
        std::iter::once(&entity.key.partition).chain(&entity.key.sort).flat_map(Template::fields).collect();
    let in_key = |edit: &&Edit| fields.iter().any(|field| paths_meet(field, &edit.path));
    let wrong = edits.iter().filter(in_key).map(|edit| WrongParameter {
        parameter: edit.path.clone(),
        reason: "is in the item's key: create another item and delete this one".to_owned(),
    });
    wrong.collect()
}

fn as_wrong(error: RunError) -> Option<WrongParameter> {
    match error {
        RunError::Parameter { parameter, reason } => Some(WrongParameter { parameter, reason }),
        _ => None,
    }
}

fn refuse(wrong: Vec<WrongParameter>) -> Result<(), ItemSetback> {
    if wrong.is_empty() { Ok(()) } else { Err(ItemSetback::Item(ItemError::Wrong(wrong))) }
}
