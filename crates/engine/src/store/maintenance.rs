//! The maintenance thread of a store: work that no writer should wait for.

use std::sync::Arc;
use std::time::Duration;

use super::overlay::Overlay;
use super::shared::Shared;
use crate::sync::Instant;
use crate::sync::mpsc::{Receiver, RecvTimeoutError};

/// The queue holds at most this many chores; beyond that the caller does the work itself.
pub(super) const CHORES_WAITING_MAX: usize = 4;

/// Work that no writer should wait for.
pub(super) enum Chore {
    /// Prepare a file for the next segment.
    PrepareSegment,
    /// Free an overlay. With a hundred thousand entries this takes a while.
    Free(Overlay),
    /// Record how far the log reaches, after the interval.
    WriteReach,
}

/// The state of the store's maintenance thread.
pub(super) struct StoreMaintenance<A, J> {
    shared: Arc<Shared<A, J>>,
    chores: Receiver<Chore>,
    reach_interval: Duration,
    /// When the mark with the extent of the log must be written.
    reach_due: Option<Instant>,
}

impl<A, J> StoreMaintenance<A, J> {
    pub(super) fn new(shared: Arc<Shared<A, J>>, chores: Receiver<Chore>, reach_interval: Duration) -> Self {
        Self { shared, chores, reach_interval, reach_due: None }
    }

    /// Works until the log thread has ended. Then it records the exact extent of the log.
    pub(super) fn run(mut self) {
        while let Some(chore) = self.next_chore() {
            match chore {
                Chore::Free(overlay) => drop(overlay),
                Chore::WriteReach => {}
                Chore::PrepareSegment => self.prepare_segment(),
            }
            self.look_at_reach();
        }
        self.write_reach();
    }

    /// Returns the next chore. Meanwhile it writes the mark when it is due.
    fn next_chore(&mut self) -> Option<Chore> {
        loop {
            let Some(due) = self.reach_due else { return self.chores.recv().ok() };
            match self.chores.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok(chore) => return Some(chore),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => self.look_at_reach(),
            }
        }
    }

    fn prepare_segment(&mut self) {
        let shared = self.shared.clone();
        // Zeroing a file takes a while, and the mark must not be late.
        if let Err(error) = shared.catalogue.prepare_spare(|| self.look_at_reach()) {
            // The log then creates a file itself, and reports the error if it can't.
            tracing::warn!(%error, "no spare log file could be prepared");
        }
    }

    /// Writes the mark if it is due. The log thread can't tell when the queue is full.
    fn look_at_reach(&mut self) {
        match self.reach_due {
            Some(due) if due.saturating_duration_since(Instant::now()).is_zero() => {
                self.reach_due = None;
                self.write_reach();
            }
            None if self.shared.reach.is_due() => self.reach_due = Some(Instant::now() + self.reach_interval),
            _ => {}
        }
    }

    fn write_reach(&self) {
        if self.shared.poison.is_set() {
            return;
        }
        if let Err(error) = self.shared.reach.write() {
            self.shared.poison(error.to_string());
        }
    }
}
