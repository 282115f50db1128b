//! One look for items whose time is over, in all tables.

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

/// Most items of one job: a write that comes behind it waits for that many deletions.
const JOB_ROWS_MAX: usize = 128;
/// Most bytes of the items of one job, about: where changes are recorded, all of that goes into the log.
const JOB_BYTES_MAX: usize = 512 * 1024;
/// Jobs under way at once while nobody else writes: one is decided while the other becomes durable.
const JOBS_MAX: usize = 2;
/// How long to wait before asking again whether the store has room.
const PRESSED_PAUSE: Duration = Duration::from_millis(5);

/// Deletes all items whose time is over now. `pause` waits so long, and says whether to stop. Says how many were deleted.
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
    // A view that is kept for long keeps the tree from reusing its pages.
    drop(view);
    let mut jobs = Jobs::new(store, horizon);
    let mut looked_through = Vec::with_capacity(looks.len());
    // The tables take turns.
    while !looks.is_empty() {
        let mut unfinished = Vec::with_capacity(looks.len());
        for mut look in looks {
            let expiry_rows = look.find(&store.view())?;
            if expiry_rows.is_empty() {
                looked_through.push(look.table.number);
                continue;
            }
            if look.table.settings.records_changes() && store.check_room_for_past().is_err() {
                // What is due stays due until there is room.
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
    // Not earlier: what a failed job was to delete must be found again.
    for table in looked_through {
        horizon.end(table, *due.end());
    }
    Ok(jobs.expired)
}

/// A walk over the times of one table that have come.
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

    /// The next rows. Their items are read, so that the writer finds them in memory.
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

/// Jobs that were handed to the writer.
struct Jobs<'a> {
    store: &'a EngineStore,
    horizon: &'a Horizon,
    under_way: VecDeque<UnderWay>,
    /// Jobs of everybody that the writer had applied when it was last looked at.
    applied: u64,
    /// How many of those to come are from here.
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

    /// Waits until there may be another job, and says whether to stop.
    ///
    /// Alone, jobs follow each other as fast as the writer takes them. If others write too, they have the writer and the
    /// log for themselves half of the time; and if the fold is behind, for which all writers would have to wait in the
    /// end, this one waits first.
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

    /// Waits until no more than so many jobs are under way; the longest time that one took.
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

    /// Whether the writer has applied jobs of others since this was last asked.
    fn others_write(&mut self) -> bool {
        let applied = self.store.jobs_applied();
        let others = applied.saturating_sub(self.applied) > self.own;
        // What is under way may have been applied already or not.
        self.own = self.under_way.len() as u64;
        self.applied = applied;
        others
    }
}
