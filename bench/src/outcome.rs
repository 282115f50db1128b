//! What a load found: counts, latencies, errors.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;

/// Different error texts that are kept; the rest is counted under one name.
const ERROR_TEXTS_MAX: usize = 20;
const LATENCY_MAX_NANOSECONDS: u64 = 600_000_000_000;

/// What one client thread, or all together, saw within the measured time.
pub(crate) struct Outcome {
    /// How long was measured.
    pub(crate) measured: Duration,
    /// Latencies of the answers that came within that time, in nanoseconds.
    pub(crate) latency: Histogram<u64>,
    /// Answers per second of the measured time.
    pub(crate) per_second: Vec<u64>,
    /// Right answers in all, those before and after the measured time included.
    pub(crate) answered: u64,
    /// Requests refused because of a transaction on the same item: neither throughput nor errors.
    pub(crate) conflicts: u64,
    /// What went wrong, warm-up included, and how often.
    pub(crate) errors: BTreeMap<String, u64>,
    /// Arrivals of an open loop that found no free connection before the end.
    pub(crate) unsent: u64,
}

impl Outcome {
    /// An outcome without any answer.
    pub(crate) fn new(measured: Duration) -> Self {
        let latency = Histogram::new_with_bounds(1, LATENCY_MAX_NANOSECONDS, 3)
            .expect("the bounds and the precision are constants within the histogram's limits");
        Self {
            measured,
            latency,
            per_second: Vec::new(),
            answered: 0,
            conflicts: 0,
            errors: BTreeMap::new(),
            unsent: 0,
        }
    }

    /// Counts a right answer that came `at` after the measured time began.
    pub(crate) fn record(&mut self, at: Duration, latency: Duration) {
        let nanoseconds = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        self.latency.saturating_record(nanoseconds.max(1));
        let second = at.as_secs() as usize;
        if self.per_second.len() <= second {
            self.per_second.resize(second + 1, 0);
        }
        if let Some(count) = self.per_second.get_mut(second) {
            *count += 1;
        }
    }

    /// Counts an error under its text.
    pub(crate) fn fail(&mut self, text: String) {
        let known = self.errors.len() < ERROR_TEXTS_MAX || self.errors.contains_key(&text);
        *self.errors.entry(if known { text } else { "other errors".to_owned() }).or_default() += 1;
    }

    /// Adds what another thread saw at the same time.
    pub(crate) fn merge(&mut self, other: Self) {
        self.measured = self.measured.max(other.measured);
        // Both histograms have the same bounds, so that nothing can be out of range.
        let _ = self.latency.add(&other.latency);
        if self.per_second.len() < other.per_second.len() {
            self.per_second.resize(other.per_second.len(), 0);
        }
        for (mine, others) in self.per_second.iter_mut().zip(other.per_second) {
            *mine += others;
        }
        for (text, count) in other.errors {
            *self.errors.entry(text).or_default() += count;
        }
        self.answered += other.answered;
        self.conflicts += other.conflicts;
        self.unsent += other.unsent;
    }

    /// Right answers per second.
    pub(crate) fn rate(&self) -> f64 {
        self.latency.len() as f64 / self.measured.as_secs_f64().max(1e-9)
    }

    /// A latency quantile in microseconds.
    pub(crate) fn latency_microseconds(&self, quantile: f64) -> f64 {
        self.latency.value_at_quantile(quantile) as f64 / 1000.0
    }

    /// All errors together.
    pub(crate) fn error_count(&self) -> u64 {
        self.errors.values().sum()
    }
}
