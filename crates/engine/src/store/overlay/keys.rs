//! The keys of a node, side by side: a search touches no other memory.
//!
//! Items of one partition have keys that begin alike, so a few bytes of each key in the node would not tell them
//! apart, and looking the rest up where the entries lie costs two cache misses for each comparison.

use std::cmp::Ordering;

use arrayvec::ArrayVec;

use super::nodes::WIDTH;

/// The first 16 bytes of a key as numbers that compare as the bytes do, padded with zeros.
/// Equal prefixes say nothing; then the whole keys are compared.
type Prefix = [u64; 2];

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

/// A key to look for. Probes compare as their keys do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Probe<'a> {
    prefix: Prefix,
    key: &'a [u8],
}

impl<'a> Probe<'a> {
    pub(super) fn new(key: &'a [u8]) -> Self {
        Self { prefix: prefix(key), key }
    }

    pub(super) fn key(&self) -> &'a [u8] {
        self.key
    }
}

/// Keys in ascending order.
#[derive(Clone, Default, Debug)]
pub(super) struct Keys {
    prefixes: ArrayVec<Prefix, WIDTH>,
    /// Where each key ends among the bytes.
    ends: ArrayVec<u32, WIDTH>,
    bytes: Vec<u8>,
}

impl Keys {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    fn start(&self, place: usize) -> usize {
        let before = place.checked_sub(1).and_then(|before| self.ends.get(before));
        before.map_or(0, |end| *end as usize)
    }

    /// The key at a place; there is an empty one behind the last.
    pub(super) fn key(&self, place: usize) -> &[u8] {
        let end = self.ends.get(place).map_or(0, |end| *end as usize);
        self.bytes.get(self.start(place)..end).unwrap_or_default()
    }

    fn order(&self, place: usize, probe: &Probe<'_>) -> Ordering {
        let prefix = self.prefixes.get(place).copied().unwrap_or_default();
        prefix.cmp(&probe.prefix).then_with(|| self.key(place).cmp(probe.key))
    }

    /// How many keys are in such an order to the probe; they come first.
    fn partition(&self, is_before: impl Fn(Ordering) -> bool, probe: &Probe<'_>) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            if is_before(self.order(middle, probe)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// How many keys lie below the probe.
    pub(super) fn count_below(&self, probe: &Probe<'_>) -> usize {
        self.partition(Ordering::is_lt, probe)
    }

    /// How many keys lie below the probe or are equal to it.
    pub(super) fn count_up_to(&self, probe: &Probe<'_>) -> usize {
        self.partition(Ordering::is_le, probe)
    }

    /// The place of the probe's key, or else the one where it would stand.
    pub(super) fn search(&self, probe: &Probe<'_>) -> Result<usize, usize> {
        let place = self.count_below(probe);
        if place < self.len() && self.order(place, probe).is_eq() { Ok(place) } else { Err(place) }
    }

    /// Adds a key. There must be room, and this must be its place in the order.
    pub(super) fn insert(&mut self, place: usize, probe: &Probe<'_>) {
        let (start, length) = (self.start(place), probe.key.len());
        self.bytes.splice(start..start, probe.key.iter().copied());
        self.prefixes.insert(place, probe.prefix);
        // Keys have a few kilobytes at most, and there are few of them.
        self.ends.insert(place, (start + length) as u32);
        self.ends.iter_mut().skip(place + 1).for_each(|end| *end += length as u32);
    }

    /// Gives away the keys from a place on.
    pub(super) fn split_off(&mut self, place: usize) -> Keys {
        let start = self.start(place);
        let ends = self.ends.drain(place..).map(|end| end - start as u32).collect();
        Keys { prefixes: self.prefixes.drain(place..).collect(), ends, bytes: self.bytes.split_off(start) }
    }
}
