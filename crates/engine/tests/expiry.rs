//! Items expire at their second, by whatever way they came and whoever else writes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::ops::Bound;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use singlet_engine::store::{Batch, Completion, Direction, Handler, Store};
use singlet_engine::values::{AttributeValue, Item, Number};
use singlet_engine::{
    CreateTable, Database, DeleteItem, Disk, Error, Finding, IndexDefinition, Invalid, ManualClock,
    MemoryDisk, Options, ProjectedAttributes, PutItem, Query, RowProblem, ScalarType, StoreOptions,
    StreamView, SystemClock, TimeToLive, TimeToLiveError, TimeToLiveStatus, TransactWrite, UpdateItem,
    UpdateTimeToLive, verify_on,
};
use support::{
    ControlledDisk, Random, START_MS, Stop, assert_agreement, decode, get, item, key_condition,
    options_with_clock, query_all, small_options, stream_arn, stream_records, update,
};

const TABLE: &str = "sessions";
const NOW: u64 = START_MS / 1000;
const HOUR_MS: u64 = 60 * 60 * 1000;
const WORK_ENDS_WITHIN: Duration = Duration::from_secs(30);

/// A table with a local index, a global one and one that carries keys only.
fn indexed_table() -> CreateTable {
    CreateTable::new(TABLE, "pk", ScalarType::N)
        .sort_key("sk", ScalarType::N)
        .attribute("g", ScalarType::S)
        .attribute("n", ScalarType::N)
        .local_index(IndexDefinition::new("local", &["pk"], &["n"]))
        .global_index(IndexDefinition::new("global", &["g"], &["n"]))
        .global_index(IndexDefinition::new("keys", &["n"], &[]).projection(ProjectedAttributes::KeysOnly))
}

fn open() -> (Database, Arc<ManualClock>) {
    let (options, clock) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    database.create_table(indexed_table().time_to_live("expires_at")).unwrap();
    (database, clock)
}

fn key(number: u64) -> Item {
    item! { "pk" => number % 4, "sk" => number }
}

fn session(number: u64, expires_at: impl Into<AttributeValue>) -> Item {
    let mut session = key(number);
    session.insert("g", format!("group {}", number % 3));
    session.insert("n", Number::from(number % 7));
    session.insert("expires_at", expires_at.into());
    session
}

fn put(database: &Database, number: u64, expires_at: impl Into<AttributeValue>) {
    database.put_item(PutItem::new(TABLE, session(number, expires_at))).unwrap();
}

fn is_there(database: &Database, number: u64) -> bool {
    get(database, TABLE, key(number)).is_some()
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < WORK_ENDS_WITHIN, "{what} does not come");
        thread::park_timeout(Duration::from_millis(1));
    }
}

fn wait_for(database: &Database, status: TimeToLiveStatus) {
    wait_until(status.code(), || database.describe_time_to_live(TABLE).unwrap().status == status);
}

fn refusal(outcome: Result<TimeToLive, Error>) -> TimeToLiveError {
    match outcome {
        Err(Error::Invalid(Invalid::TimeToLive(error))) => error,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn an_item_expires_at_its_second_and_not_before() {
    let (database, clock) = open();
    put(&database, 1, NOW + 10);
    put(&database, 2, NOW + 11);
    clock.set_ms(START_MS + 9_999);
    assert_eq!(database.expire_due().unwrap(), 0);
    assert!(is_there(&database, 1));
    clock.set_ms(START_MS + 10_000);
    database.expire_due().unwrap();
    assert!(!is_there(&database, 1) && is_there(&database, 2));
    assert_eq!(assert_agreement(&database, TABLE).len(), 1);
    clock.advance_ms(1_000);
    database.expire_due().unwrap();
    assert!(!is_there(&database, 2));
    assert_eq!(database.expired_items(TABLE).unwrap(), 2);
}

#[test]
fn an_item_that_is_over_when_it_is_written_goes_as_well() {
    let (database, clock) = open();
    for number in 0..50 {
        put(&database, number, NOW - number);
        // The look before has passed these seconds already.
        database.expire_due().unwrap();
        assert!(!is_there(&database, number), "{number}");
        clock.advance_ms(10);
    }
}

#[test]
fn what_is_no_time_stays_for_ever() {
    let (database, clock) = open();
    let number = |text: &str| AttributeValue::from(text.parse::<Number>().unwrap());
    let never = [
        AttributeValue::from(NOW.to_string().as_str()),
        AttributeValue::from(true),
        AttributeValue::from(vec![1u8, 2]),
        AttributeValue::L(vec![number("1700000000")]),
        number("-1"),
        number("-1700000000"),
        number("1E+30"),
        number("9.9E+125"),
        // Milliseconds, which is a usual mistake: some fifty thousand years from now.
        number("1700000000000"),
    ];
    for (place, value) in never.iter().enumerate() {
        put(&database, place as u64, value.clone());
    }
    put(&database, 100, number("1700000000.999"));
    let mut without = session(200, 1);
    without.remove("expires_at");
    database.put_item(PutItem::new(TABLE, without)).unwrap();
    clock.advance_ms(1_000 * HOUR_MS);
    database.expire_due().unwrap();
    assert!(!is_there(&database, 100), "a fraction is cut off");
    assert_eq!(assert_agreement(&database, TABLE).len(), never.len() + 1);
}

#[test]
fn what_is_five_years_over_is_ignored() {
    let (database, clock) = open();
    let five_years = 5 * 365 * 24 * 60 * 60;
    put(&database, 1, NOW - five_years);
    put(&database, 2, NOW - five_years + 1);
    put(&database, 3, 0u64);
    database.expire_due().unwrap();
    assert!(is_there(&database, 1) && !is_there(&database, 2) && is_there(&database, 3));
    // It stays ignored, and can be written and deleted like any other.
    clock.advance_ms(HOUR_MS);
    database.expire_due().unwrap();
    put(&database, 1, NOW + 4_000);
    clock.advance_ms(HOUR_MS);
    database.expire_due().unwrap();
    assert!(!is_there(&database, 1));
}

#[test]
fn transactions_batches_and_updates_keep_times_up() {
    let (database, clock) = open();
    let puts = (0..10).map(|number| PutItem::new(TABLE, session(number, NOW + 5)).into()).collect();
    database.transact_write(TransactWrite::new(puts)).unwrap();
    let change = |number: u64, text: &str, values: Item| {
        database.update_item(UpdateItem::new(TABLE, key(number), update(text, values))).unwrap();
    };
    change(0, "SET expires_at = expires_at + :more", item! { ":more" => 10 });
    change(1, "REMOVE expires_at", item! {});
    change(2, "SET n = :n", item! { ":n" => 77 });
    change(20, "SET expires_at = :at", item! { ":at" => NOW + 5 });
    clock.advance_ms(5_000);
    database.expire_due().unwrap();
    let left: Vec<u64> = (0..30).filter(|number| is_there(&database, *number)).collect();
    assert_eq!(left, [0, 1]);
    assert_agreement(&database, TABLE);
}

#[test]
fn a_collection_is_as_large_as_what_is_left_of_it() {
    let (database, clock) = open();
    // Two items that share a partition; what the collection weighs is not to be seen but when it is gone.
    put(&database, 4, NOW + 5);
    put(&database, 8, NOW + 50);
    clock.advance_ms(5_000);
    database.expire_due().unwrap();
    let outcome = database.put_item(PutItem::new(TABLE, session(8, NOW + 60)).collection_metrics()).unwrap();
    assert_eq!(outcome.collection.unwrap().size_estimate_gb, (0.0, 1.0));
    let query = Query::new(TABLE, key_condition("pk = :pk", item! { ":pk" => 0 })).index("local");
    assert_eq!(query_all(&database, &query).len(), 1);
}

#[test]
fn expiry_is_turned_on_and_off_as_in_dynamodb() {
    let (options, clock) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    let enable = |attribute: &str| database.update_time_to_live(UpdateTimeToLive::enable(TABLE, attribute));
    let disable = |attribute: &str| database.update_time_to_live(UpdateTimeToLive::disable(TABLE, attribute));
    assert!(matches!(enable("a"), Err(Error::ResourceNotFound(_))));
    assert!(matches!(database.describe_time_to_live(TABLE), Err(Error::ResourceNotFound(_))));
    database.create_table(indexed_table()).unwrap();
    let off = TimeToLive { status: TimeToLiveStatus::Disabled, attribute: None };
    assert_eq!(database.describe_time_to_live(TABLE).unwrap(), off);
    assert_eq!(refusal(disable("a")), TimeToLiveError::AlreadyDisabled);
    for name in [String::new(), "x".repeat(256)] {
        assert!(matches!(enable(&name), Err(Error::Invalid(Invalid::Schema(_)))), "{name}");
    }

    let asked = enable("a").unwrap();
    assert_eq!(asked, TimeToLive { status: TimeToLiveStatus::Enabling, attribute: Some("a".to_owned()) });
    wait_for(&database, TimeToLiveStatus::Enabled);
    assert_eq!(refusal(enable("a")), TimeToLiveError::AlreadyEnabled);
    let other = TimeToLiveError::OtherAttribute("a".to_owned());
    assert_eq!(refusal(enable("b")), other);
    assert_eq!(refusal(disable("b")), other);
    assert_eq!(refusal(disable("a")), TimeToLiveError::ChangedLately);
    clock.advance_ms(HOUR_MS);
    let asked = disable("a").unwrap();
    assert_eq!(asked, TimeToLive { status: TimeToLiveStatus::Disabling, attribute: Some("a".to_owned()) });
    wait_for(&database, TimeToLiveStatus::Disabled);
    assert_eq!(database.describe_time_to_live(TABLE).unwrap(), off);
    assert_eq!(refusal(disable("a")), TimeToLiveError::AlreadyDisabled);
    assert_eq!(refusal(enable("b")), TimeToLiveError::ChangedLately);
    clock.advance_ms(HOUR_MS - 1);
    assert_eq!(refusal(enable("b")), TimeToLiveError::ChangedLately);
    database.update_time_to_live(UpdateTimeToLive::enable(TABLE, "b").at_any_time()).unwrap();
    wait_for(&database, TimeToLiveStatus::Enabled);
    assert_eq!(database.describe_table(TABLE).unwrap().time_to_live.attribute.as_deref(), Some("b"));
}

#[test]
fn another_attribute_is_another_time() {
    let (database, clock) = open();
    for number in 0..900 {
        let mut item = session(number, NOW + 10);
        item.insert("later", NOW + 20);
        database.submit_put_item(PutItem::new(TABLE, item));
    }
    database.update_time_to_live(UpdateTimeToLive::disable(TABLE, "expires_at").at_any_time()).unwrap();
    clock.advance_ms(10_000);
    assert_eq!(database.expire_due().unwrap(), 0, "nothing expires while it is turned off");
    wait_for(&database, TimeToLiveStatus::Disabled);
    database.update_time_to_live(UpdateTimeToLive::enable(TABLE, "later").at_any_time()).unwrap();
    wait_for(&database, TimeToLiveStatus::Enabled);
    database.expire_due().unwrap();
    assert_eq!(assert_agreement(&database, TABLE).len(), 900);
    clock.advance_ms(10_000);
    database.expire_due().unwrap();
    assert!(assert_agreement(&database, TABLE).is_empty());
}

#[test]
fn expiry_that_is_turned_on_goes_on_after_restarts() {
    let disk = Arc::new(MemoryDisk::new());
    let clock = Arc::new(ManualClock::new(START_MS));
    let reopen = || {
        let options = Options { clock: clock.clone(), ..small_options() };
        Database::open_on(disk.clone() as Arc<dyn Disk>, options).unwrap()
    };
    let database = reopen();
    database.create_table(indexed_table()).unwrap();
    let items = 6_000u64;
    for number in 0..items {
        database.submit_put_item(PutItem::new(TABLE, session(number, NOW + 100 + number % 2)));
    }
    wait_until("the last put", || database.describe_table(TABLE).unwrap().item_count == items);
    database.update_time_to_live(UpdateTimeToLive::enable(TABLE, "expires_at")).unwrap();
    let mut restarts = 0;
    let mut database = Some(database);
    let mut random = Random::new(5);
    loop {
        let open = database.take().unwrap_or_else(reopen);
        // Writes meet the backfill on both sides of where it is.
        let number = random.below(items);
        put(&open, number, NOW + 100 + number % 2);
        let done = open.describe_time_to_live(TABLE).unwrap().status == TimeToLiveStatus::Enabled;
        open.close().unwrap();
        drop(open);
        if done {
            break;
        }
        restarts += 1;
    }
    assert!(restarts > 1, "the backfill was never interrupted");
    clock.advance_ms(100_000);
    let database = reopen();
    wait_until("expiry", || database.describe_table(TABLE).unwrap().item_count == items / 2);
    assert!(
        assert_agreement(&database, TABLE)
            .iter()
            .all(|item| { item.get("expires_at") == Some(&AttributeValue::from(NOW + 101)) })
    );
}

#[test]
fn what_came_due_while_nobody_looked_goes_after_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::new(START_MS));
    let options = || Options { clock: clock.clone(), ..small_options() };
    let database = Database::open_with(folder.path(), options()).unwrap();
    database.create_table(indexed_table().time_to_live("expires_at")).unwrap();
    for number in 0..1_000 {
        database.submit_put_item(PutItem::new(TABLE, session(number, NOW + number)));
    }
    wait_until("the last put", || database.describe_table(TABLE).unwrap().item_count > 990);
    database.close().unwrap();
    drop(database);
    clock.advance_ms(499_000);
    let database = Database::open_with(folder.path(), options()).unwrap();
    wait_until("expiry", || database.describe_table(TABLE).unwrap().item_count == 500);
    assert_eq!(assert_agreement(&database, TABLE).len(), 500);
    assert_eq!(database.describe_time_to_live(TABLE).unwrap().status, TimeToLiveStatus::Enabled);
}

#[test]
fn expired_items_are_deleted_automatically() {
    let (database, clock) = open();
    put(&database, 1, NOW + 1);
    clock.advance_ms(1_000);
    wait_until("the expiry thread", || !is_there(&database, 1));
    // Closing ends it; a database that is dropped without being closed ends it too.
    database.close().unwrap();
    drop(open());
}

/// Writers give items new times, earlier and later ones, while the clock moves and the expiry thread works.
#[test]
fn nothing_due_stays_and_nothing_else_goes_while_others_write() {
    const WRITERS: u64 = 4;
    const ITEMS: u64 = 60;
    let (database, clock) = open();
    let stop = Stop::default();
    let last: Vec<Vec<(u64, u64)>> = thread::scope(|scope| {
        scope.spawn(|| {
            let _stop = stop.on_drop();
            for _ in 0..150 {
                clock.advance_ms(100);
                database.expire_due().unwrap();
            }
        });
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (database, stop) = (&database, &stop);
                scope.spawn(move || {
                    let mut random = Random::new(writer);
                    let mut last = vec![(0, 0); ITEMS as usize];
                    while !stop.is_set() {
                        let place = random.below(ITEMS);
                        let number = place * WRITERS + writer;
                        let at = NOW + random.below(40);
                        if random.below(2) == 0 {
                            put(database, number, at);
                        } else {
                            let set = update("SET expires_at = :at", item! { ":at" => at });
                            database.update_item(UpdateItem::new(TABLE, key(number), set)).unwrap();
                        }
                        last[place as usize] = (number, at);
                    }
                    last
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    database.expire_due().unwrap();
    let now = NOW + 15;
    for (number, at) in last.into_iter().flatten().filter(|(_, at)| *at > 0) {
        assert_eq!(is_there(&database, number), at > now, "item {number} with {at} at {now}");
    }
    assert_agreement(&database, TABLE);
}

#[test]
fn a_disk_that_fails_ends_expiry_with_an_error_and_not_with_a_wait() {
    let disk = ControlledDisk::new(Arc::new(MemoryDisk::new()));
    let (options, clock) = options_with_clock();
    let database = Database::open_on(disk.as_disk(), options).unwrap();
    database.create_table(indexed_table().time_to_live("expires_at")).unwrap();
    (0..400).for_each(|number| put(&database, number, NOW + 5));
    disk.fail_syncs();
    clock.advance_ms(5_000);
    assert!(matches!(database.expire_due(), Err(Error::Storage(_))));
    assert!(is_there(&database, 1), "what did not become durable is not shown");
    assert!(database.expire_due().is_err());
    // The expiry thread has stopped too, and closing doesn't wait for it.
    assert!(database.close().is_err());
}

/// A million would take a while in a test; the bench has it. Here: more than one job for each of several tables.
#[test]
fn many_items_of_several_tables_expire_while_others_write() {
    let (options, clock) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    let names = ["one", "two", "three"];
    for name in names {
        let table = CreateTable::new(name, "id", ScalarType::N).time_to_live("expires_at");
        database.create_table(table).unwrap();
        for id in 0..1_000u64 {
            let at = if id % 4 == 0 { NOW + 1_000 } else { NOW + 10 };
            let item = item! { "id" => id, "expires_at" => at };
            database.submit_put_item(PutItem::new(name, item));
        }
    }
    wait_until("the last put", || database.describe_table("three").unwrap().item_count == 1_000);
    clock.advance_ms(10_000);
    thread::scope(|scope| {
        let reaping = scope.spawn(|| database.expire_due().unwrap());
        for id in 5_000..5_200u64 {
            database.put_item(PutItem::new("one", item! { "id" => id })).unwrap();
        }
        reaping.join().unwrap();
    });
    let counts = names.map(|name| database.describe_table(name).unwrap().item_count);
    assert_eq!(counts, [450, 250, 250]);
    assert_eq!(names.map(|name| database.expired_items(name).unwrap()), [750; 3]);
    for name in names {
        assert_agreement(&database, name);
    }
}

#[test]
fn records_of_a_stream_tell_who_deleted_the_item() {
    let (options, clock) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    let table = indexed_table().time_to_live("expires_at").stream(StreamView::NewAndOldImages);
    database.create_table(table).unwrap();
    let arn = stream_arn(&database, TABLE);
    (0..300).for_each(|number| put(&database, number, NOW + 5));
    database.delete_item(DeleteItem::new(TABLE, key(7))).unwrap();
    clock.advance_ms(5_000);
    database.expire_due().unwrap();
    let removed: Vec<_> =
        stream_records(&database, &arn).into_iter().filter(|record| record.new_image.is_none()).collect();
    assert_eq!(removed.len(), 300);
    for record in removed {
        let image = decode(record.old_image.as_ref().unwrap());
        let is_seven = image.get("sk") == Some(&AttributeValue::from(7));
        assert_eq!(record.by_expiry, !is_seven, "{image:?}");
    }
}

type Plant = Box<dyn FnOnce(&mut Batch<'_, ()>) + Send>;

struct Planting;

impl Handler<()> for Planting {
    type Job = Plant;

    fn apply(&mut self, job: Plant, batch: &mut Batch<'_, ()>) -> Completion {
        job(batch);
        Box::new(|outcome| outcome.unwrap())
    }
}

/// Changes rows behind the database's back.
fn plant(disk: &Arc<MemoryDisk>, change: impl FnOnce(&mut Batch<'_, ()>) + Send + 'static) {
    let opened = Store::open(disk.clone(), StoreOptions::default(), Arc::new(SystemClock)).unwrap();
    let store = opened.start(Arc::new(()), Planting).unwrap();
    store.submit(Box::new(change)).unwrap();
    store.close().unwrap();
}

#[test]
fn verification_finds_times_that_are_wrong_and_a_look_removes_what_belongs_to_nothing() {
    let disk = Arc::new(MemoryDisk::new());
    let clock = Arc::new(ManualClock::new(START_MS));
    let reopen = || {
        let options = Options { clock: clock.clone(), ..small_options() };
        Database::open_on(disk.clone() as Arc<dyn Disk>, options).unwrap()
    };
    let problems = || {
        let found = verify_on(disk.clone(), None, &mut |_| {}).unwrap();
        let problem = |finding: Finding| match finding {
            Finding::Row { problem, .. } => problem,
            other => panic!("{other}"),
        };
        (found.findings.into_iter().map(problem).collect::<Vec<_>>(), found.counts.expiries)
    };
    let database = reopen();
    database.create_table(indexed_table().time_to_live("expires_at")).unwrap();
    (0..40).for_each(|number| put(&database, number, NOW + 50 + number));
    put(&database, 40, "never");
    database.close().unwrap();
    drop(database);
    assert_eq!(problems(), (vec![], 40));

    // The first time is moved to a second that its item doesn't have.
    plant(&disk, |batch| {
        let (start, end) = ([0, 0, 0, 1, 0xFF, 0xFE], [0, 0, 0, 1, 0xFF, 0xFF]);
        let rows = batch.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
        let (row, _) = rows.map(Result::unwrap).next().unwrap();
        let moved = [&start, (NOW - 5).to_be_bytes().as_slice(), &row[14..]].concat();
        batch.delete(row);
        batch.put(moved.into(), Bytes::new());
    });
    let missing = RowProblem::MissingExpiry { second: NOW + 50 };
    assert_eq!(problems(), (vec![missing.clone(), RowProblem::StaleExpiry], 40));

    let database = reopen();
    database.expire_due().unwrap();
    assert!(is_there(&database, 0), "the item itself says when");
    database.close().unwrap();
    drop(database);
    assert_eq!(problems(), (vec![missing], 39));
}
