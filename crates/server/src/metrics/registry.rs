//! The counters. Counting a request takes a few atomic additions, without locks or strings.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use singlet_wire::{Operation, Reply};

use super::capacity::CapacityCounts;
use super::errors::ErrorCounts;
use super::histogram::Histogram;

/// All counters of the server.
pub(crate) struct Metrics {
    /// One row for each operation, in the order of [`Operation::ALL`], and one for requests without an operation.
    pub(super) operations: Box<[Row]>,
    /// Requests to a mounted router, by the first digit of their status.
    pub(super) mounted: [Count; 5],
    pub(super) mounted_latency: Histogram,
    pub(super) capacity: CapacityCounts,
    pub(crate) connections_accepted: Count,
    pub(crate) connections_refused: Count,
    pub(crate) connections_displaced: Count,
    pub(crate) connections_timed_out: Count,
    pub(crate) accepts_failed: Count,
    pub(crate) requests_refused: Count,
    pub(crate) panics: Count,
}

/// The counters of one operation.
#[derive(Default)]
pub(super) struct Row {
    pub(super) latency: Histogram,
    pub(super) errors: ErrorCounts,
}

/// A counter that only increases.
#[derive(Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn increment(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Metrics {
    pub(crate) fn new() -> Self {
        Self {
            operations: (0..=Operation::ALL.len()).map(|_| Row::default()).collect(),
            mounted: std::array::from_fn(|_| Count::default()),
            mounted_latency: Histogram::default(),
            capacity: CapacityCounts::default(),
            connections_accepted: Count::default(),
            connections_refused: Count::default(),
            connections_displaced: Count::default(),
            connections_timed_out: Count::default(),
            accepts_failed: Count::default(),
            requests_refused: Count::default(),
            panics: Count::default(),
        }
    }

    /// Counts one answered request.
    pub(crate) fn count(&self, operation: Option<Operation>, reply: &Reply, duration: Duration) {
        let index = operation.map_or(Operation::ALL.len(), |operation| operation as usize);
        let Some(row) = self.operations.get(index) else { return };
        row.latency.record(duration);
        if let Some(error) = reply.error {
            row.errors.count(error);
        }
        for consumed in reply.consumed.tables() {
            self.capacity.count(consumed);
        }
    }

    /// Counts one request that a mounted router answered.
    pub(crate) fn count_mounted(&self, status: u16, duration: Duration) {
        if let Some(count) = self.mounted.get(usize::from(status / 100).saturating_sub(1)) {
            count.increment();
        }
        self.mounted_latency.record(duration);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_the_row_of_its_place() {
        // A row is found by the number of its variant, so the list must have the variants in that order.
        for (index, operation) in Operation::ALL.iter().enumerate() {
            assert_eq!(*operation as usize, index);
        }
    }
}
