//! A sealed file with its own key, wrapped by the outer key, for copies that leave the folder.
//!
//! The first block is like a folder's file `keys`. The sealed file follows it.

use std::io;
use std::sync::Arc;

use super::disk::SealedFile;
use super::key::{Key, KeyError};
use super::keys::{Sealing, Stored};
use crate::store::{DiskFile, StoreError};

/// The offset of the sealed file.
const SEALED_AT: u64 = 4096;

/// Creates a sealed file in an empty one.
pub(crate) fn seal_outside(
    file: Arc<dyn DiskFile>,
    name: &str,
    key: &Key,
) -> Result<Arc<dyn DiskFile>, StoreError> {
    let (stored, sealing) = Sealing::make(key)?;
    file.write_all_at(0, stored.bytes()).map_err(StoreError::io("write", name))?;
    open_sealed(file, name, &sealing)
}

/// Opens a file for reading: a sealed one with its key, any other one as it is.
pub(crate) fn open_outside(
    file: Arc<dyn DiskFile>,
    name: &str,
    key: Option<&Key>,
) -> Result<Arc<dyn DiskFile>, StoreError> {
    let Some(stored) = Stored::at_start(file.as_ref(), name)? else { return Ok(file) };
    let key = key.ok_or(KeyError::Missing { id: stored.id() })?;
    open_sealed(file, name, &stored.open(key)?)
}

fn open_sealed(
    file: Arc<dyn DiskFile>,
    name: &str,
    sealing: &Sealing,
) -> Result<Arc<dyn DiskFile>, StoreError> {
    let behind = Arc::new(Behind(file));
    let sealed =
        SealedFile::open(behind, name, sealing.files.clone()).map_err(StoreError::io("open", name))?;
    Ok(Arc::new(sealed))
}

/// The part of a file after its first block.
struct Behind(Arc<dyn DiskFile>);

impl DiskFile for Behind {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.len()?.saturating_sub(SEALED_AT))
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(SEALED_AT + offset, buffer)
    }

    fn write_all_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(SEALED_AT + offset, bytes)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(SEALED_AT + len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}
