//! The ordered overlay: what is committed but not yet folded into the tree.
//!
//! A persistent B-tree, so that a snapshot is a pointer copy and a reader's snapshot never changes. Measured against a
//! concurrent skip list with versions (100,000 entries of 600 B, a snapshot every 16 to 64 inserts), a general
//! persistent B-tree gave gets in 0.6 µs against 1.6 µs and scans of 25 in 1 µs against 5 µs, but inserts in 3.5–4.4 µs
//! against 1.2–3 µs. Every read pays the overlay, so reads decide; and inserts are made cheap by what this tree does
//! not do. It never removes (a deletion is an entry), its nodes are small, and copies of a node share its keys.

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

/// What an entry costs beyond its value and twice its key, which lies in its node too: the nodes, the counters, the
/// allocator.
const ENTRY_OVERHEAD_BYTES: usize = 160;

/// A key with its latest value; no value means that the key is deleted and hides what lies below.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: Bytes,
    pub(super) value: Option<Bytes>,
    charge_bytes: usize,
}

impl Entry {
    /// `shared` says that another entry already pays for the value's bytes.
    pub(super) fn new(key: Bytes, value: Option<Bytes>, shared: bool) -> Self {
        let value_bytes = if shared { 0 } else { value.as_ref().map_or(0, Bytes::len) };
        let charge_bytes = 2 * key.len() + value_bytes + ENTRY_OVERHEAD_BYTES;
        Self { key, value, charge_bytes }
    }
}

/// The ordered overlay. A clone is a snapshot and costs nothing.
#[derive(Clone, Default, Debug)]
pub(super) struct Overlay {
    root: Node,
    len: usize,
    bytes: usize,
}

impl Overlay {
    /// What the overlay takes in memory, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn insert(&mut self, entry: Entry) {
        self.bytes += entry.charge_bytes;
        match self.root.insert_at_root(Arc::new(entry)) {
            Some(replaced) => self.bytes -= replaced.charge_bytes,
            None => self.len += 1,
        }
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<&Entry> {
        self.root.get(&Probe::new(key))
    }

    /// The entries between two bounds, in one direction.
    pub(super) fn range<'a>(
        &'a self,
        lower: Bound<&'a [u8]>,
        upper: Bound<&'a [u8]>,
        direction: Direction,
    ) -> OverlayRange<'a> {
        OverlayRange::new(&self.root, lower.map(Probe::new), upper.map(Probe::new), direction)
    }

    /// All entries in ascending order.
    pub(super) fn iter(&self) -> OverlayRange<'_> {
        self.range(Bound::Unbounded, Bound::Unbounded, Direction::Forward)
    }
}

#[cfg(test)]
mod tests;
