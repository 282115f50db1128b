//! Searches for the highest, the lowest or the latest value, some pages at a time.

use std::collections::BTreeMap;

use singlet_design::{ExtremeSource, Projection};
use singlet_store::{Query, Store};
use singlet_values::{AttributeValue, EncodedItem, Item};

use crate::error::DeriveError;
use crate::reads::{Wanted, encode};
use crate::rules::Rules;
use crate::seeker::Seeker;

/// Items that are read first. Without a filter, the first one is the right one.
const FIRST_ITEMS: u32 = 2;
/// Items that are read at once if those weren't the right ones.
const PAGE_ITEMS: u32 = 250;
/// The most items that a search reads.
const ITEMS_MAX: u32 = 10_000;
/// The most queries that are under way at once.
const QUERIES_MAX: usize = 64;

/// The place of a value: the rule and the encoded key of the item.
type ValuePlace = (usize, Vec<u8>);

/// A search for the value of one field of one item, among the items of one entity.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    place: ValuePlace,
    seeker: &'a Seeker,
    source: &'a ExtremeSource,
    target: &'a Item,
    query: Query,
    read: u32,
}

/// The results of searches.
#[derive(Debug, Default)]
pub(crate) struct Finds {
    values: BTreeMap<ValuePlace, Option<AttributeValue>>,
    /// The searches that were given up: the field, and the reason.
    endless: BTreeMap<ValuePlace, (String, String)>,
}

impl Finds {
    /// Returns the searches for the fields of an item that rules give, those with these places or all.
    pub(crate) fn searches<'a>(
        rules: &'a Rules,
        entity: &str,
        (key, item): (&Item, &'a Item),
        environment: &str,
        is_wanted: &dyn Fn(usize) -> bool,
    ) -> Vec<Search<'a>> {
        let mut searches = Vec::new();
        for (at, _, seeker) in rules.extremes_of(entity).filter(|(at, _, _)| is_wanted(*at)) {
            for source in &seeker.rule.sources {
                let Some(query) = seeker.query(source, item, environment) else { continue };
                let query = Query { limit: Some(FIRST_ITEMS), ..query };
                let place = (at, encode(key));
                searches.push(Search { place, seeker, source, target: item, query, read: 0 });
            }
        }
        searches
    }

    /// Searches until all are at an end.
    pub(crate) async fn all(store: &impl Store, searches: Vec<Search<'_>>) -> Result<Finds, DeriveError> {
        let mut finds = Finds::default();
        for search in &searches {
            finds.values.entry(search.place.clone()).or_default();
        }
        let mut open = searches;
        while !open.is_empty() {
            let later = open.split_off(open.len().min(QUERIES_MAX));
            let pages = store.query_all(open.iter().map(|search| search.query.clone()).collect()).await?;
            let mut next = Vec::new();
            for (search, page) in open.into_iter().zip(pages) {
                let items = search.whole(store, &page.items).await?;
                if let Some(value) = items.iter().find_map(|item| search.candidate(item)) {
                    finds.found(&search, value);
                    continue;
                }
                let read = search.read.saturating_add(page.scanned);
                match page.next {
                    Some(_) if read >= ITEMS_MAX => finds.give_up(search),
                    Some(query) => {
                        let query = Query { limit: Some(PAGE_ITEMS), ..query };
                        next.push(Search { query, read, ..search });
                    }
                    None => {}
                }
            }
            open = next;
            open.extend(later);
        }
        Ok(finds)
    }

    /// Returns the value for a field; `None` if nobody searched for it. The value itself is `None` if there is no item.
    pub(crate) fn value(&self, rule: usize, key: &Item) -> Option<Option<&AttributeValue>> {
        let place = (rule, encode(key));
        if self.endless.contains_key(&place) {
            return None;
        }
        self.values.get(&place).map(Option::as_ref)
    }

    /// Returns a field of an item whose value isn't known, and why.
    pub(crate) fn doubt(&self, rules: impl Iterator<Item = usize>, key: &Item) -> Option<(&str, &str)> {
        let key = encode(key);
        let mut places = rules.map(|rule| (rule, key.clone()));
        let found = places.find_map(|place| self.endless.get(&place));
        found.map(|(field, reason)| (field.as_str(), reason.as_str()))
    }

    fn found(&mut self, search: &Search<'_>, value: Option<AttributeValue>) {
        let own = self.values.entry(search.place.clone()).or_default();
        *own = match (own.take(), value) {
            (Some(one), Some(other)) => Some(search.seeker.better(one, other)),
            (one, other) => one.or(other),
        };
    }

    fn give_up(&mut self, search: Search<'_>) {
        let (field, entity) = (&search.seeker.rule.field, &search.source.entity);
        let reason = format!(
            "`{field}`: the first {ITEMS_MAX} items of {entity} don't pass its filter; put the filter's fields in the key"
        );
        self.endless.insert(search.place, (field.clone(), reason));
    }
}

impl Search<'_> {
    fn candidate(&self, item: &Item) -> Option<Option<AttributeValue>> {
        self.seeker.candidate(self.source, self.target, item)
    }

    /// Returns the items of a page with all of their attributes, which an index may not have.
    async fn whole(&self, store: &impl Store, found: &[EncodedItem]) -> Result<Vec<Item>, DeriveError> {
        let items = found.iter().map(EncodedItem::decode).collect::<Result<Vec<Item>, _>>();
        let items = items.map_err(DeriveError::corrupt)?;
        let Some(entity) = self.seeker.sources.iter().find(|entity| entity.name == self.source.entity) else {
            return Ok(items);
        };
        let entry = self.source.referral.index.as_ref().and_then(|index| entity.entry(index));
        if entry.is_none_or(|entry| entry.index.projection == Projection::All) {
            return Ok(items);
        }
        let names: Vec<&str> = entity.table.key().map(|key| key.name.as_str()).collect();
        let key = |item: &Item| -> Item {
            names.iter().filter_map(|name| Some((*name, item.get(name)?.clone()))).collect()
        };
        let mut wanted = Wanted::default();
        items.iter().for_each(|item| wanted.ask(self.query.table.clone(), key(item)));
        let there = wanted.read(store).await?;
        Ok(items.iter().filter_map(|item| there.get(&self.query.table, &key(item)).cloned()).collect())
    }
}
