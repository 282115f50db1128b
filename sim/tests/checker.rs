//! The checker accepts what some order explains, and nothing else.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

use proptest::prelude::*;
use singlet_scheduler::Random;
use singlet_sim::linear::{Model, Verdict, check};
use singlet_sim::model::{Answer, Change, Operation, Table, TableCall, TableModel, Test, Value, Write};

fn value(number: i64) -> Value {
    Value { number, group: Some(1), padding: 0 }
}

fn write(key: u8, change: Change, test: Test) -> Write {
    Write { key, change, test }
}

fn put(key: u8, number: i64) -> Operation {
    Operation::Write(write(key, Change::Put(value(number)), Test::Always))
}

fn item(number: i64) -> Answer {
    Answer::Item(Some(value(number)))
}

const NOTHING: Answer = Answer::Item(None);

/// A call that began and ended then.
fn call(began: u64, ended: u64, operation: Operation, answer: Answer) -> TableCall {
    TableCall { caller: began, operation, answer: Some(answer), began, ended }
}

/// A call that nobody has an answer of; the database was stopped at `ended`.
fn lost(began: u64, ended: u64, operation: Operation) -> TableCall {
    TableCall { caller: began, operation, answer: None, began, ended }
}

fn accepts(calls: &[TableCall]) -> bool {
    check::<TableModel>(&Table::default(), calls) == Verdict::Linearizable
}

#[test]
fn calls_one_after_the_other_are_accepted() {
    assert!(accepts(&[
        call(1, 2, put(0, 1), NOTHING),
        call(3, 4, Operation::Get(0), item(1)),
        call(5, 6, put(0, 2), item(1)),
        call(7, 8, Operation::Get(0), item(2)),
    ]));
}

#[test]
fn a_read_during_a_write_may_see_it_or_not() {
    for answer in [NOTHING, item(1)] {
        assert!(accepts(&[call(1, 4, put(0, 1), NOTHING), call(2, 3, Operation::Get(0), answer)]));
    }
}

#[test]
fn a_stale_read_is_rejected() {
    assert!(!accepts(&[
        call(1, 2, put(0, 1), NOTHING),
        call(3, 4, put(0, 2), item(1)),
        call(5, 6, Operation::Get(0), item(1)),
    ]));
}

#[test]
fn two_reads_that_see_a_write_come_and_go_are_rejected() {
    assert!(!accepts(&[
        call(1, 8, put(0, 1), NOTHING),
        call(2, 3, Operation::Get(0), item(1)),
        call(4, 5, Operation::Get(0), NOTHING),
    ]));
}

#[test]
fn a_lost_update_is_rejected() {
    let add = || Operation::Write(write(0, Change::Add(1), Test::Always));
    let sum = |number| Answer::Item(Some(Value { number, group: None, padding: 0 }));
    assert!(accepts(&[call(1, 4, add(), sum(2)), call(2, 3, add(), sum(1))]));
    assert!(!accepts(&[call(1, 4, add(), sum(1)), call(2, 3, add(), sum(1))]));
}

#[test]
fn a_dirty_read_is_rejected() {
    // The write was refused, yet somebody saw it.
    let refused = Operation::Write(write(0, Change::Put(value(9)), Test::Exists));
    assert!(!accepts(&[call(1, 4, refused, Answer::Refused), call(2, 3, Operation::Get(0), item(9))]));
}

#[test]
fn two_successes_of_which_one_excludes_the_other_are_rejected() {
    let create = |number| Operation::Write(write(0, Change::Put(value(number)), Test::Absent));
    assert!(accepts(&[call(1, 4, create(1), NOTHING), call(2, 3, create(2), Answer::Refused)]));
    assert!(!accepts(&[call(1, 4, create(1), NOTHING), call(2, 3, create(2), NOTHING)]));
}

fn pair(first: i64, second: i64, token: Option<u64>) -> Operation {
    let writes = vec![
        write(0, Change::Put(value(first)), Test::Always),
        write(1, Change::Put(value(second)), Test::Always),
    ];
    Operation::Transact(writes, token)
}

#[test]
fn half_a_transaction_is_rejected() {
    let both = Operation::TransactGet(vec![0, 1]);
    let seen =
        |first: Option<i64>, second: Option<i64>| Answer::Items(vec![first.map(value), second.map(value)]);
    let transaction = || call(1, 4, pair(1, 2, None), Answer::Done);
    assert!(accepts(&[transaction(), call(2, 3, both.clone(), seen(Some(1), Some(2)))]));
    assert!(accepts(&[transaction(), call(2, 3, both.clone(), seen(None, None))]));
    assert!(!accepts(&[transaction(), call(2, 3, both.clone(), seen(Some(1), None))]));
    assert!(!accepts(&[lost(1, 10, pair(1, 2, None)), call(20, 21, both, seen(None, Some(2)))]));
}

#[test]
fn what_has_no_answer_happened_before_the_end_or_never() {
    let pending = || lost(1, 10, put(0, 1));
    assert!(accepts(&[
        pending(),
        call(2, 3, Operation::Get(0), NOTHING),
        call(11, 12, Operation::Get(0), item(1))
    ]));
    assert!(accepts(&[pending(), call(11, 12, Operation::Get(0), NOTHING)]));
    // Not after the database was opened again.
    assert!(!accepts(&[
        pending(),
        call(11, 12, Operation::Get(0), NOTHING),
        call(13, 14, Operation::Get(0), item(1)),
    ]));
    // And not before it was asked for.
    assert!(!accepts(&[call(1, 2, Operation::Get(0), item(1)), lost(3, 10, put(0, 1))]));
}

#[test]
fn an_acknowledged_write_that_is_gone_is_rejected() {
    assert!(!accepts(&[
        call(1, 2, put(0, 1), NOTHING),
        lost(3, 10, put(1, 1)),
        call(11, 12, Operation::Scan, Answer::Found(vec![(1, value(1))])),
    ]));
}

#[test]
fn a_token_that_is_sent_again_does_nothing() {
    let between = call(3, 4, put(0, 7), item(1));
    let again = call(5, 6, pair(1, 2, Some(1)), Answer::Done);
    let first = call(1, 2, pair(1, 2, Some(1)), Answer::Done);
    assert!(accepts(&[
        first.clone(),
        between.clone(),
        again.clone(),
        call(7, 8, Operation::Get(0), item(7))
    ]));
    assert!(!accepts(&[first, between, again, call(7, 8, Operation::Get(0), item(1))]));
}

/// An operation that often depends on others.
fn draw(random: &mut Random) -> Operation {
    let key = |random: &mut Random| random.below(2) as u8;
    let test = |random: &mut Random| {
        [Test::Always, Test::Exists, Test::Absent, Test::NumberIs(random.below(3) as i64)][random.index(4)]
    };
    let one = |random: &mut Random, key| {
        let change = match random.below(4) {
            0 | 1 => Change::Put(value(random.below(3) as i64)),
            2 => Change::Add(1),
            _ => Change::Delete,
        };
        write(key, change, test(random))
    };
    match random.below(8) {
        0..4 => {
            let key = key(random);
            Operation::Write(one(random, key))
        }
        4 => Operation::Transact(
            vec![one(random, 0), one(random, 1)],
            random.one_in(2).then(|| random.below(2)),
        ),
        5 => Operation::Get(key(random)),
        6 => Operation::TransactGet(vec![0, 1]),
        _ => Operation::Scan,
    }
}

/// Calls of an execution one after the other, each of which is then made to begin earlier and end later, so that they
/// overlap. Some answers are lost.
fn history(seed: u64, length: u64) -> Vec<TableCall> {
    let mut random = Random::new(seed);
    let mut table = Table::default();
    (0..length)
        .map(|place| {
            let operation = draw(&mut random);
            let (next, answer) = TableModel::apply(&table, &operation);
            table = next;
            let moment = 100 + 10 * place;
            let began = moment - random.below(25);
            let is_lost = random.one_in(6);
            let ended = if is_lost { u64::MAX } else { moment + 1 + random.below(25) };
            TableCall { caller: place, operation, answer: (!is_lost).then_some(answer), began, ended }
        })
        .collect()
}

/// Tries all orders, and for calls without an answer also leaving them out.
fn brute_force(table: &Table, calls: &[TableCall]) -> bool {
    if calls.iter().all(|call| call.answer.is_none()) {
        return true;
    }
    (0..calls.len()).any(|chosen| {
        let call = &calls[chosen];
        let rest: Vec<TableCall> = calls
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != chosen)
            .map(|(_, call)| call.clone())
            .collect();
        // A call that ended before it began must come before it, if it has an answer; otherwise it never happens.
        if rest.iter().any(|other| other.answer.is_some() && other.ended <= call.began) {
            return false;
        }
        let rest: Vec<TableCall> =
            rest.into_iter().filter(|other| other.answer.is_some() || other.ended >= call.began).collect();
        let (next, answer) = TableModel::apply(table, &call.operation);
        call.answer.as_ref().is_none_or(|given| *given == answer) && brute_force(&next, &rest)
    })
}

fn mutate(calls: &mut [TableCall], random: &mut Random) {
    let chosen = random.index(calls.len());
    let Some(answer) = &mut calls[chosen].answer else { return };
    let other = |old: Option<Value>| match old {
        None => Some(value(1)),
        Some(old) if random.clone().one_in(2) => Some(Value { number: old.number + 1, ..old }),
        Some(_) => None,
    };
    *answer = match answer.clone() {
        Answer::Item(old) => Answer::Item(other(old)),
        Answer::Items(mut old) => {
            old[0] = other(old[0]);
            Answer::Items(old)
        }
        Answer::Found(mut old) => {
            if old.pop().is_none() {
                old.push((0, value(1)));
            }
            Answer::Found(old)
        }
        Answer::Done => Answer::Cancelled(vec![true, false]),
        Answer::Refused => NOTHING,
        Answer::Cancelled(_) => Answer::Done,
    };
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_execution_is_accepted_however_its_calls_overlap(seed: u64, length in 1..60u64) {
        prop_assert!(accepts(&history(seed, length)));
    }

    #[test]
    fn the_verdict_is_that_of_trying_all_orders(seed: u64, length in 1..6u64) {
        let mut random = Random::new(!seed);
        let mut calls = history(seed, length);
        for _ in 0..4 {
            mutate(&mut calls, &mut random);
            prop_assert_eq!(accepts(&calls), brute_force(&Table::default(), &calls), "{:?}", calls);
        }
    }
}

#[test]
fn mutated_answers_are_mostly_rejected() {
    let rejected = (0..200)
        .filter(|seed| {
            let mut calls = history(*seed, 20);
            mutate(&mut calls, &mut Random::new(seed + 1));
            !accepts(&calls)
        })
        .count();
    assert!(rejected > 100, "{rejected} of 200");
}
