use singlet_design::Json;
use singlet_engine::Database;
use singlet_expr::{Action, Change, Condition, KeyCondition, KeyTerm, KeyTest, Path, Update};
use singlet_store::{
    AttributeDefinition, BatchGet, Consumed, DeleteItem, Embedded, GetItem, IndexShape, ProjectedAttributes,
    PutItem, Query, ReturnItem, ScalarType, Store, StoreError, TableChange, TableShape, TransactAction,
    TransactGet, TransactWrite, UpdateItem,
};
use singlet_values::{AttributeValue, Item};

use super::*;
use crate::blocking::Wait;

const TABLE: &str = "shop";

fn text(name: &str) -> AttributeDefinition {
    AttributeDefinition { name: name.to_owned(), scalar: ScalarType::S }
}

fn index(name: &str, key: &str, projection: ProjectedAttributes) -> IndexShape {
    IndexShape {
        name: name.to_owned(),
        partition: vec![text(key)],
        sort: vec![text("SK")],
        projection,
        local: false,
        throughput: None,
    }
}

fn store() -> Embedded {
    let store = Embedded::new(Database::in_memory().unwrap(), "memory");
    let indexes = vec![
        index("GSI1", "GSI1PK", ProjectedAttributes::All),
        index("GSI2", "GSI2PK", ProjectedAttributes::KeysOnly),
        index("GSI3", "GSI3PK", ProjectedAttributes::Include(vec!["state".to_owned()])),
    ];
    let shape = TableShape {
        name: TABLE.to_owned(),
        partition: text("PK"),
        sort: Some(text("SK")),
        indexes,
        protected: false,
        ttl: None,
        stream: false,
        recovery_days: None,
        backup: None,
        throughput: None,
    };
    store.change_table(&TableChange::Create(shape)).wait().unwrap();
    store
}

fn put(members: &[(&str, &str)]) -> PutItem {
    let item = members.iter().map(|(name, value)| (*name, *value)).collect();
    PutItem { table: TABLE.to_owned(), item, condition: None, returned: ReturnItem::None }
}

fn key() -> Item {
    Item::from([("PK", "p"), ("SK", "s")])
}

fn set(name: &str, value: &str) -> UpdateItem {
    let action = Action { path: Path::attribute(name), change: Change::set(value.into()) };
    let update = Update::new(vec![action]);
    UpdateItem { table: TABLE.to_owned(), key: key(), update, condition: None, returned: ReturnItem::New }
}

fn query(index: Option<&str>, partition: &str) -> Query {
    Query {
        table: TABLE.to_owned(),
        index: index.map(str::to_owned),
        key: KeyCondition::from_terms(vec![
            KeyTerm {
                attribute: index.map_or("PK".to_owned(), |index| format!("{index}PK")),
                test: KeyTest::Equal(partition.into()),
            },
            KeyTerm { attribute: "SK".to_owned(), test: KeyTest::BeginsWith("s".into()) },
        ]),
        filter: None,
        projection: None,
        limit: Some(20),
        forward: false,
        consistent: false,
        start_key: None,
    }
}

#[test]
fn what_is_foretold_is_what_is_used() {
    let recording = Recording::new(store()).with_writes();
    let long = "x".repeat(3000);
    let members =
        [("PK", "p"), ("SK", "s"), ("GSI1PK", "a"), ("GSI2PK", "b"), ("GSI3PK", "c"), ("long", &*long)];
    recording.put(put(&members)).wait().unwrap();
    recording.put(put(&members)).wait().unwrap();
    for update in [set("state", "new"), set("other", "1"), set("GSI2PK", "bb"), set("GSI1PK", "aa")] {
        recording.update(update).wait().unwrap();
    }
    let get = GetItem { table: TABLE.to_owned(), key: key(), consistent: true, projection: None };
    recording.get(get.clone()).wait().unwrap();
    recording
        .get(GetItem { consistent: false, key: Item::from([("PK", "-"), ("SK", "-")]), ..get.clone() })
        .wait()
        .unwrap();
    recording.query(query(Some("GSI2"), "bb")).wait().unwrap();
    recording.query_all(vec![query(None, "p"), query(Some("GSI1"), "aa")]).wait().unwrap();
    let keys = (0..150).map(|number| Item::from([("PK", "p"), ("SK", &*format!("{number}"))])).chain([key()]);
    let batch =
        BatchGet { table: TABLE.to_owned(), keys: keys.collect(), consistent: false, projection: None };
    recording.batch_get(batch).wait().unwrap();
    recording.transact_get(TransactGet { gets: vec![get] }).wait().unwrap();
    let new = put(&[("PK", "p"), ("SK", "t"), ("GSI1PK", "a")]);
    let actions = vec![TransactAction::Put(new), TransactAction::Update(set("state", "old"))];
    recording.transact_write(TransactWrite { actions, token: None, yields: false }).wait().unwrap();
    let delete =
        DeleteItem { table: TABLE.to_owned(), key: key(), condition: None, returned: ReturnItem::None };
    recording.delete(delete).wait().unwrap();

    let recorded = recording.recorded();
    assert_eq!(recorded.len(), 16);
    for one in &recorded {
        let RecordedOutcome::Done(consumed) = &one.outcome else { panic!("{one}") };
        assert_eq!((one.predicted.read, one.predicted.write), (consumed.read, consumed.write), "{one}");
        assert_eq!(one.predicted.indexes, consumed.indexes, "{one}");
        assert!(!one.predicted.at_least);
    }
    let rounds: Vec<u32> =
        recorded.iter().filter(|one| one.operation == "Query").map(|one| one.round).collect();
    assert!(rounds[0] < rounds[1] && rounds[1] == rounds[2]);
}

#[test]
fn writes_are_foreseen_and_not_done() {
    let store = store();
    store.put(put(&[("PK", "p"), ("SK", "s"), ("state", "new")])).wait().unwrap();
    let recording = Recording::new(&store);
    let after = recording.update(set("state", "paid")).wait().unwrap().item.unwrap().decode().unwrap();
    assert_eq!(after.get("state"), Some(&AttributeValue::from("paid")));

    let condition = Some(Condition::missing(Path::attribute("PK")));
    let refused =
        recording.put(PutItem { condition: condition.clone(), ..put(&[("PK", "p"), ("SK", "s")]) }).wait();
    assert!(matches!(refused, Err(StoreError::ConditionFailed { item: Some(_) })));
    let actions = vec![
        TransactAction::Update(set("state", "paid")),
        TransactAction::Put(PutItem { condition, ..put(&[("PK", "p"), ("SK", "t")]) }),
    ];
    recording.transact_write(TransactWrite { actions, token: None, yields: false }).wait().unwrap();

    let outcomes: Vec<bool> =
        recording.recorded().iter().map(|one| matches!(one.outcome, RecordedOutcome::Foreseen)).collect();
    assert_eq!(outcomes, [true, false, true]);
    let get = GetItem { table: TABLE.to_owned(), key: key(), consistent: true, projection: None };
    let there = store.get(get).wait().unwrap().item.unwrap().decode().unwrap();
    assert_eq!(there.get("state"), Some(&AttributeValue::from("new")));
}

#[test]
fn a_request_is_shown_as_it_goes_over_the_wire() {
    let recording = Recording::new(store());
    recording.query(query(Some("GSI1"), "USER#1")).wait().unwrap();
    let recorded = recording.recorded().remove(0);
    assert_eq!(
        recorded.body.to_string(),
        r##"{"TableName":"shop","IndexName":"GSI1","KeyConditionExpression":"#k0 = :k0 AND begins_with(#k1, :k1)","##
            .to_owned()
            + r##""ExpressionAttributeNames":{"#k0":"GSI1PK","#k1":"SK"},"##
            + r##""ExpressionAttributeValues":{":k0":{"S":"USER#1"},":k1":{"S":"s"}},"##
            + r##""ScanIndexForward":false,"ConsistentRead":false,"Limit":20,"ReturnConsumedCapacity":"INDEXES"}"##
    );
    let text = recorded.to_string();
    assert!(text.starts_with("Query: predicted 0.5 read units (0.5 of GSI1), used 0.5 read units"), "{text}");
    assert!(
        text.contains("\n  \"ExpressionAttributeNames\": {\"#k0\": \"GSI1PK\", \"#k1\": \"SK\"},\n"),
        "{text}"
    );

    recording.update(set("state", "paid")).wait().unwrap();
    let body = recording.recorded().remove(1).body;
    assert_eq!(body.get("Key").and_then(|key| key.get("PK")), Some(&Json::from([("S", "p")])));
    assert_eq!(body.get("UpdateExpression").and_then(Json::as_text), Some("SET #u0 = :u0"));
    assert_eq!(body.get("ReturnValues").and_then(Json::as_text), Some("ALL_NEW"));
}

#[test]
fn a_filter_hides_items_and_not_their_cost() {
    let recording = Recording::new(store()).with_writes();
    recording.put(put(&[("PK", "p"), ("SK", "s"), ("state", "new")])).wait().unwrap();
    let filter = Some(Condition::equal(Path::attribute("state"), AttributeValue::from("paid")));
    recording.query(Query { filter, ..query(None, "p") }).wait().unwrap();
    let recorded = recording.recorded().remove(1);
    let RecordedOutcome::Done(consumed) = &recorded.outcome else { panic!("{recorded}") };
    assert_eq!((recorded.predicted.read, recorded.predicted.at_least), (consumed.read, false));
}

#[test]
fn the_units_of_several_requests_are_added_up() {
    let request = |read: f64, write: f64, outcome: RecordedOutcome| Recorded {
        operation: "Query",
        body: Json::Null,
        predicted: Predicted { read, write, indexes: Vec::new(), at_least: false },
        outcome,
        round: 1,
    };
    let done = |read: f64| RecordedOutcome::Done(Consumed { read, ..Consumed::default() });
    let mut requests = vec![request(0.5, 0.0, done(0.5))];
    assert_eq!(total(&requests), None);
    requests.push(request(1.0, 0.0, done(1.5)));
    let both = "2 requests: predicted 1.5 read units, used 2 read units";
    assert_eq!(total(&requests).as_deref(), Some(both));
    requests.push(request(0.0, 4.0, RecordedOutcome::Foreseen));
    let all =
        "3 requests: predicted 1.5 read units and 4 write units, used 2 read units by the 2 that were done";
    assert_eq!(total(&requests).as_deref(), Some(all));
}
