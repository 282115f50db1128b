//! The disk of the operating system.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Disk, DiskFile};
use crate::store::StoreError;

const LOCK_NAME: &str = "lock";

/// A folder of the file system, locked for one process.
#[derive(Debug)]
pub struct FileDisk {
    folder: PathBuf,
    lock: File,
}

impl FileDisk {
    /// Opens the folder, creating it if it isn't there. Refused while another process has it open.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, StoreError> {
        let folder = folder.as_ref().to_path_buf();
        let shown = folder.display().to_string();
        fs::create_dir_all(&folder).map_err(StoreError::io("create", &shown))?;
        let path = folder.join(LOCK_NAME);
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(StoreError::io("open", path.display().to_string()))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { folder, lock }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { folder: shown }),
            Err(TryLockError::Error(source)) => Err(StoreError::io("lock", shown)(source)),
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
    /// Gives the folder free at once. Closing the handle alone would not: a process that another thread has just forked
    /// holds a copy of it until it runs its own program.
    fn drop(&mut self) {
        if let Err(error) = self.lock.unlock() {
            tracing::warn!(folder = %self.folder.display(), %error, "the folder's lock was not released");
        }
    }
}

impl Disk for FileDisk {
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let path = self.path(name)?;
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
        Ok(Arc::new(OsFile(file)))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            // What is not text, or not a file, is not ours.
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
        // Elsewhere a folder can't be opened for syncing; the file system's journal orders its changes.
        Ok(())
    }

    #[cfg(unix)]
    fn free_bytes(&self) -> io::Result<Option<u64>> {
        let file_system = rustix::fs::statvfs(&self.folder)?;
        Ok(Some(file_system.f_bavail.saturating_mul(file_system.f_frsize)))
    }
}

/// Opens a file anywhere, beside all [`Disk`]s; with `create` it must not be there yet.
pub(crate) fn open_file(path: &Path, create: bool) -> io::Result<Arc<dyn DiskFile>> {
    let file = OpenOptions::new().create_new(create).read(true).write(create).open(path)?;
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
