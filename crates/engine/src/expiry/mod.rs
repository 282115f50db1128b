//! Expiry: items whose time is over are found through their times, never by reading the table, and deleted.
//!
//! Every write keeps up one row per expiring item, sorted by time (`table::time_to_live`, `write::single`). The reaper
//! looks about once a second for rows that have come due on a snapshot, outside of the writer, and hands them over in
//! small jobs, which look again (`write::expire`).

mod horizon;
mod reaper;
mod sweep;

use std::ops::RangeInclusive;

pub(crate) use horizon::Horizon;
pub(crate) use reaper::{Reaper, note_time};
pub(crate) use sweep::sweep;

/// Times that lie further back are ignored: such a number was hardly meant as an expiry.
const IGNORED_AFTER_SECONDS: u64 = 5 * 365 * 24 * 60 * 60;

/// The seconds of expiry by which an item's time is over at a second: up to that one, and less than five years back.
pub fn expired_seconds(now_second: u64) -> RangeInclusive<u64> {
    now_second.saturating_sub(IGNORED_AFTER_SECONDS - 1)..=now_second
}

/// The example of the page runs.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/ttl.md")]
struct Page;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_over_from_its_second_on_and_for_less_than_five_years() {
        let now = 1_700_000_000;
        let expired = expired_seconds(now);
        assert!(expired.contains(&now) && !expired.contains(&(now + 1)));
        let years_5 = 5 * 365 * 24 * 60 * 60;
        assert!(expired.contains(&(now - years_5 + 1)) && !expired.contains(&(now - years_5)));
        assert_eq!(expired_seconds(10), 0..=10);
    }
}
