//! Page sizes of lists. The runner, the estimate, the review and the documents all use these.

/// Items on a page unless the pattern or the caller says how many.
pub const PAGE_ITEMS_DEFAULT: u32 = 100;
/// Most items on a page that a pattern or a caller may ask for.
pub const PAGE_ITEMS_MAX: u32 = 1000;
/// Items on a page of a merged list by default. It is smaller because each item may come from a query of its own.
pub const MERGED_PAGE_ITEMS_DEFAULT: u32 = 20;
/// Items of a list that a merge follows by default.
pub const MERGE_EACH_DEFAULT: u32 = 100;
/// Most items of a list that a merge may follow.
pub const MERGE_EACH_MAX: u32 = 1000;

/// Items that the first request of a list evaluates in each of its streams. One item more than the page holds tells
/// whether there is another page. Many streams share the page, so each evaluates fewer.
pub fn first_request_items(limit: u32, streams: u32) -> u32 {
    match streams {
        0 | 1 => limit.saturating_add(1),
        many => (limit.saturating_mul(2) / many + 1).clamp(2, limit.saturating_add(1).max(2)),
    }
}
