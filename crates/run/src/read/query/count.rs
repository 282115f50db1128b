//! Counts: the items of a query, page by page, without keeping them.

use singlet_design as design;
use singlet_store::Store;

use super::buckets::BucketRange;
use super::cursor::ResumePoint;
use super::reader::{Reader, drive};
use super::{LIMIT_MAX, PlanContext, QueryPlan};
use crate::call::{Call, Site};
use crate::error::RunError;
use crate::outcome::Outcome;

/// Buckets that one call reads at most.
const BUCKETS_MAX: u32 = 1000;

/// A count with everything that doesn't depend on the call.
#[derive(Debug, Clone)]
pub(crate) struct CountPlan {
    query: QueryPlan,
    items_max: u64,
}

/// The items that were found so far.
#[derive(Debug, Default)]
struct Tally {
    counted: u64,
    read: u64,
}

impl CountPlan {
    pub(in super::super) fn new(context: &PlanContext<'_>, count: &design::Count) -> Self {
        CountPlan { query: QueryPlan::of_query(context, &count.query, &[]), items_max: count.max.into() }
    }

    /// Counts the items.
    pub(in super::super) async fn run<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
    ) -> Result<Outcome, RunError> {
        let mut tally = Tally::default();
        let all = match self.query.walked(call) {
            None => {
                let reader =
                    self.query.reader_at(&call.bound, ResumePoint::default(), (LIMIT_MAX, call.now_ms))?;
                self.add(site, reader, &mut tally).await?
            }
            Some(buckets) => self.add_buckets(site, call, buckets, &mut tally).await?,
        };
        let more = !all || tally.counted > self.items_max;
        Ok(Outcome::Count { count: tally.counted.min(self.items_max), more })
    }

    /// Adds bucket after bucket, the latest first; whether all were read.
    async fn add_buckets<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
        buckets: &design::Buckets,
        tally: &mut Tally,
    ) -> Result<bool, RunError> {
        let range = BucketRange::of(buckets, call, false)?;
        let mut next = range.first();
        let (mut visited, mut empty) = (0, 0);
        while let Some(bucket) = next {
            if empty >= buckets.empty_max && !range.is_bounded() {
                return Ok(true);
            }
            if visited == BUCKETS_MAX {
                return Ok(false);
            }
            let bound = call.bound.with(&buckets.field, bucket.value(&buckets.kind));
            let before = tally.read;
            let reader = self.query.reader_at(&bound, ResumePoint::default(), (LIMIT_MAX, call.now_ms))?;
            if !self.add(site, reader, tally).await? {
                return Ok(false);
            }
            visited += 1;
            empty = if tally.read == before { empty + 1 } else { 0 };
            next = range.after(bucket);
        }
        Ok(true)
    }

    /// Adds what a reader finds; whether it was read to its end.
    async fn add<S: Store>(
        &self,
        site: &Site<S>,
        mut reader: Reader<'_>,
        tally: &mut Tally,
    ) -> Result<bool, RunError> {
        let before = tally.read;
        loop {
            drive(&site.store, &mut [&mut reader]).await?;
            tally.counted += reader.take_rows().len() as u64;
            tally.read = before + reader.items_read();
            if !reader.has_more() {
                return Ok(true);
            }
            if tally.read > self.items_max {
                return Ok(false);
            }
            reader.refresh();
        }
    }
}
