//! The changes of one job. They are atomic, and applied to the working state when the handler returns.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;

use super::log::{Before, Frame, FrameEntry};
use super::range::{Direction, Range, is_empty_range};
use super::tally::{Space, Tally, TallyDelta};
use super::{ClockEvent, CommitError, Opening, StoreError, View, time_after};

/// Called once on the log thread, after everything that the job wrote and read is durable, or with the reason why it
/// isn't. It must be short, because the next group commit waits for it.
pub type Completion = Box<dyn FnOnce(Result<(), CommitError>) + Send>;

/// Executes jobs on the writer thread.
pub trait Handler<A>: Send + 'static {
    /// The type of the submitted jobs.
    type Job: Send + 'static;

    /// Reads the working state through the batch and adds changes to it.
    fn apply(&mut self, job: Self::Job, batch: &mut Batch<'_, A>) -> Completion;
}

/// The latest change of one key by one job.
#[derive(Debug)]
pub(super) struct RowChange {
    pub(super) value: Option<Bytes>,
    before: Before,
    /// The position among the job's changes. The log keeps their order.
    place: u32,
}

/// The changes of one job. Reads see the working state: earlier jobs, durable or not, and the job's own changes.
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
    /// `opening` is the first commit since the store was opened; `None` if this one is.
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

    /// Returns the value of a key in the working state.
    pub fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        match self.changes.get(key) {
            Some(change) => Ok(change.value.clone()),
            None => self.state.get(key),
        }
    }

    /// Returns a snapshot of everything before this job. It is durable as soon as the job's completion is called.
    pub fn snapshot(&self) -> View<A> {
        self.state.clone()
    }

    /// Iterates over the entries of the working state between two bounds.
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
    /// Give keys and values their own allocation, because the overlay keeps them until they are folded. If several
    /// keys of one job get clones of the same `Bytes`, the value is logged and held in memory once.
    pub fn put(&mut self, key: Bytes, value: Bytes) {
        self.change(key, Some(value), Before::Unrecorded);
    }

    /// Deletes a key.
    pub fn delete(&mut self, key: Bytes) {
        self.change(key, None, Before::Unrecorded);
    }

    /// Sets or deletes a value, and records the change for readers of the log. `before` is the existing value. It
    /// isn't checked.
    pub fn record(&mut self, key: Bytes, before: Option<Bytes>, after: Option<Bytes>) {
        self.change(key, after, Before::Recorded(before));
    }

    /// Marks the commit for readers of the log. The caller defines the meaning of the mark.
    pub fn set_mark(&mut self, mark: u32) {
        self.mark = mark;
    }

    fn change(&mut self, key: Bytes, value: Option<Bytes>, before: Before) {
        let place = u32::try_from(self.changes.len()).unwrap_or(u32::MAX);
        // A key that one job changes twice is logged once, with the value from before the job.
        self.changes.entry(key).and_modify(|change| change.value.clone_from(&value)).or_insert(RowChange {
            value,
            before,
            place,
        });
    }

    /// Returns the keys of recorded changes.
    pub fn recorded(&self) -> impl Iterator<Item = &Bytes> {
        let changes = self.changes.iter();
        changes.filter(|(_, change)| matches!(change.before, Before::Recorded(_))).map(|(key, _)| key)
    }

    /// Publishes an attachment together with the changes.
    pub fn set_attachment(&mut self, attachment: Arc<A>) {
        self.attachment = Some(attachment);
    }

    /// Returns the attachment of the working state.
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

    /// Returns the totals of a space in the working state.
    pub fn tally_of(&self, space: Space) -> Tally {
        self.state.tally(space)
    }

    /// Returns the sequence number of this commit, if the job changes anything.
    pub fn sequence(&self) -> u64 {
        self.state.sequence + 1
    }

    /// Returns the time of this commit. It is earlier than the last commit's if the clock was set back by more than a
    /// small step.
    pub fn time_ms(&self) -> u64 {
        self.time_ms
    }

    /// Returns the time of the last commit.
    pub fn last_time_ms(&self) -> u64 {
        self.state.time_ms
    }

    /// Returns the event of the clock since the last commit.
    pub fn clock(&self) -> ClockEvent {
        self.clock
    }

    /// Returns the first commit since the store was opened, if this isn't it.
    pub fn opening(&self) -> Option<Opening> {
        self.opening
    }

    /// Returns this commit as the first since the store was opened.
    pub(super) fn as_opening(&self) -> Opening {
        Opening { sequence: self.sequence(), time_ms: self.time_ms, before_ms: self.state.time_ms }
    }

    /// Whether nothing was changed so far.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.tallies.is_empty()
    }

    /// Discards all changes of this job.
    pub fn rollback(&mut self) {
        self.changes.clear();
        self.tallies.clear();
        self.attachment = None;
        self.mark = 0;
    }

    /// Appends the frame and applies the changes to the working state. Returns whether there was anything to log.
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
