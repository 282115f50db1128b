//! Page sizes, shared by the runner, the estimate and the review.

/// The items on a page if neither the pattern nor the caller gives a limit.
pub const PAGE_ITEMS_DEFAULT: u32 = 100;
/// The maximum number of items on a page that a pattern or a caller may ask for.
pub const PAGE_ITEMS_MAX: u32 = 1000;
/// The items on a page of a merge without a limit. It is small because each item may need its own query.
pub const MERGED_PAGE_ITEMS_DEFAULT: u32 = 20;
/// The elements of its list that a walk follows if the pattern gives no maximum.
pub const WALK_DEFAULT: u32 = 100;
/// The maximum number of elements of its list that a walk may follow. Bulk writes have none.
pub const WALK_MAX: u32 = 1000;
/// The items that a claim reads at once, unless its query has a smaller page.
pub const CLAIM_PAGE_ITEMS: u32 = 10;
/// The elements that one call of a bulk write takes, unless the caller asks for another number.
pub const BULK_BATCH_DEFAULT: u32 = 100;
/// The elements of a bulk write that are read and written at once.
pub const BULK_GROUP_MAX: u32 = 25;

/// The empty buckets in a row that a query over buckets reads if the pattern gives no number.
pub const BUCKETS_EMPTY_DEFAULT: u32 = 31;
/// The maximum number of empty buckets in a row that a query over buckets may read.
pub const BUCKETS_EMPTY_MAX: u32 = 1000;

/// The items that a `count` reads at most if the pattern gives no maximum.
pub const COUNT_ITEMS_DEFAULT: u32 = 10_000;
/// The maximum number of items that a `count` may read.
pub const COUNT_ITEMS_MAX: u32 = 1_000_000;

/// Returns the items that the first request evaluates in each of the streams of a list. A single stream reads one item
/// more than the page holds, which shows whether there is another page. Of many streams, each contributes a few items.
pub fn first_request_items(limit: u32, streams: u32) -> u32 {
    match streams {
        0 | 1 => limit.saturating_add(1),
        many => (limit.saturating_mul(2) / many + 1).clamp(2, limit.saturating_add(1).max(2)),
    }
}
