//! Trying again when others were faster.

use std::time::Duration;

use singlet_store::StoreError;

use crate::entropy::Entropy;
use crate::error::RunError;

/// How often a write is tried before its caller is told that others kept changing the same item.
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

/// Attempts until one succeeds or fails for good, with growing pauses. `what` is named when it never does.
pub(super) fn persist<T>(
    entropy: &dyn Entropy,
    what: &str,
    mut attempt: impl FnMut() -> Result<T, Setback>,
) -> Result<T, RunError> {
    for number in 0..ATTEMPTS_MAX {
        if number > 0 {
            pause(number, entropy);
        }
        match attempt() {
            Ok(done) => return Ok(done),
            Err(Setback::Again) => {}
            Err(Setback::Failed(error)) => return Err(error),
        }
    }
    Err(RunError::Contention { entity: what.to_owned(), attempts: ATTEMPTS_MAX })
}

/// Waits between half and all of a time that doubles with each attempt, so that those who met once don't meet again.
#[expect(clippy::disallowed_methods, reason = "there is no event to wait for: the others are unknown")]
fn pause(number: u32, entropy: &dyn Entropy) {
    let longest_us = 1000 * (1_u64 << number.min(16)).min(PAUSE_MAX_MS) / 2;
    let mut random = [0; 2];
    entropy.fill(&mut random);
    let part_us = longest_us * u64::from(u16::from_le_bytes(random)) / u64::from(u16::MAX);
    std::thread::sleep(Duration::from_micros((longest_us + part_us) / 2));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::SeededEntropy;

    #[test]
    fn attempts_are_bounded_and_end_in_contention() {
        let mut attempts = 0;
        let outcome = persist::<()>(&SeededEntropy::new(1), "Task", || {
            attempts += 1;
            Err(Setback::Again)
        });
        assert!(matches!(outcome, Err(RunError::Contention { attempts: 10, .. })));
        assert_eq!(attempts, 10);
    }

    #[test]
    fn what_cannot_get_better_is_not_tried_again() {
        let mut attempts = 0;
        let outcome = persist::<()>(&SeededEntropy::new(1), "Task", || {
            attempts += 1;
            Err(StoreError::NotFound("table".to_owned()).into())
        });
        assert!(matches!(outcome, Err(RunError::Store(StoreError::NotFound(_)))));
        assert_eq!(attempts, 1);
    }
}
