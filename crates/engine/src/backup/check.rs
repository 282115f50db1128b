//! What a verification of the whole database looks at: every backup has its file, and every file is as it was written.

use super::catalogue::{first_row, last_row, rows};
use super::file::FileReader;
use super::{BackupState, file_name};
use crate::error::{Error, Result};
use crate::store::StoreError;
use crate::verify::{Check, Context, Finding, Reporter};

/// Checks backups.
pub(crate) struct CheckBackups;

impl Check for CheckBackups {
    fn check(&self, context: &Context<'_>, report: &mut Reporter) -> Result<(), StoreError> {
        let list = context.files.list();
        let names =
            list.map_err(|source| StoreError::Io { action: "list", file: "the folder".into(), source })?;
        for backup in rows(context.view, &first_row(), &last_row()) {
            let checked = backup.and_then(|backup| {
                let name = file_name(&backup.id);
                if backup.state == BackupState::Creating {
                    return Ok(());
                }
                if !names.contains(&name) {
                    return Err(Error::Backup(format!("{name}, the file of a backup, is missing")));
                }
                let opened = context.files.open(&name);
                let file = opened.map_err(|error| Error::Backup(format!("can't read {name}: {error}")))?;
                let reader = FileReader::open(file, &name)?;
                if reader.head().id != backup.id {
                    return Err(Error::Backup(format!("{name} is the file of another backup")));
                }
                reader.verify(|_| Ok(())).map(drop)
            });
            if let Err(error) = checked {
                report.found(Finding::Unreadable(error.to_string()));
            }
        }
        Ok(())
    }
}
