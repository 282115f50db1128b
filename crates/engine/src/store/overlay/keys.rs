//! The keys of a node, side by side, so that a search touches no other memory.
//!
//! Items of one partition have keys with equal beginnings. So a few bytes of each key in the node wouldn't
//! distinguish them, and reading the rest elsewhere costs two cache misses for each comparison.

use std::cmp::Ordering;

use arrayvec::ArrayVec;

use super::nodes::WIDTH;

/// The first 16 bytes of a key, padded with zeros, as numbers that compare like the bytes. If they are equal, the
/// whole keys are compared.
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

/// A key to search for. Probes compare like their keys.
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
    /// The end of each key among the bytes.
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

    /// Returns the key at a position, or an empty one after the last.
    pub(super) fn key(&self, place: usize) -> &[u8] {
        let end = self.ends.get(place).map_or(0, |end| *end as usize);
        self.bytes.get(self.start(place)..end).unwrap_or_default()
    }

    fn order(&self, place: usize, probe: &Probe<'_>) -> Ordering {
        let prefix = self.prefixes.get(place).copied().unwrap_or_default();
        prefix.cmp(&probe.prefix).then_with(|| self.key(place).cmp(probe.key))
    }

    /// Returns how many keys have this order relative to the probe. They come first.
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

    /// Returns how many keys are below the probe.
    pub(super) fn count_below(&self, probe: &Probe<'_>) -> usize {
        self.partition(Ordering::is_lt, probe)
    }

    /// Returns how many keys are below the probe or equal to it.
    pub(super) fn count_up_to(&self, probe: &Probe<'_>) -> usize {
        self.partition(Ordering::is_le, probe)
    }

    /// Returns the position of the probe's key, or the one where it would be inserted.
    pub(super) fn search(&self, probe: &Probe<'_>) -> Result<usize, usize> {
        let place = self.count_below(probe);
        if place < self.len() && self.order(place, probe).is_eq() { Ok(place) } else { Err(place) }
    }

    /// Adds a key at its position. There must be space.
    pub(super) fn insert(&mut self, place: usize, probe: &Probe<'_>) {
        let (start, length) = (self.start(place), probe.key.len());
        self.bytes.splice(start..start, probe.key.iter().copied());
        self.prefixes.insert(place, probe.prefix);
        // Keys have at most a few kilobytes, and there are few of them.
        self.ends.insert(place, (start + length) as u32);
        self.ends.iter_mut().skip(place + 1).for_each(|end| *end += length as u32);
    }

    /// Splits off the keys from a position on.
    pub(super) fn split_off(&mut self, place: usize) -> Keys {
        let start = self.start(place);
        let ends = self.ends.drain(place..).map(|end| end - start as u32).collect();
        Keys { prefixes: self.prefixes.drain(place..).collect(), ends, bytes: self.bytes.split_off(start) }
    }
}
