//! Requests about streams.

use singlet_values::EncodedItem;

use super::SequenceNumber;
use super::table::{KeySchema, StreamView};

/// Lists streams, including those that were turned off in the last 24 hours.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListStreams {
    /// Only those of tables with this name.
    pub table: Option<String>,
    /// Start after this ARN, whether or not there is such a stream.
    pub start_after: Option<String>,
    /// At most this many (1 to 100; 100 if not given).
    pub limit: Option<usize>,
}

/// A stream in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamSummary {
    /// Resource name.
    pub arn: String,
    /// The name of its table.
    pub table: String,
    /// The time at which it was turned on, as text. It distinguishes the streams of a table.
    pub label: String,
}

/// A page of streams, in the order of their ARNs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListStreamsOutcome {
    /// The streams.
    pub streams: Vec<StreamSummary>,
    /// Where the next page starts, if there is one.
    pub last: Option<String>,
}

/// Describes a stream and a page of its shards.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DescribeStream {
    /// Resource name.
    pub arn: String,
    /// Only shards after this one, whether or not it exists.
    pub start_after: Option<String>,
    /// At most this many shards (1 to 100; 100 if not given).
    pub limit: Option<usize>,
    /// Only the children of this shard.
    pub children_of: Option<String>,
}

impl DescribeStream {
    /// Describes a stream with its first shards.
    pub fn new(arn: impl Into<String>) -> Self {
        DescribeStream { arn: arn.into(), ..DescribeStream::default() }
    }
}

/// Whether a stream receives records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamStatus {
    /// It receives records.
    Enabled,
    /// It was turned off. It can still be read for 24 hours.
    Disabled,
}

/// A description of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamDescription {
    /// Resource name.
    pub arn: String,
    /// When it was turned on, as text.
    pub label: String,
    /// Status.
    pub status: StreamStatus,
    /// The view of its records.
    pub view: StreamView,
    /// When it was turned on, in milliseconds since 1970.
    pub created_ms: u64,
    /// The name of its table.
    pub table: String,
    /// The key of its table.
    pub key: KeySchema,
    /// Shards, in the order of their ids; parents come before their children.
    pub shards: Vec<ShardDescription>,
    /// The last shard of this page, if there are more.
    pub last: Option<String>,
}

/// A shard of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardDescription {
    /// Its id.
    pub id: String,
    /// The shard that it continues.
    pub parent: Option<String>,
    /// The smallest number that a record of it can have.
    pub first: SequenceNumber,
    /// The largest number that a record of it can have; `None` while it is open.
    pub last: Option<SequenceNumber>,
}

/// Where an iterator begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardStart {
    /// At the oldest record.
    TrimHorizon,
    /// After the newest one.
    Latest,
    /// At this one.
    At(SequenceNumber),
    /// After this one.
    After(SequenceNumber),
}

/// Creates an iterator. It is valid for 15 minutes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GetShardIterator {
    /// The stream.
    pub arn: String,
    /// The shard.
    pub shard: String,
    /// Where to begin.
    pub start: ShardStart,
}

impl GetShardIterator {
    /// Creates a request for an iterator of a shard.
    pub fn new(arn: impl Into<String>, shard: impl Into<String>, start: ShardStart) -> Self {
        GetShardIterator { arn: arn.into(), shard: shard.into(), start }
    }
}

/// Reads records of a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GetRecords {
    /// The iterator.
    pub iterator: String,
    /// At most this many (1 to 1000; 1000 if not given), and never more than 1 MB.
    pub limit: Option<usize>,
}

impl GetRecords {
    /// Reads as many records as one answer can hold.
    pub fn new(iterator: impl Into<String>) -> Self {
        GetRecords { iterator: iterator.into(), limit: None }
    }
}

/// Records of a shard.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GetRecordsOutcome {
    /// The records. They may be empty although there is more to read.
    pub records: Vec<StreamRecord>,
    /// The iterator for the next records; `None` at the end of a closed shard.
    pub next: Option<String>,
}

/// The kind of a change of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// The item was created.
    Insert,
    /// The item was replaced or updated.
    Modify,
    /// The item was deleted.
    Remove,
}

impl ChangeKind {
    /// DynamoDB's name for it.
    pub fn code(self) -> &'static str {
        match self {
            ChangeKind::Insert => "INSERT",
            ChangeKind::Modify => "MODIFY",
            ChangeKind::Remove => "REMOVE",
        }
    }
}

/// One change of one item.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamRecord {
    /// The record's id of 32 hexadecimal digits. It is the same in every read.
    pub event_id: String,
    /// The kind of change.
    pub kind: ChangeKind,
    /// Its position in the order of all changes.
    pub sequence_number: SequenceNumber,
    /// The time of the change, in milliseconds since 1970.
    pub time_ms: u64,
    /// The item's key.
    pub keys: EncodedItem,
    /// The item after the change, if the view has it.
    pub new_image: Option<EncodedItem>,
    /// The item before the change, if the view has it.
    pub old_image: Option<EncodedItem>,
    /// The size of keys and images, as DynamoDB counts it.
    pub size_bytes: usize,
    /// The view of the record.
    pub view: StreamView,
    /// Whether the item was deleted because it expired.
    pub by_expiry: bool,
}
