//! The tree library's view of a disk file.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use redb::StorageBackend;

use super::NAME;
use super::misses::Misses;
use crate::store::disk::Detached;
use crate::store::{Disk, DiskFile, StoreError};

/// A tree file that takes no more writes after the first failed one.
///
/// The library refuses all reads after a failed write or sync. Readers need not suffer, since pages are never
/// overwritten while a view can see them. So the library is not told: from the failure on, its writes go to memory,
/// where it finds them again, and nothing reaches the file. The fold asks for the failure and gives up, so what is
/// kept in memory is at most what one fold had not written yet.
pub(super) struct TreeFile {
    file: Arc<dyn DiskFile>,
    file_bytes: AtomicU64,
    failure: OnceLock<(io::ErrorKind, String)>,
    is_detached: AtomicBool,
    detached: Mutex<Detached>,
    pub(super) misses: Misses,
    // The folder stays locked until the library has closed the file.
    _disk: Arc<dyn Disk>,
}

impl TreeFile {
    pub(super) fn new(file: Arc<dyn DiskFile>, disk: Arc<dyn Disk>) -> Self {
        Self {
            file,
            file_bytes: AtomicU64::new(0),
            failure: OnceLock::new(),
            is_detached: AtomicBool::new(false),
            detached: Mutex::default(),
            misses: Misses::default(),
            _disk: disk,
        }
    }

    /// The failure, if there was one.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match self.failure.get() {
            None => Ok(()),
            Some((kind, text)) => Err(StoreError::io("write", NAME)(io::Error::new(*kind, text.clone()))),
        }
    }

    /// Makes durable what is in the file.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        self.try_on_file(|| self.file.sync_data());
        self.check()
    }

    pub(super) fn file_bytes(&self) -> u64 {
        self.file_bytes.load(Ordering::Relaxed)
    }

    /// What was written since the failure, if there was one.
    fn detached(&self) -> Option<MutexGuard<'_, Detached>> {
        self.is_detached
            .load(Ordering::Acquire)
            .then(|| self.detached.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn detach(&self, error: &io::Error) {
        tracing::error!(%error, "the tree file takes no more writes");
        // Only one thread writes, so this is the first failure.
        let _ = self.failure.set((error.kind(), error.to_string()));
        *self.detached.lock().unwrap_or_else(PoisonError::into_inner) = Detached::new(self.file_bytes());
        self.is_detached.store(true, Ordering::Release);
    }

    /// Tries the operation on the file unless that has failed before. Says whether the file has it.
    fn try_on_file(&self, operation: impl FnOnce() -> io::Result<()>) -> bool {
        if self.is_detached.load(Ordering::Acquire) {
            return false;
        }
        operation().inspect_err(|error| self.detach(error)).is_ok()
    }
}

impl fmt::Debug for TreeFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TreeFile")
    }
}

/// What the library owns; the file itself is shared with the fold.
#[derive(Debug)]
pub(super) struct Backend(pub(super) Arc<TreeFile>);

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        if let Some(detached) = self.0.detached() {
            return Ok(detached.len());
        }
        let len = self.0.file.len()?;
        self.0.file_bytes.store(len, Ordering::Relaxed);
        Ok(len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.misses.note();
        let read = match self.0.detached() {
            None => self.0.file.read_exact_at(offset, out),
            Some(detached) => detached.read(self.0.file.as_ref(), offset, out),
        };
        // The library refuses all reads after this one, and no longer says why.
        read.inspect_err(
            |error| tracing::error!(%error, "the tree can't be read; the database must be opened again"),
        )
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        if self.0.try_on_file(|| self.0.file.set_len(len)) {
            self.0.file_bytes.store(len, Ordering::Relaxed);
        } else if let Some(mut detached) = self.0.detached() {
            detached.set_len(len);
        }
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.try_on_file(|| self.0.file.sync_data());
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if !self.0.try_on_file(|| self.0.file.write_all_at(offset, data))
            && let Some(mut detached) = self.0.detached()
        {
            detached.write(self.0.file.as_ref(), offset, data)?;
        }
        Ok(())
    }
}
