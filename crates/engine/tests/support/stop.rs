//! Ending threads that work until they are told.

use std::sync::atomic::{AtomicBool, Ordering};

/// Tells threads to end.
#[derive(Debug, Default)]
pub(crate) struct Stop(AtomicBool);

/// Sets the stop when it goes, also when the test fails: a scope would wait for its threads for ever.
pub(crate) struct StopOnDrop<'a>(&'a Stop);

impl Stop {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    pub(crate) fn on_drop(&self) -> StopOnDrop<'_> {
        StopOnDrop(self)
    }
}

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Release);
    }
}
