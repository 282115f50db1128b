//! A folder of named files. All I/O of log and tree goes through it, so that encryption and a simulated disk slip in
//! underneath.

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
    /// Opens the file, creating it empty if it isn't there.
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;
    /// The names of all files, in no order.
    fn list(&self) -> io::Result<Vec<String>>;
    /// Removes the file.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Renames the file, replacing `to`. Files that are open stay open under their new name.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Makes creations, removals and renames durable.
    fn sync_directory(&self) -> io::Result<()>;
    /// What the name leads to now; an error of the kind `NotFound` if nothing has this name, and `None` if the disk doesn't
    /// tell one file from another.
    fn identity(&self, name: &str) -> io::Result<Option<FileId>> {
        let _ = name;
        Ok(None)
    }
    /// Checks that the folder is still held by this process alone, and is where it was.
    fn check_hold(&self) -> io::Result<()> {
        Ok(())
    }
    /// How many bytes can still be written; nothing if there is no bound, or if the disk doesn't tell.
    fn free_bytes(&self) -> io::Result<Option<u64>> {
        Ok(None)
    }
}

/// Tells a file from others, whatever their names are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId {
    /// The file system.
    pub device: u64,
    /// The file in it.
    pub number: u64,
}

/// One file of a [`Disk`]. Calls may come from several threads at once.
#[expect(clippy::len_without_is_empty, reason = "nobody asks whether a file is empty")]
pub trait DiskFile: Send + Sync + 'static {
    /// The length in bytes.
    fn len(&self) -> io::Result<u64>;
    /// Fills `buffer` from `offset`; reaching the end of the file is an error.
    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
    /// Writes all of `bytes` at `offset`, growing the file if need be.
    fn write_all_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Cuts the file or fills it up with zeros.
    fn set_len(&self, len: u64) -> io::Result<()>;
    /// Makes everything written so far durable.
    fn sync_data(&self) -> io::Result<()>;
}
