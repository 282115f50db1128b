//! The checks that rooms with rows or files of their own bring.

use super::files::ReadWhole;
use super::finding::Reporter;
use crate::store::{Disk, StoreError, View};
use crate::table::Table;

/// What a check may look at.
pub(crate) struct Context<'a> {
    /// Everything committed.
    #[allow(dead_code, reason = "for the checks of rows that other rooms keep")]
    pub(crate) view: &'a View<()>,
    /// The tables that could be read.
    #[allow(dead_code, reason = "for the checks of rows that other rooms keep")]
    pub(crate) tables: &'a [Table],
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
pub(crate) const CHECKS: &[&dyn Check] = &[&ReadWhole];
