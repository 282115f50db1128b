//! Requests about backups: create, describe, list, delete, restore.

use super::{RestoreOverrides, TableDescription};

/// Takes a backup of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateBackup {
    /// Table name.
    pub table: String,
    /// The backup's name. It need not be unique.
    pub name: String,
}

impl CreateBackup {
    /// Takes a backup of a table under a name.
    pub fn new(table: impl Into<String>, name: impl Into<String>) -> Self {
        CreateBackup { table: table.into(), name: name.into() }
    }
}

/// The status of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupStatus {
    /// The moment is fixed, and the items are being written.
    Creating,
    /// It can be restored.
    Available,
    /// It was deleted. Only the answer to the deletion has this status.
    Deleted,
}

/// A description of a backup.
#[derive(Debug, Clone, PartialEq)]
pub struct BackupDescription {
    /// Resource name.
    pub arn: String,
    /// Backup name.
    pub name: String,
    /// Status.
    pub status: BackupStatus,
    /// The moment of the backup, in milliseconds since 1970.
    pub created_ms: u64,
    /// When it is deleted automatically. `None` for backups that no schedule took.
    pub expires_ms: Option<u64>,
    /// The table at that moment, with its item count and its size.
    pub source: TableDescription,
}

/// Lists backups, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListBackups {
    /// Only backups of tables with this name, whether or not the table still exists.
    pub table: Option<String>,
    /// Only those created at or after this time, in milliseconds since 1970.
    pub from_ms: Option<u64>,
    /// Only those created before this time.
    pub until_ms: Option<u64>,
    /// Start after this backup, whether or not it exists.
    pub start_after: Option<String>,
    /// At most this many (1 to 100; 100 if not given).
    pub limit: Option<usize>,
}

/// A page of backups.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ListBackupsOutcome {
    /// The backups.
    pub backups: Vec<BackupDescription>,
    /// Where the next page starts, if there is one.
    pub last: Option<String>,
}

/// Creates a table from a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreBackup {
    /// The backup.
    pub arn: String,
    /// The new table's name.
    pub table: String,
    /// Differences between the new table and the old one.
    pub overrides: RestoreOverrides,
}

impl RestoreBackup {
    /// Restores a backup as a table with this name.
    pub fn new(arn: impl Into<String>, table: impl Into<String>) -> Self {
        RestoreBackup { arn: arn.into(), table: table.into(), overrides: RestoreOverrides::default() }
    }
}

/// The progress of a backup or a restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BackupProgress {
    /// Items done.
    pub items: u64,
    /// Items in all.
    pub items_total: u64,
}
