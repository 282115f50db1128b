//! Random choices for threads, where a property test's own can't go.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A small generator (SplitMix64). Tests print its seed when they fail.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The generator that makes the same choices again.
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// A seed that differs from run to run.
    pub(crate) fn seed() -> u64 {
        RandomState::new().build_hasher().finish()
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }
}
