//! Single items and batches: what is taken, what is refused, and what comes back.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{
    BatchGet, BatchGetTable, BatchWrite, BatchWriteAction, CreateTable, Database, DeleteItem, Error, GetItem,
    Invalid, PutItem, ReturnValues, ScalarType, UpdateItem, WriteOutcome,
};
use support::{assert_agreement, condition, decode, get, item, projection, small_database, update};

const TABLE: &str = "things";
const KB: usize = 1024;

fn database() -> Database {
    let database = small_database();
    let table = CreateTable::new(TABLE, "pk", ScalarType::S).sort_key("sk", ScalarType::B);
    database.create_table(table).unwrap();
    database
}

fn key(sk: u8) -> Item {
    item! { "pk" => "p", "sk" => vec![sk] }
}

fn with(mut item: Item, name: &str, value: impl Into<AttributeValue>) -> Item {
    item.insert(name, value.into());
    item
}

fn invalid<T: std::fmt::Debug>(outcome: Result<T, Error>) -> Invalid {
    match outcome {
        Err(Error::Invalid(invalid)) => invalid,
        other => panic!("not refused: {other:?}"),
    }
}

fn returned(outcome: WriteOutcome) -> Option<Item> {
    outcome.attributes.as_ref().map(decode)
}

#[test]
fn an_item_that_does_not_fit_the_key_is_refused() {
    let database = database();
    let key_type =
        |name: &str, expected, actual| Invalid::KeyType { name: name.to_owned(), expected, actual };
    let empty = |name: &str, kind| Invalid::EmptyKey { name: name.to_owned(), kind };
    let cases = [
        (item! { "pk" => "p" }, Invalid::MissingKey("sk".to_owned())),
        (item! { "sk" => vec![1u8] }, Invalid::MissingKey("pk".to_owned())),
        (with(key(1), "pk", 7), key_type("pk", "S", "N")),
        (with(key(1), "sk", "text"), key_type("sk", "B", "S")),
        (with(key(1), "pk", ""), empty("pk", "string")),
        (with(key(1), "sk", Vec::<u8>::new()), empty("sk", "binary")),
        (with(key(1), "pk", "x".repeat(2 * KB + 1)), Invalid::PartitionKeyTooLong),
        (with(key(1), "sk", vec![0u8; KB + 1]), Invalid::SortKeyTooLong),
    ];
    for (item, expected) in cases {
        assert_eq!(invalid(database.put_item(PutItem::new(TABLE, item.clone()))), expected, "{item:?}");
    }
    assert_eq!(assert_agreement(&database, TABLE), []);
}

#[test]
fn keys_of_the_largest_size_are_taken() {
    let database = database();
    // Zeros are the bytes that take more room in a row key than in the item.
    let item = item! { "pk" => "\0".repeat(2 * KB), "sk" => vec![0u8; KB] };
    database.put_item(PutItem::new(TABLE, item.clone())).unwrap();
    assert_eq!(get(&database, TABLE, item.clone()), Some(item));
}

#[test]
fn a_key_that_is_looked_up_has_exactly_the_key_attributes() {
    let database = database();
    let update = || update("SET a = :a", item! { ":a" => 1 });
    for wrong in [
        item! {},
        item! { "pk" => "p" },
        with(key(1), "a", 1),
        with(key(1), "sk", 1),
        item! { "a" => 1, "b" => 2 },
    ] {
        let outcomes = [
            database.get_item(&GetItem::new(TABLE, wrong.clone())).map(drop),
            database.delete_item(DeleteItem::new(TABLE, wrong.clone())).map(drop),
            database.update_item(UpdateItem::new(TABLE, wrong.clone(), update())).map(drop),
        ];
        for outcome in outcomes {
            assert_eq!(invalid(outcome), Invalid::KeyMismatch, "{wrong:?}");
        }
    }
}

#[test]
fn four_hundred_kilobytes_are_the_most() {
    let database = database();
    let rest = with(key(1), "body", "").size_bytes();
    let sized = |bytes: usize| with(key(1), "body", "x".repeat(bytes - rest));
    database.put_item(PutItem::new(TABLE, sized(400 * KB))).unwrap();
    assert_eq!(invalid(database.put_item(PutItem::new(TABLE, sized(400 * KB + 1)))), Invalid::ItemTooLarge);
    let grow = UpdateItem::new(TABLE, key(1), update("SET a = :a", item! { ":a" => 1 }));
    assert_eq!(invalid(database.update_item(grow)), Invalid::UpdatedItemTooLarge);
    assert_eq!(get(&database, TABLE, key(1)), Some(sized(400 * KB)), "the refused update left it as it was");
}

#[test]
fn nesting_has_a_bottom() {
    let database = database();
    let nested = |levels: usize| (0..levels).fold(AttributeValue::from(1), |value, _| vec![value].into());
    let deepest = with(key(1), "a", nested(AttributeValue::DEPTH_MAX));
    database.put_item(PutItem::new(TABLE, deepest.clone())).unwrap();
    assert_eq!(get(&database, TABLE, key(1)), Some(deepest));
    let deeper = with(key(1), "a", nested(AttributeValue::DEPTH_MAX + 1));
    assert_eq!(invalid(database.put_item(PutItem::new(TABLE, deeper))), Invalid::TooDeep);
}

#[test]
fn equal_numbers_are_one_key_however_they_are_written() {
    let database = small_database();
    database.create_table(CreateTable::new(TABLE, "n", ScalarType::N)).unwrap();
    let number = |text: &str| item! { "n" => text.parse::<singlet_engine::values::Number>().unwrap() };
    for text in ["100", "1e2", "+100.00", "0100"] {
        database.put_item(PutItem::new(TABLE, number(text))).unwrap();
    }
    assert_eq!(assert_agreement(&database, TABLE), [number("100")]);
}

#[test]
fn a_key_attribute_is_not_updated() {
    let database = database();
    let request = UpdateItem::new(TABLE, key(1), update("SET sk = :sk", item! { ":sk" => vec![2u8] }));
    assert_eq!(invalid(database.update_item(request)), Invalid::KeyUpdate("sk".to_owned()));
}

#[test]
fn a_put_replaces_the_whole_item_and_returns_the_old_one() {
    let database = database();
    let first = with(key(1), "a", 1);
    let put = |item: &Item| PutItem::new(TABLE, item.clone()).return_values(ReturnValues::AllOld);
    assert_eq!(returned(database.put_item(put(&first)).unwrap()), None);
    let second = with(key(1), "b", 2);
    assert_eq!(returned(database.put_item(put(&second)).unwrap()), Some(first));
    assert_eq!(get(&database, TABLE, key(1)), Some(second));
}

#[test]
fn a_delete_returns_what_it_deleted() {
    let database = database();
    database.put_item(PutItem::new(TABLE, with(key(1), "a", 1))).unwrap();
    let delete = DeleteItem::new(TABLE, key(1)).return_values(ReturnValues::AllOld);
    assert_eq!(returned(database.delete_item(delete.clone()).unwrap()), Some(with(key(1), "a", 1)));
    assert_eq!(returned(database.delete_item(delete).unwrap()), None);
}

#[test]
fn an_update_returns_what_was_asked_for() {
    let before = with(with(with(key(1), "a", 1), "b", 2), "c", 3);
    let after = with(with(with(key(1), "a", 10), "d", 4), "c", 3);
    let cases = [
        (ReturnValues::None, None),
        (ReturnValues::AllOld, Some(before.clone())),
        (ReturnValues::AllNew, Some(after)),
        (ReturnValues::UpdatedOld, Some(item! { "a" => 1, "b" => 2 })),
        (ReturnValues::UpdatedNew, Some(item! { "a" => 10, "d" => 4 })),
    ];
    for (values, expected) in cases {
        let database = database();
        database.put_item(PutItem::new(TABLE, before.clone())).unwrap();
        let change = update("SET a = :a, d = :d REMOVE b", item! { ":a" => 10, ":d" => 4 });
        let request = UpdateItem::new(TABLE, key(1), change).return_values(values);
        assert_eq!(returned(database.update_item(request).unwrap()), expected, "{values:?}");
    }
}

#[test]
fn an_update_of_nothing_makes_sure_that_the_item_is_there() {
    let database = database();
    let touch = || UpdateItem {
        update: None,
        ..UpdateItem::new(TABLE, key(1), update("SET a = :a", item! { ":a" => 1 }))
    };
    database.update_item(touch()).unwrap();
    assert_eq!(get(&database, TABLE, key(1)), Some(key(1)));
    database.put_item(PutItem::new(TABLE, with(key(1), "a", 5))).unwrap();
    database.update_item(touch()).unwrap();
    assert_eq!(get(&database, TABLE, key(1)), Some(with(key(1), "a", 5)));
}

#[test]
fn a_failed_condition_changes_nothing_and_shows_the_item_when_asked() {
    let database = database();
    let stored = with(key(1), "a", 1);
    database.put_item(PutItem::new(TABLE, stored.clone())).unwrap();
    let fails = || condition("a > :least", item! { ":least" => 5 });
    let change = || update("SET a = :a", item! { ":a" => 9 });
    let silent = [
        database.put_item(PutItem::new(TABLE, key(1)).condition(fails())),
        database.update_item(UpdateItem::new(TABLE, key(1), change()).condition(fails())),
        database.delete_item(DeleteItem::new(TABLE, key(1)).condition(fails())),
    ];
    for outcome in silent {
        assert!(matches!(outcome, Err(Error::ConditionFailed { item: None })), "{outcome:?}");
    }
    let showing = [
        database.put_item(PutItem::new(TABLE, key(1)).condition(fails()).return_old_on_failure()),
        database
            .update_item(UpdateItem::new(TABLE, key(1), change()).condition(fails()).return_old_on_failure()),
        database.delete_item(DeleteItem::new(TABLE, key(1)).condition(fails()).return_old_on_failure()),
        database.put_item(PutItem::new(TABLE, key(2)).condition(fails()).return_old_on_failure()),
    ];
    let shown: Vec<Option<Item>> = showing
        .into_iter()
        .map(|outcome| match outcome {
            Err(Error::ConditionFailed { item }) => item.as_ref().map(decode),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(shown, [Some(stored.clone()), Some(stored.clone()), Some(stored.clone()), None]);
    assert_eq!(assert_agreement(&database, TABLE), [stored]);
}

#[test]
fn a_write_that_changes_nothing_leaves_no_commit() {
    let database = database();
    database.put_item(PutItem::new(TABLE, with(key(1), "a", 1))).unwrap();
    let before = database.stats().sequence;
    database.put_item(PutItem::new(TABLE, with(key(1), "a", 1))).unwrap();
    let same = update("SET a = :a", item! { ":a" => 1 });
    database.update_item(UpdateItem::new(TABLE, key(1), same)).unwrap();
    database.delete_item(DeleteItem::new(TABLE, key(2))).unwrap();
    assert_eq!(database.stats().sequence, before);
}

#[test]
fn a_write_that_changes_nothing_in_an_item_collection_leaves_no_commit() {
    let database = small_database();
    let table = CreateTable::new(TABLE, "pk", ScalarType::S)
        .sort_key("sk", ScalarType::B)
        .attribute("a", ScalarType::N)
        .local_index(singlet_engine::IndexDefinition::new("local", &["pk"], &["a"]));
    database.create_table(table).unwrap();
    let put = || PutItem::new(TABLE, with(key(1), "a", 1)).collection_metrics();
    database.put_item(put()).unwrap();
    let before = database.stats().sequence;
    assert!(database.put_item(put()).unwrap().collection.is_some(), "it is reported all the same");
    assert_eq!(database.stats().sequence, before);
}

fn put_action(item: Item) -> BatchWriteAction {
    BatchWriteAction::Put { table: TABLE.to_owned(), item }
}

#[test]
fn a_batch_puts_and_deletes() {
    let database = database();
    database.put_item(PutItem::new(TABLE, key(1))).unwrap();
    let delete = BatchWriteAction::Delete { table: TABLE.to_owned(), key: key(1) };
    database.batch_write(BatchWrite::new(vec![put_action(key(2)), delete, put_action(key(3))])).unwrap();
    assert_eq!(assert_agreement(&database, TABLE).len(), 2);
}

#[test]
fn a_refused_batch_does_nothing() {
    let database = database();
    let cases = [
        (vec![put_action(key(1)), put_action(item! { "pk" => "p" })], Invalid::MissingKey("sk".to_owned())),
        (vec![put_action(key(1)), put_action(with(key(1), "a", 1))], Invalid::DuplicateKeys),
        ((0..26).map(|n| put_action(key(n))).collect(), Invalid::TooManyItems("BatchWriteItem")),
    ];
    for (actions, expected) in cases {
        assert_eq!(invalid(database.batch_write(BatchWrite::new(actions))), expected);
    }
    assert_eq!(assert_agreement(&database, TABLE), []);
}

fn batch_get(database: &Database, keys: Vec<Item>) -> Result<Vec<Item>, Error> {
    let outcome = database.batch_get(&BatchGet { tables: vec![BatchGetTable::new(TABLE, keys)] })?;
    Ok(outcome.tables.iter().flat_map(|table| table.items.iter().map(decode)).collect())
}

#[test]
fn a_batch_reads_what_is_there() {
    let database = database();
    for n in [1, 3] {
        database.put_item(PutItem::new(TABLE, with(key(n), "n", i64::from(n)))).unwrap();
    }
    let found = batch_get(&database, vec![key(3), key(2), key(1)]).unwrap();
    assert_eq!(found, [with(key(3), "n", 3), with(key(1), "n", 1)]);
    let projected =
        BatchGetTable { projection: Some(projection("n")), ..BatchGetTable::new(TABLE, vec![key(3)]) };
    let outcome = database.batch_get(&BatchGet { tables: vec![projected] }).unwrap();
    assert_eq!(decode(&outcome.tables[0].items[0]), item! { "n" => 3 });
}

#[test]
fn a_wrong_batch_of_keys_is_refused() {
    let database = database();
    assert_eq!(invalid(batch_get(&database, vec![key(1), key(2), key(1)])), Invalid::DuplicateKeys);
    assert_eq!(invalid(batch_get(&database, vec![item! { "pk" => "p" }])), Invalid::KeyMismatch);
    let many = (0..=100).map(key).collect();
    assert_eq!(invalid(batch_get(&database, many)), Invalid::TooManyItems("BatchGetItem"));
}

#[test]
fn a_batch_that_would_pass_sixteen_megabytes_says_what_is_left() {
    let database = Database::in_memory().unwrap();
    database
        .create_table(CreateTable::new(TABLE, "pk", ScalarType::S).sort_key("sk", ScalarType::B))
        .unwrap();
    let count = 45;
    for n in 0..count {
        let large = with(key(n), "body", "x".repeat(399 * KB));
        database.put_item(PutItem::new(TABLE, large)).unwrap();
    }
    let mut keys: Vec<Item> = (0..count).map(key).collect();
    let mut found = 0;
    let mut calls = 0;
    while !keys.is_empty() {
        let request = BatchGet { tables: vec![BatchGetTable::new(TABLE, keys.clone())] };
        let outcome = database.batch_get(&request).unwrap();
        found += outcome.tables[0].items.len();
        keys = outcome.tables[0].unprocessed.iter().map(|place| keys[*place].clone()).collect();
        calls += 1;
    }
    assert_eq!((found, calls), (usize::from(count), 2));
}
