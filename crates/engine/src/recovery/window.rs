//! Which moments can be recovered.

use std::sync::Arc;

use super::{Deleted, MILLISECONDS_PER_DAY, Recovery};
use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::request::RecoveryWindow;
use crate::store::View;
use crate::table::{RecoverySetting, Table};

impl RecoverySetting {
    /// The moments that can be recovered at some time, if the table lived until `latest_ms`.
    pub(super) fn window(&self, now_ms: u64, latest_ms: u64) -> RecoveryWindow {
        RecoveryWindow {
            period_days: self.period_days,
            earliest_ms: self.kept_from_ms(now_ms).max(self.since_ms),
            latest_ms,
        }
    }

    /// The moment from which on changes are kept.
    pub(super) fn kept_from_ms(&self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(u64::from(self.period_days) * MILLISECONDS_PER_DAY)
    }
}

impl RecoveryWindow {
    pub(super) fn holds(&self, time_ms: u64) -> bool {
        (self.earliest_ms..=self.latest_ms).contains(&time_ms)
    }
}

impl Recovery {
    /// The moment that it is now. Commits never go back in time, though the clock may.
    pub(super) fn now_ms(&self, view: &View<Catalogue>) -> u64 {
        self.shared.clock.now_ms().max(view.time_ms())
    }

    /// The moments to which a table can be recovered; `None` if recovery is off.
    pub(crate) fn window(&self, table: &str) -> Result<Option<RecoveryWindow>> {
        let view = self.shared.background.view()?;
        let table =
            view.attachment().resource(table).map_err(|_| Error::SourceTableNotFound(table.to_owned()))?;
        let now_ms = self.now_ms(&view);
        Ok(table.settings.recovery.map(|recovery| recovery.window(now_ms, now_ms)))
    }

    /// The table of this name, as it is now or was when it was deleted, that was there at a moment, and that moment.
    pub(super) fn source(
        &self,
        view: &View<Catalogue>,
        name: &str,
        time_ms: Option<u64>,
    ) -> Result<(Arc<Table>, u64)> {
        let now_ms = self.now_ms(view);
        let live = view.attachment().resource(name).ok().filter(|table| !table.is_loading()).cloned();
        let is_there = live.is_some();
        let mut candidates: Vec<(Arc<Table>, u64)> = live.into_iter().map(|table| (table, now_ms)).collect();
        // The latest one first.
        for deleted in Deleted::all(view)?.into_iter().rev().filter(|deleted| deleted.table.name == name) {
            candidates.push((Arc::new(deleted.table), deleted.deleted_ms));
        }
        let mut windows = candidates.iter().filter_map(|(table, latest_ms)| {
            Some((table, table.settings.recovery?.window(now_ms, *latest_ms)))
        });
        let found = windows.clone().find_map(|(table, window)| {
            let time_ms = time_ms.unwrap_or(window.latest_ms);
            window.holds(time_ms).then(|| (table.clone(), time_ms))
        });
        match (found, windows.next(), is_there) {
            (Some(found), _, _) => Ok(found),
            (None, Some((_, window)), _) => Err(Error::RestoreTime(window)),
            (None, None, true) => Err(Error::RecoveryOff(name.to_owned())),
            (None, None, false) => Err(Error::SourceTableNotFound(name.to_owned())),
        }
    }
}
