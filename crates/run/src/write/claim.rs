//! Claims: the first item of a list that a write can change.
//!
//! Elements are tried in the order of the list. A caller that loses an item to another one skips ahead by a random
//! number of items, so that callers who began at the same item don't meet at the next one, and comes back to the skipped
//! ones before it reads further. Only if each of the items was refused does a claim answer that there is none.

use std::sync::Arc;

use singlet_design::{CLAIM_PAGE_ITEMS, Condition, Entity, ListWalk, Operation, Pattern, default_of};
use singlet_store::Store;

use super::retry::{Attempts, Setback};
use super::{Attempt, entity_name, try_once};
use crate::arguments::Bound;
use crate::call::{Call, Paging, PlanContext, Site};
use crate::conditions::Asked;
use crate::error::RunError;
use crate::outcome::Outcome;
use crate::read::{Element, WalkPlace, WalkPlan, carries};

/// Pages of the list that one pass reads. A filter can leave pages empty.
const PAGES_MAX: u32 = 100;
/// The largest number of items among which a loser chooses the next one, as a power of two.
const LOSSES_MAX: u32 = 6;

/// A claim with everything that doesn't depend on the call.
pub(crate) struct ClaimPlan {
    walk: WalkPlan,
    /// The items that are read at once.
    page_items: u32,
    /// The condition of the write, if the listed items show whether it holds.
    visible: Option<Condition>,
}

/// The result of going through the list once.
enum Pass {
    /// An item was written.
    Taken(Box<Outcome>),
    /// No item could be written.
    Nothing,
    /// No item was written, but some were changed by others just then.
    Disturbed,
}

impl ClaimPlan {
    /// `None` if the list isn't a query, which no design has.
    pub(crate) fn new(context: &PlanContext<'_>, walk: &ListWalk) -> Option<Self> {
        let visible = visible_condition(walk);
        let needed: Vec<&str> = visible.iter().flat_map(fields).collect();
        let plan = WalkPlan::new(context, walk, &needed)?;
        let list = match walk.query().map(|query| &query.operation) {
            Some(Operation::Query(query)) => query.limit,
            _ => None,
        };
        let page_items = list.unwrap_or(CLAIM_PAGE_ITEMS).min(CLAIM_PAGE_ITEMS).min(plan.max());
        Some(ClaimPlan { walk: plan, page_items, visible })
    }

    /// Runs the claim and answers with the item, or without one.
    pub(crate) async fn run<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<Outcome, RunError> {
        let mut attempts = Attempts::new(&*site.entropy, entity_name(self.pattern()));
        loop {
            match self.pass(site, call, attempts.are_repeated()).await? {
                Pass::Taken(outcome) => return Ok(*outcome),
                Pass::Nothing => return Ok(Outcome::Item(None)),
                Pass::Disturbed => attempts.after(Setback::Again).await?,
            }
        }
    }

    /// Goes through the list until an item was written.
    async fn pass<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
        is_repeated: bool,
    ) -> Result<Pass, RunError> {
        let (mut looked_at, mut losses, mut is_disturbed) = (0, 0, false);
        let mut place = WalkPlace::Start;
        for _ in 0..PAGES_MAX {
            let limit = self.page_items.min(self.walk.max().saturating_sub(looked_at));
            if limit == 0 {
                break;
            }
            let page = self.walk.page(site, call, &place, limit).await?;
            looked_at += u32::try_from(page.elements.len()).unwrap_or(u32::MAX);
            let mut open = self.candidates(call, &page.elements)?;
            while !open.is_empty() {
                let bound = open.remove(chosen(site, losses, open.len()));
                let paging = Paging::default();
                let write = Call {
                    pattern: self.pattern(),
                    bound,
                    paging: &paging,
                    now_ms: call.now_ms,
                    rights: call.rights,
                };
                match try_once(site, &write, is_repeated).await? {
                    Attempt::Done(outcome) => return Ok(Pass::Taken(outcome)),
                    Attempt::Refused => losses += u32::from(self.visible.is_some()),
                    Attempt::Lost => (losses, is_disturbed) = (losses + 1, true),
                }
            }
            match page.next {
                Some(next) => place = next,
                None => break,
            }
        }
        Ok(if is_disturbed { Pass::Disturbed } else { Pass::Nothing })
    }

    fn pattern(&self) -> &Arc<Pattern> {
        &self.walk.walk().run
    }

    /// The parameters of the write for each element that it may change.
    fn candidates(&self, call: &Call<'_>, elements: &[Element]) -> Result<Vec<Bound<'_>>, RunError> {
        let mut open = Vec::with_capacity(elements.len());
        for element in elements.iter().filter(|element| self.walk.suffices(element)) {
            let bound = self.walk.bind(call, element)?;
            if self.may_hold(element, &bound, call.now_ms) {
                open.push(bound);
            }
        }
        Ok(open)
    }

    /// Whether the condition may hold. An item that shows that it doesn't isn't worth a request.
    fn may_hold(&self, element: &Element, bound: &Bound<'_>, now_ms: u64) -> bool {
        let (Element::Item(row), Some(condition)) = (element, &self.visible) else { return true };
        let entity: &Entity = &row.shown.entity;
        let asked = Asked {
            field: &|path| entity.field_at(path).cloned(),
            argument: &|parameter| bound.get(parameter).cloned(),
            default: &|name| default_of(entity.field(name)?),
            now_ms,
            key: None,
        };
        !matches!(asked.bind(condition), Ok(Some(condition)) if !condition.matches(row.item.view()))
    }
}

/// The position of the next item to try among those that are left.
fn chosen<S: Store>(site: &Site<S>, losses: u32, count: usize) -> usize {
    let among = count.min(1 << losses.min(LOSSES_MAX));
    if among < 2 {
        return 0;
    }
    let mut random = [0; 2];
    site.entropy.fill(&mut random);
    usize::from(u16::from_le_bytes(random)) % among
}

/// The condition of the write, if it is about the listed items themselves and these have all fields that it needs.
fn visible_condition(walk: &ListWalk) -> Option<Condition> {
    let Operation::Query(query) = &walk.query()?.operation else { return None };
    let (entity, condition) = match &walk.run.operation {
        Operation::Update(update) => (&update.entity, update.condition.as_ref()?),
        Operation::Delete(delete) => (&delete.entity, delete.condition.as_ref()?),
        _ => return None,
    };
    let key = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let mut key = key.flat_map(|template| template.fields());
    // The write decides comparisons that calculate with fields, because it reads the item.
    if !condition.tree.computed_fields().is_empty() {
        return None;
    }
    let is_same = query.entities.iter().all(|listed| listed.name == entity.name)
        && key.all(|path| walk.binds_own(path))
        && fields(condition).all(|name| carries(&query.table, query.on.as_deref(), name));
    is_same.then(|| condition.clone())
}

/// The fields that a condition looks at.
fn fields(condition: &Condition) -> impl Iterator<Item = &str> {
    condition.tree.paths().into_iter().filter_map(|path| path.split('.').next())
}
