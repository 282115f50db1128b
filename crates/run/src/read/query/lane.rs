//! One key that is read in order: a shard, or the query of one item of a merged list.

use std::collections::VecDeque;
use std::sync::Arc;

use singlet_expr::KeyTerm;
use singlet_store as store;
use singlet_values::{EncodedItem, Item};

use super::sort::Exact;
use crate::outcome::Shown;

/// Backend pages that one call reads of a lane: a filter that lets little through ends the call, not the list.
pub(super) const PAGES_MAX: u32 = 10;
/// Most items that one backend page evaluates.
const CHUNK_MAX: u32 = 1000;

/// An item that belongs into the answer.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) shown: Arc<Shown>,
    pub(crate) item: EncodedItem,
    /// The bytes that order it among the rows of other lanes. Empty if there is only one lane.
    pub(super) rank: Box<[u8]>,
}

/// How far a lane was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Position {
    /// Nothing yet.
    #[default]
    Start,
    /// Up to and with the item that has these values in the plan's position attributes.
    After(Vec<singlet_values::AttributeValue>),
    /// Everything.
    Done,
}

/// Where the next page starts.
#[derive(Debug, Clone)]
pub(super) enum Place<'s> {
    Start,
    /// After the row that was given as this one.
    Given(usize),
    /// After a row that wasn't given.
    Head(&'s Row),
    /// After this key.
    Key(&'s Item),
    Done,
}

/// A lane of rows, refilled page by page.
#[derive(Debug)]
pub(super) struct Lane {
    /// The next request; `None` when everything was read.
    request: Option<Box<store::Query>>,
    /// Where the page began that filled the buffer.
    base: Option<Item>,
    buffer: VecDeque<Row>,
    /// The last row taken since the buffer was filled, by its number in the answer.
    given: Option<usize>,
    /// The first row that was taken, by its number in the answer.
    first_given: Option<usize>,
    pages: u32,
    /// Items that the next page evaluates.
    chunk: u32,
    pub(super) exact: Option<Box<Exact>>,
    /// A place to go on from that the request doesn't know yet.
    pub(super) resume: Position,
}

impl Lane {
    pub(super) fn new(
        request: Option<Box<store::Query>>,
        exact: Option<Box<Exact>>,
        resume: Position,
    ) -> Self {
        let request = request.filter(|_| resume != Position::Done);
        Lane {
            request,
            base: None,
            buffer: VecDeque::new(),
            given: None,
            first_given: None,
            pages: 0,
            chunk: 1,
            exact,
            resume,
        }
    }

    /// Sets how much the first page evaluates.
    pub(super) fn begin(&mut self, chunk: u32, start_key: Option<Item>) {
        self.chunk = chunk.min(CHUNK_MAX + 1);
        if let Some(request) = &mut self.request {
            request.start_key = start_key;
        }
    }

    /// The conditions on the key that it reads, those on the partition key first.
    pub(super) fn key_terms(&self) -> &[KeyTerm] {
        self.request.as_ref().and_then(|request| request.key.terms().ok()).unwrap_or_default()
    }

    pub(super) fn head(&self) -> Option<&Row> {
        self.buffer.front()
    }

    /// Must read before it can tell what comes next.
    pub(super) fn is_hungry(&self) -> bool {
        self.buffer.is_empty() && self.request.is_some()
    }

    /// May not read any more in this call.
    pub(super) fn is_spent(&self) -> bool {
        self.pages >= PAGES_MAX
    }

    /// Gave a row in this call.
    pub(super) fn was_taken(&self) -> bool {
        self.first_given.is_some()
    }

    /// There is, or may be, more to come.
    pub(super) fn has_more(&self) -> bool {
        !self.buffer.is_empty() || self.request.is_some()
    }

    /// May read as much again: for lists that are read to their end.
    pub(super) fn refresh(&mut self) {
        self.pages = 0;
    }

    /// The request for the next page; the page says with [`Lane::begin_page`] how to go on. Each page evaluates twice as
    /// many items as the one before: a filter that lets little through, or a shard that has more than its share, needs
    /// few calls.
    pub(super) fn next_request(&mut self) -> Option<store::Query> {
        let mut request = *self.request.take()?;
        self.base.clone_from(&request.start_key);
        request.limit = Some(self.chunk);
        self.chunk = self.chunk.saturating_mul(2).min(CHUNK_MAX);
        self.pages += 1;
        Some(request)
    }

    /// A page came; the request is for the page that follows it.
    pub(super) fn begin_page(&mut self, next: Option<store::Query>) {
        self.given = None;
        self.request = next.map(Box::new);
    }

    /// Takes in a row of the page that belongs into the answer.
    pub(super) fn push(&mut self, row: Row) {
        self.buffer.push_back(row);
    }

    /// Takes the next row, which is given as this one.
    pub(super) fn pop(&mut self, number: usize) -> Option<Row> {
        let row = self.buffer.pop_front()?;
        self.note_given(number, number);
        Some(row)
    }

    /// Notes that the answer's rows of these numbers were taken from here.
    pub(super) fn note_given(&mut self, first: usize, last: usize) {
        self.first_given.get_or_insert(first);
        self.given = Some(last);
    }

    /// Where the next call goes on: exactly after the last row taken, or after what was read without finding any.
    pub(super) fn place(&self) -> Place<'_> {
        if self.buffer.is_empty() {
            return match &self.request {
                None => Place::Done,
                Some(request) => request.start_key.as_ref().map_or(Place::Start, Place::Key),
            };
        }
        match (self.given, &self.base) {
            (Some(number), _) => Place::Given(number),
            (None, Some(key)) => Place::Key(key),
            (None, None) => Place::Start,
        }
    }

    /// Where a call in the opposite direction goes on: exactly before the first row taken, or before what comes next.
    pub(super) fn place_before(&self) -> Place<'_> {
        match (self.first_given, self.buffer.front(), &self.request) {
            (Some(number), _, _) => Place::Given(number),
            (None, Some(head), _) => Place::Head(head),
            (None, None, Some(request)) => request.start_key.as_ref().map_or(Place::Done, Place::Key),
            (None, None, None) => Place::Start,
        }
    }
}
