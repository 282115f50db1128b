//! Shard iterators with a right checksum.

use std::sync::LazyLock;

use singlet_engine::{
    Database, DescribeStream, Error, GetRecords, GetShardIterator, ListStreams, ShardStart, StreamRecord,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::fixture::{Folder, opened};

struct Streamed {
    database: Database,
    arn: String,
    records: Vec<StreamRecord>,
}

static STREAM: LazyLock<Streamed> = LazyLock::new(|| {
    let database = opened(Folder::Closed).0;
    let arn = database.list_streams(&ListStreams::default()).unwrap().streams[0].arn.clone();
    let stream = database.describe_stream(&DescribeStream::new(&arn)).unwrap();
    let mut records = Vec::new();
    for shard in stream.shards {
        let request = GetShardIterator::new(&arn, &shard.id, ShardStart::TrimHorizon);
        let mut next = database.get_shard_iterator(&request).ok();
        while let Some(iterator) = next {
            let page = database.get_records(&GetRecords::new(iterator)).unwrap();
            next = page.next.filter(|_| !page.records.is_empty());
            records.extend(page.records);
        }
    }
    Streamed { database, arn, records }
});

/// The text of an iterator without its checksum; `$` stands for the stream.
pub(super) fn run(rest: &[u8]) {
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let stream = &*STREAM;
    assert!(!stream.records.is_empty());
    let text = text.replace('$', &stream.arn);
    let iterator = format!("{text}|{:016x}", xxh3_64(text.as_bytes()));
    for iterator in [iterator, text] {
        match stream.database.get_records(&GetRecords { iterator, limit: Some(3) }) {
            Ok(page) => {
                assert!(page.records.len() <= 3);
                assert!(page.records.iter().all(|record| stream.records.contains(record)));
            }
            Err(Error::Invalid(_) | Error::ResourceNotFound(_) | Error::IteratorExpired | Error::Trimmed) => {
            }
            Err(error) => panic!("{error}"),
        }
    }
}
