//! The rows by which items expire, and the jobs that delete what has come due.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use proptest::prelude::*;
use singlet_expr::{Placeholders, Update};
use singlet_values::{AttributeValue, EncodedItem, Item, Number};

use super::{count_rows, count_table_rows, wait_until};
use crate::catalogue::Catalogue;
use crate::database::Database;
use crate::keyspace::RowSpace;
use crate::pending::Pending;
use crate::request::{
    CreateTable, DeleteItem, GetItem, IndexDefinition, PutItem, ScalarType, TimeToLiveStatus, UpdateItem,
    UpdateTimeToLive,
};
use crate::store::tests::power_disk::{Fault, Operation, PowerDisk};
use crate::store::{Direction, ManualClock, View};
use crate::write::Job;
use crate::{Options, StoreOptions};

const TABLE: &str = "sessions";
const START_SECOND: u64 = 1_700_000_000;

/// A database with a clock that stands still, and a table with both kinds of indexes; its number is 1.
fn open(time_to_live: bool) -> (Database, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(START_SECOND * 1000));
    let store = StoreOptions { overlay_bytes_max: 64 << 10, ..StoreOptions::default() };
    let options = Options { store, clock: clock.clone(), ..Options::default() };
    let database = Database::in_memory_with(options).unwrap();
    let mut table = CreateTable::new(TABLE, "pk", ScalarType::N)
        .sort_key("sk", ScalarType::N)
        .attribute("n", ScalarType::N)
        .local_index(IndexDefinition::new("local", &["pk"], &["n"]))
        .global_index(IndexDefinition::new("global", &["n"], &[]));
    if time_to_live {
        table = table.time_to_live("expires_at");
    }
    database.create_table(table).unwrap();
    (database, clock)
}

fn key(number: u64) -> Item {
    Item::from([("pk", Number::from(number % 3)), ("sk", Number::from(number))])
}

fn session(number: u64, until: impl Into<AttributeValue>) -> Item {
    let mut item = key(number);
    item.insert("n", Number::from(number % 5));
    item.insert("expires_at", until.into());
    item
}

fn put(database: &Database, number: u64, until: u64) {
    database.put_item(PutItem::new(TABLE, session(number, Number::from(until)))).unwrap();
}

fn is_there(database: &Database, number: u64) -> bool {
    database.get_item(&GetItem::new(TABLE, key(number))).unwrap().item.is_some()
}

/// The rows of the table's expiring items.
fn expiry_rows(database: &Database) -> Vec<Bytes> {
    rows_in(&database.view())
}

fn rows_in(view: &View<Catalogue>) -> Vec<Bytes> {
    let space = RowSpace::expiries(1);
    let (start, end) = (space.prefix(), space.end());
    let rows = view.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
    rows.map(|row| row.unwrap().0).collect()
}

/// Asserts that at one moment the table has the rows that its items should have.
fn assert_rows(database: &Database) {
    let view = database.view();
    assert_eq!(rows_in(&view), derived_rows(&view));
}

/// The rows that the table's items should have.
fn derived_rows(view: &View<Catalogue>) -> Vec<Bytes> {
    let table = view.catalogue().resource(TABLE).unwrap();
    let (start, end) = (table.items().prefix(), table.items().end());
    let mut rows: Vec<Bytes> = view
        .range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward)
        .filter_map(|row| {
            let (row, item) = row.unwrap();
            let second = table.settings.ttl.as_ref()?.second(&EncodedItem::from_bytes(item))?;
            Some(table.expiry_row(second, &row))
        })
        .collect();
    rows.sort();
    rows
}

fn set_time(database: &Database, number: u64, time: impl Into<AttributeValue>) {
    let values = BTreeMap::from([(":time".to_owned(), time.into())]);
    let mut placeholders = Placeholders::new(None, Some(values)).unwrap();
    let update = Update::parse("SET expires_at = :time", &mut placeholders).unwrap();
    database.update_item(UpdateItem::new(TABLE, key(number), update)).unwrap();
}

fn remove_time(database: &Database, number: u64) {
    let update = Update::parse("REMOVE expires_at", &mut Placeholders::new(None, None).unwrap()).unwrap();
    database.update_item(UpdateItem::new(TABLE, key(number), update)).unwrap();
}

/// Hands rows to the writer as the expiry thread does.
fn expire(database: &Database, expiry_rows: Vec<Bytes>) -> u64 {
    let (answer, pending) = Pending::channel();
    database.submit(Job::Expire { table: 1, expiry_rows, answer }, pending).wait().unwrap()
}

#[test]
fn a_time_that_changed_since_it_was_found_is_respected() {
    let (database, clock) = open(true);
    let due = START_SECOND + 10;
    (0..7).for_each(|number| put(&database, number, due));
    let found = expiry_rows(&database);
    assert_eq!(found.len(), 7);
    // Nobody else looks while this is held.
    let view = database.view();
    let _alone = view.catalogue().horizon().sweep();
    assert_eq!(expire(&database, found.clone()), 0, "nothing is due yet");

    set_time(&database, 0, Number::from(due + 1));
    remove_time(&database, 1);
    set_time(&database, 2, "never");
    database.delete_item(DeleteItem::new(TABLE, key(3))).unwrap();
    put(&database, 4, due + 5);
    database.delete_item(DeleteItem::new(TABLE, key(5))).unwrap();
    put(&database, 5, due);
    clock.advance_ms(10_000);
    assert_eq!(expire(&database, found), 2, "the one that came back and the one that stayed");
    let left: Vec<u64> = (0..7).filter(|number| is_there(&database, *number)).collect();
    assert_eq!(left, [0, 1, 2, 4]);
    assert_rows(&database);
}

#[test]
fn expired_items_leave_no_rows() {
    let (database, clock) = open(true);
    // None is due yet, so that the expiry thread doesn't take any before they are counted.
    (0..600).for_each(|number| put(&database, number, START_SECOND + 1 + number % 7));
    assert_eq!(count_table_rows(&database, 1), 4 * 600 + 3, "items, two entries, a time, three collections");
    clock.advance_ms(7_000);
    database.expire_due().unwrap();
    assert_eq!(count_table_rows(&database, 1), 0);
    assert_eq!(database.expired_items(TABLE).unwrap(), 600);
    let description = database.describe_table(TABLE).unwrap();
    assert_eq!((description.item_count, description.size_bytes), (0, 0));
}

#[test]
fn a_table_without_expiry_has_no_rows_of_it() {
    let (database, _) = open(false);
    (0..9).for_each(|number| put(&database, number, START_SECOND));
    assert!(expiry_rows(&database).is_empty());
    assert_eq!(database.expire_due().unwrap(), 0);
}

#[test]
fn turning_expiry_on_enters_times_and_turning_it_off_removes_them() {
    let (database, _) = open(false);
    (0..1_500).for_each(|number| {
        database.submit_put_item(PutItem::new(TABLE, session(number, Number::from(START_SECOND + number))));
    });
    wait_until(|| database.describe_table(TABLE).unwrap().item_count == 1_500);
    let status = || database.describe_time_to_live(TABLE).unwrap().status;
    database.update_time_to_live(UpdateTimeToLive::enable(TABLE, "expires_at")).unwrap();
    wait_until(|| status() == TimeToLiveStatus::Enabled);
    // The first one is due at once, and the expiry thread may have taken it.
    assert!(expiry_rows(&database).len() >= 1_499);
    assert_rows(&database);
    let off = UpdateTimeToLive::disable(TABLE, "expires_at").at_any_time();
    database.update_time_to_live(off).unwrap();
    wait_until(|| status() == TimeToLiveStatus::Disabled);
    assert!(expiry_rows(&database).is_empty());
}

#[test]
fn a_deleted_table_takes_its_times_along() {
    let (database, _) = open(true);
    (0..700).for_each(|number| {
        database.submit_put_item(PutItem::new(TABLE, session(number, Number::from(START_SECOND + 100))));
    });
    wait_until(|| database.describe_table(TABLE).unwrap().item_count == 700);
    assert_eq!(expiry_rows(&database).len(), 700);
    database.delete_table(TABLE).unwrap();
    wait_until(|| count_table_rows(&database, 1) == 0);
    let purges = RowSpace::purges();
    wait_until(|| count_rows(&database, &purges.prefix(), &purges.end()) == 0);
}

/// One step of a random life of the table.
#[derive(Debug, Clone)]
enum Step {
    Put(u64, Option<AttributeValue>),
    SetTime(u64, AttributeValue),
    RemoveTime(u64),
    Delete(u64),
    Wait(u64),
    Expire,
}

fn any_time() -> impl Strategy<Value = AttributeValue> {
    prop_oneof![
        12 => (-20i64..40).prop_map(|after| Number::from(START_SECOND as i64 + after).into()),
        1 => Just(AttributeValue::from("soon")),
        1 => Just(AttributeValue::from(-5)),
        1 => Just(AttributeValue::from(1_000)),
        1 => Just("1e40".parse::<Number>().unwrap().into()),
        1 => (0u64..30).prop_map(|after| format!("{}.75", START_SECOND + after).parse::<Number>().unwrap().into()),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0u64..12, proptest::option::of(any_time())).prop_map(|(number, time)| Step::Put(number, time)),
        3 => (0u64..12, any_time()).prop_map(|(number, time)| Step::SetTime(number, time)),
        1 => (0u64..12).prop_map(Step::RemoveTime),
        1 => (0u64..12).prop_map(Step::Delete),
        2 => (1u64..9_000).prop_map(Step::Wait),
        2 => Just(Step::Expire),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exactly_what_is_not_due_is_left_and_every_time_has_its_row(
        steps in proptest::collection::vec(any_step(), 1..60),
    ) {
        let (database, clock) = open(true);
        let (mut now_ms, mut model) = (START_SECOND * 1000, BTreeMap::new());
        let is_due = |time: &Option<AttributeValue>, now_ms: u64| match time {
            Some(AttributeValue::N(number)) => number
                .view()
                .to_u64_cut()
                .is_some_and(|second| second * 1000 <= now_ms && now_ms / 1000 - second < 5 * 365 * 86_400),
            _ => false,
        };
        for step in steps {
            match step {
                Step::Put(number, time) => {
                    let mut item = session(number, "");
                    match &time {
                        Some(time) => item.insert("expires_at", time.clone()),
                        None => item.remove("expires_at"),
                    };
                    database.put_item(PutItem::new(TABLE, item)).unwrap();
                    model.insert(number, time);
                }
                Step::SetTime(number, time) => {
                    set_time(&database, number, time.clone());
                    model.insert(number, Some(time));
                }
                Step::RemoveTime(number) => {
                    // Whether there is an item to take it from must not depend on who was faster.
                    database.expire_due().unwrap();
                    model.retain(|_, time| !is_due(time, now_ms));
                    if let Some(time) = model.get_mut(&number) {
                        remove_time(&database, number);
                        *time = None;
                    }
                }
                Step::Delete(number) => {
                    database.delete_item(DeleteItem::new(TABLE, key(number))).unwrap();
                    model.remove(&number);
                }
                Step::Wait(ms) => {
                    clock.advance_ms(ms);
                    now_ms += ms;
                }
                Step::Expire => {
                    database.expire_due().unwrap();
                }
            }
            assert_rows(&database);
        }
        database.expire_due().unwrap();
        model.retain(|_, time| !is_due(time, now_ms));
        let left: Vec<u64> = (0..12).filter(|number| is_there(&database, *number)).collect();
        prop_assert_eq!(left, model.into_keys().collect::<Vec<_>>());
        assert_rows(&database);
    }
}

#[test]
fn what_could_not_be_deleted_is_looked_for_again() {
    let disk = PowerDisk::new();
    let clock = Arc::new(ManualClock::new(START_SECOND * 1000));
    let database =
        Database::open_on(disk.as_disk(), Options { clock: clock.clone(), ..Options::default() }).unwrap();
    let table = CreateTable::new(TABLE, "pk", ScalarType::N).sort_key("sk", ScalarType::N);
    database.create_table(table.time_to_live("expires_at")).unwrap();
    put(&database, 1, START_SECOND + 5);
    disk.fail(Some(Fault {
        operation: Operation::Sync,
        file_prefix: "log-",
        after: 0,
        kind: ErrorKind::Other,
    }));
    clock.advance_ms(10_000);
    for _ in 0..2 {
        assert!(database.expire_due().is_err(), "nothing was deleted");
    }
    assert!(is_there(&database, 1));
}
