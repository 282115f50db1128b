//! The housekeeping thread: work that nobody should wait for.

use std::sync::Arc;

use super::log::Catalogue;
use super::overlay::Overlay;
use crate::sync::mpsc::Receiver;

/// More than this are not put off.
pub(super) const CHORES_WAITING_MAX: usize = 4;

/// Work that nobody should wait for.
pub(super) enum Chore {
    /// A segment was begun: have a file ready for the next one.
    PrepareSegment,
    /// Free an overlay; with a hundred thousand entries that takes a while.
    Free(Overlay),
}

/// Works until the log thread is gone.
pub(super) fn run(catalogue: &Arc<Catalogue>, chores: &Receiver<Chore>) {
    while let Ok(chore) = chores.recv() {
        match chore {
            Chore::Free(overlay) => drop(overlay),
            Chore::PrepareSegment => {
                if let Err(error) = catalogue.prepare_spare() {
                    // The log makes itself a file then, and reports what is wrong if it can't either.
                    tracing::warn!(%error, "no log file could be made ready");
                }
            }
        }
    }
}
