//! The checks. Each makes the tables it needs in an empty store.

use std::time::{Duration, Instant};

use singlet_expr::{
    Action, Change, Comparator, Condition, KeyCondition, KeyTerm, KeyTest, Path, Projection, Update,
};
use singlet_store::{
    AttributeDefinition, BatchGet, Cancellation, CapacityChange, DeleteItem, Feature, GetItem, IndexShape,
    IndexState, ProjectedAttributes, ProvisionedThroughput, PutItem, Query, ReturnItem, ScalarType, Scan,
    Store, StoreError, TableChange, TableShape, TransactAction, TransactGet, TransactWrite, UpdateItem,
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
        throughput: None,
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
        throughput: None,
    }
}

/// Makes the table, with indexes.
pub(super) async fn create(store: &impl Store, indexes: Vec<IndexShape>) {
    store.change_table(&TableChange::Create(TableShape { indexes, ..shape() })).await.unwrap();
}

/// Waits for what goes on in the background.
async fn wait_until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !done().await {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what} takes too long");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub(super) fn key(partition: &str, sort: &str) -> Item {
    Item::from([("PK", partition), ("SK", sort)])
}

pub(super) fn item(partition: &str, sort: &str, more: &[(&str, AttributeValue)]) -> Item {
    let mut item = key(partition, sort);
    item.extend(more.iter().cloned());
    item
}

pub(super) fn put(item: Item) -> PutItem {
    PutItem { table: TABLE.to_owned(), item, condition: None, returned: ReturnItem::None }
}

pub(super) fn get(key: Item) -> GetItem {
    GetItem { table: TABLE.to_owned(), key, consistent: true, projection: None }
}

pub(super) async fn found(store: &impl Store, key: Item) -> Option<Item> {
    store.get(get(key)).await.unwrap().item.map(|item| item.decode().unwrap())
}

fn key_of(terms: &[(&str, KeyTest)]) -> KeyCondition {
    let term = |(name, test): &(&str, KeyTest)| KeyTerm { attribute: (*name).to_owned(), test: test.clone() };
    KeyCondition::from_terms(terms.iter().map(term).collect())
}

fn delete(key: Item) -> DeleteItem {
    DeleteItem { table: TABLE.to_owned(), key, condition: None, returned: ReturnItem::None }
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

pub(super) fn absent() -> Condition {
    Condition::missing(Path::attribute("PK"))
}

fn compared(path: &str, comparator: Comparator, value: AttributeValue) -> Condition {
    Condition::compare(Path::dotted(path), comparator, value)
}

fn equal(path: &str, value: AttributeValue) -> Condition {
    compared(path, Comparator::Equal, value)
}

pub(super) fn change(path: &str, change: Change) -> Update {
    Update::new(vec![Action { path: Path::dotted(path), change }])
}

fn set(path: &str, value: AttributeValue) -> Update {
    change(path, Change::set(value))
}

fn shown(paths: &[&str]) -> Option<Projection> {
    Some(Projection::of(paths.iter().map(|path| Path::dotted(path)).collect()))
}

pub(super) fn update(key: Item, update: Update) -> UpdateItem {
    UpdateItem { table: TABLE.to_owned(), key, update, condition: None, returned: ReturnItem::None }
}

pub(crate) async fn a_table_is_described_as_it_was_made(store: &impl Store) {
    assert!(store.describe_table(TABLE).await.unwrap().is_none());
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
    store.change_table(&TableChange::Create(shape.clone())).await.unwrap();
    let mut state = store.describe_table(TABLE).await.unwrap().unwrap();
    assert!(state.active);
    assert_eq!(state.indexes, [IndexState::Active; 3]);
    assert_eq!(state.items, 0);
    // Backends list indexes in the order they like.
    state.shape.indexes.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(state.shape, shape);
    let again = store.change_table(&TableChange::Create(shape)).await;
    assert!(matches!(again, Err(StoreError::Refused(_))), "{again:?}");
}

pub(crate) async fn indexes_come_and_go(store: &impl Store) {
    create(store, Vec::new()).await;
    for number in 0..10 {
        store.put(put(item("p", &format!("s{number}"), &[("GSI1PK", "one".into())]))).await.unwrap();
    }
    let wanted = index("GSI1", &["GSI1PK"], &["SK"]);
    store
        .change_table(&TableChange::CreateIndex { table: TABLE.to_owned(), index: wanted.clone() })
        .await
        .unwrap();
    let state = async || store.describe_table(TABLE).await.unwrap().unwrap();
    wait_until("filling an index", async || state().await.indexes == [IndexState::Active]).await;
    assert_eq!(state().await.shape.indexes, [wanted]);
    let through_index = Query {
        index: Some("GSI1".to_owned()),
        key: key_of(&[("GSI1PK", KeyTest::Equal("one".into()))]),
        ..query("")
    };
    wait_until("an index that answers", async || {
        store.query(through_index.clone()).await.is_ok_and(|page| page.items.len() == 10)
    })
    .await;

    let gone = TableChange::DeleteIndex { table: TABLE.to_owned(), index: "GSI1".to_owned() };
    store.change_table(&gone).await.unwrap();
    wait_until("deleting an index", async || state().await.shape.indexes.is_empty()).await;
}

pub(crate) async fn recovery_reaches_as_far_as_it_shall_and_can_be_turned_off(store: &impl Store) {
    assert!(store.supports(Feature::Recovery).await);
    store.change_table(&TableChange::Create(TableShape { recovery_days: Some(7), ..shape() })).await.unwrap();
    let days = async || store.describe_table(TABLE).await.unwrap().unwrap().shape.recovery_days;
    assert_eq!(days().await, Some(7));
    for wanted in [Some(35), None, Some(1)] {
        store.change_table(&TableChange::Recovery { table: TABLE.to_owned(), days: wanted }).await.unwrap();
        assert_eq!(days().await, wanted);
    }
}

pub(crate) async fn capacity_is_provisioned_changed_and_given_up(store: &impl Store) {
    let units = |read_units, write_units| ProvisionedThroughput { read_units, write_units };
    let first = IndexShape { throughput: Some(units(3, 2)), ..index("GSI1", &["a"], &[]) };
    let table = TableShape { indexes: vec![first], throughput: Some(units(10, 5)), ..shape() };
    store.change_table(&TableChange::Create(table)).await.unwrap();
    let present = async || {
        let shape = store.describe_table(TABLE).await.unwrap().unwrap().shape;
        (shape.throughput, shape.indexes.iter().map(|index| index.throughput).collect::<Vec<_>>())
    };
    assert_eq!(present().await, (Some(units(10, 5)), vec![Some(units(3, 2))]));

    let provisioned = |own, index: Option<ProvisionedThroughput>| CapacityChange::Provisioned {
        own,
        indexes: index.map(|units| ("GSI1".to_owned(), units)).into_iter().collect(),
    };
    for (change, expected) in [
        (provisioned(Some(units(12, 6)), None), (Some(units(12, 6)), vec![Some(units(3, 2))])),
        (provisioned(None, Some(units(4, 4))), (Some(units(12, 6)), vec![Some(units(4, 4))])),
        (CapacityChange::OnDemand, (None, vec![None])),
        (provisioned(Some(units(1, 2)), Some(units(3, 4))), (Some(units(1, 2)), vec![Some(units(3, 4))])),
    ] {
        store.change_table(&TableChange::Capacity { table: TABLE.to_owned(), change }).await.unwrap();
        assert_eq!(present().await, expected);
    }
    let second = IndexShape { throughput: Some(units(7, 7)), ..index("GSI2", &["b"], &[]) };
    let create = TableChange::CreateIndex { table: TABLE.to_owned(), index: second };
    store.change_table(&create).await.unwrap();
    assert_eq!(present().await.1, [Some(units(3, 4)), Some(units(7, 7))]);
}

pub(crate) async fn a_stream_is_turned_on_and_off(store: &impl Store) {
    assert!(store.supports(Feature::Streams).await);
    store.change_table(&TableChange::Create(TableShape { stream: true, ..shape() })).await.unwrap();
    let is_on = async || store.describe_table(TABLE).await.unwrap().unwrap().shape.stream;
    assert!(is_on().await);
    for enabled in [false, true] {
        store.change_table(&TableChange::Stream { table: TABLE.to_owned(), enabled }).await.unwrap();
        assert_eq!(is_on().await, enabled);
    }
}

pub(crate) async fn a_protected_table_stays(store: &impl Store) {
    create(store, Vec::new()).await;
    let protect = |protected| TableChange::Protect { table: TABLE.to_owned(), protected };
    let delete = TableChange::Delete { table: TABLE.to_owned() };
    store.change_table(&protect(true)).await.unwrap();
    assert!(store.describe_table(TABLE).await.unwrap().unwrap().shape.protected);
    assert!(matches!(store.change_table(&delete).await, Err(StoreError::Refused(_))));
    store.change_table(&protect(false)).await.unwrap();
    store.change_table(&delete).await.unwrap();
    wait_until("deleting a table", async || store.describe_table(TABLE).await.unwrap().is_none()).await;
}

pub(crate) async fn what_is_put_can_be_got(store: &impl Store) {
    create(store, Vec::new()).await;
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
    store.put(put(whole.clone())).await.unwrap();
    assert_eq!(found(store, key("p", "s")).await, Some(whole.clone()));
    assert_eq!(found(store, key("p", "other")).await, None);

    let returned = PutItem { returned: ReturnItem::Old, ..put(key("p", "s")) };
    let before = store.put(returned).await.unwrap().item.unwrap();
    assert_eq!(before.decode().unwrap(), whole);

    store.put(put(whole)).await.unwrap();
    let part = GetItem { projection: shown(&["title"]), ..get(key("p", "s")) };
    let shown = store.get(part).await.unwrap().item.unwrap().decode().unwrap();
    assert_eq!(shown, Item::from([("title", "Phở")]));
}

pub(crate) async fn a_failed_condition_brings_the_item_that_is_there(store: &impl Store) {
    create(store, Vec::new()).await;
    let there = item("p", "s", &[("version", 3.into())]);
    store.put(put(there.clone())).await.unwrap();
    let attempts = [
        store.put(PutItem { condition: Some(absent()), ..put(key("p", "s")) }).await,
        store
            .update(UpdateItem {
                condition: Some(equal("version", 2.into())),
                ..update(key("p", "s"), set("x", 1.into()))
            })
            .await,
        store
            .delete(DeleteItem {
                table: TABLE.to_owned(),
                key: key("p", "s"),
                condition: Some(equal("version", 2.into())),
                returned: ReturnItem::None,
            })
            .await,
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
    assert!(matches!(store.update(missing).await, Err(StoreError::ConditionFailed { item: None })));
    assert_eq!(found(store, key("p", "s")).await, Some(there));
}

pub(crate) async fn an_update_and_its_condition_read_the_item_before(store: &impl Store) {
    create(store, Vec::new()).await;
    store.put(put(item("p", "s", &[("version", 3.into())]))).await.unwrap();
    let request = UpdateItem {
        condition: Some(equal("version", 3.into())),
        returned: ReturnItem::New,
        ..update(key("p", "s"), set("version", 4.into()))
    };
    let after = store.update(request.clone()).await.unwrap().item.unwrap();
    assert_eq!(after.decode().unwrap().get("version"), Some(&4.into()));
    let old = UpdateItem { returned: ReturnItem::Old, condition: None, ..request };
    let before = store.update(old).await.unwrap().item.unwrap();
    assert_eq!(before.decode().unwrap().get("version"), Some(&4.into()));
}

pub(crate) async fn a_delete_gives_what_was_there(store: &impl Store) {
    create(store, Vec::new()).await;
    let there = item("p", "s", &[("a", 1.into())]);
    store.put(put(there.clone())).await.unwrap();
    let delete = DeleteItem {
        table: TABLE.to_owned(),
        key: key("p", "s"),
        condition: None,
        returned: ReturnItem::Old,
    };
    assert_eq!(store.delete(delete.clone()).await.unwrap().item.unwrap().decode().unwrap(), there);
    assert!(store.delete(delete).await.unwrap().item.is_none());
    assert_eq!(found(store, key("p", "s")).await, None);
}

pub(crate) async fn a_query_is_bounded_by_every_test_of_a_sort_key(store: &impl Store) {
    create(store, Vec::new()).await;
    for sort in ["a1", "a2", "b1", "b2", "c1"] {
        store.put(put(key("p", sort))).await.unwrap();
    }
    store.put(put(key("q", "a1"))).await.unwrap();
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
        let page = store.query(Query { key: key_of(&terms), ..query("p") }).await.unwrap();
        assert_eq!(texts(&page.items, "SK"), expected, "{test:?}");
        assert!(page.next.is_none());
    }
    assert_eq!(store.query(query("p")).await.unwrap().items.len(), 5);
    assert!(store.query(query("nobody")).await.unwrap().items.is_empty());
}

pub(crate) async fn pages_follow_each_other_in_both_directions(store: &impl Store) {
    create(store, vec![index("GSI1", &["GSI1PK"], &["tie"])]).await;
    let more: [(&str, AttributeValue); 2] = [("GSI1PK", "g".into()), ("tie", "same".into())];
    let sorts: Vec<String> = (0..7).map(|number| format!("s{number}")).collect();
    for sort in &sorts {
        store.put(put(item("p", sort, &more))).await.unwrap();
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
            wait_until("an index that is told", async || {
                store.query(Query { limit: None, ..first.clone() }).await.unwrap().items.len() == sorts.len()
            })
            .await;
            let (mut seen, mut next) = (Vec::new(), Some(first));
            while let Some(request) = next {
                let page = store.query(request).await.unwrap();
                assert!(page.items.len() <= 3 && page.scanned <= 3);
                seen.extend(texts(&page.items, "SK"));
                next = page.next;
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

pub(crate) async fn a_filter_and_a_projection_leave_things_out(store: &impl Store) {
    create(store, Vec::new()).await;
    for number in 0..6 {
        store
            .put(put(item("p", &format!("s{number}"), &[("n", number.into()), ("x", 1.into())])))
            .await
            .unwrap();
    }
    let request = Query {
        filter: Some(compared("n", Comparator::GreaterOrEqual, 3.into())),
        projection: shown(&["n"]),
        limit: Some(5),
        ..query("p")
    };
    let page = store.query(request.clone()).await.unwrap();
    let items: Vec<Item> = page.items.iter().map(|item| item.decode().unwrap()).collect();
    assert_eq!(items, [Item::from([("n", 3)]), Item::from([("n", 4)])]);
    assert_eq!(page.scanned, 5);
    assert_eq!(page.next, Some(Query { start_key: Some(key("p", "s4")), ..request }));
}

pub(crate) async fn a_scan_reads_everything_page_by_page(store: &impl Store) {
    create(store, Vec::new()).await;
    for number in 0..6 {
        store.put(put(item(&format!("p{number}"), "s", &[("n", number.into())]))).await.unwrap();
    }
    let mut next = Some(Scan {
        table: TABLE.to_owned(),
        index: None,
        filter: Some(compared("n", Comparator::GreaterOrEqual, 3.into())),
        projection: None,
        limit: Some(2),
        start_key: None,
    });
    let (mut seen, mut scanned) = (Vec::new(), 0);
    while let Some(request) = next {
        let page = store.scan(request).await.unwrap();
        assert!(page.scanned <= 2, "{}", page.scanned);
        scanned += page.scanned;
        seen.extend(texts(&page.items, "PK"));
        next = page.next;
    }
    seen.sort();
    assert_eq!((seen, scanned), (["p3", "p4", "p5"].map(str::to_owned).to_vec(), 6));
}

pub(crate) async fn an_index_of_several_attributes_is_queried_by_its_parts(store: &impl Store) {
    create(store, vec![index("Place", &["tenant", "region"], &["city", "street"])]).await;
    for (sort, city, street) in [("1", "Hue", "A"), ("2", "Hue", "B"), ("3", "Vinh", "A")] {
        let place = [("tenant", "t"), ("region", "r"), ("city", city), ("street", street)];
        store.put(put(item("p", sort, &place.map(|(name, value)| (name, value.into()))))).await.unwrap();
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
        wait_until("an index that is told", async || {
            seen = texts(&store.query(request.clone()).await.unwrap().items, "SK");
            seen == expected
        })
        .await;
    }
}

pub(crate) async fn queries_at_once_are_answered_in_order(store: &impl Store) {
    create(store, Vec::new()).await;
    let partitions: Vec<String> = (0..40).map(|number| format!("p{number}")).collect();
    for partition in &partitions {
        store.put(put(key(partition, "s"))).await.unwrap();
    }
    let requests: Vec<Query> = partitions.iter().map(|partition| query(partition)).collect();
    let pages = store.query_all(requests).await.unwrap();
    let seen: Vec<String> = pages.iter().flat_map(|page| texts(&page.items, "PK")).collect();
    assert_eq!(seen, partitions);
    let wrong = Query { table: "nowhere".to_owned(), ..query("p") };
    assert!(matches!(store.query_all(vec![query("p0"), wrong]).await, Err(StoreError::NotFound(_))));
    assert!(store.query_all(Vec::new()).await.unwrap().is_empty());
}

pub(crate) async fn a_batch_has_any_number_of_keys(store: &impl Store) {
    create(store, Vec::new()).await;
    let sorts: Vec<String> = (0..230).map(|number| format!("{number:03}")).collect();
    for sort in sorts.iter().step_by(2) {
        store.put(put(key("p", sort))).await.unwrap();
    }
    let batch = BatchGet {
        table: TABLE.to_owned(),
        keys: sorts.iter().map(|sort| key("p", sort)).collect(),
        consistent: true,
        projection: None,
    };
    let answer = store.batch_get(batch.clone()).await.unwrap();
    let mut seen: Vec<String> =
        answer.items.iter().map(|item| text_of(&item.decode().unwrap(), "SK")).collect();
    seen.sort();
    assert_eq!(seen, sorts.iter().step_by(2).cloned().collect::<Vec<_>>());
    assert_eq!(answer.consumed.read, 230.0);
    assert!(store.batch_get(BatchGet { keys: Vec::new(), ..batch }).await.unwrap().items.is_empty());
}

pub(crate) async fn a_batch_larger_than_one_answer_comes_whole(store: &impl Store) {
    create(store, Vec::new()).await;
    let filling = "x".repeat(390_000);
    let keys: Vec<Item> = (0..50).map(|number| key("p", &number.to_string())).collect();
    for one in &keys {
        let mut large = one.clone();
        large.insert("filling", filling.as_str());
        store.put(put(large)).await.unwrap();
    }
    let batch = BatchGet { table: TABLE.to_owned(), keys, consistent: false, projection: None };
    assert_eq!(store.batch_get(batch).await.unwrap().items.len(), 50);
}

pub(crate) async fn a_transaction_reads_in_order_with_gaps(store: &impl Store) {
    create(store, Vec::new()).await;
    for sort in ["a", "c"] {
        store.put(put(key("p", sort))).await.unwrap();
    }
    let gets = ["c", "b", "a"].map(|sort| get(key("p", sort))).to_vec();
    let answer = store.transact_get(TransactGet { gets }).await.unwrap();
    let seen: Vec<Option<Item>> =
        answer.items.iter().map(|item| item.as_ref().map(|item| item.decode().unwrap())).collect();
    assert_eq!(seen, [Some(key("p", "c")), None, Some(key("p", "a"))]);
    assert_eq!(answer.consumed.read, 6.0);
}

pub(crate) async fn a_transaction_writes_all_or_nothing(store: &impl Store) {
    create(store, Vec::new()).await;
    for sort in ["update", "delete", "check"] {
        store.put(put(item("p", sort, &[("n", 1.into())]))).await.unwrap();
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
    match store.transact_write(TransactWrite { actions: actions(5), token: None, yields: false }).await {
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
    assert_eq!(found(store, key("p", "put")).await, None);
    store.transact_write(TransactWrite { actions: actions(1), token: None, yields: false }).await.unwrap();
    assert!(found(store, key("p", "put")).await.is_some());
    assert_eq!(found(store, key("p", "update")).await.unwrap().get("n"), Some(&2.into()));
    assert_eq!(found(store, key("p", "delete")).await, None);
}

pub(crate) async fn a_token_makes_a_transaction_happen_once(store: &impl Store) {
    create(store, Vec::new()).await;
    let add = update(key("p", "s"), change("n", Change::Add(1.into())));
    let request = TransactWrite {
        actions: vec![TransactAction::Update(add)],
        token: Some("once".to_owned()),
        yields: false,
    };
    store.transact_write(request.clone()).await.unwrap();
    store.transact_write(request).await.unwrap();
    assert_eq!(found(store, key("p", "s")).await.unwrap().get("n"), Some(&1.into()));
}

pub(crate) async fn reads_and_writes_say_what_they_cost(store: &impl Store) {
    create(store, vec![index("GSI1", &["GSI1PK"], &["SK"])]).await;
    let large = item("p", "s", &[("GSI1PK", "g".into()), ("filling", "x".repeat(5000).into())]);
    let written = store.put(put(large)).await.unwrap().consumed;
    assert_eq!((written.read, written.write), (0.0, 10.0));
    assert_eq!(written.indexes, [("GSI1".to_owned(), 5.0)]);
    assert_eq!(store.get(get(key("p", "s"))).await.unwrap().consumed.read, 2.0);
    let eventual = GetItem { consistent: false, ..get(key("p", "none")) };
    assert_eq!(store.get(eventual).await.unwrap().consumed.read, 0.5);
    let through_index = Query {
        index: Some("GSI1".to_owned()),
        key: key_of(&[("GSI1PK", KeyTest::Equal("g".into()))]),
        ..query("")
    };
    wait_until("an index that is told", async || {
        store.query(through_index.clone()).await.unwrap().items.len() == 1
    })
    .await;
    let read = store.query(through_index.clone()).await.unwrap().consumed;
    assert_eq!((read.read, read.indexes.as_slice()), (1.0, &[("GSI1".to_owned(), 1.0)][..]));
}

pub(crate) async fn what_is_wrong_is_told_apart(store: &impl Store) {
    let missing = store.get(get(key("p", "s"))).await;
    assert!(matches!(&missing, Err(StoreError::NotFound(text)) if text.contains(TABLE)), "{missing:?}");
    create(store, Vec::new()).await;
    let no_index = Query { index: Some("GSI9".to_owned()), ..query("p") };
    // DynamoDB has no error of its own for it.
    match store.query(no_index).await {
        Err(StoreError::NotFound(text) | StoreError::Refused(text)) => {
            assert!(text.contains("GSI9"), "{text}")
        }
        other => panic!("{other:?}"),
    }
    let too_large = store.put(put(item("p", "s", &[("filling", "x".repeat(410_000).into())]))).await;
    assert!(matches!(too_large, Err(StoreError::Refused(_))), "{too_large:?}");
    let wrong_key = store.get(get(Item::from([("PK", "p")]))).await;
    assert!(matches!(wrong_key, Err(StoreError::Refused(_))), "{wrong_key:?}");
}

pub(crate) async fn every_call_tells_that_a_table_is_missing(store: &impl Store) {
    assert!(store.describe_table(TABLE).await.unwrap().is_none());
    let scan = Scan {
        table: TABLE.to_owned(),
        index: None,
        filter: None,
        projection: None,
        limit: None,
        start_key: None,
    };
    let batch =
        BatchGet { table: TABLE.to_owned(), keys: vec![key("p", "s")], consistent: false, projection: None };
    let gets = TransactGet { gets: vec![get(key("p", "s"))] };
    let actions =
        TransactWrite { actions: vec![TransactAction::Put(put(key("p", "s")))], token: None, yields: false };
    let protect = TableChange::Protect { table: TABLE.to_owned(), protected: true };
    let errors = [
        ("get", store.get(get(key("p", "s"))).await.err()),
        ("batch get", store.batch_get(batch).await.err()),
        ("query", store.query(query("p")).await.err()),
        ("scan", store.scan(scan).await.err()),
        ("transact get", store.transact_get(gets).await.err()),
        ("put", store.put(put(key("p", "s"))).await.err()),
        ("update", store.update(update(key("p", "s"), set("n", 1.into()))).await.err()),
        ("delete", store.delete(delete(key("p", "s"))).await.err()),
        ("transact write", store.transact_write(actions).await.err()),
        ("change table", store.change_table(&protect).await.err()),
    ];
    for (call, error) in errors {
        assert!(matches!(error, Some(StoreError::NotFound(_))), "{call}: {error:?}");
    }
}

pub(crate) async fn a_tree_that_is_wrong_for_every_item_is_refused(store: &impl Store) {
    create(store, Vec::new()).await;
    let there = item("p", "s", &[("n", 1.into())]);
    store.put(put(there.clone())).await.unwrap();
    let wrong = || Condition::between(Path::attribute("n"), AttributeValue::from(2), AttributeValue::from(1));
    let clash = Update::new(["n", "n.m"].map(|path| set(path, 1.into()).actions()[0].clone()).to_vec());
    let scan = Scan {
        table: TABLE.to_owned(),
        index: None,
        filter: Some(wrong()),
        projection: None,
        limit: None,
        start_key: None,
    };
    let check = TransactAction::Check { table: TABLE.to_owned(), key: key("p", "s"), condition: wrong() };
    let errors = [
        ("get", store.get(GetItem { projection: shown(&["n", "n.m"]), ..get(key("p", "s")) }).await.err()),
        ("query", store.query(Query { filter: Some(wrong()), ..query("p") }).await.err()),
        ("scan", store.scan(scan).await.err()),
        ("put", store.put(PutItem { condition: Some(wrong()), ..put(key("p", "s")) }).await.err()),
        ("update", store.update(update(key("p", "s"), clash)).await.err()),
        (
            "delete",
            store.delete(DeleteItem { condition: Some(wrong()), ..delete(key("p", "s")) }).await.err(),
        ),
        (
            "transact write",
            store
                .transact_write(TransactWrite { actions: vec![check], token: None, yields: false })
                .await
                .err(),
        ),
    ];
    for (call, error) in errors {
        assert!(matches!(error, Some(StoreError::Refused(_))), "{call}: {error:?}");
    }
    assert_eq!(found(store, key("p", "s")).await, Some(there));
}
