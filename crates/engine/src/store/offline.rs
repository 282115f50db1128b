//! Work on a folder that no process has open: checking the log and the tree, and compacting the tree.

use std::sync::Arc;

use super::open::missing_tree;
use super::reach::{FoundMark, Loss};
use super::seal::Sealing;
use super::tree::{Compacted, Tree, compact};
use super::{Disk, Key, StoreError, log};

/// The result of a check of a folder's files.
#[derive(Debug, Default)]
pub struct StoreChecked {
    /// The errors.
    pub errors: Vec<StoreError>,
    /// Remarks that aren't errors.
    pub notes: Vec<String>,
    /// Segments of the log.
    pub segments: u64,
    /// Frames in them.
    pub frames: u64,
    /// Bytes of the tree.
    pub tree_bytes: u64,
}

/// The progress of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorePart {
    /// Bytes of the log, checked and in total.
    Log(u64, u64),
    /// The tree, without numbers.
    Tree,
}

/// Reads the whole log and every used page of the tree. On a [`FrozenDisk`](super::FrozenDisk) nothing is changed.
pub fn check_store(
    disk: &Arc<dyn Disk>,
    key: Option<&Key>,
    mut report: impl FnMut(StorePart),
) -> Result<StoreChecked, StoreError> {
    let sealing = Sealing::unlock(disk, key)?;
    let mut checked = StoreChecked::default();
    let errors = &mut checked.errors;
    let log = log::check(
        disk,
        sealing.as_ref(),
        |error| errors.push(error),
        |done, total| report(StorePart::Log(done, total)),
    )?;
    // The tree may have commits that the log has lost, but not the changes recorded for streams and recovery.
    let found = FoundMark::look(disk.as_ref(), sealing.as_deref())?;
    if let FoundMark::Mark(kept) = &found
        && let Some((segment, sequence)) = log.last
        && let Some(loss) = Loss::of_log(&kept.mark, segment, sequence)
    {
        checked.errors.push(loss.into());
    }
    checked.segments = log.segments;
    checked.frames = log.frames;
    report(StorePart::Tree);
    checked.errors.extend(missing_tree(disk.as_ref(), sealing.as_ref(), &found)?.map(StoreError::from));
    match Tree::check(disk, sealing.as_ref()) {
        Ok(tree) => {
            checked.tree_bytes = tree.file_bytes;
            checked.notes.extend(tree.note);
        }
        Err(error) => checked.errors.push(error),
    }
    Ok(checked)
}

/// Rewrites the tree if that makes its file shorter. No other process may have the folder open. It needs disk space
/// for both trees, and a crash at any moment loses nothing.
pub fn compact_store(disk: &Arc<dyn Disk>, key: Option<&Key>) -> Result<Compacted, StoreError> {
    let sealing = Sealing::unlock(disk, key)?;
    compact(disk, sealing.as_ref())
}
