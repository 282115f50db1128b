//! Tables, items, index entries, counts and item collections against each other.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use bytes::Bytes;
use singlet_values::{AttributeValue, EncodedItem, ItemRef};

use super::finding::{Finding, Place, Reporter, RowProblem};
use super::{VerifyProgress, name_of};
use crate::bookkeeping::DeletedTable;
use crate::keyspace::{PREFIX_BYTES, RowSpace, next_table_number_key};
use crate::store::{Direction, StoreError, Tally, View};
use crate::table::{Index, IndexState, KeyShape, Table, TtlState};

/// The number of rows between two reports of progress.
const REPORT_ROWS: u64 = 4_096;

type StoredRows<'v> = crate::store::Range<'v>;

fn rows_of<'v>(view: &'v View<()>, start: &'v [u8], end: &'v [u8]) -> StoredRows<'v> {
    view.range(Bound::Included(start), Bound::Excluded(end), Direction::Forward)
}

/// Reads the descriptors, and checks each alone and against the others.
pub(super) fn read_tables(view: &View<()>, reporter: &mut Reporter) -> Result<Vec<Table>, StoreError> {
    let space = RowSpace::descriptors();
    let (start, end) = (space.prefix(), space.end());
    let next =
        view.get(&next_table_number_key())?.and_then(|bytes| Some(u32::from_be_bytes(*bytes.first_chunk()?)));
    let mut tables: Vec<Table> = Vec::new();
    for row in rows_of(view, &start, &end) {
        let (row, value) = row?;
        reporter.counts.tables += 1;
        let name = String::from_utf8_lossy(row.get(PREFIX_BYTES..).unwrap_or_default()).into_owned();
        let wrong = |reason: String| Finding::Descriptor { name: name.clone(), reason };
        let item = EncodedItem::from_bytes(value);
        let Some(table) = item.decode().ok().and_then(|_| Table::decode(&item)) else {
            reporter.found(wrong("it is invalid".to_owned()));
            continue;
        };
        if table.name != name {
            reporter.found(wrong(format!("it describes table {}", table.name)));
        }
        if next.is_none_or(|next| table.number >= next) {
            reporter.found(wrong(format!("its number {} hasn't been assigned yet", table.number)));
        }
        if let Some(other) = tables.iter().find(|other| other.number == table.number) {
            reporter.found(wrong(format!("it has the number of table {}", other.name)));
        }
        let numbers: BTreeSet<u16> = table.indexes.iter().map(|index| index.number).collect();
        if numbers.len() < table.indexes.len() || numbers.last().is_some_and(|last| *last >= table.next_index)
        {
            reporter.found(wrong("the numbers of its indexes are wrong".to_owned()));
        }
        tables.push(table);
    }
    Ok(tables)
}

/// Walks all rows once, in order, and looks up the counterparts of each.
pub(super) fn check_rows(
    view: &View<()>,
    tables: &[Table],
    watch: &mut dyn FnMut(VerifyProgress),
    reporter: &mut Reporter,
) -> Result<(), StoreError> {
    let total = view.tallies().map(|(_, tally)| tally.count).sum();
    let unowned = Unowned::read(view, reporter)?;
    let mut walk = RowWalk {
        view,
        tables,
        deleted: &unowned.deleted,
        reporter,
        counted: BTreeMap::new(),
        collection: None,
    };
    let mut orphans: BTreeMap<(u32, u16), u64> = BTreeMap::new();
    let mut done = 0;
    for row in view.range(Bound::Unbounded, Bound::Unbounded, Direction::Forward) {
        let (row, value) = row?;
        if done % REPORT_ROWS == 0 {
            watch(VerifyProgress::Rows { rows: done.min(total), total });
        }
        let Some(space) = RowSpace::from_prefix(&row) else {
            walk.reporter.found(Finding::Unreadable(format!("a row has the invalid key {}", hex(&row))));
            continue;
        };
        match walk.owner(space) {
            Owner::Items(table) => walk.item(table, &row, value)?,
            Owner::Entries(table, index) => walk.entry(table, index, &row, value)?,
            Owner::Collections(table) => walk.collection_row(table, &row)?,
            Owner::Expiries(table) => walk.expiry(table, &row)?,
            Owner::DeletedItems(table) => walk.deleted_item(table, &row, value),
            Owner::Elsewhere => continue,
            Owner::Nobody if unowned.allow(space) => continue,
            Owner::Nobody => *orphans.entry((space.table_number(), space.number())).or_default() += 1,
        }
        done += 1;
    }
    walk.end_collection()?;
    walk.check_counts();
    for ((table, space), rows) in orphans {
        reporter.found(Finding::Orphans { table, space, rows });
    }
    watch(VerifyProgress::Rows { rows: total, total });
    Ok(())
}

/// Tables without a descriptor whose rows may exist.
struct Unowned {
    /// Spaces whose rows are being removed.
    purged: Vec<RowSpace>,
    /// Deleted tables that can be recovered, whose items are kept.
    deleted: Vec<Table>,
}

impl Unowned {
    fn read(view: &View<()>, reporter: &mut Reporter) -> Result<Self, StoreError> {
        let mut unowned = Self { purged: Vec::new(), deleted: Vec::new() };
        let space = RowSpace::purges();
        for row in rows_of(view, &space.prefix(), &space.end()) {
            unowned.purged.extend(row?.0.get(PREFIX_BYTES..).and_then(RowSpace::from_prefix));
        }
        let space = RowSpace::deleted();
        for row in rows_of(view, &space.prefix(), &space.end()) {
            let (row, value) = row?;
            match DeletedTable::decode(&value) {
                Some(deleted) => unowned.deleted.push(deleted.table),
                None => reporter.found(Finding::Descriptor {
                    name: format!("{}, which was deleted", hex(row.get(PREFIX_BYTES..).unwrap_or_default())),
                    reason: "it is invalid".to_owned(),
                }),
            }
        }
        Ok(unowned)
    }

    fn allow(&self, space: RowSpace) -> bool {
        self.purged.contains(&space)
    }
}

/// The owner of a row.
enum Owner<'t> {
    Items(&'t Table),
    Entries(&'t Table, &'t Index),
    Collections(&'t Table),
    Expiries(&'t Table),
    DeletedItems(&'t Table),
    /// Checked elsewhere, or being removed.
    Elsewhere,
    Nobody,
}

struct RowWalk<'a> {
    view: &'a View<()>,
    tables: &'a [Table],
    deleted: &'a [Table],
    reporter: &'a mut Reporter,
    /// The counts of each space.
    counted: BTreeMap<(u32, u16), Tally>,
    collection: Option<CollectionWalk<'a>>,
}

/// The item collection of the present row. Items of one partition are neighbours.
struct CollectionWalk<'a> {
    table: &'a Table,
    row: Vec<u8>,
    key: String,
    bytes: i64,
}

impl<'a> RowWalk<'a> {
    fn owner(&self, space: RowSpace) -> Owner<'a> {
        if space.is_own() {
            return Owner::Elsewhere;
        }
        let numbered = |tables: &'a [Table]| tables.iter().find(|table| table.number == space.table_number());
        let Some(table) = numbered(self.tables) else {
            let deleted = numbered(self.deleted).filter(|table| table.items() == space);
            return deleted.map_or(Owner::Nobody, Owner::DeletedItems);
        };
        if space == table.items() {
            return Owner::Items(table);
        }
        if space == RowSpace::collections(table.number) {
            return Owner::Collections(table);
        }
        if space == table.expiries() {
            let is_kept = table.settings.ttl.as_ref().is_some_and(|ttl| ttl.state != TtlState::Disabling);
            return if is_kept { Owner::Expiries(table) } else { Owner::Elsewhere };
        }
        match table.indexes.iter().find(|index| table.entries(index) == space) {
            Some(index) if index.state == IndexState::Deleting => Owner::Elsewhere,
            Some(index) => Owner::Entries(table, index),
            None => Owner::Nobody,
        }
    }

    fn count(&mut self, space: RowSpace, bytes: usize) {
        let tally = self.counted.entry((space.table_number(), space.number())).or_default();
        tally.count += 1;
        tally.bytes += bytes as u64;
    }

    /// Decodes the item in a row.
    fn decode(&mut self, place: impl Fn() -> Place, row: &[u8], value: Bytes) -> Option<EncodedItem> {
        let item = EncodedItem::from_bytes(value);
        let problem = match item.decode() {
            // Each item has one encoded form, so that equal items have equal bytes.
            Ok(decoded) if EncodedItem::encode(&decoded).as_bytes() == item.as_bytes() => return Some(item),
            Ok(_) => "not in canonical form".to_owned(),
            Err(corrupt) => corrupt.to_string(),
        };
        let key = hex(row.get(PREFIX_BYTES..).unwrap_or_default());
        self.reporter.found(Finding::Row { place: place(), key, problem: RowProblem::NoItem(problem) });
        None
    }

    fn item(&mut self, table: &'a Table, row: &[u8], value: Bytes) -> Result<(), StoreError> {
        self.reporter.counts.items += 1;
        let place = || Place { table: name_of(table), index: None };
        let Some(item) = self.decode(place, row, value) else { return Ok(()) };
        self.count(table.items(), item.size_bytes());
        let key = show_key(&table.key, item.view());
        let mut wrong = Vec::new();
        match table.key.row_key(table.items(), item.view()) {
            Ok(expected) if expected == row => {}
            Ok(expected) => wrong.push(RowProblem::Misplaced { expected: hex(&expected) }),
            Err(_) => wrong.push(RowProblem::Misplaced { expected: "which it lacks".to_owned() }),
        }
        let mut collection_bytes = item.size_bytes();
        for index in table.kept_indexes().filter(|index| index.covers(row)) {
            // An item from before the index was created may not fit it. Then it has no entry.
            let Ok(entry) = index.entry(table, row, &item) else { continue };
            let index_name = index.name.clone();
            match self.view.get(&entry.key)? {
                None => wrong.push(RowProblem::MissingEntry { index: index_name }),
                Some(stored) if stored != entry.item.as_bytes() => {
                    wrong.push(RowProblem::DifferentEntry { index: index_name });
                }
                Some(_) if index.local => collection_bytes += entry.item.size_bytes(),
                Some(_) => {}
            }
        }
        if let Some(second) = table.kept_ttl(row).and_then(|ttl| ttl.second(&item))
            && self.view.get(&table.expiry_row(second, row))?.is_none()
        {
            wrong.push(RowProblem::MissingExpiry { second });
        }
        for problem in wrong {
            self.reporter.found(Finding::Row { place: place(), key: key.clone(), problem });
        }
        self.add_to_collection(table, &item, collection_bytes)
    }

    /// Checks an item of a deleted table that can be recovered. It has no index entries.
    fn deleted_item(&mut self, table: &'a Table, row: &[u8], value: Bytes) {
        self.reporter.counts.items += 1;
        let place = || Place { table: format!("{}, which was deleted", table.name), index: None };
        let Some(item) = self.decode(place, row, value) else { return };
        self.count(table.items(), item.size_bytes());
        let expected = table.key.row_key(table.items(), item.view()).unwrap_or_default();
        if expected != row {
            let (key, expected) = (show_key(&table.key, item.view()), hex(&expected));
            self.reporter.found(Finding::Row {
                place: place(),
                key,
                problem: RowProblem::Misplaced { expected },
            });
        }
    }

    /// Checks that an expiry time is its item's. Missing times are found when the item is checked.
    fn expiry(&mut self, table: &'a Table, row: &[u8]) -> Result<(), StoreError> {
        self.end_collection()?;
        self.reporter.counts.expiries += 1;
        let is_right = match table.read_expiry_row(row) {
            None => false,
            Some((second, item_row)) => {
                let item = self.view.get(&item_row)?.map(EncodedItem::from_bytes);
                let ttl = table.kept_ttl(&item_row);
                ttl.zip(item).and_then(|(ttl, item)| ttl.second(&item)) == Some(second)
            }
        };
        if !is_right {
            let place = Place { table: name_of(table), index: None };
            let key = hex(row.get(PREFIX_BYTES..).unwrap_or_default());
            self.reporter.found(Finding::Row { place, key, problem: RowProblem::StaleExpiry });
        }
        Ok(())
    }

    fn entry(&mut self, table: &'a Table, index: &Index, row: &[u8], value: Bytes) -> Result<(), StoreError> {
        self.end_collection()?;
        self.reporter.counts.index_entries += 1;
        let place = || Place { table: name_of(table), index: Some(index.name.clone()) };
        let Some(entry) = self.decode(place, row, value) else { return Ok(()) };
        self.count(table.entries(index), entry.size_bytes());
        let problem = match table.key.row_key(table.items(), entry.view()) {
            Err(_) => Some(RowProblem::NoSuchItem),
            Ok(item_row) => match self.view.get(&item_row)? {
                None => Some(RowProblem::NoSuchItem),
                Some(_) if !index.covers(&item_row) => Some(RowProblem::EarlyEntry),
                Some(item) => {
                    let expected = index.entry(table, &item_row, &EncodedItem::from_bytes(item));
                    // Other attributes under the right key are found when the item is checked.
                    let is_right = expected.is_ok_and(|expected| expected.key == row);
                    (!is_right).then_some(RowProblem::StaleEntry)
                }
            },
        };
        if let Some(problem) = problem {
            let key = format!(
                "{} of item {}",
                show_key(&index.key, entry.view()),
                show_key(&table.key, entry.view())
            );
            self.reporter.found(Finding::Row { place: place(), key, problem });
        }
        Ok(())
    }

    fn add_to_collection(
        &mut self,
        table: &'a Table,
        item: &EncodedItem,
        bytes: usize,
    ) -> Result<(), StoreError> {
        if !table.has_collections() {
            return self.end_collection();
        }
        let Ok(row) = table.key.partition_row(RowSpace::collections(table.number), item.view()) else {
            return Ok(());
        };
        if self.collection.as_ref().is_none_or(|collection| collection.row != row) {
            self.end_collection()?;
            let key = KeyShape { partition: table.key.partition.clone(), sort: Vec::new() };
            let key = show_key(&key, item.view());
            self.collection = Some(CollectionWalk { table, row, key, bytes: 0 });
        }
        if let Some(collection) = &mut self.collection {
            collection.bytes += bytes as i64;
        }
        Ok(())
    }

    fn end_collection(&mut self) -> Result<(), StoreError> {
        let Some(CollectionWalk { table, row, key, bytes: found }) = self.collection.take() else {
            return Ok(());
        };
        let stored = self.view.get(&row)?;
        let stored = stored.and_then(|bytes| Some(i64::from_be_bytes(*bytes.first_chunk()?))).unwrap_or(0);
        if stored != found {
            self.reporter.found(Finding::Collection { table: name_of(table), key, stored, found });
        }
        Ok(())
    }

    /// Checks that a stored size has items. Wrong sizes are found when the items are checked.
    fn collection_row(&mut self, table: &Table, row: &[u8]) -> Result<(), StoreError> {
        self.end_collection()?;
        self.reporter.counts.item_collections += 1;
        let partition = row.get(PREFIX_BYTES..).unwrap_or_default();
        let start = table.items().key(partition);
        let first = self.view.range(Bound::Included(&start), Bound::Unbounded, Direction::Forward).next();
        if !first.transpose()?.is_some_and(|(item, _)| item.starts_with(&start)) {
            let stored = self.view.get(row)?;
            let stored =
                stored.and_then(|bytes| Some(i64::from_be_bytes(*bytes.first_chunk()?))).unwrap_or(0);
            let key = hex(partition);
            self.reporter.found(Finding::Collection { table: name_of(table), key, stored, found: 0 });
        }
        Ok(())
    }

    /// Compares stored counts with actual ones.
    fn check_counts(&mut self) {
        let mut known = BTreeSet::new();
        for table in self.tables {
            let indexes = table.indexes.iter().filter(|index| index.state != IndexState::Deleting);
            let indexes = indexes.map(|index| (table.entries(index), Some(index.name.clone())));
            for (space, index) in [(table.items(), None)].into_iter().chain(indexes) {
                known.insert(space.tally());
                let stored = self.view.tally(space.tally());
                let found = self.counted.get(&(space.table_number(), space.number()));
                let found = found.copied().unwrap_or_default();
                if stored != found {
                    let place = Place { table: name_of(table), index };
                    self.reporter.found(Finding::Count { place, stored, found });
                }
            }
        }
        for table in self.deleted {
            known.insert(table.items().tally());
            let stored = self.view.tally(table.items().tally());
            let found =
                self.counted.get(&(table.number, table.items().number())).copied().unwrap_or_default();
            if stored != found {
                let place = Place { table: format!("{}, which was deleted", table.name), index: None };
                self.reporter.found(Finding::Count { place, stored, found });
            }
        }
        for (space, stored) in self.view.tallies() {
            let (table, number) = ((space.0 >> 16) as u32, (space.0 & 0xFFFF) as u16);
            let is_of_table = self.tables.iter().any(|known| known.number == table);
            if !known.contains(&space) && !is_of_table {
                let place = Place { table: format!("number {table}, space {number}"), index: None };
                self.reporter.found(Finding::Count { place, stored, found: Tally::default() });
            }
        }
    }
}

/// Formats a key's attributes for people.
fn show_key(shape: &KeyShape, item: ItemRef<'_>) -> String {
    let parts = shape.attributes().map(|attribute| {
        let value = item.get(&attribute.name).and_then(|value| value.to_value().ok());
        let value = match value {
            Some(AttributeValue::S(text)) => format!("{text:?}"),
            Some(AttributeValue::N(number)) => number.to_string(),
            Some(AttributeValue::B(bytes)) => format!("0x{}", hex(&bytes)),
            Some(_) => "of another type".to_owned(),
            None => "missing".to_owned(),
        };
        format!("{} = {value}", attribute.name)
    });
    parts.collect::<Vec<_>>().join(", ")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
