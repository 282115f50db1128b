//! Patterns that write.
//!
//! A write is planned ([`planner`], [`update`]), then committed ([`commit`]): as one request if it is about one item
//! only, as a transaction if unique values, references that are checked or several steps are involved. A plan that
//! relies on something read carries the condition that it is still so ([`guard`]); if it isn't, the whole is planned
//! again ([`retry`]).

mod bounds;
mod bulk;
mod change;
mod claim;
mod commit;
mod edit;
mod element;
mod guard;
mod item;
mod list;
mod look;
mod plan;
mod planner;
mod reference;
mod retry;
mod supplier;
mod transaction;
mod unique;
mod update;
mod upsert;

use singlet_design::{Operation, Pattern};
use singlet_store::{Store, StoreError};

use crate::arguments::{ArgumentList, Arguments, Bound};
use crate::call::{Call, Site};
use crate::entropy::Entropy;
use crate::error::RunError;
use crate::outcome::Outcome;
use planner::Planner;
use retry::{Attempts, Setback};

pub(super) use bulk::BulkPlan;
pub(super) use claim::ClaimPlan;
pub(super) use item::write_item;
pub use item::{ItemAction, ItemDifference, ItemError, ItemVersion, ItemWrite, followed_fields};
pub use unique::reservation;
pub(crate) use unique::{holder_key, key_of, reservation_head};

/// One write: a pattern of its own, or a step of a transaction.
pub(super) struct WriteStep<'a, 'b> {
    /// The pattern's name, or the step's in its transaction.
    label: &'a str,
    /// Its operation.
    pattern: &'a Pattern,
    /// With which values.
    bound: &'b Bound<'b>,
    /// Fields that later steps take from what this one writes.
    wanted: Vec<&'a str>,
    /// Whether it is part of a transaction.
    composed: bool,
}

/// Runs a create, put, update, delete or check.
pub(super) async fn run_write<S: Store>(site: &Site<S>, call: &Call<'_>) -> Result<Outcome, RunError> {
    let pattern = call.pattern;
    let step =
        WriteStep { label: &pattern.name, pattern, bound: &call.bound, wanted: Vec::new(), composed: false };
    let mut attempts = Attempts::new(&*site.entropy, entity_name(pattern));
    loop {
        let is_repeated = attempts.are_repeated();
        let planner = Planner { site, now_ms: call.now_ms, is_repeated, rights: call.rights };
        match attempt(&planner, &step).await {
            Ok(outcome) => return Ok(outcome),
            Err(setback) => attempts.after(setback).await?,
        }
    }
}

async fn attempt<S: Store>(planner: &Planner<'_, S>, step: &WriteStep<'_, '_>) -> Result<Outcome, Setback> {
    let plan = planner.plan(step).await?;
    commit::alone(planner.site, step.pattern, plan).await
}

/// The result of a single attempt at a write.
enum Attempt {
    /// It was done.
    Done(Box<Outcome>),
    /// The item isn't there, or the condition doesn't hold.
    Refused,
    /// Others changed the item just then.
    Lost,
}

/// Tries an update or a delete once.
async fn try_once<S: Store>(site: &Site<S>, call: &Call<'_>, is_repeated: bool) -> Result<Attempt, RunError> {
    let pattern = call.pattern;
    let step =
        WriteStep { label: &pattern.name, pattern, bound: &call.bound, wanted: Vec::new(), composed: false };
    let planner = Planner { site, now_ms: call.now_ms, is_repeated, rights: call.rights };
    match attempt(&planner, &step).await {
        Ok(Outcome::Deleted(None)) => Ok(Attempt::Refused),
        Ok(outcome) => Ok(Attempt::Done(Box::new(outcome))),
        Err(Setback::Again) => Ok(Attempt::Lost),
        Err(Setback::Failed(RunError::Condition { .. } | RunError::Missing { .. })) => Ok(Attempt::Refused),
        Err(Setback::Failed(error)) => Err(error),
    }
}

/// Runs a transaction or a single write.
pub(super) async fn run_transaction<S: Store>(site: &Site<S>, call: &Call<'_>) -> Result<Outcome, RunError> {
    match &call.pattern.operation {
        Operation::Transaction(transaction) => transaction::run(site, call, transaction).await,
        _ => run_write(site, call).await,
    }
}

/// The arguments of a write with what the objects in them lack and Singlet makes; `None` if nothing is lacking.
pub(super) fn filled(
    pattern: &Pattern,
    arguments: &dyn ArgumentList,
    entropy: &dyn Entropy,
    now_ms: u64,
) -> Option<Arguments> {
    match &pattern.operation {
        Operation::Create(_)
        | Operation::Put(_)
        | Operation::Update(_)
        | Operation::Transaction(_)
        | Operation::Claim(_)
        | Operation::Bulk(_) => supplier::filled(pattern, arguments, entropy, now_ms),
        _ => None,
    }
}

/// The entity that a pattern writes, for messages.
fn entity_name(pattern: &Pattern) -> &str {
    match &pattern.operation {
        Operation::Create(insert) | Operation::Put(insert) => &insert.entity.name,
        Operation::Update(update) => &update.entity.name,
        Operation::Delete(delete) => &delete.entity.name,
        Operation::Check(check) => &check.entity.name,
        _ => &pattern.name,
    }
}

/// An item whose stored bytes make no sense.
fn unreadable() -> RunError {
    RunError::Store(StoreError::Unavailable(
        "an item of the table can't be read: its bytes are damaged".to_owned(),
    ))
}
