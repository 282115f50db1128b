//! Gets in transactions: an item is read, and the transaction holds only if nothing that was used of it has changed.

use singlet_design::Get;
use singlet_expr::Condition;
use singlet_store::{Store, TransactAction};

use super::WriteStep;
use super::plan::{Answer, Planned, Presence, Purpose, WritePlan};
use super::planner::Planner;
use super::retry::Setback;
use crate::error::RunError;
use crate::expiry;
use crate::keys::{asked_key, table_key};

impl<S: Store> Planner<'_, S> {
    /// The plan of a get: a check that the item is there and that the fields that later steps take are as they were read.
    pub(super) async fn look<'a>(
        &self,
        step: &WriteStep<'a, '_>,
        get: &'a Get,
    ) -> Result<WritePlan<'a>, Setback> {
        let entity = &get.entity;
        let key = match &get.key {
            Some(asked) => asked_key(entity, asked, step.bound)?,
            None => table_key(entity, step.bound)?,
        };
        let known = self.read(entity, key.clone()).await?;
        let known = known.filter(|item| !expiry::is_expired(&entity.table, item, self.now_ms / 1000));
        let known = known.ok_or_else(|| RunError::Missing { entity: entity.name.clone() })?;
        let mut expectation = self.expect(step, entity, Presence::Present, None);
        step.wanted.iter().for_each(|path| expectation.guard.keep(&known, path));
        let present = expiry::present(&entity.table, self.now_ms / 1000);
        let condition = self.condition(step, &expectation)?.unwrap_or(present);
        let table = self.site.table_name(&entity.table).to_owned();
        let action = TransactAction::Check { table, key, condition };
        let actions = vec![Planned { action, meaning: Purpose::Read(expectation) }];
        Ok(WritePlan { actions, entity, known, answer: Answer::Read { show: get.show.as_deref() } })
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
