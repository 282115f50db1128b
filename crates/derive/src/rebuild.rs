//! Asking for a rebuild without the change feed: the worker that runs elsewhere does it.

use singlet_design::Design;
use singlet_store::{Clock, Store, StoreError, SystemClock};
use singlet_values::limits::TRANSACTION_ACTIONS_MAX;

use crate::commit::{Committed, Committer};
use crate::error::DeriveError;
use crate::progress::{Progress, owner};
use crate::rules::Rules;

/// Attempts to write the progress while a worker writes it too.
const ATTEMPTS_MAX: usize = 20;

/// Asks the worker of a design to count derived fields again: those with these names, or all. It begins within seconds.
pub async fn request_rebuild(
    store: &impl Store,
    design: &Design,
    environment: &str,
    names: &[String],
) -> Result<(), DeriveError> {
    let (rules, owner) = (Rules::of(design), owner(design, environment));
    rules.check_names(names)?;
    let (now_ms, actions_max) = (SystemClock.now_ms(), TRANSACTION_ACTIONS_MAX);
    let committer = Committer { store, rules: &rules, owner: &owner, environment, now_ms, actions_max };
    for _ in 0..ATTEMPTS_MAX {
        let stored = Progress::read(store, &owner).await?;
        let mut wanted = stored.clone();
        // A rule that isn't known is filled from the items that are there.
        wanted.rules.retain(|name, _| !names.is_empty() && !names.contains(name));
        if let Committed::Done { .. } = committer.save(&stored, &wanted).await? {
            return Ok(());
        }
    }
    Err(StoreError::TryAgain("a worker changes the progress all the time".to_owned()).into())
}
