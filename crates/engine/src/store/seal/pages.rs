//! The tree's file, sealed page by page.
//!
//! The tree library writes pages of a multiple of 4 KB where nothing is that anybody could still need, and only its
//! first page in place. So each page is one unit, its nonce and tag stand in a table before every 102 pages, and the
//! first page is kept in two copies that are written in turn: a write that the power cuts short leaves the other one.
//!
//! The tables keep pages aligned with the blocks of the file system: a page takes one of them in the system's cache, not
//! two, and writing it touches no other page's block.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use singlet_cipher::{Cipher, NONCE_BYTES, Nonces, Salt, TAG_BYTES};

use super::Damage;
use super::header::{Kind, decode_header, encode_header, header_bytes};
use super::keys::Sealing;
use crate::entropy::random;
use crate::store::disk::pieces;
use crate::store::{DiskFile, StoreError};

pub(super) const PAGE_BYTES: usize = 4096;
/// A nonce and a tag.
const SLOT_BYTES: usize = NONCE_BYTES + TAG_BYTES;
/// As many pages as one block has slots for.
const GROUP_PAGES: u64 = (PAGE_BYTES / SLOT_BYTES) as u64;
const GROUP_BYTES: u64 = (GROUP_PAGES + 1) * PAGE_BYTES as u64;
/// A copy of the first page: a slot, then the number of the write and the page.
const COPY_BYTES: usize = SLOT_BYTES + 8 + PAGE_BYTES;
/// The copies have blocks of their own.
const COPIES_AT: [u64; 2] = [PAGE_BYTES as u64, 3 * PAGE_BYTES as u64];
const GROUPS_AT: u64 = 5 * PAGE_BYTES as u64;

/// A file that is sealed page by page.
pub(in crate::store) struct SealedPages {
    name: String,
    file: Arc<dyn DiskFile>,
    sealing: Arc<Sealing>,
    salt: Salt,
    nonces: Nonces,
    first: Mutex<FirstPage>,
    is_doubtful: bool,
}

/// The first page and where its copies stand.
struct FirstPage {
    page: Box<[u8]>,
    /// The number of the last write; the higher one of the copies is the page.
    number: u64,
    /// The copy that must not be written to, because it is durable and the other may not be.
    durable: usize,
    /// Whether the other copy is newer.
    is_dirty: bool,
}

impl FirstPage {
    fn empty() -> Self {
        Self { page: vec![0; PAGE_BYTES].into(), number: 0, durable: 1, is_dirty: false }
    }
}

/// Where a page after the first one is.
struct Place {
    data: u64,
    slot: u64,
    /// How many pages follow in the same group, this one included.
    run: u64,
}

impl Place {
    fn of(page: u64) -> Self {
        let page = page - 1;
        let (group, place) = (page / GROUP_PAGES, page % GROUP_PAGES);
        let start = GROUPS_AT + group * GROUP_BYTES;
        Self {
            data: start + (1 + place) * PAGE_BYTES as u64,
            slot: start + place * SLOT_BYTES as u64,
            run: GROUP_PAGES - place,
        }
    }
}

/// The length of a file with so many pages after the first one.
fn file_bytes(pages: u64) -> u64 {
    let rest = pages % GROUP_PAGES;
    let rest_bytes = if rest == 0 { 0 } else { (1 + rest) * PAGE_BYTES as u64 };
    GROUPS_AT + pages / GROUP_PAGES * GROUP_BYTES + rest_bytes
}

/// The number of pages after the first one in a file of this length.
fn pages_in(file_bytes: u64) -> u64 {
    let groups_bytes = file_bytes.saturating_sub(GROUPS_AT);
    let rest = groups_bytes % GROUP_BYTES / PAGE_BYTES as u64;
    groups_bytes / GROUP_BYTES * GROUP_PAGES + rest.saturating_sub(1)
}

impl SealedPages {
    /// Opens a sealed file, or begins one if the file is empty.
    pub(in crate::store) fn open(
        file: Arc<dyn DiskFile>,
        name: &str,
        sealing: Arc<Sealing>,
    ) -> Result<Self, StoreError> {
        let length = file.len().map_err(StoreError::io("measure", name))?;
        let nonces = random().map(Nonces::new).map_err(StoreError::io("open", name))?;
        let name_owned = name.to_owned();
        if length == 0 {
            let salt = random().map_err(StoreError::io("open", name))?;
            let header = encode_header(&sealing.tree, Kind::Tree, &salt, &[]);
            file.write_all_at(0, &header).map_err(StoreError::io("write", name))?;
            file.set_len(GROUPS_AT).map_err(StoreError::io("grow", name))?;
            let first = Mutex::new(FirstPage::empty());
            return Ok(Self { name: name_owned, file, sealing, salt, nonces, first, is_doubtful: false });
        }
        if length < GROUPS_AT || file_bytes(pages_in(length)) != length {
            return Err(Damage::new(name, length, "the file has been cut").into());
        }
        let mut header = [0; header_bytes(0)];
        file.read_exact_at(0, &mut header).map_err(StoreError::io("read", name))?;
        let (salt, _) = decode_header(&sealing.tree, Kind::Tree, name, &header)?;
        let mut pages = Self {
            name: name_owned,
            file,
            sealing,
            salt,
            nonces,
            first: Mutex::new(FirstPage::empty()),
            is_doubtful: false,
        };
        pages.read_first().map_err(StoreError::io("read", name))?;
        Ok(pages)
    }

    /// Whether one copy of the first page can't be read. An interrupted write does that, but so does damage, and then
    /// the other copy may be an earlier one. Whoever opens the file must check all that hangs on the first page.
    pub(in crate::store) fn is_doubtful(&self) -> bool {
        self.is_doubtful
    }

    fn cipher(&self) -> &Cipher {
        &self.sealing.tree
    }

    fn first(&self) -> MutexGuard<'_, FirstPage> {
        // It is changed only when a write has succeeded.
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the unit of a page, or of a copy of the first one, is bound to.
    fn context(&self, place: u64) -> [u8; 24] {
        let mut context = [0; 24];
        let (salt, page) = context.split_at_mut(16);
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
            return Err(self.damage(COPIES_AT[0], "both copies of the first page are not what was written"));
        };
        if numbers[0] != numbers[1] {
            // The newer copy may not have been durable yet when the program was killed; the older one must not be
            // overwritten before it is.
            self.file.sync_data()?;
        }
        self.is_doubtful = numbers.contains(&None);
        self.first = Mutex::new(FirstPage { page, number, durable, is_dirty: false });
        Ok(())
    }

    /// The number and contents of a copy that is whole.
    fn read_copy(&self, copy: usize) -> io::Result<Option<(u64, Box<[u8]>)>> {
        let at = copy_at(copy);
        let mut bytes = vec![0; COPY_BYTES];
        self.file.read_exact_at(at, &mut bytes)?;
        let (slot, sealed) = bytes.split_at_mut_checked(SLOT_BYTES).unwrap_or_default();
        if !self.open_unit(slot, COPIES_PLACE + copy as u64, sealed) {
            return Ok(None);
        }
        let (number, page) = sealed.split_first_chunk().unwrap_or((&[0; 8], &[]));
        Ok(Some((u64::from_le_bytes(*number), page.into())))
    }

    fn write_copy(&self, copy: usize, page: &[u8], number: u64) -> io::Result<()> {
        let mut bytes = vec![0; SLOT_BYTES];
        bytes.extend_from_slice(&number.to_le_bytes());
        bytes.extend_from_slice(page);
        let (slot, sealed) = bytes.split_at_mut_checked(SLOT_BYTES).unwrap_or_default();
        self.seal_unit(slot, COPIES_PLACE + copy as u64, sealed);
        self.file.write_all_at(copy_at(copy), &bytes)
    }

    fn seal_unit(&self, slot: &mut [u8], place: u64, bytes: &mut [u8]) {
        let nonce = self.nonces.next();
        let tag = self.cipher().seal(&nonce, &self.context(place), bytes);
        let (to_nonce, to_tag) = slot.split_at_mut_checked(NONCE_BYTES).unwrap_or_default();
        to_nonce.copy_from_slice(&nonce);
        to_tag.copy_from_slice(&tag);
    }

    fn open_unit(&self, slot: &[u8], place: u64, bytes: &mut [u8]) -> bool {
        let Some((nonce, tag)) = slot.split_first_chunk() else { return false };
        let Some(tag) = tag.first_chunk() else { return false };
        self.cipher().open(nonce, &self.context(place), bytes, tag)
    }

    /// Reads whole pages that are not the first.
    fn read_pages(&self, page: u64, out: &mut [u8]) -> io::Result<()> {
        let mut page = page;
        let mut rest = out;
        while !rest.is_empty() {
            let place = Place::of(page);
            let pages = place.run.min((rest.len() / PAGE_BYTES) as u64);
            let (run, after) = rest.split_at_mut_checked(pages as usize * PAGE_BYTES).unwrap_or_default();
            let mut slots = vec![0; pages as usize * SLOT_BYTES];
            self.file.read_exact_at(place.slot, &mut slots)?;
            self.file.read_exact_at(place.data, run)?;
            for (nth, (bytes, slot)) in run.chunks_mut(PAGE_BYTES).zip(slots.chunks(SLOT_BYTES)).enumerate() {
                if slot.iter().all(|byte| *byte == 0) {
                    // Never written since the file has grown over it.
                    bytes.fill(0);
                } else if !self.open_unit(slot, page + nth as u64, bytes) {
                    let offset = place.data + (nth * PAGE_BYTES) as u64;
                    return Err(
                        self.damage(offset, format!("page {} is not what was written", page + nth as u64))
                    );
                }
            }
            page += pages;
            rest = after;
        }
        Ok(())
    }

    /// Writes whole pages that are not the first.
    fn write_pages(&self, page: u64, data: &[u8]) -> io::Result<()> {
        let mut page = page;
        let mut sealed = data.to_vec();
        let mut rest = sealed.as_mut_slice();
        while !rest.is_empty() {
            let place = Place::of(page);
            let pages = place.run.min((rest.len() / PAGE_BYTES) as u64);
            let (run, after) = rest.split_at_mut_checked(pages as usize * PAGE_BYTES).unwrap_or_default();
            let mut slots = vec![0; pages as usize * SLOT_BYTES];
            for (nth, (bytes, slot)) in
                run.chunks_mut(PAGE_BYTES).zip(slots.chunks_mut(SLOT_BYTES)).enumerate()
            {
                self.seal_unit(slot, page + nth as u64, bytes);
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

    /// Forgets the pages of the last group that a cut takes away: the file may grow over them again.
    fn forget_slots_after(&self, pages: u64) -> io::Result<()> {
        let rest = pages % GROUP_PAGES;
        if rest == 0 {
            return Ok(());
        }
        let slots = vec![0; (GROUP_PAGES - rest) as usize * SLOT_BYTES];
        self.file.write_all_at(Place::of(pages + 1).slot, &slots)
    }
}

/// Copies are bound to places that no page has.
const COPIES_PLACE: u64 = u64::MAX - 1;

fn copy_at(copy: usize) -> u64 {
    let [first, second] = COPIES_AT;
    if copy == 0 { first } else { second }
}

/// Whether a range is whole pages after the first one, as nearly all are.
fn is_whole_pages(offset: u64, len: usize) -> bool {
    offset >= PAGE_BYTES as u64 && offset.is_multiple_of(PAGE_BYTES as u64) && len.is_multiple_of(PAGE_BYTES)
}

impl DiskFile for SealedPages {
    fn len(&self) -> io::Result<u64> {
        let length = self.file.len()?;
        let pages = pages_in(length);
        if file_bytes(pages) != length {
            return Err(self.damage(length, "the file has been cut"));
        }
        // A file that has only its first page has never been written to.
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
            self.read_pages(piece.page, &mut page)?;
            if let Some(to) = page.get_mut(piece.in_page) {
                to.copy_from_slice(from);
            }
            self.write_pages(piece.page, &page)?;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        if !len.is_multiple_of(PAGE_BYTES as u64) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a sealed tree has whole pages"));
        }
        let pages = (len / PAGE_BYTES as u64).saturating_sub(1);
        if pages < pages_in(self.file.len()?) {
            self.forget_slots_after(pages)?;
        }
        self.file.set_len(file_bytes(pages))
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut first = self.first();
        self.file.sync_data()?;
        if first.is_dirty {
            // The copy just made durable is kept; the other becomes the same, so that damage to one of them is never
            // answered with an earlier state.
            first.durable = 1 - first.durable;
            self.write_copy(1 - first.durable, &first.page, first.number)?;
            first.is_dirty = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_places_agree() {
        for pages in 0..1_000 {
            assert_eq!(pages_in(file_bytes(pages)), pages);
            if pages > 0 {
                let place = Place::of(pages);
                assert_eq!(place.data + PAGE_BYTES as u64, file_bytes(pages), "page {pages} is the last");
                assert!(place.slot >= GROUPS_AT && place.slot + SLOT_BYTES as u64 <= place.data);
            }
        }
    }

    #[test]
    fn copies_of_the_first_page_do_not_overlap() {
        let [one, other] = COPIES_AT;
        assert!(header_bytes(0) as u64 <= one);
        assert!(one + COPY_BYTES as u64 <= other && other + COPY_BYTES as u64 <= GROUPS_AT);
    }
}
