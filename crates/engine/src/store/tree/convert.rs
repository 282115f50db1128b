//! Converting a tree from before pages had checksums.
//!
//! Such a file is the tree library's own. Its pages are copied into a new file. The library verifies the copy with
//! its own checksums, and the copy replaces the old file when it is durable. Until then only the new file is written,
//! so a crash at any moment leaves the old tree or the new one.

use std::sync::Arc;
use std::time::Duration;

use super::open::{Form, NEW_NAME, refuse_cut};
use super::pages::{PAGE_BYTES, PagedFile};
use super::{NAME, Tree};
use crate::store::{Disk, DiskFile, StoreError};
use crate::sync::Instant;

/// The size of one copy.
const PIECE_BYTES: usize = 1 << 20;
/// The time between two log messages about the progress.
const REPORT_EVERY: Duration = Duration::from_secs(5);

/// Converts the tree and opens it.
pub(super) fn convert(disk: &Arc<dyn Disk>, cache_bytes: usize) -> Result<Tree, StoreError> {
    let old = disk.open(NAME).map_err(StoreError::io("open", NAME))?;
    refuse_cut(old.as_ref())?;
    let bytes = old.len().map_err(StoreError::io("measure", NAME))?;
    tracing::info!(bytes, "converting the tree, so that each page is checked when it is read");
    let converted = copy(disk, old.as_ref(), bytes).and_then(|()| open_checked(disk, cache_bytes));
    let tree = converted.inspect_err(|_| {
        // The old file is unchanged. The next opening removes the new one too.
        let _ = disk.remove(NEW_NAME);
    })?;
    tree.take_name(disk)?;
    tracing::info!(bytes, "the tree is converted");
    Ok(tree)
}

/// Copies all pages into a new file.
fn copy(disk: &Arc<dyn Disk>, old: &dyn DiskFile, bytes: u64) -> Result<(), StoreError> {
    let file = disk.create(NEW_NAME).map_err(StoreError::io("create", NEW_NAME))?;
    let new = PagedFile::open(file, NEW_NAME, None)?;
    new.set_len(bytes).map_err(StoreError::io("grow", NEW_NAME))?;
    let mut reported = Instant::now();
    // The first page differs from the others, so it is copied separately.
    let (mut offset, mut piece_bytes) = (0, PAGE_BYTES);
    while offset < bytes {
        let length = usize::try_from(bytes - offset).unwrap_or(usize::MAX).min(piece_bytes);
        let mut piece = vec![0; length];
        old.read_exact_at(offset, &mut piece).map_err(StoreError::io("read", NAME))?;
        new.write_all_at(offset, &piece).map_err(StoreError::io("write", NEW_NAME))?;
        offset += length as u64;
        piece_bytes = PIECE_BYTES;
        if reported.elapsed() >= REPORT_EVERY {
            reported = Instant::now();
            tracing::info!(done = offset, bytes, "the tree is being converted");
        }
    }
    new.sync_data().map_err(StoreError::io("sync", NEW_NAME))
}

/// Opens the copy if the library finds it intact.
fn open_checked(disk: &Arc<dyn Disk>, cache_bytes: usize) -> Result<Tree, StoreError> {
    let opened = Tree::load(disk, None, NEW_NAME, Form::Paged, cache_bytes).and_then(|mut tree| {
        tree.check_version()?;
        tree.require_whole()?;
        Ok(tree)
    });
    opened.map_err(|error| match error {
        // The copy is exact, so the original is damaged.
        StoreError::Tree(error) => {
            StoreError::corrupt(NAME, 0, format!("it has an earlier format and can't be converted: {error}"))
        }
        other => other,
    })
}
