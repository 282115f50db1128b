//! Reading the tree.

use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use redb::{AccessGuard, ReadOnlyTable};

use super::Tree;
use super::backend::TreeFile;
use crate::store::{Direction, StoreError};

/// A snapshot of the tree's entries.
pub(in crate::store) struct TreeView {
    table: ReadOnlyTable<&'static [u8], &'static [u8]>,
    // The file stays open, and the folder locked, while there are readers.
    tree: Arc<Tree>,
}

impl TreeView {
    pub(super) fn new(table: ReadOnlyTable<&'static [u8], &'static [u8]>, tree: Arc<Tree>) -> Self {
        Self { table, tree }
    }

    pub(in crate::store) fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        self.tree.file.guarded(|| {
            let value = self.table.get(key).map_err(StoreError::tree)?;
            Ok(value.map(|value| Bytes::copy_from_slice(value.value())))
        })
    }

    pub(in crate::store) fn range(
        &self,
        lower: Bound<&[u8]>,
        upper: Bound<&[u8]>,
    ) -> Result<TreeRange, StoreError> {
        let file = &self.tree.file;
        let range = file.guarded(|| self.table.range::<&[u8]>((lower, upper)).map_err(StoreError::tree))?;
        Ok(TreeRange { range, file: file.clone() })
    }
}

/// The tree's entries between two bounds.
pub(in crate::store) struct TreeRange {
    range: redb::Range<'static, &'static [u8], &'static [u8]>,
    file: Arc<TreeFile>,
}

impl TreeRange {
    pub(in crate::store) fn step(&mut self, direction: Direction) -> Result<Option<TreeEntry>, StoreError> {
        let Self { range, file } = self;
        file.guarded(|| {
            let next = match direction {
                Direction::Forward => range.next(),
                Direction::Backward => range.next_back(),
            };
            let next = next.transpose().map_err(StoreError::tree)?;
            let entry = next.map(|(key, value)| TreeEntry { key, value });
            // It was read once without an error, so it can be read again.
            entry.iter().for_each(|entry| _ = (entry.key(), entry.value()));
            Ok(entry)
        })
    }
}

/// An entry in its page, which is copied only on demand.
pub(in crate::store) struct TreeEntry {
    key: AccessGuard<'static, &'static [u8]>,
    value: AccessGuard<'static, &'static [u8]>,
}

impl TreeEntry {
    pub(in crate::store) fn key(&self) -> &[u8] {
        self.key.value()
    }

    pub(in crate::store) fn value(&self) -> &[u8] {
        self.value.value()
    }

    pub(in crate::store) fn to_bytes(&self) -> (Bytes, Bytes) {
        (Bytes::copy_from_slice(self.key.value()), Bytes::copy_from_slice(self.value.value()))
    }
}
