//! A database as simple as can be: maps in memory, no indexes but names, and every rule written out once more.

mod answer;
mod operation;

use std::collections::{BTreeMap, BTreeSet};

use singlet_engine::ReturnValues;
use singlet_engine::values::{AttributeValue, Item, Kind};

pub(crate) use answer::{Answer, Reason, Refusal};
pub(crate) use operation::{
    Edit, IndexName, Key, Operation, TableName, Test, Transacted, Written, index_key, operations,
};

const TOKEN_LIFE_MS: u64 = 10 * 60 * 1000;

/// All tables, and the tokens of transactions.
#[derive(Debug)]
pub(crate) struct Reference {
    tables: BTreeMap<TableName, Table>,
    tokens: BTreeMap<u8, (String, u64)>,
    now_ms: u64,
}

/// The items of a table, and the names of the indexes that were made on it.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) items: BTreeMap<Key, Item>,
    pub(crate) indexes: BTreeSet<IndexName>,
}

impl Reference {
    pub(crate) fn new(now_ms: u64) -> Self {
        Reference { tables: BTreeMap::new(), tokens: BTreeMap::new(), now_ms }
    }

    pub(crate) fn tables(&self) -> &BTreeMap<TableName, Table> {
        &self.tables
    }

    /// Returns the answer to the operation.
    pub(crate) fn answer(&mut self, operation: &Operation) -> Answer {
        self.perform(operation).unwrap_or_else(Answer::Refused)
    }

    fn perform(&mut self, operation: &Operation) -> Result<Answer, Refusal> {
        match operation {
            Operation::Write { table, written, values, .. } => self.write(*table, written, *values),
            Operation::Batch(batch) => self.batch(batch),
            Operation::Transact { actions, token } => self.transact(actions, *token),
            Operation::Get(table, key) => {
                let item = self.table(*table)?.items.get(key).cloned();
                Ok(Answer::Done(item))
            }
            Operation::Query(table, partition) => {
                let items = &self.table(*table)?.items;
                let of_partition =
                    items.iter().filter(|(key, _)| table.partition(**key) == table.partition(*partition));
                Ok(Answer::Items(of_partition.map(|(_, item)| item.clone()).collect()))
            }
            Operation::CreateTable(table) => {
                if self.tables.contains_key(table) {
                    return Err(Refusal::TableExists);
                }
                self.tables.insert(*table, Table::default());
                Ok(Answer::Done(None))
            }
            Operation::DeleteTable(table) => {
                self.tables.remove(table).ok_or(Refusal::ResourceNotFound)?;
                Ok(Answer::Done(None))
            }
            Operation::CreateIndex(table, index) => {
                let table = self.tables.get_mut(table).ok_or(Refusal::ResourceNotFound)?;
                if table.indexes.insert(*index) { Ok(Answer::Done(None)) } else { Err(Refusal::IndexExists) }
            }
            Operation::DeleteIndex(table, index) => {
                let table = self.tables.get_mut(table).ok_or(Refusal::ResourceNotFound)?;
                if table.indexes.remove(index) {
                    Ok(Answer::Done(None))
                } else {
                    Err(Refusal::ResourceNotFound)
                }
            }
            Operation::Advance { by_ms } => {
                self.now_ms += by_ms;
                Ok(Answer::Done(None))
            }
            Operation::Restart { .. } => Ok(Answer::Done(None)),
        }
    }

    fn table(&mut self, name: TableName) -> Result<&mut Table, Refusal> {
        self.tables.get_mut(&name).ok_or(Refusal::TableNotFound)
    }

    fn write(&mut self, name: TableName, written: &Written, values: ReturnValues) -> Result<Answer, Refusal> {
        let table = self.table(name)?;
        table.check_put(name, written)?;
        match table.decide(name, written)? {
            Decision::ConditionFailed(item) => Ok(Answer::ConditionFailed(item)),
            Decision::Becomes(new) => {
                let key = written.key();
                let old = table.set(key, new.clone());
                Ok(Answer::Done(returned(written, values, old, new)))
            }
        }
    }

    fn batch(&mut self, batch: &[(TableName, Written)]) -> Result<Answer, Refusal> {
        let mut seen = BTreeSet::new();
        for (name, written) in batch {
            self.table(*name)?.check_put(*name, written)?;
        }
        if !batch.iter().all(|(name, written)| seen.insert((*name, written.key()))) {
            return Err(Refusal::Duplicate);
        }
        for (name, written) in batch {
            self.table(*name)?.set(written.key(), written.item(*name));
        }
        Ok(Answer::Done(None))
    }

    fn transact(&mut self, actions: &[Transacted], token: Option<u8>) -> Result<Answer, Refusal> {
        let mut reasons = Vec::new();
        for (name, written) in actions {
            let fits = self.table(*name)?.check_put(*name, written);
            // Only the first of the actions that don't fit is named.
            let is_named = fits.is_err() && !reasons.contains(&Reason::Invalid);
            reasons.push(if is_named { Reason::Invalid } else { Reason::None });
        }
        if reasons.contains(&Reason::Invalid) {
            return Ok(Answer::Canceled(reasons));
        }
        let mut seen = BTreeSet::new();
        if !actions.iter().all(|(name, written)| seen.insert((*name, written.key()))) {
            return Err(Refusal::Duplicate);
        }
        let fingerprint = format!("{actions:?}");
        if let Some((known, end_ms)) = token.and_then(|token| self.tokens.get(&token))
            && *end_ms > self.now_ms
        {
            return if *known == fingerprint { Ok(Answer::Done(None)) } else { Err(Refusal::TokenMismatch) };
        }
        let mut changes = Vec::new();
        let mut reasons = Vec::new();
        for (name, written) in actions {
            reasons.push(match self.table(*name)?.decide(*name, written) {
                Ok(Decision::Becomes(new)) => {
                    changes.push((*name, written.key(), new));
                    Reason::None
                }
                Ok(Decision::ConditionFailed(item)) => Reason::ConditionFailed(item),
                Err(_) => Reason::Invalid,
            });
        }
        if changes.len() < actions.len() {
            return Ok(Answer::Canceled(reasons));
        }
        for (name, key, new) in changes {
            self.table(name)?.set(key, new);
        }
        if let Some(token) = token {
            self.tokens.insert(token, (fingerprint, self.now_ms + TOKEN_LIFE_MS));
        }
        Ok(Answer::Done(None))
    }
}

/// The result of a write.
enum Decision {
    ConditionFailed(Option<Item>),
    Becomes(Option<Item>),
}

impl Table {
    fn set(&mut self, key: Key, new: Option<Item>) -> Option<Item> {
        match new {
            Some(item) => self.items.insert(key, item),
            None => self.items.remove(&key),
        }
    }

    fn decide(&self, name: TableName, written: &Written) -> Result<Decision, Refusal> {
        let old = self.items.get(&written.key());
        let (test, shows_old) = written.condition();
        if !test.holds(old) {
            return Ok(Decision::ConditionFailed(old.filter(|_| shows_old).cloned()));
        }
        Ok(Decision::Becomes(match written {
            Written::Put { .. } => written.item(name),
            Written::Delete { .. } => None,
            Written::Check { .. } => old.cloned(),
            Written::Update { key, edit, .. } => {
                let new = match old {
                    None if edit.only_takes_away() => None,
                    None => Some(edit.apply(name.key(*key))?),
                    Some(old) => Some(edit.apply(old.clone())?),
                };
                if let Some(new) = &new {
                    self.check_index_keys(name, new)?;
                }
                new
            }
        }))
    }

    /// The item of a put is looked at before anything else.
    fn check_put(&self, name: TableName, written: &Written) -> Result<(), Refusal> {
        match written.item(name) {
            Some(item) => self.check_index_keys(name, &item),
            None => Ok(()),
        }
    }

    /// Every attribute of an index key must have the type that the index declares.
    fn check_index_keys(&self, name: TableName, item: &Item) -> Result<(), Refusal> {
        let indexes = self.indexes.iter().copied().chain(name.indexes_from_birth());
        for (attribute, kind) in indexes.flat_map(index_key) {
            if item.get(attribute).is_some_and(|value| value.kind() != *kind) {
                return Err(Refusal::IndexKeyType);
            }
        }
        Ok(())
    }
}

impl Test {
    fn holds(&self, item: Option<&Item>) -> bool {
        let n = || item.and_then(|item| item.get("n"));
        match self {
            Test::Always => true,
            Test::Exists => item.is_some(),
            Test::Absent => item.is_none(),
            Test::Equals(expected) => n() == Some(&AttributeValue::from(*expected)),
            Test::AtLeast(least) => match n() {
                Some(AttributeValue::N(n)) => n.to_i64().is_some_and(|n| n >= *least),
                _ => false,
            },
        }
    }
}

impl Edit {
    fn apply(&self, mut item: Item) -> Result<Item, Refusal> {
        let n = || match item.get("n") {
            Some(AttributeValue::N(n)) => n.to_i64(),
            _ => None,
        };
        match self {
            Edit::SetNumber(value) => drop(item.insert("n", *value)),
            Edit::AddNumber(value) => drop(item.insert("n", n().unwrap_or(0) + value)),
            Edit::PlusNumber(value) => {
                let sum = n().ok_or(Refusal::Expression)? + value;
                item.insert("n", sum);
            }
            Edit::DefaultNumber(value) => {
                if !item.contains("n") {
                    item.insert("n", *value);
                }
            }
            Edit::SetGroup(value) => drop(item.insert("g", value.clone())),
            Edit::RemoveGroup => drop(item.remove("g")),
            Edit::SetTexts(l, t) => {
                item.insert("l", l.as_str());
                item.insert("t", t.as_str());
            }
            Edit::Append(value) => {
                let mut trail = match item.remove("trail") {
                    Some(AttributeValue::L(trail)) => trail,
                    _ => Vec::new(),
                };
                trail.push(AttributeValue::from(*value));
                item.insert("trail", trail);
            }
            Edit::AddTag(tag) => {
                let mut tags = tags(&mut item);
                tags.insert(tag.clone());
                item.insert("tags", AttributeValue::Ss(tags));
            }
            Edit::DeleteTag(tag) => {
                let mut tags = tags(&mut item);
                tags.remove(tag);
                if !tags.is_empty() {
                    item.insert("tags", AttributeValue::Ss(tags));
                }
            }
        }
        Ok(item)
    }
}

fn tags(item: &mut Item) -> BTreeSet<String> {
    match item.remove("tags") {
        Some(AttributeValue::Ss(tags)) => tags,
        _ => BTreeSet::new(),
    }
}

/// The attributes that a write returns.
fn returned(written: &Written, values: ReturnValues, old: Option<Item>, new: Option<Item>) -> Option<Item> {
    let touched = |item: Option<Item>| {
        let Written::Update { edit, .. } = written else { return None };
        let mut item = item?;
        item.retain(|name, _| edit.attributes().contains(&name));
        (!item.is_empty()).then_some(item)
    };
    match values {
        ReturnValues::None => None,
        ReturnValues::AllOld => old,
        ReturnValues::AllNew => new,
        ReturnValues::UpdatedOld => touched(old),
        ReturnValues::UpdatedNew => touched(new),
    }
}

/// The kinds of index key attributes.
pub(crate) type IndexKey = &'static [(&'static str, Kind)];
