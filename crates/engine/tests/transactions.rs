//! Transactions: all or nothing, with a reason for each action, once for each token.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::sync::Arc;

use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{
    BACKGROUND_ACTIONS_MAX, CancellationReason, Conflicts, Consumed, CreateTable, Database, DeleteItem,
    Error, IndexDefinition, Invalid, ManualClock, MemoryDisk, Options, PutItem, RETURNED_BYTES_MAX, Result,
    ScalarType, TransactAction, TransactGet, TransactGetItem, TransactWrite, TransactWriteOutcome, Units,
    UpdateItem,
};
use support::{
    ControlledDisk, assert_agreement, condition, decode, get, item, options_with_clock, projection,
    small_database, small_options, update,
};

const TABLE: &str = "accounts";
const TOKEN_LIFE_MS: u64 = 10 * 60 * 1000;

/// A table with a global index on `holder`.
fn create_table(database: &Database) {
    let table = CreateTable::new(TABLE, "id", ScalarType::S)
        .attribute("holder", ScalarType::S)
        .global_index(IndexDefinition::new("by-holder", &["holder"], &[]));
    database.create_table(table).unwrap();
}

fn database() -> Database {
    let database = small_database();
    create_table(&database);
    database
}

fn account(id: &str, balance: i64) -> Item {
    item! { "id" => id, "balance" => balance, "holder" => format!("holder of {id}") }
}

fn key(id: &str) -> Item {
    item! { "id" => id }
}

fn put(item: Item) -> TransactAction {
    PutItem::new(TABLE, item).into()
}

fn add(id: &str, amount: i64) -> TransactAction {
    UpdateItem::new(TABLE, key(id), update("ADD balance :amount", item! { ":amount" => amount })).into()
}

fn write(database: &Database, actions: Vec<TransactAction>) -> Result<Vec<Consumed>> {
    database.transact_write(TransactWrite::new(actions)).map(|outcome| outcome.consumed)
}

fn balance(database: &Database, id: &str) -> Option<AttributeValue> {
    get(database, TABLE, key(id)).and_then(|item| item.get("balance").cloned())
}

fn reasons(outcome: Result<impl std::fmt::Debug>) -> Vec<CancellationReason> {
    match outcome {
        Err(Error::TransactionCanceled { reasons }) => reasons,
        other => panic!("not canceled: {other:?}"),
    }
}

fn codes(outcome: Result<impl std::fmt::Debug>) -> Vec<&'static str> {
    reasons(outcome).iter().map(CancellationReason::code).collect()
}

#[test]
fn puts_updates_deletes_and_checks_are_done_together() {
    let database = database();
    for id in ["updated", "deleted", "checked"] {
        database.put_item(PutItem::new(TABLE, account(id, 1))).unwrap();
    }
    let exists = condition("attribute_exists(id)", item! {});
    let actions = vec![
        put(account("put", 5)),
        add("updated", 2),
        DeleteItem::new(TABLE, key("deleted")).into(),
        TransactAction::check(TABLE, key("checked"), exists),
    ];
    write(&database, actions).unwrap();
    assert_eq!(balance(&database, "put"), Some(5.into()));
    assert_eq!(balance(&database, "updated"), Some(3.into()));
    assert_eq!(get(&database, TABLE, key("deleted")), None);
    assert_eq!(balance(&database, "checked"), Some(1.into()));
    assert_agreement(&database, TABLE);
}

#[test]
fn a_transaction_may_span_tables() {
    let database = database();
    database.create_table(CreateTable::new("other", "id", ScalarType::S)).unwrap();
    write(&database, vec![put(account("a", 1)), PutItem::new("other", key("a")).into()]).unwrap();
    assert!(get(&database, TABLE, key("a")).is_some());
    assert!(get(&database, "other", key("a")).is_some());
}

#[test]
fn a_cancellation_gives_each_actions_reason_in_order() {
    let database = database();
    database.put_item(PutItem::new(TABLE, account("a", 1))).unwrap();
    database.put_item(PutItem::new(TABLE, account("b", 1))).unwrap();
    database.put_item(PutItem::new(TABLE, item! { "id" => "c", "balance" => "a text" })).unwrap();
    let absent = condition("attribute_not_exists(id)", item! {});
    let actions = vec![
        PutItem::new(TABLE, account("a", 2)).condition(absent.clone()).into(),
        put(account("new", 1)),
        PutItem::new(TABLE, account("b", 2)).condition(absent).return_old_on_failure().into(),
        add("c", 1),
    ];
    let reasons = reasons(write(&database, actions));
    let codes: Vec<&str> = reasons.iter().map(CancellationReason::code).collect();
    assert_eq!(codes, ["ConditionalCheckFailed", "None", "ConditionalCheckFailed", "ValidationError"]);
    let shown: Vec<Option<Item>> = reasons
        .iter()
        .map(|reason| match reason {
            CancellationReason::ConditionFailed { item } => item.as_ref().map(decode),
            _ => None,
        })
        .collect();
    assert_eq!(
        shown,
        [None, None, Some(account("b", 1)), None],
        "the old item goes only to who asked for it"
    );
}

#[test]
fn a_canceled_transaction_leaves_nothing_behind() {
    let database = database();
    database.put_item(PutItem::new(TABLE, account("a", 1))).unwrap();
    let before = (assert_agreement(&database, TABLE), database.stats().sequence);
    let poor = condition("balance >= :least", item! { ":least" => 100 });
    let actions = vec![
        put(account("b", 1)),
        DeleteItem::new(TABLE, key("a")).into(),
        TransactAction::check(TABLE, key("c"), poor),
    ];
    assert_eq!(codes(write(&database, actions)), ["None", "None", "ConditionalCheckFailed"]);
    assert_eq!((assert_agreement(&database, TABLE), database.stats().sequence), before);
}

#[test]
fn an_item_that_does_not_fit_the_table_cancels_with_a_reason() {
    let database = database();
    let wrong_key = item! { "id" => 7 };
    let wrong_index_key = item! { "id" => "b", "holder" => 7 };
    let actions = vec![put(account("a", 1)), put(wrong_key), put(wrong_index_key)];
    // Like DynamoDB, only the first of the items that don't fit is named.
    assert_eq!(codes(write(&database, actions)), ["None", "ValidationError", "None"]);
    assert_eq!(assert_agreement(&database, TABLE), []);
}

#[test]
fn one_item_twice_is_refused() {
    let database = database();
    let exists = condition("attribute_exists(id)", item! {});
    let check = TransactAction::check(TABLE, key("a"), exists);
    for actions in [vec![put(account("a", 1)), add("a", 1)], vec![check, put(account("a", 1))]] {
        let outcome = write(&database, actions);
        assert!(matches!(outcome, Err(Error::Invalid(Invalid::DuplicateTransactionItems))), "{outcome:?}");
    }
}

#[test]
fn the_same_key_in_two_tables_is_two_items() {
    let database = database();
    database.create_table(CreateTable::new("other", "id", ScalarType::S)).unwrap();
    assert!(
        write(&database, vec![put(account("a", 1)), PutItem::new("other", account("a", 1)).into()]).is_ok()
    );
}

#[test]
fn a_missing_table_fails_the_call_as_a_whole() {
    let database = database();
    let outcome = write(&database, vec![put(account("a", 1)), PutItem::new("missing", key("a")).into()]);
    assert!(matches!(outcome, Err(Error::TableNotFound)), "{outcome:?}");
    assert_eq!(get(&database, TABLE, key("a")), None);
}

#[test]
fn a_hundred_actions_are_the_most() {
    let database = database();
    let actions = |count: i64| (0..count).map(|n| put(account(&n.to_string(), n))).collect();
    let outcome = write(&database, actions(101));
    assert!(matches!(outcome, Err(Error::Invalid(Invalid::TooManyItems(_)))), "{outcome:?}");
    write(&database, actions(100)).unwrap();
    assert_eq!(assert_agreement(&database, TABLE).len(), 100);
}

#[test]
fn the_reasons_of_a_cancellation_carry_items_of_four_megabytes_and_no_more() {
    let database = database();
    let name = |n: usize| n.to_string();
    for n in 0..30 {
        let large = item! { "id" => name(n), "body" => "x".repeat(399 * 1024) };
        database.put_item(PutItem::new(TABLE, large)).unwrap();
    }
    let check = |n| TransactAction::Check {
        table: TABLE.to_owned(),
        key: key(&name(n)),
        condition: condition("attribute_not_exists(id)", item! {}),
        return_old_on_failure: true,
    };
    let reasons = reasons(write(&database, (0..30).map(check).collect()));
    assert_eq!(reasons.len(), 30);
    assert!(reasons.iter().all(|reason| reason.code() == "ConditionalCheckFailed"));
    let returned = |reason: &CancellationReason| match reason {
        CancellationReason::ConditionFailed { item } => item.as_ref().map(|item| item.as_bytes().len()),
        _ => None,
    };
    let sizes: Vec<usize> = reasons.iter().map_while(returned).collect();
    assert_eq!(sizes.len(), 10, "the first of them");
    assert!(sizes.iter().sum::<usize>() <= RETURNED_BYTES_MAX);
    assert_eq!(reasons.iter().filter_map(returned).count(), 10);
}

#[test]
fn four_megabytes_are_the_most() {
    let database = database();
    let large = |n: i64| item! { "id" => n.to_string(), "body" => "x".repeat(399 * 1024) };
    let outcome = write(&database, (0..11).map(|n| put(large(n))).collect());
    assert!(matches!(outcome, Err(Error::Invalid(Invalid::TransactionTooLarge))), "{outcome:?}");
    write(&database, (0..10).map(|n| put(large(n))).collect()).unwrap();
}

fn transfer(token: &str) -> TransactWrite {
    TransactWrite::new(vec![add("a", -1), add("b", 1)]).token(token)
}

/// A database with a clock of its own on a disk that outlives it.
struct Reopened {
    disk: Arc<MemoryDisk>,
    options: Options,
    clock: Arc<ManualClock>,
}

impl Reopened {
    fn new() -> (Self, Database) {
        let (options, clock) = options_with_clock();
        let reopened = Reopened { disk: Arc::new(MemoryDisk::new()), options, clock };
        let database = reopened.open();
        create_table(&database);
        (reopened, database)
    }

    fn open(&self) -> Database {
        Database::open_on(self.disk.clone(), self.options.clone()).expect("the disk is in order")
    }
}

#[test]
fn a_token_sent_again_changes_nothing_and_costs_a_read() {
    let database = database();
    database.transact_write(transfer("once")).unwrap();
    let again = database.transact_write(transfer("once")).unwrap();
    assert_eq!(balance(&database, "b"), Some(1.into()));
    let units: Vec<Units> = again.consumed.iter().map(Consumed::total).collect();
    assert_eq!(units, [Units::read(4.0)], "two items, twice the price of a consistent read");
}

#[test]
fn a_token_with_another_request_is_refused() {
    let database = database();
    database.transact_write(transfer("once")).unwrap();
    let other = TransactWrite::new(vec![add("a", -2), add("b", 2)]).token("once");
    let outcome = database.transact_write(other);
    assert!(matches!(outcome, Err(Error::TokenMismatch)), "{outcome:?}");
    assert_eq!(balance(&database, "b"), Some(1.into()));
}

#[test]
fn the_fingerprint_of_the_caller_tells_requests_apart() {
    let database = database();
    let with = |fingerprint: u128| TransactWrite { fingerprint, ..transfer("once") };
    database.transact_write(with(1)).unwrap();
    database.transact_write(with(1)).unwrap();
    assert!(matches!(database.transact_write(with(2)), Err(Error::TokenMismatch)));
    assert_eq!(balance(&database, "b"), Some(1.into()));
}

#[test]
fn a_token_is_remembered_for_ten_minutes() {
    let (reopened, database) = Reopened::new();
    database.transact_write(transfer("once")).unwrap();
    reopened.clock.advance_ms(TOKEN_LIFE_MS - 1);
    database.transact_write(transfer("once")).unwrap();
    assert_eq!(balance(&database, "b"), Some(1.into()), "still remembered");
    reopened.clock.advance_ms(1);
    database.transact_write(transfer("once")).unwrap();
    assert_eq!(balance(&database, "b"), Some(2.into()), "forgotten");
    reopened.clock.advance_ms(TOKEN_LIFE_MS - 1);
    database.transact_write(transfer("once")).unwrap();
    assert_eq!(balance(&database, "b"), Some(2.into()), "remembered anew");
}

#[test]
fn clearing_old_tokens_spares_one_that_was_used_anew() {
    let (reopened, database) = Reopened::new();
    database.transact_write(transfer("anew")).unwrap();
    reopened.clock.advance_ms(TOKEN_LIFE_MS);
    database.transact_write(transfer("anew")).unwrap();
    reopened.clock.advance_ms(1);
    // Each new token clears some that have ended.
    database.transact_write(transfer("another")).unwrap();
    database.transact_write(transfer("anew")).unwrap();
    assert_eq!(balance(&database, "b"), Some(3.into()));
}

#[test]
fn a_token_survives_a_restart() {
    let (reopened, database) = Reopened::new();
    database.transact_write(transfer("once")).unwrap();
    drop(database);
    let database = reopened.open();
    database.transact_write(transfer("once")).unwrap();
    assert_eq!(balance(&database, "b"), Some(1.into()));
    let other = TransactWrite::new(vec![add("a", 7)]).token("once");
    assert!(matches!(database.transact_write(other), Err(Error::TokenMismatch)));
}

#[test]
fn the_token_of_a_canceled_transaction_is_free_again() {
    let database = database();
    let absent = condition("attribute_exists(id)", item! {});
    let check = TransactAction::check(TABLE, key("a"), absent);
    let request = TransactWrite::new(vec![check, add("b", 1)]).token("once");
    assert_eq!(codes(database.transact_write(request.clone())), ["ConditionalCheckFailed", "None"]);
    database.put_item(PutItem::new(TABLE, account("a", 0))).unwrap();
    database.transact_write(request).unwrap();
    assert_eq!(balance(&database, "b"), Some(1.into()));
}

/// A database whose transactions stay under way for as long as the disk's syncs are held.
fn held_database(conflicts: Conflicts) -> (ControlledDisk, Database) {
    let disk = ControlledDisk::new(Arc::new(MemoryDisk::new()));
    let options = Options { conflicts, ..small_options() };
    let database = Database::open_on(disk.as_disk(), options).unwrap();
    create_table(&database);
    (disk, database)
}

#[test]
fn a_token_under_way_is_told_so() {
    let (disk, database) = held_database(Conflicts::Wait);
    disk.hold_syncs();
    let first = database.submit_transact_write(transfer("once"));
    let second = database.submit_transact_write(transfer("once"));
    disk.mend();
    first.wait().unwrap();
    let second = second.wait();
    assert!(matches!(second, Err(Error::TransactionInProgress)), "{second:?}");
    database.transact_write(transfer("once")).unwrap();
    assert_eq!(balance(&database, "b"), Some(1.into()));
}

#[test]
fn a_write_of_an_item_in_a_transaction_is_refused() {
    let (disk, database) = held_database(Conflicts::Refuse);
    disk.hold_syncs();
    let transaction = database.submit_transact_write(transfer("once"));
    let conflicting = [
        database.submit_put_item(PutItem::new(TABLE, account("a", 5))),
        database.submit_delete_item(DeleteItem::new(TABLE, key("b"))),
        database.submit_update_item(UpdateItem::new(TABLE, key("a"), update("SET x = id", item! {}))),
    ];
    let elsewhere = database.submit_put_item(PutItem::new(TABLE, account("c", 5)));
    disk.mend();
    transaction.wait().unwrap();
    for write in conflicting {
        let outcome = write.wait();
        assert!(matches!(outcome, Err(Error::TransactionConflict)), "{outcome:?}");
    }
    elsewhere.wait().unwrap();
    database.put_item(PutItem::new(TABLE, account("a", 5))).unwrap();
    assert_eq!(balance(&database, "a"), Some(5.into()));
    assert_eq!(balance(&database, "b"), Some(1.into()));
}

#[test]
fn a_transaction_that_meets_another_is_canceled_with_the_place_of_the_conflict() {
    let (disk, database) = held_database(Conflicts::Refuse);
    disk.hold_syncs();
    let first = database.submit_transact_write(TransactWrite::new(vec![add("a", -1), add("b", 1)]));
    let second = database.submit_transact_write(TransactWrite::new(vec![add("c", -1), add("b", 1)]));
    // A refused transaction releases the items that it claimed.
    let third = database.submit_transact_write(TransactWrite::new(vec![add("c", -1), add("d", 1)]));
    disk.mend();
    first.wait().unwrap();
    assert_eq!(codes(second.wait()), ["None", "TransactionConflict"]);
    third.wait().unwrap();
    write(&database, vec![add("c", -1), add("b", 1)]).unwrap();
    assert_eq!([balance(&database, "b"), balance(&database, "c")], [Some(2.into()), Some((-2).into())]);
}

#[test]
fn a_canceled_transaction_no_longer_conflicts() {
    let (_, database) = held_database(Conflicts::Refuse);
    let exists = condition("attribute_exists(id)", item! {});
    let check = TransactAction::check(TABLE, key("missing"), exists);
    assert_eq!(codes(write(&database, vec![check, add("a", 1)])), ["ConditionalCheckFailed", "None"]);
    database.put_item(PutItem::new(TABLE, account("a", 5))).unwrap();
}

#[test]
fn writes_that_wait_for_a_transaction_are_done_after_it() {
    let (disk, database) = held_database(Conflicts::Wait);
    disk.hold_syncs();
    let first = database.submit_transact_write(TransactWrite::new(vec![add("a", -1), add("b", 1)]));
    let second = database.submit_transact_write(TransactWrite::new(vec![add("b", 1), add("c", -1)]));
    let third = database.submit_put_item(PutItem::new(TABLE, account("a", 5)));
    disk.mend();
    first.wait().unwrap();
    second.wait().unwrap();
    third.wait().unwrap();
    let balances = ["a", "b", "c"].map(|id| balance(&database, id));
    assert_eq!(balances, [Some(5.into()), Some(2.into()), Some((-1).into())]);
}

#[test]
fn what_a_transaction_wrote_is_not_seen_before_it_is_durable() {
    let (disk, database) = held_database(Conflicts::Wait);
    disk.hold_syncs();
    let transaction = database.submit_transact_write(TransactWrite::new(vec![add("a", 1), add("b", 1)]));
    assert_eq!(balance(&database, "a"), None);
    disk.mend();
    transaction.wait().unwrap();
    assert_eq!(balance(&database, "a"), Some(1.into()));
}

fn read(database: &Database, ids: &[&str]) -> Result<Vec<Option<Item>>> {
    let items = ids.iter().map(|id| TransactGetItem::new(TABLE, key(id))).collect();
    let outcome = database.transact_get(&TransactGet { items })?;
    Ok(outcome.items.iter().map(|item| item.as_ref().map(decode)).collect())
}

#[test]
fn a_read_answers_in_the_order_of_its_keys() {
    let database = database();
    for id in ["a", "b"] {
        database.put_item(PutItem::new(TABLE, account(id, 1))).unwrap();
    }
    assert_eq!(
        read(&database, &["b", "missing", "a"]).unwrap(),
        [Some(account("b", 1)), None, Some(account("a", 1))]
    );
}

#[test]
fn a_read_returns_what_each_projection_asks_for() {
    let database = database();
    database.put_item(PutItem::new(TABLE, account("a", 1))).unwrap();
    let get =
        TransactGetItem { projection: Some(projection("balance")), ..TransactGetItem::new(TABLE, key("a")) };
    let outcome = database.transact_get(&TransactGet { items: vec![get] }).unwrap();
    let found: Vec<Option<Item>> = outcome.items.iter().map(|item| item.as_ref().map(decode)).collect();
    assert_eq!(found, [Some(item! { "balance" => 1 })]);
}

#[test]
fn a_read_of_one_item_twice_is_refused() {
    let database = database();
    let outcome = read(&database, &["a", "b", "a"]);
    assert!(matches!(outcome, Err(Error::Invalid(Invalid::DuplicateTransactionItems))), "{outcome:?}");
}

#[test]
fn a_read_with_a_wrong_key_is_canceled_with_a_reason() {
    let database = database();
    let wrong = TransactGetItem::new(TABLE, item! { "id" => 7 });
    let items = vec![TransactGetItem::new(TABLE, key("a")), wrong];
    assert_eq!(codes(database.transact_get(&TransactGet { items })), ["None", "ValidationError"]);
}

#[test]
fn a_read_of_more_than_a_hundred_items_or_four_megabytes_is_refused() {
    let database = database();
    let ids: Vec<String> = (0..101).map(|n| n.to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let outcome = read(&database, &ids);
    assert!(matches!(outcome, Err(Error::Invalid(Invalid::TooManyItems(_)))), "{outcome:?}");
    for id in &ids[..11] {
        let large = item! { "id" => *id, "body" => "x".repeat(399 * 1024) };
        database.put_item(PutItem::new(TABLE, large)).unwrap();
    }
    assert!(read(&database, &ids[..10]).is_ok());
    let outcome = read(&database, &ids[..11]);
    assert!(matches!(outcome, Err(Error::Invalid(Invalid::TransactionTooLarge))), "{outcome:?}");
}

#[test]
fn a_transaction_in_the_background_may_be_larger_and_refuses_nobody_meanwhile() {
    let (disk, database) = held_database(Conflicts::Refuse);
    let of = |count: usize, yields: bool| {
        let actions = (0..count).map(|number| put(account(&format!("a{number}"), 1))).collect();
        TransactWrite { yields, ..TransactWrite::new(actions) }
    };
    let too_many = |outcome: Result<_>| {
        let outcome: Result<()> = outcome.map(|_: TransactWriteOutcome| ());
        matches!(outcome, Err(Error::Invalid(Invalid::TooManyItems(_))))
    };
    assert!(too_many(database.transact_write(of(101, false))));
    assert!(too_many(database.transact_write(of(BACKGROUND_ACTIONS_MAX + 1, true))));
    database.transact_write(of(BACKGROUND_ACTIONS_MAX, true)).unwrap();
    assert_eq!(balance(&database, "a499"), Some(1.into()));

    // While it isn't durable yet, other writes of its items are taken, not refused.
    disk.hold_syncs();
    let pending = database.submit_transact_write(of(1, true));
    let other = database.submit_put_item(PutItem::new(TABLE, account("a0", 7)));
    disk.mend();
    pending.wait().unwrap();
    other.wait().unwrap();
    assert_eq!(balance(&database, "a0"), Some(7.into()));
}
