//! Waking those who wait for the next commit.

use std::sync::PoisonError;
use std::time::Duration;

use crate::sync::atomic::{AtomicUsize, Ordering, fence};
use crate::sync::{Condvar, Instant, Mutex};

/// Wakes those who wait for the next commit. With nobody waiting it costs the log thread two instructions.
#[derive(Default)]
pub(super) struct Published {
    waiting: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Published {
    /// Something is to be seen.
    pub(super) fn wake(&self) {
        // Either the count is seen here, or what was published before is seen by whoever raises it.
        fence(Ordering::SeqCst);
        if self.waiting.load(Ordering::Relaxed) > 0 {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.changed.notify_all();
        }
    }

    /// Waits until `is_over` or the time is.
    pub(super) fn wait(&self, timeout: Duration, is_over: impl Fn() -> bool) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let end = Instant::now() + timeout;
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !is_over() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            held = self.changed.wait_timeout(held, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(held);
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
