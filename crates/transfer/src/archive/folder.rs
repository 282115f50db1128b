//! The folder of an archive.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use singlet_derive::{ArchiveFiles, ArchivedItem, Marks};

use super::ENDING;
use super::frame::{frames, summaries};
use super::note::Note;
use crate::path::{existing_folder, make_folders, parts, sync_folder};

const LOCK: &str = ".lock";
/// How deep the folders of an archive are looked into.
const DEPTH_MAX: usize = 16;

/// The folder of an archive, open to append to. One process can have it open.
#[derive(Debug)]
pub struct ArchiveFolder {
    folder: PathBuf,
    /// Held while it is open.
    _lock: File,
}

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedFile {
    /// Its path in the folder.
    pub path: String,
    /// The number of items.
    pub items: u64,
    /// The length of their lines.
    pub bytes: u64,
    /// The length of whole batches in the file.
    pub packed_bytes: u64,
    /// When its first item was deleted, in milliseconds since 1970.
    pub from_ms: u64,
    /// When its last item was deleted.
    pub to_ms: u64,
    /// Bytes behind the last whole batch: it is being written, or the writer was killed. They are cut off when the archive
    /// is opened to append to.
    pub torn_bytes: u64,
}

impl ArchiveFolder {
    /// Opens the folder, and creates it if need be. It is refused while another process has it open.
    pub fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => Ok(ArchiveFolder { folder: folder.canonicalize()?, _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process appends to it"))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Returns where a file is. Its folders exist.
    fn place(&self, file: &str) -> io::Result<(PathBuf, PathBuf)> {
        let wrong =
            || io::Error::new(io::ErrorKind::InvalidInput, format!("{file:?} isn't a path in an archive"));
        let all = parts(file).filter(|_| !file.ends_with('/')).ok_or_else(wrong)?;
        let (name, folders) = all.split_last().ok_or_else(wrong)?;
        let folder = make_folders(&self.folder, folders)?;
        let path = folder.join(format!("{name}{ENDING}"));
        Ok((folder, path))
    }

    fn append_all(&self, marks: Marks<'_>, items: &[ArchivedItem]) -> io::Result<()> {
        let mut by_file: BTreeMap<&str, Vec<&ArchivedItem>> = BTreeMap::new();
        for item in items {
            by_file.entry(&item.file).or_default().push(item);
        }
        let (mut note, mut writes) = (Vec::new(), Vec::new());
        for (file, items) in by_file {
            let (folder, path) = self.place(file)?;
            let length = length(&path)?;
            note.push((file.to_owned(), length));
            writes.push((folder, path, length, frames(items.into_iter())?));
        }
        Note { before: marks.before.to_owned(), after: marks.after.to_owned(), files: note }
            .write(&self.folder)?;
        for (folder, path, length, bytes) in writes {
            let mut file = OpenOptions::new().append(true).create(true).open(path)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            if length.is_none() {
                sync_folder(&folder)?;
            }
        }
        Ok(())
    }

    fn recover_all(&self, saved: &str) -> io::Result<()> {
        let Some(note) = Note::read(&self.folder)? else { return Ok(()) };
        if note.after != saved {
            for (file, length) in &note.files {
                let (folder, path) = self.place(file)?;
                // Another database wrote the note if it has neither mark: its whole batches stay.
                cut(&folder, &path, *length, note.before == saved)?;
            }
        }
        Note::forget(&self.folder)
    }
}

/// Cuts off what was appended after a length; or only a batch that isn't whole.
fn cut(folder: &Path, path: &Path, length: Option<u64>, is_undone: bool) -> io::Result<()> {
    let mut file = match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let before = length.unwrap_or(0);
    let end = if is_undone { before } else { summaries(&mut file, before, &mut |_| {})? };
    if end == 0 && length.is_none() {
        fs::remove_file(path)?;
        return sync_folder(folder);
    }
    // A file is never made longer: if it is shorter, somebody else has taken something away.
    if file.metadata()?.len() > end {
        file.set_len(end)?;
        file.sync_all()?;
    }
    Ok(())
}

/// Returns the length of a file. `None` if there is none. Links aren't followed.
fn length(path: &Path) -> io::Result<Option<u64>> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => Ok(Some(found.len())),
        Ok(_) => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{} isn't a file", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

impl ArchiveFiles for ArchiveFolder {
    fn recover(&mut self, saved: &str) -> Result<(), String> {
        self.recover_all(saved).map_err(|error| self.reason(&error))
    }

    fn append(&mut self, marks: Marks<'_>, items: &[ArchivedItem]) -> Result<(), String> {
        self.append_all(marks, items).map_err(|error| self.reason(&error))
    }

    fn settle(&mut self) -> Result<(), String> {
        Note::forget(&self.folder).map_err(|error| self.reason(&error))
    }
}

impl ArchiveFolder {
    fn reason(&self, error: &io::Error) -> String {
        format!("{}: {error}", self.folder.display())
    }
}

/// Lists the files of an archive, by their paths. Nothing is listed if there is no folder.
pub fn archive_files(folder: &Path) -> io::Result<Vec<ArchivedFile>> {
    let mut found = Vec::new();
    if existing_folder(folder, &[]).is_some() && folder.is_dir() {
        walk(folder, &mut Vec::new(), &mut found)?;
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

fn walk(folder: &Path, above: &mut Vec<String>, found: &mut Vec<ArchivedFile>) -> io::Result<()> {
    if above.len() >= DEPTH_MAX {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let kind = entry.file_type()?;
        if name.starts_with('.') || kind.is_symlink() {
            continue;
        }
        above.push(name);
        if kind.is_dir() {
            walk(&entry.path(), above, found)?;
        } else if entry.path().to_string_lossy().ends_with(ENDING) {
            let path = above.join("/");
            let listed = listed(&entry.path(), path.clone());
            found.push(listed.map_err(|error| io::Error::new(error.kind(), format!("{path}: {error}")))?);
        }
        above.pop();
    }
    Ok(())
}

fn listed(file: &Path, path: String) -> io::Result<ArchivedFile> {
    let mut file = File::open(file)?;
    let (mut items, mut bytes, mut from_ms, mut to_ms) = (0, 0, u64::MAX, 0);
    let end = summaries(&mut file, 0, &mut |summary| {
        items += summary.items;
        bytes += summary.bytes;
        from_ms = from_ms.min(summary.from_ms);
        to_ms = to_ms.max(summary.to_ms);
    })?;
    let torn_bytes = file.metadata()?.len().saturating_sub(end);
    Ok(ArchivedFile { path, items, bytes, packed_bytes: end, from_ms: from_ms.min(to_ms), to_ms, torn_bytes })
}
