//! Streams in the commit order of the changes that they contain: beginning, rolling over and ending.

use std::sync::Arc;

use super::{JobBatch, Progress, RecordCounts};
use crate::error::{Result, SchemaError};
use crate::moment::Moment;
use crate::options::StreamOptions;
use crate::request::{StreamChange, StreamView};
use crate::stream::{Due, Shard, Stream, Trim, arn_of, label_of, write_stream};
use crate::table::{StreamSetting, Table};

/// The most streams that one job changes. Other jobs wait meanwhile.
const STREAMS_PER_STEP: usize = 32;

/// Turns the stream of a table on or off. The caller stores the table.
pub(super) fn change_stream(
    batch: &mut JobBatch<'_>,
    table: &mut Table,
    change: StreamChange,
    options: &StreamOptions,
) -> Result<()> {
    match change {
        StreamChange::Enable(_) if table.settings.stream.is_some() => {
            Err(SchemaError::StreamEnabled(table.name.clone()).into())
        }
        StreamChange::Enable(view) => {
            begin_stream(batch, table, view, options);
            Ok(())
        }
        StreamChange::Disable if table.settings.stream.is_none() => {
            Err(SchemaError::NoStream(table.name.clone()).into())
        }
        StreamChange::Disable => {
            end_stream(batch, table.number);
            table.settings.stream = None;
            Ok(())
        }
    }
}

/// Begins a stream of a table.
pub(super) fn begin_stream(
    batch: &mut JobBatch<'_>,
    table: &mut Table,
    view: StreamView,
    options: &StreamOptions,
) {
    let at = now(batch);
    let catalogue = batch.catalogue();
    // A label is never used twice, even if this table or an earlier one with its name just had a stream.
    let mut labels = (at.time_ms..).map(label_of);
    let is_free = |label: &String| catalogue.stream(&arn_of(&table.arn, label)).is_none();
    let label = labels.find(is_free).unwrap_or_default();
    table.settings.stream = Some(StreamSetting { view, label: label.clone() });
    table.settings.latest_stream_label = Some(label.clone());
    store_stream(batch, None, Stream::begin(table, label, view, at, options.shards));
}

/// Ends the stream of a table, if it has one.
pub(super) fn end_stream(batch: &mut JobBatch<'_>, table: u32) {
    let at = now(batch);
    if let Some(stream) = batch.catalogue().open_stream(table).cloned() {
        store_stream(batch, Some(&stream), stream.end(at));
    }
}

/// Rolls shards over, splits them and removes old ones, for a bounded number of streams at a time.
pub(super) fn maintain_streams(
    batch: &mut JobBatch<'_>,
    trims: &[Trim],
    may_delete: bool,
    counts: &mut RecordCounts,
    options: &StreamOptions,
) -> Result<Progress> {
    let catalogue = batch.catalogue().clone();
    counts.keep_only(|table| catalogue.open_stream(table).is_some());
    let mut changed = 0;
    for stream in catalogue.streams() {
        if changed == STREAMS_PER_STEP {
            return Ok(Progress::More);
        }
        changed += usize::from(tend_stream(batch, stream, trims, may_delete, counts, options));
    }
    Ok(Progress::Done)
}

/// Returns whether the stream was changed.
fn tend_stream(
    batch: &mut JobBatch<'_>,
    stream: &Arc<Stream>,
    trims: &[Trim],
    may_delete: bool,
    counts: &RecordCounts,
    options: &StreamOptions,
) -> bool {
    let at = now(batch);
    let present = batch.catalogue().now(at.time_ms);
    if may_delete && stream.is_expired(&present) {
        write_stream(batch, Some(stream), None);
        let catalogue = batch.catalogue().without_stream(stream);
        batch.set_catalogue(Arc::new(catalogue));
        return true;
    }
    let trim = trims.iter().find(|trim| trim.arn == stream.arn);
    let trimmed = trim.and_then(|trim| stream.trim(trim));
    let known = trimmed.as_ref().unwrap_or(stream);
    let mut room = (options.open_shards_max as usize).saturating_sub(known.open_shards().count());
    let due = |shard: &Shard| {
        if room > 0 && counts.is_busy(known, shard.id) {
            room -= 1;
            Due::Split
        } else if options.is_full_term(shard.created.effective_ms(&present), at.time_ms) {
            Due::Roll
        } else {
            Due::No
        }
    };
    match known.roll(at, due).or(trimmed.clone()) {
        Some(next) => {
            store_stream(batch, Some(stream), next);
            true
        }
        None => false,
    }
}

fn now(batch: &JobBatch<'_>) -> Moment {
    Moment { sequence: batch.sequence(), time_ms: batch.time_ms() }
}

fn store_stream(batch: &mut JobBatch<'_>, before: Option<&Stream>, after: Stream) {
    write_stream(batch, before, Some(&after));
    let catalogue = batch.catalogue().with_stream(Arc::new(after));
    batch.set_catalogue(Arc::new(catalogue));
}
