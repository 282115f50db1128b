//! A long run of one target: mutations of a growing pool of inputs, until the time is over or a promise is broken.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::{Corpus, Dictionary, Mutator, Random, Target};

/// Of the inputs that mutations made, so many are kept as a ground for others.
const POOL_MAX: usize = 512;

/// A run of one target.
pub struct Session {
    target: Target,
    mutator: Mutator,
    random: Random,
    pool: Vec<Vec<u8>>,
    kept: usize,
}

/// How far a run came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Inputs that were run.
    pub inputs: u64,
    /// The longest time that one of them took.
    pub slowest: Duration,
    /// The input that broke a promise, if one did, and what it said.
    pub failure: Option<(Vec<u8>, String)>,
}

/// Runs the target; what the panic said, if it broke a promise.
pub fn failure_of(target: Target, input: &[u8]) -> Option<String> {
    let caught = catch_unwind(AssertUnwindSafe(|| target.run(input))).err()?;
    let text = caught.downcast_ref::<String>().cloned();
    Some(text.or_else(|| caught.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default())
}

impl Session {
    /// A run that begins with the target's corpus. The same seed runs the same inputs.
    pub fn new(target: Target, seed: u64) -> Self {
        let pool: Vec<Vec<u8>> = Corpus::of(target).entries.into_iter().map(|entry| entry.bytes).collect();
        Session {
            target,
            mutator: Mutator::new(Dictionary::of(target), target.input_bytes_max()),
            random: Random::new(seed),
            kept: pool.len(),
            pool,
        }
    }

    /// Runs inputs as long as `go_on` says, given their number, or until one breaks a promise.
    pub fn run(&mut self, mut go_on: impl FnMut(u64) -> bool) -> Summary {
        let mut summary = Summary { inputs: 0, slowest: Duration::ZERO, failure: None };
        while go_on(summary.inputs) {
            let input = self.next_input();
            let started = Instant::now();
            let failure = failure_of(self.target, &input);
            summary.slowest = summary.slowest.max(started.elapsed());
            summary.inputs += 1;
            if let Some(text) = failure {
                summary.failure = Some((input, text));
                return summary;
            }
        }
        summary
    }

    fn next_input(&mut self) -> Vec<u8> {
        let at = self.random.below(self.pool.len());
        let ground = self.pool.get(at).cloned().unwrap_or_default();
        let input = self.mutator.mutate(&ground, &self.pool, &mut self.random);
        // Without coverage nobody knows which inputs are worth keeping: some are, so that changes add up.
        if self.random.below(16) == 0 {
            if self.pool.len() < self.kept + POOL_MAX {
                self.pool.push(input.clone());
            } else {
                let at = self.kept + self.random.below(POOL_MAX);
                self.pool[at] = input.clone();
            }
        }
        input
    }
}
