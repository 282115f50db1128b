//! The largest writes that are allowed are done, not refused as a fault of the server.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use singlet_engine::{
    BatchWrite, BatchWriteAction, CreateTable, Database, Error, IndexDefinition, Invalid,
    ProjectedAttributes, PutItem, ScalarType, StreamView, TransactAction, TransactWrite, UpdateItem,
    UpdateRecovery,
};
use support::{get, item, update};

const TABLE: &str = "large";
/// As large as an item may be, but for its keys.
const ITEM_BYTES: usize = 400 * 1024 - 1_000;

/// A table with so many indexes; they carry all of an item's large attribute, either with the whole item or beside it.
fn database(indexes: usize, whole: bool) -> Database {
    let database = Database::in_memory().unwrap();
    let mut table = CreateTable::new(TABLE, "id", ScalarType::N)
        .attribute("group", ScalarType::S)
        .stream(StreamView::NewAndOldImages);
    for number in 0..indexes {
        let index = IndexDefinition::new(format!("index-{number:02}"), &["group"], &[]);
        let part = ProjectedAttributes::Include(vec!["text".to_owned(), "mark".to_owned()]);
        table = table.global_index(if whole { index } else { index.projection(part) });
    }
    database.create_table(table).unwrap();
    database.update_recovery(UpdateRecovery::on(TABLE)).unwrap();
    database
}

fn large_item(id: i64, letter: &str) -> singlet_engine::values::Item {
    item! { "id" => id, "group" => "all", "text" => letter.repeat(ITEM_BYTES), "likes" => 1 }
}

fn add_like(id: i64) -> TransactAction {
    let add = update("ADD likes :one", item! { ":one" => 1 });
    TransactAction::Update(UpdateItem::new(TABLE, item! { "id" => id }, add))
}

#[test]
fn a_batch_of_ten_megabytes_goes_into_twenty_indexes() {
    for whole in [true, false] {
        let database = database(20, whole);
        let before = database.stats().commits;
        let put = |id: i64| BatchWriteAction::Put { table: TABLE.to_owned(), item: large_item(id, "a") };
        let outcome = database.batch_write(BatchWrite::new((0..25).map(put).collect())).unwrap();
        let description = database.describe_table(TABLE).unwrap();
        assert_eq!(description.item_count, 25);
        assert!(description.global_indexes.iter().all(|index| index.item_count == 25));
        // One account for all parts.
        assert_eq!(outcome.consumed.len(), 1);
        let commits = database.stats().commits - before;
        assert_eq!(commits > 1, !whole, "what fits a commit is one: {commits}");
    }
}

#[test]
fn small_updates_of_a_hundred_large_items_are_one_transaction() {
    let database = database(3, true);
    for id in 0..100 {
        database.put_item(PutItem::new(TABLE, large_item(id, "a"))).unwrap();
    }
    database.transact_write(TransactWrite::new((0..100).map(add_like).collect())).unwrap();
    for id in 0..100 {
        let found = get(&database, TABLE, item! { "id" => id }).unwrap();
        assert_eq!(found.get("likes"), Some(&singlet_engine::values::AttributeValue::from(2)));
    }
}

/// An index entry that carries the whole item shares the item's bytes, so twenty indexes take hardly more than none.
#[test]
fn small_updates_of_large_items_in_twenty_indexes_are_one_transaction() {
    let database = database(20, true);
    for id in 0..40 {
        database.put_item(PutItem::new(TABLE, large_item(id, "a"))).unwrap();
    }
    database.transact_write(TransactWrite::new((0..40).map(add_like).collect())).unwrap();
    let found = get(&database, TABLE, item! { "id" => 39 }).unwrap();
    assert_eq!(found.get("likes"), Some(&singlet_engine::values::AttributeValue::from(2)));
}

#[test]
fn a_transaction_that_no_commit_can_hold_is_refused_as_too_large_and_does_nothing() {
    let database = database(20, false);
    for id in 0..40 {
        database.put_item(PutItem::new(TABLE, large_item(id, "a"))).unwrap();
    }
    let mark = |id: i64| {
        let set = update("SET mark = :mark, likes = :two", item! { ":mark" => "m", ":two" => 2 });
        TransactAction::Update(UpdateItem::new(TABLE, item! { "id" => id }, set))
    };
    let refused = database.transact_write(TransactWrite::new((0..40).map(mark).collect()));
    assert!(
        matches!(refused, Err(Error::Invalid(Invalid::TransactionTooLarge))),
        "{:?}",
        refused.map(|_| "it was done")
    );
    let found = get(&database, TABLE, item! { "id" => 0 }).unwrap();
    assert_eq!(found.get("likes"), Some(&singlet_engine::values::AttributeValue::from(1)));
}
