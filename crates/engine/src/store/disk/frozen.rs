//! A folder that is read and never changed.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use super::detached::Detached;
use super::{Disk, DiskFile};

/// A disk on top of another that is never changed. All writes stay in memory.
///
/// Opening a store repairs what a crash left. On a frozen disk this doesn't change the files.
pub struct FrozenDisk {
    disk: Arc<dyn Disk>,
    /// Each name, with its file once it has been opened.
    files: Mutex<BTreeMap<String, FrozenEntry>>,
}

#[derive(Clone)]
enum FrozenEntry {
    /// Exists under this name, and isn't opened yet.
    There(String),
    Open(Arc<FrozenFile>),
}

impl FrozenDisk {
    /// Freezes the present state of a disk. No other process may change it meanwhile.
    pub fn new(disk: Arc<dyn Disk>) -> io::Result<Self> {
        let files = disk.list()?.into_iter().map(|name| (name.clone(), FrozenEntry::There(name))).collect();
        Ok(Self { disk, files: Mutex::new(files) })
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<String, FrozenEntry>> {
        // The map is never left half changed, so a panic elsewhere doesn't corrupt it.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Disk for FrozenDisk {
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let mut files = self.files();
        let file = match files.get(name) {
            Some(FrozenEntry::Open(file)) => file.clone(),
            Some(FrozenEntry::There(original)) => Arc::new(FrozenFile::over(self.disk.open(original)?)?),
            None => Arc::new(FrozenFile { file: None, content: RwLock::default() }),
        };
        files.insert(name.to_owned(), FrozenEntry::Open(file.clone()));
        Ok(file)
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let file = Arc::new(FrozenFile { file: None, content: RwLock::default() });
        self.files().insert(name.to_owned(), FrozenEntry::Open(file.clone()));
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
        let entry = files.remove(from).ok_or(io::ErrorKind::NotFound)?;
        files.insert(to.to_owned(), entry);
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }
}

struct FrozenFile {
    /// `None` for a new file.
    file: Option<Arc<dyn DiskFile>>,
    content: RwLock<Detached>,
}

impl FrozenFile {
    fn over(file: Arc<dyn DiskFile>) -> io::Result<Self> {
        let content = RwLock::new(Detached::new(file.len()?));
        Ok(Self { file: Some(file), content })
    }

    fn below(&self) -> &dyn DiskFile {
        self.file.as_deref().unwrap_or(&Nothing)
    }
}

impl DiskFile for FrozenFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.content.read().unwrap_or_else(PoisonError::into_inner).len())
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let content = self.content.read().unwrap_or_else(PoisonError::into_inner);
        if offset.checked_add(buffer.len() as u64).is_none_or(|end| end > content.len()) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        content.read(self.below(), offset, buffer)
    }

    fn write_all_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.content.write().unwrap_or_else(PoisonError::into_inner).write(self.below(), offset, bytes)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.content.write().unwrap_or_else(PoisonError::into_inner).set_len(len);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }
}

/// The base of a file that was created in memory.
struct Nothing;

impl DiskFile for Nothing {
    fn len(&self) -> io::Result<u64> {
        Ok(0)
    }

    fn read_exact_at(&self, _: u64, _: &mut [u8]) -> io::Result<()> {
        Err(io::ErrorKind::UnexpectedEof.into())
    }

    fn write_all_at(&self, _: u64, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn set_len(&self, _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryDisk;

    fn text(file: &dyn DiskFile) -> Vec<u8> {
        let mut text = vec![0; file.len().unwrap() as usize];
        file.read_exact_at(0, &mut text).unwrap();
        text
    }

    #[test]
    fn what_is_done_to_a_frozen_disk_is_seen_there_and_nowhere_else() {
        let below: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        for name in ["a", "b", "c"] {
            below.open(name).unwrap().write_all_at(0, name.repeat(3).as_bytes()).unwrap();
        }
        let frozen = FrozenDisk::new(below.clone()).unwrap();
        frozen.open("a").unwrap().write_all_at(1, b"x").unwrap();
        assert_eq!(text(frozen.open("a").unwrap().as_ref()), b"axa");
        frozen.open("a").unwrap().set_len(1).unwrap();
        frozen.open("a").unwrap().set_len(3).unwrap();
        assert_eq!(text(frozen.open("a").unwrap().as_ref()), b"a\0\0");
        frozen.rename("b", "d").unwrap();
        assert_eq!(text(frozen.open("d").unwrap().as_ref()), b"bbb");
        frozen.remove("c").unwrap();
        frozen.open("new").unwrap().write_all_at(5_000, b"far").unwrap();
        assert_eq!(frozen.list().unwrap(), ["a", "d", "new"]);
        assert_eq!(below.list().unwrap(), ["a", "b", "c"]);
        for name in ["a", "b", "c"] {
            assert_eq!(text(below.open(name).unwrap().as_ref()), name.repeat(3).as_bytes());
        }
    }
}
