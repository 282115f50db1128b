//! Maintenance of history: changes and deleted tables are removed after their retention period.

use std::collections::HashMap;
use std::time::Duration;

use super::Recovery;
use crate::background::{Stop, Tasks};
use crate::bookkeeping::DeletedTable;
use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::pending::Pending;
use crate::store::{Latest, View};
use crate::write::Job;

/// The time between two looks for old history.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(60);

impl Recovery {
    /// Starts the thread that removes old history.
    pub(crate) fn start_maintenance(&self, tasks: &Tasks) -> Result<()> {
        let recovery = self.clone();
        tasks.spawn("singlet-history", move |stop| {
            while stop.wait(LOOK_AGAIN_AFTER).is_ok() {
                match recovery.give_up_proven(stop) {
                    Ok(()) | Err(Error::Closed) => {}
                    Err(error) => {
                        tracing::warn!(%error, "old history could not be removed; it will be tried again")
                    }
                }
            }
        })
    }

    /// Removes old history if the clock is trusted.
    fn give_up_proven(&self, stop: &Stop) -> Result<()> {
        if self.shared.time.may_delete() { self.give_up_old(stop) } else { Ok(()) }
    }

    /// Removes changes that nobody can read any more, and deleted tables that can't be recovered any more.
    pub(crate) fn give_up_old(&self, stop: &Stop) -> Result<()> {
        let view = self.shared.background.view()?;
        let now = self.now(&view);
        for deleted in DeletedTable::all(&view)? {
            stop.check()?;
            let recovery = deleted.table.settings.recovery;
            let is_in_reach =
                recovery.is_some_and(|setting| setting.kept_from_ms(now.ms) <= deleted.deleted_ms);
            let is_read = self.pins().iter().any(|(table, _)| *table == deleted.table.number);
            if !is_in_reach && !is_read {
                self.forget(&deleted)?;
            } else if deleted.deleted_ms > now.ms {
                // The clock was ahead. The table must not be kept until that time.
                self.redate(&deleted)?;
            }
        }
        let view = self.shared.background.view()?;
        let needed = self.needed_from(&view, now.ms)?;
        let is_recovered =
            |table: u32, last_ms: u64| needed.get(&table).is_some_and(|&from_ms| last_ms >= from_ms);
        let catalogue = view.catalogue();
        let is_needed = |table, Latest { sequence, time_ms }| {
            is_recovered(table, catalogue.turns().effective_ms(sequence, time_ms))
                || catalogue.stream_needs(table, sequence)
        };
        self.shared.background.store()?.trim_past(is_needed)?;
        Ok(())
    }

    fn redate(&self, deleted: &DeletedTable) -> Result<()> {
        let (answer, pending) = Pending::channel();
        self.shared.background.submit(Job::RedateDeleted { table: deleted.table.number, answer })?;
        pending.wait()
    }

    fn forget(&self, deleted: &DeletedTable) -> Result<()> {
        let (answer, pending) = Pending::channel();
        self.shared.background.submit(Job::ForgetDeleted { table: deleted.table.number, answer })?;
        pending.wait()?;
        self.shared.background.wake_maintenance();
        Ok(())
    }

    /// Returns the time of the earliest change that each recoverable table needs.
    fn needed_from(&self, view: &View<Catalogue>, now_ms: u64) -> Result<HashMap<u32, u64>> {
        let live = view.catalogue().tables().map(|table| (table.number, table.settings.recovery));
        let deleted = DeletedTable::all(view)?;
        let deleted = deleted.iter().map(|deleted| (deleted.table.number, deleted.table.settings.recovery));
        let recovered = live.chain(deleted).filter_map(|(table, setting)| Some((table, setting?)));
        let recovered = recovered.map(|(table, setting)| (table, setting.kept_from_ms(now_ms)));
        let mut needed = HashMap::new();
        for (table, from_ms) in recovered.chain(self.pins()) {
            let earliest = needed.entry(table).or_insert(from_ms);
            *earliest = from_ms.min(*earliest);
        }
        Ok(needed)
    }
}
