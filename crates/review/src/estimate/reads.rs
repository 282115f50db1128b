//! Units of one page of a list, if there are enough items of the usual size to fill it.

use singlet_design::{
    BULK_GROUP_MAX, CLAIM_PAGE_ITEMS, Count, Entity, Index, ListWalk, Merge, Operation, PAGE_ITEMS_DEFAULT,
    Query, Scan, WALK_DEFAULT, first_request_items,
};

use super::read_units;
use super::size::{Size, entry_size, item_size};

/// Units of a page of a query, over all shards.
pub fn query_units(query: &Query) -> f64 {
    page_units(query, query.limit.unwrap_or(PAGE_ITEMS_DEFAULT))
}

/// Units of a count. No design declares how many items a key has, so a page of them is assumed.
pub fn count_units(count: &Count) -> f64 {
    let streams = count.query.shards.map_or(1, |shards| shards.count.max(1));
    let items = count.max.min(PAGE_ITEMS_DEFAULT).div_ceil(streams);
    let Some(entity) = count.query.entities.first() else { return 0.0 };
    let bytes = usual_size(entity, count.query.on.as_deref()).saturating_mul(u64::from(items));
    read_units(bytes, count.query.consistent) * f64::from(streams)
}

/// Units of the queries that a merged list runs for one page, if the list is as long as it may be.
pub fn merge_run_units(merge: &Merge) -> f64 {
    match &merge.walk.run.operation {
        Operation::Query(query) => streams_units(query, merge.limit, elements(&merge.walk)),
        _ => 0.0,
    }
}

/// Units of the queries that a gather runs for one page, if the list is as long as it may be.
pub(super) fn gather_run_units(walk: &ListWalk) -> f64 {
    match &walk.run.operation {
        Operation::Query(query) => query_units(query) * f64::from(elements(walk)),
        _ => 0.0,
    }
}

/// Units of reading the whole list of a merge or gather, if it is as long as it may be.
pub(super) fn walked_list_units(walk: &ListWalk, query: &Query) -> f64 {
    page_units(query, elements(walk))
}

/// Units of the page that a claim reads.
pub(super) fn claim_list_units(walk: &ListWalk, query: &Query) -> f64 {
    page_units(query, query.limit.unwrap_or(CLAIM_PAGE_ITEMS).min(CLAIM_PAGE_ITEMS).min(elements(walk)))
}

/// Units of the items that a bulk write reads and writes at once.
pub(super) fn bulk_list_units(_: &ListWalk, query: &Query) -> f64 {
    page_units(query, BULK_GROUP_MAX)
}

fn elements(walk: &ListWalk) -> u32 {
    walk.max.unwrap_or(WALK_DEFAULT).max(1)
}

/// Units of a page with so many items, over all shards.
fn page_units(query: &Query, limit: u32) -> f64 {
    streams_units(query, limit, query.shards.map_or(1, |shards| shards.count.max(1)))
}

/// Units of a page of a scan. It evaluates items of all entities; the estimate uses the size of its own.
pub fn scan_units(scan: &Scan) -> f64 {
    let items = first_request_items(scan.limit.unwrap_or(PAGE_ITEMS_DEFAULT), 1);
    read_units(usual_size(&scan.entity, scan.on.as_deref()).saturating_mul(u64::from(items)), false)
}

/// Each stream is a request of its own, so its units are rounded up separately.
fn streams_units(query: &Query, limit: u32, streams: u32) -> f64 {
    let Some(entity) = query.entities.first() else { return 0.0 };
    let items = u64::from(first_request_items(limit, streams));
    let bytes = usual_size(entity, query.on.as_deref()).saturating_mul(items);
    read_units(bytes, query.consistent) * f64::from(streams)
}

fn usual_size(entity: &Entity, on: Option<&Index>) -> u64 {
    let entry = on.and_then(|index| entity.entry(&index.name));
    let Size { usual, .. } = entry.map_or_else(|| item_size(entity), |entry| entry_size(entity, entry));
    usual
}
