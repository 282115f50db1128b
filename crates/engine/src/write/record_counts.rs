//! The number of records in each open shard, counted by the writer in memory. A busy shard is split.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::JobBatch;
use crate::keyspace::RowSpace;
use crate::stream::{ShardId, Stream, hash_of};

/// The records of open shards since they began, or since the database was opened.
#[derive(Debug, Default)]
pub(crate) struct RecordCounts {
    streams: HashMap<u32, StreamCounts>,
    /// A shard with more records is busy.
    records_max: u64,
    busy: Arc<AtomicBool>,
}

#[derive(Debug)]
struct StreamCounts {
    /// The stream with the shards below.
    stream: Arc<Stream>,
    /// The open shards, by the last hash of each.
    shards: Vec<ShardCount>,
}

#[derive(Debug)]
struct ShardCount {
    id: ShardId,
    last_hash: u32,
    records: u64,
}

impl RecordCounts {
    /// Creates counts of zero.
    pub(crate) fn new(records_max: u64) -> Self {
        RecordCounts { records_max, ..RecordCounts::default() }
    }

    /// Returns a flag that is set when a shard becomes busy. Any thread may read and clear it.
    pub(crate) fn busy(&self) -> Arc<AtomicBool> {
        self.busy.clone()
    }

    /// Counts the records of a job.
    pub(crate) fn count(&mut self, batch: &JobBatch<'_>) {
        let catalogue = batch.catalogue();
        if !catalogue.has_open_streams() {
            return;
        }
        for key in batch.recorded() {
            let Some(space) = RowSpace::from_prefix(key) else { continue };
            let Some(stream) = catalogue.open_stream(space.table_number()) else { continue };
            self.count_one(stream, key);
        }
    }

    fn count_one(&mut self, stream: &Arc<Stream>, key: &[u8]) {
        let counts = self.streams.entry(stream.table).or_insert_with(|| StreamCounts::new(stream, &[]));
        if !Arc::ptr_eq(&counts.stream, stream) {
            *counts = StreamCounts::new(stream, &counts.shards);
        }
        let Some(hash) = hash_of(key) else { return };
        let at = counts.shards.partition_point(|shard| shard.last_hash < hash);
        let Some(shard) = counts.shards.get_mut(at) else { return };
        shard.records += 1;
        if shard.records > self.records_max {
            self.busy.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a shard of a stream is busy.
    pub(crate) fn is_busy(&self, stream: &Stream, id: ShardId) -> bool {
        let shards = self.streams.get(&stream.table).map_or(&[][..], |counts| counts.shards.as_slice());
        shards.iter().any(|shard| shard.id == id && shard.records > self.records_max)
    }

    /// Removes streams that are no longer open.
    pub(crate) fn keep_only(&mut self, is_open: impl Fn(u32) -> bool) {
        self.streams.retain(|table, _| is_open(*table));
    }
}

impl StreamCounts {
    fn new(stream: &Arc<Stream>, counted: &[ShardCount]) -> Self {
        let records = |id| counted.iter().find(|shard| shard.id == id).map_or(0, |shard| shard.records);
        let shards = stream.open_shards();
        let shards = shards.map(|shard| ShardCount {
            id: shard.id,
            last_hash: shard.range.last,
            records: records(shard.id),
        });
        let mut shards: Vec<ShardCount> = shards.collect();
        shards.sort_by_key(|shard| shard.last_hash);
        StreamCounts { stream: stream.clone(), shards }
    }
}
