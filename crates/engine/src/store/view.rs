//! Consistent snapshots of all commits.

use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;

use super::StoreError;
use super::log::{Frame, Replayed};
use super::overlay::{NewEntries, Overlay};
use super::range::{ChangesRange, Direction, Range, is_empty_range};
use super::tally::{Space, Tallies, Tally};
use super::timekeeper::{Timekeeper, time_after};
use super::tree::TreeView;

/// A consistent snapshot: the overlay, the overlay that is being folded, and the tree.
///
/// Keep it for a request, not for minutes. The tree can't reuse the pages that a snapshot still reads.
pub struct View<A> {
    pub(super) active: Overlay,
    /// The overlay that the fold is writing into the tree, until the tree has all of it.
    pub(super) frozen: Option<Overlay>,
    pub(super) tree: Arc<TreeView>,
    pub(super) attachment: Arc<A>,
    pub(super) tallies: Tallies,
    pub(super) sequence: u64,
    pub(super) time_ms: u64,
    /// The number of jumps of the clock that its commits record since the store was opened.
    pub(super) believed_jumps: u64,
}

impl<A> Clone for View<A> {
    fn clone(&self) -> Self {
        Self {
            active: self.active.clone(),
            frozen: self.frozen.clone(),
            tree: self.tree.clone(),
            attachment: self.attachment.clone(),
            tallies: self.tallies.clone(),
            sequence: self.sequence,
            time_ms: self.time_ms,
            believed_jumps: self.believed_jumps,
        }
    }
}

impl<A> View<A> {
    /// Returns the value of a key.
    pub fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let overlaid = self.active.get(key).or_else(|| self.frozen.as_ref()?.get(key));
        match overlaid {
            Some(value) => Ok(value.cloned()),
            None => self.tree.get(key),
        }
    }

    /// Iterates over the entries between two bounds. Inverted bounds give nothing.
    pub fn range<'r>(
        &'r self,
        lower: Bound<&'r [u8]>,
        upper: Bound<&'r [u8]>,
        direction: Direction,
    ) -> Range<'r> {
        self.range_below(None, lower, upper, direction)
    }

    /// Does the same with the changes of a job on top.
    pub(super) fn range_below<'a>(
        &'a self,
        changes: Option<ChangesRange<'a>>,
        lower: Bound<&'a [u8]>,
        upper: Bound<&'a [u8]>,
        direction: Direction,
    ) -> Range<'a> {
        if is_empty_range(lower, upper) {
            return Range::empty(direction);
        }
        let overlays = [Some(&self.active), self.frozen.as_ref()];
        let overlays = overlays.into_iter().flatten().filter(|overlay| !overlay.is_empty());
        let overlays = overlays.map(|overlay| overlay.range(lower, upper, direction));
        Range::new(changes, overlays, self.tree.range(lower, upper), direction)
    }

    /// Returns the attachment that was published with these entries.
    pub fn attachment(&self) -> &Arc<A> {
        &self.attachment
    }

    /// Returns the totals of a space.
    pub fn tally(&self, space: Space) -> Tally {
        self.tallies.get(space)
    }

    /// Iterates over the totals of all spaces that have any.
    pub fn tallies(&self) -> impl Iterator<Item = (Space, Tally)> + '_ {
        self.tallies.0.iter().map(|(space, tally)| (Space(*space), *tally))
    }

    /// Returns the sequence number of the last commit in this snapshot.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Returns the time of the last commit in this snapshot.
    pub fn time_ms(&self) -> u64 {
        self.time_ms
    }

    /// Returns the present, for comparison with the times of the commits in this snapshot.
    ///
    /// A jump of the clock counts only when a commit of the snapshot follows it. Until then nothing tells the true
    /// times of the commits before it, and the present is the time of the last one.
    pub fn now_ms(&self, time: &Timekeeper) -> u64 {
        let reading = time.read();
        if reading.believed > self.believed_jumps {
            return self.time_ms;
        }
        time_after(self.time_ms, reading.now_ms)
    }

    /// Returns the same entries with another attachment.
    pub(super) fn with_attachment<B>(self, attachment: Arc<B>) -> View<B> {
        View {
            active: self.active,
            frozen: self.frozen,
            tree: self.tree,
            attachment,
            tallies: self.tallies,
            sequence: self.sequence,
            time_ms: self.time_ms,
            believed_jumps: self.believed_jumps,
        }
    }

    /// Returns the approximate memory of both overlays.
    pub(super) fn overlay_bytes(&self) -> usize {
        self.active.bytes() + self.frozen.as_ref().map_or(0, Overlay::bytes)
    }
}

impl<A> View<A> {
    /// Applies a frame to the overlay and the totals. `owners` says for each entry whether it has its own value.
    pub(super) fn apply(&mut self, frame: Frame, owners: &[bool]) {
        for delta in frame.tallies {
            self.tallies.apply(delta);
        }
        for (entry, owns) in frame.entries.into_iter().zip(owners) {
            self.active.insert(&entry.key, entry.value, !owns);
        }
    }

    /// Applies many replayed commits.
    pub(super) fn apply_all(&mut self, commits: Vec<Replayed>) {
        let mut entries = NewEntries::default();
        for (frame, owners) in commits {
            self.time_ms = frame.time_ms;
            for delta in frame.tallies {
                self.tallies.apply(delta);
            }
            for (entry, owns) in frame.entries.into_iter().zip(owners) {
                entries.add(entry.key, entry.value, !owns);
            }
        }
        self.active.insert_all(entries);
    }
}
