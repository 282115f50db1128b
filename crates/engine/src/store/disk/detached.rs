//! Changes in memory on top of a file that doesn't change.

use std::collections::BTreeMap;
use std::io;

use super::{DiskFile, pieces};

const PAGE_BYTES: usize = 4096;

/// Pages in memory on top of a file that no longer changes.
#[derive(Default)]
pub(in crate::store) struct Detached {
    /// The visible length of the file.
    file_bytes: u64,
    len: u64,
    pages: BTreeMap<u64, Box<[u8]>>,
}

impl Detached {
    /// Creates changes on top of a file of this length.
    pub(in crate::store) fn new(file_bytes: u64) -> Self {
        Self { file_bytes, len: file_bytes, pages: BTreeMap::new() }
    }

    pub(in crate::store) fn len(&self) -> u64 {
        self.len
    }

    /// Truncates the file, or extends it with zeros.
    pub(in crate::store) fn set_len(&mut self, len: u64) {
        if len < self.len {
            // Truncated bytes must not reappear when the file grows again.
            self.file_bytes = self.file_bytes.min(len);
            let last = len / PAGE_BYTES as u64;
            self.pages.split_off(&(last + 1));
            let cut =
                self.pages.get_mut(&last).and_then(|page| page.get_mut((len % PAGE_BYTES as u64) as usize..));
            cut.into_iter().for_each(|cut| cut.fill(0));
        }
        self.len = len;
    }

    pub(in crate::store) fn read(&self, file: &dyn DiskFile, offset: u64, out: &mut [u8]) -> io::Result<()> {
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

    pub(in crate::store) fn write(
        &mut self,
        file: &dyn DiskFile,
        offset: u64,
        data: &[u8],
    ) -> io::Result<()> {
        for piece in pieces(offset, data.len(), PAGE_BYTES) {
            if !self.pages.contains_key(&piece.page) {
                let mut page: Box<[u8]> = vec![0; PAGE_BYTES].into();
                // A page that is replaced completely need not be readable: the failed write may have torn it.
                if piece.in_page.len() < PAGE_BYTES {
                    self.read_file(file, piece.page * PAGE_BYTES as u64, &mut page)?;
                }
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

    /// Reads the file. Beyond its end there are zeros.
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
