//! A worker keeps the derived data of one design up to date.

use std::sync::Arc;
use std::time::Duration;

use singlet_design::Design;
use singlet_run::{Entropy, SystemEntropy};
use singlet_store::{ChangeFeed, ChangeReader, Clock, FeedStart, ItemChange, StoreError, SystemClock};

use crate::commit::{Committed, Committer};
use crate::effects::{Effects, Merged, Reading};
use crate::error::DeriveError;
use crate::progress::{Progress, owner};
use crate::rules::Rules;
use crate::seen::Seen;
use crate::settled::{Reached, Round};
use crate::status::Counters;
use crate::task::Task;

/// Changes without an effect after which the position is saved all the same.
const UNSAVED_MAX: usize = 10_000;
/// A page of a feed with so many changes isn't the last one.
const PAGE_CHANGES: usize = 500;
/// Changes that are taken in at once. A page has at most 1 MB.
const CHANGES_MAX: usize = 10_000;
/// How often a worker begins anew because others are faster, before it gives way.
const OPENINGS_MAX: usize = 10;
/// How long a worker with several tables waits for changes of each before it looks at the next one. The longer nothing
/// happens, the longer it waits, up to 16 times as long.
const TURN: Duration = Duration::from_millis(2);
const IDLE_DOUBLINGS_MAX: u32 = 4;

/// Keeps the derived data of one design up to date, from the change feeds of its tables.
///
/// Any number of workers may run: each batch expects the one before, so that no effect is lost or doubled.
pub struct Worker<S: ChangeFeed> {
    pub(crate) store: S,
    pub(crate) design: Arc<Design>,
    environment: String,
    pub(crate) rules: Rules,
    pub(crate) owner: String,
    /// As it was written last, with the positions that were reached since.
    pub(crate) progress: Progress,
    pub(crate) feeds: Vec<Feed<S::Reader>>,
    /// Changes since the progress was saved.
    unsaved: usize,
    counters: Arc<Counters>,
    pub(crate) settled: Arc<Reached>,
    /// The effects that are being followed.
    pub(crate) round: Option<Round>,
    clock: Arc<dyn Clock>,
    /// The task that was worked on last.
    pub(crate) last_task: Option<Task>,
    /// The steps since there was something to do.
    idle_turns: u32,
}

/// The change feed of one table.
pub(crate) struct Feed<R> {
    /// The table's label.
    pub(crate) table: String,
    pub(crate) reader: R,
}

/// The net effects of some changes.
struct Net {
    effects: Effects,
    /// How many changes these are.
    taken: usize,
    /// The worker's own writes up to there.
    seen: Seen,
}

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// The changes that it took in.
    pub changes: usize,
    /// Whether there is more to do at once.
    pub is_busy: bool,
}

impl<S: ChangeFeed> Worker<S> {
    /// Opens the change feeds where the last worker stopped. `None` if the design derives nothing.
    ///
    /// New and changed rules, and all rules if changes were missed, are filled from the items that are there.
    pub async fn open(
        store: S,
        design: Arc<Design>,
        environment: &str,
    ) -> Result<Option<Worker<S>>, DeriveError> {
        let rules = Rules::of(&design);
        if rules.list.is_empty() {
            return Ok(None);
        }
        let owner = owner(&design, environment);
        let tables = rules.tables().into_iter().map(str::to_owned).collect();
        let mut worker = Worker {
            store,
            environment: environment.to_owned(),
            rules,
            owner,
            progress: Progress::default(),
            feeds: Vec::new(),
            unsaved: 0,
            counters: Arc::default(),
            settled: Arc::new(Reached::new(tables)),
            round: None,
            clock: Arc::new(SystemClock),
            last_task: None,
            idle_turns: 0,
            design,
        };
        worker.reopen(&|_| false).await?;
        Ok(Some(worker))
    }

    /// Takes the time of derived values from this clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Returns what the worker counts.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Counts derived fields again, from the items that are there: those with these names, or all.
    pub async fn rebuild(&mut self, names: &[String]) -> Result<(), DeriveError> {
        self.rules.check_names(names)?;
        let names = names.to_vec();
        self.reopen(&move |rule| names.is_empty() || names.iter().any(|name| name == rule)).await
    }

    /// Starts from the stored progress. The rules that `refill` names are filled anew.
    pub(crate) async fn reopen(&mut self, refill: &(dyn Fn(&str) -> bool + Sync)) -> Result<(), DeriveError> {
        self.open_from(refill, None).await
    }

    /// The same. The feed of the table `gap` has ended, and goes on with the next change.
    async fn open_from(
        &mut self,
        refill: &(dyn Fn(&str) -> bool + Sync),
        gap: Option<&str>,
    ) -> Result<(), DeriveError> {
        for _ in 0..OPENINGS_MAX {
            let mut stored = Progress::read(&self.store, &self.owner).await?;
            if let Some(label) = gap {
                stored.positions.remove(label);
            }
            let (feeds, is_whole) = self.open_feeds(&stored).await?;
            let mut progress = stored.clone();
            let changed = progress.adopt(&self.rules, new_generation(), &|rule| !is_whole || refill(rule));
            progress.positions =
                feeds.iter().map(|feed| (feed.table.clone(), feed.reader.position())).collect();
            let is_same = !changed && is_whole;
            if !is_same {
                match self.committer().save(&stored, &progress).await? {
                    Committed::Done { progress: saved, .. } => progress = saved,
                    _ => continue,
                }
            }
            // All at once: a worker whose opening failed must not go on with half of it.
            (self.feeds, self.progress, self.unsaved, self.round) = (feeds, progress, 0, None);
            return Ok(());
        }
        Err(StoreError::TryAgain("other workers change the progress all the time".to_owned()).into())
    }

    /// Opens the change feeds. Returns them, and whether none of them has a gap.
    async fn open_feeds(&self, stored: &Progress) -> Result<(Vec<Feed<S::Reader>>, bool), DeriveError> {
        let mut is_whole = true;
        let mut feeds = Vec::new();
        for label in self.rules.tables() {
            let name = self.table_name(label);
            let after = stored.positions.get(label).cloned();
            let reader = match after {
                Some(position) => self.store.changes(&name, FeedStart::After(position)).await?,
                None => None,
            };
            is_whole &= reader.is_some();
            let reader = match reader {
                Some(reader) => reader,
                None => self.store.changes(&name, FeedStart::Now).await?.ok_or_else(|| {
                    StoreError::NotFound(format!(
                        "the table {name} has no change feed: apply the design first"
                    ))
                })?,
            };
            feeds.push(Feed { table: label.to_owned(), reader });
        }
        Ok((feeds, is_whole))
    }

    /// Takes in some changes, or fills some items. Waits so long for a change if there is nothing to do.
    pub async fn step(&mut self, wait: Duration) -> Result<Step, DeriveError> {
        if self.progress.sweep.is_some() {
            self.sweep().await?;
            // Rules that are ready go on meanwhile.
            self.read_on(Duration::ZERO).await?;
            return Ok(Step { changes: 0, is_busy: true });
        }
        let wait = match (self.progress.tasks, self.feeds.len()) {
            (0, 0 | 1) => wait,
            (0, _) => wait.min(TURN * (1 << self.idle_turns.min(IDLE_DOUBLINGS_MAX))),
            _ => Duration::ZERO,
        };
        let mut step = self.read_on(wait).await?;
        if step.is_busy {
            return Ok(step);
        }
        step.is_busy = step.changes > 0 || self.progress.tasks > 0;
        self.idle_turns = if step.is_busy { 0 } else { self.idle_turns.saturating_add(1) };
        self.counters.end(!step.is_busy);
        if self.progress.tasks > 0 {
            self.work().await?;
        }
        let is_due = self.unsaved >= UNSAVED_MAX || (!step.is_busy && self.unsaved > 0);
        if is_due {
            // Another worker was faster: what this one has read may count again from there.
            step.is_busy |= !self.save().await?;
        }
        Ok(step)
    }

    /// Takes in the next changes of each table. It is busy if it had to begin anew.
    async fn read_on(&mut self, wait: Duration) -> Result<Step, DeriveError> {
        let mut step = Step::default();
        for at in 0..self.feeds.len() {
            let Some(changes) = self.read(at, wait).await? else {
                return Ok(Step { is_busy: true, ..step });
            };
            step.changes += changes.len();
            if !self.take(at, &changes).await? {
                return Ok(Step { is_busy: true, ..step });
            }
        }
        Ok(step)
    }

    /// Works until nothing is left to do: every change that was committed before the call has had its effects.
    pub async fn catch_up(&mut self) -> Result<(), DeriveError> {
        while self.step(Duration::ZERO).await?.is_busy {}
        Ok(())
    }

    /// Begins anew if somebody else has written the progress since: another worker, or a command that wants fields to be
    /// rebuilt.
    pub async fn notice_others(&mut self) -> Result<(), DeriveError> {
        match Progress::read(&self.store, &self.owner).await?.batch == self.progress.batch {
            true => Ok(()),
            false => self.reopen(&|_| false).await,
        }
    }

    /// Whether rules are being filled.
    pub fn is_filling(&self) -> bool {
        self.progress.sweep.is_some()
    }

    /// Reads the next changes of a table. `None` if there is a gap after the last ones, so that everything begins anew.
    pub(crate) async fn read(
        &mut self,
        at: usize,
        wait: Duration,
    ) -> Result<Option<Vec<ItemChange>>, DeriveError> {
        let Some(feed) = self.feeds.get_mut(at) else { return Ok(Some(Vec::new())) };
        let Some(mut changes) = feed.reader.next(wait).await? else {
            let label = feed.table.clone();
            self.open_from(&|_| false, Some(&label)).await?;
            return Ok(None);
        };
        // With a backlog, more changes at once meet the same items more often, and cost fewer writes.
        let mut is_behind = changes.len() >= PAGE_CHANGES;
        while is_behind && changes.len() < CHANGES_MAX {
            // The end of the feed is met again by the next call.
            let more = feed.reader.next(Duration::ZERO).await?.unwrap_or_default();
            is_behind = more.len() >= PAGE_CHANGES;
            changes.extend(more);
        }
        Ok(Some(changes))
    }

    /// Makes the effects of changes. Returns whether it went on to the end: otherwise another worker was faster, and
    /// this one starts again from there.
    pub(crate) async fn take(&mut self, at: usize, changes: &[ItemChange]) -> Result<bool, DeriveError> {
        let Some(table) = self.feeds.get(at).map(|feed| feed.table.clone()) else { return Ok(true) };
        let mut rest = changes;
        let mut targets_max = self.committer().targets_max();
        while !rest.is_empty() {
            let Net { effects, taken, seen } = self.net(&table, rest, targets_max)?;
            let (now, later) = rest.split_at(taken);
            let mut after = self.progress.clone();
            if let Some(last) = now.last() {
                after.positions.insert(table.clone(), last.position.clone());
            }
            after.seen.insert(table.clone(), seen);
            let is_smallest = taken == 1;
            match self.committer().commit(&effects, &self.progress, &after, is_smallest).await? {
                Committed::Nothing => {
                    (self.progress.positions, self.progress.seen) = (after.positions, after.seen);
                    self.unsaved += taken;
                }
                Committed::Done { progress, refused } => {
                    self.progress = progress;
                    self.unsaved = 0;
                    self.counters.batch(effects.targets.len(), refused);
                }
                Committed::TooLarge(reason) if is_smallest => {
                    return Err(StoreError::Refused(reason).into());
                }
                Committed::TooLarge(_) => {
                    targets_max = (effects.len().min(targets_max) / 2).max(1);
                    continue;
                }
                Committed::Overtaken => {
                    self.reopen(&|_| false).await?;
                    return Ok(false);
                }
            }
            self.counters.changes(now);
            rest = later;
        }
        Ok(true)
    }

    /// Returns the net effects of as many changes as fit into a transaction: at least one.
    fn net(&self, table: &str, changes: &[ItemChange], targets_max: usize) -> Result<Net, DeriveError> {
        let mut all = Effects::default();
        let mut seen = self.progress.seen.get(table).copied().unwrap_or_default();
        let reach = self.reach(table)?;
        for (taken, change) in changes.iter().enumerate() {
            let place = reach.place_of(self, change)?;
            let counts = |rule: usize| self.counts(rule, &reach, place.as_deref());
            let (rules, progress, owner) = (&self.rules, &self.progress, self.owner.as_str());
            let reading = Reading { rules, progress, owner, table, counts: &counts };
            let (mut one, mut seen_then) = (Effects::default(), seen);
            one.take(&reading, change, &mut seen_then)?;
            if all.merge(one, targets_max)? == Merged::IsFull {
                return Ok(Net { effects: all, taken, seen });
            }
            seen = seen_then;
        }
        Ok(Net { effects: all, taken: changes.len(), seen })
    }

    /// Saves the positions. Returns whether this worker goes on from them.
    async fn save(&mut self) -> Result<bool, DeriveError> {
        match self.committer().save(&self.progress, &self.progress).await? {
            Committed::Done { progress, .. } => {
                self.progress = progress;
                self.unsaved = 0;
                Ok(true)
            }
            _ => self.reopen(&|_| false).await.map(|()| false),
        }
    }

    /// Returns the name of a table in the environment.
    pub(crate) fn table_name(&self, label: &str) -> String {
        let table = self.design.tables.iter().find(|table| table.label == label);
        table.map(|table| table.name_in(&self.environment)).unwrap_or_default()
    }

    /// Returns the name of the environment.
    pub(crate) fn environment(&self) -> &str {
        &self.environment
    }

    pub(crate) fn committer(&self) -> Committer<'_, S> {
        Committer {
            store: &self.store,
            rules: &self.rules,
            owner: &self.owner,
            environment: &self.environment,
            now_ms: self.clock.now_ms(),
            actions_max: self.store.background_actions_max(),
        }
    }
}

impl<S: ChangeFeed> std::fmt::Debug for Worker<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker")
            .field("owner", &self.owner)
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}

/// Returns a generation that no rule has had, in this database or in another one whose items are imported.
fn new_generation() -> u64 {
    let mut bytes = [0; 8];
    SystemEntropy::default().fill(&mut bytes);
    // Numbers of items are read exactly up to 2^63, and 0 is that of nothing.
    (u64::from_le_bytes(bytes) >> 2).max(1)
}
