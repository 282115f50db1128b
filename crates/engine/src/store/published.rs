//! Waking threads that wait for the next commit.

use std::sync::PoisonError;
use std::time::Duration;

use crate::sync::atomic::{AtomicUsize, Ordering, fence};
use crate::sync::{Condvar, Instant, Mutex};

/// Wakes threads that wait for the next commit. Without waiting threads it costs the log thread two instructions.
#[derive(Default)]
pub(super) struct Published {
    waiting: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Published {
    /// Wakes the waiting threads after a commit is published.
    pub(super) fn wake(&self) {
        // Either this sees the count, or the thread that raises it sees the published commit.
        fence(Ordering::SeqCst);
        if self.waiting.load(Ordering::Relaxed) > 0 {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.changed.notify_all();
        }
    }

    /// Waits until `is_over` returns true or the timeout passes.
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
