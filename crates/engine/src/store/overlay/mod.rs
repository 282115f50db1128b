//! The ordered overlay: what is committed but not yet folded into the tree.
//!
//! A persistent B-tree, so that a snapshot is a pointer copy and a reader's snapshot never changes. Measured against a
//! concurrent skip list with versions (100,000 entries of 600 B, a snapshot every 16 to 64 inserts), a general
//! persistent B-tree gave gets in 0.6 µs against 1.6 µs and scans of 25 in 1 µs against 5 µs, but inserts in 3.5–4.4 µs
//! against 1.2–3 µs. Every read pays the overlay, so reads decide; and inserts are made cheap by what this tree does
//! not do. It never removes (a deletion is an entry), its nodes are small, and copies of a node share its keys.
//!
//! Values lie in a list that only grows, and nodes name them by number. A value that was replaced stays until the whole
//! overlay is folded and dropped; it is charged, so memory stays bounded, and nobody counts references to single values:
//! with a count in each, copying a leaf touched every entry in it, twice.

mod keys;
mod nodes;
mod walk;

use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;

use self::keys::Probe;
use self::nodes::Node;
pub(super) use self::walk::OverlayRange;
use super::Direction;

/// What a new key costs beyond its bytes: its share of the nodes.
const KEY_OVERHEAD_BYTES: usize = 96;
/// What a value costs beyond its bytes: its place in the list, the allocator.
const VALUE_OVERHEAD_BYTES: usize = 64;

/// The number of a value in the overlay's list.
type ValueId = u32;

/// A key with its latest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OverlayEntry<'a> {
    pub(super) key: &'a [u8],
    /// No value means that the key is deleted and hides what lies below.
    pub(super) value: Option<&'a Bytes>,
}

/// Entries to insert, in the order in which they were committed.
#[derive(Default)]
pub(super) struct NewEntries {
    keys: Vec<Bytes>,
    /// For each key its value, and whether another key already pays for the value's bytes.
    values: Vec<(Option<Bytes>, bool)>,
}

impl NewEntries {
    /// See [`Overlay::insert`].
    pub(super) fn add(&mut self, key: Bytes, value: Option<Bytes>, shared: bool) {
        self.keys.push(key);
        self.values.push((value, shared));
    }
}

/// The ordered overlay. A clone is a snapshot and costs nothing.
#[derive(Clone, Default, Debug)]
pub(super) struct Overlay {
    root: Node,
    values: Arc<boxcar::Vec<Option<Bytes>>>,
    len: usize,
    bytes: usize,
}

impl Overlay {
    /// What the overlay takes in memory, about: all that was ever inserted.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Sets a key's value; none deletes it. `shared` says that another key already pays for the value's bytes.
    pub(super) fn insert(&mut self, key: &[u8], value: Option<Bytes>, shared: bool) {
        self.insert_probe(&Probe::new(key), value, shared);
    }

    fn insert_probe(&mut self, probe: &Probe<'_>, value: Option<Bytes>, shared: bool) {
        let value_bytes = if shared { 0 } else { value.as_ref().map_or(0, Bytes::len) };
        self.bytes += value_bytes + VALUE_OVERHEAD_BYTES;
        // Each takes many bytes of memory, so there are never as many as a number can't name.
        let id = u32::try_from(self.values.push(value)).unwrap_or(u32::MAX);
        if self.root.insert_at_root(probe, id) {
            self.len += 1;
            self.bytes += probe.key().len() + KEY_OVERHEAD_BYTES;
        }
    }

    /// Inserts many entries, sorted: the way to a key is then mostly that to the one before, and in the processor's cache.
    pub(super) fn insert_all(&mut self, entries: NewEntries) {
        let NewEntries { keys, mut values } = entries;
        let mut order: Vec<(Probe<'_>, usize)> =
            keys.iter().enumerate().map(|(place, key)| (Probe::new(key), place)).collect();
        // Of one key the last entry counts, so equal ones keep their order.
        order.sort_unstable();
        for (probe, place) in order {
            let (value, shared) = values.get_mut(place).map(std::mem::take).unwrap_or_default();
            self.insert_probe(&probe, value, shared);
        }
    }

    /// A key's value, or none if the key is deleted; nothing if the overlay doesn't know the key.
    pub(super) fn get(&self, key: &[u8]) -> Option<Option<&Bytes>> {
        self.root.get(&Probe::new(key)).map(|id| value(&self.values, id))
    }

    /// The entries between two bounds, in one direction.
    pub(super) fn range<'a>(
        &'a self,
        lower: Bound<&'a [u8]>,
        upper: Bound<&'a [u8]>,
        direction: Direction,
    ) -> OverlayRange<'a> {
        OverlayRange::new(&self.root, &self.values, lower.map(Probe::new), upper.map(Probe::new), direction)
    }

    /// All entries in ascending order.
    pub(super) fn iter(&self) -> OverlayRange<'_> {
        self.range(Bound::Unbounded, Bound::Unbounded, Direction::Forward)
    }
}

fn value(values: &boxcar::Vec<Option<Bytes>>, id: ValueId) -> Option<&Bytes> {
    values.get(id as usize).and_then(Option::as_ref)
}

#[cfg(test)]
mod tests;
