//! Walks over buckets: keys that truncate a time, read one after the other as if they were one list.

use singlet_design::{Bucket, Buckets};
use singlet_store::Store;
use singlet_values::AttributeValue;

use super::QueryPlan;
use super::lane::{Position, Row};
use super::reader::drive;
use crate::call::{Call, Site};
use crate::cursor::Payload;
use crate::error::RunError;
use crate::outcome::Outcome;

/// Buckets that one call reads at most: a filter that lets little through ends the call, not the list.
const CALL_BUCKETS_MAX: u32 = 100;

/// The buckets of one call.
pub(super) struct BucketRange {
    /// The first bucket in the order of time; `None` if nothing but empty buckets ends the range.
    earliest: Option<Bucket>,
    latest: Bucket,
    forward: bool,
}

impl BucketRange {
    /// Between the bounds that the caller gives. The latest bucket is that of the call if there is no `to`.
    pub(super) fn of(buckets: &Buckets, call: &Call<'_>, forward: bool) -> Result<BucketRange, RunError> {
        let containing = |parameter: &str| -> Result<Option<Bucket>, RunError> {
            let Some(value) = call.bound.get(parameter) else { return Ok(None) };
            let bucket = value.as_scalar().and_then(|value| Bucket::of(value, buckets.format));
            bucket.map(Some).ok_or_else(|| RunError::Parameter {
                parameter: parameter.to_owned(),
                reason: "isn't in the calendar of the years 1 to 9999".to_owned(),
            })
        };
        let earliest = containing("from")?;
        if forward && earliest.is_none() {
            let reason = format!(
                "is missing: a list in ascending order begins with the bucket of `from`; give it, or `{}` for one bucket",
                buckets.field
            );
            return Err(RunError::Parameter { parameter: "from".to_owned(), reason });
        }
        let now =
            || Bucket::of_ms(call.now_ms, buckets.format).ok_or(RunError::Fault("no bucket has this time"));
        let latest = match containing("to")? {
            Some(latest) => latest,
            None => now()?,
        };
        Ok(BucketRange { earliest, latest, forward })
    }

    /// The first bucket; `None` if there is none between the bounds.
    pub(super) fn first(&self) -> Option<Bucket> {
        let first = if self.forward { self.earliest? } else { self.latest };
        self.contains(first).then_some(first)
    }

    pub(super) fn after(&self, bucket: Bucket) -> Option<Bucket> {
        let next = if self.forward { bucket.next() } else { bucket.previous() };
        next.filter(|next| self.contains(*next))
    }

    fn contains(&self, bucket: Bucket) -> bool {
        bucket <= self.latest && self.earliest.is_none_or(|earliest| earliest <= bucket)
    }

    /// Whether a bound ends it.
    pub(super) fn is_bounded(&self) -> bool {
        self.forward || self.earliest.is_some()
    }
}

impl QueryPlan {
    /// The buckets that a call walks; `None` if it reads one key.
    pub(in super::super) fn walked(&self, call: &Call<'_>) -> Option<&Buckets> {
        self.buckets.as_ref().filter(|buckets| call.bound.get(&buckets.field).is_none())
    }

    /// Reads bucket after bucket, until the page is full or the list ends. So many empty buckets in a row as the pattern
    /// allows end the list if no bound does; otherwise they end the call.
    pub(super) async fn walk<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
        buckets: &Buckets,
        limit: u32,
    ) -> Result<Outcome, RunError> {
        let range = BucketRange::of(buckets, call, self.forward)?;
        let resume = self.resume(site, call)?;
        let mut rows: Vec<Row> = Vec::new();
        let mut positions = resume.positions;
        let mut next = resume.bucket.or_else(|| range.first());
        let (mut read, mut empty) = (0, 0);
        let mut onward: Option<Payload> = None;
        while let Some(bucket) = next {
            let room = limit.saturating_sub(u32::try_from(rows.len()).unwrap_or(u32::MAX));
            let is_full = room == 0;
            if is_full || read >= CALL_BUCKETS_MAX || empty >= buckets.empty_max {
                let ends = !is_full && empty >= buckets.empty_max && !range.is_bounded();
                onward = (!ends).then(|| self.payload_at(bucket));
                break;
            }
            let bound = call.bound.with(&buckets.field, bucket.value(&buckets.kind));
            let is_resumed = positions.iter().any(|position| *position != Position::Start);
            let mut reader = self.reader_at(&bound, std::mem::take(&mut positions), (room, call.now_ms))?;
            drive(&site.store, &mut [&mut reader]).await?;
            let has_more = reader.has_more();
            if has_more {
                onward = Some(self.payload(Some(bucket), &reader)?);
            }
            let was_empty = reader.items_read() == 0 && !is_resumed;
            rows.extend(reader.take_rows());
            if has_more {
                break;
            }
            read += u32::from(!was_empty);
            empty = if was_empty { empty + 1 } else { 0 };
            next = range.after(bucket);
        }
        let cursor = onward.map(|payload| site.cursor(call, payload));
        Ok(Outcome::Items { records: self.records(site, rows, call.now_ms).await?, cursor })
    }
}
