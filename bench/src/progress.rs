//! How far a long run has come, and how long it will still take.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use crate::clock::pause;
use crate::load::{Plan, Source, Verdict, drive};
use crate::outcome::Outcome;

const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Work whose parts have an expected length.
pub(crate) struct Remaining {
    planned_seconds: f64,
    done_seconds: f64,
    begin: Instant,
}

impl Remaining {
    /// Work that is expected to take so long.
    pub(crate) fn new(planned_seconds: f64) -> Self {
        Self { planned_seconds, done_seconds: 0.0, begin: Instant::now() }
    }

    /// A part is done that was expected to take so long.
    pub(crate) fn done(&mut self, planned_seconds: f64) {
        self.done_seconds += planned_seconds;
    }

    /// Such as `34 %, 12 min left`.
    pub(crate) fn text(&self) -> String {
        let share = self.done_seconds / self.planned_seconds.max(1e-9);
        let left = left_seconds(self.planned_seconds, self.done_seconds, self.begin.elapsed().as_secs_f64());
        format!("{:.0} %, {} left", (share * 100.0).min(100.0), duration(left))
    }
}

/// Estimates the remaining time from the pace so far.
fn left_seconds(planned: f64, done: f64, elapsed: f64) -> f64 {
    let pace = if done > 0.0 { elapsed / done } else { 1.0 };
    (planned - done).max(0.0) * pace
}

/// Such as `12 min` or `40 s`.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 90.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
}

/// Runs a load and tells every so often how many right answers have come in which time.
pub(crate) fn drive_telling<S: Source>(
    plan: &Plan,
    source: impl Fn(usize) -> S + Sync,
    every: Duration,
    mut tell: impl FnMut(u64, Duration),
) -> Result<Outcome> {
    let answers = AtomicU64::new(0);
    let counted = |thread| Counted { inner: source(thread), answers: &answers };
    std::thread::scope(|scope| {
        let load = scope.spawn(|| drive(plan, counted));
        let begin = Instant::now();
        let mut told = begin;
        while !load.is_finished() {
            if told.elapsed() >= every {
                told = Instant::now();
                tell(answers.load(Ordering::Relaxed), begin.elapsed());
            }
            pause(LOOK_EVERY);
        }
        load.join().map_err(|_| anyhow!("the load panicked"))?
    })
}

/// A source that counts right answers where others can see it.
struct Counted<'a, S> {
    inner: S,
    answers: &'a AtomicU64,
}

impl<S: Source> Source for Counted<'_, S> {
    type Ticket = S::Ticket;

    fn next(&mut self, out: &mut Vec<u8>) -> Option<S::Ticket> {
        self.inner.next(out)
    }

    fn check(&mut self, ticket: S::Ticket, status: u16, body: &[u8]) -> Verdict {
        let verdict = self.inner.check(ticket, status, body);
        if verdict == Verdict::Right {
            self.answers.fetch_add(1, Ordering::Relaxed);
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::{duration, left_seconds};

    #[test]
    fn what_is_left_follows_the_pace_so_far() {
        assert!((left_seconds(100.0, 0.0, 0.0) - 100.0).abs() < 1e-9);
        assert!((left_seconds(100.0, 50.0, 100.0) - 100.0).abs() < 1e-9);
        assert!(left_seconds(100.0, 120.0, 100.0).abs() < 1e-9);
    }

    #[test]
    fn durations_are_short() {
        assert_eq!(duration(12.4), "12 s");
        assert_eq!(duration(125.0), "2 min");
    }
}
