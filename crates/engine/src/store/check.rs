//! Checking a folder without opening it for work: the log and the tree, each for itself.

use std::sync::Arc;

use super::reach::{FoundMark, Loss};
use super::seal::Sealing;
use super::tree::Tree;
use super::{Disk, Key, StoreError, log};

/// What a check of a folder's files found.
#[derive(Debug, Default)]
pub struct StoreChecked {
    /// What is wrong.
    pub errors: Vec<StoreError>,
    /// What is worth saying though nothing is wrong.
    pub notes: Vec<String>,
    /// Segments of the log.
    pub segments: u64,
    /// Frames in them.
    pub frames: u64,
    /// Bytes of the tree.
    pub tree_bytes: u64,
}

/// Where a check is: each part says how much of a whole is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorePart {
    /// Bytes of the log, done and in all.
    Log(u64, u64),
    /// The tree, which doesn't say how far it is.
    Tree,
}

/// Reads all of the log and every page of the tree that is in use. Nothing is changed on a
/// [`FrozenDisk`](super::FrozenDisk).
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
    // The tree may have what the log has lost, but not the changes that are kept for streams and recoveries.
    if let FoundMark::Mark(kept) = FoundMark::look(disk.as_ref(), sealing.as_deref())?
        && let Some((segment, sequence)) = log.last
        && let Some(loss) = Loss::of_log(&kept.mark, segment, sequence)
    {
        checked.errors.push(loss.into());
    }
    checked.segments = log.segments;
    checked.frames = log.frames;
    report(StorePart::Tree);
    match Tree::check(disk, sealing.as_ref()) {
        Ok(tree) => {
            checked.tree_bytes = tree.file_bytes;
            checked.notes.extend(tree.note);
        }
        Err(error) => checked.errors.push(error),
    }
    Ok(checked)
}
