//! A reader of streams that does as readers should: parents before their children, every shard to its end.

use std::collections::{BTreeMap, BTreeSet};

use singlet_engine::{
    Database, DescribeStream, GetRecords, GetShardIterator, ShardDescription, ShardStart, StreamRecord,
};

/// Follows one stream from its oldest record.
pub(crate) struct Follower {
    arn: String,
    /// Iterators of the shards that are being read.
    reading: BTreeMap<String, String>,
    done: BTreeSet<String>,
    /// Every record with its shard, in the order of reading.
    pub(crate) records: Vec<(String, StreamRecord)>,
}

impl Follower {
    pub(crate) fn new(arn: impl Into<String>) -> Self {
        let arn = arn.into();
        Follower { arn, reading: BTreeMap::new(), done: BTreeSet::new(), records: Vec::new() }
    }

    /// Reads everything that is there now, in pages of `limit` records.
    pub(crate) fn read_on(&mut self, database: &Database, limit: usize) -> usize {
        let before = self.records.len();
        loop {
            let shards = all_shards(database, &self.arn);
            let known: BTreeSet<&String> = shards.iter().map(|shard| &shard.id).collect();
            let mut began = false;
            for shard in &shards {
                let parent = shard.parent.as_ref().filter(|parent| known.contains(parent));
                let is_due = parent.is_none_or(|parent| self.done.contains(parent));
                if is_due && !self.done.contains(&shard.id) && !self.reading.contains_key(&shard.id) {
                    let request = GetShardIterator::new(&self.arn, &shard.id, ShardStart::TrimHorizon);
                    let iterator = database.get_shard_iterator(&request).expect("the shard is there");
                    self.reading.insert(shard.id.clone(), iterator);
                    began = true;
                }
            }
            let found = self.read_shards(database, limit);
            if !began && !found {
                return self.records.len() - before;
            }
        }
    }

    /// Says whether there was anything, or a shard ended.
    fn read_shards(&mut self, database: &Database, limit: usize) -> bool {
        let mut found = false;
        for (shard, iterator) in std::mem::take(&mut self.reading) {
            let request = GetRecords { iterator, limit: Some(limit) };
            let outcome = database.get_records(&request).expect("the iterator is fresh");
            found |= !outcome.records.is_empty() || outcome.next.is_none();
            self.records.extend(outcome.records.into_iter().map(|record| (shard.clone(), record)));
            match outcome.next {
                Some(next) => drop(self.reading.insert(shard, next)),
                None => drop(self.done.insert(shard)),
            }
        }
        found
    }

    /// The records without their shards.
    pub(crate) fn into_records(self) -> Vec<StreamRecord> {
        self.records.into_iter().map(|(_, record)| record).collect()
    }
}

/// Everything that a stream has, parents before children.
pub(crate) fn stream_records(database: &Database, arn: &str) -> Vec<StreamRecord> {
    let mut follower = Follower::new(arn);
    follower.read_on(database, 1000);
    follower.into_records()
}

/// All shards of a stream, read in small pages.
pub(crate) fn all_shards(database: &Database, arn: &str) -> Vec<ShardDescription> {
    let mut shards: Vec<ShardDescription> = Vec::new();
    let mut request = DescribeStream { limit: Some(3), ..DescribeStream::new(arn) };
    loop {
        let page = database.describe_stream(&request).expect("the stream is there");
        shards.extend(page.shards);
        match page.last {
            Some(last) => request.start_after = Some(last),
            None => return shards,
        }
    }
}

/// The ARN of a table's latest stream.
pub(crate) fn stream_arn(database: &Database, table: &str) -> String {
    let table = database.describe_table(table).expect("the table is there");
    table.latest_stream_arn().expect("the table has had a stream")
}
