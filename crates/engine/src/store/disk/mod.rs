//! The disk: a folder of named files. All I/O of log and tree goes through it, so that encryption and a simulated
//! disk can be put underneath.

mod detached;
mod file;
mod frozen;
mod memory;
mod pages;

use std::io;
use std::sync::Arc;

pub(super) use detached::Detached;
pub use file::FileDisk;
pub(crate) use file::{create_private_folder, open_file};
pub use frozen::FrozenDisk;
pub use memory::MemoryDisk;
pub(super) use pages::pieces;

/// A folder of named files.
pub trait Disk: Send + Sync + 'static {
    /// Opens the file, and creates it if it doesn't exist.
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;
    /// Creates an empty file. A file that an interrupted program left under this name may be used again; a disk that
    /// others can write to replaces whatever has the name.
    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        self.open(name)
    }
    /// Returns the names of all files, in any order. Entries that aren't regular files are refused by
    /// [`open`](Disk::open).
    fn list(&self) -> io::Result<Vec<String>>;
    /// Removes the file.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Renames the file, replacing `to`. Open files stay open under their new name.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Makes creations, removals and renames durable.
    fn sync_directory(&self) -> io::Result<()>;
    /// Returns the identity of the file with this name. The error is `NotFound` if there is none. `None` means that
    /// the disk can't identify files.
    fn identity(&self, name: &str) -> io::Result<Option<FileId>> {
        let _ = name;
        Ok(None)
    }
    /// Checks that the folder is still locked by this process and in its place.
    fn check_hold(&self) -> io::Result<()> {
        Ok(())
    }
    /// Returns how many bytes can still be written; `None` if there is no limit or it is unknown.
    fn free_bytes(&self) -> io::Result<Option<u64>> {
        Ok(None)
    }
}

/// The identity of a file, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId {
    /// The file system.
    pub device: u64,
    /// The file in it.
    pub number: u64,
}

/// One file of a [`Disk`]. Several threads may use it at once.
#[expect(clippy::len_without_is_empty, reason = "nobody asks whether a file is empty")]
pub trait DiskFile: Send + Sync + 'static {
    /// The length in bytes.
    fn len(&self) -> io::Result<u64>;
    /// Fills `buffer` from `offset`. Reaching the end of the file is an error.
    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
    /// Writes all of `bytes` at `offset`, and extends the file if necessary.
    fn write_all_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Truncates the file, or extends it with zeros.
    fn set_len(&self, len: u64) -> io::Result<()>;
    /// Makes everything written so far durable.
    fn sync_data(&self) -> io::Result<()>;
}
