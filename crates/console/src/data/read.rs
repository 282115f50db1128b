//! The requests of the pages of items, all of them bounded.

use std::sync::Arc;

use singlet_design::{Entity, IndexEntry, KeyAttribute, Table, Template};
use singlet_expr::{Condition, KeyCondition, KeyTerm, KeyTest, Path};
use singlet_store::{Consumed, GetItem, History, PastItems, PastRange, Query, Scan, Store};
use singlet_values::{AttributeValue, EncodedItem, Item, ValueRef};

use crate::console::Served;
use crate::failure::Failure;
use crate::key_text;
use crate::link::Pairs;
use crate::visit::Visit;

/// The name of the pair with the key at which a page starts.
pub(super) const AFTER: &str = "after";
/// Items of a page of a table or a partition.
const PAGE_ITEMS: u32 = 50;
/// A page of an entity ends after a request that brings it to this many items.
const ENTITY_ITEMS: usize = 25;
/// Items that one request for a page of an entity reads, and how many requests it makes.
const SCANNED_ITEMS: u32 = 200;
const SCANS_MAX: usize = 5;

/// A page of items.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) items: Vec<EncodedItem>,
    /// How many items were read to find them.
    pub(super) scanned: u64,
    /// The key after which the next page starts; `None` on the last page.
    pub(super) next: Option<String>,
    /// Whether it is the first page.
    pub(super) is_first: bool,
    pub(super) consumed: Consumed,
}

impl Found {
    /// Items as they were.
    fn past(past: PastItems, is_first: bool) -> Found {
        let scanned = past.items.len() as u64;
        let next = past.next.and_then(|next| key_text::write_key(&next));
        Found { items: past.items, scanned, next, is_first, consumed: Consumed::default() }
    }
}

/// One partition of a table or an index.
#[derive(Debug)]
pub(crate) struct Place<'d> {
    pub(crate) table: &'d Arc<Table>,
    /// The name of the index; `None` for the table itself.
    pub(crate) index: Option<&'d str>,
    /// The attributes of the partition key with their values.
    pub(crate) partition: Vec<(&'d KeyAttribute, AttributeValue)>,
    /// The attributes of the sort key.
    pub(super) sort: Vec<&'d KeyAttribute>,
    /// Only items of this entity, as far as the beginning of their sort keys tells.
    pub(super) entity: Option<&'d Arc<Entity>>,
    pub(super) is_descending: bool,
}

/// The key of an item.
#[derive(Debug)]
pub(crate) struct ItemKey<'d> {
    pub(crate) table: &'d Arc<Table>,
    pub(crate) key: Item,
}

/// The first value of a pair.
fn value<'p>(pairs: &'p Pairs, name: &str) -> Option<&'p str> {
    pairs.iter().find(|(known, text)| known == name && !text.is_empty()).map(|(_, text)| text.as_str())
}

/// The key at which a page starts.
pub(super) fn start(pairs: &Pairs) -> Result<Option<Item>, Failure> {
    let Some(text) = value(pairs, AFTER) else { return Ok(None) };
    let key = key_text::read_key(text);
    key.map(Some)
        .ok_or_else(|| Failure::wrong("The address of the page is damaged: begin with the first page."))
}

fn key_value(text: &str) -> Result<AttributeValue, Failure> {
    let wrong = || Failure::wrong("A key in an address looks like `S:USER#1`, `N:12` or `B:AA==`.");
    key_text::read(text).ok_or_else(wrong)
}

fn key_values(pairs: &Pairs) -> Result<Vec<AttributeValue>, Failure> {
    let texts = pairs.iter().filter(|(name, text)| name == "key" && !text.is_empty());
    texts.map(|(_, text)| key_value(text)).collect()
}

impl<'d> Place<'d> {
    /// The partition that an address names; `None` if it names no key.
    pub(crate) fn of<S: Store>(served: &'d Served<S>, pairs: &Pairs) -> Result<Option<Self>, Failure> {
        let mut values = key_values(pairs)?;
        // The form has one input for the text of a key, and its own name for the place.
        let (table, index) = match value(pairs, "place") {
            Some(place) => match place.split_once('/') {
                Some((table, index)) => (Some(table), Some(index)),
                None => (Some(place), None),
            },
            None => (value(pairs, "table"), value(pairs, "index")),
        };
        if let Some(text) = value(pairs, "text") {
            values.push(AttributeValue::from(text));
        }
        let Some(label) = table.filter(|_| !values.is_empty()) else { return Ok(None) };
        let table = served.table(label)?;
        let (index, partition, sort) = match index {
            None => (None, vec![&table.partition], table.sort.iter().collect()),
            Some(name) => {
                let index = table.index(name).ok_or_else(|| Failure::not_found("index", name))?;
                (Some(index.name.as_str()), index.partition.iter().collect(), index.sort.iter().collect())
            }
        };
        if partition.len() != values.len() {
            return Err(Failure::wrong(format!("The key of this partition has {} parts.", partition.len())));
        }
        let partition = partition.into_iter().zip(values).collect();
        let entity = value(pairs, "entity").map(|name| served.entity(name)).transpose()?;
        let is_descending = value(pairs, "order") == Some("descending");
        Ok(Some(Place { table, index, partition, sort, entity, is_descending }))
    }

    /// The values of the partition key as texts for an address.
    pub(crate) fn key_texts(&self) -> Vec<String> {
        self.partition.iter().filter_map(|(_, value)| key_text::write(value.as_scalar()?)).collect()
    }

    /// The attributes of the partition key.
    pub(crate) fn key(&self) -> Item {
        let attributes = self.partition.iter();
        attributes.map(|(attribute, value)| (attribute.name.clone(), value.clone())).collect()
    }

    /// The template of the first sort attribute of the chosen entity.
    fn sort_template(&self) -> Option<&Template> {
        let entity = self.entity?;
        match self.index {
            None => entity.key.sort.as_ref(),
            Some(index) => entity.entry(index).and_then(|entry: &IndexEntry| entry.sort.first()),
        }
    }

    fn condition(&self) -> KeyCondition {
        let equal = |(attribute, value): &(&KeyAttribute, AttributeValue)| KeyTerm {
            attribute: attribute.name.clone(),
            test: KeyTest::Equal(value.clone()),
        };
        let mut terms: Vec<KeyTerm> = self.partition.iter().map(equal).collect();
        let head = self.sort_template().map(Template::constant_head).filter(|head| !head.is_empty());
        if let (Some(attribute), Some(head)) = (self.sort.first(), head) {
            let test = KeyTest::BeginsWith(AttributeValue::from(head));
            terms.push(KeyTerm { attribute: attribute.name.clone(), test });
        }
        KeyCondition::from_terms(terms)
    }
}

/// Reads the items of one partition.
pub(super) async fn of_partition<S: History>(
    visit: &Visit<'_, S>,
    place: &Place<'_>,
    start: Option<Item>,
) -> Result<Found, Failure> {
    let served = visit.served;
    if let Some(at_ms) = visit.at_ms {
        if place.index.is_some() {
            let reason = "The past of an index isn't kept. Open the partition of the table instead.";
            return Err(Failure::wrong(reason));
        }
        let is_first = start.is_none();
        let range = PastRange::Partition(place.key());
        let found = visit.past(place.table, range, start, PAGE_ITEMS as usize, at_ms).await?;
        return Ok(Found::past(found, is_first));
    }
    let query = Query {
        table: served.table_name(place.table),
        index: place.index.map(str::to_owned),
        key: place.condition(),
        filter: None,
        projection: None,
        limit: Some(PAGE_ITEMS),
        forward: !place.is_descending,
        consistent: false,
        start_key: start.clone(),
    };
    let page = served.runner().store().query(query).await?;
    let next = page.next.and_then(|next| key_text::write_key(&next.start_key?));
    let (scanned, is_first) = (u64::from(page.scanned), start.is_none());
    Ok(Found { items: page.items, scanned, next, is_first, consumed: page.consumed })
}

/// Reads items of a table in the order of its partitions.
pub(super) async fn of_table<S: History>(
    visit: &Visit<'_, S>,
    table: &Table,
    start: Option<Item>,
) -> Result<Found, Failure> {
    let served = visit.served;
    if let Some(at_ms) = visit.at_ms {
        let is_first = start.is_none();
        let found = visit.past(table, PastRange::Table, start, PAGE_ITEMS as usize, at_ms).await?;
        return Ok(Found::past(found, is_first));
    }
    let scan = Scan {
        table: served.table_name(table),
        index: None,
        filter: None,
        projection: None,
        limit: Some(PAGE_ITEMS),
        start_key: start.clone(),
    };
    let page = served.runner().store().scan(scan).await?;
    let next = page.next.and_then(|next| key_text::write_key(&next.start_key?));
    let (scanned, is_first) = (u64::from(page.scanned), start.is_none());
    Ok(Found { items: page.items, scanned, next, is_first, consumed: page.consumed })
}

/// Reads items of an entity. Others of its table are read with them, up to a bound: then the page has fewer items.
pub(super) async fn of_entity<S: History>(
    visit: &Visit<'_, S>,
    entity: &Entity,
    start: Option<Item>,
) -> Result<Found, Failure> {
    let served = visit.served;
    if let Some(at_ms) = visit.at_ms {
        let is_first = start.is_none();
        let items_max = SCANS_MAX * SCANNED_ITEMS as usize;
        let found = visit.past(&entity.table, PastRange::Table, start, items_max, at_ms).await?;
        let mut found = Found::past(found, is_first);
        let type_name = Some(ValueRef::S(&entity.type_name));
        found.items.retain(|item| item.view().get(&entity.table.type_attribute) == type_name);
        return Ok(found);
    }
    let of_type = Condition::equal(
        Path::attribute(&entity.table.type_attribute),
        AttributeValue::from(entity.type_name.as_str()),
    );
    let mut next = Some(Scan {
        table: served.table_name(&entity.table),
        index: None,
        filter: Some(of_type),
        projection: None,
        limit: Some(SCANNED_ITEMS),
        start_key: start.clone(),
    });
    let mut found = Found { is_first: start.is_none(), ..Found::default() };
    for _ in 0..SCANS_MAX {
        let Some(scan) = next.take_if(|_| found.items.len() < ENTITY_ITEMS) else { break };
        let page = served.runner().store().scan(scan).await?;
        found.items.extend(page.items);
        found.scanned += u64::from(page.scanned);
        found.consumed.add(&page.consumed);
        next = page.next;
    }
    found.next = next.and_then(|next| key_text::write_key(&next.start_key?));
    Ok(found)
}

/// The key of the item that an address names.
pub(crate) fn item_key<'d, S: Store>(served: &'d Served<S>, pairs: &Pairs) -> Result<ItemKey<'d>, Failure> {
    let label = value(pairs, "table").ok_or_else(|| Failure::wrong("The address names no table."))?;
    let table = served.table(label)?;
    let values = key_values(pairs)?;
    if values.len() != table.key().count() {
        return Err(Failure::wrong(format!("The key of this table has {} parts.", table.key().count())));
    }
    let key = table.key().map(|attribute| attribute.name.clone()).zip(values).collect();
    Ok(ItemKey { table, key })
}

/// Reads an item.
pub(crate) async fn item<S: Store>(
    served: &Served<S>,
    key: &ItemKey<'_>,
) -> Result<Option<EncodedItem>, Failure> {
    let table = served.table_name(key.table);
    let get = GetItem { table, key: key.key.clone(), consistent: true, projection: None };
    Ok(served.runner().store().get(get).await?.item)
}

/// Reads an item at the moment of a visit.
pub(crate) async fn item_at<S: History>(
    visit: &Visit<'_, S>,
    key: &ItemKey<'_>,
) -> Result<Option<EncodedItem>, Failure> {
    let Some(at_ms) = visit.at_ms else { return item(visit.served, key).await };
    let found = visit.past(key.table, PastRange::Item(key.key.clone()), None, 1, at_ms).await?;
    Ok(found.items.into_iter().next())
}
