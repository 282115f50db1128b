//! Backups in files outside the database's folder: on another disk, or on their way to another machine.
//!
//! If the data is encrypted, so is the folder elsewhere, by the same key, with a file `keys` of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::{FileReader, FileWriter};
use super::take::copy_items;
use super::{Backup, BackupState, Backups, Moment, NEW_SUFFIX, backup_id};
use crate::background::Stop;
use crate::error::{Error, Result};
use crate::request::{BackupDescription, BackupProgress, BackupStatus};
use crate::store::{Disk, FileDisk, Key, SealedDisk, key_of};
use crate::table::Table;

/// What the name of such a file ends with.
const EXTENSION: &str = "backup";

impl Backups {
    /// Writes the table as it is now into a new file in a folder, which is made if need be.
    pub(crate) fn write_outside(
        &self,
        table: &str,
        folder: &Path,
        look: &mut dyn FnMut(BackupProgress),
    ) -> Result<PathBuf> {
        let view = self.shared.background.view()?;
        let found = view.attachment().resource(table);
        let table = found.map_err(|_| Error::SourceTableNotFound(table.to_owned()))?;
        if table.is_loading() {
            return Err(Error::TableInUse(table.name.clone()));
        }
        let time_ms = self.shared.clock.now_ms().max(view.time_ms());
        let moment = Moment { sequence: view.sequence(), time_ms };
        let id = backup_id(table, moment, 0);
        let backup = Backup {
            name: format!("{}-{id}", table.name),
            id,
            state: BackupState::Available,
            moment,
            expires_ms: None,
            table: Table::clone(table),
            tally: view.tally(table.items().tally()),
        };
        let name = file_name(&backup);
        let path = folder.join(&name);
        let failed =
            |error: std::io::Error| Error::Backup(format!("can't write {}: {error}", path.display()));
        fs::create_dir_all(folder).map_err(failed)?;
        let disk = Arc::new(FileDisk::without_lock(folder));
        let disk = self.shared.background.store()?.files_elsewhere(disk)?;
        let new_name = format!("{name}{NEW_SUFFIX}");
        let file = disk.open(&new_name).map_err(failed)?;
        let written =
            FileWriter::create(file, &path.display().to_string(), &backup).and_then(|mut writer| {
                copy_items(&view, &backup, &mut writer, &Stop::default(), look)?;
                writer.finish()
            });
        if let Err(error) = written {
            // What is half written is of no use; that it can't be removed is no news beside the error.
            let _ = disk.remove(&new_name);
            return Err(error);
        }
        disk.rename(&new_name, &name).map_err(failed)?;
        disk.sync_directory().map_err(failed)?;
        Ok(path)
    }

    /// Opens a file and reads its head, with the database's own key if it is encrypted.
    pub(super) fn open_outside(&self, path: &Path) -> Result<FileReader> {
        let store = self.shared.background.store()?;
        open(path, |disk| Ok(store.files_elsewhere(disk)?))
    }
}

/// Some systems hide files whose names begin with a dot, and tables may be called so.
fn file_name(backup: &Backup) -> String {
    let front = if backup.name.starts_with('.') { "table" } else { "" };
    format!("{front}{}.{EXTENSION}", backup.name)
}

fn open(path: &Path, unlock: impl FnOnce(Arc<dyn Disk>) -> Result<Arc<dyn Disk>>) -> Result<FileReader> {
    let shown = path.display().to_string();
    let failed = |reason: &str| Error::Backup(format!("can't read {shown}: {reason}"));
    let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| failed("it is no file"))?;
    // Opening a file that isn't there would make it.
    if !path.is_file() {
        return Err(failed("there is no such file"));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let disk: Arc<dyn Disk> = Arc::new(FileDisk::without_lock(folder));
    // A file of a folder that is not encrypted needs no key, whatever the database has.
    let disk = if key_of(disk.as_ref())?.is_some() { unlock(disk)? } else { disk };
    let file = disk.open(name).map_err(|error| failed(&error.to_string()))?;
    FileReader::open(file, &shown)
}

/// Describes the backup in a file; with `whole`, after verifying every checksum.
pub(crate) fn verify_file(
    path: &Path,
    key: Option<&Key>,
    whole: bool,
    look: &mut dyn FnMut(BackupProgress),
) -> Result<BackupDescription> {
    let reader = open(path, |disk| Ok(SealedDisk::unlock(disk, key)?))?;
    let backup = reader.head().clone();
    if whole {
        let items_total = backup.tally.count;
        reader.verify(|items| {
            look(BackupProgress { items, items_total });
            Ok(())
        })?;
    }
    Ok(backup.describe(BackupStatus::Available))
}
