//! Checks that the files being written are the ones that the next opening will find.

use std::io;
use std::sync::Arc;

use super::disk::FileId;
use super::log::SegmentCatalogue;
use super::{Disk, StoreError, reach, tree};

/// Watches the names of the tree, the mark and the log. A deleted file can still be written, but everything written
/// to it is lost.
pub(super) struct FileWatch {
    disk: Arc<dyn Disk>,
    catalogue: Arc<SegmentCatalogue>,
    files: Vec<(&'static str, FileId)>,
}

impl FileWatch {
    /// Starts with the present files.
    pub(super) fn new(disk: Arc<dyn Disk>, catalogue: Arc<SegmentCatalogue>) -> Result<Self, StoreError> {
        let mut files = Vec::new();
        for name in [tree::NAME, reach::NAME] {
            let identity = disk.identity(name).map_err(StoreError::io("look for", name))?;
            files.extend(identity.map(|identity| (name, identity)));
        }
        Ok(Self { disk, catalogue, files })
    }

    /// Returns an error if a file is missing or replaced, or if another process has opened the folder.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.disk.check_hold().map_err(StoreError::io("hold", "the folder"))?;
        for (name, identity) in &self.files {
            if !self.is_there(name, *identity)? {
                return Err(StoreError::Replaced { file: (*name).to_owned() });
            }
        }
        for segment in self.catalogue.segments() {
            let Some(identity) = segment.identity else { continue };
            // It may have been trimmed meanwhile. A segment leaves the catalogue before it loses its name.
            if !self.is_there(&segment.name(), identity)? && self.catalogue.has(segment.id) {
                return Err(StoreError::Replaced { file: segment.name() });
            }
        }
        Ok(())
    }

    fn is_there(&self, name: &str, identity: FileId) -> Result<bool, StoreError> {
        match self.disk.identity(name) {
            Ok(found) => Ok(found.is_none_or(|found| found == identity)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StoreError::io("look for", name)(error)),
        }
    }
}
