//! Backups and restores.

use std::path::{Path, PathBuf};

use singlet_values::Schedule;

use super::Database;
use crate::background::Stop;
use crate::backup::{RestoreSource, verify_file};
use crate::error::Result;
use crate::pending::{Pending, answer};
use crate::request::{
    BackupDescription, BackupProgress, CreateBackup, ListBackups, ListBackupsOutcome, RestoreBackup,
    RestoreOverrides, TableDescription,
};
use crate::store::Key;
use crate::table::ScheduleSetting;
use crate::write::{BackupStart, Job};

impl Database {
    /// Takes a backup of a table. It returns when the moment is fixed; the items are written in the background.
    pub fn create_backup(&self, request: CreateBackup) -> Result<BackupDescription> {
        self.submit_create_backup(request).wait()
    }

    /// Submits a backup without waiting.
    pub fn submit_create_backup(&self, request: CreateBackup) -> Pending<BackupDescription> {
        let backups = self.inner.backups.clone();
        self.run_task("singlet-backup", move |stop, sender| match backups.begin(on_demand(request)) {
            Ok(begun) => {
                answer(sender, Ok(begun.backup.describe(begun.backup.status())));
                // The task itself logs a failure.
                let _ = backups.write(begun, stop, &mut |_| ());
            }
            Err(error) => answer(sender, Err(error)),
        })
    }

    /// Takes a backup of a table and waits until it is complete. `look` is called with the progress.
    pub fn create_whole_backup(
        &self,
        request: CreateBackup,
        look: &mut dyn FnMut(BackupProgress),
    ) -> Result<BackupDescription> {
        let begun = self.inner.backups.begin(on_demand(request))?;
        let backup = self.inner.backups.write(begun, &Stop::default(), look)?;
        Ok(backup.describe(backup.status()))
    }

    /// Describes a backup.
    pub fn describe_backup(&self, arn: &str) -> Result<BackupDescription> {
        self.inner.backups.describe(arn)
    }

    /// Reads a whole backup, verifies every checksum, and describes it. `look` is called with the progress.
    pub fn verify_backup(
        &self,
        arn: &str,
        look: &mut dyn FnMut(BackupProgress),
    ) -> Result<BackupDescription> {
        self.inner.backups.verify(arn, look)
    }

    /// Lists backups.
    pub fn list_backups(&self, request: &ListBackups) -> Result<ListBackupsOutcome> {
        self.inner.backups.list(request)
    }

    /// Deletes a backup.
    pub fn delete_backup(&self, arn: &str) -> Result<BackupDescription> {
        self.submit_delete_backup(arn).wait()
    }

    /// Submits the deletion of a backup without waiting.
    pub fn submit_delete_backup(&self, arn: &str) -> Pending<BackupDescription> {
        let (backups, arn) = (self.inner.backups.clone(), arn.to_owned());
        self.run_task("singlet-backup", move |_, sender| {
            let mut sender = Some(sender);
            let deleted = backups.delete(&arn, |backup| {
                if let Some(sender) = sender.take() {
                    answer(sender, Ok(backup.clone()));
                }
            });
            if let (Err(error), Some(sender)) = (deleted, sender) {
                answer(sender, Err(error));
            }
        })
    }

    /// Creates a table from a backup. It returns when the table exists with status CREATING. The items are restored
    /// in the background, and then the table is ACTIVE.
    pub fn restore_backup(&self, request: RestoreBackup) -> Result<TableDescription> {
        self.submit_restore_backup(request).wait()
    }

    /// Submits a restore from a backup without waiting.
    pub fn submit_restore_backup(&self, request: RestoreBackup) -> Pending<TableDescription> {
        let backups = self.inner.backups.clone();
        self.run_task("singlet-restore", move |stop, sender| {
            let RestoreBackup { arn, table, overrides } = request;
            let source = RestoreSource::Stored(arn.clone());
            match backups.begin_restore(&source, table.clone(), overrides, stop) {
                Ok(begun) => {
                    answer(sender, Ok(begun.description().clone()));
                    if let Err(error) = backups.load(begun, stop, &mut |_| ()) {
                        tracing::error!(table, backup = arn, %error, "the restore failed; its table will be removed");
                    }
                }
                Err(error) => answer(sender, Err(error)),
            }
        })
    }

    /// Creates a table from a backup and waits until all items are restored. `look` is called with the progress.
    pub fn restore_whole_backup(
        &self,
        request: RestoreBackup,
        look: &mut dyn FnMut(BackupProgress),
    ) -> Result<TableDescription> {
        let RestoreBackup { arn, table, overrides } = request;
        self.restore(&RestoreSource::Stored(arn), table, overrides, look)
    }

    /// Writes the present state of a table into a new file in a folder outside the database, and returns its path.
    /// The file has the format of a backup. If the database is encrypted, so is the file, with the same outer key.
    pub fn write_backup_file(
        &self,
        table: &str,
        folder: impl AsRef<Path>,
        look: &mut dyn FnMut(BackupProgress),
    ) -> Result<PathBuf> {
        self.inner.backups.write_outside(table, folder.as_ref(), look)
    }

    /// Creates a table from a file that [`Database::write_backup_file`] of this or another database wrote.
    pub fn restore_backup_file(
        &self,
        path: impl Into<PathBuf>,
        table: impl Into<String>,
        overrides: RestoreOverrides,
        look: &mut dyn FnMut(BackupProgress),
    ) -> Result<TableDescription> {
        self.restore(&RestoreSource::File(path.into()), table.into(), overrides, look)
    }

    /// Describes the backup in a file. Its head is verified first, and with `whole` the rest too. A file of an
    /// encrypted database needs its key.
    pub fn describe_backup_file(
        path: impl AsRef<Path>,
        key: Option<&Key>,
        whole: bool,
        look: &mut dyn FnMut(BackupProgress),
    ) -> Result<BackupDescription> {
        verify_file(path.as_ref(), key, whole, look)
    }

    fn restore(
        &self,
        source: &RestoreSource,
        table: String,
        overrides: RestoreOverrides,
        look: &mut dyn FnMut(BackupProgress),
    ) -> Result<TableDescription> {
        let stop = Stop::default();
        let begun = self.inner.backups.begin_restore(source, table, overrides, &stop)?;
        self.inner.backups.load(begun, &stop, look)
    }

    /// Sets or removes the backup schedule of a table. A table without one uses the schedule in the options.
    pub fn set_backup_schedule(&self, table: &str, schedule: Option<Schedule>) -> Result<()> {
        let schedule = schedule
            .map(|schedule| ScheduleSetting { every_ms: schedule.every_ms(), keep_ms: schedule.keep_ms() });
        let (answer, pending) = Pending::channel();
        self.submit(Job::SetSchedule { name: table.to_owned(), schedule, answer }, pending).wait()?;
        self.inner.backups.start_timer(&self.inner.tasks, Vec::new())
    }

    /// Returns the backup schedule of a table, if it has its own.
    pub fn backup_schedule(&self, table: &str) -> Result<Option<Schedule>> {
        let view = self.view();
        let setting = view.catalogue().resource(table)?.settings.schedule;
        Ok(setting.and_then(|setting| Schedule::from_ms(setting.every_ms, setting.keep_ms)))
    }

    /// Runs a task in the background that sends its answer before it ends.
    pub(super) fn run_task<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&Stop, crate::pending::Answer<T>) + Send + 'static,
    ) -> Pending<T> {
        let (sender, pending) = Pending::channel();
        match self.inner.tasks.spawn(name, move |stop| work(stop, sender)) {
            Ok(()) => pending,
            Err(error) => Pending::ready(Err(error)),
        }
    }
}

fn on_demand(request: CreateBackup) -> BackupStart {
    BackupStart::New { table: request.table, name: request.name, keep_ms: None }
}
