//! Knowledge from outside of the database: who asked for what, what came back, what must be there.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use singlet_engine_simulated::StreamPosition;
use singlet_scheduler::{note, now_ns};

use crate::clock::Clocks;
use crate::linear::{Verdict, check};
use crate::model::{Answer, Operation, Table, TableCall, TableModel, Value};
use crate::plan::Plan;

/// A change as the stream tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    /// Twenty-one digits: they sort as texts like as numbers.
    pub(crate) number: String,
    pub(crate) key: u8,
    pub(crate) old: Option<Value>,
    pub(crate) new: Option<Value>,
}

/// An item that expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Expiring {
    pub(crate) due_second: u64,
    pub(crate) acknowledged_ns: Option<u64>,
}

/// A moment of which it is known what the table was like.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    pub(crate) time_ms: u64,
    pub(crate) items: BTreeMap<u8, Value>,
}

/// A backup that was acknowledged.
#[derive(Debug, Clone)]
pub(crate) struct Backup {
    pub(crate) arn: String,
    pub(crate) acknowledged_ns: u64,
}

/// Knowledge from outside. All clients share it.
pub(crate) struct World {
    pub(crate) plan: Plan,
    pub(crate) clock: Arc<Clocks>,
    calls: Mutex<Calls>,
    /// The records that a reader of the stream has seen, in all lives.
    pub(crate) followed: Mutex<Followed>,
    pub(crate) expiring: Mutex<BTreeMap<u32, Expiring>>,
    pub(crate) moments: Mutex<Vec<Moment>>,
    pub(crate) backups: Mutex<Vec<Backup>>,
    /// When the tables were first acknowledged.
    tables_ns: Mutex<Option<u64>>,
    /// Whether recovery was.
    pub(crate) has_recovery: AtomicBool,
}

#[derive(Default)]
pub(crate) struct Followed {
    pub(crate) records: Vec<Record>,
    /// When each of them was read.
    pub(crate) read_ns: Vec<u64>,
    pub(crate) position: Option<StreamPosition>,
}

#[derive(Default)]
struct Calls {
    list: Vec<TableCall>,
    /// When each beginning and end was. The times of calls are places in here: no two are the same.
    times_ns: Vec<u64>,
    tokens: u64,
}

impl Calls {
    fn new_time(&mut self) -> u64 {
        self.times_ns.push(now_ns());
        self.times_ns.len() as u64
    }
}

/// A lock of this file: only one thread runs at a time, so it is never contended.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl World {
    pub(crate) fn new(plan: Plan, clock: Arc<Clocks>) -> Self {
        World {
            plan,
            clock,
            calls: Mutex::default(),
            followed: Mutex::default(),
            expiring: Mutex::default(),
            moments: Mutex::default(),
            backups: Mutex::default(),
            tables_ns: Mutex::new(None),
            has_recovery: AtomicBool::new(false),
        }
    }

    /// A client begins a call; returns its number.
    pub(crate) fn begin(&self, caller: u64, operation: &Operation) -> usize {
        note(format_args!("client {caller} asks: {operation:?}"));
        let mut calls = lock(&self.calls);
        let began = calls.new_time();
        let call = TableCall { caller, operation: operation.clone(), answer: None, began, ended: u64::MAX };
        calls.list.push(call);
        calls.list.len() - 1
    }

    /// The call was answered.
    pub(crate) fn end(&self, call: usize, answer: Answer) {
        note(format_args!("call {call} is answered: {answer:?}"));
        let mut calls = lock(&self.calls);
        let time = calls.new_time();
        if let Some(call) = calls.list.get_mut(call) {
            call.answer = Some(answer);
            call.ended = time;
        }
    }

    /// The call was refused and has done nothing: it becomes one that need not have happened.
    pub(crate) fn refuse(&self, call: usize) {
        note(format_args!("call {call} is refused"));
        if let Some(call) = lock(&self.calls).list.get_mut(call) {
            call.operation = Operation::Scan;
        }
    }

    /// The database is stopped: what has no answer yet has happened by now, or never will.
    pub(crate) fn stop(&self) {
        let mut calls = lock(&self.calls);
        let time = calls.new_time();
        for call in calls.list.iter_mut().filter(|call| call.ended == u64::MAX) {
            call.ended = time;
        }
    }

    /// Writes that were acknowledged or read from this moment on may be there as a whole or not at all.
    pub(crate) fn take_back(&self, from_ns: u64) {
        let mut calls = lock(&self.calls);
        let until = calls.times_ns.partition_point(|time_ns| *time_ns < from_ns) as u64;
        for call in calls.list.iter_mut().filter(|call| call.ended > until) {
            call.answer = None;
        }
        let mut followed = lock(&self.followed);
        let read = followed.read_ns.partition_point(|read_ns| *read_ns < from_ns);
        followed.records.truncate(read);
        followed.read_ns.truncate(read);
        followed.position = None;
        for item in lock(&self.expiring).values_mut() {
            item.acknowledged_ns = item.acknowledged_ns.filter(|acknowledged_ns| *acknowledged_ns < from_ns);
        }
        lock(&self.backups).retain(|backup| backup.acknowledged_ns < from_ns);
        lock(&self.tables_ns).take_if(|tables_ns| *tables_ns >= from_ns);
    }

    pub(crate) fn new_token(&self) -> u64 {
        let mut calls = lock(&self.calls);
        calls.tokens += 1;
        calls.tokens
    }

    pub(crate) fn calls(&self) -> usize {
        lock(&self.calls).list.len()
    }

    /// Whether some order explains all answers so far.
    pub(crate) fn check_history(&self) -> Result<(), String> {
        let calls = lock(&self.calls);
        match check::<TableModel>(&Table::default(), &calls.list) {
            Verdict::Linearizable => Ok(()),
            Verdict::Violation(text) => Err(text),
            Verdict::Undecided => Err("whether the calls can be ordered was not found out".to_owned()),
        }
    }

    pub(crate) fn has_tables(&self) -> bool {
        lock(&self.tables_ns).is_some()
    }

    /// The tables are acknowledged.
    pub(crate) fn note_tables(&self) {
        lock(&self.tables_ns).get_or_insert_with(now_ns);
    }
}
