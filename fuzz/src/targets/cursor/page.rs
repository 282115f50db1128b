//! `ExclusiveStartKey` against a sorted list.

use std::sync::LazyLock;

use singlet_engine::expr::{KeyCondition, KeyTerm, KeyTest};
use singlet_engine::values::{AttributeValue, EncodedItem, Item, Kind, partition_hash, write_key_part};
use singlet_engine::{Database, Error, Query, Scan};
use singlet_wire::items::read_item_line;

use super::cut;
use crate::fixture::{Folder, RANGE, opened, range_items};

static DATABASE: LazyLock<Database> = LazyLock::new(|| opened(Folder::Closed).0);

/// A table or an index: its key attributes, and whether pages are of the whole or of one partition.
struct Source {
    index: Option<&'static str>,
    partition: (&'static str, Kind),
    sort: (&'static str, Kind),
    scans: bool,
}

fn source(word: &str) -> Option<Source> {
    let of = |index, partition, sort, scans| Some(Source { index, partition, sort, scans });
    let (a, b, c, d) = (("a", Kind::S), ("b", Kind::N), ("c", Kind::S), ("d", Kind::B));
    match word {
        "table" => of(None, a, b, false),
        "local" => of(Some("local"), a, c, false),
        "global" => of(Some("global"), c, d, false),
        "scan" => of(None, a, b, true),
        "scan-local" => of(Some("local"), a, c, true),
        "scan-global" => of(Some("global"), c, d, true),
        _ => None,
    }
}

/// `page <source> <f|b> <limit> <test>`, then a line with the values `p`, `v`, `w`, and a line with the start key.
pub(super) fn run(words: &[&str], rest: &[u8]) {
    let [source_word, direction, limit, test] = words else { return };
    let (Some(source), Ok(limit)) = (source(source_word), limit.parse::<usize>()) else { return };
    let (values, start) = cut(rest, b'\n');
    let Ok(values) = read_item_line(values) else { return };
    let start = read_item_line(start).ok();
    let Some(test) = key_test(test, &values) else { return };
    let Some(partition) = values.get("p") else { return };
    let limit = limit.clamp(1, 30);
    let asked = Asked { source, partition, test, backward: *direction == "b", limit };
    let expected = asked.expected(start.as_ref());
    match asked.pages(start.as_ref()) {
        Ok(found) => assert_eq!(found, expected, "{start:?}"),
        Err(Error::Invalid(_)) => assert!(!asked.must_take(start.as_ref()), "{start:?}"),
        Err(error) => panic!("{error}"),
    }
}

fn key_test(word: &str, values: &Item) -> Option<Option<KeyTest>> {
    let (v, w) = (values.get("v").cloned(), values.get("w").cloned());
    Some(Some(match word {
        "none" => return Some(None),
        "eq" => KeyTest::Equal(v?),
        "lt" => KeyTest::Less(v?),
        "le" => KeyTest::LessOrEqual(v?),
        "gt" => KeyTest::Greater(v?),
        "ge" => KeyTest::GreaterOrEqual(v?),
        "between" => KeyTest::Between(v?, w?),
        "begins" => KeyTest::BeginsWith(v?),
        _ => return None,
    }))
}

struct Asked<'a> {
    source: Source,
    partition: &'a AttributeValue,
    test: Option<KeyTest>,
    backward: bool,
    limit: usize,
}

impl Asked<'_> {
    /// All pages from the start key on.
    fn pages(&self, start: Option<&Item>) -> Result<Vec<Item>, Error> {
        let mut start = start.cloned();
        let mut found = Vec::new();
        for _ in 0..100 {
            let page = if self.source.scans {
                DATABASE.scan(&self.scan(start))?
            } else {
                DATABASE.query(&self.query(start))?
            };
            let items = page.items.unwrap_or_default();
            assert!(items.len() <= self.limit);
            // The indexes show all attributes that items have.
            found.extend(items.iter().map(whole));
            match page.last_key {
                Some(key) => start = Some(key),
                None => return Ok(found),
            }
        }
        panic!("the pages don't end");
    }

    fn query(&self, start: Option<Item>) -> Query {
        let equal = KeyTest::Equal(self.partition.clone());
        let mut terms = vec![KeyTerm { attribute: self.source.partition.0.to_owned(), test: equal }];
        let sort = self.source.sort.0.to_owned();
        terms.extend(self.test.clone().map(|test| KeyTerm { attribute: sort, test }));
        let mut query = Query::new(RANGE, KeyCondition::from_terms(terms)).limit(self.limit).start_key(start);
        query.index = self.source.index.map(str::to_owned);
        query.forward = !self.backward;
        query
    }

    fn scan(&self, start: Option<Item>) -> Scan {
        let mut scan = Scan::new(RANGE).limit(self.limit).start_key(start);
        scan.index = self.source.index.map(str::to_owned);
        scan
    }

    /// The items in the range and after the start key, by the model.
    fn expected(&self, start: Option<&Item>) -> Vec<Item> {
        let start = start.and_then(|start| self.order(start));
        let mut inside: Vec<(Vec<u8>, Item)> = range_items()
            .into_iter()
            .filter(|item| self.is_inside(item))
            .filter_map(|item| Some((self.order(&item)?, item)))
            .collect();
        inside.sort_by(|one, other| one.0.cmp(&other.0));
        if self.backward && !self.source.scans {
            inside.reverse();
        }
        let is_after = |order: &Vec<u8>| match &start {
            None => true,
            Some(start) if self.backward && !self.source.scans => order < start,
            Some(start) => order > start,
        };
        inside.retain(|(order, _)| is_after(order));
        inside.into_iter().map(|(_, item)| item).collect()
    }

    /// Where an item, or the key of one, stands in the order of the table or index.
    fn order(&self, item: &Item) -> Option<Vec<u8>> {
        let part = |(name, kind): (&str, Kind)| {
            let value = item.get(name).filter(|value| value.kind() == kind)?;
            let mut part = Vec::new();
            write_key_part(&mut part, value.as_scalar()?).ok()?;
            Some(part)
        };
        let partition = part(self.source.partition)?;
        let mut order = partition_hash(&partition).to_be_bytes().to_vec();
        order.extend(partition);
        order.extend(part(self.source.sort)?);
        order.extend(part(("a", Kind::S))?);
        order.extend(part(("b", Kind::N))?);
        Some(order)
    }

    fn is_inside(&self, item: &Item) -> bool {
        let (partition, sort) = (item.get(self.source.partition.0), item.get(self.source.sort.0));
        let (Some(partition), Some(sort)) = (partition, sort) else { return false };
        self.source.scans
            || partition == self.partition && self.test.as_ref().is_none_or(|test| meets(test, sort))
    }

    /// Whether the start key is exactly that of an item in the range, so that a cursor like it was given out.
    fn must_take(&self, start: Option<&Item>) -> bool {
        let Some(start) = start else { return false };
        let names = [self.source.partition.0, self.source.sort.0, "a", "b"];
        let is_key_of = |item: &Item| {
            start.iter().all(|(name, value)| names.contains(&name) && item.get(name) == Some(value))
                && names.iter().all(|name| start.contains(name))
        };
        // Whether the query itself is right is not known here: one without a cursor says so.
        range_items().iter().any(|item| self.is_inside(item) && is_key_of(item)) && self.pages(None).is_ok()
    }
}

fn meets(test: &KeyTest, value: &AttributeValue) -> bool {
    let compare = |other: &AttributeValue| {
        value.as_scalar().zip(other.as_scalar()).and_then(|(a, b)| a.partial_cmp(&b))
    };
    match test {
        KeyTest::Equal(other) => compare(other).is_some_and(|order| order.is_eq()),
        KeyTest::Less(other) => compare(other).is_some_and(|order| order.is_lt()),
        KeyTest::LessOrEqual(other) => compare(other).is_some_and(|order| order.is_le()),
        KeyTest::Greater(other) => compare(other).is_some_and(|order| order.is_gt()),
        KeyTest::GreaterOrEqual(other) => compare(other).is_some_and(|order| order.is_ge()),
        KeyTest::Between(low, high) => {
            compare(low).is_some_and(|order| order.is_ge())
                && compare(high).is_some_and(|order| order.is_le())
        }
        KeyTest::BeginsWith(prefix) => match (value, prefix) {
            (AttributeValue::S(text), AttributeValue::S(prefix)) => text.starts_with(prefix.as_str()),
            (AttributeValue::B(bytes), AttributeValue::B(prefix)) => bytes.starts_with(prefix),
            _ => false,
        },
    }
}

fn whole(item: &EncodedItem) -> Item {
    item.decode().unwrap()
}
