//! Figures about calls, by pattern. The patterns of a design are few, so the figures are too.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::StatusCode;

use singlet_design::Design;

/// The upper bounds of the buckets of durations, without the last one.
const BOUNDS_MICROSECONDS: [u64; 9] =
    [100, 500, 1_000, 5_000, 20_000, 100_000, 500_000, 2_000_000, 10_000_000];
const BUCKETS: usize = BOUNDS_MICROSECONDS.len() + 1;

/// Counts the calls of a design's patterns.
#[derive(Debug, Default)]
pub struct Figures {
    meters: HashMap<String, Meter>,
}

/// Counts the calls of one pattern.
#[derive(Debug, Default)]
struct Meter {
    within: Option<Duration>,
    buckets: [AtomicU64; BUCKETS],
    sum_microseconds: AtomicU64,
    late: AtomicU64,
    refused: AtomicU64,
    failed: AtomicU64,
}

/// The figures of one pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternFigures {
    /// The pattern's name.
    pub pattern: String,
    /// The time in which the design wants it to be answered.
    pub within_seconds: Option<f64>,
    /// For each bound in seconds, the calls that took at most that long.
    pub buckets: Vec<(f64, u64)>,
    /// The calls.
    pub calls: u64,
    /// The time that they took together.
    pub seconds: f64,
    /// The calls that took longer than the design wants.
    pub late: u64,
    /// The calls that were refused: their status is 4xx.
    pub refused: u64,
    /// The calls that failed: their status is 5xx.
    pub failed: u64,
}

impl Figures {
    pub(crate) fn new(design: &Design) -> Self {
        let patterns = design.patterns.iter().filter(|pattern| !pattern.internal);
        let meter = |within| Meter { within, ..Meter::default() };
        Self { meters: patterns.map(|pattern| (pattern.name.clone(), meter(pattern.within))).collect() }
    }

    /// Counts a call.
    pub(crate) fn count(&self, pattern: &str, status: StatusCode, took: Duration) {
        let Some(meter) = self.meters.get(pattern) else { return };
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS_MICROSECONDS.partition_point(|bound| *bound < microseconds);
        let add = |counter: &AtomicU64, more: u64| _ = counter.fetch_add(more, Ordering::Relaxed);
        meter.buckets.get(bucket).into_iter().for_each(|bucket| add(bucket, 1));
        add(&meter.sum_microseconds, microseconds);
        add(&meter.late, meter.within.is_some_and(|within| took > within).into());
        add(&meter.refused, status.is_client_error().into());
        add(&meter.failed, status.is_server_error().into());
    }

    /// Returns the figures of the patterns that were called, in the order of their names.
    pub fn patterns(&self) -> Vec<PatternFigures> {
        let mut patterns: Vec<PatternFigures> =
            self.meters.iter().map(|(name, meter)| meter.read(name)).collect();
        patterns.retain(|pattern| pattern.calls > 0);
        patterns.sort_by(|one, other| one.pattern.cmp(&other.pattern));
        patterns
    }
}

impl Meter {
    fn read(&self, pattern: &str) -> PatternFigures {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut calls = 0;
        let mut buckets = Vec::with_capacity(BUCKETS);
        let bounds = BOUNDS_MICROSECONDS.iter().map(|bound| *bound as f64 / 1e6).chain([f64::INFINITY]);
        for (bound, bucket) in bounds.zip(&self.buckets) {
            calls += read(bucket);
            buckets.push((bound, calls));
        }
        PatternFigures {
            pattern: pattern.to_owned(),
            within_seconds: self.within.map(|within| within.as_secs_f64()),
            buckets,
            calls,
            seconds: read(&self.sum_microseconds) as f64 / 1e6,
            late: read(&self.late),
            refused: read(&self.refused),
            failed: read(&self.failed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_duration_and_status_against_the_time_of_the_design() {
        let meter = Meter { within: Some(Duration::from_millis(2)), ..Meter::default() };
        let figures = Figures { meters: HashMap::from([("list".to_owned(), meter)]) };
        assert_eq!(figures.patterns(), []);
        for (status, microseconds) in [(200, 100), (404, 101), (503, 3_000), (200, 60_000_000)] {
            let status = StatusCode::from_u16(status).unwrap();
            figures.count("list", status, Duration::from_micros(microseconds));
        }
        figures.count("unknown", StatusCode::OK, Duration::ZERO);
        let [list] = &figures.patterns()[..] else { panic!("one pattern was called") };
        assert_eq!(
            list.buckets.iter().map(|(_, calls)| *calls).collect::<Vec<_>>(),
            [1, 2, 2, 3, 3, 3, 3, 3, 3, 4]
        );
        assert_eq!((list.calls, list.late, list.refused, list.failed), (4, 2, 1, 1));
        assert_eq!((list.seconds, list.within_seconds), (60.003201, Some(0.002)));
    }
}
