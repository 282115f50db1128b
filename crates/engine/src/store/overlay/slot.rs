//! Entries as the nodes hold them: the first bytes of the key lie in the node, so that most comparisons touch no other
//! memory.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Entry;

/// The first 16 bytes of a key as numbers that compare as the bytes do, padded with zeros.
/// Equal prefixes say nothing; then the whole keys are compared.
pub(super) type Prefix = [u64; 2];

fn prefix(key: &[u8]) -> Prefix {
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

/// An entry in a node.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) prefix: Prefix,
    pub(super) entry: Arc<Entry>,
}

impl Slot {
    pub(super) fn new(entry: Arc<Entry>) -> Self {
        Self { prefix: prefix(&entry.key), entry }
    }

    pub(super) fn probe(&self) -> Probe<'_> {
        Probe { prefix: self.prefix, key: &self.entry.key }
    }
}

/// A borrowed key to look for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe<'a> {
    pub(super) prefix: Prefix,
    pub(super) key: &'a [u8],
}

impl<'a> Probe<'a> {
    pub(super) fn new(key: &'a [u8]) -> Self {
        Self { prefix: prefix(key), key }
    }

    /// How a slot compares to this key.
    pub(super) fn order_of(&self, slot: &Slot) -> Ordering {
        slot.prefix.cmp(&self.prefix).then_with(|| slot.entry.key.as_ref().cmp(self.key))
    }
}
