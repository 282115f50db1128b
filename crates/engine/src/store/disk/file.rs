//! The disk of the operating system.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(unix)]
use super::FileId;
use super::{Disk, DiskFile};
use crate::store::StoreError;

const LOCK_NAME: &str = "lock";

/// A folder of the file system, locked for one process.
///
/// The lock is on the folder itself, so removing a file doesn't let in a second process. Earlier versions lock only
/// the file `lock`, so this file is locked too.
#[derive(Debug)]
pub struct FileDisk {
    folder: PathBuf,
    lock: Mutex<File>,
    /// The folder; `None` on systems where a folder can't be locked.
    directory: Option<File>,
}

impl FileDisk {
    /// Opens the folder, and creates it if it doesn't exist. Refused while another process has it open.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, StoreError> {
        let folder = folder.as_ref().to_path_buf();
        let shown = folder.display().to_string();
        create_private_folder(&folder).map_err(StoreError::io("create", &shown))?;
        warn_of_readers(&folder);
        let refused = |error: TryLockError| match error {
            TryLockError::WouldBlock => StoreError::Locked { folder: shown.clone() },
            TryLockError::Error(source) => StoreError::io("lock", &shown)(source),
        };
        let lock = Mutex::new(lock_file(&folder).map_err(refused)?);
        // If another process has locked the folder, dropping this unlocks the file.
        let mut disk = Self { folder, lock, directory: None };
        disk.directory = lock_directory(&disk.folder).map_err(refused)?;
        Ok(disk)
    }

    fn path(&self, name: &str) -> io::Result<PathBuf> {
        if name.is_empty() || name == LOCK_NAME || name.contains(['/', '\\']) || name.starts_with('.') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("bad file name {name:?}")));
        }
        Ok(self.folder.join(name))
    }
}

impl Drop for FileDisk {
    /// Unlocks the folder at once. Closing the handle wouldn't: a process that another thread has just forked has a
    /// copy of it until it runs its own program.
    fn drop(&mut self) {
        let lock = self.lock.get_mut().unwrap_or_else(PoisonError::into_inner);
        for held in self.directory.iter().chain([&*lock]) {
            if let Err(error) = held.unlock() {
                tracing::warn!(folder = %self.folder.display(), %error, "the folder could not be unlocked");
            }
        }
    }
}

impl Disk for FileDisk {
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let path = self.path(name)?;
        let file = private().create(true).truncate(false).read(true).write(true).open(path)?;
        Ok(Arc::new(OsFile(file)))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            // Names that aren't text, and entries that aren't files, belong to others.
            if let Ok(name) = entry.file_name().into_string()
                && name != LOCK_NAME
                && entry.file_type()?.is_file()
            {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path(name)?)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path(from)?, self.path(to)?)
    }

    #[cfg(unix)]
    fn sync_directory(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }

    #[cfg(not(unix))]
    fn sync_directory(&self) -> io::Result<()> {
        // On other systems a folder can't be opened for syncing. The file system's journal orders its changes.
        Ok(())
    }

    #[cfg(unix)]
    fn identity(&self, name: &str) -> io::Result<Option<FileId>> {
        fs::metadata(self.path(name)?).map(|metadata| Some(file_id(&metadata)))
    }

    /// Creates a missing file `lock` again. This is safe, because the folder is locked.
    #[cfg(unix)]
    fn check_hold(&self) -> io::Result<()> {
        if let Some(directory) = &self.directory {
            let is_same = |found: fs::Metadata| Ok(file_id(&found) == file_id(&directory.metadata()?));
            if !fs::metadata(&self.folder).and_then(is_same).unwrap_or(false) {
                return Err(io::Error::other("it was moved, deleted or replaced"));
            }
        }
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let found = fs::metadata(self.folder.join(LOCK_NAME)).map(|found| file_id(&found));
        if found.is_ok_and(|found| lock.metadata().is_ok_and(|held| file_id(&held) == found)) {
            return Ok(());
        }
        tracing::warn!(folder = %self.folder.display(), "the file `{LOCK_NAME}` was deleted and is created again");
        *lock = lock_file(&self.folder).map_err(|error| match error {
            TryLockError::WouldBlock => io::Error::other("another process has opened it"),
            TryLockError::Error(error) => error,
        })?;
        Ok(())
    }

    #[cfg(unix)]
    fn free_bytes(&self) -> io::Result<Option<u64>> {
        let file_system = rustix::fs::statvfs(&self.folder)?;
        Ok(Some(file_system.f_bavail.saturating_mul(file_system.f_frsize)))
    }
}

/// Locks the file that earlier versions lock.
fn lock_file(folder: &Path) -> Result<File, TryLockError> {
    let path = folder.join(LOCK_NAME);
    let file = private().create(true).truncate(false).write(true).open(path).map_err(TryLockError::Error)?;
    file.try_lock()?;
    Ok(file)
}

/// Locks the folder itself.
#[cfg(unix)]
fn lock_directory(folder: &Path) -> Result<Option<File>, TryLockError> {
    let directory = File::open(folder).map_err(TryLockError::Error)?;
    match directory.try_lock() {
        Ok(()) => Ok(Some(directory)),
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        Err(TryLockError::Error(error)) => {
            let folder = folder.display();
            tracing::warn!(%folder, %error, "the folder itself can't be locked; only its file `{LOCK_NAME}` is");
            Ok(None)
        }
    }
}

#[cfg(not(unix))]
fn lock_directory(_: &Path) -> Result<Option<File>, TryLockError> {
    Ok(None)
}

/// Options for files that only their owner can read, whatever the umask.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates a folder that only its owner can enter, if it doesn't exist. Its parents are created as usual.
pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(above) = folder.parent() {
        fs::create_dir_all(above)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        // Another process created it.
        Err(_) if folder.is_dir() => Ok(()),
        created => created,
    }
}

/// Warns if other users can enter the folder. The owner decides on its mode.
#[cfg(unix)]
fn warn_of_readers(folder: &Path) {
    let mode =
        fs::metadata(folder).map(|metadata| std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()));
    if let Ok(mode) = mode
        && mode & 0o077 != 0
    {
        let (mode, shown) = (mode & 0o777, folder.display());
        tracing::warn!(
            "other users of this machine may enter the data folder {shown} (mode {mode:03o}); `chmod 700 {shown}` keeps them out"
        );
    }
}

#[cfg(not(unix))]
fn warn_of_readers(_: &Path) {}

#[cfg(unix)]
fn file_id(metadata: &fs::Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt;
    FileId { device: metadata.dev(), number: metadata.ino() }
}

/// Opens a file anywhere, outside all [`Disk`]s. With `create` it must not exist.
pub(crate) fn open_file(path: &Path, create: bool) -> io::Result<Arc<dyn DiskFile>> {
    let file = private().create_new(create).read(true).write(create).open(path)?;
    Ok(Arc::new(OsFile(file)))
}

struct OsFile(File);

impl DiskFile for OsFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, buffer, offset)
    }

    #[cfg(unix)]
    fn write_all_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.0, bytes, offset)
    }

    #[cfg(windows)]
    fn read_exact_at(&self, mut offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
        while !buffer.is_empty() {
            let read = std::os::windows::fs::FileExt::seek_read(&self.0, buffer, offset)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            offset += read as u64;
            buffer = buffer.get_mut(read..).unwrap_or_default();
        }
        Ok(())
    }

    #[cfg(windows)]
    fn write_all_at(&self, mut offset: u64, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = std::os::windows::fs::FileExt::seek_write(&self.0, bytes, offset)?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            offset += written as u64;
            bytes = bytes.get(written..).unwrap_or_default();
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}
