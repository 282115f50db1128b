//! The past of tables: items as they were, backups, and restores into new tables.

use singlet_engine::{BackupDescription, Past, ReadChanges, ReadPast, RecordedChange, RecoveryWindow};

use crate::error::StoreError;
use crate::store::Store;

/// A store that keeps the past of its tables.
pub trait History: Store {
    /// Returns the moments to which a table can be recovered; `None` if recovery is off.
    fn recovery_window(
        &self,
        table: &str,
    ) -> impl Future<Output = Result<Option<RecoveryWindow>, StoreError>> + Send;

    /// Reads items of a table as they were at a moment.
    fn read_past(&self, request: ReadPast) -> impl Future<Output = Result<Past, StoreError>> + Send;

    /// Reads recorded changes of a table.
    fn read_changes(
        &self,
        request: ReadChanges,
    ) -> impl Future<Output = Result<Vec<RecordedChange>, StoreError>> + Send;

    /// Begins to restore a table as it was at a moment into a new table.
    fn restore_table(
        &self,
        source: &str,
        target: &str,
        time_ms: u64,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Returns the backups of a table, the oldest first: at most `count_max` of the latest.
    fn backups(
        &self,
        table: &str,
        count_max: usize,
    ) -> impl Future<Output = Result<Vec<BackupDescription>, StoreError>> + Send;

    /// Begins to take a backup of a table.
    fn take_backup(&self, table: &str, name: &str) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Begins to restore a backup into a new table.
    fn restore_backup(&self, arn: &str, target: &str) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Deletes a backup.
    fn delete_backup(&self, arn: &str) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Reads a whole backup and verifies every checksum.
    fn verify_backup(&self, arn: &str) -> impl Future<Output = Result<(), StoreError>> + Send;
}
