//! Streams: every change once, in order, in the right shard, for 24 hours.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use singlet_engine::values::{AttributeValue, EncodedItem, Item};
use singlet_engine::{
    BatchWrite, BatchWriteAction, ChangeKind, CreateTable, Database, DeleteItem, DescribeStream, Error,
    GetRecords, GetShardIterator, Invalid, ListStreams, ManualClock, MemoryDisk, Options, PutItem,
    ScalarType, SequenceNumber, ShardStart, StreamChange, StreamOptions, StreamRecord, StreamStatus,
    StreamView, Subscribe, TransactWrite, UpdateItem, UpdateRecovery, UpdateTable,
};
use support::{
    ControlledDisk, Follower, Random, START_MS, all_shards, condition, decode, item, options_with_clock,
    small_options, stream_arn, stream_records, update,
};

const TABLE: &str = "watched";
const HOUR_MS: u64 = 60 * 60 * 1000;
const DAY_MS: u64 = 24 * HOUR_MS;

fn table() -> CreateTable {
    CreateTable::new(TABLE, "id", ScalarType::S).stream(StreamView::NewAndOldImages)
}

/// A database with a clock of its own and a table with a stream.
fn watched() -> (Database, Arc<ManualClock>, String) {
    let (options, clock) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    database.create_table(table()).unwrap();
    let arn = stream_arn(&database, TABLE);
    (database, clock, arn)
}

fn put(database: &Database, id: &str, n: i64) {
    database.put_item(PutItem::new(TABLE, item! { "id" => id, "n" => n })).unwrap();
}

fn delete(database: &Database, id: &str) {
    database.delete_item(DeleteItem::new(TABLE, item! { "id" => id })).unwrap();
}

fn add_one(database: &Database, id: &str) {
    let add = update("ADD n :one", item! { ":one" => 1 });
    database.update_item(UpdateItem::new(TABLE, item! { "id" => id }, add)).unwrap();
}

fn image(image: &Option<EncodedItem>) -> Option<Item> {
    image.as_ref().map(decode)
}

fn text(item: &Item, name: &str) -> String {
    match item.get(name) {
        Some(AttributeValue::S(text)) => text.clone(),
        other => panic!("{name} is {other:?}"),
    }
}

fn number(item: &Item, name: &str) -> i64 {
    match item.get(name) {
        Some(AttributeValue::N(number)) => number.to_i64().unwrap(),
        other => panic!("{name} is {other:?}"),
    }
}

fn n_of(record: &StreamRecord) -> i64 {
    number(&image(&record.new_image).unwrap(), "n")
}

fn ids(records: &[StreamRecord]) -> Vec<String> {
    records.iter().map(|record| text(&decode(&record.keys), "id")).collect()
}

fn is_missing(result: Result<impl std::fmt::Debug, Error>) -> bool {
    matches!(result, Err(Error::ResourceNotFound(_)))
}

#[test]
fn a_record_tells_what_happened_to_an_item() {
    let (database, clock, arn) = watched();
    put(&database, "a", 1);
    clock.advance_ms(1_500);
    put(&database, "a", 2);
    delete(&database, "a");
    let records = stream_records(&database, &arn);
    let told: Vec<_> =
        records.iter().map(|r| (r.kind, image(&r.old_image), image(&r.new_image), r.time_ms)).collect();
    let version = |n: i64| Some(item! { "id" => "a", "n" => n });
    assert_eq!(
        told,
        [
            (ChangeKind::Insert, None, version(1), START_MS),
            (ChangeKind::Modify, version(1), version(2), START_MS + 1_500),
            (ChangeKind::Remove, version(2), None, START_MS + 1_500),
        ]
    );
    // id a: 3 bytes; n: 3 bytes. Keys and one image, keys and both, keys and one.
    assert_eq!(records.iter().map(|r| r.size_bytes).collect::<Vec<_>>(), [9, 15, 9]);
    assert!(records.is_sorted_by_key(|record| record.sequence_number));
    for record in &records {
        assert_eq!(decode(&record.keys), item! { "id" => "a" });
        assert_eq!(record.sequence_number.to_string().len(), 21);
        assert!(record.event_id.len() == 32 && record.event_id.bytes().all(|b| b.is_ascii_hexdigit()));
        assert!(!record.by_expiry);
    }
    assert_eq!(stream_records(&database, &arn), records, "a record is the same whenever it is read");
}

#[test]
fn a_view_carries_what_it_says() {
    for view in StreamView::ALL.iter().copied() {
        let database = Database::in_memory().unwrap();
        database.create_table(CreateTable { stream: Some(view), ..table() }).unwrap();
        put(&database, "a", 1);
        put(&database, "a", 2);
        delete(&database, "a");
        let records = stream_records(&database, &stream_arn(&database, TABLE));
        let has: Vec<(bool, bool)> =
            records.iter().map(|r| (r.old_image.is_some(), r.new_image.is_some())).collect();
        let (old, new) = match view {
            StreamView::KeysOnly => (false, false),
            StreamView::NewImage => (false, true),
            StreamView::OldImage => (true, false),
            StreamView::NewAndOldImages => (true, true),
        };
        assert_eq!(has, [(false, new), (old, new), (old, false)], "{view:?}");
        assert!(records.iter().all(|record| record.view == view));
    }
}

#[test]
fn a_write_that_changes_nothing_leaves_no_record() {
    let (database, _, arn) = watched();
    put(&database, "a", 1);
    put(&database, "a", 1);
    delete(&database, "b");
    let request = PutItem::new(TABLE, item! { "id" => "a", "n" => 7 });
    let never = condition("attribute_not_exists(id)", Item::new());
    assert!(database.put_item(PutItem { condition: Some(never), ..request }).is_err());
    let same = update("SET n = :n", item! { ":n" => 1 });
    database.update_item(UpdateItem::new(TABLE, item! { "id" => "a" }, same)).unwrap();
    assert_eq!(stream_records(&database, &arn).len(), 1);
}

#[test]
fn the_writes_of_a_transaction_are_records_of_their_own() {
    let (database, _, arn) = watched();
    let puts = (0..5).map(|n| PutItem::new(TABLE, item! { "id" => format!("{n}"), "n" => n }).into());
    database.transact_write(TransactWrite::new(puts.collect())).unwrap();
    let mut records = stream_records(&database, &arn);
    records.sort_by_key(|record| record.sequence_number);
    assert_eq!(ids(&records), ["0", "1", "2", "3", "4"]);
    let mut numbers: Vec<SequenceNumber> = records.iter().map(|record| record.sequence_number).collect();
    numbers.dedup();
    assert_eq!(numbers.len(), 5);
}

/// Options under which shards are rolled over and split all the time.
fn restless() -> (Options, Arc<ManualClock>) {
    let (options, clock) = options_with_clock();
    let streams =
        StreamOptions { shards: 3, shard_life_ms: 1_000, shard_records_max: 40, open_shards_max: 12 };
    (Options { streams, ..options }, clock)
}

const WRITERS: usize = 4;
const ITEMS: u64 = 24;
const WRITES: usize = 400;

/// Adds one to random items; all writers share them.
fn write_some(database: &Database, seed: u64) {
    let mut random = Random::new(seed);
    for _ in 0..WRITES {
        add_one(database, &format!("item {}", random.below(ITEMS)));
    }
}

/// Each item's counter went 1, 2, 3… in the order of the records, and none was left out.
fn assert_each_once_in_order(records: &[StreamRecord], writes: usize) {
    let mut last: BTreeMap<String, i64> = BTreeMap::new();
    for record in records {
        let id = text(&decode(&record.keys), "id");
        let before = last.insert(id.clone(), n_of(record)).unwrap_or(0);
        assert_eq!(n_of(record), before + 1, "{id}");
        let old = image(&record.old_image).map_or(0, |old| number(&old, "n"));
        assert_eq!(old, before, "{id}");
    }
    assert_eq!(records.len(), writes);
}

#[test]
fn every_change_is_read_once_and_in_order_over_rolls_and_splits_while_four_write() {
    let (options, clock) = restless();
    let database = Database::in_memory_with(options).unwrap();
    database.create_table(table()).unwrap();
    let arn = stream_arn(&database, TABLE);
    let seed = Random::seed();
    println!("seed {seed}");
    let running = AtomicUsize::new(WRITERS);
    let follower = thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (database, running) = (&database, &running);
            scope.spawn(move || {
                write_some(database, seed.wrapping_add(writer as u64));
                running.fetch_sub(1, Ordering::Release);
            });
        }
        scope.spawn(|| {
            while running.load(Ordering::Acquire) > 0 {
                clock.advance_ms(10);
                database.maintain_streams().unwrap();
                thread::park_timeout(std::time::Duration::from_millis(1));
            }
        });
        let mut follower = Follower::new(&arn);
        while running.load(Ordering::Acquire) > 0 {
            follower.read_on(&database, 7);
        }
        follower.read_on(&database, 1000);
        follower
    });
    let shards = all_shards(&database, &arn);
    assert!(shards.len() > 20, "{} shards", shards.len());
    let open = shards.iter().filter(|shard| shard.last.is_none()).count();
    assert!((4..=12).contains(&open), "{open} shards are open, some of them after splits");
    for (id, record) in &follower.records {
        let shard = shards.iter().find(|shard| shard.id == *id).unwrap();
        assert!(shard.first <= record.sequence_number);
        assert!(shard.last.is_none_or(|last| record.sequence_number <= last));
    }
    assert_each_once_in_order(&follower.into_records(), WRITERS * WRITES);
    // Later readers get the same records.
    assert_each_once_in_order(&stream_records(&database, &arn), WRITERS * WRITES);
}

#[test]
fn shards_are_rolled_over_by_the_clock_and_name_their_parents() {
    let (database, clock, arn) = watched();
    assert_eq!(all_shards(&database, &arn).len(), 4);
    clock.advance_ms(4 * HOUR_MS - 1);
    database.maintain_streams().unwrap();
    assert_eq!(all_shards(&database, &arn).len(), 4);
    clock.advance_ms(1);
    database.maintain_streams().unwrap();
    let shards = all_shards(&database, &arn);
    assert_eq!(shards.len(), 8);
    let (closed, open) = shards.split_at(4);
    for (parent, child) in closed.iter().zip(open) {
        assert!(parent.parent.is_none() && parent.last.is_some() && child.last.is_none());
        assert!((28..=65).contains(&child.id.len()));
        let parent = closed.iter().find(|shard| child.parent.as_ref() == Some(&shard.id)).unwrap();
        assert!(parent.last.unwrap() < child.first && parent.id < child.id);
        let children = DescribeStream { children_of: Some(parent.id.clone()), ..DescribeStream::new(&arn) };
        let children = database.describe_stream(&children).unwrap().shards;
        assert_eq!(children.as_slice(), std::slice::from_ref(child));
    }
}

#[test]
fn the_background_rolls_over_by_itself() {
    let (database, clock, arn) = watched();
    clock.advance_ms(5 * HOUR_MS);
    for _ in 0..100 {
        if all_shards(&database, &arn).len() == 8 {
            return;
        }
        thread::park_timeout(std::time::Duration::from_millis(100));
    }
    panic!("nothing was rolled over");
}

#[test]
fn a_busy_shard_is_split_and_a_quiet_one_is_not() {
    let (options, _) = options_with_clock();
    let streams = StreamOptions { shards: 2, shard_records_max: 10, open_shards_max: 3, ..options.streams };
    let database = Database::in_memory_with(Options { streams, ..options }).unwrap();
    database.create_table(table()).unwrap();
    let arn = stream_arn(&database, TABLE);
    for n in 0..11 {
        put(&database, "always the same", n);
    }
    database.maintain_streams().unwrap();
    let shards = all_shards(&database, &arn);
    assert_eq!(shards.len(), 4);
    let closed: Vec<_> = shards.iter().filter(|shard| shard.last.is_some()).collect();
    assert_eq!(closed.len(), 1);
    let children = shards.iter().filter(|shard| shard.parent.as_ref() == Some(&closed[0].id)).count();
    assert_eq!(children, 2);
    // Three are open: there is no room for more.
    for n in 0..30 {
        put(&database, "always the same", n);
    }
    database.maintain_streams().unwrap();
    assert_eq!(all_shards(&database, &arn).len(), 4);
    assert_eq!(stream_records(&database, &arn).len(), 41);
}

#[test]
fn a_stream_is_turned_on_and_off_and_on_again() {
    let (options, clock) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    database.create_table(CreateTable::new(TABLE, "id", ScalarType::S)).unwrap();
    let change = |change| database.update_table(UpdateTable::new(TABLE).stream(change));
    put(&database, "unseen", 1);
    let refused = change(StreamChange::Disable).unwrap_err();
    assert_eq!(refused.to_string(), "Table has no stream to disable: TableName: watched");

    let on = change(StreamChange::Enable(StreamView::NewImage)).unwrap();
    assert_eq!(
        (on.stream, on.latest_stream_label.as_deref()),
        (Some(StreamView::NewImage), Some("2023-11-14T22:13:20.000"))
    );
    let refused = change(StreamChange::Enable(StreamView::NewImage)).unwrap_err();
    assert_eq!(refused.to_string(), "Table already has an enabled stream: TableName: watched");
    let first = stream_arn(&database, TABLE);
    assert_eq!(first, format!("{}/stream/2023-11-14T22:13:20.000", on.arn));
    put(&database, "first", 1);

    let off = change(StreamChange::Disable).unwrap();
    assert_eq!((off.stream, off.latest_stream_label), (None, on.latest_stream_label));
    put(&database, "unseen", 2);
    // Within the same millisecond.
    change(StreamChange::Enable(StreamView::KeysOnly)).unwrap();
    let second = stream_arn(&database, TABLE);
    assert_eq!(second, format!("{}/stream/2023-11-14T22:13:20.001", on.arn));
    put(&database, "second", 1);

    assert_eq!(ids(&stream_records(&database, &first)), ["first"]);
    assert_eq!(ids(&stream_records(&database, &second)), ["second"]);
    let status = |arn: &str| database.describe_stream(&DescribeStream::new(arn)).unwrap().status;
    assert_eq!((status(&first), status(&second)), (StreamStatus::Disabled, StreamStatus::Enabled));
    assert!(all_shards(&database, &first).iter().all(|shard| shard.last.is_some()));

    clock.advance_ms(DAY_MS);
    assert_eq!(ids(&stream_records(&database, &first)), ["first"]);
    clock.advance_ms(1);
    for _ in 0..2 {
        assert!(is_missing(database.describe_stream(&DescribeStream::new(&first))));
        let listed = database.list_streams(&ListStreams::default()).unwrap().streams;
        assert_eq!(listed.iter().map(|stream| &stream.arn).collect::<Vec<_>>(), [&second]);
        database.maintain_streams().unwrap();
    }
}

#[test]
fn the_stream_of_a_deleted_table_is_readable_for_a_day_and_apart_from_its_successor() {
    let (database, clock, first) = watched();
    put(&database, "old", 1);
    database.delete_table(TABLE).unwrap();
    database.create_table(table()).unwrap();
    let second = stream_arn(&database, TABLE);
    assert_ne!(first, second);
    put(&database, "new", 1);
    assert_eq!(ids(&stream_records(&database, &first)), ["old"]);
    assert_eq!(ids(&stream_records(&database, &second)), ["new"]);
    let of_table = ListStreams { table: Some(TABLE.to_owned()), ..ListStreams::default() };
    assert_eq!(database.list_streams(&of_table).unwrap().streams.len(), 2);
    clock.advance_ms(DAY_MS + 1);
    database.maintain_streams().unwrap();
    assert!(is_missing(database.describe_stream(&DescribeStream::new(&first))));
    assert_eq!(database.list_streams(&of_table).unwrap().streams.len(), 1);
}

#[test]
fn streams_are_listed_in_pages() {
    let database = Database::in_memory().unwrap();
    for name in ["ccc", "aaa", "bbb", "none"] {
        let table = CreateTable::new(name, "id", ScalarType::S);
        let table = if name == "none" { table } else { table.stream(StreamView::KeysOnly) };
        database.create_table(table).unwrap();
    }
    let mut names = Vec::new();
    let mut request = ListStreams { limit: Some(2), ..ListStreams::default() };
    loop {
        let page = database.list_streams(&request).unwrap();
        assert!(page.streams.len() <= 2);
        names.extend(page.streams.into_iter().map(|stream| stream.table));
        match page.last {
            Some(last) => request.start_after = Some(last),
            None => break,
        }
    }
    assert_eq!(names, ["aaa", "bbb", "ccc"]);
    let none = ListStreams { table: Some("none".to_owned()), ..ListStreams::default() };
    assert_eq!(database.list_streams(&none).unwrap().streams, []);
    let wrong = ListStreams { start_after: Some("x".repeat(40)), ..ListStreams::default() };
    assert!(matches!(database.list_streams(&wrong), Err(Error::Invalid(Invalid::StreamArn))));
}

/// The shard that has an item, and the item's records.
fn shard_of(database: &Database, arn: &str, id: &str) -> (String, Vec<StreamRecord>) {
    let mut follower = Follower::new(arn);
    follower.read_on(database, 1000);
    let mut records =
        follower.records.into_iter().filter(|(_, r)| text(&decode(&r.keys), "id") == id).peekable();
    let shard = records.peek().unwrap().0.clone();
    (shard, records.map(|(_, record)| record).collect())
}

/// The values of `n` that an iterator gives at once.
fn read(database: &Database, iterator: &str) -> Vec<i64> {
    database.get_records(&GetRecords::new(iterator)).unwrap().records.iter().map(n_of).collect()
}

#[test]
fn an_iterator_begins_where_it_was_asked_to() {
    let (database, _, arn) = watched();
    for n in 1..=5 {
        put(&database, "a", n);
    }
    let (shard, records) = shard_of(&database, &arn, "a");
    let iterator = |start| database.get_shard_iterator(&GetShardIterator::new(&arn, &shard, start)).unwrap();
    let latest = iterator(ShardStart::Latest);
    assert_eq!(read(&database, &iterator(ShardStart::TrimHorizon)), [1, 2, 3, 4, 5]);
    assert_eq!(read(&database, &iterator(ShardStart::At(records[2].sequence_number))), [3, 4, 5]);
    assert_eq!(read(&database, &iterator(ShardStart::After(records[2].sequence_number))), [4, 5]);
    assert_eq!(read(&database, &latest), []);
    put(&database, "a", 6);
    assert_eq!(read(&database, &latest), [6], "an iterator can be used again");
    let first = all_shards(&database, &arn).into_iter().find(|s| s.id == shard).unwrap().first;
    assert_eq!(read(&database, &iterator(ShardStart::At(first))), [1, 2, 3, 4, 5, 6]);
    assert_eq!(read(&database, &iterator(ShardStart::After(first))), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_page_has_no_more_than_it_may() {
    let (database, _, arn) = watched();
    for n in 0..7 {
        let item = item! { "id" => "a", "n" => n, "body" => "x".repeat(140_000) };
        database.put_item(PutItem::new(TABLE, item)).unwrap();
    }
    let (shard, _) = shard_of(&database, &arn, "a");
    let start = GetShardIterator::new(&arn, &shard, ShardStart::TrimHorizon);
    let pages = |limit| {
        let mut iterator = database.get_shard_iterator(&start).unwrap();
        let mut pages = Vec::new();
        loop {
            let page = database.get_records(&GetRecords { iterator, limit }).unwrap();
            if page.records.is_empty() {
                return pages;
            }
            pages.push(page.records.iter().map(n_of).collect::<Vec<_>>());
            iterator = page.next.expect("the shard is open");
        }
    };
    // One image, then two in each record: a page ends before it passes a megabyte.
    assert_eq!(pages(None), [vec![0, 1, 2, 3], vec![4, 5, 6]]);
    assert_eq!(pages(Some(5)), [vec![0, 1, 2, 3], vec![4, 5, 6]]);
    assert_eq!(pages(Some(3)), [vec![0, 1, 2], vec![3, 4, 5], vec![6]]);
}

#[test]
fn a_shard_with_few_records_among_many_is_read_in_steps() {
    let (options, _) = options_with_clock();
    let streams = StreamOptions { shards: 64, ..options.streams };
    let database = Database::in_memory_with(Options { streams, ..options }).unwrap();
    database.create_table(table()).unwrap();
    let arn = stream_arn(&database, TABLE);
    put(&database, "a", 1);
    for batch in 0..440 {
        let put = |n| BatchWriteAction::Put {
            table: TABLE.to_owned(),
            item: item! { "id" => format!("{batch}/{n}"), "n" => n },
        };
        database.batch_write(BatchWrite::new((0..25).map(put).collect())).unwrap();
    }
    put(&database, "a", 2);
    let (shard, records) = shard_of(&database, &arn, "a");
    assert_eq!(records.iter().map(n_of).collect::<Vec<_>>(), [1, 2]);
    let after = ShardStart::After(records[0].sequence_number);
    let mut iterator = database.get_shard_iterator(&GetShardIterator::new(&arn, &shard, after)).unwrap();
    let mut pages = 0;
    loop {
        let page = database.get_records(&GetRecords::new(&iterator)).unwrap();
        pages += 1;
        if ids(&page.records).contains(&"a".to_owned()) {
            break;
        }
        iterator = page.next.expect("the shard is open");
    }
    assert_eq!(pages, 2);
}

#[test]
fn an_iterator_is_good_for_fifteen_minutes() {
    let (database, clock, arn) = watched();
    let shard = &all_shards(&database, &arn)[0].id;
    let request = GetShardIterator::new(&arn, shard, ShardStart::TrimHorizon);
    let iterator = database.get_shard_iterator(&request).unwrap();
    clock.advance_ms(15 * 60 * 1000);
    let next = database.get_records(&GetRecords::new(&iterator)).unwrap().next.unwrap();
    clock.advance_ms(1);
    let expired = database.get_records(&GetRecords::new(&iterator));
    assert!(matches!(expired, Err(Error::IteratorExpired)), "{expired:?}");
    assert!(database.get_records(&GetRecords::new(&next)).is_ok(), "each answer brings a fresh one");
}

#[test]
fn what_names_nothing_is_refused() {
    let (database, _, arn) = watched();
    let shard = all_shards(&database, &arn)[0].clone();
    let start = |arn: &str, shard: &str, start| {
        database.get_shard_iterator(&GetShardIterator::new(arn, shard, start))
    };
    let other = arn.replace("watched", "nobody");
    assert!(is_missing(database.describe_stream(&DescribeStream::new(&other))));
    assert!(is_missing(start(&other, &shard.id, ShardStart::Latest)));
    for unknown in ["shardId-00000001700000000000-ffffffff", "", "x", "shardId-00000000000000000000-00000000"]
    {
        let missing = start(&arn, unknown, ShardStart::Latest).unwrap_err();
        assert_eq!(missing.to_string(), "Requested resource not found: Shard does not exist");
    }
    for wrong in ["", "x", "arn:aws:dynamodb:us-east-1:000000000000:table/watched", "arn:aws:s3:::a"] {
        let refused = database.describe_stream(&DescribeStream::new(wrong));
        assert!(matches!(refused, Err(Error::Invalid(Invalid::StreamArn))), "{wrong}");
    }
    let iterator = start(&arn, &shard.id, ShardStart::TrimHorizon).unwrap();
    for cut in 0..iterator.len() {
        let refused = database.get_records(&GetRecords::new(&iterator[..cut]));
        assert!(matches!(refused, Err(Error::Invalid(Invalid::ShardIterator))), "{refused:?}");
    }
    let changed = iterator.replace("watched", "matched");
    let refused = database.get_records(&GetRecords::new(changed));
    assert!(matches!(refused, Err(Error::Invalid(Invalid::ShardIterator))), "{refused:?}");
    let too_small: SequenceNumber = "100000000000000000000".parse().unwrap();
    let refused = start(&arn, &shard.id, ShardStart::At(too_small));
    assert!(matches!(refused, Err(Error::Invalid(Invalid::SequenceNumber(_)))), "{refused:?}");
    // Beyond the end there is nothing, yet.
    let far: SequenceNumber = "100000000000009999999".parse().unwrap();
    let iterator = start(&arn, &shard.id, ShardStart::After(far)).unwrap();
    let page = database.get_records(&GetRecords::new(iterator)).unwrap();
    assert!(page.records.is_empty() && page.next.is_some());
}

#[test]
fn what_is_older_than_a_day_is_trimmed() {
    let (database, clock, arn) = watched();
    put(&database, "a", 1);
    clock.advance_ms(HOUR_MS);
    put(&database, "a", 2);
    let (shard, records) = shard_of(&database, &arn, "a");
    let start = |start| database.get_shard_iterator(&GetShardIterator::new(&arn, &shard, start));
    let (first, second) = (records[0].sequence_number, records[1].sequence_number);

    clock.set_ms(START_MS + DAY_MS);
    let (oldest, at_first) = (start(ShardStart::TrimHorizon).unwrap(), start(ShardStart::At(first)).unwrap());
    assert_eq!(read(&database, &oldest), [1, 2]);
    clock.advance_ms(1);
    assert_eq!(read(&database, &oldest), [2], "the oldest that there is");
    let trimmed = database.get_records(&GetRecords::new(&at_first));
    assert!(matches!(trimmed, Err(Error::Trimmed)), "{trimmed:?}");
    assert!(matches!(start(ShardStart::At(first)), Err(Error::Trimmed)));
    assert_eq!(read(&database, &start(ShardStart::After(first)).unwrap()), [2]);
    assert_eq!(read(&database, &start(ShardStart::At(second)).unwrap()), [2]);

    // The shard is closed, late. A day after that it goes; its child stays.
    database.maintain_streams().unwrap();
    assert_eq!(all_shards(&database, &arn).len(), 8);
    clock.advance_ms(HOUR_MS);
    assert!(matches!(start(ShardStart::After(first)), Err(Error::Trimmed)));
    assert_eq!(read(&database, &start(ShardStart::After(second)).unwrap()), []);
    clock.advance_ms(DAY_MS);
    assert!(is_missing(start(ShardStart::TrimHorizon)));
    database.maintain_streams().unwrap();
    assert!(all_shards(&database, &arn).iter().all(|child| child.id != shard && child.parent.is_some()));
    assert_eq!(stream_records(&database, &arn), []);
}

#[test]
fn a_restart_changes_nothing_for_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let (options, clock) = restless();
    let open = || Database::open_with(folder.path(), options.clone()).unwrap();
    let database = open();
    database.create_table(table()).unwrap();
    let arn = stream_arn(&database, TABLE);
    let mut follower = Follower::new(&arn);
    let mut database = Some(database);
    for round in 0..6u64 {
        let open_now = database.take().unwrap();
        write_some(&open_now, round);
        clock.advance_ms(700);
        open_now.maintain_streams().unwrap();
        follower.read_on(&open_now, 50);
        write_some(&open_now, 100 + round);
        let shards = all_shards(&open_now, &arn);
        open_now.close().unwrap();
        drop(open_now);
        let again = open();
        assert_eq!(all_shards(&again, &arn), shards);
        database = Some(again);
    }
    let database = database.unwrap();
    follower.read_on(&database, 1000);
    assert_each_once_in_order(&follower.into_records(), 12 * WRITES);
    assert_each_once_in_order(&stream_records(&database, &arn), 12 * WRITES);
}

#[test]
fn only_what_is_durable_is_shown() {
    let disk = ControlledDisk::new(Arc::new(MemoryDisk::new()));
    let database = Database::open_on(disk.as_disk(), small_options()).unwrap();
    database.create_table(table()).unwrap();
    let arn = stream_arn(&database, TABLE);
    put(&database, "a", 1);
    let mut follower = Follower::new(&arn);
    assert_eq!(follower.read_on(&database, 10), 1);
    disk.hold_syncs();
    let pending = database.submit_put_item(PutItem::new(TABLE, item! { "id" => "a", "n" => 2 }));
    thread::park_timeout(std::time::Duration::from_millis(50));
    assert_eq!(follower.read_on(&database, 10), 0);
    disk.mend();
    pending.wait().unwrap();
    assert_eq!(follower.read_on(&database, 10), 1);
}

#[test]
fn what_is_given_up_on_disk_was_trimmed_before() {
    let (options, clock) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    database.create_table(table()).unwrap();
    let arn = stream_arn(&database, TABLE);
    let mut subscription = database.subscribe(Subscribe::new(TABLE).from_oldest()).unwrap();
    let mut seen: Vec<i64> = Vec::new();
    let mut early = None;
    let mut files = 0;
    // A week with enough changes for several files of the past each day.
    for hour in 0..7 * 24i64 {
        for n in 0..6 {
            let item = item! { "id" => "a", "n" => hour * 6 + n, "body" => "x".repeat(4_000) };
            database.put_item(PutItem::new(TABLE, item)).unwrap();
        }
        database.maintain_streams().unwrap();
        database.give_up_old_history().unwrap();
        seen.extend(subscription.next(std::time::Duration::ZERO).unwrap().iter().map(n_of));
        if hour == 30 {
            early = Some(database.subscribe(Subscribe::new(TABLE)).unwrap().position());
        }
        // A reader from the oldest record on gets all of the last 24 hours.
        let kept = stream_records(&database, &arn);
        let last = hour * 6 + 5;
        let first = (last - 24 * 6 - 5).max(0);
        assert_eq!(
            kept.iter().map(n_of).collect::<Vec<_>>(),
            (first..=last).collect::<Vec<_>>(),
            "hour {hour}"
        );
        if hour == 48 {
            files = database.stats().past_files;
        }
        clock.advance_ms(HOUR_MS);
    }
    assert_eq!(seen, (0..7 * 24 * 6).collect::<Vec<_>>());
    let now = database.stats().past_files;
    assert!(files > 5 && now <= files * 3 / 2, "{files} files after two days, {now} after seven");
    let late = database.subscribe(Subscribe::new(TABLE).after(early.unwrap()));
    assert!(matches!(late, Err(Error::Trimmed)), "{late:?}");
}

#[test]
fn changes_recorded_for_recovery_alone_are_in_no_stream() {
    let (options, _) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    database.create_table(CreateTable::new(TABLE, "id", ScalarType::S)).unwrap();
    database.update_recovery(UpdateRecovery::on(TABLE)).unwrap();
    let change = |change| database.update_table(UpdateTable::new(TABLE).stream(change)).unwrap();
    put(&database, "before", 1);
    change(StreamChange::Enable(StreamView::NewImage));
    let arn = stream_arn(&database, TABLE);
    let mut subscription = database.subscribe(Subscribe::new(TABLE).from_oldest()).unwrap();
    put(&database, "in", 2);
    change(StreamChange::Disable);
    put(&database, "after", 3);
    assert_eq!(ids(&stream_records(&database, &arn)), ["in"]);
    assert_eq!(ids(&subscription.next(std::time::Duration::ZERO).unwrap()), ["in"]);
    assert!(subscription.next(std::time::Duration::ZERO).unwrap().is_empty() && subscription.is_ended());
}
