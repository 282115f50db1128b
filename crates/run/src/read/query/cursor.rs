//! The cursor of a query: for each shard, how far it was read.
//!
//! Payload: `q`, `1` if it leads backwards and else `0`, in a walk over buckets the second at which the bucket begins
//! (8 bytes), the number of shards (4 bytes), then for each of them `0` (nothing read yet), `1` and the values of the
//! last key as key bytes, or `2` (read to its end).
//!
//! A list that is read backwards is the list in the opposite order. A page has a cursor for each direction: one after
//! its last item, and in the opposite order one after its first.

use singlet_design::Bucket;
use singlet_expr::KeyTest;
use singlet_store::{Store, StoreError};
use singlet_values::{AttributeValue, Item};

use super::QueryPlan;
use super::lane::{Lane, Place, Position, Row};
use super::reader::Reader;
use super::sort::kind;
use crate::call::{Call, Site};
use crate::cursor::{OUTDATED, Payload, PayloadReader};
use crate::error::RunError;

const QUERY: u8 = b'q';
const START: u8 = 0;
const AFTER: u8 = 1;
const DONE: u8 = 2;

/// Where a query goes on.
#[derive(Debug, Default)]
pub(super) struct ResumePoint {
    /// The bucket of a walk.
    pub(super) bucket: Option<Bucket>,
    /// The places of the shards; empty at the beginning.
    pub(super) positions: Vec<Position>,
    /// Whether the list is read backwards.
    pub(super) back: bool,
}

impl QueryPlan {
    /// Where the call goes on; the beginning without a cursor.
    pub(super) fn resume<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<ResumePoint, RunError> {
        let Some(cursor) = &call.paging.cursor else { return Ok(ResumePoint::default()) };
        let (_, payload) = site.seal.open(&call.bond(), cursor)?;
        self.point(call, &payload)
    }

    /// The place that a payload holds.
    pub(super) fn point(&self, call: &Call<'_>, payload: &[u8]) -> Result<ResumePoint, RunError> {
        let mut reader = PayloadReader::new(payload);
        if reader.byte()? != QUERY {
            return Err(OUTDATED);
        }
        let back = reader.byte()? != 0;
        let bucket = match self.walked(call) {
            Some(buckets) => {
                let second = reader.raw(8)?.try_into().map(i64::from_be_bytes).map_err(|_| OUTDATED)?;
                Some(Bucket::beginning_at(second, buckets.format).ok_or(OUTDATED)?)
            }
            None => None,
        };
        if reader.number()? != self.lane_count() {
            return Err(OUTDATED);
        }
        let mut positions = Vec::new();
        for _ in 0..self.lane_count() {
            positions.push(self.read_position(&mut reader)?);
        }
        reader.finish()?;
        Ok(ResumePoint { bucket, positions, back })
    }

    /// The payload of a cursor after what a reader has given, in its direction.
    pub(super) fn payload(&self, bucket: Option<Bucket>, reader: &Reader<'_>) -> Result<Payload, RunError> {
        let mut payload = self.payload_head(bucket, reader.back);
        for lane in &reader.lanes {
            self.write_place(&mut payload, &lane.place(), reader.rows())?;
        }
        Ok(payload)
    }

    /// The payload of a cursor before what a reader has given, in the opposite direction.
    pub(super) fn payload_before(
        &self,
        bucket: Option<Bucket>,
        reader: &Reader<'_>,
    ) -> Result<Payload, RunError> {
        let mut payload = self.payload_head(bucket, !reader.back);
        for lane in &reader.lanes {
            self.write_place(&mut payload, &lane.place_before(), reader.rows())?;
        }
        Ok(payload)
    }

    /// The payload of a cursor at the beginning of a bucket, or backwards at its end.
    pub(super) fn payload_at(&self, bucket: Bucket, back: bool) -> Payload {
        let mut payload = self.payload_head(Some(bucket), back);
        (0..self.lane_count()).for_each(|_| payload.byte(START));
        payload
    }

    fn payload_head(&self, bucket: Option<Bucket>, back: bool) -> Payload {
        let mut payload = Payload::new();
        payload.byte(QUERY);
        payload.byte(u8::from(back));
        if let Some(bucket) = bucket {
            payload.raw(&bucket.second().to_be_bytes());
        }
        payload.number(self.lane_count());
        payload
    }

    pub(super) fn read_position(&self, reader: &mut PayloadReader<'_>) -> Result<Position, RunError> {
        match reader.byte()? {
            START => Ok(Position::Start),
            AFTER => {
                let values = self.position.iter().map(|attribute| reader.key_part(kind(attribute.kind)));
                values.collect::<Result<_, _>>().map(Position::After)
            }
            DONE => Ok(Position::Done),
            _ => Err(OUTDATED),
        }
    }

    pub(super) fn write_place(
        &self,
        payload: &mut Payload,
        place: &Place<'_>,
        rows: &[Row],
    ) -> Result<(), RunError> {
        match place {
            Place::Start => payload.byte(START),
            Place::Done => payload.byte(DONE),
            Place::Given(number) => {
                let row = rows.get(*number).ok_or(RunError::Fault("the last row of a page isn't in it"))?;
                payload.byte(AFTER);
                payload.key_of(row.item.clone(), self.position.clone());
            }
            Place::Head(row) => {
                payload.byte(AFTER);
                payload.key_of(row.item.clone(), self.position.clone());
            }
            Place::Key(key) => return self.write_after(payload, key),
        }
        Ok(())
    }

    fn write_after(&self, payload: &mut Payload, key: &Item) -> Result<(), RunError> {
        payload.byte(AFTER);
        for attribute in self.position.iter() {
            let value = key.get(&attribute.name).and_then(AttributeValue::as_scalar);
            if !value.is_some_and(|value| payload.key_part(value)) {
                let reason = format!("{} gave an item without its key {}", self.table, attribute.name);
                return Err(StoreError::Refused(reason).into());
            }
        }
        Ok(())
    }

    /// The whole key of the place from which a lane goes on.
    pub(super) fn start_key(&self, lane: &mut Lane) -> Option<Item> {
        let Position::After(values) = std::mem::take(&mut lane.resume) else { return None };
        let partition = lane.key_terms().iter().take(self.partition.len());
        let partition = partition.filter_map(|term| match &term.test {
            KeyTest::Equal(value) => Some((term.attribute.clone(), value.clone())),
            _ => None,
        });
        let rest = self.position.iter().map(|attribute| attribute.name.clone()).zip(values);
        Some(partition.chain(rest).collect())
    }
}
