//! How far the expiry thread has looked for expired items.
//!
//! Deleted rows stay in the overlay as deletions until it is folded. Stepping over a hundred thousand of them each
//! second would cost more than everything else. So the expiry thread remembers how far it has looked, and the writer
//! notes rows that are added behind that point.

use std::collections::HashMap;
use std::sync::PoisonError;

use crate::sync::{Mutex, MutexGuard};

/// How far has been looked, by table number, and the number of expired items.
#[derive(Debug, Default)]
pub(crate) struct Horizon {
    tables: Mutex<HashMap<u32, TableHorizon>>,
    sweeps: Mutex<()>,
}

/// How far has been looked in one table.
#[derive(Debug, Default)]
struct TableHorizon {
    /// Everything due before this second has been looked at, except for the noted times.
    next_second: u64,
    /// Times that were written but may not be published yet. They are released when a look begins that sees all of
    /// them.
    settling: Noted,
    /// Times that were written since `settling` was closed.
    fresh: Noted,
    /// Items that expired since the database was opened.
    expired: u64,
}

/// Times that were written in some commits.
#[derive(Debug, Default)]
struct Noted {
    earliest_second: Option<u64>,
    last_sequence: u64,
}

impl TableHorizon {
    /// Releases the settling times if all commits up to `sequence` are visible.
    fn settle(&mut self, sequence: u64) {
        if self.settling.last_sequence <= sequence {
            let settled = std::mem::replace(&mut self.settling, std::mem::take(&mut self.fresh));
            self.next_second = settled.earliest_second.unwrap_or(u64::MAX).min(self.next_second);
        }
    }
}

impl Horizon {
    /// Notes that a commit adds an expiry time.
    pub(crate) fn note(&self, table: u32, second: u64, sequence: u64) {
        let mut tables = self.tables();
        let Noted { earliest_second, last_sequence } = &mut tables.entry(table).or_default().fresh;
        *earliest_second = Some(earliest_second.map_or(second, |earliest| earliest.min(second)));
        *last_sequence = sequence;
    }

    /// Returns the second at which a look must begin that sees all commits up to `sequence` and ends at
    /// `last_second`.
    pub(crate) fn begin(&self, table: u32, sequence: u64, last_second: u64) -> u64 {
        let mut tables = self.tables();
        let watch = tables.entry(table).or_default();
        if watch.next_second > last_second.saturating_add(1) {
            // The clock was set back, so an item that was too old for an earlier look may be due now.
            watch.next_second = 0;
        }
        // Twice, so that fresh times are released too if they are visible.
        watch.settle(sequence);
        watch.settle(sequence);
        watch.next_second
    }

    /// Ends the last look: everything up to this second was looked at.
    pub(crate) fn end(&self, table: u32, last_second: u64) {
        if let Some(watch) = self.tables().get_mut(&table) {
            watch.next_second = last_second.saturating_add(1);
        }
    }

    /// Counts items that expired.
    pub(crate) fn count(&self, table: u32, expired: u64) {
        if let Some(watch) = self.tables().get_mut(&table) {
            watch.expired += expired;
        }
    }

    /// Returns how many items of a table have expired since the database was opened.
    pub(crate) fn expired(&self, table: u32) -> u64 {
        self.tables().get(&table).map_or(0, |watch| watch.expired)
    }

    /// Removes deleted tables.
    pub(crate) fn retain(&self, is_there: impl Fn(u32) -> bool) {
        self.tables().retain(|table, _| is_there(*table));
    }

    /// Locks out other looks.
    pub(crate) fn sweep(&self) -> MutexGuard<'_, ()> {
        self.sweeps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tables(&self) -> MutexGuard<'_, HashMap<u32, TableHorizon>> {
        // The map is consistent between any two calls, so a panic elsewhere can't have left it half changed.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: u32 = 7;
    /// Later than all seconds here.
    const LATER: u64 = 1_000;

    #[test]
    fn the_next_look_begins_where_the_last_one_ended() {
        let horizon = Horizon::default();
        assert_eq!(horizon.begin(TABLE, 0, LATER), 0, "after opening everything must be looked at");
        assert_eq!(horizon.begin(TABLE, 0, LATER), 0, "a look that was broken off counts for nothing");
        horizon.end(TABLE, 100);
        assert_eq!(horizon.begin(TABLE, 0, LATER), 101);
    }

    #[test]
    fn what_comes_in_behind_is_looked_at_once_it_is_seen() {
        let horizon = Horizon::default();
        horizon.begin(TABLE, 4, LATER);
        horizon.end(TABLE, 100);
        horizon.note(TABLE, 50, 5);
        // Commit 5 is not published: looking would find nothing, and the note must stay.
        assert_eq!(horizon.begin(TABLE, 4, LATER), 101);
        horizon.end(TABLE, 102);
        horizon.note(TABLE, 40, 6);
        assert_eq!(horizon.begin(TABLE, 5, LATER), 50);
        horizon.end(TABLE, 103);
        assert_eq!(horizon.begin(TABLE, 6, LATER), 40);
        horizon.end(TABLE, 104);
        assert_eq!(horizon.begin(TABLE, 6, LATER), 105);
    }

    #[test]
    fn what_is_seen_at_once_is_looked_at_at_once() {
        let horizon = Horizon::default();
        horizon.begin(TABLE, 1, LATER);
        horizon.end(TABLE, 100);
        horizon.note(TABLE, 60, 2);
        horizon.note(TABLE, 300, 3);
        assert_eq!(horizon.begin(TABLE, 3, LATER), 60);
        horizon.end(TABLE, 100);
        assert_eq!(horizon.begin(TABLE, 3, LATER), 101);
    }

    #[test]
    fn a_clock_that_is_set_back_looks_at_everything_again() {
        let horizon = Horizon::default();
        horizon.begin(TABLE, 1, 500);
        horizon.end(TABLE, 500);
        assert_eq!(horizon.begin(TABLE, 1, 500), 501, "it stands still");
        assert_eq!(horizon.begin(TABLE, 1, 100), 0);
        horizon.end(TABLE, 100);
        assert_eq!(horizon.begin(TABLE, 1, 120), 101);
    }

    proptest::proptest! {
        /// Times are written, commits become visible later, looks begin and end: no time that was seen stays.
        #[test]
        fn no_time_is_ever_passed_over(
            steps in proptest::collection::vec((0u8..4, 0u64..20), 1..60),
        ) {
            let horizon = Horizon::default();
            let (mut now, mut written, mut published) = (0u64, 0u64, 0u64);
            // Times that no look has reached, with their commits.
            let mut waiting: Vec<(u64, u64)> = Vec::new();
            for (kind, value) in steps {
                match kind {
                    0 => now += value,
                    1 => {
                        written += 1;
                        horizon.note(TABLE, value * 3, written);
                        waiting.push((value * 3, written));
                    }
                    2 => published = published.max(value.min(written)),
                    _ => {
                        let from = horizon.begin(TABLE, published, now);
                        waiting.retain(|(second, sequence)| {
                            *sequence > published || !(from..=now).contains(second)
                        });
                        horizon.end(TABLE, now);
                    }
                }
            }
            for _ in 0..2 {
                let from = horizon.begin(TABLE, written, LATER);
                waiting.retain(|(second, _)| !(from..=1000).contains(second));
                horizon.end(TABLE, 1000);
            }
            proptest::prop_assert!(waiting.is_empty(), "{waiting:?}");
        }
    }
}
