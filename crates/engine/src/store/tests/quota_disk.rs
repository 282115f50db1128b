//! A disk of a certain size: it counts the blocks that were written, as file systems do, and refuses more.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex};

use crate::store::{Disk, DiskFile, MemoryDisk};

const BLOCK_BYTES: u64 = 4096;

/// A disk in memory of a certain size.
pub(crate) struct QuotaDisk {
    disk: MemoryDisk,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    quota_bytes: u64,
    /// The blocks of each file that take room, by the file's name.
    blocks: BTreeMap<String, Arc<Mutex<BTreeSet<u64>>>>,
}

impl State {
    fn used_bytes(&self) -> u64 {
        self.blocks.values().map(|blocks| blocks.lock().unwrap().len() as u64 * BLOCK_BYTES).sum()
    }
}

impl QuotaDisk {
    pub(crate) fn new(quota_bytes: u64) -> Arc<Self> {
        let state = State { quota_bytes, ..State::default() };
        Arc::new(Self { disk: MemoryDisk::new(), state: Arc::new(Mutex::new(state)) })
    }

    pub(crate) fn set_quota(&self, quota_bytes: u64) {
        self.state.lock().unwrap().quota_bytes = quota_bytes;
    }

    pub(crate) fn used_bytes(&self) -> u64 {
        self.state.lock().unwrap().used_bytes()
    }
}

impl Disk for QuotaDisk {
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let file = self.disk.open(name)?;
        let blocks = self.state.lock().unwrap().blocks.entry(name.to_owned()).or_default().clone();
        Ok(Arc::new(QuotaFile { file, blocks, state: self.state.clone() }))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        self.disk.list()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.state.lock().unwrap().blocks.remove(name);
        self.disk.remove(name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        if let Some(blocks) = state.blocks.remove(from) {
            state.blocks.insert(to.to_owned(), blocks);
        }
        self.disk.rename(from, to)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn free_bytes(&self) -> io::Result<Option<u64>> {
        let state = self.state.lock().unwrap();
        Ok(Some(state.quota_bytes.saturating_sub(state.used_bytes())))
    }
}

struct QuotaFile {
    file: Arc<dyn DiskFile>,
    blocks: Arc<Mutex<BTreeSet<u64>>>,
    state: Arc<Mutex<State>>,
}

impl DiskFile for QuotaFile {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(offset, buffer)
    }

    fn write_all_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let state = self.state.lock().unwrap();
        let wanted = offset / BLOCK_BYTES..(offset + bytes.len() as u64).div_ceil(BLOCK_BYTES);
        let used_bytes = state.used_bytes();
        let mut blocks = self.blocks.lock().unwrap();
        let new = wanted.clone().filter(|block| !blocks.contains(block)).count() as u64;
        // Existing bytes can be overwritten even if the disk is too full.
        if new > 0 && used_bytes + new * BLOCK_BYTES > state.quota_bytes {
            return Err(io::ErrorKind::StorageFull.into());
        }
        blocks.extend(wanted);
        self.file.write_all_at(offset, bytes)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.blocks.lock().unwrap().split_off(&len.div_ceil(BLOCK_BYTES));
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}
