//! The checks that rooms with rows or files of their own bring.

use super::backups::CheckBackups;
use super::files::ReadWhole;
use super::finding::Reporter;
use super::past::CheckPast;
use super::transfers::TransferRows;
use crate::store::{Disk, Opened, StoreError, View};

/// What a check may look at.
pub(crate) struct Context<'a> {
    /// Everything committed.
    pub(crate) view: &'a View<()>,
    /// The store, recovered and not started.
    pub(crate) opened: &'a Opened,
    /// The folder's files, decrypted; nothing that is written there lasts.
    pub(crate) files: &'a dyn Disk,
}

/// A check of rows or files that one room keeps.
///
/// It tells `report` what is wrong (`report.found(Finding::…)`), and counts what it checked in `report.counts`. An error
/// that it returns becomes a finding and ends this check only.
pub(crate) trait Check: Sync {
    /// Checks what the room keeps.
    fn check(&self, context: &Context<'_>, report: &mut Reporter) -> Result<(), StoreError>;
}

/// All checks of other rooms.
pub(crate) const CHECKS: &[&dyn Check] = &[&ReadWhole, &CheckPast, &CheckBackups, &TransferRows];
