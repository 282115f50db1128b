//! Many threads at once: nothing is lost, nothing is done twice, and nobody sees half of anything.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{
    BatchWrite, BatchWriteAction, CancellationReason, Conflicts, CreateTable, Database, Error,
    IndexDefinition, MemoryDisk, Options, ProjectedAttributes, PutItem, Query, Result, ReturnValues,
    ScalarType, Scan, Select, StoreOptions, TransactAction, TransactGet, TransactGetItem, TransactWrite,
    UpdateItem,
};
use support::{
    ControlledDisk, Random, Stop, assert_agreement, condition, decode, get, item, key_condition, scan_all,
    small_database, small_options, update,
};

const TABLE: &str = "shared";
const THREADS: usize = 8;

fn database(request: CreateTable) -> Database {
    let database = small_database();
    database.create_table(request).unwrap();
    database
}

fn number(item: &Item, name: &str) -> i64 {
    match item.get(name) {
        Some(AttributeValue::N(number)) => number.to_i64().expect("a small integer"),
        other => unreachable!("{name} is a number, not {other:?}"),
    }
}

#[test]
fn no_unconditional_increment_is_lost() {
    const INCREMENTS: usize = 200;
    let database = database(CreateTable::new(TABLE, "id", ScalarType::S));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..INCREMENTS {
                    let add = update("ADD hits :one", item! { ":one" => 1 });
                    database.update_item(UpdateItem::new(TABLE, item! { "id" => "a" }, add)).unwrap();
                }
            });
        }
    });
    let counter = get(&database, TABLE, item! { "id" => "a" }).unwrap();
    assert_eq!(number(&counter, "hits"), (THREADS * INCREMENTS) as i64);
}

#[test]
fn every_value_of_a_counter_goes_to_one_caller() {
    const INCREMENTS: usize = 100;
    let database = database(CreateTable::new(TABLE, "id", ScalarType::S));
    let mut values: Vec<i64> = thread::scope(|scope| {
        let callers: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| {
                    let add = || update("ADD hits :one", item! { ":one" => 1 });
                    let next = |_| {
                        let request = UpdateItem::new(TABLE, item! { "id" => "a" }, add());
                        let outcome =
                            database.update_item(request.return_values(ReturnValues::UpdatedNew)).unwrap();
                        number(&decode(&outcome.attributes.unwrap()), "hits")
                    };
                    (0..INCREMENTS).map(next).collect::<Vec<_>>()
                })
            })
            .collect();
        callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect()
    });
    values.sort_unstable();
    assert_eq!(values, (1..=(THREADS * INCREMENTS) as i64).collect::<Vec<_>>());
}

/// Reads the counter and writes the next value, on condition that nobody else did meanwhile.
fn increment_optimistically(database: &Database) {
    loop {
        let read = get(database, TABLE, item! { "id" => "a" }).expect("the counter is there");
        let hits = number(&read, "hits");
        let unchanged = condition("hits = :read", item! { ":read" => hits });
        let next = PutItem::new(TABLE, item! { "id" => "a", "hits" => hits + 1 }).condition(unchanged);
        match database.put_item(next) {
            Ok(_) => return,
            Err(Error::ConditionFailed { .. }) => {}
            Err(error) => unreachable!("{error}"),
        }
    }
}

#[test]
fn no_conditional_increment_is_lost() {
    const INCREMENTS: usize = 60;
    let database = database(CreateTable::new(TABLE, "id", ScalarType::S));
    database.put_item(PutItem::new(TABLE, item! { "id" => "a", "hits" => 0 })).unwrap();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..INCREMENTS).for_each(|_| increment_optimistically(&database)));
        }
    });
    let counter = get(&database, TABLE, item! { "id" => "a" }).unwrap();
    assert_eq!(number(&counter, "hits"), (THREADS * INCREMENTS) as i64);
}

#[test]
fn exactly_one_of_many_creators_wins() {
    const NAMES: usize = 60;
    let database = database(CreateTable::new(TABLE, "id", ScalarType::S));
    let wins: Vec<AtomicUsize> = (0..NAMES).map(|_| AtomicUsize::new(0)).collect();
    thread::scope(|scope| {
        for creator in 0..THREADS {
            let (database, wins) = (&database, &wins);
            scope.spawn(move || {
                for (name, wins) in wins.iter().enumerate() {
                    let absent = condition("attribute_not_exists(id)", item! {});
                    let item = item! { "id" => name.to_string(), "creator" => creator as i64 };
                    match database.put_item(PutItem::new(TABLE, item).condition(absent)) {
                        Ok(_) => drop(wins.fetch_add(1, Ordering::Relaxed)),
                        Err(Error::ConditionFailed { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    assert!(wins.iter().all(|wins| wins.load(Ordering::Relaxed) == 1), "{wins:?}");
    assert_eq!(assert_agreement(&database, TABLE).len(), NAMES);
}

const ACCOUNTS: u64 = 6;
const FUNDS: i64 = 100;

fn account(id: u64) -> Item {
    item! { "id" => id.to_string() }
}

fn move_funds(id: u64, amount: i64) -> TransactAction {
    let add = update("ADD balance :amount", item! { ":amount" => amount });
    UpdateItem::new(TABLE, account(id), add)
        .condition(condition("balance >= :least", item! { ":least" => -amount }))
        .into()
}

/// Moves funds between two accounts; says whether there were enough.
fn transfer(database: &Database, from: u64, to: u64, amount: i64) -> Result<bool> {
    loop {
        let request = TransactWrite::new(vec![move_funds(from, -amount), move_funds(to, amount)]);
        match database.transact_write(request) {
            Ok(_) => return Ok(true),
            Err(Error::TransactionCanceled { reasons }) => {
                if reasons.iter().any(|reason| matches!(reason, CancellationReason::ConditionFailed { .. })) {
                    return Ok(false);
                }
                assert!(
                    reasons.iter().any(|reason| matches!(reason, CancellationReason::Conflict)),
                    "{reasons:?}"
                );
                thread::yield_now();
            }
            Err(error) => return Err(error),
        }
    }
}

/// The funds of all accounts, as a scan and as a transaction see them.
fn sums(database: &Database) -> [i64; 2] {
    let scanned = scan_all(database, &Scan::new(TABLE));
    let items = (0..ACCOUNTS).map(|id| TransactGetItem::new(TABLE, account(id))).collect();
    let read = database.transact_get(&TransactGet { items }).expect("the keys are right");
    let read: Vec<Item> = read.items.iter().flatten().map(decode).collect();
    [scanned, read].map(|accounts| accounts.iter().map(|account| number(account, "balance")).sum())
}

fn transfers_keep_the_sum(conflicts: Conflicts) {
    const TRANSFERS: usize = 150;
    let database = Database::in_memory_with(Options { conflicts, ..small_options() }).unwrap();
    let request = CreateTable::new(TABLE, "id", ScalarType::S)
        .attribute("balance", ScalarType::N)
        .global_index(IndexDefinition::new("by-balance", &["balance"], &[]));
    database.create_table(request).unwrap();
    for id in 0..ACCOUNTS {
        database.put_item(PutItem::new(TABLE, item! { "id" => id.to_string(), "balance" => FUNDS })).unwrap();
    }
    let expected = ACCOUNTS as i64 * FUNDS;
    let (done, seed) = (Stop::default(), Random::seed());
    thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.is_set() {
                assert_eq!(sums(&database), [expected, expected]);
            }
        });
        let stopping = done.on_drop();
        let payers: Vec<_> = (0..THREADS as u64)
            .map(|payer| {
                let database = &database;
                scope.spawn(move || {
                    let mut random = Random::new(seed + payer);
                    for _ in 0..TRANSFERS {
                        let from = random.below(ACCOUNTS);
                        let to = (from + 1 + random.below(ACCOUNTS - 1)) % ACCOUNTS;
                        transfer(database, from, to, random.below(40) as i64 + 1).expect("a transfer");
                    }
                })
            })
            .collect();
        for payer in payers {
            payer.join().unwrap();
        }
        drop(stopping);
        watcher.join().unwrap();
    });
    let accounts = assert_agreement(&database, TABLE);
    assert!(accounts.iter().all(|account| number(account, "balance") >= 0), "{accounts:?}");
    assert_eq!(sums(&database), [expected, expected]);
}

#[test]
fn transfers_that_conflict_and_try_again_keep_the_sum() {
    transfers_keep_the_sum(Conflicts::Refuse);
}

#[test]
fn transfers_that_wait_for_each_other_keep_the_sum() {
    transfers_keep_the_sum(Conflicts::Wait);
}

#[test]
fn a_token_used_by_many_at_once_is_done_once() {
    const ROUNDS: usize = 30;
    let database = database(CreateTable::new(TABLE, "id", ScalarType::S));
    let request = |round: usize| {
        let add = update("ADD hits :one", item! { ":one" => 1 });
        let actions = vec![UpdateItem::new(TABLE, item! { "id" => "a" }, add).into()];
        TransactWrite::new(actions).token(format!("round {round}"))
    };
    for round in 0..ROUNDS {
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    // A client that meets a running token tries again, as an SDK does.
                    while let Err(error) = database.transact_write(request(round)) {
                        assert!(
                            matches!(error, Error::TransactionInProgress | Error::TransactionCanceled { .. }),
                            "{error}"
                        );
                        thread::yield_now();
                    }
                });
            }
        });
    }
    let counter = get(&database, TABLE, item! { "id" => "a" }).unwrap();
    assert_eq!(number(&counter, "hits"), ROUNDS as i64);
}

/// Items of one partition that move between the places of their indexes; `place` and `twin` change together.
fn moving_items() -> (Database, i64) {
    const ITEMS: i64 = 24;
    let request = CreateTable::new(TABLE, "pk", ScalarType::S)
        .sort_key("sk", ScalarType::N)
        .attribute("place", ScalarType::N)
        .local_index(
            IndexDefinition::new("local", &["pk"], &["place"]).projection(ProjectedAttributes::KeysOnly),
        )
        .global_index(IndexDefinition::new("global", &["place"], &[]));
    let database = database(request);
    for sk in 0..ITEMS {
        let item = item! { "pk" => "p", "sk" => sk, "place" => 0, "twin" => 0 };
        database.put_item(PutItem::new(TABLE, item)).unwrap();
    }
    (database, ITEMS)
}

fn move_items(database: &Database, items: i64, seed: u64, stop: &Stop) {
    let mut random = Random::new(seed);
    while !stop.is_set() {
        let key = item! { "pk" => "p", "sk" => random.below(items as u64) };
        let to = item! { ":place" => random.below(5) };
        let moved = update("SET place = :place, twin = :place", to);
        database.update_item(UpdateItem::new(TABLE, key, moved)).expect("a move");
    }
}

#[test]
fn a_query_sees_an_index_and_its_table_at_one_moment() {
    const READS: usize = 500;
    let (database, items) = moving_items();
    let (stop, seed) = (Stop::default(), Random::seed());
    thread::scope(|scope| {
        let _stop = stop.on_drop();
        for writer in 0..2 {
            let (database, stop) = (&database, &stop);
            scope.spawn(move || move_items(database, items, seed + writer, stop));
        }
        let partition = key_condition("pk = :pk", item! { ":pk" => "p" });
        let fetched = Query::new(TABLE, partition).index("local").select(Select::AllAttributes);
        for _ in 0..READS {
            // The index gives the order, the table the attributes.
            let page = database.query(&fetched).unwrap();
            let found: Vec<Item> = page.items.unwrap().iter().map(decode).collect();
            assert_eq!(found.len() as i64, items, "each item is in the index at every moment");
            assert!(found.is_sorted_by_key(|item| number(item, "place")), "{found:?}");
            let page = database.scan(&Scan::new(TABLE).index("global")).unwrap();
            let found: Vec<Item> = page.items.unwrap().iter().map(decode).collect();
            assert_eq!(found.len() as i64, items, "no item is in two places or in none");
            assert!(found.iter().all(|item| item.get("place") == item.get("twin")), "{found:?}");
        }
    });
    assert_agreement(&database, TABLE);
}

#[test]
fn batches_are_not_seen_in_parts() {
    const BATCHES: i64 = 200;
    let database = database(CreateTable::new(TABLE, "id", ScalarType::S));
    let batch = |version: i64| {
        let put = |id: i64| BatchWriteAction::Put {
            table: TABLE.to_owned(),
            item: item! { "id" => id.to_string(), "version" => version },
        };
        BatchWrite::new((0..10).map(put).collect())
    };
    let done = Stop::default();
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.is_set() {
                let versions: Vec<i64> = scan_all(&database, &Scan::new(TABLE))
                    .iter()
                    .map(|item| number(item, "version"))
                    .collect();
                assert!(versions.iter().all(|version| Some(version) == versions.first()), "{versions:?}");
            }
        });
        let _done = done.on_drop();
        for version in 0..BATCHES {
            database.batch_write(batch(version)).unwrap();
        }
    });
}

#[test]
fn what_is_submitted_first_is_done_first() {
    const WRITES: i64 = 300;
    let database = database(CreateTable::new(TABLE, "id", ScalarType::S));
    thread::scope(|scope| {
        for writer in 0..THREADS {
            let database = &database;
            scope.spawn(move || {
                let id = writer.to_string();
                let put = |n: i64| PutItem::new(TABLE, item! { "id" => id.as_str(), "n" => n });
                let pending: Vec<_> = (0..WRITES)
                    .map(|n| database.submit_put_item(put(n).return_values(ReturnValues::AllOld)))
                    .collect();
                for (n, pending) in pending.into_iter().enumerate() {
                    let old = pending.wait().unwrap().attributes.map(|item| number(&decode(&item), "n"));
                    assert_eq!(old, (n > 0).then(|| n as i64 - 1));
                }
            });
        }
    });
    assert_eq!(assert_agreement(&database, TABLE).len(), THREADS);
}

#[test]
fn an_answered_write_is_seen_by_every_later_read() {
    const WRITES: i64 = 100;
    let request = CreateTable::new(TABLE, "id", ScalarType::S)
        .attribute("n", ScalarType::N)
        .global_index(IndexDefinition::new("by-n", &["n"], &[]));
    let database = database(request);
    thread::scope(|scope| {
        for writer in 0..THREADS {
            let database = &database;
            scope.spawn(move || {
                for n in 0..WRITES {
                    let item = item! { "id" => writer.to_string(), "n" => n };
                    database.put_item(PutItem::new(TABLE, item.clone())).unwrap();
                    assert_eq!(
                        get(database, TABLE, item! { "id" => writer.to_string() }),
                        Some(item.clone())
                    );
                    let place = key_condition("n = :n", item! { ":n" => n });
                    let found = support::query_all(database, &Query::new(TABLE, place).index("by-n"));
                    assert!(found.contains(&item), "an index lags: {found:?}");
                }
            });
        }
    });
    assert_agreement(&database, TABLE);
}

#[test]
fn a_table_created_by_many_is_created_once() {
    let database = small_database();
    let created: Vec<bool> = thread::scope(|scope| {
        let creators: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| database.create_table(CreateTable::new(TABLE, "id", ScalarType::S)).is_ok())
            })
            .collect();
        creators.into_iter().map(|creator| creator.join().unwrap()).collect()
    });
    assert_eq!(created.iter().filter(|created| **created).count(), 1);
}

#[test]
fn writes_to_a_table_that_goes_are_done_or_refused() {
    const ROUNDS: usize = 20;
    let database = small_database();
    let request = || {
        CreateTable::new(TABLE, "id", ScalarType::S)
            .attribute("n", ScalarType::N)
            .global_index(IndexDefinition::new("by-n", &["n"], &[]))
    };
    database.create_table(request()).unwrap();
    let stop = Stop::default();
    let outcomes: BTreeMap<bool, usize> = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut outcomes = BTreeMap::new();
            // At least once: on a busy machine, the rounds can be over before this thread has a turn.
            loop {
                let item = item! { "id" => "a", "n" => 1 };
                let outcome = database.put_item(PutItem::new(TABLE, item));
                assert!(matches!(outcome, Ok(_) | Err(Error::TableNotFound)), "{outcome:?}");
                *outcomes.entry(outcome.is_ok()).or_default() += 1;
                if stop.is_set() {
                    return outcomes;
                }
            }
        });
        let stopping = stop.on_drop();
        for _ in 0..ROUNDS {
            database.delete_table(TABLE).unwrap();
            database.create_table(request()).unwrap();
        }
        drop(stopping);
        writer.join().unwrap()
    });
    assert!(outcomes.values().sum::<usize>() > 0);
    assert!(assert_agreement(&database, TABLE).len() <= 1);
}

#[test]
fn the_writer_does_not_wait_for_pages_that_are_not_in_the_cache() {
    const ITEMS: usize = 6000;
    let disk = ControlledDisk::new(Arc::new(MemoryDisk::new()));
    let options = || {
        let store = StoreOptions { cache_bytes: 3 << 20, ..StoreOptions::default() };
        Options { store, ..Options::default() }
    };
    let item = |place: usize| item! { "id" => place as i64, "text" => "x".repeat(1000) };
    {
        let database = Database::open_on(disk.as_disk(), options()).unwrap();
        database.create_table(CreateTable::new(TABLE, "id", ScalarType::N)).unwrap();
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let database = &database;
                let items = (thread..ITEMS).step_by(THREADS);
                scope.spawn(move || {
                    items.for_each(|place| _ = database.put_item(PutItem::new(TABLE, item(place))).unwrap())
                });
            }
        });
        database.close().unwrap();
    }
    let database = Database::open_on(disk.as_disk(), options()).unwrap();
    let (writer_before, others_before) = disk.reads();
    for place in 0..ITEMS / 4 {
        database.put_item(PutItem::new(TABLE, item(place))).unwrap();
    }
    let (writer, others) = disk.reads();
    let (writer, others) = (writer - writer_before, others - others_before);
    assert!(others > ITEMS / 10, "the pages were not in the cache: others read {others}");
    assert!(writer * 5 < others, "the writer read {writer} times, others {others}");
}
