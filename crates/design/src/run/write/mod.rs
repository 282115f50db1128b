//! Patterns that write.

use super::{Call, Outcome, RunError, Runner};
use crate::store::Store;

/// Runs a create, put, update, delete or check.
pub(super) fn run_write<S: Store>(runner: &Runner<S>, call: &Call<'_>) -> Result<Outcome, RunError> {
    let _ = (runner, call);
    todo!()
}

/// Runs a transaction.
pub(super) fn run_transaction<S: Store>(runner: &Runner<S>, call: &Call<'_>) -> Result<Outcome, RunError> {
    let _ = (runner, call);
    todo!()
}
