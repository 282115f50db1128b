//! Gathered lists: a query for each element of a list, its items grouped by a field, those with the most hits first.
//!
//! The number of hits is known only when all queries are read, so each page reads them again. The order is total: the
//! number of hits, then the value of the field. The cursor holds the place of the last group: groups whose number of
//! hits stays the same come exactly once, whatever happens to the others between two pages.
//!
//! Payload: `g`, the hits of the last group (4 bytes), the length of its value (4 bytes), and the value as key bytes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use singlet_design::{Gather, Json, Operation};
use singlet_store::Store;
use singlet_values::{ValueRef, write_key_part};

use super::cursor::ResumePoint;
use super::elements::WalkPlan;
use super::lane::Row;
use super::reader::{Reader, drive};
use super::{PlanContext, QueryPlan, page_limit};
use crate::arguments::Bound;
use crate::call::{Call, Site};
use crate::cursor::{OUTDATED, Payload, PayloadReader};
use crate::error::RunError;
use crate::outcome::Outcome;

const GATHER: u8 = b'g';
/// The number of hits, in the answer.
const HITS: &str = "hits";
/// Queries that are read at once.
const READERS_MAX: usize = 25;

/// A gather with everything that doesn't depend on the call.
#[derive(Debug, Clone)]
pub(crate) struct GatherPlan {
    gather: Gather,
    walk: WalkPlan,
    run: QueryPlan,
}

/// The hits of one value.
struct HitGroup {
    /// The number of elements that found it.
    hits: u32,
    /// The last of them.
    element: usize,
    /// The first item that was found.
    row: Row,
}

/// The place of a group: many hits first, then the value as bytes that sort.
type GroupPlace = (Reverse<u32>, Vec<u8>);

impl GatherPlan {
    /// `None` if its parts are not queries.
    pub(in super::super) fn new(context: &PlanContext<'_>, gather: &Gather) -> Option<Self> {
        let walk = WalkPlan::new(context, &gather.walk, &[])?;
        let Operation::Query(run) = &gather.walk.run.operation else { return None };
        let run = QueryPlan::of_query(context, run, &[&gather.by]);
        Some(GatherPlan { gather: gather.clone(), walk, run })
    }

    /// Runs the queries and answers with a page of groups.
    pub(in super::super) async fn run<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
    ) -> Result<Outcome, RunError> {
        let limit = page_limit(call, self.gather.limit)? as usize;
        let after = self.resume(site, call)?;
        let bounds = self.bounds(site, call).await?;
        let mut groups: BTreeMap<Vec<u8>, HitGroup> = BTreeMap::new();
        let mut is_cut = false;
        for (chunk_at, chunk) in bounds.chunks(READERS_MAX).enumerate() {
            let mut readers = Vec::with_capacity(chunk.len());
            for bound in chunk {
                readers.push(self.reader(bound, call.now_ms)?);
            }
            drive(&site.store, &mut readers.iter_mut().collect::<Vec<_>>()).await?;
            for (element, mut reader) in readers.into_iter().enumerate() {
                is_cut |= reader.has_more();
                self.count(chunk_at * READERS_MAX + element, reader.take_rows(), &mut groups);
            }
        }
        let placed = groups.into_iter().map(|(value, group)| ((Reverse(group.hits), value), group.row));
        let mut placed: Vec<(GroupPlace, Row)> =
            placed.filter(|(place, _)| after.as_ref().is_none_or(|after| place > after)).collect();
        placed.sort_by(|(one, _), (other, _)| one.cmp(other));
        let has_more = placed.len() > limit;
        placed.truncate(limit);
        let (places, rows): (Vec<GroupPlace>, Vec<Row>) = placed.into_iter().unzip();
        let cursor = places.last().filter(|_| has_more).map(|place| site.cursor(call, payload(place)));
        let mut records = self.run.records(site, rows, call.now_ms).await?;
        for (record, (Reverse(hits), _)) in records.iter_mut().zip(&places) {
            record.add(HITS.to_owned(), Json::from(i64::from(*hits)));
        }
        Ok(Outcome::Gathered { records, cursor, is_cut })
    }

    /// The parameters of the query for each element. An element that comes twice counts once.
    async fn bounds<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<Vec<Bound<'_>>, RunError> {
        let mut bounds = Vec::new();
        let mut seen: BTreeSet<Vec<u8>> = BTreeSet::new();
        for element in self.walk.all(site, call).await? {
            // An element without the field has no query of its own.
            if self.walk.suffices(&element) {
                let bound = self.walk.bind(call, &element)?;
                if seen.insert(bound.canonical().as_bytes().to_vec()) {
                    bounds.push(bound);
                }
            }
        }
        Ok(bounds)
    }

    /// A reader of the hits of one element: as many as a page of the query.
    fn reader(&self, bound: &Bound<'_>, now_ms: u64) -> Result<Reader<'_>, RunError> {
        self.run.reader_at(bound, ResumePoint::default(), (self.run.usual_limit(), now_ms))
    }

    /// Counts the hits of one element. Several items with one value are one hit.
    fn count(&self, element: usize, rows: Vec<Row>, groups: &mut BTreeMap<Vec<u8>, HitGroup>) {
        for row in rows {
            let Some(value) = row.item.view().get(&self.gather.by).and_then(sortable) else { continue };
            match groups.get_mut(&value) {
                None => _ = groups.insert(value, HitGroup { hits: 1, element, row }),
                Some(group) if group.element != element => {
                    group.hits += 1;
                    group.element = element;
                }
                Some(_) => {}
            }
        }
    }

    fn resume<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<Option<GroupPlace>, RunError> {
        let Some(cursor) = &call.paging.cursor else { return Ok(None) };
        let (_, payload) = site.seal.open(&call.bond(), cursor)?;
        let mut reader = PayloadReader::new(&payload);
        if reader.byte()? != GATHER {
            return Err(OUTDATED);
        }
        let hits = reader.number()?;
        let length = reader.number()? as usize;
        let value = reader.raw(length)?.to_vec();
        reader.finish()?;
        Ok(Some((Reverse(hits), value)))
    }
}

fn payload((Reverse(hits), value): &GroupPlace) -> Payload {
    let mut payload = Payload::new();
    payload.byte(GATHER);
    payload.number(*hits);
    payload.number(u32::try_from(value.len()).unwrap_or(u32::MAX));
    payload.raw(value);
    payload
}

/// The bytes of a value, which sort like the values of its type; `None` if it isn't a single value.
fn sortable(value: ValueRef<'_>) -> Option<Vec<u8>> {
    if let ValueRef::Bool(truth) = value {
        return Some(vec![u8::from(truth)]);
    }
    let mut bytes = Vec::new();
    write_key_part(&mut bytes, value).ok().map(|()| bytes)
}
