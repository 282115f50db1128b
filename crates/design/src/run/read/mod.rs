//! Patterns that read.

use super::{Call, Outcome, RunError, Runner};
use crate::store::Store;

/// Runs a read.
pub(super) fn run_read<S: Store>(runner: &Runner<S>, call: &Call<'_>) -> Result<Outcome, RunError> {
    let _ = (runner, call);
    todo!()
}
