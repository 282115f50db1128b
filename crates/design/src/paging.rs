//! How much a list reads: the one place for page sizes that the runner, the estimate, the review and the documents share.

/// Items on a page when neither the pattern nor the caller says how many.
pub const PAGE_ITEMS_DEFAULT: u32 = 100;
/// Items on a page of a merged list when nothing says how many: each of them may come from a query of its own.
pub const MERGED_PAGE_ITEMS_DEFAULT: u32 = 20;
/// Items of a merged list that are followed when the pattern doesn't say how many.
pub const MERGE_EACH_DEFAULT: u32 = 100;

/// Items that the first request of a list evaluates in each of its streams: one more than the page holds tells whether
/// there is another page. Of many streams each gives a little.
pub fn first_request_items(limit: u32, streams: u32) -> u32 {
    match streams {
        0 | 1 => limit.saturating_add(1),
        many => (limit.saturating_mul(2) / many + 1).clamp(2, limit.saturating_add(1).max(2)),
    }
}
