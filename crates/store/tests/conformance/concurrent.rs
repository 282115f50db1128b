//! Checks of calls that run at the same time, or whose futures are dropped.

use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use singlet_expr::Change;
use singlet_store::{PutItem, Store, StoreError, TransactAction, TransactGet, TransactWrite};
use singlet_values::AttributeValue;

use super::checks::{absent, change, create, found, get, item, key, put, update};

/// Runs futures side by side on this task.
async fn join_all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        for (future, output) in &mut running {
            if output.is_none()
                && let Poll::Ready(done) = future.as_mut().poll(context)
            {
                *output = Some(done);
            }
        }
        if running.iter().all(|(_, output)| output.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    running.into_iter().filter_map(|(_, output)| output).collect()
}

fn add(sort: &str, number: i64) -> TransactAction {
    TransactAction::Update(update(key("p", sort), change("n", Change::Add(number.into()))))
}

pub(crate) async fn concurrent_updates_of_one_item_all_count(store: &impl Store) {
    create(store, Vec::new()).await;
    let one = || update(key("p", "s"), change("n", Change::Add(1.into())));
    let written = join_all((0..20).map(|_| store.update(one()))).await;
    for one in written {
        one.unwrap();
    }
    assert_eq!(found(store, key("p", "s")).await.unwrap().get("n"), Some(&20.into()));
}

pub(crate) async fn of_concurrent_creates_one_succeeds(store: &impl Store) {
    create(store, Vec::new()).await;
    let one = |number: i32| {
        let item = item("p", "s", &[("n", number.into())]);
        store.put(PutItem { condition: Some(absent()), ..put(item) })
    };
    let written = join_all((0..10).map(one)).await;
    let succeeded = written.iter().position(Result::is_ok).unwrap();
    let refused =
        |one: &&Result<_, StoreError>| matches!(one, Err(StoreError::ConditionFailed { item: Some(_) }));
    assert_eq!(written.iter().filter(refused).count(), 9, "{written:?}");
    let there = found(store, key("p", "s")).await.unwrap();
    assert_eq!(there.get("n"), Some(&AttributeValue::from(i32::try_from(succeeded).unwrap())));
}

pub(crate) async fn concurrent_transactions_keep_a_sum(store: &impl Store) {
    create(store, Vec::new()).await;
    for sort in ["a", "b"] {
        store.put(put(item("p", sort, &[("n", 100.into())]))).await.unwrap();
    }
    let transfer = |number: i64| {
        let actions = vec![add("a", -number), add("b", number)];
        store.transact_write(TransactWrite { actions, token: None, yields: false })
    };
    let written = join_all((1..=10).map(transfer)).await;
    let moved: i64 = (1..).zip(&written).filter(|(_, one)| one.is_ok()).map(|(number, _)| number).sum();
    for refused in written.into_iter().filter_map(Result::err) {
        assert!(matches!(refused, StoreError::TryAgain(_) | StoreError::Cancelled { .. }), "{refused:?}");
    }
    assert_eq!(found(store, key("p", "a")).await.unwrap().get("n"), Some(&(100 - moved).into()));
    assert_eq!(found(store, key("p", "b")).await.unwrap().get("n"), Some(&(100 + moved).into()));
}

pub(crate) async fn a_dropped_transaction_takes_effect_whole_or_not_at_all(store: &impl Store) {
    create(store, Vec::new()).await;
    for number in 0..20 {
        let (one, other) = (format!("{number}-one"), format!("{number}-other"));
        let puts = [&one, &other].map(|sort| TransactAction::Put(put(key("p", sort)))).to_vec();
        {
            let write =
                pin!(store.transact_write(TransactWrite { actions: puts, token: None, yields: false }));
            let _under_way = write.poll(&mut Context::from_waker(Waker::noop()));
        }
        let gets = [&one, &other].map(|sort| get(key("p", sort))).to_vec();
        for _ in 0..3 {
            let found = store.transact_get(TransactGet { gets: gets.clone() }).await.unwrap().items;
            assert_eq!(found[0].is_some(), found[1].is_some());
        }
    }
    // The store still works.
    store.put(put(key("p", "after"))).await.unwrap();
    assert!(found(store, key("p", "after")).await.is_some());
}
