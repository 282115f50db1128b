//! Queries and scans that are refused, and what they return of an item.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{
    CreateTable, Database, Error, IndexDefinition, Invalid, ProjectedAttributes, PutItem, Query, ScalarType,
    Scan, Select,
};
use support::{decode, filter, item, key_condition, projection, small_database};

const TABLE: &str = "orders";

/// A table with a local and a global index that carry only keys.
fn database() -> Database {
    let database = small_database();
    let keys = |name: &str, partition, sort| {
        IndexDefinition::new(name, &[partition], &[sort]).projection(ProjectedAttributes::KeysOnly)
    };
    let table = CreateTable::new(TABLE, "pk", ScalarType::S)
        .sort_key("sk", ScalarType::N)
        .attribute("due", ScalarType::N)
        .attribute("place", ScalarType::S)
        .local_index(keys("local", "pk", "due"))
        .global_index(keys("global", "place", "due"));
    database.create_table(table).unwrap();
    for sk in 0..5 {
        database.put_item(PutItem::new(TABLE, order(sk))).unwrap();
    }
    database
}

fn parts(numbers: &[i64]) -> Vec<AttributeValue> {
    numbers.iter().map(|number| AttributeValue::from(*number)).collect()
}

fn order(sk: i64) -> Item {
    item! { "pk" => "p", "sk" => sk, "due" => -sk, "place" => "here", "note" => "n", "parts" => parts(&[1, 2]) }
}

fn of_partition() -> Query {
    Query::new(TABLE, key_condition("pk = :pk", item! { ":pk" => "p" }))
}

fn of_place() -> Query {
    Query::new(TABLE, key_condition("place = :place", item! { ":place" => "here" })).index("global")
}

fn refused(database: &Database, query: Query) -> Invalid {
    match database.query(&query) {
        Err(Error::Invalid(invalid)) => invalid,
        other => panic!("not refused: {other:?}"),
    }
}

fn found(database: &Database, query: &Query) -> Vec<Item> {
    database.query(query).unwrap().items.unwrap().iter().map(decode).collect()
}

#[test]
fn a_global_index_is_not_read_consistently() {
    let query = Query { consistent: true, ..of_place() };
    assert_eq!(refused(&database(), query), Invalid::ConsistentGlobalRead);
    let scan = database().scan(&Scan { consistent: true, ..Scan::new(TABLE).index("global") });
    assert!(matches!(scan, Err(Error::Invalid(Invalid::ConsistentGlobalRead))), "{scan:?}");
}

#[test]
fn an_index_that_is_not_there_is_told() {
    let query = of_partition().index("nowhere");
    assert_eq!(refused(&database(), query), Invalid::NoSuchIndex("nowhere".to_owned()));
}

#[test]
fn a_filter_does_not_name_the_key_that_is_read_by() {
    let database = database();
    let by_sort_key = filter("sk > :sk", item! { ":sk" => 1 });
    let query = of_partition().filter(by_sort_key.clone());
    assert_eq!(refused(&database, query), Invalid::FilterOnKey("sk".to_owned()));
    assert_eq!(found(&database, &of_place().filter(by_sort_key)).len(), 3, "in an index it is no key");
}

#[test]
fn a_start_key_has_exactly_the_attributes_of_a_cursor() {
    let database = database();
    let cursor = item! { "pk" => "p", "sk" => 1 };
    let index_cursor = item! { "pk" => "p", "sk" => 1, "place" => "here", "due" => -1 };
    assert_eq!(found(&database, &of_partition().start_key(Some(cursor.clone()))).len(), 3);
    assert_eq!(found(&database, &of_place().start_key(Some(index_cursor.clone()))).len(), 1);
    for wrong in [item! {}, item! { "pk" => "p" }, item! { "pk" => "p", "sk" => "text" }, index_cursor] {
        let refusal = refused(&database, of_partition().start_key(Some(wrong.clone())));
        assert!(
            matches!(refusal, Invalid::StartKey | Invalid::StartKeyDetail(_) | Invalid::KeyMismatch),
            "{wrong:?}: {refusal:?}"
        );
    }
    assert_eq!(refused(&database, of_place().start_key(Some(cursor))), Invalid::StartKey);
}

#[test]
fn a_start_key_lies_within_what_is_asked_for() {
    let database = database();
    let elsewhere = item! { "pk" => "other", "sk" => 1 };
    assert_eq!(refused(&database, of_partition().start_key(Some(elsewhere))), Invalid::StartKeyOutside);
    let above = key_condition("pk = :pk AND sk > :sk", item! { ":pk" => "p", ":sk" => 2 });
    let below = item! { "pk" => "p", "sk" => 1 };
    let query = Query::new(TABLE, above).start_key(Some(below));
    assert_eq!(refused(&database, query), Invalid::StartKeyPredicate);
}

#[test]
fn a_start_key_belongs_to_the_segment_that_is_scanned() {
    const SEGMENTS: u32 = 4;
    let database = database();
    let cursor = database.scan(&Scan::new(TABLE).limit(1)).unwrap().last_key;
    let taken = (0..SEGMENTS).filter(|segment| {
        let scan = Scan::new(TABLE).segment(*segment, SEGMENTS).start_key(cursor.clone());
        match database.scan(&scan) {
            Ok(_) => true,
            Err(Error::Invalid(Invalid::StartKeySegment { .. })) => false,
            Err(error) => panic!("{error}"),
        }
    });
    assert_eq!(taken.count(), 1);
}

#[test]
fn a_global_index_gives_only_what_it_carries() {
    let database = database();
    let all = of_place().select(Select::AllAttributes);
    assert_eq!(refused(&database, all), Invalid::AllAttributesOfIndex("global".to_owned()));
    let not_projected =
        Invalid::NotProjected { index: "global".to_owned(), attributes: "note, parts".to_owned() };
    assert_eq!(refused(&database, of_place().projection(projection("due, note, parts[0]"))), not_projected);
    let carried = item! { "pk" => "p", "sk" => 4, "due" => -4, "place" => "here" };
    assert_eq!(found(&database, &of_place().limit(1)), [carried]);
    assert_eq!(found(&database, &of_place().projection(projection("due")).limit(1)), [item! { "due" => -4 }]);
}

#[test]
fn a_local_index_fetches_what_it_does_not_carry() {
    let database = database();
    let local = of_partition().index("local").limit(1);
    let carried = item! { "pk" => "p", "sk" => 4, "due" => -4 };
    assert_eq!(found(&database, &local), [carried]);
    assert_eq!(found(&database, &local.clone().select(Select::AllAttributes)), [order(4)]);
    let part = local.projection(projection("note, parts[1]"));
    assert_eq!(found(&database, &part), [item! { "note" => "n", "parts" => parts(&[2]) }]);
}

#[test]
fn projected_attributes_are_asked_of_an_index_only() {
    let query = of_partition().select(Select::AllProjectedAttributes);
    assert_eq!(refused(&database(), query), Invalid::ProjectedWithoutIndex);
}

#[test]
fn a_count_counts_what_passes_and_returns_no_items() {
    let early = filter("due >= :least", item! { ":least" => -2 });
    let page = database().query(&of_partition().filter(early).select(Select::Count)).unwrap();
    assert!(page.items.is_none());
    assert_eq!((page.count, page.scanned_count, page.last_key), (3, 5, None));
}

#[test]
fn a_limit_counts_what_is_read_before_the_filter() {
    let early = filter("due >= :least", item! { ":least" => -2 });
    let page = database().query(&of_partition().filter(early).backward().limit(2)).unwrap();
    assert_eq!((page.count, page.scanned_count), (0, 2));
    assert_eq!(page.last_key, Some(item! { "pk" => "p", "sk" => 3 }));
}
