//! The past of tables in this process.

use singlet_engine::{
    BackupDescription, CreateBackup, ListBackups, Past, ReadChanges, ReadPast, RecordedChange,
    RecoveryWindow, RestoreBackup, RestoreToTime,
};

use super::Embedded;
use super::error::store_error;
use crate::error::StoreError;
use crate::history::History;

impl History for Embedded {
    async fn recovery_window(&self, table: &str) -> Result<Option<RecoveryWindow>, StoreError> {
        self.database().recovery_window(table).map_err(|error| store_error(error, table))
    }

    async fn read_past(&self, request: ReadPast) -> Result<Past, StoreError> {
        self.database().read_past(&request).map_err(|error| store_error(error, &request.table))
    }

    async fn read_changes(&self, request: ReadChanges) -> Result<Vec<RecordedChange>, StoreError> {
        self.database().read_changes(&request).map_err(|error| store_error(error, &request.table))
    }

    async fn restore_table(&self, source: &str, target: &str, time_ms: u64) -> Result<(), StoreError> {
        let request = RestoreToTime::new(source, target).at_ms(time_ms);
        let restored = self.database().submit_restore_to_time(request).await;
        restored.map(drop).map_err(|error| store_error(error, source))
    }

    async fn backups(&self, table: &str, count_max: usize) -> Result<Vec<BackupDescription>, StoreError> {
        let mut request = ListBackups { table: Some(table.to_owned()), ..ListBackups::default() };
        let mut found: Vec<BackupDescription> = Vec::new();
        loop {
            let page = self.database().list_backups(&request).map_err(|error| store_error(error, table))?;
            found.extend(page.backups);
            found.drain(..found.len().saturating_sub(count_max));
            match page.last {
                Some(last) => request.start_after = Some(last),
                None => return Ok(found),
            }
        }
    }

    async fn take_backup(&self, table: &str, name: &str) -> Result<(), StoreError> {
        let taken = self.database().submit_create_backup(CreateBackup::new(table, name)).await;
        taken.map(drop).map_err(|error| store_error(error, table))
    }

    async fn restore_backup(&self, arn: &str, target: &str) -> Result<(), StoreError> {
        let restored = self.database().submit_restore_backup(RestoreBackup::new(arn, target)).await;
        restored.map(drop).map_err(|error| store_error(error, target))
    }

    async fn delete_backup(&self, arn: &str) -> Result<(), StoreError> {
        let deleted = self.database().submit_delete_backup(arn).await;
        deleted.map(drop).map_err(|error| store_error(error, arn))
    }

    async fn verify_backup(&self, arn: &str) -> Result<(), StoreError> {
        self.database().verify_backup(arn, &mut |_| ()).map(drop).map_err(|error| store_error(error, arn))
    }
}
