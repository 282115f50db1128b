//! Requests about backups: create, describe, list, delete, restore.

use super::{RestoreOverrides, TableDescription};

/// Takes a backup of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateBackup {
    /// Table name.
    pub table: String,
    /// What the backup is called; several may be called the same.
    pub name: String,
}

impl CreateBackup {
    /// A backup of this table, under this name.
    pub fn new(table: impl Into<String>, name: impl Into<String>) -> Self {
        CreateBackup { table: table.into(), name: name.into() }
    }
}

/// The life of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupStatus {
    /// Its moment is taken; the items are being written.
    Creating,
    /// It can be restored.
    Available,
    /// It is gone; only the answer to its deletion says so.
    Deleted,
}

/// A backup as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct BackupDescription {
    /// Resource name.
    pub arn: String,
    /// What it is called.
    pub name: String,
    /// Status.
    pub status: BackupStatus,
    /// The moment of the table that it holds, in milliseconds since 1970.
    pub created_ms: u64,
    /// When it is deleted by itself; only backups of a schedule are.
    pub expires_ms: Option<u64>,
    /// The table as it was at that moment, with its item count and its size.
    pub source: TableDescription,
}

/// Lists backups, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListBackups {
    /// Only those of tables of this name, whether or not there is one now.
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

/// Makes a new table from a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreBackup {
    /// The backup.
    pub arn: String,
    /// The new table's name.
    pub table: String,
    /// What the new table has otherwise than the old one.
    pub overrides: RestoreOverrides,
}

impl RestoreBackup {
    /// The backup as a table of this name.
    pub fn new(arn: impl Into<String>, table: impl Into<String>) -> Self {
        RestoreBackup { arn: arn.into(), table: table.into(), overrides: RestoreOverrides::default() }
    }
}

/// How far a backup or a restore is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BackupProgress {
    /// Items done.
    pub items: u64,
    /// Items in all.
    pub items_total: u64,
}
