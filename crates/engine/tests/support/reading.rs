//! Reads that follow the pages to the end.

use singlet_engine::values::{EncodedItem, Item};
use singlet_engine::{Database, GetItem, PageOutcome, Query, Scan};

/// The pages of a query, to the last.
pub(crate) fn query_pages(database: &Database, query: &Query) -> Vec<PageOutcome> {
    follow(query.start_key.clone(), |start| {
        database.query(&query.clone().start_key(start)).expect("the query is right")
    })
}

/// The pages of a scan, to the last.
pub(crate) fn scan_pages(database: &Database, scan: &Scan) -> Vec<PageOutcome> {
    follow(scan.start_key.clone(), |start| {
        database.scan(&scan.clone().start_key(start)).expect("the scan is right")
    })
}

/// The items of all pages of a query.
pub(crate) fn query_all(database: &Database, query: &Query) -> Vec<Item> {
    items(query_pages(database, query))
}

/// The items of all pages of a scan.
pub(crate) fn scan_all(database: &Database, scan: &Scan) -> Vec<Item> {
    items(scan_pages(database, scan))
}

/// One item.
pub(crate) fn get(database: &Database, table: &str, key: Item) -> Option<Item> {
    let found = database.get_item(&GetItem::new(table, key)).expect("the key is right").item;
    found.map(|item| decode(&item))
}

/// An item as it was stored.
pub(crate) fn decode(item: &EncodedItem) -> Item {
    item.decode().expect("stored items are well-formed")
}

/// The part of an item that has these names.
pub(crate) fn key_of(item: &Item, names: &[&str]) -> Item {
    item.iter().filter(|(name, _)| names.contains(name)).map(|(name, value)| (name, value.clone())).collect()
}

fn follow(start: Option<Item>, mut page_after: impl FnMut(Option<Item>) -> PageOutcome) -> Vec<PageOutcome> {
    let mut pages = vec![page_after(start.clone())];
    let mut before = start;
    while let Some(last) = pages.last().and_then(|page| page.last_key.clone()) {
        assert_ne!(before.as_ref(), Some(&last), "a page ends where it began");
        pages.push(page_after(Some(last.clone())));
        before = Some(last);
    }
    pages
}

fn items(pages: Vec<PageOutcome>) -> Vec<Item> {
    let items = pages.into_iter().flat_map(|page| page.items.expect("items were asked for"));
    items.map(|item| decode(&item)).collect()
}
