//! Reading streams through DynamoDB's operations: list, describe, get an iterator, get records.

mod iterator;
mod record;

use std::sync::Arc;

pub(crate) use iterator::Start;

use self::iterator::ShardIterator;
use self::record::record_of;
use crate::catalogue::Catalogue;
use crate::error::{Error, Invalid, Result};
use crate::keyspace::RowSpace;
use crate::request::{
    DescribeStream, GetRecords, GetRecordsOutcome, GetShardIterator, ListStreams, ListStreamsOutcome,
    SequenceNumber, ShardDescription, ShardStart, StreamDescription, StreamRecord, StreamStatus,
    StreamSummary, StreamView,
};
use crate::store::{Logged, Position};
use crate::stream::{HashRange, Shard, ShardId, Stream, is_past_retention};
use crate::turns::Now;
use crate::write::EngineStore;

/// The most streams or shards in a page.
const PAGE_MAX: usize = 100;
/// The most records in an answer.
const RECORDS_MAX: usize = 1000;
/// The most bytes in an answer, by the sizes of the records.
const RECORDS_BYTES_MAX: usize = 1 << 20;
/// The most changes that are read for an answer. A shard with few records among many others is read in several steps,
/// some of them empty.
const CHANGES_MAX: usize = 10_000;

/// Lists streams in the order of their ARNs.
pub(crate) fn list_streams(
    catalogue: &Catalogue,
    request: &ListStreams,
    now_ms: u64,
) -> Result<ListStreamsOutcome> {
    let now = catalogue.now(now_ms);
    let start = request.start_after.as_deref();
    start.map_or(Ok(()), check_arn)?;
    let limit = request.limit.unwrap_or(PAGE_MAX).clamp(1, PAGE_MAX);
    let wanted = |stream: &&Arc<Stream>| {
        !stream.is_expired(&now)
            && start.is_none_or(|start| stream.arn.as_str() > start)
            && request.table.as_ref().is_none_or(|table| *table == stream.table_name)
    };
    let mut found = catalogue.streams().filter(wanted);
    let streams: Vec<StreamSummary> = found
        .by_ref()
        .take(limit)
        .map(|stream| StreamSummary {
            arn: stream.arn.clone(),
            table: stream.table_name.clone(),
            label: stream.label.clone(),
        })
        .collect();
    let last = found.next().and(streams.last().map(|stream| stream.arn.clone()));
    Ok(ListStreamsOutcome { streams, last })
}

/// Describes a stream and a page of its shards.
pub(crate) fn describe_stream(
    catalogue: &Catalogue,
    request: &DescribeStream,
    now_ms: u64,
) -> Result<StreamDescription> {
    let now = catalogue.now(now_ms);
    let stream = find_stream(catalogue, &request.arn, &now)?;
    let limit = request.limit.unwrap_or(PAGE_MAX).clamp(1, PAGE_MAX);
    let parent = request.children_of.as_deref();
    let is_child = |shard: &&Shard| {
        parent.is_none_or(|parent| shard.parent.is_some_and(|own| own.to_string() == parent))
    };
    let start = request.start_after.as_deref().map(|start| (start, start.parse::<ShardId>()));
    let is_after = |shard: &&Shard| match start {
        None => true,
        Some((_, Ok(start))) => shard.id > start,
        // Any string has a place among the ids.
        Some((start, Err(_))) => shard.id.to_string().as_str() > start,
    };
    let mut found = stream.shards(&now).filter(is_after).filter(is_child);
    let shards: Vec<ShardDescription> = found.by_ref().take(limit).map(describe_shard).collect();
    let last = found.next().and(shards.last().map(|shard| shard.id.clone()));
    Ok(StreamDescription {
        arn: stream.arn.clone(),
        label: stream.label.clone(),
        status: if stream.ended.is_some() { StreamStatus::Disabled } else { StreamStatus::Enabled },
        view: stream.view,
        created_ms: stream.created.time_ms,
        table: stream.table_name.clone(),
        key: stream.key.clone(),
        shards,
        last,
    })
}

fn describe_shard(shard: &Shard) -> ShardDescription {
    ShardDescription {
        id: shard.id.to_string(),
        parent: shard.parent.map(|parent| parent.to_string()),
        first: SequenceNumber::first_of(shard.created.sequence),
        last: shard.ended.map(|ended| SequenceNumber::last_before(ended.sequence)),
    }
}

/// Creates an iterator.
pub(crate) fn get_shard_iterator(store: &EngineStore, request: &GetShardIterator) -> Result<String> {
    let view = store.view();
    let now_ms = view.now_ms(store.time());
    let now = view.catalogue().now(now_ms);
    let stream = find_stream(view.catalogue(), &request.arn, &now)?;
    let shard = find_shard(stream, &request.shard, &now)?;
    let from = match request.start {
        ShardStart::TrimHorizon => Start::oldest(),
        ShardStart::Latest => Start::after(Position::end_of(view.sequence())),
        ShardStart::At(number) => {
            check_number(store, stream, shard, number, &now, before(number.position()))?
        }
        ShardStart::After(number) => check_number(store, stream, shard, number, &now, number.position())?,
    };
    let (arn, shard) = (stream.arn.clone(), shard.id);
    Ok(ShardIterator { arn, shard, from, made_ms: now_ms }.to_string())
}

/// Refuses a number that is too old or can't be in the shard.
fn check_number(
    store: &EngineStore,
    stream: &Stream,
    shard: &Shard,
    number: SequenceNumber,
    now: &Now,
    after: Position,
) -> Result<Start> {
    if number.position().sequence < shard.created.sequence {
        return Err(Invalid::SequenceNumber(number.to_string()).into());
    }
    check_not_trimmed(store, stream, after, now)?;
    Ok(Start::after(after))
}

/// Refuses a position if the next change after it is too old.
pub(crate) fn check_not_trimmed(
    store: &EngineStore,
    stream: &Stream,
    after: Position,
    now: &Now,
) -> Result<()> {
    // The log may have changes from before the stream, for other readers.
    let after = after.max(stream_start(stream));
    let next = store.changes_after(stream.table, after).next().transpose()?;
    let is_too_old =
        |next: &Logged| is_past_retention(now.effective_ms(next.position.sequence, next.time_ms), now.ms);
    if after < stream.trimmed || next.as_ref().is_some_and(is_too_old) {
        return Err(Error::Trimmed);
    }
    Ok(())
}

/// The position before the stream's first record.
pub(crate) fn stream_start(stream: &Stream) -> Position {
    Position::end_of(stream.created.sequence.saturating_sub(1))
}

/// The last position before a position.
fn before(position: Position) -> Position {
    match position.place.checked_sub(1) {
        Some(place) => Position { place, ..position },
        None => Position::end_of(position.sequence.saturating_sub(1)),
    }
}

/// Reads records.
pub(crate) fn get_records(store: &EngineStore, request: &GetRecords) -> Result<GetRecordsOutcome> {
    let iterator: ShardIterator = request.iterator.parse()?;
    // The shards of this snapshot are valid only for the commits in it.
    let view = store.view();
    let now_ms = view.now_ms(store.time());
    iterator.check_age(now_ms)?;
    let now = view.catalogue().now(now_ms);
    let stream = find_stream(view.catalogue(), &iterator.arn, &now)?;
    // The shard existed when the iterator was created.
    let shard = stream.shards(&now).find(|shard| shard.id == iterator.shard).ok_or(Error::Trimmed)?;
    let span = Span {
        range: shard.range,
        created: shard.created.sequence,
        ended: shard.ended.map(|ended| ended.sequence),
        durable: view.sequence(),
    };
    let limit = request.limit.unwrap_or(RECORDS_MAX).clamp(1, RECORDS_MAX);
    let page = read_page(store, stream, stream.view, &span, iterator.from, limit, &now)?;
    let next = page.next.map(|from| ShardIterator { from, made_ms: now_ms, ..iterator }.to_string());
    Ok(GetRecordsOutcome { records: page.records, next })
}

/// The range of changes to read.
pub(crate) struct Span {
    pub(crate) range: HashRange,
    /// The first commit.
    pub(crate) created: u64,
    /// The commit before which it ends.
    pub(crate) ended: Option<u64>,
    /// The last commit whose changes may be returned.
    pub(crate) durable: u64,
}

impl Span {
    /// Returns the last commit that can have records now, and whether it is the end for good.
    fn last(&self) -> (u64, bool) {
        match self.ended {
            Some(ended) if ended <= self.durable + 1 => (ended.saturating_sub(1), true),
            _ => (self.durable, false),
        }
    }
}

/// Some records, and the position of the rest; `None` at the end of a closed range.
pub(crate) struct RecordPage {
    pub(crate) records: Vec<StreamRecord>,
    pub(crate) next: Option<Start>,
}

/// Reads a page of records.
pub(crate) fn read_page(
    store: &EngineStore,
    stream: &Stream,
    view: StreamView,
    span: &Span,
    from: Start,
    limit: usize,
    now: &Now,
) -> Result<RecordPage> {
    let start = Position::end_of(span.created.saturating_sub(1));
    if !from.skips_trimmed && from.after < stream.trimmed {
        return Err(Error::Trimmed);
    }
    let after = from.after.max(start).max(stream.trimmed);
    let (last, is_over) = span.last();
    let prefix = RowSpace::items(stream.table).prefix();
    let (mut records, mut bytes) = (Vec::new(), 0);
    let mut next = Start { after, ..from };
    for (looked_at, change) in store.changes_after(stream.table, after).enumerate() {
        let mut change = change?;
        if change.position.sequence > last {
            break;
        }
        if looked_at == CHANGES_MAX || records.len() == limit {
            return Ok(RecordPage { records, next: Some(next) });
        }
        let here = change.position;
        if change.key.starts_with(&prefix) && span.range.contains(&change.key) {
            change.time_ms = now.effective_ms(here.sequence, change.time_ms);
            let is_trimmed = is_past_retention(change.time_ms, now.ms);
            if is_trimmed && !next.skips_trimmed {
                return Err(Error::Trimmed);
            }
            let record = if is_trimmed { None } else { record_of(stream, view, change) };
            let size_bytes = record.as_ref().map_or(0, |record| record.size_bytes);
            if bytes + size_bytes > RECORDS_BYTES_MAX && !records.is_empty() {
                return Ok(RecordPage { records, next: Some(next) });
            }
            bytes += size_bytes;
            next.skips_trimmed &= is_trimmed;
            records.extend(record);
        }
        next.after = here;
    }
    // Nothing is left up to here. A position beyond the end stays, because a caller may have asked for it.
    let next = Start::after(next.after.max(Position::end_of(last)));
    Ok(RecordPage { records, next: (!is_over).then_some(next) })
}

fn find_stream<'c>(catalogue: &'c Catalogue, arn: &str, now: &Now) -> Result<&'c Arc<Stream>> {
    check_arn(arn)?;
    let found = catalogue.stream(arn).filter(|stream| !stream.is_expired(now));
    found.ok_or_else(|| Error::ResourceNotFound(format!("Stream: {arn} not found")))
}

fn find_shard<'s>(stream: &'s Stream, id: &str, now: &'s Now) -> Result<&'s Shard> {
    let id = id.parse().ok();
    let found = stream.shards(now).find(|shard| Some(shard.id) == id);
    found.ok_or_else(|| Error::ResourceNotFound("Shard does not exist".to_owned()))
}

/// Refuses a string that isn't the ARN of a stream.
fn check_arn(arn: &str) -> Result<()> {
    let parts: Vec<&str> = arn.splitn(6, ':').collect();
    let is_stream = match parts.as_slice() {
        ["arn", _, "dynamodb", _, _, resource] => {
            let parts: Vec<&str> = resource.splitn(4, '/').collect();
            matches!(parts.as_slice(), ["table", name, "stream", label] if !name.is_empty() && !label.is_empty())
        }
        _ => false,
    };
    if is_stream { Ok(()) } else { Err(Invalid::StreamArn.into()) }
}
