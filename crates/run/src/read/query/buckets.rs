//! Walks over buckets: keys that truncate a time, read one after the other as if they were one list.

use singlet_design::{Bucket, Buckets};
use singlet_store::Store;

use super::cursor::ResumePoint;
use super::lane::{Position, Row};
use super::reader::drive;
use super::{Ends, QueryPlan};
use crate::call::{Call, Site};
use crate::error::RunError;

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

    /// The same buckets in the opposite order, if a list is read backwards.
    fn turned(self, back: bool) -> Self {
        BucketRange { forward: self.forward != back, ..self }
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
    pub(super) async fn read_buckets<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
        (buckets, begin): (&Buckets, ResumePoint),
        limit: u32,
    ) -> Result<(Vec<Row>, Ends), RunError> {
        let back = begin.back;
        let range = BucketRange::of(buckets, call, self.is_forward(&call.bound))?.turned(back);
        let begun = begin.bucket;
        let mut next = begun.or_else(|| range.first());
        let mut positions = begin.positions;
        let mut rows: Vec<Row> = Vec::new();
        let (mut read, mut empty) = (0, 0);
        // A page without items begins where its call began.
        let mut ends =
            Ends { onward: None, before: begun.map(|bucket| self.payload_at(bucket, !back)), back };
        while let Some(bucket) = next {
            let room = limit.saturating_sub(u32::try_from(rows.len()).unwrap_or(u32::MAX));
            let is_full = room == 0;
            if is_full || read >= CALL_BUCKETS_MAX || empty >= buckets.empty_max {
                let is_over = !is_full && empty >= buckets.empty_max && !range.is_bounded();
                ends.onward = (!is_over).then(|| self.payload_at(bucket, back));
                break;
            }
            let bound = call.bound.with(&buckets.field, bucket.value(&buckets.kind));
            let is_resumed = positions.iter().any(|position| *position != Position::Start);
            let point = ResumePoint { bucket: None, positions: std::mem::take(&mut positions), back };
            let mut reader = self.reader_at(&bound, point, (room, call.now_ms))?;
            drive(&site.store, &mut [&mut reader]).await?;
            let has_more = reader.has_more();
            let is_first = rows.is_empty() && (!reader.rows().is_empty() || (has_more && begun == next));
            if begun.is_some() && is_first {
                ends.before = Some(self.payload_before(Some(bucket), &reader)?);
            }
            if has_more {
                ends.onward = Some(self.payload(Some(bucket), &reader)?);
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
        Ok((rows, ends))
    }
}
