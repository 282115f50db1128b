//! The cost of requests, by DynamoDB's rules.

use singlet_store::{IndexShape, ProjectedAttributes, ScalarType, TableShape};
use singlet_values::{EncodedItem, Item, ReadKind, encode_subset, write_units};

/// Units that a request is foretold to use.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Predicted {
    /// Read units, indexes included.
    pub read: f64,
    /// Write units, indexes included.
    pub write: f64,
    /// Units per index, read or write, whichever the request is.
    pub indexes: Vec<(String, f64)>,
    /// It may use more: a filter or a projection hides what was read, or nothing is known of the item.
    pub at_least: bool,
}

impl Predicted {
    /// Nothing is known of the request's cost.
    pub(super) fn unknown() -> Predicted {
        Predicted { at_least: true, ..Predicted::default() }
    }

    /// Each item is read by itself, as by a get or a batch.
    pub(super) fn of_items<'a>(
        kind: ReadKind,
        items: impl IntoIterator<Item = Option<&'a EncodedItem>>,
        at_least: bool,
    ) -> Predicted {
        let units = |item: Option<&EncodedItem>| kind.units(item.map_or(0, EncodedItem::size_bytes));
        Predicted { read: items.into_iter().map(units).sum(), at_least, ..Predicted::default() }
    }

    /// Items are read in one go, as by a query.
    pub(super) fn of_page(
        kind: ReadKind,
        items: &[EncodedItem],
        index: Option<&String>,
        at_least: bool,
    ) -> Predicted {
        let read = kind.units(items.iter().map(EncodedItem::size_bytes).sum());
        let indexes = index.map(|index| (index.clone(), read)).into_iter().collect();
        Predicted { read, write: 0.0, indexes, at_least }
    }

    /// An item is written: the table takes the larger of before and after, each index what happens to its entry.
    /// Transactions cost twice on the table.
    pub(super) fn of_write(
        table: Option<&TableShape>,
        before: Option<&EncodedItem>,
        after: Option<&EncodedItem>,
        transactional: bool,
    ) -> Predicted {
        let size = |item: Option<&EncodedItem>| item.map_or(0, EncodedItem::size_bytes);
        let units = write_units(size(before).max(size(after)));
        let mut predicted = Predicted {
            write: if transactional { units * 2.0 } else { units },
            at_least: table.is_none(),
            ..Predicted::default()
        };
        for index in table.iter().flat_map(|table| &table.indexes) {
            let entry = |item: Option<&EncodedItem>| entry(table?, index, item?);
            let units = index_units(index, entry(before), entry(after));
            if units > 0.0 {
                predicted.write += units;
                predicted.indexes.push((index.name.clone(), units));
            }
        }
        predicted
    }

    pub(super) fn add(&mut self, other: Predicted) {
        self.read += other.read;
        self.write += other.write;
        self.at_least |= other.at_least;
        for (index, units) in other.indexes {
            match self.indexes.iter_mut().find(|(known, _)| *known == index) {
                Some((_, sum)) => *sum += units,
                None => self.indexes.push((index, units)),
            }
        }
    }
}

/// The cost of a change of an index entry: nothing, one write, or with another key a delete and a write.
fn index_units(index: &IndexShape, before: Option<EncodedItem>, after: Option<EncodedItem>) -> f64 {
    let cost =
        |entry: &Option<EncodedItem>| entry.as_ref().map_or(0.0, |entry| write_units(entry.size_bytes()));
    match (&before, &after) {
        (Some(old), Some(new)) if old == new => 0.0,
        (Some(old), Some(new)) if same_key(index, old, new) => {
            write_units(old.size_bytes().max(new.size_bytes()))
        }
        _ => cost(&before) + cost(&after),
    }
}

fn same_key(index: &IndexShape, old: &EncodedItem, new: &EncodedItem) -> bool {
    let mut key = index.partition.iter().chain(&index.sort);
    key.all(|attribute| old.view().get(&attribute.name) == new.view().get(&attribute.name))
}

/// The entry of an item in an index; `None` if it isn't in it.
fn entry(table: &TableShape, index: &IndexShape, item: &EncodedItem) -> Option<EncodedItem> {
    use singlet_values::Kind;
    for attribute in index.partition.iter().chain(&index.sort) {
        let kind = match attribute.scalar {
            ScalarType::S => Kind::S,
            ScalarType::N => Kind::N,
            ScalarType::B => Kind::B,
        };
        item.view().get(&attribute.name).filter(|value| value.kind() == kind)?;
    }
    Some(match &index.projection {
        ProjectedAttributes::All => item.clone(),
        ProjectedAttributes::KeysOnly => encode_subset(item.view(), |name| is_key_of(table, index, name)),
        ProjectedAttributes::Include(names) => encode_subset(item.view(), |name| {
            is_key_of(table, index, name) || names.iter().any(|included| included == name)
        }),
    })
}

fn is_key_of(table: &TableShape, index: &IndexShape, name: &str) -> bool {
    let mut keys = index.partition.iter().chain(&index.sort).chain([&table.partition]).chain(&table.sort);
    keys.any(|attribute| attribute.name == name)
}

/// The key attributes of an item.
pub(super) fn key_of(table: &TableShape, item: &Item) -> Item {
    let names = std::iter::once(&table.partition).chain(&table.sort);
    names.filter_map(|attribute| Some((attribute.name.clone(), item.get(&attribute.name)?.clone()))).collect()
}
