//! Limits repeated log messages, so that a flood of rejections doesn't become a flood of log lines.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The maximum number of messages per second.
const A_SECOND_MAX: u64 = 10;

/// Lets a few messages per second pass. The metrics count all events.
pub(crate) struct Pace {
    start: Instant,
    /// The second in the upper half, and the number of messages in it in the lower half.
    state: AtomicU64,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), state: AtomicU64::new(0) }
    }

    /// Whether this message may pass.
    pub(crate) fn admits(&self) -> bool {
        self.admits_in(self.start.elapsed().as_secs())
    }

    fn admits_in(&self, second: u64) -> bool {
        let next = |state: u64| if state >> 32 == second { state + 1 } else { second << 32 | 1 };
        let before = self.state.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |state| Some(next(state)));
        before.is_ok_and(|state| next(state) & u64::from(u32::MAX) <= A_SECOND_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_second_has_its_few() {
        let pace = Pace::new();
        for second in [0, 1, 7] {
            let admitted = (0..1_000).filter(|_| pace.admits_in(second)).count() as u64;
            assert_eq!(admitted, A_SECOND_MAX);
        }
    }
}
