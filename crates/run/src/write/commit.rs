//! Handing plans to the store, and what its answers mean.

use std::sync::Arc;

use singlet_design::{Entity, Pattern};
use singlet_store::{BatchGet, Cancellation, Feature, Store, StoreError, TransactAction, TransactWrite};
use singlet_values::{EncodedItem, Item};

use super::plan::{Answer, Planned, Purpose, WritePlan};
use super::retry::Setback;
use super::unique::key_of;
use crate::call::Site;
use crate::error::RunError;
use crate::expiry::Expiry;
use crate::outcome::{Outcome, Record, Shown};

/// Commits one plan: as a single request if it has a single action.
pub(super) async fn alone<S: Store>(
    site: &Site<S>,
    pattern: &Pattern,
    plan: WritePlan<'_>,
) -> Result<Outcome, Setback> {
    let WritePlan { mut actions, entity, known, answer } = plan;
    let stored = match actions.pop() {
        Some(only) if actions.is_empty() && !matches!(only.action, TransactAction::Check { .. }) => {
            Some(single(site, only).await?)
        }
        last => {
            actions.extend(last);
            together(site, &pattern.name, std::mem::take(&mut actions)).await?;
            None
        }
    };
    let plan = WritePlan { actions, entity, known, answer };
    match stored {
        Some(item) => Ok(answered(&plan, item)),
        None => Ok(outcomes(site, &[plan]).await.into_iter().next().unwrap_or(Outcome::Checked)),
    }
}

/// Commits one action on its own, and gives what the store returned.
pub(super) async fn single<S: Store>(
    site: &Site<S>,
    planned: Planned<'_>,
) -> Result<Option<EncodedItem>, Setback> {
    let written = match planned.action {
        TransactAction::Put(put) => site.store.put(put).await,
        TransactAction::Update(update) => site.store.update(update).await,
        TransactAction::Delete(delete) => site.store.delete(delete).await,
        TransactAction::Check { .. } => return Ok(None),
    };
    match written {
        Ok(written) => Ok(written.item),
        Err(StoreError::ConditionFailed { item }) => Err(planned.meaning.failed(item.as_ref())),
        Err(error) => Err(error.into()),
    }
}

/// Commits several actions, all or none. `name` is the pattern's, for messages.
pub(super) async fn together<S: Store>(
    site: &Site<S>,
    name: &str,
    planned: Vec<Planned<'_>>,
) -> Result<(), Setback> {
    site.require(name, Feature::Transactions).await?;
    let (actions, meanings): (Vec<TransactAction>, Vec<Purpose<'_>>) =
        planned.into_iter().map(|planned| (planned.action, planned.meaning)).unzip();
    // The token makes a request that the network repeats happen once. Another attempt is another request.
    let mut token = [0; 16];
    site.entropy.fill(&mut token);
    let token = token.iter().map(|byte| format!("{byte:02x}")).collect();
    match site.store.transact_write(TransactWrite { actions, token: Some(token), yields: false }).await {
        Ok(_) => Ok(()),
        Err(StoreError::Cancelled { reasons }) => Err(cancelled(&meanings, &reasons)),
        Err(error) => Err(error.into()),
    }
}

/// The meaning of a cancellation: if anything was read that has changed since, nothing else is sure, and it is tried
/// again; otherwise the first action that failed tells.
fn cancelled(meanings: &[Purpose<'_>], reasons: &[Cancellation]) -> Setback {
    let mut failure = None;
    for (meaning, reason) in meanings.iter().zip(reasons) {
        let setback = match reason {
            Cancellation::None => continue,
            Cancellation::Conflict => Setback::Again,
            Cancellation::ConditionFailed { item } => meaning.failed(item.as_ref()),
            Cancellation::Refused(text) => {
                Setback::Failed(RunError::Store(StoreError::Refused(text.clone())))
            }
        };
        match setback {
            Setback::Again => return Setback::Again,
            Setback::Failed(error) => _ = failure.get_or_insert(error),
        }
    }
    failure.map_or(Setback::Again, Setback::Failed)
}

/// The answer of committed plans. Transactions return nothing, so that items which were only changed are read again.
pub(super) async fn outcomes<S: Store>(site: &Site<S>, plans: &[WritePlan<'_>]) -> Vec<Outcome> {
    let updated = plans.iter().filter(|plan| matches!(plan.answer, Answer::Stored));
    let mut found =
        reread(site, &updated.map(|plan| (plan.entity, key(plan))).collect::<Vec<_>>()).await.into_iter();
    let mut outcomes = Vec::with_capacity(plans.len());
    for plan in plans {
        let item = if plan.answer == Answer::Stored { found.next().flatten() } else { None };
        outcomes.push(answered(plan, item));
    }
    outcomes
}

/// The answer of a plan when the store returned this item.
fn answered(plan: &WritePlan<'_>, item: Option<EncodedItem>) -> Outcome {
    let record = |item: EncodedItem| Record::of(Arc::clone(plan.entity), item);
    let known = || EncodedItem::encode(&plan.known);
    match plan.answer {
        Answer::Planned => Outcome::Written(record(known())),
        Answer::Stored => Outcome::Written(record(item.unwrap_or_else(known))),
        Answer::Deleted { now_ms } => {
            let before = item.or_else(|| (!plan.known.is_empty()).then(known));
            let expiry = Expiry::new(plan.entity.table.ttl.clone());
            Outcome::Deleted(before.filter(|item| !expiry.is_over(item.view(), now_ms)).map(record))
        }
        Answer::Checked => Outcome::Checked,
        Answer::Read { show } => {
            let shown = Shown { fields: show.map(Into::into), ..Shown::whole(Arc::clone(plan.entity)) };
            Outcome::Item(Some(Record::shown(Arc::new(shown), known())))
        }
    }
}

fn key(plan: &WritePlan<'_>) -> Item {
    key_of(&plan.entity.table, &plan.known)
}

/// The items under these keys, in this order. The write has happened: a failure here is not one of the write, and
/// the caller gets what the plan knows instead.
async fn reread<S: Store>(site: &Site<S>, keys: &[(&Arc<Entity>, Item)]) -> Vec<Option<EncodedItem>> {
    let mut found: Vec<Option<EncodedItem>> = vec![None; keys.len()];
    for table in &site.design.tables {
        let here = |entity: &Entity| entity.table.label == table.label;
        let wanted: Vec<Item> =
            keys.iter().filter(|(entity, _)| here(entity)).map(|(_, key)| key.clone()).collect();
        if wanted.is_empty() {
            continue;
        }
        let name = site.table_name(table).to_owned();
        let request = BatchGet { table: name, keys: wanted, consistent: true, projection: None };
        let Ok(answer) = site.store.batch_get(request).await else { continue };
        for item in answer.items {
            let is_it =
                |key: &Item| key.iter().all(|(name, value)| item.view().get(name) == value.as_scalar());
            let place = keys.iter().position(|(entity, key)| here(entity) && is_it(key));
            if let Some(slot) = place.and_then(|place| found.get_mut(place)) {
                *slot = Some(item);
            }
        }
    }
    found
}
