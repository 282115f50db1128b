//! Planning upserts: a change of the item, or a new item if it is missing.
//!
//! The item is mostly there, so the change is tried without looking. If the item turns out to be missing, the next
//! attempt looks, and creates it under the condition that nobody else has.

use singlet_design::{Entity, Field, Unique, Update, ValueSource};
use singlet_store::Store;
use singlet_values::Item;

use super::bounds::{self, SumBound};
use super::edit::Edit;
use super::guard::Guard;
use super::list::{self, EntryBound};
use super::plan::{Answer, Presence, Purpose, WritePlan};
use super::planner::Planner;
use super::retry::Setback;
use super::supplier::{Supplier, lacking};
use super::{WriteStep, change, unique};
use crate::arguments::Given;
use crate::derive;
use crate::error::RunError;
use crate::expiry;
use crate::keys::table_key;

impl<S: Store> Planner<'_, S> {
    /// The plan of an upsert.
    pub(super) async fn upsert<'a>(
        &self,
        step: &WriteStep<'a, '_>,
        update: &'a Update,
        first: &'a [(String, ValueSource)],
    ) -> Result<WritePlan<'a>, Setback> {
        let entity = &update.entity;
        if self.is_repeated {
            let there = self.read(entity, table_key(entity, step.bound)?).await?;
            if there.is_none_or(|item| expiry::is_expired(&entity.table, &item, self.now_ms / 1000)) {
                return self.creation(step, update, first).await;
            }
        }
        let mut plan = match self.update(step, update).await {
            // The change had to look at the item, and found none.
            Err(Setback::Failed(RunError::Missing { entity: name })) if name == entity.name => {
                return self.creation(step, update, first).await;
            }
            planned => planned?,
        };
        either_way(&mut plan);
        Ok(plan)
    }

    /// The plan of the new item.
    async fn creation<'a>(
        &self,
        step: &WriteStep<'a, '_>,
        update: &'a Update,
        first: &'a [(String, ValueSource)],
    ) -> Result<WritePlan<'a>, Setback> {
        let entity = &update.entity;
        let source = self.source(step);
        let edits = change::edits(update, &source)?;
        let mut item = new_item(entity, first, &edits, &source)?;
        derive::complete(entity, &mut item)?;
        if unique::key_of(&entity.table, &item) != table_key(entity, step.bound)? {
            let reason = "has a key that doesn't follow from its other fields".to_owned();
            return Err(RunError::Parameter { parameter: entity.name.clone(), reason }.into());
        }
        let expectation = self.expect(step, entity, Presence::Absent, None);
        let uniques: Vec<&Unique> = entity.unique.iter().collect();
        let mut actions = vec![self.put_action(step, item.clone(), expectation)?];
        actions.extend(self.reserve(entity, &uniques, None, Some(&item)).await?);
        self.check_references(&update.must_exist, &item, &mut actions)?;
        let mut plan = WritePlan { actions, entity, known: item, answer: Answer::Planned };
        either_way(&mut plan);
        Ok(plan)
    }
}

/// Lets a plan be made anew if the item is there, or not, against expectation.
fn either_way(plan: &mut WritePlan<'_>) {
    for planned in &mut plan.actions {
        if let Purpose::Item(expectation) = &mut planned.meaning {
            expectation.either_way = true;
        }
    }
}

/// All fields of a new item: those of its key, first values, generated values and defaults, and then the changes.
fn new_item(
    entity: &Entity,
    first: &[(String, ValueSource)],
    edits: &[Edit],
    source: &Supplier<'_>,
) -> Result<Item, RunError> {
    let templates = || std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let in_key = |field: &Field| {
        templates().any(|template| template.fields().any(|path| path.split('.').next() == Some(&field.name)))
    };
    let mut item = Item::with_capacity(entity.fields.len() + 8);
    for field in &entity.fields {
        let given = match first.iter().find(|(name, _)| *name == field.name) {
            Some((_, value)) => source.value(value, &field.name, &field.kind)?,
            None if in_key(field) => source.bound.given(&field.name).cloned().unwrap_or(Given::Missing),
            None => Given::Missing,
        };
        let value = match given {
            Given::Value(value) => Some(value),
            Given::Missing | Given::Null => source.unasked(field)?,
        };
        if let Some(value) = value.filter(|value| !singlet_design::is_empty_set(value)) {
            item.insert(field.name.as_str(), value);
        }
    }
    if let Some(error) = SumBound::of(entity, edits).iter().find_map(|sum| sum.broken_by(&item)) {
        return Err(error);
    }
    if let Some(error) = EntryBound::of(entity, edits).iter().find_map(|room| room.broken_by(&item)) {
        return Err(error);
    }
    let mut edits = edits.to_vec();
    list::make_maps(entity, &mut edits, &item, &mut Guard::default())?;
    let edits = edits.as_slice();
    edits.iter().try_for_each(|edit| edit.apply(&mut item))?;
    bounds::check_sets(entity, &bounds::growing_sets(entity, edits), &item)?;
    let lacks =
        |field: &&Field| !field.optional && !field.computed && !item.contains(&field.name) && !is_set(field);
    match entity.fields.iter().find(lacks) {
        Some(field) => Err(lacking(entity, field)),
        None => Ok(item),
    }
}

/// Whether a field is a set, which is missing while it is empty.
fn is_set(field: &Field) -> bool {
    matches!(field.kind, singlet_design::FieldType::Set { .. })
}
