//! Repeating a write that met another one.

use std::time::Duration;

use singlet_store::StoreError;

use crate::entropy::Entropy;
use crate::error::RunError;

/// The maximum number of attempts of a write.
const ATTEMPTS_MAX: u32 = 10;
/// The longest pause between two attempts.
const PAUSE_MAX_MS: u64 = 128;

/// Why an attempt did not succeed.
#[derive(Debug)]
pub(super) enum Setback {
    /// Somebody else wrote what this attempt had read, or is writing it: look again and try again.
    Again,
    /// Trying again would not help.
    Failed(RunError),
}

impl From<RunError> for Setback {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Store(error) => error.into(),
            error => Setback::Failed(error),
        }
    }
}

impl From<StoreError> for Setback {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::TryAgain(_) => Setback::Again,
            error => Setback::Failed(RunError::Store(error)),
        }
    }
}

/// The attempts of one write.
pub(super) struct Attempts<'a> {
    entropy: &'a dyn Entropy,
    /// The written item, for messages.
    what: &'a str,
    made: u32,
}

impl<'a> Attempts<'a> {
    pub(super) fn new(entropy: &'a dyn Entropy, what: &'a str) -> Self {
        Attempts { entropy, what, made: 0 }
    }

    /// Whether an attempt was made already.
    pub(super) fn are_repeated(&self) -> bool {
        self.made > 0
    }

    /// Pauses after an attempt that may be repeated. Each pause is longer than the one before.
    pub(super) async fn after(&mut self, setback: Setback) -> Result<(), RunError> {
        if let Setback::Failed(error) = setback {
            return Err(error);
        }
        self.made += 1;
        if self.made == ATTEMPTS_MAX {
            return Err(RunError::Contention { entity: self.what.to_owned(), attempts: ATTEMPTS_MAX });
        }
        tokio::time::sleep(self.pause()).await;
        Ok(())
    }

    /// A random time between half and all of a time that doubles with each attempt, so that two writers that met once
    /// don't meet again.
    fn pause(&self) -> Duration {
        let longest_us = 1000 * (1_u64 << self.made.min(16)).min(PAUSE_MAX_MS) / 2;
        let mut random = [0; 2];
        self.entropy.fill(&mut random);
        let part_us = longest_us * u64::from(u16::from_le_bytes(random)) / u64::from(u16::MAX);
        Duration::from_micros((longest_us + part_us) / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocking::Wait;
    use crate::entropy::SeededEntropy;

    #[test]
    fn attempts_are_bounded_and_end_in_contention() {
        let entropy = SeededEntropy::new(1);
        let mut attempts = Attempts::new(&entropy, "Task");
        for _ in 1..ATTEMPTS_MAX {
            assert!(attempts.after(Setback::Again).wait().is_ok());
        }
        let last = attempts.after(Setback::Again).wait();
        assert!(matches!(last, Err(RunError::Contention { attempts: 10, .. })));
    }

    #[test]
    fn what_cannot_get_better_is_not_tried_again() {
        let entropy = SeededEntropy::new(1);
        let failed = StoreError::NotFound("table".to_owned()).into();
        let outcome = Attempts::new(&entropy, "Task").after(failed).wait();
        assert!(matches!(outcome, Err(RunError::Store(StoreError::NotFound(_)))));
    }
}
