//! Subscriptions: the changes of a table within the process, from all shards, in commit order.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use super::Database;
use crate::error::{Error, Invalid, Result};
use crate::request::{SequenceNumber, StreamRecord, StreamView};
use crate::store::Position;
use crate::stream::{HashRange, Stream};
use crate::stream_reader::{RecordPage, Span, Start, check_not_trimmed, read_page, stream_start};
use crate::sync::Instant;

/// The most records that one call returns.
const RECORDS_MAX: usize = 1000;
/// The longest single wait.
const WAIT_MAX: Duration = Duration::from_secs(60 * 60);

/// A position in the stream of a table. A subscriber stores it as text, together with the results of the records
/// before it, and continues there after a restart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamPosition {
    label: String,
    after: SequenceNumber,
}

impl StreamPosition {
    /// Whether it is another position of the same stream, or one after it.
    pub fn has_reached(&self, other: &StreamPosition) -> bool {
        self.label == other.label && self.after >= other.after
    }
}

impl fmt::Display for StreamPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.label, self.after)
    }
}

impl FromStr for StreamPosition {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let parts = text.split_once('/');
        let (label, after) = parts.ok_or_else(|| Invalid::SequenceNumber(text.to_owned()))?;
        Ok(StreamPosition { label: label.to_owned(), after: after.parse()? })
    }
}

/// A request for a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscribe {
    /// The table. Its stream must be on or, with a position, have been on.
    pub table: String,
    /// The view of the records. `None` means the stream's own view.
    pub view: Option<StreamView>,
    /// Where to begin.
    pub from: SubscribeFrom,
}

/// Where a subscription begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SubscribeFrom {
    /// At the next change.
    #[default]
    Now,
    /// At the oldest record of the table's stream.
    Oldest,
    /// After the position of an earlier subscription.
    After(StreamPosition),
}

impl Subscribe {
    /// Subscribes to the changes of a table from now on.
    pub fn new(table: impl Into<String>) -> Self {
        Subscribe { table: table.into(), view: None, from: SubscribeFrom::default() }
    }

    /// Begins at the oldest record.
    pub fn from_oldest(self) -> Self {
        Subscribe { from: SubscribeFrom::Oldest, ..self }
    }

    /// Begins after a position.
    pub fn after(self, position: StreamPosition) -> Self {
        Subscribe { from: SubscribeFrom::After(position), ..self }
    }

    /// Sets another view than the stream's own. The log has both images of every change.
    pub fn view(self, view: StreamView) -> Self {
        Subscribe { view: Some(view), ..self }
    }
}

/// The changes of a table, in the order in which they were committed. It keeps the database open.
///
/// It follows one stream. If the stream is turned off, the subscription ends after its last record.
pub struct Subscription {
    database: Database,
    stream: Arc<Stream>,
    view: StreamView,
    start: Start,
    ended: bool,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("stream", &self.stream.arn).finish_non_exhaustive()
    }
}

impl Subscription {
    /// Begins a subscription.
    pub(crate) fn begin(database: &Database, request: Subscribe) -> Result<Subscription> {
        let view = database.view();
        let catalogue = view.catalogue();
        let (stream, start) = match request.from {
            SubscribeFrom::After(position) => {
                let arn = database.stream_arn(&request.table, &position.label);
                // A stream that isn't there was turned off more than 24 hours ago.
                let now = database.now(&view);
                let stream = catalogue.stream(&arn).filter(|stream| !stream.is_expired(&now));
                let stream = stream.ok_or(Error::Trimmed)?;
                (stream, Start::after(position.after.position()))
            }
            from => {
                let table = catalogue.resource(&request.table)?;
                let stream = catalogue.open_stream(table.number).ok_or_else(|| {
                    Error::ResourceNotFound(format!("Table: {} has no stream", request.table))
                })?;
                let now = Start::after(Position::end_of(view.sequence()));
                (stream, if from == SubscribeFrom::Oldest { Start::oldest() } else { now })
            }
        };
        if !start.skips_trimmed {
            check_not_trimmed(database.store(), stream, start.after, &database.now(&view))?;
        }
        let view = request.view.unwrap_or(stream.view);
        Ok(Subscription { database: database.clone(), stream: stream.clone(), view, start, ended: false })
    }

    /// Waits for the next records and returns them. Empty after the timeout. The records are durable.
    pub fn next(&mut self, timeout: Duration) -> Result<Vec<StreamRecord>> {
        let begun = Instant::now();
        loop {
            let sequence = self.database.store().view().sequence();
            let records = self.read()?;
            let rest = timeout.saturating_sub(begun.elapsed()).min(WAIT_MAX);
            if !records.is_empty() || self.ended || rest.is_zero() {
                return Ok(records);
            }
            let waiting = Instant::now();
            let latest = self.database.store().wait_after(sequence, rest);
            if latest == sequence && waiting.elapsed() < rest {
                // The wait ended early without a commit, so there won't be any more.
                return Err(self.database.why_no_writes());
            }
        }
    }

    /// Reads the next records without waiting. The result may be empty although there is more to read.
    fn read(&mut self) -> Result<Vec<StreamRecord>> {
        loop {
            let view = self.database.store().view();
            let stream = view.catalogue().stream(&self.stream.arn).ok_or(Error::Trimmed)?;
            self.stream = stream.clone();
            let span = Span {
                range: HashRange::ALL,
                created: stream.created.sequence,
                ended: stream.ended.map(|ended| ended.sequence),
                durable: view.sequence(),
            };
            let now = self.database.now(&view);
            let store = self.database.store();
            let RecordPage { records, next } =
                read_page(store, stream, self.view, &span, self.start, RECORDS_MAX, &now)?;
            self.ended = next.is_none();
            self.start = next.unwrap_or(Start::after(Position::end_of(span.durable)));
            if !records.is_empty() || self.start.after.sequence >= span.durable {
                return Ok(records);
            }
        }
    }

    /// Returns the position after the records returned so far.
    pub fn position(&self) -> StreamPosition {
        let after = self.start.after.max(stream_start(&self.stream)).max(self.stream.trimmed);
        StreamPosition { label: self.stream.label.clone(), after: SequenceNumber::of(after) }
    }

    /// Whether the stream was turned off or its table deleted, and every record was returned.
    pub fn is_ended(&self) -> bool {
        self.ended
    }
}
