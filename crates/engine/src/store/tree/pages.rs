//! The tree's file: pages that are checked whenever they are read.
//!
//! The tree library writes pages of a multiple of 4 KB to unused places. Only its first page is overwritten in place.
//! So each page is one unit with a slot that protects it. The slots of a group of pages are in a block before the
//! group. The first page has two copies that are written alternately, so that an interrupted write leaves the other
//! one.
//!
//! The blocks of slots keep pages aligned with the blocks of the file system. So a page takes one block in the
//! system's cache, not two, and writing it doesn't touch another page's block.

#[cfg(test)]
mod tests;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use singlet_cipher::{SALT_BYTES, Salt};

use super::protection::{PageContext, Protection};
use crate::entropy::random;
use crate::store::disk::pieces;
use crate::store::error::Damage;
use crate::store::seal::Sealing;
use crate::store::{DiskFile, StoreError};

pub(super) const PAGE_BYTES: usize = 4096;
/// The copies of the first page have their own blocks.
const COPIES_AT: [u64; 2] = [PAGE_BYTES as u64, 3 * PAGE_BYTES as u64];
const GROUPS_AT: u64 = 5 * PAGE_BYTES as u64;
/// Copies are bound to positions that no page has.
const COPIES_PLACE: u64 = u64::MAX - 1;
/// The number of the write, which comes before the page in its copy.
const NUMBER_BYTES: usize = 8;

/// A file of pages that are checked whenever they are read.
pub(super) struct PagedFile {
    name: String,
    file: Arc<dyn DiskFile>,
    protection: Protection,
    salt: Salt,
    first: Mutex<FirstPage>,
    is_doubtful: bool,
}

/// The first page and the state of its copies.
struct FirstPage {
    page: Box<[u8]>,
    /// The number of the last write. The copy with the higher number counts.
    number: u64,
    /// The copy that must not be overwritten, because it is durable and the other may not be.
    durable: usize,
    /// Whether the other copy is newer.
    is_dirty: bool,
}

impl FirstPage {
    fn empty() -> Self {
        Self { page: vec![0; PAGE_BYTES].into(), number: 0, durable: 1, is_dirty: false }
    }
}

/// The position of a page after the first.
struct PagePlace {
    data: u64,
    slot: u64,
    /// The number of pages from this one to the end of its group.
    run: u64,
}

/// The layout of pages and slots, which follows from the size of a slot.
#[derive(Clone, Copy)]
struct Layout {
    slot_bytes: usize,
    group_pages: u64,
}

impl Layout {
    const fn of(protection: &Protection) -> Self {
        Self { slot_bytes: protection.slot_bytes(), group_pages: protection.group_pages() }
    }

    /// The pages of a group and its block of slots.
    fn group_bytes(self) -> u64 {
        (self.group_pages + 1) * PAGE_BYTES as u64
    }

    fn place(self, page: u64) -> PagePlace {
        let page = page - 1;
        let (group, place) = (page / self.group_pages, page % self.group_pages);
        let start = GROUPS_AT + group * self.group_bytes();
        PagePlace {
            data: start + (1 + place) * PAGE_BYTES as u64,
            slot: start + place * self.slot_bytes as u64,
            run: self.group_pages - place,
        }
    }

    /// Returns the length of a file with this many pages after the first.
    fn file_bytes(self, pages: u64) -> u64 {
        let rest = pages % self.group_pages;
        let rest_bytes = if rest == 0 { 0 } else { (1 + rest) * PAGE_BYTES as u64 };
        GROUPS_AT + pages / self.group_pages * self.group_bytes() + rest_bytes
    }

    /// Returns the number of pages after the first in a file of this length.
    fn pages_in(self, file_bytes: u64) -> u64 {
        let groups_bytes = file_bytes.saturating_sub(GROUPS_AT);
        let rest = groups_bytes % self.group_bytes() / PAGE_BYTES as u64;
        groups_bytes / self.group_bytes() * self.group_pages + rest.saturating_sub(1)
    }

    /// Whether a file can have this length.
    fn is_whole(self, file_bytes: u64) -> bool {
        file_bytes >= GROUPS_AT && self.file_bytes(self.pages_in(file_bytes)) == file_bytes
    }
}

impl PagedFile {
    /// Opens a file, or creates one if the file is empty.
    pub(super) fn open(
        file: Arc<dyn DiskFile>,
        name: &str,
        sealing: Option<&Arc<Sealing>>,
    ) -> Result<Self, StoreError> {
        let length = file.len().map_err(StoreError::io("measure", name))?;
        let protection = Protection::new(sealing).map_err(StoreError::io("open", name))?;
        let salt = if length == 0 {
            let salt = random().map_err(StoreError::io("open", name))?;
            file.write_all_at(0, &protection.encode_header(&salt)).map_err(StoreError::io("write", name))?;
            file.set_len(GROUPS_AT).map_err(StoreError::io("grow", name))?;
            salt
        } else {
            read_salt(file.as_ref(), name, &protection, length)?
        };
        let first = Mutex::new(FirstPage::empty());
        let mut pages = Self { name: name.to_owned(), file, protection, salt, first, is_doubtful: false };
        if length > 0 {
            pages.read_first().map_err(StoreError::io("read", name))?;
        }
        Ok(pages)
    }

    /// Whether one copy of the first page is unreadable. The cause is an interrupted write or damage. With damage the
    /// other copy may be an earlier one, so the caller must check everything below the first page.
    pub(super) fn is_doubtful(&self) -> bool {
        self.is_doubtful
    }

    fn layout(&self) -> Layout {
        Layout::of(&self.protection)
    }

    fn first(&self) -> MutexGuard<'_, FirstPage> {
        // It is changed only when a write has succeeded.
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The data that the slot of a page, or of a copy of the first one, is bound to.
    fn context(&self, place: u64) -> PageContext {
        let mut context = [0; SALT_BYTES + 8];
        let (salt, page) = context.split_at_mut(SALT_BYTES);
        salt.copy_from_slice(&self.salt);
        page.copy_from_slice(&place.to_le_bytes());
        context
    }

    fn damage(&self, offset: u64, reason: impl Into<String>) -> io::Error {
        Damage::new(&self.name, offset, reason).into()
    }

    fn read_first(&mut self) -> io::Result<()> {
        let copies = [self.read_copy(0)?, self.read_copy(1)?];
        let numbers = copies.each_ref().map(|copy| copy.as_ref().map(|(number, _)| *number));
        let durable = usize::from(numbers[1] > numbers[0]);
        let [one, other] = copies;
        let Some((number, page)) = (if durable == 0 { one } else { other }) else {
            return Err(self.damage(COPIES_AT[0], "both copies of page 0 are not what was written"));
        };
        if numbers[0] != numbers[1] {
            // The newer copy may not be durable yet if the program was killed. The older one must not be overwritten
            // before it is.
            self.file.sync_data()?;
        }
        self.is_doubtful = numbers.contains(&None);
        self.first = Mutex::new(FirstPage { page, number, durable, is_dirty: false });
        Ok(())
    }

    /// Returns the number and content of an intact copy.
    fn read_copy(&self, copy: usize) -> io::Result<Option<(u64, Box<[u8]>)>> {
        let slot_bytes = self.protection.slot_bytes();
        let mut bytes = vec![0; slot_bytes + NUMBER_BYTES + PAGE_BYTES];
        self.file.read_exact_at(copy_at(copy), &mut bytes)?;
        let (slot, unit) = bytes.split_at_mut_checked(slot_bytes).unwrap_or_default();
        if !self.protection.check(&self.context(COPIES_PLACE + copy as u64), unit, slot) {
            return Ok(None);
        }
        let (number, page) = unit.split_first_chunk().unwrap_or((&[0; NUMBER_BYTES], &[]));
        Ok(Some((u64::from_le_bytes(*number), page.into())))
    }

    fn write_copy(&self, copy: usize, page: &[u8], number: u64) -> io::Result<()> {
        let slot_bytes = self.protection.slot_bytes();
        let mut bytes = vec![0; slot_bytes];
        bytes.extend_from_slice(&number.to_le_bytes());
        bytes.extend_from_slice(page);
        let (slot, unit) = bytes.split_at_mut_checked(slot_bytes).unwrap_or_default();
        self.protection.protect(&self.context(COPIES_PLACE + copy as u64), unit, slot);
        self.file.write_all_at(copy_at(copy), &bytes)
    }

    /// Reads whole pages after the first.
    fn read_pages(&self, page: u64, out: &mut [u8]) -> io::Result<()> {
        let (layout, slot_bytes) = (self.layout(), self.protection.slot_bytes());
        let mut page = page;
        let mut rest = out;
        while !rest.is_empty() {
            let place = layout.place(page);
            let pages = place.run.min((rest.len() / PAGE_BYTES) as u64);
            let (run, after) = rest.split_at_mut_checked(pages as usize * PAGE_BYTES).unwrap_or_default();
            let mut slots = vec![0; pages as usize * slot_bytes];
            self.file.read_exact_at(place.slot, &mut slots)?;
            self.file.read_exact_at(place.data, run)?;
            for (number, (bytes, slot)) in
                (page..).zip(run.chunks_mut(PAGE_BYTES).zip(slots.chunks(slot_bytes)))
            {
                if !self.protection.check(&self.context(number), bytes, slot) {
                    let offset = layout.place(number).data;
                    return Err(self.damage(offset, format!("page {number} is not what was written")));
                }
            }
            page += pages;
            rest = after;
        }
        Ok(())
    }

    /// Writes whole pages after the first.
    fn write_pages(&self, page: u64, data: &[u8]) -> io::Result<()> {
        let (layout, slot_bytes) = (self.layout(), self.protection.slot_bytes());
        let mut page = page;
        let mut protected = data.to_vec();
        let mut rest = protected.as_mut_slice();
        while !rest.is_empty() {
            let place = layout.place(page);
            let pages = place.run.min((rest.len() / PAGE_BYTES) as u64);
            let (run, after) = rest.split_at_mut_checked(pages as usize * PAGE_BYTES).unwrap_or_default();
            let mut slots = vec![0; pages as usize * slot_bytes];
            for (number, (bytes, slot)) in
                (page..).zip(run.chunks_mut(PAGE_BYTES).zip(slots.chunks_mut(slot_bytes)))
            {
                self.protection.protect(&self.context(number), bytes, slot);
            }
            self.file.write_all_at(place.data, run)?;
            self.file.write_all_at(place.slot, &slots)?;
            page += pages;
            rest = after;
        }
        Ok(())
    }

    fn write_first(&self, range: std::ops::Range<usize>, data: &[u8]) -> io::Result<()> {
        let mut first = self.first();
        let mut page = first.page.clone();
        page.get_mut(range).ok_or(io::ErrorKind::InvalidInput)?.copy_from_slice(data);
        let number = first.number + 1;
        self.write_copy(1 - first.durable, &page, number)?;
        first.page = page;
        first.number = number;
        first.is_dirty = true;
        Ok(())
    }

    /// Clears the slots of truncated pages in the last group, because the file may grow over them again.
    fn forget_slots_after(&self, pages: u64) -> io::Result<()> {
        let layout = self.layout();
        let rest = pages % layout.group_pages;
        if rest == 0 {
            return Ok(());
        }
        let slots = vec![0; (layout.group_pages - rest) as usize * layout.slot_bytes];
        self.file.write_all_at(layout.place(pages + 1).slot, &slots)
    }
}

fn copy_at(copy: usize) -> u64 {
    let [first, second] = COPIES_AT;
    if copy == 0 { first } else { second }
}

/// Reads the header of an existing file.
fn read_salt(
    file: &dyn DiskFile,
    name: &str,
    protection: &Protection,
    length: u64,
) -> Result<Salt, StoreError> {
    let cut = || Err(Damage::new(name, length, "the file has been cut or extended").into());
    let mut header = vec![0; protection.header_bytes()];
    if length < header.len() as u64 {
        return cut();
    }
    file.read_exact_at(0, &mut header).map_err(StoreError::io("read", name))?;
    let salt = protection.decode_header(name, &header)?;
    if Layout::of(protection).is_whole(length) { Ok(salt) } else { cut() }
}

/// Whether a range consists of whole pages after the first, as nearly all do.
fn is_whole_pages(offset: u64, len: usize) -> bool {
    offset >= PAGE_BYTES as u64 && offset.is_multiple_of(PAGE_BYTES as u64) && len.is_multiple_of(PAGE_BYTES)
}

impl DiskFile for PagedFile {
    fn len(&self) -> io::Result<u64> {
        let length = self.file.len()?;
        if !self.layout().is_whole(length) {
            return Err(self.damage(length, "the file has been cut or extended"));
        }
        let pages = self.layout().pages_in(length);
        // A file with only its first page has never been written.
        Ok(if pages == 0 { 0 } else { (pages + 1) * PAGE_BYTES as u64 })
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        if is_whole_pages(offset, buffer.len()) {
            return self.read_pages(offset / PAGE_BYTES as u64, buffer);
        }
        for piece in pieces(offset, buffer.len(), PAGE_BYTES) {
            let mut page = vec![0; PAGE_BYTES];
            if piece.page == 0 {
                page.copy_from_slice(&self.first().page);
            } else {
                self.read_pages(piece.page, &mut page)?;
            }
            if let (Some(to), Some(from)) = (buffer.get_mut(piece.in_buffer), page.get(piece.in_page)) {
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }

    fn write_all_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        if is_whole_pages(offset, bytes.len()) {
            return self.write_pages(offset / PAGE_BYTES as u64, bytes);
        }
        for piece in pieces(offset, bytes.len(), PAGE_BYTES) {
            let from = bytes.get(piece.in_buffer).unwrap_or_default();
            if piece.page == 0 {
                self.write_first(piece.in_page, from)?;
                continue;
            }
            let mut page = vec![0; PAGE_BYTES];
            if piece.in_page.len() < PAGE_BYTES {
                self.read_pages(piece.page, &mut page)?;
            }
            if let Some(to) = page.get_mut(piece.in_page) {
                to.copy_from_slice(from);
            }
            self.write_pages(piece.page, &page)?;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        if !len.is_multiple_of(PAGE_BYTES as u64) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a tree has whole pages"));
        }
        let pages = (len / PAGE_BYTES as u64).saturating_sub(1);
        if pages < self.layout().pages_in(self.file.len()?) {
            self.forget_slots_after(pages)?;
        }
        self.file.set_len(self.layout().file_bytes(pages))
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut first = self.first();
        self.file.sync_data()?;
        if first.is_dirty {
            // The copy that was just made durable is kept. The other becomes equal to it, so that damage to one of
            // them never brings back an earlier state.
            first.durable = 1 - first.durable;
            self.write_copy(1 - first.durable, &first.page, first.number)?;
            first.is_dirty = false;
        }
        Ok(())
    }
}
