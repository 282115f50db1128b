//! Capacity as DynamoDB counts it, and the size of item collections.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{
    BatchGet, BatchGetTable, BatchWrite, BatchWriteAction, Consumed, CreateTable, Database, DeleteItem,
    GetItem, IndexDefinition, ItemCollection, ProjectedAttributes, PutItem, Query, ScalarType, Scan, Select,
    TransactAction, TransactGet, TransactGetItem, TransactWrite, Units, UpdateItem,
};
use support::{condition, filter, item, key_condition, projection, small_database, update};

const TABLE: &str = "measured";
const KB: usize = 1024;

/// A table with a local index that carries only keys and a global one that carries `carried`.
fn database() -> Database {
    let database = small_database();
    let include = ProjectedAttributes::Include(vec!["carried".to_owned()]);
    let table = CreateTable::new(TABLE, "pk", ScalarType::S)
        .sort_key("sk", ScalarType::S)
        .attribute("l", ScalarType::S)
        .attribute("g", ScalarType::S)
        .local_index(IndexDefinition::new("local", &["pk"], &["l"]).projection(ProjectedAttributes::KeysOnly))
        .global_index(IndexDefinition::new("global", &["g"], &[]).projection(include));
    database.create_table(table).unwrap();
    database
}

fn key(sk: &str) -> Item {
    item! { "pk" => "p", "sk" => sk }
}

/// An item of so many bytes.
fn sized(sk: &str, bytes: usize) -> Item {
    padded(key(sk), bytes)
}

fn padded(mut item: Item, bytes: usize) -> Item {
    let rest = item.size_bytes() + "body".len();
    item.insert("body", "x".repeat(bytes - rest));
    assert_eq!(item.size_bytes(), bytes);
    item
}

fn put(database: &Database, item: Item) -> Consumed {
    database.put_item(PutItem::new(TABLE, item)).unwrap().consumed
}

fn set(database: &Database, sk: &str, text: &str, values: Item) -> Consumed {
    database.update_item(UpdateItem::new(TABLE, key(sk), update(text, values))).unwrap().consumed
}

fn delete(database: &Database, sk: &str) -> Consumed {
    database.delete_item(DeleteItem::new(TABLE, key(sk))).unwrap().consumed
}

/// Table units, then those of the indexes by name.
fn parts(consumed: &Consumed) -> (f64, Vec<(&str, f64)>) {
    let indexes = consumed.local_indexes.iter().chain(&consumed.global_indexes);
    (consumed.table_units.total(), indexes.map(|(name, units)| (name.as_str(), units.total())).collect())
}

#[test]
fn a_get_costs_a_unit_for_each_four_kilobytes_and_half_of_it_when_eventual() {
    let database = database();
    for (bytes, units) in [(100, 1.0), (4 * KB, 1.0), (4 * KB + 1, 2.0), (20 * KB, 5.0)] {
        put(&database, sized("a", bytes));
        let strong = database.get_item(&GetItem::new(TABLE, key("a"))).unwrap();
        assert_eq!(strong.consumed.total(), Units::read(units), "{bytes} bytes");
        let eventual = GetItem { consistent: false, ..GetItem::new(TABLE, key("a")) };
        assert_eq!(database.get_item(&eventual).unwrap().consumed.total(), Units::read(units / 2.0));
    }
}

#[test]
fn a_missing_item_costs_the_least_read() {
    let database = database();
    let missing = database.get_item(&GetItem::new(TABLE, key("a"))).unwrap();
    assert_eq!(missing.consumed.total(), Units::read(1.0));
}

#[test]
fn a_projection_saves_nothing() {
    let database = database();
    put(&database, sized("a", 9 * KB));
    let get = GetItem::new(TABLE, key("a")).projection(projection("sk"));
    assert_eq!(database.get_item(&get).unwrap().consumed.total(), Units::read(3.0));
}

#[test]
fn a_batch_rounds_each_item_and_a_query_their_sum() {
    let database = database();
    for sk in ["a", "b", "c"] {
        put(&database, sized(sk, KB));
    }
    let keys = ["a", "b", "c", "missing"].map(key).to_vec();
    let batch = BatchGet { tables: vec![BatchGetTable::new(TABLE, keys)] };
    let batch = database.batch_get(&batch).unwrap();
    assert_eq!(batch.tables[0].consumed.total(), Units::read(4.0));
    let query = Query::new(TABLE, key_condition("pk = :pk", item! { ":pk" => "p" }));
    assert_eq!(database.query(&query).unwrap().consumed.total(), Units::read(1.0));
    let eventual = Query { consistent: false, ..query };
    assert_eq!(database.query(&eventual).unwrap().consumed.total(), Units::read(0.5));
}

#[test]
fn a_filter_or_a_count_saves_nothing() {
    let database = database();
    for sk in ["a", "b", "c"] {
        put(&database, sized(sk, 4 * KB));
    }
    let nothing = filter("attribute_exists(nowhere)", item! {});
    let scan = Scan { consistent: true, ..Scan::new(TABLE) };
    let filtered = database.scan(&scan.clone().filter(nothing)).unwrap();
    assert_eq!((filtered.count, filtered.scanned_count), (0, 3));
    assert_eq!(filtered.consumed.total(), Units::read(3.0));
    let counted = database.scan(&scan.clone().select(Select::Count)).unwrap();
    assert!(counted.items.is_none());
    assert_eq!((counted.count, counted.consumed.total()), (3, Units::read(3.0)));
    let limited = database.scan(&scan.limit(2)).unwrap();
    assert_eq!(limited.consumed.total(), Units::read(2.0));
}

#[test]
fn an_empty_page_costs_the_least_read() {
    let database = database();
    let query = Query::new(TABLE, key_condition("pk = :pk", item! { ":pk" => "nobody" }));
    assert_eq!(database.query(&query).unwrap().consumed.total(), Units::read(1.0));
}

#[test]
fn a_transaction_reads_at_twice_the_price() {
    let database = database();
    put(&database, sized("a", 5 * KB));
    let items = ["a", "missing"].map(|sk| TransactGetItem::new(TABLE, key(sk))).to_vec();
    let outcome = database.transact_get(&TransactGet { items }).unwrap();
    let units: Vec<Units> = outcome.consumed.iter().map(Consumed::total).collect();
    assert_eq!(units, [Units::read(6.0)]);
}

#[test]
fn an_index_is_read_by_the_size_of_its_entries() {
    let database = database();
    for sk in ["a", "b"] {
        let item = padded(item! { "pk" => "p", "sk" => sk, "l" => "l", "g" => "g" }, 20 * KB);
        put(&database, item);
    }
    let global = Query::new(TABLE, key_condition("g = :g", item! { ":g" => "g" })).index("global");
    let consumed = database.query(&global).unwrap().consumed;
    assert_eq!(parts(&consumed), (0.0, vec![("global", 0.5)]));
    let scanned = database.scan(&Scan::new(TABLE).index("global")).unwrap().consumed;
    assert_eq!(parts(&scanned), (0.0, vec![("global", 0.5)]));
    let local = Query::new(TABLE, key_condition("pk = :pk", item! { ":pk" => "p" })).index("local");
    let consumed = database.query(&Query { consistent: true, ..local }).unwrap().consumed;
    assert_eq!(parts(&consumed), (0.0, vec![("local", 1.0)]));
}

#[test]
fn what_a_local_index_does_not_carry_is_fetched_item_by_item() {
    let database = database();
    for (sk, bytes) in [("a", KB), ("b", 5 * KB)] {
        put(&database, padded(item! { "pk" => "p", "sk" => sk, "l" => "l" }, bytes));
    }
    let local = Query::new(TABLE, key_condition("pk = :pk", item! { ":pk" => "p" })).index("local");
    let whole = local.clone().select(Select::AllAttributes);
    let projected = local.projection(projection("sk, body"));
    for query in [whole, projected] {
        let page = database.query(&query).unwrap();
        assert!(page.items.unwrap().iter().all(|item| item.view().get("body").is_some()));
        assert_eq!(parts(&page.consumed), (0.5 + 1.0, vec![("local", 0.5)]));
    }
}

#[test]
fn a_write_costs_a_unit_for_each_kilobyte_of_the_larger_item() {
    let database = database();
    let cases = [(100, 1.0), (KB, 1.0), (KB + 1, 2.0), (3 * KB, 3.0), (100, 3.0), (100, 1.0)];
    for (bytes, units) in cases {
        let consumed = put(&database, sized("a", bytes));
        assert_eq!(consumed.total(), Units::write(units), "{bytes} bytes");
    }
}

#[test]
fn an_update_costs_the_whole_item_however_little_it_changes() {
    let database = database();
    put(&database, sized("a", 3 * KB));
    assert_eq!(set(&database, "a", "SET x = :x", item! { ":x" => 1 }).total(), Units::write(4.0));
    assert_eq!(set(&database, "a", "REMOVE body", item! {}).total(), Units::write(4.0));
    assert_eq!(set(&database, "a", "REMOVE body", item! {}).total(), Units::write(1.0));
}

#[test]
fn a_delete_costs_what_it_deletes() {
    let database = database();
    put(&database, sized("a", 3 * KB));
    assert_eq!(delete(&database, "a").total(), Units::write(3.0));
    assert_eq!(delete(&database, "a").total(), Units::write(1.0), "also when nothing is there");
}

#[test]
fn an_index_costs_by_what_happens_to_the_entry() {
    let database = database();
    put(&database, sized("a", 100));
    let steps = [
        ("enters", "SET g = :v", item! { ":v" => "first" }, vec![("global", 1.0)]),
        ("nothing changed", "SET g = :v", item! { ":v" => "first" }, vec![]),
        ("projected attribute changed", "SET carried = :v", item! { ":v" => "c" }, vec![("global", 1.0)]),
        ("other attribute changed", "SET aside = :v", item! { ":v" => "o" }, vec![]),
        ("moves", "SET g = :v", item! { ":v" => "second" }, vec![("global", 2.0)]),
        ("leaves", "REMOVE g", item! {}, vec![("global", 1.0)]),
        ("is not there", "SET carried = :v", item! { ":v" => "d" }, vec![]),
        ("both enter", "SET g = :v, l = :v", item! { ":v" => "x" }, vec![("local", 1.0), ("global", 1.0)]),
    ];
    for (step, text, values, indexes) in steps {
        let consumed = set(&database, "a", text, values);
        assert_eq!(parts(&consumed), (1.0, indexes), "{step}");
    }
    assert_eq!(parts(&delete(&database, "a")), (1.0, vec![("local", 1.0), ("global", 1.0)]), "deleted");
}

#[test]
fn an_index_costs_by_the_size_of_its_entry() {
    let database = database();
    let carrying = |bytes: usize| {
        let item = item! { "pk" => "p", "sk" => "a", "g" => "g", "carried" => "x".repeat(bytes) };
        padded(item, 10 * KB)
    };
    assert_eq!(parts(&put(&database, carrying(10))), (10.0, vec![("global", 1.0)]));
    assert_eq!(parts(&put(&database, carrying(3 * KB))), (10.0, vec![("global", 4.0)]), "the larger entry");
    assert_eq!(parts(&put(&database, carrying(10))), (10.0, vec![("global", 4.0)]), "the larger entry");
    let moved =
        set(&database, "a", "SET g = :g, carried = :c", item! { ":g" => "h", ":c" => "x".repeat(2 * KB) });
    // Each side of a move by its own size: one for the entry that goes, three for the one that comes.
    assert_eq!(parts(&moved).1, [("global", 4.0)]);
}

#[test]
fn a_transaction_writes_at_twice_the_price_on_the_table_only() {
    let database = database();
    put(&database, item! { "pk" => "p", "sk" => "deleted", "g" => "g" });
    let exists = condition("attribute_not_exists(pk)", item! {});
    let actions = vec![
        PutItem::new(TABLE, padded(item! { "pk" => "p", "sk" => "a", "g" => "g", "l" => "l" }, 2 * KB))
            .into(),
        DeleteItem::new(TABLE, key("deleted")).into(),
        TransactAction::check(TABLE, key("missing"), exists),
    ];
    let outcome = database.transact_write(TransactWrite::new(actions)).unwrap();
    let [consumed] = outcome.consumed.as_slice() else { panic!("one table: {outcome:?}") };
    assert_eq!(parts(consumed), (4.0 + 2.0 + 2.0, vec![("local", 1.0), ("global", 2.0)]));
}

#[test]
fn a_batch_adds_up_by_table() {
    let database = database();
    database.create_table(CreateTable::new("other", "pk", ScalarType::S)).unwrap();
    put(&database, sized("deleted", 2 * KB));
    let batch = BatchWrite::new(vec![
        BatchWriteAction::Put {
            table: TABLE.to_owned(),
            item: padded(item! { "pk" => "p", "sk" => "a", "g" => "g" }, 3 * KB),
        },
        BatchWriteAction::Put { table: "other".to_owned(), item: item! { "pk" => "p" } },
        BatchWriteAction::Delete { table: TABLE.to_owned(), key: key("deleted") },
    ]);
    let outcome = database.batch_write(batch).unwrap();
    let consumed: Vec<_> =
        outcome.consumed.iter().map(|consumed| (consumed.table.as_str(), parts(consumed))).collect();
    assert_eq!(consumed, [(TABLE, (5.0, vec![("global", 1.0)])), ("other", (1.0, vec![]))]);
}

fn collection() -> ItemCollection {
    ItemCollection { key_name: "pk".to_owned(), key: AttributeValue::from("p"), size_estimate_gb: (0.0, 1.0) }
}

#[test]
fn a_write_reports_its_item_collection_when_asked() {
    let database = database();
    let put = PutItem::new(TABLE, sized("a", 100));
    assert_eq!(database.put_item(put.clone()).unwrap().collection, None);
    assert_eq!(database.put_item(put.collection_metrics()).unwrap().collection, Some(collection()));
    let update = UpdateItem::new(TABLE, key("a"), update("SET l = :l", item! { ":l" => "l" }));
    assert_eq!(database.update_item(update.collection_metrics()).unwrap().collection, Some(collection()));
    let delete = DeleteItem::new(TABLE, key("a")).collection_metrics();
    assert_eq!(database.delete_item(delete.clone()).unwrap().collection, Some(collection()));
    assert_eq!(database.delete_item(delete).unwrap().collection, None, "nothing was there");
}

#[test]
fn a_table_without_local_indexes_has_no_item_collections() {
    let database = small_database();
    database.create_table(CreateTable::new(TABLE, "pk", ScalarType::S)).unwrap();
    let put = PutItem::new(TABLE, item! { "pk" => "p" }).collection_metrics();
    assert_eq!(database.put_item(put).unwrap().collection, None);
}

#[test]
fn batches_and_transactions_report_each_item_collection() {
    let database = database();
    let batch = BatchWrite {
        actions: vec![BatchWriteAction::Put { table: TABLE.to_owned(), item: sized("a", 100) }],
        collection_metrics: true,
    };
    assert_eq!(database.batch_write(batch).unwrap().collections, [(TABLE.to_owned(), collection())]);
    let actions = vec![PutItem::new(TABLE, sized("b", 100)).into()];
    let transaction = TransactWrite { collection_metrics: true, ..TransactWrite::new(actions) };
    assert_eq!(database.transact_write(transaction).unwrap().collections, [(TABLE.to_owned(), collection())]);
}
