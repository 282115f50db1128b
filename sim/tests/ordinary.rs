//! The checker on the ordinary engine: real threads, a database in memory, the same operations.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    dead_code,
    unreachable_pub,
    reason = "a failing test panics; not all that is shared is used"
)]

use std::sync::Mutex;

use singlet_engine as engine;
use singlet_engine::{Database, Options, StoreOptions};
use singlet_scheduler::Random;
use singlet_sim::linear::{Verdict, check};
use singlet_sim::model::{self, Change, Operation, Table, TableCall, TableModel, Test, Value, Write};

#[path = "../src/perform.rs"]
mod perform;

use perform::{Performed, definition, perform};

const THREADS: u64 = 4;
const OPERATIONS: u64 = 60;
const KEYS: u64 = 5;

#[derive(Default)]
struct History {
    calls: Vec<TableCall>,
    time: u64,
}

fn draw(random: &mut Random) -> Operation {
    let key = random.below(KEYS) as u8;
    let write = |random: &mut Random, key| {
        let number = random.below(1 << 30).cast_signed();
        let change = match random.below(4) {
            0 | 1 => Change::Put(Value { number, group: Some(random.below(2) as u8), padding: 300 }),
            2 => Change::Add(1),
            _ => Change::Delete,
        };
        let test = if random.one_in(3) { Test::Exists } else { Test::Always };
        Write { key, change, test }
    };
    match random.below(8) {
        0..4 => Operation::Write(write(random, key)),
        4 => Operation::Transact(vec![write(random, 0), write(random, 1)], None),
        5 => Operation::Get(key),
        6 => Operation::TransactGet(vec![0, 1]),
        _ => Operation::QueryGroup(0),
    }
}

fn work(database: &Database, history: &Mutex<History>, caller: u64, mut random: Random) {
    for _ in 0..OPERATIONS {
        let operation = draw(&mut random);
        let call = {
            let mut history = history.lock().unwrap();
            history.time += 1;
            let began = history.time;
            let operation = operation.clone();
            history.calls.push(TableCall { caller, operation, answer: None, began, ended: u64::MAX });
            history.calls.len() - 1
        };
        let performed = perform(database, &operation);
        let mut history = history.lock().unwrap();
        history.time += 1;
        let ended = history.time;
        let call = history.calls.get_mut(call).unwrap();
        match performed {
            Performed::Answered(answer) => {
                call.answer = Some(answer);
                call.ended = ended;
            }
            // It has done nothing: a read that need not have happened.
            Performed::Refused => call.operation = Operation::Scan,
            other => panic!("{operation:?}: {other:?}"),
        }
    }
}

#[test]
fn histories_of_the_ordinary_engine_with_real_threads_are_linearizable() {
    for seed in 1..=10 {
        let store =
            StoreOptions { overlay_bytes_max: 8 << 10, segment_bytes: 64 << 10, ..StoreOptions::default() };
        let database = Database::in_memory_with(Options { store, ..Options::default() }).unwrap();
        database.create_table(definition()).unwrap();
        let history = Mutex::new(History::default());
        std::thread::scope(|scope| {
            for caller in 0..THREADS {
                let (database, history) = (&database, &history);
                let random = Random::new(seed * THREADS + caller);
                scope.spawn(move || work(database, history, caller, random));
            }
        });
        let history = history.into_inner().unwrap();
        let verdict = check::<TableModel>(&Table::default(), &history.calls);
        assert_eq!(verdict, Verdict::Linearizable, "seed {seed}");
    }
}
