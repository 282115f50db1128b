//! Patterns that read.

mod batch_get;
mod get;
mod keyed;
mod parts;
mod project;
mod query;
mod resolve;
mod scan;

use singlet_design::{Operation, Pattern};
use singlet_store::Store;

use crate::call::{Call, PlanContext, Site};
use crate::error::RunError;
use crate::outcome::Outcome;
use batch_get::BatchPlan;
use get::GetPlan;
pub(super) use keyed::{key_bytes, read_keys};
use parts::PartsPlan;
use query::{CountPlan, FeedPlan, GatherPlan, MergePlan, QueryPlan};

pub(crate) use project::carries;
pub(crate) use query::{Element, WalkPlace, WalkPlan, page_limit};
use scan::ScanPlan;

/// A read with everything that doesn't depend on the call.
#[derive(Debug, Clone)]
pub(super) enum ReadPlan {
    /// One item, or whether it is there.
    Get(GetPlan),
    /// Items by key.
    BatchGet(BatchPlan),
    /// A page of a list.
    Query(Box<QueryPlan>),
    /// A page of a list of which some items aren't stored.
    Feed(Box<FeedPlan>),
    /// The number of items in a list.
    Count(Box<CountPlan>),
    /// A page of everything.
    Scan(Box<ScanPlan>),
    /// Several reads, each with its plan.
    Parts(PartsPlan),
    /// A page of a merged list.
    Merge(Box<MergePlan>),
    /// A page of groups.
    Gather(Box<GatherPlan>),
}

impl ReadPlan {
    /// The plan of a pattern that reads; `None` for one that writes.
    pub(super) fn new(context: &PlanContext<'_>, pattern: &Pattern) -> Option<Self> {
        Some(match &pattern.operation {
            Operation::Get(get) => ReadPlan::Get(GetPlan::new(context, get, pattern, false)),
            Operation::Exists(get) => ReadPlan::Get(GetPlan::new(context, get, pattern, true)),
            Operation::BatchGet(batch) => ReadPlan::BatchGet(BatchPlan::new(context, batch)),
            Operation::Query(query) => match FeedPlan::of(context, pattern, query) {
                Some(feed) => ReadPlan::Feed(Box::new(feed)),
                None => ReadPlan::Query(Box::new(QueryPlan::of_query(context, query, &[]))),
            },
            Operation::Count(count) => ReadPlan::Count(Box::new(CountPlan::new(context, count))),
            Operation::Scan(scan) => ReadPlan::Scan(Box::new(ScanPlan::new(context, scan))),
            Operation::Parts(parts) => ReadPlan::Parts(PartsPlan::new(context, parts)?),
            Operation::Merge(merge) => ReadPlan::Merge(Box::new(MergePlan::new(context, merge)?)),
            Operation::Gather(gather) => ReadPlan::Gather(Box::new(GatherPlan::new(context, gather)?)),
            Operation::Create(_)
            | Operation::Put(_)
            | Operation::Update(_)
            | Operation::Delete(_)
            | Operation::Check(_)
            | Operation::Transaction(_)
            | Operation::Claim(_)
            | Operation::Bulk(_) => return None,
        })
    }

    /// Runs the read. Rare reads are boxed, so that the future of a get or a query stays small.
    pub(super) async fn run<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<Outcome, RunError> {
        match self {
            ReadPlan::Get(plan) => plan.run(site, call).await,
            ReadPlan::BatchGet(plan) => Box::pin(plan.run(site, call)).await,
            ReadPlan::Query(plan) => plan.run(site, call).await,
            ReadPlan::Feed(plan) => Box::pin(plan.run(site, call)).await,
            ReadPlan::Count(plan) => Box::pin(plan.run(site, call)).await,
            ReadPlan::Scan(plan) => Box::pin(plan.run(site, call)).await,
            ReadPlan::Parts(plan) => Box::pin(plan.run(site, call)).await,
            ReadPlan::Merge(plan) => Box::pin(plan.run(site, call)).await,
            ReadPlan::Gather(plan) => Box::pin(plan.run(site, call)).await,
        }
    }

    /// Whether it answers with pages.
    pub(super) fn is_list(&self) -> bool {
        use ReadPlan::{Feed, Gather, Merge, Query, Scan};
        matches!(self, Query(_) | Feed(_) | Scan(_) | Merge(_) | Gather(_))
    }

    /// Whether it has lists in it, so that a limit makes sense.
    pub(super) fn has_list(&self) -> bool {
        match self {
            ReadPlan::Parts(parts) => parts.plans().any(ReadPlan::has_list),
            plan => plan.is_list(),
        }
    }
}
