//! Merged lists: a query for each element of a list, in one order with one cursor.
//!
//! The order is total: first the part of the sort key that holds the `by` field, then the identity of the lane (a
//! hash of the query's arguments and shard), then the lane's own order. The cursor therefore holds one place, the
//! last item given: the lanes before its own go on after its rank, those behind it at its rank, and its own
//! lane exactly after it. An item of the list that comes or goes between two pages only brings or takes its own
//! items. Streams in which a filter has found nothing for a whole call have their own place in the cursor, so that
//! the next call gets further.
//!
//! Backwards, the order is the opposite one: of the ranks, of the identities, and of the lanes themselves. The cursor to
//! the page before holds the first item given.
//!
//! Payload: `m`, `1` if it leads backwards and else `0`, then `0` or `1` with the length of the rank (4 bytes), the rank, and the lane's identity; then the
//! number of places (4 bytes), and for each the lane's identity and its position as in a query's cursor.

use sha2::{Digest, Sha256};
use singlet_design::{Merge, Operation, Order};
use singlet_store::Store;

use super::elements::WalkPlan;
use super::lane::{Lane, Position};
use super::reader::{PartRank, Reader, drive};
use super::sort::NextPart;
use super::{Ends, PlanContext, QueryPlan, page_limit};
use crate::arguments::Bound;
use crate::call::{Call, Site};
use crate::cursor::{OUTDATED, Payload, PayloadReader};
use crate::error::RunError;
use crate::outcome::Outcome;

const MERGE: u8 = b'm';
const IDENTITY_BYTES: usize = 16;

type Identity = [u8; IDENTITY_BYTES];

/// A merge with everything that doesn't depend on the call.
#[derive(Debug, Clone)]
pub(crate) struct MergePlan {
    merge: Merge,
    walk: WalkPlan,
    run: QueryPlan,
    limit: u32,
}

/// A query of one item of the list, or one shard of it.
struct Branch {
    identity: Identity,
    lane: Lane,
    rank: PartRank,
}

/// The content of a cursor.
#[derive(Default)]
struct Resume {
    /// Whether the list is read backwards.
    back: bool,
    last: Option<(Vec<u8>, Identity)>,
    places: Vec<(Identity, Position)>,
}

impl MergePlan {
    /// `None` if its parts are not queries.
    pub(in super::super) fn new(context: &PlanContext<'_>, merge: &Merge) -> Option<Self> {
        let walk = WalkPlan::new(context, &merge.walk, &[])?;
        let Operation::Query(run) = &merge.walk.run.operation else { return None };
        let mut run = QueryPlan::of_query(context, run, &[]);
        run.forward = merge.order == Order::Ascending;
        Some(MergePlan { merge: merge.clone(), walk, run, limit: merge.limit })
    }

    /// Runs the merge and answers with a page.
    pub(in super::super) async fn run<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
    ) -> Result<Outcome, RunError> {
        let merge = &self.merge;
        let limit = page_limit(call, self.limit)?;
        let by = self.run.sort.ordered_by(&merge.by).ok_or_else(|| {
            let (run, by) = (&merge.walk.run.name, &merge.by);
            RunError::Limit(format!(
                "{run} doesn't give its items in the order of {by}, so they can't be merged by it"
            ))
        })?;
        let resume = self.resume(site, call)?;
        let mut branches = Vec::new();
        let elements = self.walk.all(site, call).await?;
        // An element without the field has no query of its own.
        for element in elements.iter().filter(|element| self.walk.suffices(element)) {
            let bound = self.walk.bind(call, element)?;
            self.branch(&bound, by, &resume, call.now_ms, &mut branches)?;
        }
        branches.sort_by_key(|branch| branch.identity);
        branches.dedup_by_key(|branch| branch.identity);
        let scanning: Vec<bool> =
            branches.iter().map(|branch| resume.is_scanning(&branch.identity)).collect();
        let identities: Vec<Identity> = branches.iter().map(|branch| branch.identity).collect();
        let (lanes, ranks) = branches.into_iter().map(|branch| (branch.lane, branch.rank)).unzip();
        let back = resume.back;
        let direction = (self.run.forward != back, back);
        let mut reader = Reader::merging(&self.run, lanes, (by, ranks), direction, (limit, call.now_ms));
        drive(&site.store, &mut [&mut reader]).await?;
        let onward = if reader.has_more() {
            Some(self.payload(&reader, (&identities, &scanning), resume)?)
        } else {
            None
        };
        let before = match call.paging.cursor {
            Some(_) => self.payload_before(&reader, &identities)?,
            None => None,
        };
        self.run.page(site, call, reader.take_rows(), Ends { onward, before, back }).await
    }

    /// The lanes of one item of the list.
    fn branch(
        &self,
        bound: &Bound<'_>,
        by: &NextPart,
        resume: &Resume,
        now_ms: u64,
        branches: &mut Vec<Branch>,
    ) -> Result<(), RunError> {
        let arguments = bound.canonical();
        let filter = self.run.filter.bind(bound, now_ms)?;
        let forward = self.run.forward != resume.back;
        let whole = self.run.sort.bind(bound, self.run.separator)?;
        let prefix_bytes = whole.part_at();
        for shard in 0..self.run.shards.unwrap_or(1) {
            let identity = identity(arguments.as_bytes(), shard);
            let mut bounds = whole.clone();
            let mut given = None;
            let position = resume.position(&identity).cloned().unwrap_or_default();
            if let (Position::Start, Some((rank, last))) = (&position, &resume.last) {
                bounds.begin_at(by, rank, forward).ok_or(OUTDATED)?;
                let is_behind = if resume.back { identity >= *last } else { identity <= *last };
                given = is_behind.then(|| rank.clone());
            }
            let exact = bounds.exact.take();
            let request = self.run.request(bound, bounds, filter.clone(), (shard, forward))?;
            let lane = Lane::new(request, exact, position);
            branches.push(Branch { identity, lane, rank: PartRank { prefix_bytes, given } });
        }
        Ok(())
    }

    fn resume<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<Resume, RunError> {
        let Some(cursor) = &call.paging.cursor else { return Ok(Resume::default()) };
        let (_, payload) = site.seal.open(&call.bond(), cursor)?;
        let mut reader = PayloadReader::new(&payload);
        if reader.byte()? != MERGE {
            return Err(OUTDATED);
        }
        let back = reader.byte()? != 0;
        let last = match reader.byte()? {
            0 => None,
            _ => {
                let length = reader.number()? as usize;
                Some((reader.raw(length)?.to_vec(), read_identity(&mut reader)?))
            }
        };
        let mut places = Vec::new();
        for _ in 0..reader.number()? {
            places.push((read_identity(&mut reader)?, self.run.read_position(&mut reader)?));
        }
        reader.finish()?;
        Ok(Resume { back, last, places })
    }

    /// The payload of a cursor after what a reader has given, in its direction.
    fn payload(
        &self,
        reader: &Reader<'_>,
        (identities, scanning): (&[Identity], &[bool]),
        before: Resume,
    ) -> Result<Payload, RunError> {
        let given = reader.last_lane.and_then(|lane| identities.get(lane)).zip(reader.rows().last());
        let last = match given {
            Some((identity, row)) => Some((row.rank.to_vec(), *identity)),
            None => before.last.clone(),
        };
        let is_last = |identity: &Identity| last.as_ref().is_some_and(|(_, last)| last == identity);
        let mut places = Payload::new();
        let mut count = 0;
        for (position, (identity, lane)) in identities.iter().zip(&reader.lanes).enumerate() {
            let still_scanning =
                !lane.was_taken() && scanning.get(position).is_some_and(|scanning| *scanning);
            let scanned = still_scanning || (lane.is_hungry() && lane.is_spent());
            if is_last(identity) || scanned {
                count += 1;
                places.raw(identity);
                self.run.write_place(&mut places, &lane.place(), reader.rows())?;
            }
        }
        let mut payload = payload_head(reader.back, last.as_ref());
        payload.number(count);
        payload.append(places);
        Ok(payload)
    }

    /// The payload of a cursor before what a reader has given, in the opposite direction. `None` if it has given nothing
    /// yet, because a filter leaves little.
    fn payload_before(
        &self,
        reader: &Reader<'_>,
        identities: &[Identity],
    ) -> Result<Option<Payload>, RunError> {
        let given = reader.first_lane.and_then(|at| identities.get(at).zip(reader.lanes.get(at)));
        let Some(((identity, lane), row)) = given.zip(reader.rows().first()) else {
            // At the end of the list, everything lies before.
            let mut payload = payload_head(!reader.back, None);
            payload.number(0);
            return Ok((!reader.has_more()).then_some(payload));
        };
        let mut payload = payload_head(!reader.back, Some(&(row.rank.to_vec(), *identity)));
        payload.number(1);
        payload.raw(identity);
        self.run.write_place(&mut payload, &lane.place_before(), reader.rows())?;
        Ok(Some(payload))
    }
}

/// The beginning of a payload: the direction, and the last row.
fn payload_head(back: bool, last: Option<&(Vec<u8>, Identity)>) -> Payload {
    let mut payload = Payload::new();
    payload.byte(MERGE);
    payload.byte(u8::from(back));
    payload.byte(u8::from(last.is_some()));
    if let Some((rank, identity)) = last {
        payload.number(u32::try_from(rank.len()).unwrap_or(u32::MAX));
        payload.raw(rank);
        payload.raw(identity);
    }
    payload
}

impl Resume {
    fn position(&self, identity: &Identity) -> Option<&Position> {
        self.places.iter().find(|(known, _)| known == identity).map(|(_, position)| position)
    }

    /// Whether a lane has its own place because a filter had found nothing in it.
    fn is_scanning(&self, identity: &Identity) -> bool {
        let is_last = self.last.as_ref().is_some_and(|(_, last)| last == identity);
        !is_last && self.position(identity).is_some()
    }
}

/// Tells lanes apart by what they ask, not by where they stand in the list.
fn identity(arguments: &[u8], shard: u32) -> Identity {
    let mut hash = Sha256::new();
    hash.update(shard.to_be_bytes());
    hash.update(arguments);
    let mut identity = [0; IDENTITY_BYTES];
    for (to, from) in identity.iter_mut().zip(hash.finalize()) {
        *to = from;
    }
    identity
}

fn read_identity(reader: &mut PayloadReader<'_>) -> Result<Identity, RunError> {
    reader.raw(IDENTITY_BYTES)?.try_into().map_err(|_| OUTDATED)
}
