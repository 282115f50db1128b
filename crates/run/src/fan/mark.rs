//! Marks: they tell the reader of a feed which sources to merge.
//!
//! The posts of an author with too many followers aren't fanned out. Instead, the feed of each follower has one mark for the
//! author, in the table of derived data, so that a reader finds the marks of a feed with one query. While a mark is there,
//! the stored entries of its author don't count.

use singlet_design::{Design, FAN_MERGED_MAX, Fan};
use singlet_expr::{KeyCondition, KeyTerm, KeyTest};
use singlet_store::{Query, Store};
use singlet_values::{AttributeValue, EncodedItem, Item};
use xxhash_rust::xxh3::xxh3_128;

use crate::derive::{DERIVED_TABLE, value_at};
use crate::error::RunError;

/// The partition key of the table of derived data: a design and its first table, one of its items, or a feed.
pub const OWNER: &str = "owner";
/// The sort key of the table of derived data.
pub const KIND: &str = "kind";
/// The match, in a mark.
pub const MATCH: &str = "match";
/// Whether a source is merged when feeds are read, in the record about it.
pub const MARKED: &str = "merged";
const MARK: &str = "merged#";

/// Returns the owner of a design's derived data: the design and its first table in an environment. The same design on other
/// tables has derived data of its own.
pub fn derivation_owner(design: &Design, environment: &str) -> String {
    let first = design.tables.first().map(|table| table.name_in(environment)).unwrap_or_default();
    format!("{} {first}", design.name)
}

/// Returns the key of the record about a source: whether its items are merged when they are read. `source` has the fields of
/// an item that decide which matches it has.
pub fn crowd_key(owner: &str, rule: &str, fan: &Fan, source: &Item) -> Option<Item> {
    let values: Option<Vec<AttributeValue>> =
        fan.matches.link.iter().map(|(own, _)| value_at(source, own).cloned()).collect();
    let kind = format!("crowd#{rule}#{}", hash(values?));
    Some(Item::from([(OWNER, owner), (KIND, kind.as_str())]))
}

/// Returns the key of the mark in the feed of a match for its source.
pub fn mark_key(owner: &str, rule: &str, fan: &Fan, found: &Item) -> Option<Item> {
    let own: Option<Vec<AttributeValue>> =
        fan.entries.link.iter().map(|(own, _)| value_at(found, own).cloned()).collect();
    let source: Option<Vec<AttributeValue>> =
        fan.matches.link.iter().map(|(_, theirs)| value_at(found, theirs).cloned()).collect();
    let (feed, kind) = (feed(owner, rule, own?), format!("{MARK}{}", hash(source?)));
    Some(Item::from([(OWNER, feed.as_str()), (KIND, kind.as_str())]))
}

/// Reads the matches of a feed whose sources are merged: those with the first marks. `values` are the fields of an entry that
/// tell its feed.
pub async fn marks(
    store: &impl Store,
    owner: &str,
    rule: &str,
    values: Vec<AttributeValue>,
) -> Result<Vec<Item>, RunError> {
    let term = |attribute: &str, test: KeyTest| KeyTerm { attribute: attribute.to_owned(), test };
    let request = Query {
        table: DERIVED_TABLE.to_owned(),
        index: None,
        key: KeyCondition::from_terms(vec![
            term(OWNER, KeyTest::Equal(AttributeValue::from(feed(owner, rule, values).as_str()))),
            term(KIND, KeyTest::BeginsWith(AttributeValue::from(MARK))),
        ]),
        filter: None,
        projection: None,
        limit: Some(FAN_MERGED_MAX),
        forward: true,
        consistent: true,
        start_key: None,
    };
    let page = store.query(request).await?;
    let mut found = Vec::with_capacity(page.items.len());
    for item in &page.items {
        let item = item.decode().map_err(|_| RunError::Fault("a mark of a feed can't be read"))?;
        if let Some(AttributeValue::M(members)) = item.get(MATCH) {
            found.push(members.clone());
        }
    }
    Ok(found)
}

fn feed(owner: &str, rule: &str, values: Vec<AttributeValue>) -> String {
    format!("{owner} {rule} {}", hash(values))
}

fn hash(values: Vec<AttributeValue>) -> String {
    let item: Item = Item::from([("values", AttributeValue::L(values))]);
    format!("{:032x}", xxh3_128(EncodedItem::encode(&item).as_bytes()))
}
