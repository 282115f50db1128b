//! Backups in files outside the database's folder, for example on another disk.

use std::fs;
use std::path::{Path, PathBuf};

use super::file::{FileReader, FileWriter};
use super::take::copy_items;
use super::{Backups, NEW_SUFFIX};
use crate::background::Stop;
use crate::bookkeeping::{Backup, BackupState, backup_id};
use crate::error::{Error, Result};
use crate::moment::Moment;
use crate::request::{BackupDescription, BackupProgress};
use crate::store::{Key, create_private_folder, open_file, open_outside, seal_outside, time_after};

/// The suffix of such a file.
const EXTENSION: &str = "backup";

impl Backups {
    /// Writes the present state of a table into a new file in a folder. Creates the folder if it doesn't exist.
    pub(crate) fn write_outside(
        &self,
        table: &str,
        folder: &Path,
        look: &mut dyn FnMut(BackupProgress),
    ) -> Result<PathBuf> {
        let view = self.shared.background.view()?;
        let found = view.catalogue().resource(table);
        let table = found.map_err(|_| Error::SourceTableNotFound(table.to_owned()))?;
        if table.is_loading() {
            return Err(Error::TableInUse(table.name.clone()));
        }
        let time_ms = time_after(view.time_ms(), self.shared.time.now_ms());
        let moment = Moment { sequence: view.sequence(), time_ms };
        let id = backup_id(table, moment, 0);
        let backup = Backup {
            name: format!("{}-{id}", table.name),
            id,
            state: BackupState::Available,
            moment,
            expires_ms: None,
            table: crate::table::Table::clone(table),
            tally: view.tally(table.items().tally()),
        };
        let path = folder.join(format!("{}.{EXTENSION}", backup.name));
        let new_path = folder.join(format!("{}.{EXTENSION}{NEW_SUFFIX}", backup.name));
        let failed =
            |error: std::io::Error| Error::Backup(format!("can't write {}: {error}", path.display()));
        create_private_folder(folder).map_err(failed)?;
        let file = open_file(&new_path, true).map_err(failed)?;
        // A copy of encrypted data is encrypted too.
        let file = match self.shared.background.store()?.key() {
            Some(key) => seal_outside(file, &path.display().to_string(), key)?,
            None => file,
        };
        let written =
            FileWriter::create(file, &path.display().to_string(), &backup).and_then(|mut writer| {
                let mut look = |progress| {
                    look(progress);
                    Ok(())
                };
                copy_items(&view, &backup, &mut writer, &Stop::default(), &mut look)?;
                writer.finish()
            });
        if let Err(error) = written {
            // An unfinished file is useless. If it can't be removed either, the first error is the one to report.
            let _ = fs::remove_file(&new_path);
            return Err(error);
        }
        fs::rename(&new_path, &path).map_err(failed)?;
        sync_folder(folder).map_err(failed)?;
        Ok(path)
    }
}

/// Opens a file and reads its head. An encrypted file needs the key of the database that wrote it.
pub(super) fn open(path: &Path, key: Option<&Key>) -> Result<FileReader> {
    let name = path.display().to_string();
    let file =
        open_file(path, false).map_err(|error| Error::Backup(format!("can't read {name}: {error}")))?;
    FileReader::open(open_outside(file, &name, key)?, &name)
}

/// Describes the backup in a file. With `whole`, verifies every checksum first.
pub(crate) fn verify_file(
    path: &Path,
    key: Option<&Key>,
    whole: bool,
    look: &mut dyn FnMut(BackupProgress),
) -> Result<BackupDescription> {
    let reader = open(path, key)?;
    let backup = reader.head().clone();
    if whole {
        let items_total = backup.tally.count;
        reader.verify(|items| {
            look(BackupProgress { items, items_total });
            Ok(())
        })?;
    }
    Ok(backup.describe(crate::request::BackupStatus::Available))
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> std::io::Result<()> {
    // On other systems a folder can't be opened for syncing. The file system's journal orders its changes.
    Ok(())
}
