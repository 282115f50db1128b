//! The note that tells how to undo the last batch.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::path::sync_folder;

const NAME: &str = ".appending";
const NEW: &str = ".appending.new";

/// How long the files were before a batch, and the marks around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    pub(super) before: String,
    pub(super) after: String,
    /// The files, with their lengths. `None` if there was none.
    pub(super) files: Vec<(String, Option<u64>)>,
}

impl Note {
    /// Reads the note, if there is one.
    pub(super) fn read(folder: &Path) -> io::Result<Option<Note>> {
        match fs::read(folder.join(NAME)) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Makes the note durable.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let new = folder.join(NEW);
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&new)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.sync_all()?;
        fs::rename(&new, folder.join(NAME))?;
        sync_folder(folder)
    }

    /// Forgets the note. If the system crashes before this is durable, the note is there again, and says nothing new.
    pub(super) fn forget(folder: &Path) -> io::Result<()> {
        match fs::remove_file(folder.join(NAME)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}
