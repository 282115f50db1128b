//! Arguments for folders that have lost something.

use std::io::Write;

use clap::Args;
use singlet_engine::{Database, StoreOptions};

use crate::style::report;

/// Whether a folder is opened although something is missing.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct LossArguments {
    /// Open the folder although a file or the end of its log is missing; what is missing is lost for good
    #[arg(long)]
    accept_loss: bool,
}

impl LossArguments {
    /// The options of the store with this one.
    pub(crate) fn apply(self, options: StoreOptions) -> StoreOptions {
        StoreOptions { accept_loss: self.accept_loss, ..options }
    }

    /// Says what was missing.
    pub(crate) fn tell(database: &Database) {
        for loss in database.lost() {
            // There is nobody else to tell it to.
            let warning = format!("warning: {}; this was accepted", loss.missing());
            let _ = writeln!(anstream::stderr().lock(), "{}", report(&warning));
        }
    }
}
