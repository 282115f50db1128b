//! Returning disk space that deleted and rewritten items no longer need.

use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, Result};
pub use crate::store::Compacted;
use crate::store::{Disk, FileDisk, Key, StoreError, compact_store};

/// Compacts the database in a folder, which no other process may have open. Returns the size of the tree's file
/// before and after.
///
/// ```
/// use singlet_engine::{CreateTable, Database, ScalarType, compact};
///
/// let folder = tempfile::tempdir()?;
/// let database = Database::open(folder.path())?;
/// database.create_table(CreateTable::new("recipes", "id", ScalarType::S))?;
/// database.close()?;
/// drop(database);
///
/// let compacted = compact(folder.path(), None)?;
/// assert!(compacted.after_bytes <= compacted.before_bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compact(folder: impl AsRef<Path>, key: Option<&Key>) -> Result<Compacted> {
    let folder = folder.as_ref();
    if !folder.is_dir() {
        return Err(Error::Storage(format!("there is no folder {}", folder.display())));
    }
    compact_on(Arc::new(FileDisk::open(folder)?), key)
}

/// Compacts the database on a given disk.
pub fn compact_on(disk: Arc<dyn Disk>, key: Option<&Key>) -> Result<Compacted> {
    let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
    if !names.iter().any(|name| name == "tree") {
        return Err(Error::Storage("there is no data in the folder".to_owned()));
    }
    Ok(compact_store(&disk, key)?)
}
