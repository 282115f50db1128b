//! Files of the past: every block of kept changes.

use super::checks::{Check, Context};
use super::finding::Reporter;
use crate::store::StoreError;

/// Reads every block.
pub(super) struct CheckPast;

impl Check for CheckPast {
    fn check(&self, context: &Context<'_>, report: &mut Reporter) -> Result<(), StoreError> {
        let mut wrong = Vec::new();
        report.counts.past_changes += context.opened.check_past(|error| wrong.push(error));
        wrong.into_iter().for_each(|error| report.error(error));
        Ok(())
    }
}
