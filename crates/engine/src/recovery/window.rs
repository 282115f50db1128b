//! The moments that can be recovered.

use std::sync::Arc;

use super::Recovery;
use crate::bookkeeping::DeletedTable;
use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::moment::RecoveryWindow;
use crate::store::View;
use crate::table::Table;
use crate::turns::Now;

impl Recovery {
    /// Returns the present for a snapshot.
    pub(super) fn now(&self, view: &View<Catalogue>) -> Now {
        view.catalogue().now(view.now_ms(&self.shared.time))
    }

    /// Returns the moments to which a table can be recovered, or `None` if recovery is off.
    pub(crate) fn window(&self, table: &str) -> Result<Option<RecoveryWindow>> {
        let view = self.shared.background.view()?;
        let table =
            view.catalogue().resource(table).map_err(|_| Error::SourceTableNotFound(table.to_owned()))?;
        let now = self.now(&view);
        Ok(table.settings.recovery.map(|recovery| recovery.window(&now, now.ms)))
    }

    /// Finds the table with this name that existed at a moment, deleted or not, and returns it with the moment.
    pub(super) fn source(
        &self,
        view: &View<Catalogue>,
        name: &str,
        time_ms: Option<u64>,
    ) -> Result<(Arc<Table>, u64)> {
        let now = self.now(view);
        let live = view.catalogue().resource(name).ok().filter(|table| !table.is_loading()).cloned();
        let is_there = live.is_some();
        let mut candidates: Vec<(Arc<Table>, u64)> = live.into_iter().map(|table| (table, now.ms)).collect();
        // The latest first.
        for deleted in DeletedTable::all(view)?.into_iter().rev().filter(|deleted| deleted.table.name == name)
        {
            candidates.push((Arc::new(deleted.table), deleted.deleted_ms.min(now.ms)));
        }
        let mut windows = candidates.iter().filter_map(|(table, latest_ms)| {
            Some((table, table.settings.recovery?.window(&now, *latest_ms)))
        });
        let found = windows.clone().find_map(|(table, window)| {
            let time_ms = time_ms.unwrap_or(window.latest_ms);
            window.contains(time_ms).then(|| (table.clone(), time_ms))
        });
        match (found, windows.next(), is_there) {
            (Some(found), _, _) => Ok(found),
            (None, Some((_, window)), _) => Err(Error::RestoreTime(window)),
            (None, None, true) => Err(Error::RecoveryOff(name.to_owned())),
            (None, None, false) => Err(Error::SourceTableNotFound(name.to_owned())),
        }
    }
}
