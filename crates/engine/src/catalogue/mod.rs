//! The catalogue: all tables and streams at one point of the commit order.

mod horizon;

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

pub(crate) use horizon::Horizon;

use crate::error::{Error, Invalid, Result};
use crate::keyspace::RowSpace;
use crate::request::{EncryptionRequest, ListTables, ListTablesOutcome, TableDescription};
use crate::store::{Batch, Tally, View};
use crate::stream::Stream;
use crate::table::Table;
use crate::turns::{Now, Turns};

const LIST_MAX: usize = 100;
/// The alias of AWS's default key.
const KEY_ALIAS: &str = "alias/aws/dynamodb";

/// The tables by name and by number, and the streams. It is immutable. A change creates a new catalogue, which is
/// published together with the data it describes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Catalogue {
    by_name: BTreeMap<String, Arc<Table>>,
    by_number: HashMap<u32, Arc<Table>>,
    /// The ARN of the database's encryption key.
    key_arn: Option<Arc<str>>,
    /// The ARN that answers show as the key of encrypted tables.
    sse_arn: Option<Arc<str>>,
    /// Streams by ARN, including those that were turned off recently.
    streams: BTreeMap<String, Arc<Stream>>,
    /// The streams that are on, by table number.
    open_streams: HashMap<u32, Arc<Stream>>,
    /// The jumps of the clock.
    turns: Arc<Turns>,
    /// How far the expiry thread has looked. All catalogues of a database share it.
    horizon: Arc<Horizon>,
}

impl Catalogue {
    /// Creates a catalogue without tables.
    pub(crate) fn new(key_arn: Option<String>, sse_arn: Option<String>) -> Self {
        Catalogue {
            key_arn: key_arn.map(Into::into),
            sse_arn: sse_arn.map(Into::into),
            ..Catalogue::default()
        }
    }

    /// The ARN of the database's encryption key.
    pub(crate) fn key_arn(&self) -> Option<&str> {
        self.key_arn.as_deref()
    }

    /// Describes a table; `tally` gives the size of each of its spaces.
    pub(crate) fn describe(&self, table: &Table, tally: impl Fn(RowSpace) -> Tally) -> TableDescription {
        let mut description = table.describe(tally);
        if table.settings.encrypted {
            description.key_arn = self.sse_arn.as_deref().map(str::to_owned);
        }
        description
    }

    /// Refuses encryption in a database without it, and keys other than the database's.
    pub(crate) fn check_encryption(&self, request: Option<&EncryptionRequest>) -> Result<(), Invalid> {
        let Some(EncryptionRequest::On { key }) = request else { return Ok(()) };
        let arn = self.sse_arn.as_deref().ok_or(Invalid::NotEncrypted)?;
        let id = arn.rsplit('/').next().unwrap_or_default();
        match key.as_deref() {
            Some(asked) if ![arn, id, KEY_ALIAS].contains(&asked) => {
                Err(Invalid::OtherKey { asked: asked.to_owned(), arn: arn.to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// Finds a table for a data operation.
    pub(crate) fn table(&self, name: &str) -> Result<&Arc<Table>> {
        // Readers and writers don't see a table that is being loaded.
        self.by_name.get(name).filter(|table| !table.is_loading()).ok_or(Error::TableNotFound)
    }

    /// Finds a table for an operation on the table itself.
    pub(crate) fn resource(&self, name: &str) -> Result<&Arc<Table>> {
        self.by_name.get(name).ok_or_else(|| Error::ResourceNotFound(format!("Table: {name} not found")))
    }

    /// Finds a table by its number.
    pub(crate) fn numbered(&self, number: u32) -> Option<&Arc<Table>> {
        self.by_number.get(&number)
    }

    /// How far the expiry thread has looked.
    pub(crate) fn horizon(&self) -> &Horizon {
        &self.horizon
    }

    /// All tables in the order of their names.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.by_name.values()
    }

    /// The catalogue with a table added or replaced.
    pub(crate) fn with(&self, table: Arc<Table>) -> Catalogue {
        let mut next = self.clone();
        next.by_number.insert(table.number, table.clone());
        next.by_name.insert(table.name.clone(), table);
        next
    }

    /// The catalogue without a table.
    pub(crate) fn without(&self, table: &Table) -> Catalogue {
        let mut next = self.clone();
        next.by_number.remove(&table.number);
        next.by_name.remove(&table.name);
        next
    }

    /// Finds a stream by its ARN.
    pub(crate) fn stream(&self, arn: &str) -> Option<&Arc<Stream>> {
        self.streams.get(arn)
    }

    /// All streams in the order of their ARNs.
    pub(crate) fn streams(&self) -> impl Iterator<Item = &Arc<Stream>> {
        self.streams.values()
    }

    /// The stream of a table, if it is on.
    pub(crate) fn open_stream(&self, table: u32) -> Option<&Arc<Stream>> {
        self.open_streams.get(&table)
    }

    /// Whether any stream is on.
    pub(crate) fn has_open_streams(&self) -> bool {
        !self.open_streams.is_empty()
    }

    /// The catalogue with a stream added or replaced.
    pub(crate) fn with_stream(&self, stream: Arc<Stream>) -> Catalogue {
        let mut next = self.clone();
        if stream.ended.is_none() {
            next.open_streams.insert(stream.table, stream.clone());
        } else if next.open_stream(stream.table).is_some_and(|open| open.arn == stream.arn) {
            next.open_streams.remove(&stream.table);
        }
        next.streams.insert(stream.arn.clone(), stream);
        next
    }

    /// The catalogue without a stream.
    pub(crate) fn without_stream(&self, stream: &Stream) -> Catalogue {
        let mut next = self.clone();
        next.streams.remove(&stream.arn);
        next
    }

    /// Whether a stream may still need the changes of a table up to this commit.
    pub(crate) fn stream_needs(&self, table: u32, sequence: u64) -> bool {
        self.streams().any(|stream| stream.table == table && stream.needs(sequence))
    }

    /// The jumps of the clock.
    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// The catalogue with other turns.
    pub(crate) fn with_turns(&self, turns: Turns) -> Catalogue {
        Catalogue { turns: Arc::new(turns), ..self.clone() }
    }

    /// The present, at the given time.
    pub(crate) fn now(&self, now_ms: u64) -> Now {
        Now::new(now_ms, &self.turns)
    }

    /// A page of table names.
    pub(crate) fn list(&self, request: &ListTables) -> ListTablesOutcome {
        let limit = request.limit.unwrap_or(LIST_MAX).clamp(1, LIST_MAX);
        let start = request.start_after.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let mut names = self.by_name.range::<str, _>((start, Bound::Unbounded)).map(|(name, _)| name);
        let page: Vec<String> = names.by_ref().take(limit).cloned().collect();
        let last = names.next().and(page.last().cloned());
        ListTablesOutcome { names: page, last }
    }
}

impl View<Catalogue> {
    /// The tables and streams at this point of the commit order.
    pub(crate) fn catalogue(&self) -> &Arc<Catalogue> {
        self.attachment()
    }
}

impl Batch<'_, Catalogue> {
    /// The tables and streams, including the changes of this job and of the jobs before it.
    pub(crate) fn catalogue(&self) -> &Arc<Catalogue> {
        self.attachment()
    }

    /// Publishes a catalogue together with the changes of the job.
    pub(crate) fn set_catalogue(&mut self, catalogue: Arc<Catalogue>) {
        self.set_attachment(catalogue);
    }
}
