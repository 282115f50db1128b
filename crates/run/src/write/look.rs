//! Gets in transactions: an item is read, and the transaction holds only if nothing that was used of it has changed.

use std::collections::BTreeMap;

use singlet_design::Get;
use singlet_expr::Condition;
use singlet_store::{Store, TransactAction};
use singlet_values::{EncodedItem, Item};

use super::WriteStep;
use super::plan::{Answer, Planned, Presence, Purpose, WritePlan};
use super::planner::Planner;
use super::retry::Setback;
use crate::arguments::Bound;
use crate::error::RunError;
use crate::expiry;
use crate::keys::{asked_key, table_key};
use crate::read::{key_bytes, read_keys};

impl<S: Store> Planner<'_, S> {
    /// The plan of a get: a check that the item is there and that the fields that later steps take are as they were read.
    pub(super) async fn look<'a>(
        &self,
        step: &WriteStep<'a, '_>,
        get: &'a Get,
    ) -> Result<WritePlan<'a>, Setback> {
        let key = key_of(get, step.bound)?;
        let found = self.read(&get.entity, key.clone()).await?;
        Ok(self.looked(step, get, key, found)?)
    }

    /// The plans of a get that runs for several elements, whose items are read together.
    pub(super) async fn look_at_all<'a>(
        &self,
        steps: &[WriteStep<'a, '_>],
        get: &'a Get,
    ) -> Result<Vec<WritePlan<'a>>, Setback> {
        let table = &get.entity.table;
        let keys = steps.iter().map(|step| key_of(get, step.bound)).collect::<Result<Vec<_>, _>>()?;
        let distinct: BTreeMap<Vec<u8>, Item> =
            keys.iter().map(|key| (key_bytes(key), key.clone())).collect();
        let distinct = distinct.into_values().collect();
        let found =
            read_keys(&self.site.store, table, self.site.table_name(table), distinct, true, None).await?;
        let plan = |(step, key): (&WriteStep<'a, '_>, Item)| {
            let item = found.get(&key_bytes(&key)).map(EncodedItem::decode).transpose();
            Ok(self.looked(step, get, key, item.map_err(|_| super::unreadable())?)?)
        };
        steps.iter().zip(keys).map(plan).collect()
    }

    fn looked<'a>(
        &self,
        step: &WriteStep<'a, '_>,
        get: &'a Get,
        key: Item,
        found: Option<Item>,
    ) -> Result<WritePlan<'a>, RunError> {
        let entity = &get.entity;
        let known = found.filter(|item| !expiry::is_expired(&entity.table, item, self.now_ms / 1000));
        let known = known.ok_or_else(|| RunError::Missing { entity: entity.name.clone() })?;
        let mut expectation = self.expect(step, entity, Presence::Present, None);
        step.wanted.iter().for_each(|path| expectation.guard.keep(&known, path));
        let present = expiry::present(&entity.table, self.now_ms / 1000);
        let condition = self.condition(step, &mut expectation)?.unwrap_or(present);
        let table = self.site.table_name(&entity.table).to_owned();
        let action = TransactAction::Check { table, key, condition };
        let actions = vec![Planned { action, meaning: Purpose::Read(expectation) }];
        Ok(WritePlan { actions, entity, known, answer: Answer::Read { show: get.show.as_deref() } })
    }
}

fn key_of(get: &Get, bound: &Bound<'_>) -> Result<Item, RunError> {
    match &get.key {
        Some(asked) => asked_key(&get.entity, asked, bound),
        None => table_key(&get.entity, bound),
    }
}

/// Makes one action of two about one item, if one of them only reads it: the other one gets the conditions of both.
/// `false` if neither is such a read.
pub(super) fn join<'a>(earlier: &mut Planned<'a>, later: Planned<'a>) -> bool {
    let read = match (&earlier.meaning, &later.meaning) {
        (_, Purpose::Read(_)) => later,
        (Purpose::Read(_), _) => std::mem::replace(earlier, later),
        _ => return false,
    };
    let TransactAction::Check { condition, .. } = &read.action else { return false };
    match (&mut earlier.meaning, &read.meaning) {
        (Purpose::Item(own) | Purpose::Read(own), Purpose::Read(of_read)) => {
            own.guard.join(&of_read.guard);
            if own.presence == Presence::Any {
                own.presence = Presence::Present;
            }
            demand(&mut earlier.action, condition.clone());
        }
        // The check of a reference demands less.
        (Purpose::Reference { .. }, _) => *earlier = read,
        _ => return false,
    }
    true
}

/// Adds a condition to an action.
fn demand(action: &mut TransactAction, more: Condition) {
    let both = |own: Option<Condition>| Condition::all(own.into_iter().chain([more]));
    match action {
        TransactAction::Put(put) => put.condition = both(put.condition.take()),
        TransactAction::Update(update) => update.condition = both(update.condition.take()),
        TransactAction::Delete(delete) => delete.condition = both(delete.condition.take()),
        TransactAction::Check { condition, .. } => {
            if let Some(all) = both(Some(condition.clone())) {
                *condition = all;
            }
        }
    }
}
