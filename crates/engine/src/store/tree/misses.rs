//! Whether pages were missing from the cache lately.

use std::sync::atomic::{AtomicU32, Ordering};

/// The number of reads ahead after each miss.
const LOOKS_PER_MISS: u32 = 64;
/// The most reads ahead that are outstanding, which limits how long they continue after everything is in the cache.
const LOOKS_MAX: u32 = 4096;

/// Counts up with misses and down with reads ahead. While everything is in the cache, it stays at zero and costs
/// nothing.
#[derive(Debug, Default)]
pub(super) struct Misses {
    looks: AtomicU32,
}

impl Misses {
    /// Notes that a page had to be read from the file.
    pub(super) fn note(&self) {
        let looks = self.looks.load(Ordering::Relaxed);
        // It doesn't matter which of two threads wins.
        self.looks.store(looks.saturating_add(LOOKS_PER_MISS).min(LOOKS_MAX), Ordering::Relaxed);
    }

    /// Whether a read ahead is worthwhile.
    pub(super) fn take_look(&self) -> bool {
        let looks = self.looks.load(Ordering::Relaxed);
        if looks > 0 {
            self.looks.store(looks - 1, Ordering::Relaxed);
        }
        looks > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_ahead_follows_misses_and_ends() {
        let misses = Misses::default();
        assert!(!misses.take_look());
        (0..1000).for_each(|_| misses.note());
        let looks = (0..10_000).take_while(|_| misses.take_look()).count();
        assert_eq!(looks, LOOKS_MAX as usize);
        misses.note();
        assert!(misses.take_look());
    }
}
