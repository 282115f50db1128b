//! The ordered overlay: what is committed but not yet folded into the tree.
//!
//! A persistent B-tree, so that a snapshot is a pointer copy and a reader's snapshot never changes. Measured against a
//! concurrent skip list with versions (100,000 entries of 600 B, a snapshot every 16 to 64 inserts): insert 3.5–4.4 µs
//! against 1.2–3 µs, get 0.6 µs against 1.6 µs, scan of 25 1 µs against 5 µs. Every read pays the overlay, and the
//! writer overlaps with the sync, so reads decide. Two things make it quick: the first 16 bytes of the key lie in the
//! node itself, so that most comparisons touch no other memory; and an entry is one shared allocation, so that copying
//! a node counts up one reference per entry.

use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use equivalent::{Comparable, Equivalent};
use imbl::OrdSet;

/// What an entry costs beyond its key and value: the nodes, the counters, the allocator.
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
        let charge_bytes = key.len() + value_bytes + ENTRY_OVERHEAD_BYTES;
        Self { key, value, charge_bytes }
    }
}

/// The first 16 bytes of a key as numbers that compare as the bytes do, padded with zeros.
/// Equal prefixes say nothing; then the whole keys are compared.
fn prefix(key: &[u8]) -> [u64; 2] {
    let word = |bytes: &[u8]| {
        let mut padded = [0; 8];
        padded.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        u64::from_be_bytes(padded)
    };
    match key.split_first_chunk::<8>() {
        Some((head, rest)) => [
            u64::from_be_bytes(*head),
            rest.first_chunk().map_or_else(|| word(rest), |next| u64::from_be_bytes(*next)),
        ],
        None => [word(key), 0],
    }
}

#[derive(Clone, Debug)]
struct Slot {
    prefix: [u64; 2],
    entry: Arc<Entry>,
}

impl Ord for Slot {
    fn cmp(&self, other: &Self) -> Ordering {
        self.prefix.cmp(&other.prefix).then_with(|| self.entry.key.cmp(&other.entry.key))
    }
}

impl PartialOrd for Slot {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Slot {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Slot {}

/// A borrowed key to look slots up with.
struct Probe<'a> {
    prefix: [u64; 2],
    key: &'a [u8],
}

impl<'a> Probe<'a> {
    fn new(key: &'a [u8]) -> Self {
        Self { prefix: prefix(key), key }
    }
}

impl Equivalent<Slot> for Probe<'_> {
    fn equivalent(&self, slot: &Slot) -> bool {
        self.compare(slot).is_eq()
    }
}

impl Comparable<Slot> for Probe<'_> {
    fn compare(&self, slot: &Slot) -> Ordering {
        self.prefix.cmp(&slot.prefix).then_with(|| self.key.cmp(&slot.entry.key))
    }
}

/// The ordered overlay. A clone is a snapshot and costs nothing.
#[derive(Clone, Default, Debug)]
pub(super) struct Overlay {
    slots: OrdSet<Slot>,
    bytes: usize,
}

/// The entries of a range, from either end.
pub(super) type OverlayRange<'a> = Box<dyn DoubleEndedIterator<Item = &'a Entry> + Send + 'a>;

impl Overlay {
    /// What the overlay takes in memory, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(super) fn insert(&mut self, entry: Entry) {
        self.bytes += entry.charge_bytes;
        let slot = Slot { prefix: prefix(&entry.key), entry: Arc::new(entry) };
        if let Some(replaced) = self.slots.insert(slot) {
            self.bytes -= replaced.entry.charge_bytes;
        }
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<&Entry> {
        self.slots.get(&Probe::new(key)).map(|slot| slot.entry.as_ref())
    }

    /// The bounds must not be inverted.
    pub(super) fn range<'a>(&'a self, lower: Bound<&[u8]>, upper: Bound<&[u8]>) -> OverlayRange<'a> {
        let bounds = (lower.map(Probe::new), upper.map(Probe::new));
        Box::new(self.slots.range(bounds).map(|slot| slot.entry.as_ref()))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.slots.iter().map(|slot| slot.entry.as_ref())
    }
}
