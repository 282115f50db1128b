//! A page in the making: rows of one or several lanes, taken in order.

use std::cmp::Ordering;

use singlet_design::first_request_items;
use singlet_store::{self as store, Page, Store};
use singlet_values::{EncodedItem, write_key_part};

use super::QueryPlan;
use super::lane::{Lane, Row};
use super::sort::NextPart;
use crate::error::RunError;
use crate::read::project::restore;

/// Reads the lanes of one list until its page is full.
pub(in super::super) struct Reader<'p> {
    plan: &'p QueryPlan,
    pub(super) lanes: Vec<Lane>,
    order: Order<'p>,
    /// Whether it reads in the ascending order of keys.
    forward: bool,
    /// Whether it reads its list backwards.
    pub(super) back: bool,
    limit: usize,
    rows: Vec<Row>,
    /// The lane of the first row.
    pub(super) first_lane: Option<usize>,
    /// The lane of the last row.
    pub(super) last_lane: Option<usize>,
    /// The items that were read, including those that aren't returned.
    read: u64,
    now_ms: u64,
}

/// The rank that orders the rows of several lanes; rows of one rank come in the order of the lanes.
enum Order<'p> {
    /// There is one lane only.
    Single,
    /// The whole sort key.
    SortKey,
    /// The first part of it that the lanes don't share. For each lane: the bytes in front of that part, and
    /// a rank whose rows were all given before.
    Part { part: &'p NextPart, lanes: Vec<PartRank> },
}

/// The state of a lane that is ordered by a part of its sort key.
pub(super) struct PartRank {
    pub(super) prefix_bytes: usize,
    pub(super) given: Option<Vec<u8>>,
}

impl<'p> Reader<'p> {
    /// Over the shards of one key, in the order of the whole sort key.
    pub(super) fn over_shards(
        plan: &'p QueryPlan,
        lanes: Vec<Lane>,
        direction: (bool, bool),
        page: (u32, u64),
    ) -> Self {
        let order = if lanes.len() == 1 { Order::Single } else { Order::SortKey };
        Reader::new(plan, lanes, order, direction, page)
    }

    /// Over the queries of a merged list, in the order of a part of the sort key.
    pub(super) fn merging(
        plan: &'p QueryPlan,
        lanes: Vec<Lane>,
        ranks: (&'p NextPart, Vec<PartRank>),
        direction: (bool, bool),
        page: (u32, u64),
    ) -> Self {
        let order = Order::Part { part: ranks.0, lanes: ranks.1 };
        Reader::new(plan, lanes, order, direction, page)
    }

    fn new(
        plan: &'p QueryPlan,
        mut lanes: Vec<Lane>,
        order: Order<'p>,
        (forward, back): (bool, bool),
        (limit, now_ms): (u32, u64),
    ) -> Self {
        let count = u32::try_from(lanes.len()).unwrap_or(u32::MAX).max(1);
        let share = first_request_items(limit, count);
        for lane in &mut lanes {
            let start_key = plan.start_key(lane);
            lane.begin(share, start_key);
        }
        let rows = Vec::with_capacity(if count == 1 { limit as usize } else { 0 });
        Reader {
            plan,
            lanes,
            order,
            forward,
            back,
            limit: limit as usize,
            rows,
            first_lane: None,
            last_lane: None,
            read: 0,
            now_ms,
        }
    }

    /// Takes what can be taken. Gives the lanes that must read a page before it can go on; none when the page is
    /// done.
    fn advance(&mut self) -> Vec<usize> {
        loop {
            let full = self.rows.len() >= self.limit;
            if full && self.lanes.iter().any(|lane| lane.head().is_some()) {
                return Vec::new();
            }
            let hungry = || self.lanes.iter().enumerate().filter(|(_, lane)| lane.is_hungry());
            if hungry().any(|(_, lane)| lane.is_spent()) {
                return Vec::new();
            }
            let wanted: Vec<usize> = hungry().map(|(position, _)| position).collect();
            if !wanted.is_empty() {
                return wanted;
            }
            let Some(next) = self.first().filter(|_| !full) else { return Vec::new() };
            self.first_lane.get_or_insert(next);
            self.last_lane = Some(next);
            let number = self.rows.len();
            self.rows.extend(self.lanes.get_mut(next).and_then(|lane| lane.pop(number)));
        }
    }

    /// Takes what can be taken of the only lane. Gives its next request; none when the page is done.
    fn advance_alone(&mut self) -> Option<store::Query> {
        let lane = self.lanes.first_mut()?;
        while lane.head().is_some() {
            if self.rows.len() >= self.limit {
                return None;
            }
            self.rows.extend(lane.pop(self.rows.len()));
            self.first_lane = Some(0);
            self.last_lane = Some(0);
        }
        if lane.is_spent() { None } else { lane.next_request() }
    }

    /// The lane whose head comes first.
    fn first(&self) -> Option<usize> {
        let heads = self.lanes.iter().enumerate();
        let heads = heads.filter_map(|(position, lane)| Some((position, lane.head()?)));
        // Of several equal ones the first comes first, and backwards the last.
        let first = heads.reduce(|best, next| {
            let order = next.1.rank.cmp(&best.1.rank);
            let earlier = match if self.forward { order } else { order.reverse() } {
                Ordering::Less => true,
                Ordering::Equal => self.back,
                Ordering::Greater => false,
            };
            if earlier { next } else { best }
        });
        first.map(|(position, _)| position)
    }

    /// Takes in a page of a lane: leaves out what was not asked for and what has expired.
    fn feed(&mut self, position: usize, page: Page<store::Query>) {
        let Some(lane) = self.lanes.get_mut(position) else { return };
        self.read += u64::from(page.scanned);
        lane.begin_page(page.next);
        let mut items = page.items.into_iter();
        let given_before = self.rows.len();
        // The rows of several lanes may alternate. Those of a single one go into the answer without a stop on the way.
        if matches!(self.order, Order::Single) {
            let room = self.limit.saturating_sub(given_before);
            match &self.plan.all_shown {
                Some(shown) if lane.exact.is_none() => {
                    let row = |item| Row { shown: shown.clone(), item, rank: Box::default() };
                    self.rows.extend(items.by_ref().take(room).map(row));
                }
                _ => {
                    let rows = items
                        .by_ref()
                        .filter_map(|item| self.order.row(self.plan, lane, position, item, self.now_ms));
                    self.rows.extend(rows.take(room));
                }
            }
        }
        for item in items {
            if let Some(row) = self.order.row(self.plan, lane, position, item, self.now_ms) {
                lane.push(row);
            }
        }
        if self.rows.len() > given_before {
            lane.note_given(given_before, self.rows.len() - 1);
            self.first_lane.get_or_insert(position);
            self.last_lane = Some(position);
        }
    }

    /// Whether another page may follow.
    pub(super) fn has_more(&self) -> bool {
        self.lanes.iter().any(Lane::has_more)
    }

    /// The items that were read, including those that aren't returned.
    pub(super) fn items_read(&self) -> u64 {
        self.read
    }

    /// Lets every lane read on: for lists that are read to their end.
    pub(super) fn refresh(&mut self) {
        self.lanes.iter_mut().for_each(Lane::refresh);
    }

    /// The rows returned so far.
    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(in super::super) fn take_rows(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.rows)
    }
}

impl Order<'_> {
    /// The row of an item that a lane read; `None` if it doesn't belong into the answer.
    fn row(
        &self,
        plan: &QueryPlan,
        lane: &Lane,
        position: usize,
        item: EncodedItem,
        now_ms: u64,
    ) -> Option<Row> {
        let view = item.view();
        if plan.expiry.is_over(view, now_ms) {
            return None;
        }
        let shown = plan.teller.tell(view)?.clone();
        let rank = self.rank(plan, position, &item)?;
        let item = match &plan.index {
            Some(index) => restore(&shown.entity, index, item),
            None => item,
        };
        let passes = lane.exact.as_ref().is_none_or(|exact| exact.passes(item.view()));
        passes.then_some(Row { shown, item, rank })
    }

    /// The rank of an item; `None` if all rows of its rank were given before.
    fn rank(&self, plan: &QueryPlan, lane: usize, item: &EncodedItem) -> Option<Box<[u8]>> {
        match self {
            Order::Single => Some(Box::default()),
            Order::SortKey => {
                let mut rank = Vec::new();
                for attribute in &plan.sort_attributes {
                    let value = item.view().get(&attribute.name);
                    // A value that can't be a key has no rank, and can't be in a key attribute.
                    let _ = value.map(|value| write_key_part(&mut rank, value));
                }
                Some(rank.into())
            }
            Order::Part { part, lanes } => {
                let known = lanes.get(lane)?;
                let rank = part.rank(item.view(), known.prefix_bytes);
                (known.given.as_ref() != Some(&rank)).then(|| rank.into())
            }
        }
    }
}

/// Reads for several lists at once: what they need next is handed to the store together.
pub(in super::super) async fn drive<S: Store>(
    store: &S,
    readers: &mut [&mut Reader<'_>],
) -> Result<(), RunError> {
    if let [reader] = readers
        && reader.lanes.len() == 1
    {
        while let Some(request) = reader.advance_alone() {
            reader.feed(0, store.query(request).await?);
        }
        return Ok(());
    }
    loop {
        let mut places = Vec::new();
        let mut requests = Vec::new();
        for (reader_at, reader) in readers.iter_mut().enumerate() {
            for lane_at in reader.advance() {
                let request = reader.lanes.get_mut(lane_at).and_then(Lane::next_request);
                places.extend(request.is_some().then_some((reader_at, lane_at)));
                requests.extend(request);
            }
        }
        let pages = match requests.len() {
            0 => return Ok(()),
            1 => vec![store.query(requests.remove(0)).await?],
            _ => store.query_all(requests).await?,
        };
        if pages.len() != places.len() {
            let reason = format!("{} queries were answered with {} pages", places.len(), pages.len());
            return Err(store::StoreError::Unavailable(reason).into());
        }
        for ((reader_at, lane_at), page) in places.into_iter().zip(pages) {
            if let Some(reader) = readers.get_mut(reader_at) {
                reader.feed(lane_at, page);
            }
        }
    }
}
