//! Giving back the room that the tree's file no longer needs.

use std::sync::Arc;

use super::seal::Sealing;
use super::tree::{Compacted, compact};
use super::{Disk, Key, StoreError};

/// Writes the tree anew if that makes its file shorter. Nobody else may have the folder open. It needs room for both
/// trees, and a crash at any moment loses nothing.
pub fn compact_store(disk: &Arc<dyn Disk>, key: Option<&Key>) -> Result<Compacted, StoreError> {
    let sealing = Sealing::unlock(disk, key)?;
    compact(disk, sealing.as_ref())
}
