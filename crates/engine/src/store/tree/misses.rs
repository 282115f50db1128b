//! Whether pages are missing from the cache these days.

use std::sync::atomic::{AtomicU32, Ordering};

/// So many looks ahead follow each miss.
const LOOKS_PER_MISS: u32 = 64;
/// So many are outstanding at most: how long looking ahead goes on once everything is in the cache.
const LOOKS_MAX: u32 = 4096;

/// Counts misses up and looks ahead down. While the cache holds all that is read, it stays at zero and costs nothing.
#[derive(Debug, Default)]
pub(super) struct Misses {
    looks: AtomicU32,
}

impl Misses {
    /// A page had to be read from the file.
    pub(super) fn note(&self) {
        let looks = self.looks.load(Ordering::Relaxed);
        // Which of two threads wins doesn't matter.
        self.looks.store(looks.saturating_add(LOOKS_PER_MISS).min(LOOKS_MAX), Ordering::Relaxed);
    }

    /// Whether it is worth looking whether a page is in the cache.
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
