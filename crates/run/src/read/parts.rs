//! Several reads at once.
//!
//! Gets by key of one table become one batch, the pages of all queries are asked for together; `together` makes one
//! transaction of the gets. A list's cursor is that of its own pattern: its next page is asked for there.

use std::collections::BTreeMap;

use singlet_design::{Parts, ReadPart};
use singlet_store::{Store, TransactGet};
use singlet_values::{EncodedItem, Item};

use super::ReadPlan;
use super::get::ByKey;
use super::keyed::{key_bytes, read_keys};
use super::query::{QueryPlan, Reader, drive, page_limit};
use crate::arguments::Bound;
use crate::call::{Call, Paging, PlanContext, Site};
use crate::error::RunError;
use crate::outcome::Outcome;

/// The reads of a pattern with parts.
#[derive(Debug, Clone)]
pub(crate) struct PartsPlan {
    parts: Vec<(ReadPart, ReadPlan)>,
    /// All gets, at one point of the commit order.
    together: bool,
}

/// One part: its plan and its call.
struct Running<'a> {
    name: &'a str,
    plan: &'a ReadPlan,
    call: Call<'a>,
    outcome: Option<Outcome>,
}

impl PartsPlan {
    /// `None` if one of the parts is a write, which no design has.
    pub(super) fn new(context: &PlanContext<'_>, parts: &Parts) -> Option<Self> {
        let plan = |part: &ReadPart| Some((part.clone(), ReadPlan::new(context, &part.pattern)?));
        let plans = parts.parts.iter().map(plan).collect::<Option<_>>()?;
        Some(PartsPlan { parts: plans, together: parts.together })
    }

    /// The plans of its parts.
    pub(super) fn plans(&self) -> impl Iterator<Item = &ReadPlan> {
        self.parts.iter().map(|(_, plan)| plan)
    }

    /// Runs all parts.
    pub(super) async fn run<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<Outcome, RunError> {
        let begun = Paging { limit: call.paging.limit, cursor: None };
        let whole = Paging::default();
        let mut running = Vec::with_capacity(self.parts.len());
        for (part, plan) in &self.parts {
            let bound = Bound::derive(&part.pattern, &call.bound, &part.bindings, call.now_ms, &|_, _| None)?;
            let paging = if plan.is_list() { &begun } else { &whole };
            let call =
                Call { pattern: &part.pattern, bound, paging, now_ms: call.now_ms, rights: call.rights };
            running.push(Running { name: &part.name, plan, call, outcome: None });
        }
        if self.together {
            run_together(site, &mut running).await?;
        } else {
            run_gets(site, &mut running).await?;
            run_queries(site, &mut running).await?;
        }
        let mut outcomes = Vec::with_capacity(running.len());
        for part in running {
            let outcome = match part.outcome {
                Some(outcome) => outcome,
                // A part may have parts itself.
                None => Box::pin(part.plan.run(site, &part.call)).await?,
            };
            outcomes.push((part.name.to_owned(), outcome));
        }
        Ok(Outcome::Parts(outcomes))
    }
}

fn by_key(plan: &ReadPlan) -> Option<&ByKey> {
    match plan {
        ReadPlan::Get(get) => get.by_key(),
        _ => None,
    }
}

/// All gets at one point of the commit order.
async fn run_together<S: Store>(site: &Site<S>, running: &mut [Running<'_>]) -> Result<(), RunError> {
    let mut gets = Vec::with_capacity(running.len());
    let mut places = Vec::with_capacity(running.len());
    for part in running.iter() {
        let Some(get) = by_key(part.plan) else { continue };
        let mut request = get.request(&part.call)?;
        // A transaction names no item twice. One part may show a field that another leaves out, so the whole item is
        // read.
        request.projection = None;
        let known = gets.iter().position(|known| *known == request);
        places.push(known.unwrap_or(gets.len()));
        if known.is_none() {
            gets.push(request);
        }
    }
    let found = site.store.transact_get(TransactGet { gets }).await?.items;
    let parts = running.iter_mut().filter(|part| by_key(part.plan).is_some());
    for (part, place) in parts.zip(places) {
        let Some(get) = by_key(part.plan) else { continue };
        let item = found.get(place).cloned().flatten();
        part.outcome = Some(get.answer(site, &part.call, item).await?);
    }
    Ok(())
}

/// The settings that the gets of one table share.
type Group<'a> = (&'a str, bool);

/// The gets of one table as one batch.
async fn run_gets<S: Store>(site: &Site<S>, running: &mut [Running<'_>]) -> Result<(), RunError> {
    let mut groups: BTreeMap<Group<'_>, Vec<(&ByKey, Item)>> = BTreeMap::new();
    for part in running.iter() {
        if let Some(get) = by_key(part.plan) {
            groups.entry((&get.table, get.consistent)).or_default().push((get, get.key(&part.call)?));
        }
    }
    let mut found: BTreeMap<Group<'_>, BTreeMap<Vec<u8>, EncodedItem>> = BTreeMap::new();
    for (group, gets) in groups {
        let [(first, _), _, ..] = gets.as_slice() else { continue };
        let table = &first.entity().table;
        let keys: BTreeMap<Vec<u8>, Item> =
            gets.iter().map(|(_, key)| (key_bytes(key), key.clone())).collect();
        let keys = keys.into_values().collect();
        found.insert(group, read_keys(&site.store, table, group.0, keys, group.1, None).await?);
    }
    for part in running.iter_mut() {
        let Some(get) = by_key(part.plan) else { continue };
        let Some(items) = found.get(&(get.table.as_str(), get.consistent)) else { continue };
        let item = items.get(&key_bytes(&get.key(&part.call)?)).cloned();
        part.outcome = Some(get.answer(site, &part.call, item).await?);
    }
    Ok(())
}

/// All queries, page by page side by side.
async fn run_queries<S: Store>(site: &Site<S>, running: &mut [Running<'_>]) -> Result<(), RunError> {
    let mut readers: Vec<(usize, &QueryPlan, Reader<'_>)> = Vec::new();
    for (position, part) in running.iter().enumerate() {
        if let ReadPlan::Query(query) = part.plan
            && query.walked(&part.call).is_none()
        {
            let limit = page_limit(&part.call, query.usual_limit())?;
            readers.push((position, query, query.reader(site, &part.call, limit)?));
        }
    }
    let mut together: Vec<&mut Reader<'_>> = readers.iter_mut().map(|(_, _, reader)| reader).collect();
    drive(&site.store, &mut together).await?;
    for (position, query, reader) in readers {
        if let Some(part) = running.get_mut(position) {
            part.outcome = Some(query.answer(site, &part.call, reader).await?);
        }
    }
    Ok(())
}
