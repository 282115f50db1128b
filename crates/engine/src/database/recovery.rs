//! Point-in-time recovery.

use super::Database;
use crate::background::Stop;
use crate::error::Result;
use crate::maintenance::note_time;
use crate::moment::RecoveryWindow;
use crate::pending::{Pending, answer};
use crate::request::{
    Past, ReadChanges, ReadPast, RecordedChange, RecoveryProgress, RestoreToTime, TableDescription,
    UpdateRecovery,
};
use crate::write::Job;

impl Database {
    /// Turns point-in-time recovery of a table on or off.
    pub fn update_recovery(&self, request: UpdateRecovery) -> Result<()> {
        self.submit_update_recovery(request).wait()
    }

    /// Submits a change of recovery without waiting.
    pub fn submit_update_recovery(&self, request: UpdateRecovery) -> Pending<()> {
        let (answer, pending) = Pending::channel();
        self.submit(Job::SetRecovery { request, answer }, pending)
    }

    /// Returns the moments to which a table can be recovered, or `None` if recovery is off.
    pub fn recovery_window(&self, table: &str) -> Result<Option<RecoveryWindow>> {
        self.inner.recovery.window(table)
    }

    /// Reads recorded changes of a table: those that its stream or its recovery keeps.
    pub fn read_changes(&self, request: &ReadChanges) -> Result<Vec<RecordedChange>> {
        self.inner.recovery.read_changes(request)
    }

    /// Reads items of a table as they were at a moment. It takes the time of the recorded changes since then, up to the
    /// request's bound, whatever the size of the table.
    pub fn read_past(&self, request: &ReadPast) -> Result<Past> {
        self.inner.recovery.read_past(request)
    }

    /// Creates a table with the state of another table at a moment. It returns when the table exists with status
    /// CREATING. The items are restored in the background, and then the table is ACTIVE.
    pub fn restore_to_time(&self, request: RestoreToTime) -> Result<TableDescription> {
        self.submit_restore_to_time(request).wait()
    }

    /// Submits a restore to a moment without waiting.
    pub fn submit_restore_to_time(&self, request: RestoreToTime) -> Pending<TableDescription> {
        let recovery = self.inner.recovery.clone();
        self.run_task("singlet-recovery", move |stop, sender| {
            let (source, target) = (request.source.clone(), request.target.clone());
            match recovery.begin(request) {
                Ok(begun) => {
                    answer(sender, Ok(begun.description().clone()));
                    if let Err(error) = recovery.fill(begun, stop, &mut |_| ()) {
                        tracing::error!(source, target, %error, "the recovery failed; its table is removed");
                    }
                }
                Err(error) => answer(sender, Err(error)),
            }
        })
    }

    /// Creates a table with the state of another table at a moment, and waits until all items are restored. `look` is
    /// called with the progress.
    pub fn restore_whole_to_time(
        &self,
        request: RestoreToTime,
        look: &mut dyn FnMut(RecoveryProgress),
    ) -> Result<TableDescription> {
        let begun = self.inner.recovery.begin(request)?;
        self.inner.recovery.fill(begun, &Stop::default(), look)
    }

    /// Removes history and deleted tables that are older than every retention period. Maintenance does this once a
    /// minute; this call is for programs that control the clock.
    pub fn give_up_old_history(&self) -> Result<()> {
        note_time(&self.inner.store)?;
        self.inner.recovery.give_up_old(&Stop::default())
    }
}
