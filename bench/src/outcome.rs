//! The result of a load: counts, latencies, errors.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;

/// Different error texts that are kept; the rest is counted under one name.
const ERROR_TEXTS_MAX: usize = 20;
const LATENCY_MAX_NANOSECONDS: u64 = 600_000_000_000;

/// The result of one client thread, or of all together, within the measured time.
pub(crate) struct Outcome {
    /// How long was measured.
    pub(crate) measured: Duration,
    /// Latencies in nanoseconds. In a closed loop of the answers that came within that time; in an open loop of
    /// everything that arrived within it, whenever it was answered. A request that was never answered counts with the
    /// age that it had reached.
    pub(crate) latency: Histogram<u64>,
    /// Right answers that came within the measured time.
    pub(crate) in_time: u64,
    /// The same for each second of it.
    pub(crate) per_second: Vec<u64>,
    /// Right answers in all, those before and after the measured time included.
    pub(crate) answered: u64,
    /// Requests refused because of a transaction on the same item: neither throughput nor errors.
    pub(crate) conflicts: u64,
    /// The errors, including those of the warm-up, with their counts.
    pub(crate) errors: BTreeMap<String, u64>,
    /// Arrivals of an open loop that found no free connection until the load was given up.
    pub(crate) unsent: u64,
    /// Answers after which the server closed the connection, as it had said.
    pub(crate) closed: u64,
}

impl Outcome {
    /// An outcome without any answer.
    pub(crate) fn new(measured: Duration) -> Self {
        let latency = Histogram::new_with_bounds(1, LATENCY_MAX_NANOSECONDS, 3)
            .expect("the bounds and the precision are constants within the histogram's limits");
        Self {
            measured,
            latency,
            in_time: 0,
            per_second: Vec::new(),
            answered: 0,
            conflicts: 0,
            errors: BTreeMap::new(),
            unsent: 0,
            closed: 0,
        }
    }

    /// Counts how long something took, or had waited when it was given up.
    pub(crate) fn record(&mut self, latency: Duration) {
        let nanoseconds = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        self.latency.saturating_record(nanoseconds.max(1));
    }

    /// Counts a right answer that came `at` after the measured time began and before it ended.
    pub(crate) fn count(&mut self, at: Duration) {
        self.in_time += 1;
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
        self.in_time += other.in_time;
        self.answered += other.answered;
        self.conflicts += other.conflicts;
        self.unsent += other.unsent;
        self.closed += other.closed;
    }

    /// Right answers per second, of those that came within the measured time.
    pub(crate) fn rate(&self) -> f64 {
        self.in_time as f64 / self.measured.as_secs_f64().max(1e-9)
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Outcome;

    fn recorded(latencies: impl Iterator<Item = u64>) -> Outcome {
        let mut outcome = Outcome::new(Duration::from_secs(2));
        for (number, microseconds) in latencies.enumerate() {
            outcome.record(Duration::from_micros(microseconds));
            outcome.count(Duration::from_millis(number as u64));
        }
        outcome
    }

    #[test]
    fn quantiles_are_right_to_three_digits() {
        let outcome = recorded(1..=1000);
        for (quantile, microseconds) in [(0.5, 500.0), (0.9, 900.0), (0.99, 990.0), (1.0, 1000.0)] {
            let found = outcome.latency_microseconds(quantile);
            assert!((found - microseconds).abs() <= microseconds * 1e-3, "{quantile}: {found}");
        }
    }

    #[test]
    fn threads_together_have_the_sum_of_their_rates_and_the_latencies_of_all() {
        let mut one = recorded(std::iter::repeat_n(100, 1000));
        one.merge(recorded(std::iter::repeat_n(300, 3000)));
        assert!((one.rate() - 2000.0).abs() < 1e-6);
        assert!((one.latency_microseconds(0.2) - 100.0).abs() < 1.0);
        assert!((one.latency_microseconds(0.5) - 300.0).abs() < 1.0);
        assert_eq!(one.per_second, [2000, 1000, 1000]);
    }

    #[test]
    fn a_latency_beyond_the_histogram_counts_as_its_end_and_nothing_is_lost() {
        let outcome = recorded([1, u64::MAX / 1_000_000].into_iter());
        assert_eq!(outcome.latency.len(), 2);
        assert!(outcome.latency_microseconds(1.0) >= 600e6);
    }

    #[test]
    fn many_different_errors_are_all_counted() {
        let mut outcome = recorded(std::iter::empty());
        for number in 0..100 {
            outcome.fail(format!("error {number}"));
        }
        assert_eq!(outcome.error_count(), 100);
        assert!(outcome.errors.len() <= 21);
    }
}
