//! The operations that the engine and the reference are asked for, and how they are chosen.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use singlet_engine::ReturnValues;
use singlet_engine::values::{AttributeValue, Item, Kind};

use super::IndexKey;
use crate::support::item;

/// The tables there can be: one with a sort key and a local index, one without a sort key and with a global index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TableName {
    Sorted,
    Plain,
}

/// The indexes there can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum IndexName {
    Local,
    Born,
    Group,
    GroupByNumber,
    Multi,
}

/// The key of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) pk: u8,
    pub(crate) sk: u8,
}

impl TableName {
    /// The key attributes of an item.
    pub(crate) fn key(self, key: Key) -> Item {
        match self {
            TableName::Sorted => item! { "pk" => format!("p{}", key.pk), "sk" => i64::from(key.sk) },
            TableName::Plain => item! { "pk" => format!("p{}-{}", key.pk, key.sk) },
        }
    }

    /// Returns the partition of a key, as a query sees it.
    pub(crate) fn partition(self, key: Key) -> (u8, Option<u8>) {
        match self {
            TableName::Sorted => (key.pk, None),
            TableName::Plain => (key.pk, Some(key.sk)),
        }
    }

    /// The indexes that the table is created with.
    pub(crate) fn indexes_from_birth(self) -> [IndexName; 1] {
        match self {
            TableName::Sorted => [IndexName::Local],
            TableName::Plain => [IndexName::Born],
        }
    }
}

/// The key attributes of an index that items may lack or have wrong.
pub(crate) fn index_key(index: IndexName) -> IndexKey {
    match index {
        IndexName::Local => &[("l", Kind::S)],
        IndexName::Born | IndexName::Group => &[("g", Kind::S)],
        IndexName::GroupByNumber => &[("g", Kind::S), ("n", Kind::N)],
        IndexName::Multi => &[("l", Kind::S), ("g", Kind::S), ("n", Kind::N)],
    }
}

/// A condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    Always,
    Exists,
    Absent,
    Equals(i64),
    AtLeast(i64),
}

/// A change of some attributes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Edit {
    SetNumber(i64),
    AddNumber(i64),
    PlusNumber(i64),
    DefaultNumber(i64),
    SetGroup(AttributeValue),
    RemoveGroup,
    SetTexts(String, String),
    Append(i64),
    AddTag(String),
    DeleteTag(String),
}

impl Edit {
    /// The attributes that it names.
    pub(crate) fn attributes(&self) -> &'static [&'static str] {
        match self {
            Edit::SetNumber(_) | Edit::AddNumber(_) | Edit::PlusNumber(_) | Edit::DefaultNumber(_) => &["n"],
            Edit::SetGroup(_) | Edit::RemoveGroup => &["g"],
            Edit::SetTexts(..) => &["l", "t"],
            Edit::Append(_) => &["trail"],
            Edit::AddTag(_) | Edit::DeleteTag(_) => &["tags"],
        }
    }

    /// Such an update does not create an item.
    pub(crate) fn only_takes_away(&self) -> bool {
        matches!(self, Edit::RemoveGroup | Edit::DeleteTag(_))
    }
}

/// A write of one item. `shows_old` asks a failed condition for the item.
#[derive(Debug, Clone)]
pub(crate) enum Written {
    Put { key: Key, attributes: Item, test: Test, shows_old: bool },
    Update { key: Key, edit: Edit, test: Test, shows_old: bool },
    Delete { key: Key, test: Test, shows_old: bool },
    Check { key: Key, test: Test, shows_old: bool },
}

impl Written {
    pub(crate) fn key(&self) -> Key {
        match self {
            Written::Put { key, .. }
            | Written::Update { key, .. }
            | Written::Delete { key, .. }
            | Written::Check { key, .. } => *key,
        }
    }

    /// The whole item that a put puts.
    pub(crate) fn item(&self, table: TableName) -> Option<Item> {
        let Written::Put { key, attributes, .. } = self else { return None };
        let mut item = table.key(*key);
        item.extend(attributes.clone());
        Some(item)
    }

    pub(crate) fn condition(&self) -> (Test, bool) {
        match self {
            Written::Put { test, shows_old, .. }
            | Written::Update { test, shows_old, .. }
            | Written::Delete { test, shows_old, .. }
            | Written::Check { test, shows_old, .. } => (*test, *shows_old),
        }
    }
}

/// One action of a transaction.
pub(crate) type Transacted = (TableName, Written);

/// An operation for the engine and the reference.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Write { table: TableName, written: Written, values: ReturnValues },
    Batch(Vec<(TableName, Written)>),
    Transact { actions: Vec<Transacted>, token: Option<u8> },
    Get(TableName, Key),
    Query(TableName, Key),
    CreateTable(TableName),
    DeleteTable(TableName),
    CreateIndex(TableName, IndexName),
    DeleteIndex(TableName, IndexName),
    Advance { by_ms: u64 },
    Restart { closes: bool },
}

/// A sequence of operations. It begins with both tables, and some transactions are sent twice.
pub(crate) fn operations(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Operation>> {
    vec((operation(), 0..6u8), count).prop_map(|chosen| {
        let mut operations =
            vec![Operation::CreateTable(TableName::Sorted), Operation::CreateTable(TableName::Plain)];
        for (operation, chance) in chosen {
            let tokened =
                |operation: &&Operation| matches!(operation, Operation::Transact { token: Some(_), .. });
            let again = operations.iter().rev().find(tokened).filter(|_| chance == 0).cloned();
            operations.push(operation);
            operations.extend(again);
        }
        operations
    })
}

fn operation() -> impl Strategy<Value = Operation> {
    let several = || vec((table(), written()), 1..5);
    prop_oneof![
        20 => (table(), written(), any::<u8>()).prop_map(single),
        4 => vec((table(), put_or_delete()), 1..6).prop_map(Operation::Batch),
        6 => (several(), option::of(0..3u8)).prop_map(|(actions, token)| Operation::Transact { actions, token }),
        2 => (table(), key()).prop_map(|(table, key)| Operation::Get(table, key)),
        2 => (table(), key()).prop_map(|(table, key)| Operation::Query(table, key)),
        1 => table().prop_map(Operation::CreateTable),
        1 => table().prop_map(Operation::DeleteTable),
        3 => (table(), index()).prop_map(|(table, index)| Operation::CreateIndex(table, index)),
        2 => (table(), index()).prop_map(|(table, index)| Operation::DeleteIndex(table, index)),
        1 => prop_oneof![Just(1_000), Just(300_000), Just(600_000)].prop_map(|by_ms| Operation::Advance { by_ms }),
        2 => any::<bool>().prop_map(|closes| Operation::Restart { closes }),
    ]
}

/// A write by itself; a check makes no sense outside a transaction.
fn single((table, written, values): (TableName, Written, u8)) -> Operation {
    let written = match written {
        Written::Check { key, test, shows_old } => Written::Delete { key, test, shows_old },
        other => other,
    };
    let values = match (&written, values % 5) {
        (_, 0) => ReturnValues::None,
        (Written::Update { .. }, 1) => ReturnValues::UpdatedOld,
        (Written::Update { .. }, 2) => ReturnValues::UpdatedNew,
        (Written::Update { .. }, 3) => ReturnValues::AllNew,
        _ => ReturnValues::AllOld,
    };
    Operation::Write { table, written, values }
}

fn table() -> impl Strategy<Value = TableName> {
    prop_oneof![Just(TableName::Sorted), Just(TableName::Plain)]
}

fn index() -> impl Strategy<Value = IndexName> {
    prop_oneof![Just(IndexName::Group), Just(IndexName::GroupByNumber), Just(IndexName::Multi)]
}

fn key() -> impl Strategy<Value = Key> {
    (0..3u8, 0..4u8).prop_map(|(pk, sk)| Key { pk, sk })
}

fn test() -> impl Strategy<Value = Test> {
    prop_oneof![
        4 => Just(Test::Always),
        1 => Just(Test::Exists),
        1 => Just(Test::Absent),
        1 => (0..4i64).prop_map(Test::Equals),
        1 => (0..4i64).prop_map(Test::AtLeast),
    ]
}

/// Mostly a text, sometimes a number, which no index on it takes.
fn group() -> impl Strategy<Value = AttributeValue> {
    prop_oneof![
        9 => (0..3u8).prop_map(|n| AttributeValue::from(format!("g{n}"))),
        1 => Just(AttributeValue::from(7)),
    ]
}

fn text() -> impl Strategy<Value = String> {
    (0..400usize).prop_map(|length| "x".repeat(length))
}

fn label() -> impl Strategy<Value = String> {
    (0..2u8).prop_map(|n| format!("l{n}"))
}

fn edit() -> impl Strategy<Value = Edit> {
    let tag = || (0..3u8).prop_map(|n| format!("tag {n}"));
    prop_oneof![
        (0..4i64).prop_map(Edit::SetNumber),
        (-2..3i64).prop_map(Edit::AddNumber),
        (-2..3i64).prop_map(Edit::PlusNumber),
        (0..4i64).prop_map(Edit::DefaultNumber),
        group().prop_map(Edit::SetGroup),
        Just(Edit::RemoveGroup),
        (label(), text()).prop_map(|(l, t)| Edit::SetTexts(l, t)),
        (0..4i64).prop_map(Edit::Append),
        tag().prop_map(Edit::AddTag),
        tag().prop_map(Edit::DeleteTag),
    ]
}

fn put() -> impl Strategy<Value = Written> {
    let attributes = (option::of(group()), option::of(0..4i64), option::of(label()), option::of(text()));
    (key(), attributes, test(), any::<bool>()).prop_map(|(key, (g, n, l, t), test, shows_old)| {
        let given = [
            ("g", g),
            ("n", n.map(AttributeValue::from)),
            ("l", l.map(AttributeValue::from)),
            ("t", t.map(AttributeValue::from)),
        ];
        let attributes = given.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        Written::Put { key, attributes, test, shows_old }
    })
}

fn put_or_delete() -> impl Strategy<Value = Written> {
    prop_oneof![
        3 => put(),
        1 => key().prop_map(|key| Written::Delete { key, test: Test::Always, shows_old: false }),
    ]
}

fn written() -> impl Strategy<Value = Written> {
    prop_oneof![
        4 => put(),
        4 => (key(), edit(), test(), any::<bool>())
            .prop_map(|(key, edit, test, shows_old)| Written::Update { key, edit, test, shows_old }),
        2 => (key(), test(), any::<bool>()).prop_map(|(key, test, shows_old)| Written::Delete { key, test, shows_old }),
        1 => (key(), test(), any::<bool>()).prop_map(|(key, test, shows_old)| Written::Check { key, test, shows_old }),
    ]
}
