//! One job's changes: atomic, applied to the working state when the handler returns.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;

use super::log::{Before, Frame, FrameEntry};
use super::range::{Direction, Range, is_empty_range};
use super::tally::{Space, Tally, TallyDelta};
use super::{ClockEvent, CommitError, Opening, StoreError, View, time_after};

/// Called once on the log thread: after everything that the job wrote and read is durable, or with the reason why not.
/// Keep it short; the next group commit waits for it.
pub type Completion = Box<dyn FnOnce(Result<(), CommitError>) + Send>;

/// What the writer thread does with a job.
pub trait Handler<A>: Send + 'static {
    /// What is submitted.
    type Job: Send + 'static;

    /// Reads the working state through the batch and adds changes to it.
    fn apply(&mut self, job: Self::Job, batch: &mut Batch<'_, A>) -> Completion;
}

/// The latest change of one key by one job.
#[derive(Debug)]
pub(super) struct RowChange {
    pub(super) value: Option<Bytes>,
    before: Before,
    /// The place among the job's changes: the log keeps their order.
    place: u32,
}

/// One job's changes. Reads see the working state: earlier jobs, durable or not, and the job's own changes.
pub struct Batch<'a, A> {
    state: &'a mut View<A>,
    time_ms: u64,
    clock: ClockEvent,
    opening: Option<Opening>,
    changes: BTreeMap<Bytes, RowChange>,
    tallies: Vec<TallyDelta>,
    attachment: Option<Arc<A>>,
    mark: u32,
}

impl<'a, A> Batch<'a, A> {
    /// `opening` is the first commit since the store was opened; `None` if this is to be it.
    pub(super) fn new(
        state: &'a mut View<A>,
        now_ms: u64,
        clock: ClockEvent,
        opening: Option<Opening>,
    ) -> Self {
        let time_ms = time_after(state.time_ms, now_ms);
        let (changes, tallies) = (BTreeMap::new(), Vec::new());
        Self { state, time_ms, clock, opening, changes, tallies, attachment: None, mark: 0 }
    }

    /// The value of a key in the working state.
    pub fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        match self.changes.get(key) {
            Some(change) => Ok(change.value.clone()),
            None => self.state.get(key),
        }
    }

    /// Everything before this job. What it shows is durable as soon as the job's completion is called.
    pub fn snapshot(&self) -> View<A> {
        self.state.clone()
    }

    /// The entries of the working state between two bounds.
    pub fn range<'r>(
        &'r self,
        lower: Bound<&'r [u8]>,
        upper: Bound<&'r [u8]>,
        direction: Direction,
    ) -> Range<'r> {
        if is_empty_range(lower, upper) {
            return Range::empty(direction);
        }
        let changes = (!self.changes.is_empty()).then(|| self.changes.range::<[u8], _>((lower, upper)));
        self.state.range_below(changes, lower, upper, direction)
    }

    /// Sets a value.
    ///
    /// Give keys and values their own allocation: the overlay keeps them until they are folded. A value given to
    /// several keys of one job as clones of the same `Bytes` is logged and held in memory once.
    pub fn put(&mut self, key: Bytes, value: Bytes) {
        self.change(key, Some(value), Before::Unrecorded);
    }

    /// Deletes a key.
    pub fn delete(&mut self, key: Bytes) {
        self.change(key, None, Before::Unrecorded);
    }

    /// Sets or deletes a value, and keeps the change for readers of the log. `before` is the value that was there; it is
    /// not looked at here.
    pub fn record(&mut self, key: Bytes, before: Option<Bytes>, after: Option<Bytes>) {
        self.change(key, after, Before::Recorded(before));
    }

    /// Marks the commit for readers of the log; what the mark says is the caller's business.
    pub fn set_mark(&mut self, mark: u32) {
        self.mark = mark;
    }

    fn change(&mut self, key: Bytes, value: Option<Bytes>, before: Before) {
        let place = u32::try_from(self.changes.len()).unwrap_or(u32::MAX);
        // A key changed twice by one job is logged once, with the value from before the job.
        self.changes.entry(key).and_modify(|change| change.value.clone_from(&value)).or_insert(RowChange {
            value,
            before,
            place,
        });
    }

    /// The keys whose changes are kept for readers of the log.
    pub fn recorded(&self) -> impl Iterator<Item = &Bytes> {
        let changes = self.changes.iter();
        changes.filter(|(_, change)| matches!(change.before, Before::Recorded(_))).map(|(key, _)| key)
    }

    /// Publishes an attachment together with the changes.
    pub fn set_attachment(&mut self, attachment: Arc<A>) {
        self.attachment = Some(attachment);
    }

    /// The attachment of the working state.
    pub fn attachment(&self) -> &Arc<A> {
        self.attachment.as_ref().unwrap_or(&self.state.attachment)
    }

    /// Changes the totals of a space. Totals don't go below zero.
    pub fn tally(&mut self, space: Space, count_delta: i64, bytes_delta: i64) {
        match self.tallies.iter_mut().find(|delta| delta.space == space) {
            Some(delta) => {
                delta.count = delta.count.saturating_add(count_delta);
                delta.bytes = delta.bytes.saturating_add(bytes_delta);
            }
            None => self.tallies.push(TallyDelta { space, count: count_delta, bytes: bytes_delta }),
        }
    }

    /// The totals of a space in the working state.
    pub fn tally_of(&self, space: Space) -> Tally {
        self.state.tally(space)
    }

    /// The sequence number of this commit, if it adds anything.
    pub fn sequence(&self) -> u64 {
        self.state.sequence + 1
    }

    /// The time of this commit. It is earlier than the last commit's if the clock was set back by more than a small step.
    pub fn time_ms(&self) -> u64 {
        self.time_ms
    }

    /// The time of the last commit.
    pub fn last_time_ms(&self) -> u64 {
        self.state.time_ms
    }

    /// What has happened to the clock since the last commit.
    pub fn clock(&self) -> ClockEvent {
        self.clock
    }

    /// The first commit since the store was opened, if this isn't it.
    pub fn opening(&self) -> Option<Opening> {
        self.opening
    }

    /// This commit, if it is the first since the store was opened.
    pub(super) fn as_opening(&self) -> Opening {
        Opening { sequence: self.sequence(), time_ms: self.time_ms, before_ms: self.state.time_ms }
    }

    /// Whether nothing was added so far.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.tallies.is_empty()
    }

    /// Forgets everything that this job added so far.
    pub fn rollback(&mut self) {
        self.changes.clear();
        self.tallies.clear();
        self.attachment = None;
        self.mark = 0;
    }

    /// Appends the frame and applies the changes to the working state. Says whether there was anything to log.
    pub(super) fn commit(self, frames: &mut Vec<u8>) -> Result<bool, CommitError> {
        let Self { state, time_ms, changes, mut tallies, attachment, mark, .. } = self;
        tallies.retain(|delta| delta.count != 0 || delta.bytes != 0);
        let logged = !changes.is_empty() || !tallies.is_empty();
        if logged {
            let mut changes: Vec<_> = changes.into_iter().collect();
            changes.sort_unstable_by_key(|(_, change)| change.place);
            let entries = changes.into_iter().map(|(key, change)| FrameEntry {
                key,
                value: change.value,
                before: change.before,
            });
            let entries = entries.collect();
            let frame = Frame { sequence: state.sequence + 1, time_ms, mark, tallies, entries };
            #[cfg(simulated)]
            let frame = if crate::planted::Bug::ReusesSequenceNumber.is_planted()
                && frame.sequence.is_multiple_of(16)
            {
                Frame { sequence: state.sequence, ..frame }
            } else {
                frame
            };
            let owners = frame.encode(frames)?;
            state.sequence = frame.sequence;
            state.time_ms = time_ms;
            state.apply(frame, &owners);
        }
        if let Some(attachment) = attachment {
            state.attachment = attachment;
        }
        Ok(logged)
    }
}
