//! The cursor of a query: for each shard, how far it was read.
//!
//! Payload: `q`, the number of shards (4 bytes), then for each of them `0` (nothing read yet), `1` and the values of
//! the last key as key bytes, or `2` (read to its end).

use singlet_expr::KeyTest;
use singlet_store::{Store, StoreError};
use singlet_values::{AttributeValue, Item, ValueRef};

use super::QueryPlan;
use super::lane::{Lane, Place, Position, Row};
use super::reader::Reader;
use super::sort::kind;
use crate::call::{Call, Site};
use crate::cursor::{Cursor, OUTDATED, Payload, PayloadReader};
use crate::error::RunError;

const QUERY: u8 = b'q';
const START: u8 = 0;
const AFTER: u8 = 1;
const DONE: u8 = 2;

impl QueryPlan {
    /// Where the lanes go on; empty without a cursor.
    pub(super) fn resume<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
    ) -> Result<Vec<Position>, RunError> {
        let Some(cursor) = &call.paging.cursor else { return Ok(Vec::new()) };
        let (_, payload) = site.seal.open(&call.bond(), cursor)?;
        let mut reader = PayloadReader::new(&payload);
        if reader.byte()? != QUERY || reader.number()? != self.shards.unwrap_or(1) {
            return Err(OUTDATED);
        }
        let mut positions = Vec::new();
        for _ in 0..self.shards.unwrap_or(1) {
            positions.push(self.read_position(&mut reader)?);
        }
        reader.finish()?;
        Ok(positions)
    }

    /// The cursor after what a reader has given.
    pub(super) fn cursor<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
        reader: &Reader<'_>,
    ) -> Result<Cursor, RunError> {
        let mut payload = Payload::new();
        payload.byte(QUERY);
        payload.number(self.shards.unwrap_or(1));
        for lane in &reader.lanes {
            self.write_place(&mut payload, &lane.place(), reader.rows())?;
        }
        Ok(site.cursor(call, payload))
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
                let row = rows.get(*number);
                return self.write_after(payload, |name| row?.item.view().get(name));
            }
            Place::Key(key) => {
                return self.write_after(payload, |name| key.get(name).and_then(AttributeValue::as_scalar));
            }
        }
        Ok(())
    }

    fn write_after<'v>(
        &self,
        payload: &mut Payload,
        value: impl Fn(&str) -> Option<ValueRef<'v>>,
    ) -> Result<(), RunError> {
        payload.byte(AFTER);
        for attribute in &self.position {
            if !value(&attribute.name).is_some_and(|value| payload.key_part(value)) {
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
