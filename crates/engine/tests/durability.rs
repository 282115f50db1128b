//! Acknowledged writes survive `kill -9`, and a failing disk stops writes but not reads.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{
    CreateTable, Database, DeleteItem, Error, IndexDefinition, Key, ListTables, MemoryDisk, Options,
    ProjectedAttributes, PutItem, RestoreToTime, ScalarType, Scan, StreamView, TransactWrite, UpdateItem,
    UpdateRecovery, UpdateTable,
};
use support::{
    ControlledDisk, Random, assert_agreement, decode, get, item, key_of, scan_all, small_database,
    small_options, sorted, stream_arn, stream_records, update, wait_until_settled,
};

const TABLE: &str = "durable";
/// Tells a copy of this program to write into the folder until it is killed.
const FOLDER_VARIABLE: &str = "SINGLET_TEST_WRITE_UNTIL_KILLED";
/// Any value tells that copy to encrypt the folder.
const ENCRYPTED_VARIABLE: &str = "SINGLET_TEST_ENCRYPTED";
/// Any value asks for the long run.
const LONG_VARIABLE: &str = "SINGLET_LONG";
const WRITERS: i64 = 4;
const ITEMS_PER_WRITER: i64 = 40;

fn indexed_table() -> CreateTable {
    CreateTable::new(TABLE, "writer", ScalarType::N)
        .sort_key("number", ScalarType::N)
        .attribute("group", ScalarType::S)
        .attribute("version", ScalarType::N)
        .local_index(IndexDefinition::new("local", &["writer"], &["version"]))
        .global_index(IndexDefinition::new("global", &["group"], &["version"]))
        .global_index(
            IndexDefinition::new("keys", &["version"], &[]).projection(ProjectedAttributes::KeysOnly),
        )
        .stream(StreamView::NewAndOldImages)
}

fn key(writer: i64, number: i64) -> Item {
    item! { "writer" => writer, "number" => number }
}

/// An item whose index keys change with every version; every third version is in one index less.
fn versioned(writer: i64, number: i64, version: i64) -> Item {
    let mut item = key(writer, number);
    item.insert("version", version);
    item.insert("body", "x".repeat(200));
    if version % 3 != 0 {
        item.insert("group", format!("group {}", version % 5));
    }
    item
}

/// Writes one version: every fourth write is a transaction over an item and its twin with the negative number.
fn write_version(database: &Database, writer: i64, number: i64, version: i64) {
    if number % 4 == 0 {
        let put = |number| PutItem::new(TABLE, versioned(writer, number, version)).into();
        let pair = TransactWrite::new(vec![put(number), put(-number - 1)]);
        database.transact_write(pair).expect("nobody else writes these items");
    } else {
        database.put_item(PutItem::new(TABLE, versioned(writer, number, version))).expect("a put");
    }
}

/// Not a test of its own: [`acknowledged_writes_survive_kill_9`] runs it in another process.
#[test]
fn write_until_killed() {
    let Ok(folder) = std::env::var(FOLDER_VARIABLE) else { return };
    let database = Database::open_with(folder, options_of_run()).expect("the folder is in order");
    if database.list_tables(&ListTables::default()).names.is_empty() {
        database.create_table(indexed_table()).expect("the definition is right");
        database.update_recovery(UpdateRecovery::on(TABLE)).expect("the table is there");
        // The first moment, a millisecond, is to be one without items.
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(2) {
            thread::yield_now();
        }
    }
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let database = &database;
            scope.spawn(move || {
                // Goes on from the versions that an earlier run left.
                let mut versions: Vec<i64> =
                    (0..ITEMS_PER_WRITER).map(|number| version(database, writer, number)).collect();
                loop {
                    for (number, version) in (0..).zip(&mut versions) {
                        *version += 1;
                        write_version(database, writer, number, *version);
                        let line = format!("wrote {writer} {number} {version}\n");
                        std::io::stdout().lock().write_all(line.as_bytes()).expect("somebody reads it");
                    }
                }
            });
        }
    });
}

/// Options of a process that is killed and of the one that looks at what it left: encrypted if the variable says so.
fn options_of_run() -> Options {
    let mut options = small_options();
    options.store.key = std::env::var_os(ENCRYPTED_VARIABLE).map(|_| Key::from_bytes([6; 32]));
    options
}

/// The version of an item; 0 if it is not there.
fn version(database: &Database, writer: i64, number: i64) -> i64 {
    let item = get(database, TABLE, key(writer, number));
    item.and_then(|item| match item.get("version") {
        Some(AttributeValue::N(version)) => version.to_i64(),
        _ => None,
    })
    .unwrap_or(0)
}

type Acknowledged = BTreeMap<(i64, i64), i64>;

/// Lets a copy of this program write until it has acknowledged so many writes, kills it, and returns the last
/// version acknowledged of each item.
fn write_and_kill(folder: &Path, writes: u64, encrypted: bool) -> Acknowledged {
    let program = std::env::current_exe().expect("a test is a program");
    let mut child = Command::new(program)
        .args(["--exact", "write_until_killed", "--nocapture"])
        .env(FOLDER_VARIABLE, folder)
        .envs(encrypted.then_some((ENCRYPTED_VARIABLE, "1")))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts again");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut acknowledged = Acknowledged::new();
    let mut line = String::new();
    let mut seen = 0;
    // Everything printed before the kill is read. A line without its end was cut off.
    while lines.read_line(&mut line).is_ok_and(|bytes| bytes > 0) && line.ends_with('\n') {
        if let Some((item, version)) = parse(&line) {
            acknowledged.insert(item, version);
            seen += 1;
            if seen == writes {
                child.kill().expect("it runs until it is killed");
            }
        }
        line.clear();
    }
    child.wait().expect("it was killed");
    assert!(seen >= writes, "it ended by itself after {seen} writes");
    acknowledged
}

fn parse(line: &str) -> Option<((i64, i64), i64)> {
    let mut words = line.split_whitespace();
    // The test harness prints in front of the first line.
    words.find(|word| *word == "wrote")?;
    let mut number = || words.next()?.parse().ok();
    Some(((number()?, number()?), number()?))
}

#[test]
fn acknowledged_writes_survive_kill_9() {
    kill_and_look(false);
}

#[test]
fn acknowledged_writes_of_an_encrypted_database_survive_kill_9() {
    kill_and_look(true);
}

fn kill_and_look(encrypted: bool) {
    let mut options = small_options();
    options.store.key = encrypted.then(|| Key::from_bytes([6; 32]));
    let rounds = if std::env::var_os(LONG_VARIABLE).is_some() { 20 } else { 3 };
    let folder = tempfile::tempdir().unwrap();
    let seed = Random::seed();
    let mut random = Random::new(seed);
    let mut acknowledged = Acknowledged::new();
    for round in 0..rounds {
        // A later round writes on in the folder that an earlier one left.
        acknowledged.extend(write_and_kill(folder.path(), 20 + random.below(1_500), encrypted));
        let database = Database::open_with(folder.path(), options.clone()).unwrap();
        for (&(writer, number), last) in &mut acknowledged {
            let found = version(&database, writer, number);
            // The write that was under way may be there as well; the writer has only one.
            assert!(
                (*last..=*last + 1).contains(&found),
                "round {round} of seed {seed}: {found}, not {last}"
            );
            if number % 4 == 0 {
                let twin = version(&database, writer, -number - 1);
                assert_eq!(found, twin, "round {round} of seed {seed}: half of a transaction");
            }
            // Data that was seen once stays.
            *last = found;
        }
        assert_agreement(&database, TABLE);
        assert_stream_tells_all(&database);
        assert_recovery_reaches(&database);
    }
}

/// The latest moment is the table; the first one is the empty table, which takes undoing every change there ever was.
fn assert_recovery_reaches(database: &Database) {
    // The writer may have been killed before it turned recovery on.
    let Some(window) = database.recovery_window(TABLE).unwrap() else { return };
    let recovered = |target: &str, time_ms| {
        let request = RestoreToTime::new(TABLE, target).at_ms(time_ms);
        database.restore_whole_to_time(request, &mut |_| ()).unwrap();
        let items = assert_agreement(database, target);
        database.delete_table(target).unwrap();
        items
    };
    assert_eq!(sorted(recovered("latest", window.latest_ms)), sorted(scan_all(database, &Scan::new(TABLE))));
    assert_eq!(recovered("first", window.earliest_ms), []);
}

/// The records of the stream, one after the other, make of nothing exactly the table: none is lost, none is there twice,
/// and none is of a write that is not.
fn assert_stream_tells_all(database: &Database) {
    let mut items: Vec<(Item, Item)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for record in stream_records(database, &stream_arn(database, TABLE)) {
        let key = decode(&record.keys);
        let place = *places.entry(format!("{key:?}")).or_insert(items.len());
        let old = record.old_image.as_ref().map(decode);
        assert_eq!(old.as_ref(), items.get(place).map(|(_, item)| item), "{record:?}");
        let new = record.new_image.as_ref().map(decode).expect("nothing is deleted");
        match items.get_mut(place) {
            Some(item) => item.1 = new,
            None => items.push((key, new)),
        }
    }
    let table = scan_all(database, &Scan::new(TABLE));
    assert_eq!(table.len(), items.len());
    for item in table {
        let key = key_of(&item, &["writer", "number"]);
        let told = items.iter().find(|(told, _)| *told == key).map(|(_, item)| item);
        assert_eq!(told, Some(&item));
    }
}

/// A table on a disk that can be made to fail, with some items.
fn on_controlled_disk() -> (Arc<MemoryDisk>, ControlledDisk, Database) {
    let inner = Arc::new(MemoryDisk::new());
    let disk = ControlledDisk::new(inner.clone());
    let database = Database::open_on(disk.as_disk(), small_options()).unwrap();
    database.create_table(indexed_table()).unwrap();
    for number in 0..50 {
        database.put_item(PutItem::new(TABLE, versioned(0, number, 1))).unwrap();
    }
    (inner, disk, database)
}

#[test]
fn a_failed_sync_stops_writes_with_a_clear_error() {
    let (_, disk, database) = on_controlled_disk();
    disk.fail_syncs();
    let refused = database.put_item(PutItem::new(TABLE, versioned(0, 0, 2))).unwrap_err();
    assert!(matches!(refused, Error::Storage(_)), "{refused:?}");
    assert!(refused.to_string().contains("the disk is broken"), "{refused}");
    // A disk that lost a sync is not trusted again, even if the next one works.
    disk.mend();
    let update = UpdateItem::new(TABLE, key(0, 1), update("SET seen = :yes", item! { ":yes" => true }));
    let later = [
        database.put_item(PutItem::new(TABLE, versioned(0, 0, 3))).map(drop),
        database.update_item(update).map(drop),
        database.delete_item(DeleteItem::new(TABLE, key(0, 0))).map(drop),
        database
            .transact_write(TransactWrite::new(vec![PutItem::new(TABLE, versioned(0, 0, 3)).into()]))
            .map(drop),
        database.create_table(CreateTable::new("another", "id", ScalarType::S)).map(drop),
        database.delete_table(TABLE).map(drop),
    ];
    for outcome in later {
        let error = outcome.unwrap_err();
        assert!(error.to_string().contains("the disk is broken"), "the reason is told again: {error}");
    }
}

#[test]
fn reads_go_on_after_a_failed_sync() {
    let (_, disk, database) = on_controlled_disk();
    disk.fail_syncs();
    let lost = database.put_item(PutItem::new(TABLE, versioned(0, 0, 2)));
    assert!(lost.is_err(), "{lost:?}");
    assert_eq!(version(&database, 0, 0), 1, "what was not acknowledged is not shown");
    assert_eq!(assert_agreement(&database, TABLE).len(), 50);
}

#[test]
fn opening_again_after_a_failed_sync_finds_every_acknowledged_write() {
    let seed = Random::seed();
    let mut random = Random::new(seed);
    for round in 0..10 {
        let (inner, disk, database) = on_controlled_disk();
        disk.fail_after_syncs(random.below(40) as usize);
        let acknowledged: Vec<Acknowledged> = thread::scope(|scope| {
            let writers: Vec<_> = (1..=WRITERS)
                .map(|writer| {
                    scope.spawn({
                        let database = &database;
                        move || write_until_refused(database, writer)
                    })
                })
                .collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).collect()
        });
        drop(database);
        let database = Database::open_on(inner, small_options()).unwrap();
        for ((writer, number), last) in acknowledged.into_iter().flatten() {
            let found = version(&database, writer, number);
            assert!((last..=last + 1).contains(&found), "round {round} of seed {seed}: {found}, not {last}");
        }
        assert_agreement(&database, TABLE);
        database.put_item(PutItem::new(TABLE, versioned(0, 0, 9))).unwrap();
    }
}

fn write_until_refused(database: &Database, writer: i64) -> Acknowledged {
    let mut acknowledged = Acknowledged::new();
    for version in 1.. {
        for number in 0..10 {
            match database.put_item(PutItem::new(TABLE, versioned(writer, number, version))) {
                Ok(_) => acknowledged.insert((writer, number), version),
                Err(_) => return acknowledged,
            };
        }
    }
    acknowledged
}

#[test]
fn a_closed_database_finishes_its_writes_and_refuses_later_ones() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open_with(folder.path(), small_options()).unwrap();
    database.create_table(indexed_table()).unwrap();
    let pending: Vec<_> = (0..30)
        .map(|number| database.submit_put_item(PutItem::new(TABLE, versioned(0, number, 1))))
        .collect();
    database.close().unwrap();
    for put in pending {
        put.wait().unwrap();
    }
    let refused = database.put_item(PutItem::new(TABLE, versioned(0, 0, 2)));
    assert!(matches!(refused, Err(Error::Closed)), "{refused:?}");
    drop(database);
    let database = Database::open_with(folder.path(), small_options()).unwrap();
    assert_eq!(assert_agreement(&database, TABLE).len(), 30);
}

#[test]
fn a_folder_is_open_in_one_place_only() {
    let folder = tempfile::tempdir().unwrap();
    let first = Database::open(folder.path()).unwrap();
    let second = Database::open(folder.path());
    assert!(matches!(second, Err(Error::FolderInUse { .. })), "{second:?}");
    drop(first);
    Database::open(folder.path()).unwrap();
}

#[test]
fn the_last_clone_closes_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    let clone = database.clone();
    drop(database);
    clone.create_table(CreateTable::new(TABLE, "id", ScalarType::S)).unwrap();
    drop(clone);
    let database = Database::open(folder.path()).unwrap();
    assert_eq!(database.list_tables(&ListTables::default()).names, [TABLE]);
}

#[test]
fn closing_does_not_wait_for_long_work_to_end() {
    let disk = Arc::new(MemoryDisk::new());
    let database = Database::open_on(disk.clone(), small_options()).unwrap();
    database.create_table(CreateTable::new(TABLE, "id", ScalarType::N)).unwrap();
    for id in 0..1_500 {
        database.submit_put_item(PutItem::new(TABLE, item! { "id" => id, "group" => "g" }));
    }
    let index = IndexDefinition::new("index", &["group"], &[]);
    database
        .update_table(UpdateTable::new(TABLE).attribute("group", ScalarType::S).create_index(index))
        .unwrap();
    database.close().unwrap();
    drop(database);
    let database = Database::open_on(disk, small_options()).unwrap();
    wait_until_settled(&database, TABLE);
    assert_eq!(assert_agreement(&database, TABLE).len(), 1_500);
}

#[test]
fn a_database_in_memory_starts_empty() {
    let database = small_database();
    database.create_table(indexed_table()).unwrap();
    assert_eq!(small_database().list_tables(&ListTables::default()).names, Vec::<String>::new());
}
