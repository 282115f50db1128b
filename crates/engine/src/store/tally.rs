//! Totals per space, exact at every commit.

use imbl::OrdMap;

/// A space with totals, such as a table or an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Space(pub u64);

/// The totals of one space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// The number of rows.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A change of one space's totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TallyDelta {
    pub(super) space: Space,
    pub(super) count: i64,
    pub(super) bytes: i64,
}

/// All totals. Cloning is cheap. Spaces with totals of zero are removed, so that deleted tables leave nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tallies(pub(super) OrdMap<u64, Tally>);

impl Tallies {
    pub(super) fn get(&self, space: Space) -> Tally {
        self.0.get(&space.0).copied().unwrap_or_default()
    }

    /// The bytes of all spaces.
    pub(super) fn bytes(&self) -> u64 {
        self.0.values().map(|tally| tally.bytes).sum()
    }

    pub(super) fn apply(&mut self, delta: TallyDelta) {
        let old = self.get(delta.space);
        let new = Tally {
            count: old.count.saturating_add_signed(delta.count),
            bytes: old.bytes.saturating_add_signed(delta.bytes),
        };
        if new == Tally::default() {
            self.0.remove(&delta.space.0);
        } else {
            self.0.insert(delta.space.0, new);
        }
    }
}
