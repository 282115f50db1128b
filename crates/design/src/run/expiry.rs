//! Which times to live are over, for reads and writes alike.

use std::ops::RangeInclusive;

/// Stores ignore times that lie further back: such a number was hardly meant as an expiry.
const IGNORED_AFTER_SECONDS: u64 = 5 * 365 * 24 * 60 * 60;

/// The seconds of expiry by which an item counts as gone.
pub(super) fn expired_seconds(now_second: u64) -> RangeInclusive<u64> {
    now_second.saturating_sub(IGNORED_AFTER_SECONDS - 1)..=now_second
}
