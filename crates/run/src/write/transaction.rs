//! Transactions: several writes, all or none.

use std::collections::HashMap;

use singlet_design::{self as design, Each, EachList, Operation, Transaction};
use singlet_expr::Condition;
use singlet_store::{Feature, Store, TransactAction};
use singlet_values::{AttributeValue, Item};

use super::plan::{Planned, Purpose, WritePlan, not_unique};
use super::planner::Planner;
use super::retry::{Attempts, Setback};
use super::unique::key_of;
use super::{WriteStep, commit, look, reference};
use crate::arguments::{Bound, elements, member};
use crate::call::{Call, Site};
use crate::derive::{value_at, with_defaults};
use crate::error::RunError;
use crate::outcome::Outcome;

/// Most actions that DynamoDB takes in one transaction.
const ACTIONS_MAX: usize = singlet_values::limits::TRANSACTION_ACTIONS_MAX;

/// The items that earlier steps wrote or read: one each, or one for each element of their list.
type Results<'a> = Vec<(&'a design::Step, Vec<Item>)>;

/// Runs a transaction; if something it read has changed before it was committed, all of it is done again.
pub(super) async fn run<S: Store>(
    site: &Site<S>,
    call: &Call<'_>,
    transaction: &Transaction,
) -> Result<Outcome, RunError> {
    site.require(&call.pattern.name, Feature::Transactions).await?;
    let what = format!("what {} writes", call.pattern.name);
    let mut attempts = Attempts::new(&*site.entropy, &what);
    loop {
        let is_repeated = attempts.are_repeated();
        let planner = Planner { site, now_ms: call.now_ms, is_repeated, rights: call.rights };
        match attempt(&planner, call, transaction).await {
            Ok(outcome) => return Ok(outcome),
            Err(setback) => attempts.after(setback).await?,
        }
    }
}

async fn attempt<S: Store>(
    planner: &Planner<'_, S>,
    call: &Call<'_>,
    transaction: &Transaction,
) -> Result<Outcome, Setback> {
    let (mut plans, counts) = plan_steps(planner, call, transaction).await?;
    let actions = gather(transaction, &mut plans, &counts)?;
    if !actions.is_empty() {
        commit::together(planner.site, &call.pattern.name, actions).await?;
    }
    let mut outcomes = commit::outcomes(planner.site, &plans).await.into_iter();
    let answer = |(step, count): (&design::Step, &usize)| {
        let outcome = match step.each {
            Some(_) => Outcome::Each(outcomes.by_ref().take(*count).collect()),
            None => outcomes.next().unwrap_or(Outcome::Checked),
        };
        (step.name.clone(), outcome)
    };
    Ok(Outcome::Parts(transaction.steps.iter().zip(&counts).map(answer).collect()))
}

/// The plans of all steps in order, and how many each step has.
async fn plan_steps<'a, S: Store>(
    planner: &Planner<'_, S>,
    call: &Call<'_>,
    transaction: &'a Transaction,
) -> Result<(Vec<WritePlan<'a>>, Vec<usize>), Setback> {
    let mut plans: Vec<WritePlan<'a>> = Vec::new();
    let mut counts = Vec::with_capacity(transaction.steps.len());
    let mut results: Results<'a> = Vec::with_capacity(transaction.steps.len());
    let (mut gets, mut others) = (0, 0);
    for (position, step) in transaction.steps.iter().enumerate() {
        let bounds = bind(step, &call.bound, call.now_ms, &results)?;
        counts.push(bounds.len());
        // A read of an item that is also written needs no action of its own, so reads are counted apart.
        let count = if matches!(step.pattern.operation, Operation::Get(_)) { &mut gets } else { &mut others };
        *count += bounds.len();
        if *count > ACTIONS_MAX {
            return Err(too_many(*count).into());
        }
        let later = transaction.steps.get(position + 1..).unwrap_or_default();
        let wanted = wanted_of(&step.name, later);
        let write = |bound| {
            let (label, pattern, wanted) = (step.name.as_str(), &*step.pattern, wanted.clone());
            WriteStep { label, pattern, bound, wanted, composed: true }
        };
        let writes: Vec<WriteStep<'_, '_>> = bounds.iter().map(write).collect();
        let first = plans.len();
        match &step.pattern.operation {
            Operation::Get(get) if writes.len() > 1 => plans.extend(planner.look_at_all(&writes, get).await?),
            _ => {
                for write in &writes {
                    plans.push(planner.plan(write).await?);
                }
            }
        }
        let made = plans.iter().skip(first).filter(|_| !wanted.is_empty());
        let items = made.map(|plan| with_defaults(plan.entity, &plan.known).into_owned()).collect();
        results.push((step, items));
    }
    Ok((plans, counts))
}

/// The values of a step: once, or once for each element of its list.
fn bind<'a>(
    step: &'a design::Step,
    outer: &Bound<'_>,
    now_ms: u64,
    results: &Results<'_>,
) -> Result<Vec<Bound<'a>>, RunError> {
    // A step that ran for each element of the same list has an item for each of them, in the same order.
    let result = |name: &str, field: &str, position: usize| {
        let (earlier, items) = results.iter().find(|(earlier, _)| earlier.name == name)?;
        let item = if earlier.each.is_some() { items.get(position) } else { items.first() };
        value_at(item?, field).cloned()
    };
    let Some(each) = &step.each else {
        let result = |name: &str, field: &str| result(name, field, 0);
        return Ok(vec![Bound::derive(&step.pattern, outer, &step.bindings, now_ms, &result)?]);
    };
    let given = match &each.list {
        EachList::Parameter(list) => elements(outer.get(list)),
        EachList::Result(name, field) => elements(result(name, field, 0).as_ref()),
    };
    if let Some(max) = step.each_max.filter(|max| given.len() > *max as usize) {
        let reason = format!("has {} elements; {} takes at most {max}", given.len(), step.name);
        return Err(RunError::Parameter { parameter: list_name(each), reason });
    }
    let bind = |(position, element): (usize, &AttributeValue)| {
        let result = |name: &str, field: &str| {
            if name == each.element { member(element, field) } else { result(name, field, position) }
        };
        Bound::derive(&step.pattern, outer, &step.bindings, now_ms, &result)
    };
    given.iter().enumerate().map(bind).collect()
}

/// The name of a list, for messages.
fn list_name(each: &Each) -> String {
    match &each.list {
        EachList::Parameter(name) => name.clone(),
        EachList::Result(step, field) => format!("{step}.{field}"),
    }
}

/// The fields that later steps take from what a step writes or reads.
fn wanted_of<'a>(name: &str, later: &'a [design::Step]) -> Vec<&'a str> {
    let bindings = later.iter().flat_map(|step| &step.bindings);
    let list = |step: &'a design::Step| match step.each.as_ref().map(|each| &each.list) {
        Some(EachList::Result(step, field)) if step == name => Some(field.as_str()),
        _ => None,
    };
    let results = bindings.flat_map(|binding| binding.argument.results());
    let results = results.filter(|(step, _)| *step == name).map(|(_, field)| field);
    later.iter().filter_map(list).chain(results).collect()
}

/// The actions of all plans, none twice about one item. A value that one step gives back and another takes goes
/// from hand to hand.
fn gather<'a>(
    transaction: &Transaction,
    plans: &mut [WritePlan<'a>],
    counts: &[usize],
) -> Result<Vec<Planned<'a>>, RunError> {
    let names = transaction.steps.iter().zip(counts);
    let names: Vec<&str> =
        names.flat_map(|(step, count)| std::iter::repeat_n(step.name.as_str(), *count)).collect();
    let mut actions: Vec<(usize, Planned<'a>)> = Vec::new();
    let mut places: HashMap<(String, Item), usize> = HashMap::new();
    for (position, plan) in plans.iter_mut().enumerate() {
        for planned in plan.actions.drain(..) {
            let item = (planned.action.table().to_owned(), key_of_action(&planned));
            let Some(place) = places.get(&item) else {
                places.insert(item, actions.len());
                actions.push((position, planned));
                continue;
            };
            let Some((first, earlier)) = actions.get_mut(*place) else { continue };
            if !one_of_two(earlier, planned)? {
                let name = |position: usize| names.get(position).copied().unwrap_or_default();
                let both = match (name(*first), name(position)) {
                    (one, other) if one == other => format!("two elements for {one}"),
                    (one, other) => format!("{one} and {other}"),
                };
                return Err(RunError::Limit(format!(
                    "{both} write the same item: a transaction can touch an item only once"
                )));
            }
        }
    }
    if actions.len() > ACTIONS_MAX {
        return Err(too_many(actions.len()));
    }
    Ok(actions.into_iter().map(|(_, planned)| planned).collect())
}

/// Makes one action of two about one item, if that can be.
fn one_of_two<'a>(earlier: &mut Planned<'a>, later: Planned<'a>) -> Result<bool, RunError> {
    match (&earlier.meaning, &later.meaning) {
        (Purpose::Read(_), _) | (_, Purpose::Read(_)) => Ok(look::join(earlier, later)),
        (Purpose::Reference { .. }, _) | (_, Purpose::Reference { .. }) => reference::join(earlier, later),
        _ => hand_over(earlier, later),
    }
}

/// Makes one action of two about one reservation: whoever takes it, takes it from the one who gives it back.
fn hand_over<'a>(earlier: &mut Planned<'a>, later: Planned<'a>) -> Result<bool, RunError> {
    let (taken, released) = match (&earlier.meaning, &later.meaning) {
        (Purpose::Take { entity, unique }, Purpose::Take { .. }) => return Err(not_unique(entity, unique)),
        (Purpose::Release { .. }, Purpose::Take { .. }) => {
            let released = std::mem::replace(earlier, later);
            (earlier, released)
        }
        (Purpose::Take { .. }, Purpose::Release { .. }) => (earlier, later),
        (Purpose::Release { .. }, Purpose::Release { .. }) => {
            give_back_once(earlier, later);
            return Ok(true);
        }
        _ => return Ok(false),
    };
    if let (TransactAction::Put(put), TransactAction::Delete(delete)) = (&mut taken.action, released.action) {
        put.condition = either(put.condition.take(), delete.condition);
    }
    Ok(true)
}

/// Makes one action of two that give one value back. One of the two items had it before, the other has it now.
fn give_back_once<'a>(earlier: &mut Planned<'a>, later: Planned<'a>) {
    match (&mut earlier.action, later.action) {
        (TransactAction::Delete(one), TransactAction::Delete(other)) => {
            one.condition = either(one.condition.take(), other.condition);
        }
        (TransactAction::Check { .. }, delete @ TransactAction::Delete(_)) => earlier.action = delete,
        _ => {}
    }
}

fn either(one: Option<Condition>, other: Option<Condition>) -> Option<Condition> {
    Some(one?.or(other?))
}

pub(super) fn key_of_action(planned: &Planned<'_>) -> Item {
    let table = match &planned.meaning {
        Purpose::Item(expectation) | Purpose::Read(expectation) => &expectation.entity.table,
        Purpose::Take { entity, .. } | Purpose::Release { entity, .. } | Purpose::Seen { entity } => {
            &entity.table
        }
        Purpose::Reference { reference, .. } => &reference.entity.table,
    };
    match &planned.action {
        TransactAction::Put(put) => key_of(table, &put.item),
        TransactAction::Update(update) => update.key.clone(),
        TransactAction::Delete(delete) => delete.key.clone(),
        TransactAction::Check { key, .. } => key.clone(),
    }
}

fn too_many(count: usize) -> RunError {
    RunError::Limit(format!(
        "the transaction would make {count} changes, reservations of unique values and checks of references \
         included; {ACTIONS_MAX} is the most"
    ))
}
