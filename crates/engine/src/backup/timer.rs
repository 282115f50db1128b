//! Scheduled backups: taken when they are due, deleted after their retention period.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use singlet_values::Schedule;

use super::Backups;
use crate::background::{Stop, Tasks};
use crate::bookkeeping::{Backup, BackupState};
use crate::error::{Error, Result};
use crate::table::Table;
use crate::turns::Now;
use crate::write::BackupStart;

/// The time between two looks at the clock. The clock is injected, so it can only be polled.
const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(100);
/// The age at which a new table gets its first backup. Tests create and delete tables quickly.
const FIRST_AFTER_MS: u64 = 60_000;
/// The time until an expired backup is checked again that must stay, because it is the latest or is being restored.
const LOOK_AT_KEPT_AFTER_MS: u64 = 60 * 60_000;
/// The time until the next try after a failed backup.
const RETRY_AFTER_MS: u64 = 5 * 60_000;

/// The state of the timer between two looks.
#[derive(Default)]
struct Memory {
    /// The latest scheduled backup of each table, by the table's id.
    latest: HashMap<String, u64>,
    /// When to try again after a failure, by the table's id.
    retry: HashMap<String, u64>,
    /// When to look for expired backups.
    next_expiry_ms: Option<u64>,
    /// When the clock was last looked at.
    looked_ms: u64,
}

impl Backups {
    /// Starts the thread that repeats interrupted backups and follows the schedules, unless it is running or has
    /// nothing to do.
    pub(crate) fn start_timer(&self, tasks: &Tasks, interrupted: Vec<String>) -> Result<()> {
        if interrupted.is_empty() && !self.has_schedules()? {
            return Ok(());
        }
        if self.shared.timer_runs.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let backups = self.clone();
        tasks.spawn("singlet-backups", move |stop| {
            if let Err(error) = backups.keep(interrupted, stop)
                && !matches!(error, Error::Closed)
            {
                tracing::error!(%error, "scheduled backups have stopped");
            }
        })
    }

    fn has_schedules(&self) -> Result<bool> {
        let view = self.shared.background.view()?;
        let of_tables = view.catalogue().tables().any(|table| table.settings.schedule.is_some());
        Ok(self.shared.schedule.is_some()
            || of_tables
            || self.all()?.iter().any(|backup| backup.expires_ms.is_some()))
    }

    fn keep(&self, interrupted: Vec<String>, stop: &Stop) -> Result<()> {
        for id in interrupted {
            self.take_again(id, stop)?;
        }
        // The first look checks all backups, including those that stayed beyond their time.
        let mut memory = self.remember(None)?;
        loop {
            let now = self.now()?;
            if now.ms < memory.looked_ms {
                // The clock was set back, so times that are later now mean nothing.
                memory = self.remember(None)?;
            }
            memory.looked_ms = now.ms;
            let mut changed = false;
            for (table, schedule) in self.due(&memory, now.ms)? {
                self.take_scheduled(&table, schedule, now.ms, &mut memory, stop)?;
                changed = true;
            }
            let is_due = changed || memory.next_expiry_ms.is_some_and(|expiry_ms| expiry_ms <= now.ms);
            if is_due && self.shared.time.may_delete() {
                self.expire(&self.now()?, stop)?;
                let Memory { latest, next_expiry_ms, .. } = self.remember(Some(now.ms))?;
                memory = Memory { latest, next_expiry_ms, ..memory };
            }
            stop.wait(LOOK_AGAIN_AFTER)?;
        }
    }

    /// Takes an interrupted backup again, of the present moment.
    fn take_again(&self, id: String, stop: &Stop) -> Result<()> {
        match self.begin(BackupStart::Again { id: id.clone() }) {
            Ok(begun) => {
                tracing::info!(backup = id, "taking an interrupted backup again");
                // The failure is logged where it happens.
                match self.write(begun, stop, &mut |_| ()) {
                    Err(Error::Closed) => Err(Error::Closed),
                    _ => Ok(()),
                }
            }
            Err(Error::SourceTableNotFound(table)) => {
                tracing::warn!(
                    backup = id,
                    table,
                    "the backup was interrupted and its table is deleted; the backup is removed"
                );
                self.forget(&id).map(drop)
            }
            Err(error) => Err(error),
        }
    }

    fn now(&self) -> Result<Now> {
        let view = self.shared.background.view()?;
        Ok(view.catalogue().now(view.now_ms(&self.shared.time)))
    }

    /// `looked_ms` is the time of this look for expired backups, if there was one.
    fn remember(&self, looked_ms: Option<u64>) -> Result<Memory> {
        let now = self.now()?;
        let mut memory = Memory::default();
        for backup in self.all()? {
            let Some(expires_ms) = backup.expires_ms(&now) else { continue };
            let latest = memory.latest.entry(backup.table.id.clone()).or_default();
            *latest = (*latest).max(backup.effective_ms(&now));
            let look_ms = match looked_ms {
                Some(looked_ms) if expires_ms <= looked_ms => looked_ms + LOOK_AT_KEPT_AFTER_MS,
                _ => expires_ms,
            };
            memory.next_expiry_ms = Some(memory.next_expiry_ms.unwrap_or(u64::MAX).min(look_ms));
        }
        Ok(memory)
    }

    /// Returns the tables whose backup is due.
    fn due(&self, memory: &Memory, now_ms: u64) -> Result<Vec<(Arc<Table>, Schedule)>> {
        let view = self.shared.background.view()?;
        let due = view.catalogue().tables().filter(|table| !table.is_loading()).filter_map(|table| {
            let own = table.settings.schedule;
            let own = own.and_then(|schedule| Schedule::from_ms(schedule.every_ms, schedule.keep_ms));
            let schedule = own.or(self.shared.schedule)?;
            let due_ms = match (memory.retry.get(&table.id), memory.latest.get(&table.id)) {
                (Some(retry_ms), _) => *retry_ms,
                (None, Some(latest_ms)) => latest_ms.saturating_add(schedule.every_ms()),
                (None, None) => table.created_ms.saturating_add(FIRST_AFTER_MS),
            };
            // A time too far in the future was recorded by a clock that was ahead.
            let longest_ms = schedule.every_ms().max(RETRY_AFTER_MS).saturating_add(FIRST_AFTER_MS);
            (now_ms >= due_ms || due_ms - now_ms > longest_ms).then(|| (table.clone(), schedule))
        });
        Ok(due.collect())
    }

    fn take_scheduled(
        &self,
        table: &Table,
        schedule: Schedule,
        now_ms: u64,
        memory: &mut Memory,
        stop: &Stop,
    ) -> Result<()> {
        let start = BackupStart::New {
            table: table.name.clone(),
            name: format!("scheduled-{now_ms}"),
            keep_ms: Some(schedule.keep_ms()),
        };
        match self.begin(start).and_then(|begun| self.write(begun, stop, &mut |_| ())) {
            Ok(backup) => {
                tracing::info!(table = table.name, backup = backup.id, %schedule, "a backup was taken");
                memory.retry.remove(&table.id);
                memory.latest.insert(table.id.clone(), backup.moment.time_ms);
            }
            Err(Error::Closed) => return Err(Error::Closed),
            Err(error) => {
                tracing::error!(table = table.name, %error, "the scheduled backup failed and will be tried again");
                memory.retry.insert(table.id.clone(), now_ms.saturating_add(RETRY_AFTER_MS));
            }
        }
        Ok(())
    }

    /// Deletes expired scheduled backups, but never the latest of an existing table.
    fn expire(&self, now: &Now, stop: &Stop) -> Result<()> {
        let all = self.all()?;
        let view = self.shared.background.view()?;
        let scheduled = || all.iter().filter(|backup| backup.expires_ms.is_some());
        let is_latest = |backup: &Backup| {
            let is_there = view.catalogue().numbered(backup.table.number).is_some();
            let later = |other: &Backup| {
                other.table.id == backup.table.id
                    && other.state == BackupState::Available
                    && other.moment.sequence > backup.moment.sequence
            };
            is_there && !scheduled().any(later)
        };
        for backup in
            scheduled().filter(|backup| backup.expires_ms(now).is_some_and(|end_ms| end_ms <= now.ms))
        {
            stop.check()?;
            if backup.state == BackupState::Creating || is_latest(backup) {
                continue;
            }
            match self.delete(&backup.arn(), |_| ()) {
                Ok(()) => {
                    tracing::info!(table = backup.table.name, backup = backup.id, "deleted an expired backup")
                }
                // It is being restored, or another call deleted it.
                Err(Error::BackupInUse(_) | Error::BackupNotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
