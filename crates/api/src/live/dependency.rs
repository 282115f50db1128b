//! The parts of the tables that an answer came from.

use singlet_design::{Design, Table};
use singlet_expr::{Comparator, Condition, KeyCondition, KeyTerm, KeyTest, Path};
use singlet_store::ItemChange;
use singlet_values::{EncodedItem, Item, ItemRef, ValueRef, write_key_part};
use xxhash_rust::xxh3::xxh3_64;

/// The tables of a design under their names in an environment.
#[derive(Debug)]
pub(super) struct Tables {
    list: Vec<(String, Table)>,
}

impl Tables {
    pub(super) fn new(design: &Design, environment: &str) -> Self {
        let named = design.tables.iter().map(|table| (table.name_in(environment), Table::clone(table)));
        Self { list: named.collect() }
    }

    pub(super) fn find(&self, name: &str) -> Option<&Table> {
        self.list.iter().find(|(known, _)| known == name).map(|(_, table)| table)
    }

    /// The places of a change: the partitions of the table and of its indexes in which the item was, or is.
    pub(super) fn places(&self, name: &str, change: &ItemChange) -> Vec<u64> {
        let Some(table) = self.find(name) else { return Vec::new() };
        let mut places = vec![everything(name)];
        for image in change.before.iter().chain(&change.after) {
            let item = image.view();
            places.extend(place(name, None, std::iter::once(item.get(&table.partition.name))));
            for index in &table.indexes {
                let values = index.partition.iter().map(|attribute| item.get(&attribute.name));
                places.extend(place(name, Some(&index.name), values));
            }
        }
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// A part of a table that was read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Dependency {
    /// The item under a key.
    Item { table: String, key: Item },
    /// The items under a condition on the key of a table or an index.
    Range { table: String, index: Option<String>, key: KeyCondition },
    /// All items.
    All { table: String },
}

impl Dependency {
    /// The table.
    pub(super) fn table(&self) -> &str {
        match self {
            Self::Item { table, .. } | Self::Range { table, .. } | Self::All { table } => table,
        }
    }

    /// The partition, by which groups are found. A part that isn't in one partition has the place of the table.
    pub(super) fn place(&self, tables: &Tables) -> u64 {
        let all = everything(self.table());
        let Some(table) = tables.find(self.table()) else { return all };
        let found = match self {
            Self::Item { key, .. } => {
                let value = key.get(&table.partition.name).and_then(|value| value.as_scalar());
                place(self.table(), None, std::iter::once(value))
            }
            Self::Range { index: None, key, .. } => {
                place(self.table(), None, std::iter::once(equal(key, &table.partition.name)))
            }
            Self::Range { index: Some(name), key, .. } => table.index(name).and_then(|index| {
                let values = index.partition.iter().map(|attribute| equal(key, &attribute.name));
                place(self.table(), Some(name), values)
            }),
            Self::All { .. } => None,
        };
        found.unwrap_or(all)
    }

    /// Whether an item is in this part.
    pub(super) fn holds(&self, item: ItemRef<'_>) -> bool {
        match self {
            Self::Item { key, .. } => key.iter().all(|(name, value)| item.get(name) == value.as_scalar()),
            Self::Range { key, .. } => condition(key).is_none_or(|condition| condition.matches(item)),
            Self::All { .. } => true,
        }
    }

    /// Whether a change of a table can change what was read.
    pub(super) fn is_touched(&self, table: &str, change: &ItemChange) -> bool {
        let holds =
            |image: &Option<EncodedItem>| image.as_ref().is_some_and(|image| self.holds(image.view()));
        self.table() == table && (holds(&change.before) || holds(&change.after))
    }

    /// Whether a request is one of the same kind for the same partition.
    pub(super) fn is_like(&self, other: &Dependency, tables: &Tables) -> bool {
        match (self, other) {
            (Self::Item { .. }, Self::Item { .. }) => self == other,
            (Self::Range { index, .. }, Self::Range { index: other_index, .. }) => {
                self.table() == other.table()
                    && index == other_index
                    && self.place(tables) == other.place(tables)
            }
            _ => false,
        }
    }
}

/// The condition that an item is in a range. `None` if the key condition is none that a store takes.
pub(super) fn condition(key: &KeyCondition) -> Option<Condition> {
    Condition::all(key.terms().ok()?.iter().map(test))
}

fn test(KeyTerm { attribute, test }: &KeyTerm) -> Condition {
    let path = || Path::attribute(attribute);
    let compare = |comparator, value: &singlet_values::AttributeValue| {
        Condition::compare(path(), comparator, value.clone())
    };
    match test {
        KeyTest::Equal(value) => Condition::equal(path(), value.clone()),
        KeyTest::Less(value) => compare(Comparator::Less, value),
        KeyTest::LessOrEqual(value) => compare(Comparator::LessOrEqual, value),
        KeyTest::Greater(value) => compare(Comparator::Greater, value),
        KeyTest::GreaterOrEqual(value) => compare(Comparator::GreaterOrEqual, value),
        KeyTest::Between(low, high) => Condition::between(path(), low.clone(), high.clone()),
        KeyTest::BeginsWith(value) => Condition::begins_with(path(), value.clone()),
    }
}

/// The value that a key condition asks of an attribute.
fn equal<'k>(key: &'k KeyCondition, attribute: &str) -> Option<ValueRef<'k>> {
    let terms = key.terms().ok()?;
    let term = terms.iter().find(|term| term.attribute == attribute)?;
    match &term.test {
        KeyTest::Equal(value) => value.as_scalar(),
        _ => None,
    }
}

/// The place of everything in a table.
fn everything(table: &str) -> u64 {
    xxh3_64(table.as_bytes())
}

/// The place of a partition. `None` if a value is missing, so that the item isn't in the index.
fn place<'v>(
    table: &str,
    index: Option<&str>,
    values: impl Iterator<Item = Option<ValueRef<'v>>>,
) -> Option<u64> {
    let mut bytes = Vec::with_capacity(64);
    bytes.extend_from_slice(table.as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(index.unwrap_or_default().as_bytes());
    bytes.push(0);
    for value in values {
        write_key_part(&mut bytes, value?).ok()?;
    }
    Some(xxh3_64(&bytes))
}
