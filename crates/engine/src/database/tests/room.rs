//! A database on a disk that fills up.

use super::*;
use crate::pending::Pending;
use crate::request::{BatchWrite, BatchWriteAction, CreateBackup, UpdateRecovery};
use crate::store::tests::quota_disk::QuotaDisk;
use crate::write::{Job, Progress};
use crate::{Error, GetItem};

const MB: u64 = 1 << 20;

fn open(disk: &Arc<QuotaDisk>) -> Database {
    let store = StoreOptions {
        overlay_bytes_max: 512 << 10,
        segment_bytes: 128 << 10,
        cache_bytes: 1 << 20,
        disk_reserve_bytes: Some(4 * MB),
        ..StoreOptions::default()
    };
    Database::open_on(disk.clone(), Options { store, ..Options::default() }).unwrap()
}

fn item(number: i64) -> Item {
    let mut item = Item::from([("pk", number), ("n", number % 7)]);
    item.insert("text", "x".repeat(1_000));
    item
}

fn key(number: i64) -> Item {
    Item::from([("pk", number)])
}

/// Fills a table until the disk is short; returns how many items were taken.
fn fill(database: &Database) -> i64 {
    database.create_table(CreateTable::new(TABLE, "pk", ScalarType::N)).unwrap();
    put_until_refused(database)
}

/// The same with a table whose past is kept.
fn fill_recorded(database: &Database) -> i64 {
    database.create_table(CreateTable::new(TABLE, "pk", ScalarType::N)).unwrap();
    database.update_recovery(UpdateRecovery::on(TABLE)).unwrap();
    put_until_refused(database)
}

fn put_until_refused(database: &Database) -> i64 {
    let mut number = 0;
    loop {
        match database.put_item(PutItem::new(TABLE, item(number))) {
            Ok(_) => number += 1,
            Err(Error::NoRoom(text)) => {
                assert!(text.contains("nearly full") && text.contains("--disk-reserve"), "{text}");
                return number;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn on_a_full_disk_what_grows_is_refused_and_what_shrinks_is_done() {
    let disk = QuotaDisk::new(16 * MB);
    let database = open(&disk);
    let taken = fill(&database);
    let refused = |result: Result<(), Error>| assert!(matches!(result, Err(Error::NoRoom(_))), "{result:?}");
    refused(database.create_table(CreateTable::new("other", "pk", ScalarType::N)).map(drop));
    refused(database.create_backup(CreateBackup::new(TABLE, "before")).map(drop));
    let delete = BatchWriteAction::Delete { table: TABLE.to_owned(), key: key(0) };
    let put = BatchWriteAction::Put { table: TABLE.to_owned(), item: item(taken) };
    refused(database.batch_write(BatchWrite::new(vec![delete.clone(), put])).map(drop));
    assert!(database.get_item(&GetItem::new(TABLE, key(0))).unwrap().item.is_some(), "all or nothing");
    database.batch_write(BatchWrite::new(vec![delete])).unwrap();
    database.delete_item(DeleteItem::new(TABLE, key(1))).unwrap();
    assert!(database.get_item(&GetItem::new(TABLE, key(2))).unwrap().item.is_some());
    database.delete_table(TABLE).unwrap();
    wait_until(|| count_table_rows(&database, 1) == 0);
    // The tree's pages are free, although the file is as long as before.
    database.create_table(CreateTable::new("other", "pk", ScalarType::N)).unwrap();
    for number in 0..1_000 {
        database.put_item(PutItem::new("other", item(number))).unwrap();
    }
    database.close().unwrap();
}

#[test]
fn deletions_that_are_kept_for_recovery_end_before_the_disk_is_full() {
    let disk = QuotaDisk::new(16 * MB);
    let database = open(&disk);
    let taken = fill_recorded(&database);
    let mut deleted = 0;
    let refusal = loop {
        match database.delete_item(DeleteItem::new(TABLE, key(deleted))) {
            Ok(_) => deleted += 1,
            Err(Error::NoRoom(text)) => break text,
            Err(error) => panic!("{error}"),
        }
        assert!(deleted < taken, "room for all of the past");
    };
    assert!(refusal.contains("kept for its stream or its recovery"), "{refusal}");
    assert!(database.get_item(&GetItem::new(TABLE, key(deleted))).unwrap().item.is_some());
    // Without a past to keep there is nothing that needs room.
    database.update_recovery(UpdateRecovery::off(TABLE)).unwrap();
    for number in deleted..taken {
        database.delete_item(DeleteItem::new(TABLE, key(number))).unwrap();
    }
    database.close().unwrap();
}

#[test]
fn a_new_index_waits_for_room_and_is_filled_then() {
    let disk = QuotaDisk::new(16 * MB);
    let database = open(&disk);
    let taken = fill(&database);
    // The order comes when there is room; here it gets past the check, as if the room had gone right after it.
    let request = UpdateTable::new(TABLE).attribute("n", ScalarType::N).create_index(IndexDefinition::new(
        "by-n",
        &["n"],
        &[],
    ));
    assert!(matches!(database.update_table(request.clone()), Err(Error::NoRoom(_))));
    let (answer, ordered) = Pending::channel();
    let store = &database.inner.store;
    store.submit(Job::AlterTable { request: Box::new(request), answer }).unwrap();
    ordered.wait().unwrap();
    database.background().wake_maintenance();
    let (answer, step) = Pending::channel();
    store.submit(Job::Maintain { may_grow: store.check_room().is_ok(), answer }).unwrap();
    assert_eq!(step.wait().unwrap(), Progress::Waits);
    let filled = || database.describe_table(TABLE).unwrap().global_indexes[0].item_count;
    assert_eq!(filled(), 0);
    disk.set_quota(64 * MB);
    wait_until(|| filled() == taken as u64);
}
