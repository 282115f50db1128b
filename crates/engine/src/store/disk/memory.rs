//! A disk in memory, for temporary databases and for tests.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use super::pages::pieces;
use super::{Disk, DiskFile};

const PAGE_BYTES: usize = 64 << 10;

/// A folder of files in memory. Opening a store on it again finds the same data, until the value is dropped.
#[derive(Default)]
pub struct MemoryDisk {
    files: Mutex<BTreeMap<String, Arc<MemoryFile>>>,
}

impl MemoryDisk {
    /// An empty folder.
    pub fn new() -> Self {
        Self::default()
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Arc<MemoryFile>>> {
        // The map is never left half changed, so a panic elsewhere doesn't corrupt it.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Disk for MemoryDisk {
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let file: Arc<MemoryFile> = self.files().entry(name.to_owned()).or_default().clone();
        Ok(file)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.files().keys().cloned().collect())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.files().remove(name).map(drop).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut files = self.files();
        let file = files.remove(from).ok_or(io::ErrorKind::NotFound)?;
        files.insert(to.to_owned(), file);
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Default)]
struct MemoryFile(RwLock<Pages>);

/// Pages are allocated when something other than zero is written to them. So growing a file costs no copying, and a
/// log segment that is zeroed in advance costs no memory.
#[derive(Default)]
struct Pages {
    len: u64,
    pages: BTreeMap<u64, Box<[u8]>>,
}

impl DiskFile for MemoryFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.read().unwrap_or_else(PoisonError::into_inner).len)
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let content = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if offset.checked_add(buffer.len() as u64).is_none_or(|end| end > content.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for piece in pieces(offset, buffer.len(), PAGE_BYTES) {
            let to = buffer.get_mut(piece.in_buffer);
            let from = content.pages.get(&piece.page).map(|page| page.get(piece.in_page));
            match (to, from) {
                (Some(to), Some(Some(from))) => to.copy_from_slice(from),
                (Some(to), _) => to.fill(0),
                (None, _) => return Err(io::ErrorKind::InvalidInput.into()),
            }
        }
        Ok(())
    }

    fn write_all_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut content = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let end = offset.checked_add(bytes.len() as u64).ok_or(io::ErrorKind::InvalidInput)?;
        content.len = content.len.max(end);
        for piece in pieces(offset, bytes.len(), PAGE_BYTES) {
            let from = bytes.get(piece.in_buffer).unwrap_or_default();
            if !content.pages.contains_key(&piece.page) && from.iter().all(|&byte| byte == 0) {
                continue;
            }
            let page = content.pages.entry(piece.page).or_insert_with(|| vec![0; PAGE_BYTES].into());
            if let Some(to) = page.get_mut(piece.in_page) {
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut content = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if len < content.len {
            let last = len / PAGE_BYTES as u64;
            content.pages.split_off(&(last + 1));
            if let Some(page) = content.pages.get_mut(&last)
                && let Some(cut) = page.get_mut((len % PAGE_BYTES as u64) as usize..)
            {
                cut.fill(0);
            }
        }
        content.len = len;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }
}
