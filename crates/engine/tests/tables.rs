//! Tables and their indexes: made, described, changed, filled and taken away.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{
    AttributeDefinition, BillingMode, CreateTable, Database, DeleteItem, Error, InUse, IndexDefinition,
    IndexStatus, IndexUpdate, Invalid, KeySchema, ListTables, MemoryDisk, OnDemandThroughput, Options,
    ProjectedAttributes, ProvisionedThroughput, PutItem, Query, ScalarType, Scan, SchemaError, TableClass,
    TableStatus, Tag, UpdateItem, UpdateTable, WarmThroughput,
};
use support::{
    ControlledDisk, Random, START_MS, Stop, assert_agreement, get, item, key_condition, options_with_clock,
    query_all, scan_all, small_database, small_options, sorted, update, wait_until_settled,
};

const TABLE: &str = "recipes";
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

fn table() -> CreateTable {
    CreateTable::new(TABLE, "pk", ScalarType::S).sort_key("sk", ScalarType::N)
}

fn by_cuisine() -> IndexDefinition {
    IndexDefinition::new("by-cuisine", &["cuisine"], &["minutes"])
}

fn add_by_cuisine() -> UpdateTable {
    UpdateTable::new(TABLE)
        .attribute("cuisine", ScalarType::S)
        .attribute("minutes", ScalarType::N)
        .create_index(by_cuisine())
}

fn recipe(n: i64) -> Item {
    item! { "pk" => format!("recipe {}", n % 7), "sk" => n, "cuisine" => format!("cuisine {}", n % 5), "minutes" => n % 3 }
}

fn key(item: &Item) -> Item {
    support::key_of(item, &["pk", "sk"])
}

fn load(database: &Database, recipes: std::ops::Range<i64>) {
    let pending: Vec<_> = recipes.map(|n| database.submit_put_item(PutItem::new(TABLE, recipe(n)))).collect();
    for put in pending {
        put.wait().expect("the item is right");
    }
}

fn schema_error<T: std::fmt::Debug>(outcome: Result<T, Error>) -> SchemaError {
    match outcome {
        Err(Error::Invalid(Invalid::Schema(error))) => error,
        other => panic!("not a schema error: {other:?}"),
    }
}

fn definition(name: &str, scalar: ScalarType) -> AttributeDefinition {
    AttributeDefinition { name: name.to_owned(), scalar }
}

#[test]
fn a_new_table_is_described_as_it_was_asked_for() {
    let (options, _) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    let local =
        IndexDefinition::new("by-rating", &["pk"], &["rating"]).projection(ProjectedAttributes::KeysOnly);
    let request = table()
        .attribute("rating", ScalarType::N)
        .attribute("cuisine", ScalarType::S)
        .attribute("minutes", ScalarType::N)
        .local_index(local.clone())
        .global_index(by_cuisine());
    let created = database.create_table(request.clone()).unwrap();
    assert_eq!(created.status, TableStatus::Creating);
    let described = database.describe_table(TABLE).unwrap();
    assert_eq!(described.status, TableStatus::Active);
    assert_eq!(described.arn, "arn:aws:dynamodb:us-east-1:000000000000:table/recipes");
    assert_eq!(described.created_ms, START_MS);
    assert_eq!(described.attributes, request.attributes, "in the order of the request");
    assert_eq!(described.key, request.key);
    assert_eq!(described.billing, BillingMode::PayPerRequest);
    assert_eq!((described.item_count, described.size_bytes), (0, 0));
    let [index] = described.local_indexes.as_slice() else { panic!("one local index: {described:?}") };
    assert_eq!(index.definition.key, local.key);
    assert_eq!(index.definition.projection, local.projection);
    let [index] = described.global_indexes.as_slice() else { panic!("one global index: {described:?}") };
    assert_eq!(index.arn, "arn:aws:dynamodb:us-east-1:000000000000:table/recipes/index/by-cuisine");
    assert_eq!((index.status, index.backfilling), (IndexStatus::Active, None));
}

#[test]
fn everything_about_a_table_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let provisioned = Some(ProvisionedThroughput { read_units: 5, write_units: 6 });
    let mut request = table()
        .attribute("cuisine", ScalarType::S)
        .attribute("minutes", ScalarType::N)
        .attribute("a", ScalarType::B)
        .local_index(IndexDefinition::new("local", &["pk"], &["a"]))
        .global_index(IndexDefinition { provisioned, ..by_cuisine() });
    request.billing = BillingMode::Provisioned;
    request.provisioned = provisioned;
    request.warm = Some(WarmThroughput { read_units: Some(12_000), write_units: None });
    request.class = TableClass::InfrequentAccess;
    request.deletion_protection = true;
    request.tags = vec![Tag { key: "team".to_owned(), value: "kitchen".to_owned() }];
    let database = Database::open_with(folder.path(), small_options()).unwrap();
    database.create_table(request).unwrap();
    load(&database, 0..100);
    let before = database.describe_table(TABLE).unwrap();
    drop(database);
    let database = Database::open_with(folder.path(), small_options()).unwrap();
    assert_eq!(database.describe_table(TABLE).unwrap(), before);
    assert_agreement(&database, TABLE);
}

#[test]
fn extreme_ceilings_are_kept() {
    let disk = Arc::new(MemoryDisk::new());
    let ceilings = OnDemandThroughput { read_units_max: Some(i64::MAX), write_units_max: Some(-1) };
    let database = Database::open_on(disk.clone(), small_options()).unwrap();
    database.create_table(CreateTable { on_demand: Some(ceilings), ..table() }).unwrap();
    drop(database);
    let database = Database::open_on(disk, small_options()).unwrap();
    assert_eq!(database.describe_table(TABLE).unwrap().on_demand, Some(ceilings));
}

#[test]
fn a_wrong_definition_is_refused_with_what_is_wrong() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let indexed = || table().attribute("g", ScalarType::S);
    let global = |name: &str| IndexDefinition::new(name, &["g"], &[]);
    let local = |name: &str| IndexDefinition::new(name, &["pk"], &["g"]);
    let repeated = |count: usize, local_indexes: bool| {
        (0..count).fold(indexed(), |request, n| {
            let name = format!("index-{n}");
            if local_indexes {
                request.local_index(local(&name))
            } else {
                request.global_index(global(&name))
            }
        })
    };
    let include = |name: &str, from: usize, to: usize| {
        let names = (from..to).map(|n| format!("attribute {n}")).collect();
        global(name).projection(ProjectedAttributes::Include(names))
    };
    let units = Some(ProvisionedThroughput { read_units: 1, write_units: 1 });
    let tag = |n: usize| Tag { key: format!("key {n}"), value: String::new() };
    let cases = [
        (CreateTable { name: "ab".to_owned(), ..table() }, SchemaError::Name),
        (CreateTable { name: "a".repeat(256), ..table() }, SchemaError::Name),
        (CreateTable { name: "a b c".to_owned(), ..table() }, SchemaError::Name),
        (
            CreateTable { attributes: vec![definition("pk", ScalarType::S); 2], ..table() },
            SchemaError::DuplicateDefinition("pk".to_owned()),
        ),
        (
            CreateTable { attributes: vec![definition("pk", ScalarType::S)], ..table() },
            SchemaError::UndefinedTableKey,
        ),
        (
            CreateTable { key: KeySchema { partition: Vec::new(), sort: names(&["sk"]) }, ..table() },
            SchemaError::KeyLength(String::new()),
        ),
        (
            CreateTable { key: KeySchema { partition: names(&["pk"]), sort: names(&["pk"]) }, ..table() },
            SchemaError::SameKeyName,
        ),
        (indexed(), SchemaError::DefinitionCount),
        (
            indexed().attribute("unused", ScalarType::N).global_index(global("index")),
            SchemaError::UnusedDefinitions {
                defined: "pk, sk, g, unused".to_owned(),
                used: "g, pk, sk".to_owned(),
            },
        ),
        (
            table().global_index(global("index")),
            SchemaError::UndefinedIndexKey { keys: "g".to_owned(), defined: "pk, sk".to_owned() },
        ),
        (indexed().global_index(global("no")), SchemaError::Name),
        (
            indexed().global_index(IndexDefinition::new("index", &["g", "pk", "sk", "g", "pk"], &[])),
            SchemaError::TooManyKeyAttributes("HASH"),
        ),
        (indexed().global_index(IndexDefinition::new("index", &["g"], &["g"])), SchemaError::SameKeyName),
        (
            indexed().global_index(global("index").projection(ProjectedAttributes::Include(Vec::new()))),
            SchemaError::EmptyInclude,
        ),
        (
            indexed().global_index(include("first", 0, 60)).global_index(include("second", 0, 41)),
            SchemaError::TooManyProjected,
        ),
        (
            indexed().global_index(global("index")).local_index(local("index")),
            SchemaError::DuplicateIndex("index".to_owned()),
        ),
        (repeated(21, false), SchemaError::TooManyGlobal),
        (repeated(6, true), SchemaError::TooManyLocal),
        (
            CreateTable::new(TABLE, "pk", ScalarType::S)
                .attribute("g", ScalarType::S)
                .local_index(local("index")),
            SchemaError::LocalNeedsTableSort,
        ),
        (
            indexed().local_index(IndexDefinition::new("index", &["pk"], &[])).global_index(global("other")),
            SchemaError::LocalNeedsSort("index".to_owned()),
        ),
        (
            indexed().local_index(IndexDefinition::new("index", &["g"], &["sk"])),
            SchemaError::LocalPartition {
                index: "index".to_owned(),
                index_key: "g".to_owned(),
                table_key: "pk".to_owned(),
            },
        ),
        (CreateTable { billing: BillingMode::Provisioned, ..table() }, SchemaError::CapacityMissing),
        (CreateTable { provisioned: units, ..table() }, SchemaError::CapacityOnDemand),
        (
            CreateTable {
                billing: BillingMode::Provisioned,
                provisioned: units,
                ..indexed().global_index(global("index"))
            },
            SchemaError::IndexCapacityMissing("index".to_owned()),
        ),
        (
            indexed().global_index(IndexDefinition { provisioned: units, ..global("index") }),
            SchemaError::IndexCapacityOnDemand("index".to_owned()),
        ),
        (
            CreateTable {
                billing: BillingMode::Provisioned,
                provisioned: units,
                on_demand: Some(OnDemandThroughput::default()),
                ..table()
            },
            SchemaError::CeilingProvisioned,
        ),
        (CreateTable { tags: (0..51).map(tag).collect(), ..table() }, SchemaError::TooManyTags),
        (
            CreateTable { tags: vec![tag(0), tag(0)], ..table() },
            SchemaError::DuplicateTag("key 0".to_owned()),
        ),
    ];
    let database = small_database();
    for (request, expected) in cases {
        assert_eq!(schema_error(database.create_table(request.clone())), expected, "{request:?}");
    }
    assert_eq!(database.list_tables(&ListTables::default()).names, Vec::<String>::new());
}

#[test]
fn the_largest_definition_is_taken() {
    let database = small_database();
    let mut request = table();
    for n in 0..5 {
        request = request.attribute(format!("l{n}"), ScalarType::N).local_index(IndexDefinition::new(
            format!("local-{n}"),
            &["pk"],
            &[&format!("l{n}")],
        ));
    }
    for n in 0..8 {
        request = request.attribute(format!("g{n}"), ScalarType::S);
    }
    for n in 0..20 {
        let (partition, sort) = (["g0", "g1", "g2", "g3"], ["g4", "g5", "g6", "g7"]);
        let include = (0..5).map(|attribute| format!("a{attribute}")).collect();
        let index = IndexDefinition::new(format!("global-{n}"), &partition, &sort);
        request = request.global_index(index.projection(ProjectedAttributes::Include(include)));
    }
    database.create_table(request).unwrap();
    let full = (0..8).fold(recipe(1), |mut item, n| {
        item.insert(format!("g{n}"), "x");
        item
    });
    database.put_item(PutItem::new(TABLE, full)).unwrap();
    load(&database, 2..10);
    assert_agreement(&database, TABLE);
}

#[test]
fn a_name_is_taken_until_its_table_is_deleted() {
    let database = small_database();
    let first = database.create_table(table()).unwrap();
    let again = database.create_table(table());
    assert!(matches!(again, Err(Error::ResourceInUse(InUse::TableExists(_)))), "{again:?}");
    let deleted = database.delete_table(TABLE).unwrap();
    assert_eq!((deleted.status, &deleted.id), (TableStatus::Deleting, &first.id));
    let second = database.create_table(table()).unwrap();
    assert_ne!(second.id, first.id);
}

#[test]
fn a_missing_table_is_told_to_every_caller() {
    let database = small_database();
    let missing = |outcome: Result<_, Error>| matches!(outcome, Err(Error::ResourceNotFound(_)));
    assert!(missing(database.describe_table(TABLE).map(drop)));
    assert!(missing(database.delete_table(TABLE).map(drop)));
    assert!(missing(database.update_table(add_by_cuisine()).map(drop)));
    let put = database.put_item(PutItem::new(TABLE, recipe(1)));
    assert!(matches!(put, Err(Error::TableNotFound)), "{put:?}");
    let scan = database.scan(&Scan::new(TABLE));
    assert!(matches!(scan, Err(Error::TableNotFound)), "{scan:?}");
}

#[test]
fn names_are_listed_in_order_and_by_pages() {
    let database = small_database();
    for name in ["pears", "apples", "quinces", "plums", "cherries"] {
        database.create_table(CreateTable::new(name, "pk", ScalarType::S)).unwrap();
    }
    let mut request = ListTables { start_after: None, limit: Some(2) };
    let mut pages = Vec::new();
    loop {
        let page = database.list_tables(&request);
        pages.push(page.names);
        request.start_after = page.last;
        if request.start_after.is_none() {
            break;
        }
    }
    assert_eq!(pages, [vec!["apples", "cherries"], vec!["pears", "plums"], vec!["quinces"]]);
    let after_a_missing_name = ListTables { start_after: Some("orange".to_owned()), limit: None };
    assert_eq!(database.list_tables(&after_a_missing_name).names, ["pears", "plums", "quinces"]);
}

#[test]
fn a_deleted_table_takes_its_items_along() {
    let database = small_database();
    let request = || {
        table()
            .attribute("cuisine", ScalarType::S)
            .attribute("minutes", ScalarType::N)
            .local_index(IndexDefinition::new("local", &["pk"], &["minutes"]))
            .global_index(by_cuisine())
    };
    database.create_table(request()).unwrap();
    load(&database, 0..1_500);
    database.delete_table(TABLE).unwrap();
    database.create_table(request()).unwrap();
    assert_eq!(assert_agreement(&database, TABLE), [], "also while the old rows are still being removed");
    load(&database, 0..10);
    assert_eq!(assert_agreement(&database, TABLE).len(), 10);
}

#[test]
fn a_protected_table_is_not_deleted() {
    let database = small_database();
    database.create_table(CreateTable { deletion_protection: true, ..table() }).unwrap();
    let refused = database.delete_table(TABLE);
    assert!(matches!(refused, Err(Error::Invalid(Invalid::DeletionProtected))), "{refused:?}");
    let unprotect = UpdateTable { deletion_protection: Some(false), ..UpdateTable::new(TABLE) };
    database.update_table(unprotect).unwrap();
    database.delete_table(TABLE).unwrap();
}

#[test]
fn tags_are_set_replaced_and_removed_by_arn() {
    let database = small_database();
    let arn = database.create_table(table()).unwrap().arn;
    let tag = |key: &str, value: &str| Tag { key: key.to_owned(), value: value.to_owned() };
    database.tag_resource(&arn, vec![tag("team", "kitchen"), tag("stage", "test")]).unwrap();
    database.tag_resource(&arn, vec![tag("stage", "live")]).unwrap();
    assert_eq!(database.list_tags(&arn).unwrap(), [tag("stage", "live"), tag("team", "kitchen")]);
    database.untag_resource(&arn, vec!["team".to_owned(), "missing".to_owned()]).unwrap();
    assert_eq!(database.list_tags(&arn).unwrap(), [tag("stage", "live")]);
    let too_many = (0..50).map(|n| tag(&n.to_string(), "")).collect();
    assert_eq!(schema_error(database.tag_resource(&arn, too_many)), SchemaError::TooManyTags);
}

#[test]
fn an_arn_that_names_no_table_is_refused() {
    let database = small_database();
    for arn in
        ["", "recipes", "arn:aws:s3:::table/recipes", "arn:aws:dynamodb:us-east-1:000000000000:table/a/b"]
    {
        assert_eq!(schema_error(database.list_tags(arn)), SchemaError::Arn(arn.to_owned()));
    }
    let missing = database.list_tags("arn:aws:dynamodb:us-east-1:000000000000:table/recipes");
    assert!(matches!(missing, Err(Error::ResourceNotFound(_))), "{missing:?}");
}

#[test]
fn an_update_of_nothing_is_refused() {
    let database = small_database();
    database.create_table(table()).unwrap();
    assert_eq!(schema_error(database.update_table(UpdateTable::new(TABLE))), SchemaError::NothingToUpdate);
}

fn capacity(read_units: u64, write_units: u64) -> UpdateTable {
    let provisioned = Some(ProvisionedThroughput { read_units, write_units });
    UpdateTable { provisioned, ..UpdateTable::new(TABLE) }
}

#[test]
fn billing_changes_both_ways() {
    let (options, clock) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    database.create_table(table()).unwrap();
    let to_provisioned = UpdateTable { billing: Some(BillingMode::Provisioned), ..UpdateTable::new(TABLE) };
    assert_eq!(schema_error(database.update_table(to_provisioned.clone())), SchemaError::CapacityMissing);
    assert_eq!(schema_error(database.update_table(capacity(5, 5))), SchemaError::CapacityOnDemand);
    let to_provisioned = UpdateTable { provisioned: capacity(5, 6).provisioned, ..to_provisioned };
    database.update_table(to_provisioned).unwrap();
    let described = database.describe_table(TABLE).unwrap();
    assert_eq!(described.billing, BillingMode::Provisioned);
    assert_eq!(described.provisioned, ProvisionedThroughput { read_units: 5, write_units: 6 });
    clock.advance_ms(1_000);
    let to_on_demand = UpdateTable { billing: Some(BillingMode::PayPerRequest), ..UpdateTable::new(TABLE) };
    database.update_table(to_on_demand).unwrap();
    let described = database.describe_table(TABLE).unwrap();
    assert_eq!(described.billing, BillingMode::PayPerRequest);
    assert_eq!(described.provisioned, ProvisionedThroughput::default());
    assert_eq!(described.on_demand_since_ms, Some(START_MS + 1_000));
}

#[test]
fn ceilings_end_with_the_switch_to_provisioned_capacity() {
    let database = small_database();
    let ceilings = Some(OnDemandThroughput { read_units_max: Some(10), write_units_max: Some(20) });
    let index = IndexDefinition { on_demand: ceilings, ..by_cuisine() };
    let request = CreateTable { on_demand: ceilings, ..table() };
    let request = request.attribute("cuisine", ScalarType::S).attribute("minutes", ScalarType::N);
    database.create_table(request.global_index(index)).unwrap();

    let provisioned = capacity(5, 6).provisioned;
    let update =
        |on_demand| IndexUpdate::Update { name: by_cuisine().name, provisioned, on_demand, warm: None };
    let switch = UpdateTable {
        billing: Some(BillingMode::Provisioned),
        indexes: vec![update(None)],
        ..capacity(5, 6)
    };
    database.update_table(switch).unwrap();
    let described = database.describe_table(TABLE).unwrap();
    assert_eq!(described.on_demand, None);
    assert_eq!(described.global_indexes[0].definition.on_demand, None);

    let ceiling = UpdateTable { indexes: vec![update(ceilings)], ..UpdateTable::new(TABLE) };
    assert_eq!(schema_error(database.update_table(ceiling)), SchemaError::CeilingProvisioned);

    let back = UpdateTable { billing: Some(BillingMode::PayPerRequest), ..UpdateTable::new(TABLE) };
    database.update_table(back).unwrap();
    assert_eq!(database.describe_table(TABLE).unwrap().on_demand, None);
}

#[test]
fn changes_of_capacity_are_dated_and_decreases_counted_by_the_day() {
    let (options, clock) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    let provisioned = capacity(5, 5).provisioned;
    database.create_table(CreateTable { billing: BillingMode::Provisioned, provisioned, ..table() }).unwrap();
    assert_eq!(
        schema_error(database.update_table(capacity(5, 5))),
        SchemaError::CapacityUnchanged { read: 5, write: 5 }
    );
    database.update_table(capacity(9, 5)).unwrap();
    clock.advance_ms(1_000);
    database.update_table(capacity(8, 5)).unwrap();
    database.update_table(capacity(7, 4)).unwrap();
    let described = database.describe_table(TABLE).unwrap();
    assert_eq!(described.last_increase_ms, Some(START_MS));
    assert_eq!(described.last_decrease_ms, Some(START_MS + 1_000));
    assert_eq!(described.decreases_today, 2);
    clock.advance_ms(DAY_MS);
    database.update_table(capacity(6, 4)).unwrap();
    assert_eq!(database.describe_table(TABLE).unwrap().decreases_today, 1);
}

#[test]
fn a_provisioned_table_needs_capacity_for_its_new_indexes() {
    let database = small_database();
    let provisioned = capacity(5, 5).provisioned;
    database.create_table(CreateTable { billing: BillingMode::Provisioned, provisioned, ..table() }).unwrap();
    let refused = schema_error(database.update_table(add_by_cuisine()));
    assert_eq!(refused, SchemaError::IndexCapacityMissing("by-cuisine".to_owned()));
    let mut request = add_by_cuisine();
    request.indexes = vec![IndexUpdate::Create(IndexDefinition { provisioned, ..by_cuisine() })];
    database.update_table(request).unwrap();
    wait_until_settled(&database, TABLE);
    let more = Some(ProvisionedThroughput { read_units: 7, write_units: 8 });
    let name = "by-cuisine".to_owned();
    let change = IndexUpdate::Update { name, provisioned: more, on_demand: None, warm: None };
    database.update_table(UpdateTable { indexes: vec![change], ..UpdateTable::new(TABLE) }).unwrap();
    let described = database.describe_table(TABLE).unwrap();
    assert_eq!(described.global_indexes[0].definition.provisioned, more);
}

#[test]
fn a_new_index_holds_the_items_that_were_there() {
    let database = small_database();
    database.create_table(table()).unwrap();
    load(&database, 0..1_300);
    let altered = database.update_table(add_by_cuisine()).unwrap();
    assert_eq!(altered.status, TableStatus::Updating);
    wait_until_settled(&database, TABLE);
    assert_eq!(assert_agreement(&database, TABLE).len(), 1_300);
    let cuisine = key_condition("cuisine = :cuisine", item! { ":cuisine" => "cuisine 3" });
    assert_eq!(query_all(&database, &Query::new(TABLE, cuisine).index("by-cuisine")).len(), 260);
}

/// Puts, updates and deletes items at random.
fn write_at_random(database: &Database, items: i64, seed: u64, stop: &Stop) {
    let mut random = Random::new(seed);
    while !stop.is_set() {
        let item = recipe(random.below(items as u64) as i64);
        let wrote = match random.below(4) {
            0 => database.delete_item(DeleteItem::new(TABLE, key(&item))),
            1 => database.put_item(PutItem::new(TABLE, item)),
            2 => {
                let other = item! { ":cuisine" => format!("cuisine {}", random.below(5)), ":minutes" => random.below(3) };
                let moved = update("SET cuisine = :cuisine, minutes = :minutes", other);
                database.update_item(UpdateItem::new(TABLE, key(&item), moved))
            }
            _ => {
                let removed = update("REMOVE cuisine ADD visits :one", item! { ":one" => 1 });
                database.update_item(UpdateItem::new(TABLE, key(&item), removed))
            }
        };
        wrote.expect("the write is right");
    }
}

#[test]
fn an_index_made_while_others_write_equals_one_made_at_rest() {
    const ITEMS: i64 = 2_000;
    let database = small_database();
    database.create_table(table()).unwrap();
    load(&database, 0..ITEMS);
    let (stop, seed) = (Stop::default(), Random::seed());
    std::thread::scope(|scope| {
        let _stop = stop.on_drop();
        for writer in 0..2 {
            let (database, stop) = (&database, &stop);
            scope.spawn(move || write_at_random(database, ITEMS, seed + writer, stop));
        }
        for _ in 0..4 {
            database.update_table(add_by_cuisine()).unwrap();
            wait_until_settled(&database, TABLE);
            database.update_table(UpdateTable::new(TABLE).delete_index("by-cuisine")).unwrap();
            wait_until_settled(&database, TABLE);
        }
        database.update_table(add_by_cuisine()).unwrap();
        wait_until_settled(&database, TABLE);
    });
    assert_agreement(&database, TABLE);
}

#[test]
fn the_new_indexes_of_several_tables_are_all_filled() {
    let database = small_database();
    let names: Vec<String> = (0..6).map(|n| format!("table-{n}")).collect();
    for name in &names {
        database.create_table(CreateTable { name: name.clone(), ..table() }).unwrap();
        for n in 0..20 {
            database.put_item(PutItem::new(name, recipe(n))).unwrap();
        }
    }
    for name in &names {
        database.update_table(UpdateTable { name: name.clone(), ..add_by_cuisine() }).unwrap();
    }
    for name in &names {
        assert_agreement(&database, name);
    }
}

#[test]
fn a_fill_that_was_cut_short_goes_on_after_a_restart() {
    let inner = Arc::new(MemoryDisk::new());
    let disk = ControlledDisk::new(inner.clone());
    // With the usual sizes nothing is folded here, so every sync is one of the log's.
    let database = Database::open_on(disk.as_disk(), Options::default()).unwrap();
    database.create_table(table()).unwrap();
    load(&database, 0..5_000);
    disk.fail_after_syncs(5);
    database.update_table(add_by_cuisine()).unwrap();
    // Each step of the fill needs a sync: it stops where the disk fails. Reads go on.
    while database.put_item(PutItem::new(TABLE, recipe(0))).is_ok() {}
    let cut_short = database.describe_table(TABLE).unwrap();
    let index = &cut_short.global_indexes[0];
    assert_eq!((index.status, index.backfilling), (IndexStatus::Creating, Some(true)));
    assert!(index.item_count < 5_000);
    let read = database.scan(&Scan::new(TABLE).index("by-cuisine"));
    assert!(matches!(read, Err(Error::Invalid(Invalid::IndexNotReady(_)))), "{read:?}");
    drop(database);
    let database = Database::open_on(inner, small_options()).unwrap();
    assert_eq!(assert_agreement(&database, TABLE).len(), 5_000);
}

#[test]
fn one_index_is_made_or_deleted_at_a_time() {
    let disk = ControlledDisk::new(Arc::new(MemoryDisk::new()));
    let database = Database::open_on(disk.as_disk(), Options::default()).unwrap();
    database.create_table(table()).unwrap();
    load(&database, 0..1_500);
    let other = || IndexDefinition::new("other", &["cuisine"], &[]);
    let both = add_by_cuisine().create_index(other());
    assert!(matches!(database.update_table(both), Err(Error::LimitExceeded(_))));
    // The fill takes several steps, and while syncs are held none follows the first.
    disk.hold_syncs();
    let first = database.submit_update_table(add_by_cuisine());
    let second = database.submit_update_table(UpdateTable::new(TABLE).create_index(other()));
    disk.mend();
    first.wait().unwrap();
    assert!(matches!(second.wait(), Err(Error::LimitExceeded(_))));
    wait_until_settled(&database, TABLE);
    database.update_table(UpdateTable::new(TABLE).create_index(other())).unwrap();
    assert_agreement(&database, TABLE);
}

#[test]
fn an_index_that_is_being_made_can_be_given_up() {
    let disk = ControlledDisk::new(Arc::new(MemoryDisk::new()));
    let database = Database::open_on(disk.as_disk(), Options::default()).unwrap();
    database.create_table(table()).unwrap();
    load(&database, 0..1_500);
    disk.hold_syncs();
    let made = database.submit_update_table(add_by_cuisine());
    let given_up = database.submit_update_table(UpdateTable::new(TABLE).delete_index("by-cuisine"));
    disk.mend();
    made.wait().unwrap();
    given_up.wait().unwrap();
    let described = wait_until_settled(&database, TABLE);
    assert_eq!(described.global_indexes, []);
    assert_agreement(&database, TABLE);
}

#[test]
fn a_deleted_index_is_gone_and_its_attributes_with_it() {
    let database = small_database();
    database.create_table(table()).unwrap();
    load(&database, 0..20);
    database.update_table(add_by_cuisine()).unwrap();
    wait_until_settled(&database, TABLE);
    database.update_table(UpdateTable::new(TABLE).delete_index("by-cuisine")).unwrap();
    let read = database.scan(&Scan::new(TABLE).index("by-cuisine"));
    assert!(matches!(read, Err(Error::Invalid(Invalid::NoSuchIndex(_)))), "{read:?}");
    let described = wait_until_settled(&database, TABLE);
    assert_eq!(described.global_indexes, []);
    assert_eq!(described.attributes, table().attributes);
    let again = database.update_table(UpdateTable::new(TABLE).delete_index("by-cuisine"));
    assert!(matches!(again, Err(Error::ResourceNotFound(_))), "{again:?}");
}

#[test]
fn an_index_made_again_under_its_name_has_nothing_of_the_old_one() {
    let database = small_database();
    database.create_table(table()).unwrap();
    load(&database, 0..700);
    database.update_table(add_by_cuisine()).unwrap();
    wait_until_settled(&database, TABLE);
    database.update_table(UpdateTable::new(TABLE).delete_index("by-cuisine")).unwrap();
    wait_until_settled(&database, TABLE);
    // The same name, but another key and another type.
    let other = IndexDefinition::new("by-cuisine", &["minutes"], &[]);
    database
        .update_table(UpdateTable::new(TABLE).attribute("minutes", ScalarType::N).create_index(other))
        .unwrap();
    assert_agreement(&database, TABLE);
}

#[test]
fn an_existing_index_is_not_made_again() {
    let database = small_database();
    database.create_table(table()).unwrap();
    database.update_table(add_by_cuisine()).unwrap();
    wait_until_settled(&database, TABLE);
    let again = schema_error(database.update_table(add_by_cuisine()));
    assert_eq!(again, SchemaError::IndexExists("by-cuisine".to_owned()));
}

#[test]
fn the_type_of_a_key_attribute_does_not_change() {
    let database = small_database();
    database.create_table(table()).unwrap();
    let index = IndexDefinition::new("index", &["sk"], &[]);
    let refused =
        database.update_table(UpdateTable::new(TABLE).attribute("sk", ScalarType::S).create_index(index));
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    assert_eq!(database.describe_table(TABLE).unwrap().attributes, table().attributes);
}

#[test]
fn a_table_keeps_to_twenty_global_indexes_when_more_are_asked_for() {
    let database = small_database();
    let full = (0..20).fold(table().attribute("g", ScalarType::S), |request, n| {
        request.global_index(IndexDefinition::new(format!("index-{n}"), &["g"], &[]))
    });
    database.create_table(full).unwrap();
    let one_more = UpdateTable::new(TABLE).create_index(IndexDefinition::new("more", &["g"], &[]));
    assert_eq!(schema_error(database.update_table(one_more)), SchemaError::TooManyGlobal);
}

/// Tables with one index of each projection, on the same key.
fn projecting_table() -> CreateTable {
    let index = |name: &str, projection| IndexDefinition::new(name, &["g"], &[]).projection(projection);
    table()
        .attribute("g", ScalarType::S)
        .global_index(index("all", ProjectedAttributes::All))
        .global_index(index("keys", ProjectedAttributes::KeysOnly))
        .global_index(index(
            "include",
            ProjectedAttributes::Include(vec!["a".to_owned(), "missing".to_owned()]),
        ))
}

#[test]
fn an_index_carries_what_it_projects() {
    let database = small_database();
    database.create_table(projecting_table()).unwrap();
    let whole = item! { "pk" => "p", "sk" => 1, "g" => "x", "a" => true, "b" => "y" };
    database.put_item(PutItem::new(TABLE, whole.clone())).unwrap();
    let carried: BTreeMap<&str, Vec<Item>> = ["all", "keys", "include"]
        .map(|index| (index, scan_all(&database, &Scan::new(TABLE).index(index))))
        .into();
    assert_eq!(carried["all"], [whole]);
    assert_eq!(carried["keys"], [item! { "pk" => "p", "sk" => 1, "g" => "x" }]);
    assert_eq!(carried["include"], [item! { "pk" => "p", "sk" => 1, "g" => "x", "a" => true }]);
}

#[test]
fn an_index_entry_follows_its_item() {
    let database = small_database();
    database.create_table(projecting_table()).unwrap();
    let id = item! { "pk" => "p", "sk" => 1 };
    let steps = [
        update("SET g = :g, a = :a", item! { ":g" => "first", ":a" => 1 }),
        update("SET a = :a", item! { ":a" => 2 }),
        update("SET b = :b", item! { ":b" => "not projected by all" }),
        update("SET g = :g", item! { ":g" => "second" }),
        update("REMOVE g", item! {}),
        update("SET g = :g REMOVE a", item! { ":g" => "first" }),
    ];
    for step in steps {
        database.update_item(UpdateItem::new(TABLE, id.clone(), step)).unwrap();
        assert_agreement(&database, TABLE);
    }
    database.delete_item(DeleteItem::new(TABLE, id)).unwrap();
    assert_eq!(assert_agreement(&database, TABLE), []);
}

#[test]
fn only_items_with_the_whole_key_are_in_an_index() {
    let database = small_database();
    let multi = IndexDefinition::new("multi", &["a", "b"], &["c", "d"]);
    let request =
        ["a", "b", "c", "d"].iter().fold(table(), |table, name| table.attribute(*name, ScalarType::S));
    database.create_table(request.global_index(multi)).unwrap();
    let whole = item! { "pk" => "p", "sk" => 0, "a" => "1", "b" => "2", "c" => "3", "d" => "4" };
    database.put_item(PutItem::new(TABLE, whole.clone())).unwrap();
    for (number, missing) in ["a", "b", "c", "d"].iter().enumerate() {
        let mut item = whole.clone();
        item.insert("sk", number as i64 + 1);
        item.remove(missing);
        database.put_item(PutItem::new(TABLE, item)).unwrap();
    }
    assert_eq!(scan_all(&database, &Scan::new(TABLE).index("multi")), [whole]);
    assert_agreement(&database, TABLE);
}

#[test]
fn an_index_key_that_does_not_fit_is_refused() {
    let database = small_database();
    database.create_table(projecting_table()).unwrap();
    let id = item! { "pk" => "p", "sk" => 1 };
    let values: [AttributeValue; 4] = [7.into(), AttributeValue::Null, "".into(), "x".repeat(2_049).into()];
    for value in values {
        let mut item = id.clone();
        item.insert("g", value.clone());
        let put = database.put_item(PutItem::new(TABLE, item));
        assert!(matches!(put, Err(Error::Invalid(_))), "{value:?}: {put:?}");
        let set = UpdateItem::new(TABLE, id.clone(), update("SET g = :g", item! { ":g" => value.clone() }));
        let set = database.update_item(set);
        assert!(matches!(set, Err(Error::Invalid(_))), "{value:?}: {set:?}");
    }
    assert_eq!(assert_agreement(&database, TABLE), []);
}

#[test]
fn a_part_of_an_index_key_must_fit_even_without_the_rest() {
    let database = small_database();
    let request = table().attribute("cuisine", ScalarType::S).attribute("minutes", ScalarType::N);
    database.create_table(request.global_index(by_cuisine())).unwrap();
    let put = |item: Item| database.put_item(PutItem::new(TABLE, item));
    let refused = put(item! { "pk" => "p", "sk" => 1, "minutes" => "five" });
    assert!(matches!(refused, Err(Error::Invalid(Invalid::IndexKeyType { .. }))), "{refused:?}");
    put(item! { "pk" => "p", "sk" => 1, "minutes" => 5 }).unwrap();
    assert_agreement(&database, TABLE);
}

#[test]
fn items_that_do_not_fit_a_new_index_are_skipped_and_kept() {
    let database = small_database();
    database.create_table(table()).unwrap();
    let item = |sk: i64, cuisine: AttributeValue| item! { "pk" => "p", "sk" => sk, "cuisine" => cuisine, "minutes" => 1 };
    let fitting = item(0, "phở".into());
    let others = [
        item(1, 7.into()),
        item(2, AttributeValue::Null),
        item(3, "".into()),
        item(4, "x".repeat(2_049).into()),
    ];
    for item in others.iter().chain([&fitting]) {
        database.put_item(PutItem::new(TABLE, item.clone())).unwrap();
    }
    database.update_table(add_by_cuisine()).unwrap();
    wait_until_settled(&database, TABLE);
    assert_eq!(scan_all(&database, &Scan::new(TABLE).index("by-cuisine")), [fitting]);
    assert_eq!(scan_all(&database, &Scan::new(TABLE)).len(), 5);
    // Such an item can be put right, and taken away.
    let right = update("SET cuisine = :cuisine", item! { ":cuisine" => "bún" });
    database.update_item(UpdateItem::new(TABLE, key(&others[0]), right)).unwrap();
    for item in &others[1..] {
        database.delete_item(DeleteItem::new(TABLE, key(item))).unwrap();
    }
    assert_eq!(assert_agreement(&database, TABLE).len(), 2);
}

#[test]
fn a_table_can_be_used_as_soon_as_it_is_created() {
    let database = small_database();
    database.create_table(table()).unwrap();
    database.put_item(PutItem::new(TABLE, recipe(1))).unwrap();
    assert_eq!(get(&database, TABLE, key(&recipe(1))), Some(recipe(1)));
    assert_eq!(sorted(scan_all(&database, &Scan::new(TABLE))), [recipe(1)]);
}
