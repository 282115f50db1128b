//! The checks. Each makes the tables it needs in an empty store.

use std::time::{Duration, Instant};

use singlet_expr::{
    Action, Change, Comparator, Condition, KeyCondition, KeyTerm, KeyTest, Path, Projection, Update,
};
use singlet_store::{
    AttributeDefinition, BatchGet, Cancellation, DeleteItem, Feature, GetItem, IndexShape, IndexState,
    ProjectedAttributes, PutItem, Query, ReturnItem, ScalarType, Scan, Store, StoreError, TableChange,
    TableShape, TransactAction, TransactGet, TransactWrite, UpdateItem,
};
use singlet_values::{AttributeValue, EncodedItem, Item};

const TABLE: &str = "conformance";

fn attribute(name: &str, scalar: ScalarType) -> AttributeDefinition {
    AttributeDefinition { name: name.to_owned(), scalar }
}

fn text(name: &str) -> AttributeDefinition {
    attribute(name, ScalarType::S)
}

fn index(name: &str, partition: &[&str], sort: &[&str]) -> IndexShape {
    IndexShape {
        name: name.to_owned(),
        partition: partition.iter().map(|name| text(name)).collect(),
        sort: sort.iter().map(|name| text(name)).collect(),
        projection: ProjectedAttributes::All,
        local: false,
    }
}

fn shape() -> TableShape {
    TableShape {
        name: TABLE.to_owned(),
        partition: text("PK"),
        sort: Some(text("SK")),
        indexes: Vec::new(),
        protected: false,
        ttl: None,
        stream: false,
        recovery_days: None,
        backup: None,
    }
}

/// Makes the table, with indexes.
fn create(store: &dyn Store, indexes: Vec<IndexShape>) {
    store.change_table(&TableChange::Create(TableShape { indexes, ..shape() })).unwrap();
}

/// Waits for what goes on in the background.
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what} takes too long");
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

fn key(partition: &str, sort: &str) -> Item {
    Item::from([("PK", partition), ("SK", sort)])
}

fn item(partition: &str, sort: &str, more: &[(&str, AttributeValue)]) -> Item {
    let mut item = key(partition, sort);
    item.extend(more.iter().cloned());
    item
}

fn put(item: Item) -> PutItem {
    PutItem { table: TABLE.to_owned(), item, condition: None, returned: ReturnItem::None }
}

fn get(key: Item) -> GetItem {
    GetItem { table: TABLE.to_owned(), key, consistent: true, projection: None }
}

fn found(store: &dyn Store, key: Item) -> Option<Item> {
    store.get(get(key)).unwrap().item.map(|item| item.decode().unwrap())
}

fn key_of(terms: &[(&str, KeyTest)]) -> KeyCondition {
    let term = |(name, test): &(&str, KeyTest)| KeyTerm { attribute: (*name).to_owned(), test: test.clone() };
    KeyCondition::from_terms(terms.iter().map(term).collect())
}

fn query(partition: &str) -> Query {
    Query {
        table: TABLE.to_owned(),
        index: None,
        key: key_of(&[("PK", KeyTest::Equal(partition.into()))]),
        filter: None,
        projection: None,
        limit: None,
        forward: true,
        consistent: false,
        start_key: None,
    }
}

fn texts(items: &[EncodedItem], name: &str) -> Vec<String> {
    items.iter().map(|item| text_of(&item.decode().unwrap(), name)).collect()
}

fn text_of(item: &Item, name: &str) -> String {
    match item.get(name) {
        Some(AttributeValue::S(text)) => text.to_string(),
        other => panic!("{name} is {other:?}"),
    }
}

fn absent() -> Condition {
    Condition::missing(Path::attribute("PK"))
}

fn compared(path: &str, comparator: Comparator, value: AttributeValue) -> Condition {
    Condition::compare(Path::dotted(path), comparator, value)
}

fn equal(path: &str, value: AttributeValue) -> Condition {
    compared(path, Comparator::Equal, value)
}

fn change(path: &str, change: Change) -> Update {
    Update::new(vec![Action { path: Path::dotted(path), change }])
}

fn set(path: &str, value: AttributeValue) -> Update {
    change(path, Change::set(value))
}

fn shown(paths: &[&str]) -> Option<Projection> {
    Some(Projection::of(paths.iter().map(|path| Path::dotted(path)).collect()))
}

fn update(key: Item, update: Update) -> UpdateItem {
    UpdateItem { table: TABLE.to_owned(), key, update, condition: None, returned: ReturnItem::None }
}

pub(crate) fn a_table_is_described_as_it_was_made(store: &dyn Store) {
    assert!(store.describe_table(TABLE).unwrap().is_none());
    let shape = TableShape {
        indexes: vec![
            IndexShape {
                local: true,
                projection: ProjectedAttributes::KeysOnly,
                ..index("ByDate", &["PK"], &["date"])
            },
            IndexShape {
                partition: vec![attribute("score", ScalarType::N)],
                sort: vec![attribute("hash", ScalarType::B)],
                projection: ProjectedAttributes::Include(vec!["title".to_owned()]),
                ..index("GSI1", &[], &[])
            },
            index("Place", &["tenant", "region"], &["city", "street"]),
        ],
        ..shape()
    };
    store.change_table(&TableChange::Create(shape.clone())).unwrap();
    let mut state = store.describe_table(TABLE).unwrap().unwrap();
    assert!(state.active);
    assert_eq!(state.indexes, [IndexState::Active; 3]);
    assert_eq!(state.items, 0);
    // Backends list indexes in the order they like.
    state.shape.indexes.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(state.shape, shape);
    let again = store.change_table(&TableChange::Create(shape));
    assert!(matches!(again, Err(StoreError::Refused(_))), "{again:?}");
}

pub(crate) fn indexes_come_and_go(store: &dyn Store) {
    create(store, Vec::new());
    for number in 0..10 {
        store.put(put(item("p", &format!("s{number}"), &[("GSI1PK", "one".into())]))).unwrap();
    }
    let wanted = index("GSI1", &["GSI1PK"], &["SK"]);
    store.change_table(&TableChange::CreateIndex { table: TABLE.to_owned(), index: wanted.clone() }).unwrap();
    let state = || store.describe_table(TABLE).unwrap().unwrap();
    wait_until("filling an index", || state().indexes == [IndexState::Active]);
    assert_eq!(state().shape.indexes, [wanted]);
    let through_index = Query {
        index: Some("GSI1".to_owned()),
        key: key_of(&[("GSI1PK", KeyTest::Equal("one".into()))]),
        ..query("")
    };
    wait_until("an index that answers", || {
        store.query(through_index.clone()).is_ok_and(|page| page.items.len() == 10)
    });

    let gone = TableChange::DeleteIndex { table: TABLE.to_owned(), index: "GSI1".to_owned() };
    store.change_table(&gone).unwrap();
    wait_until("deleting an index", || state().shape.indexes.is_empty());
}

pub(crate) fn recovery_is_turned_on_and_reaches_as_far_as_it_shall(store: &dyn Store) {
    assert!(store.supports(Feature::Recovery));
    store.change_table(&TableChange::Create(TableShape { recovery_days: Some(7), ..shape() })).unwrap();
    let days = || store.describe_table(TABLE).unwrap().unwrap().shape.recovery_days;
    assert_eq!(days(), Some(7));
    store.change_table(&TableChange::Recovery { table: TABLE.to_owned(), days: 35 }).unwrap();
    assert_eq!(days(), Some(35));
}

pub(crate) fn a_stream_is_turned_on_and_off(store: &dyn Store) {
    assert!(store.supports(Feature::Streams));
    store.change_table(&TableChange::Create(TableShape { stream: true, ..shape() })).unwrap();
    let is_on = || store.describe_table(TABLE).unwrap().unwrap().shape.stream;
    assert!(is_on());
    for enabled in [false, true] {
        store.change_table(&TableChange::Stream { table: TABLE.to_owned(), enabled }).unwrap();
        assert_eq!(is_on(), enabled);
    }
}

pub(crate) fn a_protected_table_stays(store: &dyn Store) {
    create(store, Vec::new());
    let protect = |protected| TableChange::Protect { table: TABLE.to_owned(), protected };
    let delete = TableChange::Delete { table: TABLE.to_owned() };
    store.change_table(&protect(true)).unwrap();
    assert!(store.describe_table(TABLE).unwrap().unwrap().shape.protected);
    assert!(matches!(store.change_table(&delete), Err(StoreError::Refused(_))));
    store.change_table(&protect(false)).unwrap();
    store.change_table(&delete).unwrap();
    wait_until("deleting a table", || store.describe_table(TABLE).unwrap().is_none());
}

pub(crate) fn what_is_put_can_be_got(store: &dyn Store) {
    create(store, Vec::new());
    let number = AttributeValue::N("12345678901234567890123456789012345678".parse().unwrap());
    let nested =
        AttributeValue::from(Item::from([("list", vec![number.clone(), true.into(), AttributeValue::Null])]));
    let bytes = AttributeValue::from(vec![0_u8, 255, 7]);
    let whole = item(
        "p",
        "s",
        &[
            ("title", "Phở".into()),
            ("nested", nested),
            ("bytes", bytes),
            ("empty", "".into()),
            ("number", number),
        ],
    );
    store.put(put(whole.clone())).unwrap();
    assert_eq!(found(store, key("p", "s")), Some(whole.clone()));
    assert_eq!(found(store, key("p", "other")), None);

    let returned = PutItem { returned: ReturnItem::Old, ..put(key("p", "s")) };
    let before = store.put(returned).unwrap().item.unwrap();
    assert_eq!(before.decode().unwrap(), whole);

    store.put(put(whole)).unwrap();
    let part = GetItem { projection: shown(&["title"]), ..get(key("p", "s")) };
    let shown = store.get(part).unwrap().item.unwrap().decode().unwrap();
    assert_eq!(shown, Item::from([("title", "Phở")]));
}

pub(crate) fn a_failed_condition_brings_the_item_that_is_there(store: &dyn Store) {
    create(store, Vec::new());
    let there = item("p", "s", &[("version", 3.into())]);
    store.put(put(there.clone())).unwrap();
    let attempts = [
        store.put(PutItem { condition: Some(absent()), ..put(key("p", "s")) }),
        store.update(UpdateItem {
            condition: Some(equal("version", 2.into())),
            ..update(key("p", "s"), set("x", 1.into()))
        }),
        store.delete(DeleteItem {
            table: TABLE.to_owned(),
            key: key("p", "s"),
            condition: Some(equal("version", 2.into())),
            returned: ReturnItem::None,
        }),
    ];
    for attempt in attempts {
        match attempt {
            Err(StoreError::ConditionFailed { item: Some(item) }) => {
                assert_eq!(item.decode().unwrap(), there)
            }
            other => panic!("{other:?}"),
        }
    }
    let missing = UpdateItem {
        condition: Some(equal("version", 2.into())),
        ..update(key("p", "none"), set("x", 1.into()))
    };
    assert!(matches!(store.update(missing), Err(StoreError::ConditionFailed { item: None })));
    assert_eq!(found(store, key("p", "s")), Some(there));
}

pub(crate) fn an_update_joins_the_placeholders_of_its_condition(store: &dyn Store) {
    create(store, Vec::new());
    store.put(put(item("p", "s", &[("version", 3.into())]))).unwrap();
    let request = UpdateItem {
        condition: Some(equal("version", 3.into())),
        returned: ReturnItem::New,
        ..update(key("p", "s"), set("version", 4.into()))
    };
    let after = store.update(request.clone()).unwrap().item.unwrap();
    assert_eq!(after.decode().unwrap().get("version"), Some(&4.into()));
    let old = UpdateItem { returned: ReturnItem::Old, condition: None, ..request };
    let before = store.update(old).unwrap().item.unwrap();
    assert_eq!(before.decode().unwrap().get("version"), Some(&4.into()));
}

pub(crate) fn a_delete_gives_what_was_there(store: &dyn Store) {
    create(store, Vec::new());
    let there = item("p", "s", &[("a", 1.into())]);
    store.put(put(there.clone())).unwrap();
    let delete = DeleteItem {
        table: TABLE.to_owned(),
        key: key("p", "s"),
        condition: None,
        returned: ReturnItem::Old,
    };
    assert_eq!(store.delete(delete.clone()).unwrap().item.unwrap().decode().unwrap(), there);
    assert!(store.delete(delete).unwrap().item.is_none());
    assert_eq!(found(store, key("p", "s")), None);
}

pub(crate) fn a_query_is_bounded_by_every_test_of_a_sort_key(store: &dyn Store) {
    create(store, Vec::new());
    for sort in ["a1", "a2", "b1", "b2", "c1"] {
        store.put(put(key("p", sort))).unwrap();
    }
    store.put(put(key("q", "a1"))).unwrap();
    for (test, expected) in [
        (KeyTest::Equal("b1".into()), &["b1"][..]),
        (KeyTest::BeginsWith("a".into()), &["a1", "a2"]),
        (KeyTest::Between("a2".into(), "b2".into()), &["a2", "b1", "b2"]),
        (KeyTest::GreaterOrEqual("b2".into()), &["b2", "c1"]),
        (KeyTest::LessOrEqual("a2".into()), &["a1", "a2"]),
        (KeyTest::Less("b1".into()), &["a1", "a2"]),
        (KeyTest::Greater("b1".into()), &["b2", "c1"]),
    ] {
        let terms = [("PK", KeyTest::Equal("p".into())), ("SK", test.clone())];
        let page = store.query(Query { key: key_of(&terms), ..query("p") }).unwrap();
        assert_eq!(texts(&page.items, "SK"), expected, "{test:?}");
        assert!(page.last_key.is_none());
    }
    assert_eq!(store.query(query("p")).unwrap().items.len(), 5);
    assert!(store.query(query("nobody")).unwrap().items.is_empty());
}

pub(crate) fn pages_follow_each_other_in_both_directions(store: &dyn Store) {
    create(store, vec![index("GSI1", &["GSI1PK"], &["tie"])]);
    let more: [(&str, AttributeValue); 2] = [("GSI1PK", "g".into()), ("tie", "same".into())];
    let sorts: Vec<String> = (0..7).map(|number| format!("s{number}")).collect();
    for sort in &sorts {
        store.put(put(item("p", sort, &more))).unwrap();
    }
    for index in [None, Some("GSI1".to_owned())] {
        for forward in [true, false] {
            let partition = match index {
                None => ("PK", KeyTest::Equal("p".into())),
                Some(_) => ("GSI1PK", KeyTest::Equal("g".into())),
            };
            let first = Query {
                index: index.clone(),
                key: key_of(&[partition]),
                limit: Some(3),
                forward,
                ..query("")
            };
            wait_until("an index that is told", || {
                store.query(Query { limit: None, ..first.clone() }).unwrap().items.len() == sorts.len()
            });
            let (mut seen, mut start_key) = (Vec::new(), None);
            loop {
                let page = store.query(Query { start_key, ..first.clone() }).unwrap();
                assert!(page.items.len() <= 3 && page.scanned <= 3);
                seen.extend(texts(&page.items, "SK"));
                start_key = page.last_key;
                if start_key.is_none() {
                    break;
                }
            }
            if index.is_some() {
                // Which of several equal entries comes first is for the backend to say, but each comes once.
                seen.sort();
            } else if !forward {
                seen.reverse();
            }
            assert_eq!(seen, sorts, "{index:?}, forward: {forward}");
        }
    }
}

pub(crate) fn a_filter_and_a_projection_leave_things_out(store: &dyn Store) {
    create(store, Vec::new());
    for number in 0..6 {
        store.put(put(item("p", &format!("s{number}"), &[("n", number.into()), ("x", 1.into())]))).unwrap();
    }
    let request = Query {
        filter: Some(compared("n", Comparator::GreaterOrEqual, 3.into())),
        projection: shown(&["n"]),
        limit: Some(5),
        ..query("p")
    };
    let page = store.query(request).unwrap();
    let items: Vec<Item> = page.items.iter().map(|item| item.decode().unwrap()).collect();
    assert_eq!(items, [Item::from([("n", 3)]), Item::from([("n", 4)])]);
    assert_eq!(page.scanned, 5);
    assert_eq!(page.last_key, Some(key("p", "s4")));
}

pub(crate) fn a_scan_reads_everything_page_by_page(store: &dyn Store) {
    create(store, Vec::new());
    for number in 0..6 {
        store.put(put(item(&format!("p{number}"), "s", &[("n", number.into())]))).unwrap();
    }
    let mut request = Scan {
        table: TABLE.to_owned(),
        index: None,
        filter: Some(compared("n", Comparator::GreaterOrEqual, 3.into())),
        projection: None,
        limit: Some(2),
        start_key: None,
    };
    let (mut seen, mut scanned) = (Vec::new(), 0);
    loop {
        let page = store.scan(request.clone()).unwrap();
        assert!(page.scanned <= 2, "{}", page.scanned);
        scanned += page.scanned;
        seen.extend(texts(&page.items, "PK"));
        request.start_key = page.last_key;
        if request.start_key.is_none() {
            break;
        }
    }
    seen.sort();
    assert_eq!((seen, scanned), (["p3", "p4", "p5"].map(str::to_owned).to_vec(), 6));
}

pub(crate) fn an_index_of_several_attributes_is_queried_by_its_parts(store: &dyn Store) {
    create(store, vec![index("Place", &["tenant", "region"], &["city", "street"])]);
    for (sort, city, street) in [("1", "Hue", "A"), ("2", "Hue", "B"), ("3", "Vinh", "A")] {
        let place = [("tenant", "t"), ("region", "r"), ("city", city), ("street", street)];
        store.put(put(item("p", sort, &place.map(|(name, value)| (name, value.into()))))).unwrap();
    }
    let partition = [("tenant", KeyTest::Equal("t".into())), ("region", KeyTest::Equal("r".into()))];
    let in_city = ("city", KeyTest::Equal("Hue".into()));
    let request = Query { index: Some("Place".to_owned()), ..query("") };
    for (sort, expected) in [
        (vec![], &["1", "2", "3"][..]),
        (vec![in_city.clone()], &["1", "2"]),
        (vec![in_city, ("street", KeyTest::Greater("A".into()))], &["2"]),
    ] {
        let terms: Vec<(&str, KeyTest)> = partition.iter().cloned().chain(sort).collect();
        let request = Query { key: key_of(&terms), ..request.clone() };
        let mut seen = Vec::new();
        wait_until("an index that is told", || {
            seen = texts(&store.query(request.clone()).unwrap().items, "SK");
            seen == expected
        });
    }
}

pub(crate) fn queries_at_once_are_answered_in_order(store: &dyn Store) {
    create(store, Vec::new());
    let partitions: Vec<String> = (0..40).map(|number| format!("p{number}")).collect();
    for partition in &partitions {
        store.put(put(key(partition, "s"))).unwrap();
    }
    let requests: Vec<Query> = partitions.iter().map(|partition| query(partition)).collect();
    let pages = store.query_all(requests).unwrap();
    let seen: Vec<String> = pages.iter().flat_map(|page| texts(&page.items, "PK")).collect();
    assert_eq!(seen, partitions);
    let wrong = Query { table: "nowhere".to_owned(), ..query("p") };
    assert!(matches!(store.query_all(vec![query("p0"), wrong]), Err(StoreError::NotFound(_))));
    assert!(store.query_all(Vec::new()).unwrap().is_empty());
}

pub(crate) fn a_batch_has_any_number_of_keys(store: &dyn Store) {
    create(store, Vec::new());
    let sorts: Vec<String> = (0..230).map(|number| format!("{number:03}")).collect();
    for sort in sorts.iter().step_by(2) {
        store.put(put(key("p", sort))).unwrap();
    }
    let batch = BatchGet {
        table: TABLE.to_owned(),
        keys: sorts.iter().map(|sort| key("p", sort)).collect(),
        consistent: true,
        projection: None,
    };
    let answer = store.batch_get(batch.clone()).unwrap();
    let mut seen: Vec<String> =
        answer.items.iter().map(|item| text_of(&item.decode().unwrap(), "SK")).collect();
    seen.sort();
    assert_eq!(seen, sorts.iter().step_by(2).cloned().collect::<Vec<_>>());
    assert_eq!(answer.consumed.read, 230.0);
    assert!(store.batch_get(BatchGet { keys: Vec::new(), ..batch }).unwrap().items.is_empty());
}

pub(crate) fn a_batch_larger_than_one_answer_comes_whole(store: &dyn Store) {
    create(store, Vec::new());
    let filling = "x".repeat(390_000);
    let keys: Vec<Item> = (0..50).map(|number| key("p", &number.to_string())).collect();
    for one in &keys {
        let mut large = one.clone();
        large.insert("filling", filling.as_str());
        store.put(put(large)).unwrap();
    }
    let batch = BatchGet { table: TABLE.to_owned(), keys, consistent: false, projection: None };
    assert_eq!(store.batch_get(batch).unwrap().items.len(), 50);
}

pub(crate) fn a_transaction_reads_in_order_with_gaps(store: &dyn Store) {
    create(store, Vec::new());
    for sort in ["a", "c"] {
        store.put(put(key("p", sort))).unwrap();
    }
    let gets = ["c", "b", "a"].map(|sort| get(key("p", sort))).to_vec();
    let answer = store.transact_get(TransactGet { gets }).unwrap();
    let seen: Vec<Option<Item>> =
        answer.items.iter().map(|item| item.as_ref().map(|item| item.decode().unwrap())).collect();
    assert_eq!(seen, [Some(key("p", "c")), None, Some(key("p", "a"))]);
    assert_eq!(answer.consumed.read, 6.0);
}

pub(crate) fn a_transaction_writes_all_or_nothing(store: &dyn Store) {
    create(store, Vec::new());
    for sort in ["update", "delete", "check"] {
        store.put(put(item("p", sort, &[("n", 1.into())]))).unwrap();
    }
    let actions = |checked: i64| {
        vec![
            TransactAction::Put(PutItem { condition: Some(absent()), ..put(key("p", "put")) }),
            TransactAction::Update(update(key("p", "update"), set("n", 2.into()))),
            TransactAction::Delete(DeleteItem {
                table: TABLE.to_owned(),
                key: key("p", "delete"),
                condition: None,
                returned: ReturnItem::None,
            }),
            TransactAction::Check {
                table: TABLE.to_owned(),
                key: key("p", "check"),
                condition: equal("n", checked.into()),
            },
        ]
    };
    match store.transact_write(TransactWrite { actions: actions(5), token: None }) {
        Err(StoreError::Cancelled { reasons }) => match reasons.as_slice() {
            [
                Cancellation::None,
                Cancellation::None,
                Cancellation::None,
                Cancellation::ConditionFailed { item },
            ] => {
                let there = item.as_ref().unwrap().decode().unwrap();
                assert_eq!(there.get("n"), Some(&1.into()));
            }
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
    assert_eq!(found(store, key("p", "put")), None);
    store.transact_write(TransactWrite { actions: actions(1), token: None }).unwrap();
    assert!(found(store, key("p", "put")).is_some());
    assert_eq!(found(store, key("p", "update")).unwrap().get("n"), Some(&2.into()));
    assert_eq!(found(store, key("p", "delete")), None);
}

pub(crate) fn a_token_makes_a_transaction_happen_once(store: &dyn Store) {
    create(store, Vec::new());
    let add = update(key("p", "s"), change("n", Change::Add(1.into())));
    let request =
        TransactWrite { actions: vec![TransactAction::Update(add)], token: Some("once".to_owned()) };
    store.transact_write(request.clone()).unwrap();
    store.transact_write(request).unwrap();
    assert_eq!(found(store, key("p", "s")).unwrap().get("n"), Some(&1.into()));
}

pub(crate) fn reads_and_writes_say_what_they_cost(store: &dyn Store) {
    create(store, vec![index("GSI1", &["GSI1PK"], &["SK"])]);
    let large = item("p", "s", &[("GSI1PK", "g".into()), ("filling", "x".repeat(5000).into())]);
    let written = store.put(put(large)).unwrap().consumed;
    assert_eq!((written.read, written.write), (0.0, 10.0));
    assert_eq!(written.indexes, [("GSI1".to_owned(), 5.0)]);
    assert_eq!(store.get(get(key("p", "s"))).unwrap().consumed.read, 2.0);
    let eventual = GetItem { consistent: false, ..get(key("p", "none")) };
    assert_eq!(store.get(eventual).unwrap().consumed.read, 0.5);
    let through_index = Query {
        index: Some("GSI1".to_owned()),
        key: key_of(&[("GSI1PK", KeyTest::Equal("g".into()))]),
        ..query("")
    };
    wait_until("an index that is told", || store.query(through_index.clone()).unwrap().items.len() == 1);
    let read = store.query(through_index.clone()).unwrap().consumed;
    assert_eq!((read.read, read.indexes.as_slice()), (1.0, &[("GSI1".to_owned(), 1.0)][..]));
}

pub(crate) fn what_is_wrong_is_told_apart(store: &dyn Store) {
    let missing = store.get(get(key("p", "s")));
    assert!(matches!(&missing, Err(StoreError::NotFound(text)) if text.contains(TABLE)), "{missing:?}");
    create(store, Vec::new());
    let no_index = Query { index: Some("GSI9".to_owned()), ..query("p") };
    // DynamoDB has no error of its own for it.
    match store.query(no_index) {
        Err(StoreError::NotFound(text) | StoreError::Refused(text)) => {
            assert!(text.contains("GSI9"), "{text}")
        }
        other => panic!("{other:?}"),
    }
    let too_large = store.put(put(item("p", "s", &[("filling", "x".repeat(410_000).into())])));
    assert!(matches!(too_large, Err(StoreError::Refused(_))), "{too_large:?}");
    let wrong_key = store.get(get(Item::from([("PK", "p")])));
    assert!(matches!(wrong_key, Err(StoreError::Refused(_))), "{wrong_key:?}");
    let wrong_tree =
        Condition::between(Path::attribute("n"), AttributeValue::from(2), AttributeValue::from(1));
    let wrong_tree = store.put(PutItem { condition: Some(wrong_tree), ..put(key("p", "s")) });
    assert!(matches!(wrong_tree, Err(StoreError::Refused(_))), "{wrong_tree:?}");
}
