//! Random choices that come from a seed.

/// A small generator (SplitMix64): quick, and the same on every machine.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The generator that makes the same choices again.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Another generator, whose choices don't depend on how many this one makes later.
    pub fn fork(&mut self) -> Self {
        Random(self.next())
    }

    /// Any number.
    #[expect(clippy::should_implement_trait, reason = "an iterator would end some day")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if there is none.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// A place in a list of this length; 0 if it is empty.
    pub fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).unwrap_or_default()
    }

    /// True once in so many times; never for 0.
    pub fn one_in(&mut self, times: u64) -> bool {
        times > 0 && self.below(times) == 0
    }

    /// One of several; the list must not be empty.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        from.get(self.index(from.len())).cloned()
    }
}
