//! The disk of the operating system.
//!
//! Others may be able to put entries into the folder. So no file is written through a link, and nothing but regular
//! files is opened.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(unix)]
use super::FileId;
use super::{Disk, DiskFile};
use crate::store::StoreError;

const LOCK_NAME: &str = "lock";
/// The names that stand for one file each. Folders with other names belong to others.
const FIXED_NAMES: [&str; 3] = ["tree", "reach", "keys"];

/// A folder of the file system, locked for one process.
///
/// The lock is on the folder itself, so removing a file doesn't let in a second process. Earlier versions lock only
/// the file `lock`, so this file is locked too.
#[derive(Debug)]
pub struct FileDisk {
    folder: PathBuf,
    access: Access,
    /// The file `lock`; `None` if the folder is only read and has no such file.
    lock: Mutex<Option<File>>,
    /// The folder; `None` on systems where a folder can't be locked.
    directory: Option<File>,
}

/// The operations that a disk may use on its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl FileDisk {
    /// Opens the folder, and creates it if it doesn't exist. Refused while another process has it open.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, StoreError> {
        let folder = folder.as_ref();
        let shown = folder.display().to_string();
        create_private_folder(folder).map_err(StoreError::io("create", &shown))?;
        warn_of_readers(folder);
        Self::lock(folder, Access::Write)
    }

    /// Opens an existing folder only to read it, as is possible on a read-only file system. Refused while another
    /// process has it open.
    pub fn open_to_read(folder: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::lock(folder.as_ref(), Access::Read)
    }

    fn lock(folder: &Path, access: Access) -> Result<Self, StoreError> {
        let shown = folder.display().to_string();
        let refused = |error: TryLockError| match error {
            TryLockError::WouldBlock => StoreError::Locked { folder: shown.clone() },
            TryLockError::Error(source) if access == Access::Write && is_write_refusal(&source) => {
                StoreError::ReadOnly { folder: shown.clone(), source }
            }
            TryLockError::Error(source) => StoreError::io("lock", &shown)(source),
        };
        let lock = Mutex::new(lock_file(folder, access).map_err(refused)?);
        // If another process has locked the folder, dropping this unlocks the file.
        let mut disk = Self { folder: folder.to_path_buf(), access, lock, directory: None };
        disk.directory = lock_directory(&disk.folder).map_err(refused)?;
        Ok(disk)
    }

    /// Refuses changes of a folder that is only read.
    fn check_access(&self) -> io::Result<()> {
        match self.access {
            Access::Write => Ok(()),
            Access::Read => Err(io::ErrorKind::ReadOnlyFilesystem.into()),
        }
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
        for held in self.directory.iter().chain(&*lock) {
            if let Err(error) = held.unlock() {
                tracing::warn!(folder = %self.folder.display(), %error, "the folder could not be unlocked");
            }
        }
    }
}

impl Disk for FileDisk {
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let mut options = private();
        match self.access {
            Access::Read => options.read(true),
            Access::Write => options.create(true).truncate(false).read(true).write(true),
        };
        Ok(Arc::new(OsFile(open_regular(&options, &self.path(name)?)?)))
    }

    /// Removes what has the name, and creates the file anew: it must not be another name of a file elsewhere.
    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        self.check_access()?;
        let path = self.path(name)?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(explain(error, &path)),
            _ => {}
        }
        let file = open_regular(private().create_new(true).read(true).write(true), &path)?;
        Ok(Arc::new(OsFile(file)))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            // Names that aren't text, and folders, belong to others.
            if let Ok(name) = entry.file_name().into_string()
                && name != LOCK_NAME
                && (!entry.file_type()?.is_dir() || FIXED_NAMES.contains(&name.as_str()))
            {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.check_access()?;
        fs::remove_file(self.path(name)?)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.check_access()?;
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
        fs::symlink_metadata(self.path(name)?).map(|metadata| Some(file_id(&metadata)))
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
        let found = fs::symlink_metadata(self.folder.join(LOCK_NAME)).map(|found| file_id(&found));
        let held = lock.as_ref().and_then(|held| held.metadata().ok()).map(|held| file_id(&held));
        if self.access == Access::Read || found.is_ok_and(|found| held == Some(found)) {
            return Ok(());
        }
        tracing::warn!(folder = %self.folder.display(), "the file `{LOCK_NAME}` was deleted and is created again");
        *lock = lock_file(&self.folder, self.access).map_err(|error| match error {
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

/// Locks the file that earlier versions lock. A folder that is only read doesn't get one.
fn lock_file(folder: &Path, access: Access) -> Result<Option<File>, TryLockError> {
    let path = folder.join(LOCK_NAME);
    let mut options = private();
    match access {
        Access::Read => options.read(true),
        Access::Write => options.create(true).truncate(false).write(true),
    };
    match open_regular(&options, &path) {
        Ok(file) => {
            file.try_lock()?;
            Ok(Some(file))
        }
        Err(error) if access == Access::Read && error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(TryLockError::Error(error)),
    }
}

/// Whether an error says that a folder can't be written.
fn is_write_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied)
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

/// Opens a regular file. Links aren't followed, and a pipe without a writer isn't waited for.
fn open_regular(options: &OpenOptions, path: &Path) -> io::Result<File> {
    let mut options = options.clone();
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let file = options.open(path).map_err(|error| explain(error, path))?;
    match irregular(file.metadata()?.file_type()) {
        None => Ok(file),
        Some(irregular) => Err(irregular.into()),
    }
}

/// Returns the error of an operation, or a better one if the entry isn't a regular file.
fn explain(error: io::Error, path: &Path) -> io::Error {
    let found = fs::symlink_metadata(path).ok();
    found.and_then(|found| irregular(found.file_type())).map_or(error, io::Error::from)
}

/// An entry that can't be a file of a data folder.
#[derive(Debug, thiserror::Error)]
#[error(
    "it is {kind}, and the files of a data folder must be regular files. Put the file itself there; to keep the data \
     on another disk, move the whole folder and let its name be a link"
)]
struct Irregular {
    kind: &'static str,
}

impl From<Irregular> for io::Error {
    fn from(irregular: Irregular) -> Self {
        io::Error::new(io::ErrorKind::InvalidInput, irregular)
    }
}

/// Returns the reason why an entry can't be used; `None` for a regular file.
fn irregular(found: fs::FileType) -> Option<Irregular> {
    let kind = match found {
        found if found.is_file() => return None,
        found if found.is_symlink() => "a symbolic link",
        found if found.is_dir() => "a directory",
        _ => "a pipe, a socket or a device",
    };
    Some(Irregular { kind })
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
