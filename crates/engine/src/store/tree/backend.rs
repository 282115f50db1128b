//! The tree library's access to a disk file.

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use redb::StorageBackend;

use super::NAME;
use super::misses::Misses;
use super::pages::PAGE_BYTES;
use crate::store::disk::Detached;
use crate::store::error::{Damage, damage_in};
use crate::store::{Disk, DiskFile, StoreError};

/// The most unreadable offsets that an error names.
const UNREADABLE_MAX: usize = 8;

/// A tree file that isn't written any more after the first failed operation.
///
/// The library refuses all reads after any failure. Readers don't have to suffer from this: pages are never
/// overwritten while a snapshot can see them, and unreadable pages mostly belong to other entries. So the library
/// isn't told while the tree is in use.
///
/// - After a failed write or sync, the library's writes go to memory, where it finds them again, and nothing reaches
///   the file. The fold checks for the failure and stops. So memory holds at most what one fold hadn't written yet.
/// - Instead of an unreadable page, the library gets one that leads nowhere. It reports this as damage, and
///   [`TreeFile::guarded`] names the page. From then on nothing reaches the file either, so that whatever the library
///   derives from such a page stays in memory.
pub(super) struct TreeFile {
    file: Arc<dyn DiskFile>,
    file_bytes: AtomicU64,
    failure: OnceLock<Failure>,
    is_detached: AtomicBool,
    detached: Mutex<Detached>,
    /// Whether failed reads are hidden from the library. Opening, checking and closing must fail instead.
    is_in_use: AtomicBool,
    /// Whether everything fails, so that the library closes without touching the file.
    refuses: AtomicBool,
    unreadable: Mutex<Vec<Failure>>,
    pub(super) misses: Misses,
    // The folder stays locked until the library has closed the file.
    _disk: Arc<dyn Disk>,
}

/// A failed operation, kept for later errors.
#[derive(Clone, PartialEq, Eq)]
struct Failure {
    action: &'static str,
    kind: io::ErrorKind,
    text: String,
    damage: Option<Damage>,
}

impl Failure {
    fn new(action: &'static str, error: &io::Error) -> Self {
        Self { action, kind: error.kind(), text: error.to_string(), damage: damage_in(error) }
    }

    fn to_error(&self) -> StoreError {
        match self.damage.clone() {
            Some(damage) => damage.into(),
            None => StoreError::io(self.action, NAME)(io::Error::new(self.kind, self.text.clone())),
        }
    }
}

impl TreeFile {
    pub(super) fn new(file: Arc<dyn DiskFile>, disk: Arc<dyn Disk>) -> Self {
        Self {
            file,
            file_bytes: AtomicU64::new(0),
            failure: OnceLock::new(),
            is_detached: AtomicBool::new(false),
            detached: Mutex::default(),
            is_in_use: AtomicBool::new(false),
            refuses: AtomicBool::new(false),
            unreadable: Mutex::default(),
            misses: Misses::default(),
            _disk: disk,
        }
    }

    /// Sets whether failed reads are hidden from the library.
    pub(super) fn set_in_use(&self, is_in_use: bool) {
        self.is_in_use.store(is_in_use, Ordering::Release);
    }

    /// Fails all operations from now on.
    pub(super) fn refuse(&self) {
        self.refuses.store(true, Ordering::Release);
    }

    /// The failure, if there was one.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.failure.get().map_or(Ok(()), |failure| Err(failure.to_error()))
    }

    /// Returns the unreadable offsets so far, if there are any.
    pub(super) fn unreadable(&self) -> Option<StoreError> {
        let unreadable = self.unreadable.lock().unwrap_or_else(PoisonError::into_inner);
        let first = unreadable.first()?;
        match &first.damage {
            Some(damage) if unreadable.len() > 1 => {
                let reasons = unreadable.iter().map(|failure| {
                    failure.damage.as_ref().map_or(failure.text.as_str(), |damage| damage.reason.as_str())
                });
                let reason = reasons.collect::<Vec<_>>().join("; ");
                Some(Damage::new(&damage.file, damage.offset, reason).into())
            }
            _ => Some(first.to_error()),
        }
    }

    /// Runs a function that uses the library. The library panics on some damaged pages, which becomes an error here.
    /// If pages were unreadable, the error names them.
    pub(super) fn guarded<T>(&self, action: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        match catch_unwind(AssertUnwindSafe(action)) {
            Ok(Err(error @ StoreError::Tree(_))) => Err(self.unreadable().unwrap_or(error)),
            Ok(result) => result,
            Err(_) => {
                Err(self.unreadable().unwrap_or_else(|| StoreError::corrupt(NAME, 0, "a page is invalid")))
            }
        }
    }

    /// Syncs the file.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        self.try_on_file("sync", || self.file.sync_data());
        self.check()
    }

    pub(super) fn file_bytes(&self) -> u64 {
        self.file_bytes.load(Ordering::Relaxed)
    }

    /// Returns the writes since the failure, if there was one.
    fn detached(&self) -> Option<MutexGuard<'_, Detached>> {
        self.is_detached
            .load(Ordering::Acquire)
            .then(|| self.detached.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn detach(&self, failure: Failure) {
        if self.failure.set(failure.clone()).is_err() {
            // Two operations failed at once, and the other was first.
            return;
        }
        let error = failure.to_error();
        tracing::error!(%error, "the tree accepts no more writes until the database is opened again");
        *self.detached.lock().unwrap_or_else(PoisonError::into_inner) = Detached::new(self.file_bytes());
        self.is_detached.store(true, Ordering::Release);
    }

    /// Tries the operation on the file unless one has failed before. Returns whether the file has it.
    fn try_on_file(&self, action: &'static str, operation: impl FnOnce() -> io::Result<()>) -> bool {
        if self.is_detached.load(Ordering::Acquire) {
            return false;
        }
        operation().inspect_err(|error| self.detach(Failure::new(action, error))).is_ok()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match self.detached() {
            None => self.file.read_exact_at(offset, out),
            Some(detached) => detached.read(self.file.as_ref(), offset, out),
        }
    }

    /// Stops writing, and keeps the failure for errors.
    fn note_unreadable(&self, error: &io::Error) {
        let failure = Failure::new("read", error);
        {
            let mut unreadable = self.unreadable.lock().unwrap_or_else(PoisonError::into_inner);
            if unreadable.len() < UNREADABLE_MAX && !unreadable.contains(&failure) {
                tracing::error!(%error, "a part of the tree can't be read");
                unreadable.push(failure.clone());
            }
        }
        self.detach(failure);
    }

    fn check_refusal(&self) -> io::Result<()> {
        match self.refuses.load(Ordering::Acquire) {
            false => Ok(()),
            true => Err(io::Error::other("the tree is being closed")),
        }
    }
}

impl fmt::Debug for TreeFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TreeFile")
    }
}

/// Creates a page for the library that leads nowhere: a branch without keys whose child is larger than any page.
fn lead_nowhere(page: &mut [u8]) {
    const BRANCH: u8 = 2;
    const CHILD: std::ops::Range<usize> = 24..32;
    page.fill(0);
    page.first_mut().into_iter().for_each(|kind| *kind = BRANCH);
    page.get_mut(CHILD).into_iter().for_each(|child| child.fill(0xFF));
}

/// The part that the library owns. The file itself is shared with the fold.
#[derive(Debug)]
pub(super) struct Backend(pub(super) Arc<TreeFile>);

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        self.0.check_refusal()?;
        if let Some(detached) = self.0.detached() {
            return Ok(detached.len());
        }
        let len = self.0.file.len()?;
        self.0.file_bytes.store(len, Ordering::Relaxed);
        Ok(len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.check_refusal()?;
        self.0.misses.note();
        let read = self.0.read(offset, out);
        let is_spared = self.0.is_in_use.load(Ordering::Acquire) && offset >= PAGE_BYTES as u64;
        match read {
            Err(error) if is_spared => {
                self.0.note_unreadable(&error);
                lead_nowhere(out);
                Ok(())
            }
            other => other,
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.check_refusal()?;
        if self.0.try_on_file("grow", || self.0.file.set_len(len)) {
            self.0.file_bytes.store(len, Ordering::Relaxed);
        } else if let Some(mut detached) = self.0.detached() {
            detached.set_len(len);
        }
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.check_refusal()?;
        self.0.try_on_file("sync", || self.0.file.sync_data());
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.check_refusal()?;
        if !self.0.try_on_file("write", || self.0.file.write_all_at(offset, data))
            && let Some(mut detached) = self.0.detached()
        {
            detached.write(self.0.file.as_ref(), offset, data)?;
        }
        Ok(())
    }
}
