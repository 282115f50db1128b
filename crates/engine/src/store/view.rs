//! A consistent snapshot of everything committed.

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

/// A consistent snapshot: the overlay, what is being folded, and the tree below.
///
/// Keep one for a request, not for minutes: the tree can't reuse the pages that a view still reads.
pub struct View<A> {
    pub(super) active: Overlay,
    /// The overlay that the fold is writing into the tree, until the tree shows it.
    pub(super) frozen: Option<Overlay>,
    pub(super) tree: Arc<TreeView>,
    pub(super) attachment: Arc<A>,
    pub(super) tallies: Tallies,
    pub(super) sequence: u64,
    pub(super) time_ms: u64,
    /// How many jumps of the clock its commits know of, since the store was opened.
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
    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let overlaid = self.active.get(key).or_else(|| self.frozen.as_ref()?.get(key));
        match overlaid {
            Some(value) => Ok(value.cloned()),
            None => self.tree.get(key),
        }
    }

    /// The entries between two bounds; bounds that leave no room give nothing.
    pub fn range<'r>(
        &'r self,
        lower: Bound<&'r [u8]>,
        upper: Bound<&'r [u8]>,
        direction: Direction,
    ) -> Range<'r> {
        self.range_below(None, lower, upper, direction)
    }

    /// The same with the changes of a job on top.
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

    /// What the caller published together with these entries.
    pub fn attachment(&self) -> &Arc<A> {
        &self.attachment
    }

    /// The totals of a space.
    pub fn tally(&self, space: Space) -> Tally {
        self.tallies.get(space)
    }

    /// The totals of all spaces that have any.
    pub fn tallies(&self) -> impl Iterator<Item = (Space, Tally)> + '_ {
        self.tallies.0.iter().map(|(space, tally)| (Space(*space), *tally))
    }

    /// The sequence number of the last commit that this view shows.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The time of the last commit that this view shows.
    pub fn time_ms(&self) -> u64 {
        self.time_ms
    }

    /// The present, for whoever compares it with the times of the commits that this view shows.
    ///
    /// A jump of the clock counts once a commit of the view follows it. Until then nothing tells how the times of the commits
    /// before it are to be read, and the present is the time of the last one.
    pub fn now_ms(&self, time: &Timekeeper) -> u64 {
        let reading = time.read();
        if reading.believed > self.believed_jumps {
            return self.time_ms;
        }
        time_after(self.time_ms, reading.now_ms)
    }

    /// The same entries with another attachment.
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

    /// What both overlays take in memory, about.
    pub(super) fn overlay_bytes(&self) -> usize {
        self.active.bytes() + self.frozen.as_ref().map_or(0, Overlay::bytes)
    }
}

impl<A> View<A> {
    /// Applies a frame to the overlay and the totals. `owners` says of each entry whether it holds its own value.
    pub(super) fn apply(&mut self, frame: Frame, owners: &[bool]) {
        for delta in frame.tallies {
            self.tallies.apply(delta);
        }
        for (entry, owns) in frame.entries.into_iter().zip(owners) {
            self.active.insert(&entry.key, entry.value, !owns);
        }
    }

    /// Applies many commits that were read back.
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
