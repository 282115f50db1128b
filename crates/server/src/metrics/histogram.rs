//! Durations of requests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper bounds of the buckets.
pub(super) const BOUNDS_MICROSECONDS: [u64; 16] = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 10_000_000,
];
const BUCKETS: usize = BOUNDS_MICROSECONDS.len() + 1;

/// Counts durations in buckets. Recording one takes two additions.
#[derive(Default)]
pub(super) struct Histogram {
    buckets: [AtomicU64; BUCKETS],
    sum_microseconds: AtomicU64,
}

/// A histogram's figures.
pub(super) struct Recorded {
    /// For each bound, the number of durations up to it.
    pub(super) cumulative: [u64; BUCKETS],
    pub(super) sum_seconds: f64,
}

impl Recorded {
    /// The number of durations.
    pub(super) fn count(&self) -> u64 {
        self.cumulative.last().copied().unwrap_or(0)
    }
}

impl Histogram {
    pub(super) fn record(&self, duration: Duration) {
        let microseconds = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS_MICROSECONDS.partition_point(|bound| *bound < microseconds);
        if let Some(bucket) = self.buckets.get(bucket) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.sum_microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }

    pub(super) fn recorded(&self) -> Recorded {
        let mut sum = 0;
        let cumulative = std::array::from_fn(|index| {
            sum += self.buckets.get(index).map_or(0, |bucket| bucket.load(Ordering::Relaxed));
            sum
        });
        Recorded { cumulative, sum_seconds: self.sum_microseconds.load(Ordering::Relaxed) as f64 / 1e6 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_on_a_bound_belongs_to_the_bucket_below() {
        let histogram = Histogram::default();
        for microseconds in [0, 50, 51, 20_000_000] {
            histogram.record(Duration::from_micros(microseconds));
        }
        let recorded = histogram.recorded();
        assert_eq!(recorded.cumulative[..3], [2, 3, 3]);
        assert_eq!(recorded.cumulative[15..], [3, 4]);
        assert_eq!(recorded.count(), 4);
        assert_eq!(recorded.sum_seconds, 20.000101);
    }
}
