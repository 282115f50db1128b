//! Creating a table from a backup.

use std::path::PathBuf;

use super::file::FileReader;
use super::list::find;
use super::{BackupClaim, Backups, file_name, outside};
use crate::background::Stop;
use crate::bookkeeping::{Backup, BackupState};
use crate::error::{Error, InUse, Result};
use crate::load::{LoadRow, Loader};
use crate::request::{BackupDescription, BackupProgress, RestoreOverrides, TableDescription};
use crate::table::LoadSource;

/// A backup up to this size is verified completely before the restore begins, so that the caller learns of damage. A
/// larger one is verified while it is read. Damage then ends the restore and removes the table.
const VERIFIED_FIRST_BYTES_MAX: u64 = 256 << 20;

/// The source of a restore.
#[derive(Debug, Clone)]
pub(crate) enum RestoreSource {
    /// The backup with this ARN.
    Stored(String),
    /// A file outside the database's folder.
    File(PathBuf),
}

/// A restore whose table exists and is empty, with status CREATING.
pub(crate) struct BegunRestore {
    reader: FileReader,
    loader: Loader,
    _claim: Option<BackupClaim>,
}

impl BegunRestore {
    /// The table at the beginning.
    pub(crate) fn description(&self) -> &TableDescription {
        self.loader.description()
    }
}

impl Backups {
    /// Creates the table of a restore.
    pub(crate) fn begin_restore(
        &self,
        source: &RestoreSource,
        table: String,
        overrides: RestoreOverrides,
        stop: &Stop,
    ) -> Result<BegunRestore> {
        let (claim, reader) = self.open(source)?;
        if reader.file_bytes() <= VERIFIED_FIRST_BYTES_MAX {
            self.open(source)?.1.verify(|_| stop.check())?;
        }
        let Backup { moment, table: old, .. } = reader.head();
        let view = self.shared.background.view()?;
        view.catalogue().check_encryption(overrides.encryption.as_ref())?;
        let definition = old.definition(table, overrides)?;
        let load_source = LoadSource::Backup {
            table_arn: old.arn.clone(),
            backup_arn: reader.head().arn(),
            time_ms: moment.time_ms,
        };
        let loader = Loader::begin(&self.shared.background, definition, load_source)
            .map_err(|error| self.name_is_taken(error))?;
        Ok(BegunRestore { reader, loader, _claim: claim })
    }

    /// Fills the table and opens it. If this fails, the table is removed.
    pub(crate) fn load(
        &self,
        begun: BegunRestore,
        stop: &Stop,
        look: &mut dyn FnMut(BackupProgress),
    ) -> Result<TableDescription> {
        let BegunRestore { mut reader, mut loader, _claim } = begun;
        let (progress, items_total) = (loader.progress(), reader.head().tally.count);
        while let Some(items) = reader.next_block()? {
            stop.check()?;
            for item in items {
                loader.push(LoadRow::Put(item))?;
            }
            look(BackupProgress { items: progress.rows(), items_total });
        }
        let description = loader.finish()?;
        look(BackupProgress { items: progress.rows(), items_total: progress.rows() });
        Ok(description)
    }

    /// Reads a whole backup and verifies every checksum.
    pub(crate) fn verify(
        &self,
        arn: &str,
        look: &mut dyn FnMut(BackupProgress),
    ) -> Result<BackupDescription> {
        let (_claim, reader) = self.open(&RestoreSource::Stored(arn.to_owned()))?;
        let items_total = reader.head().tally.count;
        reader.verify(|items| {
            look(BackupProgress { items, items_total });
            Ok(())
        })?;
        self.describe(arn)
    }

    fn open(&self, source: &RestoreSource) -> Result<(Option<BackupClaim>, FileReader)> {
        match source {
            RestoreSource::File(path) => {
                let store = self.shared.background.store()?;
                Ok((None, outside::open(path, store.key())?))
            }
            RestoreSource::Stored(arn) => {
                let backup = find(&*self.shared.background.view()?, arn)?;
                if backup.state == BackupState::Creating {
                    return Err(Error::BackupInUse(arn.clone()));
                }
                let claim = self.claim(&backup, false)?;
                Ok((Some(claim), self.open_stored(&backup)?))
            }
        }
    }

    pub(super) fn open_stored(&self, backup: &Backup) -> Result<FileReader> {
        let name = file_name(&backup.id);
        let disk = &self.shared.disk;
        let failed = |error: std::io::Error| Error::Backup(format!("can't read {name}: {error}"));
        // Opening a missing file would create it.
        if !disk.list().map_err(failed)?.contains(&name) {
            return Err(Error::Backup(format!("{name}, the file of {}, is missing", backup.arn())));
        }
        let reader = FileReader::open(disk.open(&name).map_err(failed)?, &name)?;
        if reader.head().id != backup.id {
            return Err(Error::Backup(format!(
                "{name} is the file of another backup, {}",
                reader.head().arn()
            )));
        }
        Ok(reader)
    }

    /// A table with that name may exist or be in creation.
    pub(crate) fn name_is_taken(&self, error: Error) -> Error {
        let Error::ResourceInUse(InUse::TableExists(name)) = error else { return error };
        let view = self.shared.background.view();
        let is_loading =
            view.is_ok_and(|view| view.catalogue().resource(&name).is_ok_and(|table| table.is_loading()));
        if is_loading { Error::TableInUse(name) } else { Error::TableAlreadyExists(name) }
    }
}
