//! One look for expired items in all tables.

use std::collections::VecDeque;
use std::ops::{Bound, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::catalogue::{Catalogue, Horizon};
use crate::error::Result;
use crate::pending::Pending;
use crate::store::{Direction, View};
use crate::sync::Instant;
use crate::table::{Table, expired_seconds};
use crate::write::{EngineStore, Job};

/// The most items in one job. A write behind the job waits for that many deletions.
const JOB_ROWS_MAX: usize = 128;
/// The approximate most bytes of items in one job. If changes are recorded, all of it goes into the log.
const JOB_BYTES_MAX: usize = 512 * 1024;
/// The most jobs in flight while nobody else writes: one is decided while the other becomes durable.
const JOBS_MAX: usize = 2;
/// The time between two checks whether the fold has caught up.
const PRESSED_PAUSE: Duration = Duration::from_millis(5);

/// Deletes all expired items and returns their number. `pause` waits for a time and returns whether to stop.
pub(crate) fn sweep(store: &EngineStore, now_ms: u64, pause: &impl Fn(Duration) -> bool) -> Result<u64> {
    let shared = store.view().catalogue().clone();
    let _alone = shared.horizon().sweep();
    let view = store.view();
    let catalogue = view.catalogue().clone();
    let horizon = catalogue.horizon();
    horizon.retain(|number| catalogue.numbered(number).is_some());
    let due = expired_seconds(now_ms / 1000);
    let expiring = catalogue.tables().filter(|table| table.active_ttl().is_some() && !table.is_loading());
    let mut looks: Vec<TableSweep> =
        expiring.map(|table| TableSweep::begin(table, horizon, view.sequence(), &due)).collect();
    // A snapshot that is kept for long prevents the tree from reusing its pages.
    drop(view);
    let mut jobs = Jobs::new(store, horizon);
    let mut looked_through = Vec::with_capacity(looks.len());
    // The tables alternate.
    while !looks.is_empty() {
        let mut unfinished = Vec::with_capacity(looks.len());
        for mut look in looks {
            let expiry_rows = look.find(&store.view())?;
            if expiry_rows.is_empty() {
                looked_through.push(look.table.number);
                continue;
            }
            if look.table.settings.records_changes() && store.check_room_for_past().is_err() {
                // The items stay due until there is space.
                continue;
            }
            jobs.hand_over(look.table.number, expiry_rows)?;
            if jobs.make_room(pause)? {
                return Ok(jobs.expired);
            }
            unfinished.push(look);
        }
        looks = unfinished;
    }
    jobs.wait_until(0)?;
    // Only now, so that the items of a failed job are found again.
    for table in looked_through {
        horizon.end(table, *due.end());
    }
    Ok(jobs.expired)
}

/// The look through the due times of one table.
struct TableSweep {
    table: Arc<Table>,
    /// The last row that was found.
    after: Bytes,
    end: Bytes,
}

impl TableSweep {
    fn begin(table: &Arc<Table>, horizon: &Horizon, sequence: u64, due: &RangeInclusive<u64>) -> TableSweep {
        let from = horizon.begin(table.number, sequence, *due.end()).max(*due.start());
        let space = table.expiries();
        // Rows are longer than these keys, so it doesn't matter that the first bound is exclusive.
        let (after, end) = (space.key_at(from, &[]), space.key_at(due.end().saturating_add(1), &[]));
        TableSweep { table: table.clone(), after, end }
    }

    /// Returns the next rows. Their items are read too, so that the writer finds them in memory.
    fn find(&mut self, view: &View<Catalogue>) -> Result<Vec<Bytes>> {
        let bounds = (Bound::Excluded(self.after.as_ref()), Bound::Excluded(self.end.as_ref()));
        let mut expiry_rows = Vec::with_capacity(JOB_ROWS_MAX);
        let mut bytes = 0;
        for row in view.range(bounds.0, bounds.1, Direction::Forward) {
            let (expiry_row, _) = row?;
            if let Some((_, row)) = self.table.read_expiry_row(&expiry_row) {
                bytes += view.get(&row)?.map_or(0, |item| item.len());
            }
            expiry_rows.push(expiry_row);
            if expiry_rows.len() == JOB_ROWS_MAX || bytes >= JOB_BYTES_MAX {
                break;
            }
        }
        if let Some(last) = expiry_rows.last() {
            self.after = last.clone();
        }
        Ok(expiry_rows)
    }
}

/// Jobs that were submitted to the writer.
struct Jobs<'a> {
    store: &'a EngineStore,
    horizon: &'a Horizon,
    under_way: VecDeque<UnderWay>,
    /// The number of jobs of all callers that the writer had applied at the last check.
    applied: u64,
    /// The number of own jobs among the next ones.
    own: u64,
    expired: u64,
}

struct UnderWay {
    table: u32,
    since: Instant,
    pending: Pending<u64>,
}

impl<'a> Jobs<'a> {
    fn new(store: &'a EngineStore, horizon: &'a Horizon) -> Self {
        let under_way = VecDeque::with_capacity(JOBS_MAX);
        Jobs { store, horizon, under_way, applied: store.jobs_applied(), own: 0, expired: 0 }
    }

    fn hand_over(&mut self, table: u32, expiry_rows: Vec<Bytes>) -> Result<()> {
        let (answer, pending) = Pending::channel();
        let since = Instant::now();
        self.store.submit(Job::Expire { table, expiry_rows, answer })?;
        self.under_way.push_back(UnderWay { table, since, pending });
        self.own += 1;
        Ok(())
    }

    /// Waits until another job may be submitted, and returns whether to stop.
    ///
    /// If nobody else writes, jobs follow each other as fast as the writer takes them. If others write too, they have
    /// the writer and the log for themselves half of the time. If the fold is behind, this thread waits first,
    /// because in the end all writers would have to wait.
    fn make_room(&mut self, pause: &impl Fn(Duration) -> bool) -> Result<bool> {
        let took = self.wait_until(JOBS_MAX - 1)?;
        if self.others_write() {
            let took = self.wait_until(0)?.max(took);
            if pause(took) {
                return Ok(true);
            }
        }
        while self.store.is_pressed() {
            if pause(PRESSED_PAUSE) {
                return Ok(true);
            }
        }
        Ok(pause(Duration::ZERO))
    }

    /// Waits until at most this many jobs are in flight. Returns the longest time that one took.
    fn wait_until(&mut self, under_way_max: usize) -> Result<Duration> {
        let mut longest = Duration::ZERO;
        while self.under_way.len() > under_way_max {
            let Some(UnderWay { table, since, pending }) = self.under_way.pop_front() else { break };
            let expired = pending.wait()?;
            self.horizon.count(table, expired);
            self.expired += expired;
            longest = longest.max(since.elapsed());
        }
        Ok(longest)
    }

    /// Whether the writer has applied jobs of others since the last call.
    fn others_write(&mut self) -> bool {
        let applied = self.store.jobs_applied();
        let others = applied.saturating_sub(self.applied) > self.own;
        // Jobs in flight may or may not have been applied.
        self.own = self.under_way.len() as u64;
        self.applied = applied;
        others
    }
}
