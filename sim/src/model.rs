//! The table as it should be: what each operation makes of it, and answers.

use std::collections::{BTreeMap, BTreeSet};

use crate::linear::{Call, Model};

/// Keys are small numbers; so many of them share a partition.
pub const KEYS_PER_PARTITION: u8 = 4;

/// An item without its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value {
    /// A number, which two indexes sort by.
    pub number: i64,
    /// The group, which an index finds it by.
    pub group: Option<u8>,
    /// How many bytes there are beside.
    pub padding: u16,
}

/// A condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Test {
    /// None.
    Always,
    /// The item is there.
    Exists,
    /// It is not.
    Absent,
    /// Its number is this one.
    NumberIs(i64),
}

/// A change of one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// Puts it.
    Put(Value),
    /// Adds to its number, making it if it isn't there.
    Add(i64),
    /// Deletes it.
    Delete,
    /// Only tests.
    Nothing,
}

/// A change under a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Write {
    /// Whose.
    pub key: u8,
    /// What.
    pub change: Change,
    /// If.
    pub test: Test,
}

/// A request of a client.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Operation {
    /// One write. It answers with the item before it, and an addition with the one after it.
    Write(Write),
    /// All or none. With a token, a repeat answers like the first and does nothing.
    Transact(Vec<Write>, Option<u64>),
    /// One item.
    Get(u8),
    /// Several items at one moment.
    TransactGet(Vec<u8>),
    /// The items of a partition.
    Query(u8),
    /// The items of a group.
    QueryGroup(u8),
    /// All items.
    Scan,
}

/// An answer to a client.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The item that was asked for, or that a write returns.
    Item(Option<Value>),
    /// Several.
    Items(Vec<Option<Value>>),
    /// Several with their keys, in the order of the keys.
    Found(Vec<(u8, Value)>),
    /// The transaction is done.
    Done,
    /// The condition doesn't hold.
    Refused,
    /// Conditions of the transaction don't hold: these.
    Cancelled(Vec<bool>),
}

/// A call to the table.
pub type TableCall = Call<Operation, Answer>;

/// All items and the tokens that were used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Table {
    /// By key.
    pub items: BTreeMap<u8, Value>,
    /// Tokens of transactions that happened.
    pub tokens: BTreeSet<u64>,
}

/// The model of the table.
#[derive(Debug)]
pub struct TableModel;

impl Model for TableModel {
    type State = Table;
    type Operation = Operation;
    type Answer = Answer;

    fn apply(table: &Table, operation: &Operation) -> (Table, Answer) {
        match operation {
            Operation::Write(write) => table.write(write),
            Operation::Transact(writes, token) => table.transact(writes, *token),
            read => (table.clone(), table.read(read)),
        }
    }
}

impl Table {
    fn write(&self, write: &Write) -> (Table, Answer) {
        let old = self.items.get(&write.key).copied();
        if !write.test.holds(old) {
            return (self.clone(), Answer::Refused);
        }
        let mut table = self.clone();
        table.change(write);
        let answer = match write.change {
            Change::Add(_) => table.items.get(&write.key).copied(),
            _ => old,
        };
        (table, Answer::Item(answer))
    }

    fn transact(&self, writes: &[Write], token: Option<u64>) -> (Table, Answer) {
        if token.is_some_and(|token| self.tokens.contains(&token)) {
            return (self.clone(), Answer::Done);
        }
        let failed: Vec<bool> =
            writes.iter().map(|write| !write.test.holds(self.items.get(&write.key).copied())).collect();
        if failed.contains(&true) {
            return (self.clone(), Answer::Cancelled(failed));
        }
        let mut table = self.clone();
        writes.iter().for_each(|write| table.change(write));
        table.tokens.extend(token);
        (table, Answer::Done)
    }

    fn change(&mut self, write: &Write) {
        match write.change {
            Change::Put(value) => drop(self.items.insert(write.key, value)),
            Change::Delete => drop(self.items.remove(&write.key)),
            Change::Nothing => {}
            Change::Add(by) => {
                let none = Value { number: 0, group: None, padding: 0 };
                self.items.entry(write.key).or_insert(none).number += by;
            }
        }
    }

    fn read(&self, read: &Operation) -> Answer {
        let get = |key: &u8| self.items.get(key).copied();
        let found = |fits: &dyn Fn(u8, &Value) -> bool| {
            let items = self.items.iter().filter(|(key, value)| fits(**key, value));
            Answer::Found(items.map(|(key, value)| (*key, *value)).collect())
        };
        match read {
            Operation::Get(key) => Answer::Item(get(key)),
            Operation::TransactGet(keys) => Answer::Items(keys.iter().map(get).collect()),
            Operation::Query(partition) => found(&|key, _| key / KEYS_PER_PARTITION == *partition),
            Operation::QueryGroup(group) => found(&|_, value| value.group == Some(*group)),
            Operation::Scan | Operation::Write(_) | Operation::Transact(..) => found(&|_, _| true),
        }
    }
}

impl Test {
    fn holds(self, item: Option<Value>) -> bool {
        match self {
            Test::Always => true,
            Test::Exists => item.is_some(),
            Test::Absent => item.is_none(),
            Test::NumberIs(number) => item.is_some_and(|item| item.number == number),
        }
    }
}
