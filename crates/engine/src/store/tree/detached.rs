//! What the tree library wrote after its file had failed.

use std::collections::BTreeMap;
use std::io;

use crate::store::DiskFile;
use crate::store::disk::pieces;

const PAGE_BYTES: usize = 4096;

/// Pages written after the failure, on top of a file that no longer changes.
#[derive(Default)]
pub(super) struct Detached {
    file_bytes: u64,
    len: u64,
    pages: BTreeMap<u64, Box<[u8]>>,
}

impl Detached {
    /// On top of a file of this length.
    pub(super) fn new(file_bytes: u64) -> Self {
        Self { file_bytes, len: file_bytes, pages: BTreeMap::new() }
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn set_len(&mut self, len: u64) {
        self.len = len;
    }

    pub(super) fn read(&self, file: &dyn DiskFile, offset: u64, out: &mut [u8]) -> io::Result<()> {
        for piece in pieces(offset, out.len(), PAGE_BYTES) {
            let start = offset + piece.in_buffer.start as u64;
            let to = out.get_mut(piece.in_buffer).unwrap_or_default();
            match self.pages.get(&piece.page).and_then(|page| page.get(piece.in_page)) {
                Some(from) => to.copy_from_slice(from),
                None => self.read_file(file, start, to)?,
            }
        }
        Ok(())
    }

    pub(super) fn write(&mut self, file: &dyn DiskFile, offset: u64, data: &[u8]) -> io::Result<()> {
        for piece in pieces(offset, data.len(), PAGE_BYTES) {
            if !self.pages.contains_key(&piece.page) {
                let mut page: Box<[u8]> = vec![0; PAGE_BYTES].into();
                self.read_file(file, piece.page * PAGE_BYTES as u64, &mut page)?;
                self.pages.insert(piece.page, page);
            }
            let to = self.pages.get_mut(&piece.page).and_then(|page| page.get_mut(piece.in_page));
            if let (Some(to), Some(from)) = (to, data.get(piece.in_buffer)) {
                to.copy_from_slice(from);
            }
        }
        self.len = self.len.max(offset + data.len() as u64);
        Ok(())
    }

    /// Reads the file; behind its end there are zeros.
    fn read_file(&self, file: &dyn DiskFile, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let there =
            usize::try_from(self.file_bytes.saturating_sub(offset)).unwrap_or(usize::MAX).min(out.len());
        let (from_file, behind) = out.split_at_mut_checked(there).unwrap_or_default();
        if !from_file.is_empty() {
            file.read_exact_at(offset, from_file)?;
        }
        behind.fill(0);
        Ok(())
    }
}
