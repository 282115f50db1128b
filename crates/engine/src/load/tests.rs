//! A loaded table is the table that ordinary writes would have made.

use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use proptest::prelude::*;
use singlet_values::{AttributeValue, EncodedItem, Item};

use super::{JOB_ROWS_MAX, LoadRow, Loader};
use crate::background::Background;
use crate::error::{Error, InUse};
use crate::keyspace::{PREFIX_BYTES, RowSpace};
use crate::maintenance::{StreamMaintenance, TableMaintenance};
use crate::options::StreamOptions;
use crate::request::{
    BillingMode, CreateTable, DeleteItem, GetItem, IndexDefinition, ProjectedAttributes,
    ProvisionedThroughput, PutItem, RestoreOverrides, ScalarType, TableStatus, UpdateTable,
};
use crate::store::{Direction, MemoryDisk, Store, StoreOptions, SystemClock, Tally};
use crate::table::{Birth, LoadSource, Table};
use crate::write::Expected;
use crate::{Database, Options};

const LOADED: &str = "loaded";
const WRITTEN: &str = "written";

fn definition(name: &str) -> CreateTable {
    CreateTable::new(name, "pk", ScalarType::N)
        .sort_key("sk", ScalarType::N)
        .attribute("n", ScalarType::N)
        .attribute("s", ScalarType::S)
        .local_index(IndexDefinition::new("local", &["pk"], &["n"]))
        .global_index(IndexDefinition::new("global", &["s"], &["n"]))
        .global_index(
            IndexDefinition::new("some", &["n"], &[])
                .projection(ProjectedAttributes::Include(vec!["x".to_owned()])),
        )
}

/// A database and the way to it that a loader takes.
fn open_on(disk: &Arc<MemoryDisk>) -> Database {
    let store = StoreOptions { overlay_bytes_max: 64 << 10, ..StoreOptions::default() };
    Database::open_on(disk.clone(), Options { store, ..Options::default() }).unwrap()
}

fn begin(database: &Database, name: &str) -> Loader {
    Loader::begin(database.background(), definition(name), LoadSource::Import).unwrap()
}

fn put(item: &Item) -> LoadRow {
    LoadRow::Put(EncodedItem::encode(item))
}

type Contents = (Vec<(Vec<u8>, Bytes)>, Vec<(u16, Tally)>);

/// All rows of a table in all of its spaces, without its number, and the totals of each space.
fn contents(database: &Database, name: &str) -> Contents {
    let view = database.view();
    let table = view.catalogue().resource(name).unwrap();
    let (from, to) = (RowSpace::items(table.number).prefix(), RowSpace::items(table.number + 1).prefix());
    let rows = view.range(Bound::Included(&from), Bound::Excluded(&to), Direction::Forward);
    let rows = rows.map(|row| row.unwrap()).map(|(key, value)| (key[4..].to_vec(), value)).collect();
    let tallies = (0..=3).map(|space| (space, view.tally(RowSpace::index(table.number, space).tally())));
    (rows, tallies.collect())
}

#[derive(Debug, Clone)]
enum Change {
    Put(Item),
    Delete(Item),
}

fn change() -> impl Strategy<Value = Change> {
    let item = (0..3i64, 0..6i64, proptest::option::of(0..3i64), proptest::option::of("[ab]"), "[xy]{0,3}");
    let put = item.prop_map(|(pk, sk, n, s, x)| {
        let mut item = Item::from([("pk", pk), ("sk", sk)]);
        if let Some(n) = n {
            item.insert("n", n);
        }
        if let Some(s) = s {
            item.insert("s", s);
        }
        item.insert("x", x);
        Change::Put(item)
    });
    let delete = (0..3i64, 0..6i64).prop_map(|(pk, sk)| Change::Delete(Item::from([("pk", pk), ("sk", sk)])));
    prop_oneof![4 => put, 1 => delete]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn rows_that_replace_and_remove_others_leave_what_ordinary_writes_leave(
        changes in proptest::collection::vec(change(), 0..60),
    ) {
        let database = open_on(&Arc::default());
        database.create_table(definition(WRITTEN)).unwrap();
        let mut loader = begin(&database, LOADED);
        for change in changes {
            match change {
                Change::Put(item) => {
                    loader.push(put(&item)).unwrap();
                    database.put_item(PutItem::new(WRITTEN, item)).unwrap();
                }
                Change::Delete(key) => {
                    let table = database.view().catalogue().resource(LOADED).unwrap().clone();
                    let row = table.key.row_key(table.items(), EncodedItem::encode(&key).view()).unwrap();
                    let suffix = LoadRow::suffix(&row.into());
                    loader.push(LoadRow::At { suffix, expected: Expected::Anything, item: None }).unwrap();
                    database.delete_item(DeleteItem::new(WRITTEN, key)).unwrap();
                }
            }
        }
        loader.finish().unwrap();
        prop_assert_eq!(contents(&database, LOADED), contents(&database, WRITTEN));
    }
}

#[test]
fn many_rows_come_in_many_jobs_and_progress_counts_them() {
    let database = open_on(&Arc::default());
    let mut loader = begin(&database, LOADED);
    let progress = loader.progress();
    let rows = 5 * JOB_ROWS_MAX as i64 + 7;
    for sk in 0..rows {
        loader.push(put(&Item::from([("pk", 1), ("sk", sk), ("n", 2)]))).unwrap();
    }
    assert!(progress.rows() < rows as u64, "the last rows are not even handed over");
    let description = loader.finish().unwrap();
    assert_eq!((progress.rows(), description.item_count), (rows as u64, rows as u64));
    assert_eq!(description.status, TableStatus::Active);
}

#[test]
fn nobody_uses_a_table_before_its_load_ends() {
    let database = open_on(&Arc::default());
    let mut loader = begin(&database, LOADED);
    assert_eq!(loader.description().status, TableStatus::Creating);
    let item = Item::from([("pk", 1), ("sk", 1)]);
    loader.push(put(&item)).unwrap();
    assert_eq!(database.describe_table(LOADED).unwrap().status, TableStatus::Creating);
    let got = database.get_item(&GetItem::new(LOADED, item.clone()));
    assert!(matches!(got, Err(Error::TableNotFound)), "{got:?}");
    let written = database.put_item(PutItem::new(LOADED, item.clone()));
    assert!(matches!(written, Err(Error::TableNotFound)), "{written:?}");
    let protect = UpdateTable { deletion_protection: Some(true), ..UpdateTable::new(LOADED) };
    for refused in [database.delete_table(LOADED), database.update_table(protect)] {
        assert!(matches!(refused, Err(Error::ResourceInUse(InUse::BeingCreated(_)))), "{refused:?}");
    }
    let again = Loader::begin(database.background(), definition(LOADED), LoadSource::Import).err();
    assert!(matches!(again, Some(Error::ResourceInUse(InUse::TableExists(_)))), "{again:?}");
    loader.finish().unwrap();
    assert_eq!(
        database.get_item(&GetItem::new(LOADED, item.clone())).unwrap().item.unwrap().decode(),
        Ok(item)
    );
    database.delete_table(LOADED).unwrap();
}

#[test]
fn a_load_that_does_not_end_leaves_nothing() {
    let database = open_on(&Arc::default());
    let mut loader = begin(&database, LOADED);
    for sk in 0..1_000 {
        loader.push(put(&Item::from([("pk", 1), ("sk", sk), ("n", 2)]))).unwrap();
    }
    drop(loader);
    assert!(database.describe_table(LOADED).is_err());
    let start = std::time::Instant::now();
    let is_empty = || {
        let view = database.view();
        let (from, to) = (RowSpace::items(1).prefix(), RowSpace::items(9).prefix());
        view.range(Bound::Included(&from), Bound::Excluded(&to), Direction::Forward).next().is_none()
    };
    while !is_empty() {
        assert!(start.elapsed().as_secs() < 30, "the rows are not removed");
        std::thread::yield_now();
    }
}

#[test]
fn opening_removes_a_table_whose_loader_is_gone() {
    let disk = Arc::new(MemoryDisk::new());
    let database = open_on(&disk);
    let mut loader = begin(&database, LOADED);
    for sk in 0..1_000 {
        loader.push(put(&Item::from([("pk", 1), ("sk", sk)]))).unwrap();
    }
    // As if the program had ended here.
    std::mem::forget(loader);
    drop(database);
    let database = open_on(&disk);
    assert!(database.describe_table(LOADED).is_err());
    database.create_table(definition(LOADED)).unwrap();
    assert_eq!(database.describe_table(LOADED).unwrap().item_count, 0);
}

#[test]
fn a_wrong_item_is_refused_and_one_that_misses_an_index_is_not_in_it() {
    let database = open_on(&Arc::default());
    let mut loader = begin(&database, LOADED);
    let missing = loader.push(put(&Item::from([("pk", 1)])));
    assert!(matches!(missing, Err(Error::Invalid(_))), "{missing:?}");
    let mut odd = Item::from([("pk", 1), ("sk", 1)]);
    odd.insert("n", AttributeValue::from("not a number"));
    loader.push(put(&odd)).unwrap();
    let description = loader.finish().unwrap();
    assert_eq!(description.item_count, 1);
    assert_eq!(description.global_indexes.iter().map(|index| index.item_count).sum::<u64>(), 0);
}

#[test]
fn a_closed_database_ends_a_load() {
    let disk: Arc<MemoryDisk> = Arc::default();
    let opened = Store::open(disk, StoreOptions::default(), Arc::new(SystemClock)).unwrap();
    let streams = StreamOptions::default();
    let writer = crate::write::JobHandler::new(String::new(), streams);
    let store = Arc::new(opened.start(Arc::default(), writer).unwrap());
    let streams = StreamMaintenance::new(streams, Arc::default());
    let maintenance = TableMaintenance::start(&store, streams).unwrap();
    let background = Background::new(&store, maintenance.waker());
    let mut loader = Loader::begin(&background, definition(LOADED), LoadSource::Import).unwrap();
    maintenance.stop();
    drop(store);
    loader.push(put(&Item::from([("pk", 1), ("sk", 1)]))).unwrap();
    assert!(matches!(loader.finish(), Err(Error::Closed)));
}

fn source() -> Table {
    let birth = Birth { number: 7, time_ms: 1, arn_prefix: "arn:aws:dynamodb:us-east-1:000000000000:table/" };
    Table::create(definition("source"), birth).unwrap()
}

#[test]
fn a_restored_table_has_the_shape_of_its_source() {
    let made = source().definition("new".to_owned(), RestoreOverrides::default()).unwrap();
    assert_eq!(made, CreateTable { name: "new".to_owned(), ..definition("source") });
}

#[test]
fn a_restored_table_may_leave_indexes_out_and_change_its_billing() {
    let capacity = ProvisionedThroughput { read_units: 3, write_units: 4 };
    let kept =
        IndexDefinition { provisioned: Some(capacity), ..definition("source").global_indexes[0].clone() };
    let overrides = RestoreOverrides {
        billing: Some(BillingMode::Provisioned),
        provisioned: Some(capacity),
        global_indexes: Some(vec![kept.clone()]),
        local_indexes: Some(Vec::new()),
        ..RestoreOverrides::default()
    };
    let made = source().definition("new".to_owned(), overrides).unwrap();
    Table::check(&made).unwrap();
    assert_eq!((made.billing, made.provisioned), (BillingMode::Provisioned, Some(capacity)));
    assert_eq!((made.global_indexes, made.local_indexes), (vec![kept], Vec::new()));
}

#[test]
fn an_index_that_the_source_lacks_is_refused() {
    let other_key = IndexDefinition::new("global", &["n"], &[]);
    for index in [IndexDefinition::new("unknown", &["n"], &[]), other_key] {
        let overrides = RestoreOverrides { global_indexes: Some(vec![index]), ..RestoreOverrides::default() };
        let made = source().definition("new".to_owned(), overrides);
        assert!(matches!(made, Err(Error::Invalid(_))), "{made:?}");
    }
}

#[test]
fn a_row_is_named_without_its_table() {
    let row = RowSpace::items(7).key(b"rest");
    assert_eq!(LoadRow::suffix(&row), Bytes::from_static(b"rest"));
    assert_eq!(row.len(), PREFIX_BYTES + 4);
}
