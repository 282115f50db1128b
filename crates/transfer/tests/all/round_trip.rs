//! An import restores what was exported.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{Scene, TABLE, contents, definition, to_bucket};
use singlet_engine::values::{AttributeValue, Item, Number};
use singlet_engine::{
    CreateTable, ExportTable, GetItem, ImportCompression, ImportFormat, PutItem, ScalarType, TransactAction,
    TransactWrite, TransferStatus,
};

fn odd_item(pk: i64) -> Item {
    let mut item = Item::from([("pk", pk)]);
    item.insert("sk", format!("line\nend \"{pk}\" \u{0} \u{1F600}"));
    if pk % 3 > 0 {
        item.insert("group", if pk % 3 == 1 { "a" } else { "b" });
    }
    item.insert("n", "-12345678901234567890.1234567890E-20".parse::<Number>().unwrap());
    item.insert("b", AttributeValue::B((0..=255).collect()));
    item.insert("empty", AttributeValue::M(Item::new()));
    item.insert(
        "l",
        AttributeValue::L(vec![AttributeValue::Null, AttributeValue::Bool(true), AttributeValue::from("")]),
    );
    item.insert("ss", AttributeValue::Ss(["x".to_owned(), "y".to_owned()].into()));
    item
}

#[test]
fn an_export_imported_elsewhere_is_the_same_table_with_its_indexes() {
    let (here, there) = (Scene::new(), Scene::new());
    here.database.create_table(definition(TABLE)).unwrap();
    for pk in 0..500 {
        here.database.put_item(PutItem::new(TABLE, odd_item(pk))).unwrap();
    }
    let export = here.export(ExportTable::new(TABLE, to_bucket().prefix("a b/c")));
    assert_eq!(export.items(), contents(&here.database, TABLE, None));
    assert_eq!(export.summary["version"], "2020-06-30");
    assert_eq!(export.summary["exportTime"], "2023-11-14T22:13:20.000Z");
    assert_eq!(export.summary["outputFormat"], "DYNAMODB_JSON");
    let described = here.database.describe_table(TABLE).unwrap();
    assert_eq!(export.summary["billedSizeBytes"], described.size_bytes);
    assert_eq!(export.summary["tableId"], described.id);

    // The bucket is copied to the other machine.
    let data = format!("a b/c/AWSDynamoDB/{}/data", export.description.id);
    for file in std::fs::read_dir(here.bucket().join(&data)).unwrap() {
        let file = file.unwrap();
        there.put_object(
            &format!("in/{}", file.file_name().to_str().unwrap()),
            std::fs::read(file.path()).unwrap(),
        );
    }
    let done = there.import(definition("new"), "in/", ImportFormat::DynamoDbJson, ImportCompression::Gzip);
    assert_eq!((done.status, done.failure), (TransferStatus::Completed, None));
    assert_eq!((done.counts.imported_items, done.counts.errors), (500, 0));
    for index in [None, Some("all"), Some("keys")] {
        assert_eq!(contents(&there.database, "new", index), contents(&here.database, TABLE, index));
    }
    let imported = there.database.describe_table("new").unwrap();
    assert_eq!((imported.item_count, imported.size_bytes), (described.item_count, described.size_bytes));
    assert_eq!(imported.global_indexes[0].item_count, described.global_indexes[0].item_count);
}

#[test]
fn an_empty_table_has_an_export_without_items() {
    let scene = Scene::new();
    scene.database.create_table(definition(TABLE)).unwrap();
    let export = scene.export(ExportTable::new(TABLE, to_bucket()));
    assert!(export.lines.is_empty());
    let prefix = format!("AWSDynamoDB/{}/data/", export.description.id);
    let done = scene.import(definition("new"), &prefix, ImportFormat::DynamoDbJson, ImportCompression::Gzip);
    assert_eq!((done.status, done.counts.processed_items), (TransferStatus::Completed, 0));
    assert_eq!(scene.database.describe_table("new").unwrap().item_count, 0);
}

#[test]
fn an_export_while_money_moves_is_one_moment() {
    const ACCOUNTS: i64 = 40;
    let scene = Scene::new();
    let database = &scene.database;
    database.create_table(CreateTable::new(TABLE, "pk", ScalarType::N)).unwrap();
    for pk in 0..ACCOUNTS {
        database.put_item(PutItem::new(TABLE, Item::from([("pk", pk), ("balance", 100)]))).unwrap();
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..2u64 {
            let stop = &stop;
            scope.spawn(move || {
                let mut random = crate::support::Random::new(thread + 1);
                while !stop.load(Ordering::Relaxed) {
                    // Each thread has its own accounts, so that no other thread changes what it has read.
                    let mut pick = || (random.below(20) * 2 + thread) as i64;
                    let (from, to) = (pick(), pick());
                    if from == to {
                        continue;
                    }
                    let account = |pk: i64, change: i64| {
                        let found = database.get_item(&GetItem::new(TABLE, Item::from([("pk", pk)])));
                        let item = found.unwrap().item.unwrap().decode().unwrap();
                        let AttributeValue::N(balance) = item.get("balance").unwrap() else { panic!() };
                        let balance: i64 = balance.to_string().parse().unwrap();
                        let item = Item::from([("pk", pk), ("balance", balance + change)]);
                        TransactAction::Put(PutItem::new(TABLE, item))
                    };
                    let actions = vec![account(from, -1), account(to, 1)];
                    database.transact_write(TransactWrite::new(actions)).unwrap();
                }
            });
        }
        for _ in 0..10 {
            let export = scene.export(ExportTable::new(TABLE, to_bucket()));
            let sum: i64 = export
                .lines
                .iter()
                .map(|line| line["Item"]["balance"]["N"].as_str().unwrap().parse::<i64>().unwrap())
                .sum();
            assert_eq!((export.lines.len() as i64, sum), (ACCOUNTS, ACCOUNTS * 100));
        }
        stop.store(true, Ordering::Relaxed);
    });
}
