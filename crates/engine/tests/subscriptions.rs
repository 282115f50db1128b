//! Subscriptions within the process: all changes of a table, in commit order, at once.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use singlet_engine::values::AttributeValue;
use singlet_engine::{
    CreateTable, Database, Error, ManualClock, PutItem, ScalarType, StreamChange, StreamPosition,
    StreamRecord, StreamView, Subscribe, Subscription, UpdateItem, UpdateTable,
};
use support::{decode, item, options_with_clock, small_options, update};

const TABLE: &str = "watched";
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

fn table() -> CreateTable {
    CreateTable::new(TABLE, "id", ScalarType::S).stream(StreamView::NewImage)
}

fn watched() -> (Database, Arc<ManualClock>) {
    let (options, clock) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    database.create_table(table()).unwrap();
    (database, clock)
}

fn put(database: &Database, id: &str, n: i64) {
    database.put_item(PutItem::new(TABLE, item! { "id" => id, "n" => n })).unwrap();
}

fn n_of(record: &StreamRecord) -> i64 {
    match decode(record.new_image.as_ref().unwrap()).get("n") {
        Some(AttributeValue::N(number)) => number.to_i64().unwrap(),
        other => panic!("{other:?}"),
    }
}

/// The values of `n` in everything that is there now.
fn drain(subscription: &mut Subscription) -> Vec<i64> {
    let mut values = Vec::new();
    loop {
        let records = subscription.next(Duration::ZERO).unwrap();
        if records.is_empty() {
            return values;
        }
        values.extend(records.iter().map(n_of));
    }
}

#[test]
fn changes_of_all_items_come_in_the_order_of_their_commits() {
    let (database, _) = watched();
    put(&database, "before", 0);
    let mut from_now = database.subscribe(Subscribe::new(TABLE)).unwrap();
    for n in 1..200 {
        put(&database, &format!("item {}", n % 17), n);
    }
    assert_eq!(drain(&mut from_now), (1..200).collect::<Vec<_>>());
    let mut all = database.subscribe(Subscribe::new(TABLE).from_oldest()).unwrap();
    assert_eq!(drain(&mut all), (0..200).collect::<Vec<_>>());
    assert!(drain(&mut all).is_empty() && !all.is_ended());
}

#[test]
fn a_subscriber_is_woken_at_once() {
    let (database, _) = watched();
    let mut subscription = database.subscribe(Subscribe::new(TABLE)).unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let records = subscription.next(Duration::from_secs(60)).unwrap();
            (records.len(), Instant::now())
        });
        thread::park_timeout(Duration::from_millis(100));
        put(&database, "a", 1);
        let written = Instant::now();
        let (records, woken) = waiting.join().unwrap();
        assert_eq!(records, 1);
        assert!(woken.saturating_duration_since(written) < Duration::from_secs(5));
    });
    let begun = Instant::now();
    assert!(subscription.next(Duration::from_millis(20)).unwrap().is_empty());
    assert!(begun.elapsed() >= Duration::from_millis(20));
}

#[test]
fn subscribers_see_every_change_once_while_four_write() {
    let database = Database::in_memory_with(small_options()).unwrap();
    database.create_table(table()).unwrap();
    let mut subscription =
        database.subscribe(Subscribe::new(TABLE).view(StreamView::NewAndOldImages)).unwrap();
    const WRITES: usize = 300;
    thread::scope(|scope| {
        for writer in 0..4 {
            let database = &database;
            scope.spawn(move || {
                for n in 0..WRITES {
                    let add = update("ADD n :one", item! { ":one" => 1 });
                    let key = item! { "id" => format!("{}", (n + writer) % 5) };
                    database.update_item(UpdateItem::new(TABLE, key, add)).unwrap();
                }
            });
        }
        let mut records: Vec<StreamRecord> = Vec::new();
        while records.len() < 4 * WRITES {
            let next = subscription.next(Duration::from_secs(60)).unwrap();
            assert!(!next.is_empty());
            records.extend(next);
        }
        assert_eq!(records.len(), 4 * WRITES);
        assert!(records.windows(2).all(|pair| pair[0].sequence_number < pair[1].sequence_number));
        for id in 0..5 {
            let of_item = records.iter().filter(|r| decode(&r.keys) == item! { "id" => format!("{id}") });
            let values: Vec<i64> = of_item.map(n_of).collect();
            assert_eq!(values, (1..=values.len() as i64).collect::<Vec<_>>());
        }
    });
}

#[test]
fn a_stored_position_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Database::open_with(folder.path(), small_options()).unwrap();
    let database = open();
    database.create_table(table()).unwrap();
    let mut subscription = database.subscribe(Subscribe::new(TABLE).from_oldest()).unwrap();
    let mut stored = subscription.position().to_string();
    drop(subscription);
    database.close().unwrap();
    drop(database);
    for round in 0..5 {
        let database = open();
        for n in 0..100 {
            put(&database, "a", round * 100 + n);
        }
        let position: StreamPosition = stored.parse().unwrap();
        subscription = database.subscribe(Subscribe::new(TABLE).after(position)).unwrap();
        assert_eq!(drain(&mut subscription), (round * 100..round * 100 + 100).collect::<Vec<_>>());
        stored = subscription.position().to_string();
        drop(subscription);
        database.close().unwrap();
    }
}

#[test]
fn a_position_that_is_trimmed_is_told_and_one_that_missed_nothing_is_not() {
    let (database, clock) = watched();
    put(&database, "a", 1);
    let mut subscription = database.subscribe(Subscribe::new(TABLE).from_oldest()).unwrap();
    let before = subscription.position();
    assert_eq!(drain(&mut subscription), [1]);
    let after = subscription.position();
    let again = |position: &StreamPosition| database.subscribe(Subscribe::new(TABLE).after(position.clone()));
    // Days in which nothing happens but roll-overs and trims.
    for _ in 0..20 {
        clock.advance_ms(DAY_MS / 5);
        database.maintain_streams().unwrap();
    }
    assert!(matches!(again(&before), Err(Error::Trimmed)));
    assert!(drain(&mut again(&after).unwrap()).is_empty());
    put(&database, "a", 2);
    assert_eq!(drain(&mut again(&after).unwrap()), [2]);
    clock.advance_ms(DAY_MS + 1);
    assert!(matches!(again(&after), Err(Error::Trimmed)));
    let trimmed = subscription.next(Duration::ZERO);
    assert!(matches!(trimmed, Err(Error::Trimmed)), "{trimmed:?}");
}

#[test]
fn a_subscription_ends_with_its_stream() {
    let (database, clock) = watched();
    let mut subscription = database.subscribe(Subscribe::new(TABLE)).unwrap();
    put(&database, "a", 1);
    let position = subscription.position();
    database.update_table(UpdateTable::new(TABLE).stream(StreamChange::Disable)).unwrap();
    put(&database, "a", 2);
    assert_eq!(subscription.next(Duration::from_secs(60)).unwrap().len(), 1);
    assert!(subscription.next(Duration::from_secs(60)).unwrap().is_empty() && subscription.is_ended());

    let off = database.subscribe(Subscribe::new(TABLE));
    assert!(matches!(off, Err(Error::ResourceNotFound(_))), "{off:?}");
    let nowhere = database.subscribe(Subscribe::new("nobody"));
    assert!(matches!(nowhere, Err(Error::ResourceNotFound(_))), "{nowhere:?}");
    let mut rest = database.subscribe(Subscribe::new(TABLE).after(position.clone())).unwrap();
    assert_eq!(drain(&mut rest), [1]);
    database.delete_table(TABLE).unwrap();
    let mut rest = database.subscribe(Subscribe::new(TABLE).after(position.clone())).unwrap();
    assert_eq!(drain(&mut rest), [1]);
    clock.advance_ms(DAY_MS + 1);
    database.maintain_streams().unwrap();
    assert!(matches!(database.subscribe(Subscribe::new(TABLE).after(position)), Err(Error::Trimmed)));
}

#[test]
fn closing_wakes_a_subscriber() {
    let (database, _) = watched();
    let mut subscription = database.subscribe(Subscribe::new(TABLE)).unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| subscription.next(Duration::from_secs(60)));
        thread::park_timeout(Duration::from_millis(50));
        database.close().unwrap();
        assert!(matches!(waiting.join().unwrap(), Err(Error::Closed)));
    });
}
