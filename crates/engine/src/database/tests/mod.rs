//! Tests of rows in the keyspace that answers don't show.

mod expiry;
mod past;
mod room;

use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, Instant};

use singlet_values::Item;

use super::Database;
use crate::keyspace::RowSpace;
use crate::request::{
    CreateTable, DeleteItem, IndexDefinition, PutItem, ScalarType, TransactWrite, UpdateTable,
};
use crate::store::{Direction, ManualClock};
use crate::{Options, StoreOptions};

const TABLE: &str = "purged";
const WORK_ENDS_WITHIN: Duration = Duration::from_secs(30);
const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(1);

/// How many rows there are between two keys.
fn count_rows(database: &Database, from: &[u8], to: &[u8]) -> usize {
    let view = database.view();
    let rows = view.range(Bound::Included(from), Bound::Excluded(to), Direction::Forward);
    rows.collect::<Result<Vec<_>, _>>().unwrap().len()
}

/// How many rows the table with this number has in all of its spaces.
fn count_table_rows(database: &Database, number: u32) -> usize {
    let (from, to) = (RowSpace::items(number).prefix(), RowSpace::items(number + 1).prefix());
    count_rows(database, &from, &to)
}

fn wait_until(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < WORK_ENDS_WITHIN, "maintenance does not come to an end");
        std::thread::park_timeout(LOOK_AGAIN_AFTER);
    }
}

/// A table with a local and a global index, and with items; the first table has number 1.
fn filled(items: i64) -> Database {
    let store = StoreOptions { overlay_bytes_max: 64 << 10, ..StoreOptions::default() };
    let database = Database::in_memory_with(Options { store, ..Options::default() }).unwrap();
    let table = CreateTable::new(TABLE, "pk", ScalarType::N)
        .sort_key("sk", ScalarType::N)
        .attribute("n", ScalarType::N)
        .local_index(IndexDefinition::new("local", &["pk"], &["n"]))
        .global_index(IndexDefinition::new("global", &["n"], &[]));
    database.create_table(table).unwrap();
    for n in 0..items {
        let item = Item::from([("pk", n % 3), ("sk", n), ("n", 7)]);
        database.submit_put_item(PutItem::new(TABLE, item));
    }
    wait_until(|| database.describe_table(TABLE).unwrap().item_count == items as u64);
    database
}

#[test]
fn a_deleted_table_leaves_no_rows() {
    let database = filled(1_500);
    assert_eq!(
        count_table_rows(&database, 1),
        3 * 1_500 + 3,
        "items, two entries each, and three collections"
    );
    database.delete_table(TABLE).unwrap();
    wait_until(|| count_table_rows(&database, 1) == 0);
    let purges = RowSpace::purges();
    wait_until(|| count_rows(&database, &purges.prefix(), &purges.end()) == 0);
}

#[test]
fn a_deleted_index_leaves_no_rows() {
    let database = filled(700);
    database.update_table(UpdateTable::new(TABLE).delete_index("global")).unwrap();
    wait_until(|| database.describe_table(TABLE).unwrap().global_indexes.is_empty());
    assert_eq!(count_table_rows(&database, 1), 2 * 700 + 3);
}

#[test]
fn deleted_items_leave_no_rows() {
    let database = filled(30);
    for n in 0..30 {
        let key = Item::from([("pk", n % 3), ("sk", n)]);
        database.delete_item(DeleteItem::new(TABLE, key)).unwrap();
    }
    assert_eq!(count_table_rows(&database, 1), 0, "nor sizes of collections that are empty");
}

#[test]
fn ended_tokens_do_not_pile_up() {
    let clock = Arc::new(ManualClock::new(1_000));
    let database = Database::in_memory_with(Options { clock: clock.clone(), ..Options::default() }).unwrap();
    database.create_table(CreateTable::new(TABLE, "pk", ScalarType::N)).unwrap();
    for n in 0..50 {
        // Ten at a time end before the next ones are used.
        clock.advance_ms(if n % 10 == 0 { 10 * 60 * 1000 } else { 1 });
        let put = PutItem::new(TABLE, Item::from([("pk", n)]));
        database.transact_write(TransactWrite::new(vec![put.into()]).token(format!("token {n}"))).unwrap();
    }
    for space in [RowSpace::tokens(), RowSpace::token_ends()] {
        assert_eq!(count_rows(&database, &space.prefix(), &space.end()), 10);
    }
}
