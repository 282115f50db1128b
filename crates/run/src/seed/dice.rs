//! Choices that can be made again.

use crate::entropy::SeededEntropy;

/// Throws that follow from a seed.
#[derive(Debug)]
pub(super) struct Dice {
    pub(super) entropy: SeededEntropy,
}

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Dice { entropy: SeededEntropy::new(seed) }
    }

    /// A number below `end`; 0 if there is none.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        let throw = u128::from(self.entropy.next_u64()) * u128::from(end);
        u64::try_from(throw >> 64).unwrap_or_default()
    }

    /// A place in a list of this length.
    pub(super) fn place(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or_default()
    }

    /// A place in a list of this length; the first ones are taken more often, as some things are more popular.
    pub(super) fn popular_place(&mut self, length: usize) -> usize {
        let one = self.place(length);
        if self.chance(50) { one } else { self.place(one + 1) }
    }

    /// A number from `low` to `high`, both included; `low` if they are the wrong way round.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let width = u64::try_from(i128::from(high) - i128::from(low)).unwrap_or_default();
        low.saturating_add_unsigned(self.below(width.saturating_add(1)))
    }

    /// Whether something that happens so many times in a hundred happens now.
    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of these texts.
    pub(super) fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts.get(self.place(texts.len())).copied().unwrap_or_default()
    }
}
