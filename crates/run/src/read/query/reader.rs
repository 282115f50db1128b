//! A page in the making: rows of one or several streams, taken in order.

use singlet_design::first_request_items;
use singlet_store::{self as store, Page, Store};
use singlet_values::{EncodedItem, write_key_part};

use super::QueryPlan;
use super::sort::NextPart;
use super::stream::{Row, Stream};
use crate::error::RunError;
use crate::read::project::restore;

/// Reads the streams of one list until its page is full.
pub(in super::super) struct Reader<'p> {
    plan: &'p QueryPlan,
    pub(super) streams: Vec<Stream>,
    order: Order<'p>,
    forward: bool,
    limit: usize,
    rows: Vec<Row>,
    /// The stream of the last row.
    pub(super) last_stream: Option<usize>,
    now_ms: u64,
}

/// What orders the rows of several streams; those of one rank come in the order of the streams.
enum Order<'p> {
    /// There is one stream only.
    Single,
    /// The whole sort key.
    SortKey,
    /// The first part of it that the streams don't share. For each stream: the bytes in front of that part, and
    /// a rank whose rows were all given before.
    Part { part: &'p NextPart, streams: Vec<PartRank> },
}

/// What is known of a stream that is ordered by a part of its sort key.
pub(super) struct PartRank {
    pub(super) prefix_bytes: usize,
    pub(super) given: Option<Vec<u8>>,
}

impl<'p> Reader<'p> {
    /// Over the shards of one key, in the order of the whole sort key.
    pub(super) fn over_shards(plan: &'p QueryPlan, streams: Vec<Stream>, limit: u32, now_ms: u64) -> Self {
        let order = if streams.len() == 1 { Order::Single } else { Order::SortKey };
        Reader::new(plan, streams, order, plan.forward, limit, now_ms)
    }

    /// Over the queries of a merged list, in the order of a part of the sort key.
    pub(super) fn merging(
        plan: &'p QueryPlan,
        streams: Vec<Stream>,
        ranks: (&'p NextPart, Vec<PartRank>),
        forward: bool,
        (limit, now_ms): (u32, u64),
    ) -> Self {
        let order = Order::Part { part: ranks.0, streams: ranks.1 };
        Reader::new(plan, streams, order, forward, limit, now_ms)
    }

    fn new(
        plan: &'p QueryPlan,
        mut streams: Vec<Stream>,
        order: Order<'p>,
        forward: bool,
        limit: u32,
        now_ms: u64,
    ) -> Self {
        let count = u32::try_from(streams.len()).unwrap_or(u32::MAX).max(1);
        let share = first_request_items(limit, count);
        for stream in &mut streams {
            let start_key = plan.start_key(stream);
            stream.begin(share, start_key);
        }
        let rows = Vec::with_capacity(if count == 1 { limit as usize } else { 0 });
        Reader { plan, streams, order, forward, limit: limit as usize, rows, last_stream: None, now_ms }
    }

    /// Takes what can be taken. Gives the streams that must read a page before it can go on; none when the page is
    /// done.
    fn advance(&mut self) -> Vec<usize> {
        loop {
            let full = self.rows.len() >= self.limit;
            if full && self.streams.iter().any(|stream| stream.head().is_some()) {
                return Vec::new();
            }
            let hungry = || self.streams.iter().enumerate().filter(|(_, stream)| stream.is_hungry());
            if hungry().any(|(_, stream)| stream.is_spent()) {
                return Vec::new();
            }
            let wanted: Vec<usize> = hungry().map(|(position, _)| position).collect();
            if !wanted.is_empty() {
                return wanted;
            }
            let Some(next) = self.first().filter(|_| !full) else { return Vec::new() };
            self.last_stream = Some(next);
            let number = self.rows.len();
            self.rows.extend(self.streams.get_mut(next).and_then(|stream| stream.pop(number)));
        }
    }

    /// The stream whose head comes first.
    fn first(&self) -> Option<usize> {
        let heads = self.streams.iter().enumerate();
        let heads = heads.filter_map(|(position, stream)| Some((position, stream.head()?)));
        // The first of several equal ones stays.
        let first = heads.reduce(|best, next| {
            let earlier = if self.forward { next.1.rank < best.1.rank } else { next.1.rank > best.1.rank };
            if earlier { next } else { best }
        });
        first.map(|(position, _)| position)
    }

    /// Takes in a page of a stream: leaves out what was not asked for and what has expired.
    fn feed(&mut self, position: usize, request: store::Query, page: Page) {
        let (plan, order, now_ms) = (self.plan, &self.order, self.now_ms);
        let Some(stream) = self.streams.get_mut(position) else { return };
        let exact = stream.exact.take();
        let row = |item: EncodedItem| {
            let view = item.view();
            if plan.expiry.is_over(view, now_ms) || exact.as_ref().is_some_and(|exact| !exact.passes(view)) {
                return None;
            }
            let entity = plan.teller.tell(view)?.clone();
            let rank = order.rank(plan, position, &item)?;
            let item = match &plan.index {
                Some(index) => restore(&entity, index, item),
                None => item,
            };
            Some(Row { entity, item, rank })
        };
        stream.feed(request, page.items.into_iter().filter_map(row), page.last_key);
        stream.exact = exact;
    }

    /// Whether another page may follow.
    pub(super) fn has_more(&self) -> bool {
        self.streams.iter().any(Stream::has_more)
    }

    /// Lets every stream read on: for lists that are read to their end.
    pub(super) fn refresh(&mut self) {
        self.streams.iter_mut().for_each(Stream::refresh);
    }

    /// Whether the page has as many rows as it may.
    pub(super) fn is_full(&self) -> bool {
        self.rows.len() >= self.limit
    }

    /// What was given so far.
    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(in super::super) fn take_rows(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.rows)
    }
}

impl Order<'_> {
    /// The rank of an item; `None` if all rows of its rank were given before.
    fn rank(&self, plan: &QueryPlan, stream: usize, item: &EncodedItem) -> Option<Vec<u8>> {
        match self {
            Order::Single => Some(Vec::new()),
            Order::SortKey => {
                let mut rank = Vec::new();
                for attribute in &plan.sort_attributes {
                    let value = item.view().get(&attribute.name);
                    // What is no key has no rank, and can't stand in a key attribute.
                    let _ = value.map(|value| write_key_part(&mut rank, value));
                }
                Some(rank)
            }
            Order::Part { part, streams } => {
                let known = streams.get(stream)?;
                let rank = part.rank(item.view(), known.prefix_bytes);
                (known.given.as_ref() != Some(&rank)).then_some(rank)
            }
        }
    }
}

/// Reads for several lists at once: what they need next is handed to the store together.
pub(in super::super) async fn drive<S: Store>(
    store: &S,
    readers: &mut [&mut Reader<'_>],
) -> Result<(), RunError> {
    loop {
        let mut places = Vec::new();
        let mut requests = Vec::new();
        for (reader_at, reader) in readers.iter_mut().enumerate() {
            for stream_at in reader.advance() {
                let request = reader.streams.get_mut(stream_at).and_then(Stream::next_request);
                places.extend(request.is_some().then_some((reader_at, stream_at)));
                requests.extend(request);
            }
        }
        let pages = match requests.as_slice() {
            [] => return Ok(()),
            [only] => vec![store.query(only.clone()).await?],
            several => store.query_all(several.to_vec()).await?,
        };
        if pages.len() != requests.len() {
            let reason = format!("{} queries were answered with {} pages", requests.len(), pages.len());
            return Err(store::StoreError::Unavailable(reason).into());
        }
        for (((reader_at, stream_at), request), page) in places.into_iter().zip(requests).zip(pages) {
            if let Some(reader) = readers.get_mut(reader_at) {
                reader.feed(stream_at, request, page);
            }
        }
    }
}
