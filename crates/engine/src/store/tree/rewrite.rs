//! Rewriting the tree with the least disk space.
//!
//! The library can move pages within a file. But it makes some of those changes with a single sync, and relies on
//! reading pages that a power failure has torn, which are damage here. So it works on a new file that isn't needed
//! yet. The new file replaces the old one when it is complete. This needs space for both, and a crash at any moment
//! leaves the old tree or the new one.

use std::iter::Peekable;
use std::ops::Bound;
use std::sync::Arc;

use redb::{ReadableDatabase, ReadableTable};

use super::open::{Form, NEW_NAME};
use super::{ENTRIES, META, NAME, OldTree, TALLIES, Tree, TreeEntry};
use crate::store::seal::Sealing;
use crate::store::{Direction, Disk, StoreError};

/// The number of bytes of entries in one transaction.
const PART_BYTES: usize = 16 << 20;
/// Each page is read or written once.
const CACHE_BYTES: usize = 64 << 20;

/// The lengths of the tree's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compacted {
    /// Before.
    pub before_bytes: u64,
    /// After.
    pub after_bytes: u64,
}

/// Replaces the tree with one that has only the same entries, if that is shorter.
pub(in crate::store) fn compact(
    disk: &Arc<dyn Disk>,
    sealing: Option<&Arc<Sealing>>,
) -> Result<Compacted, StoreError> {
    let old = Tree::open(disk, sealing, CACHE_BYTES, OldTree::Convert)?;
    // Any unreadable page must stop it.
    old.file.set_in_use(false);
    let before_bytes = length(disk, NAME)?;
    let written = write_new(disk, sealing, &old).and_then(|()| length(disk, NEW_NAME));
    drop(old);
    let after_bytes = match written {
        Ok(after_bytes) if after_bytes < before_bytes => after_bytes,
        other => {
            disk.remove(NEW_NAME).map_err(StoreError::io("remove", NEW_NAME))?;
            return other.map(|_| Compacted { before_bytes, after_bytes: before_bytes });
        }
    };
    let new = disk.open(NEW_NAME).map_err(StoreError::io("open", NEW_NAME))?;
    new.sync_data().map_err(StoreError::io("sync", NEW_NAME))?;
    disk.rename(NEW_NAME, NAME).map_err(StoreError::io("rename", NEW_NAME))?;
    disk.sync_directory().map_err(StoreError::io("sync", "the folder"))?;
    Ok(Compacted { before_bytes, after_bytes })
}

fn length(disk: &Arc<dyn Disk>, name: &str) -> Result<u64, StoreError> {
    let file = disk.open(name).map_err(StoreError::io("open", name))?;
    file.len().map_err(StoreError::io("measure", name))
}

/// Writes and closes the new file. Closing truncates it to its content.
fn write_new(
    disk: &Arc<dyn Disk>,
    sealing: Option<&Arc<Sealing>>,
    old: &Arc<Tree>,
) -> Result<(), StoreError> {
    disk.create(NEW_NAME).map_err(StoreError::io("create", NEW_NAME))?;
    let mut new = Tree::load(disk, sealing, NEW_NAME, Form::Paged, CACHE_BYTES)?;
    new.initialise()?;
    let file = new.file.clone();
    old.file.guarded(|| {
        file.guarded(|| {
            copy(old, &new)?;
            let database =
                new.database.as_mut().ok_or_else(|| StoreError::tree(redb::Error::DatabaseClosed))?;
            database.compact().map(|_| ()).map_err(StoreError::tree)
        })
    })?;
    file.check()
}

fn copy(old: &Arc<Tree>, new: &Tree) -> Result<(), StoreError> {
    let mut range = old.view()?.range(Bound::Unbounded, Bound::Unbounded)?;
    let mut entries = std::iter::from_fn(|| range.step(Direction::Forward).transpose()).peekable();
    let mut last = None;
    while entries.peek().is_some() {
        let transaction = new.begin_write()?;
        last = copy_part(&transaction, last, &mut entries)?;
        new.commit(transaction)?;
    }
    let transaction = new.begin_write()?;
    copy_rest(old, &transaction)?;
    new.commit(transaction)
}

/// Appends some entries, and returns the last key.
fn copy_part(
    transaction: &redb::WriteTransaction,
    last: Option<Vec<u8>>,
    entries: &mut Peekable<impl Iterator<Item = Result<TreeEntry, StoreError>>>,
) -> Result<Option<Vec<u8>>, StoreError> {
    let mut table = transaction.open_table(ENTRIES).map_err(StoreError::tree)?;
    let after = last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    let mut cursor = table.lower_bound_mut(after).map_err(StoreError::tree)?;
    let (mut bytes, mut copied) = (0, None);
    while bytes < PART_BYTES
        && let Some(entry) = entries.next()
    {
        let entry = entry?;
        cursor.insert_before(entry.key(), entry.value()).map_err(StoreError::tree)?;
        bytes += entry.key().len() + entry.value().len();
        copied = Some(entry);
    }
    cursor.close().map_err(StoreError::tree)?;
    Ok(copied.map_or_else(|| last.clone(), |entry| Some(entry.key().to_vec())))
}

/// Copies the small tables.
fn copy_rest(old: &Tree, transaction: &redb::WriteTransaction) -> Result<(), StoreError> {
    let from = old.database()?.begin_read().map_err(StoreError::tree)?;
    let mut tallies = transaction.open_table(TALLIES).map_err(StoreError::tree)?;
    for entry in from.open_table(TALLIES).map_err(StoreError::tree)?.iter().map_err(StoreError::tree)? {
        let (space, tally) = entry.map_err(StoreError::tree)?;
        tallies.insert(space.value(), tally.value()).map_err(StoreError::tree)?;
    }
    let mut meta = transaction.open_table(META).map_err(StoreError::tree)?;
    for entry in from.open_table(META).map_err(StoreError::tree)?.iter().map_err(StoreError::tree)? {
        let (name, value) = entry.map_err(StoreError::tree)?;
        meta.insert(name.value(), value.value()).map_err(StoreError::tree)?;
    }
    Ok(())
}
