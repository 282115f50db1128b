//! A folder whose files are sealed in blocks, for files that are written once or grow at their end.
//!
//! A block is one unit, and reading any part of a file reads the blocks around it. The last block needs care: it is
//! filled gradually, and sealing it again in place could lose durable bytes. So it is stored separately, in two
//! copies that are written alternately. When it is full, it goes to its own position, where nothing was before. So
//! everything synced survives a power failure, as in a file that isn't sealed.
//!
//! Writing before the end of a file is possible, but a block that is written again isn't safe from a power failure.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, PoisonError, Weak};

use singlet_cipher::{Cipher, NONCE_BYTES, Nonces, Salt, TAG_BYTES};

use super::Damage;
use super::header::{Kind, decode_header, encode_header, header_bytes};
use super::key::Key;
use super::keys::Sealing;
use crate::entropy::random;
use crate::store::disk::pieces;
use crate::store::{Disk, DiskFile, FileId, StoreError};
use crate::sync::{Mutex, RwLock, RwLockWriteGuard};

const BLOCK_BYTES: usize = 4096;
/// A nonce and a tag.
const SLOT_BYTES: usize = NONCE_BYTES + TAG_BYTES;
const STRIDE: u64 = (SLOT_BYTES + BLOCK_BYTES) as u64;
/// Number of the write, number of the block, bytes in it, and the block.
const TAIL_FIELDS_BYTES: usize = 24;
const COPY_BYTES: usize = SLOT_BYTES + TAIL_FIELDS_BYTES + BLOCK_BYTES;
/// The copies of the last block have their own blocks of the file system.
const COPIES_AT: [u64; 2] = [4096, 3 * 4096];
const BLOCKS_AT: u64 = 5 * 4096;
/// Copies are bound to positions that no block has.
const COPIES_PLACE: u64 = u64::MAX - 1;
/// The size of one write of zeros.
const ZEROS_BYTES: usize = 64 << 10;

/// A folder whose files are sealed.
pub struct SealedDisk {
    disk: Arc<dyn Disk>,
    cipher: Arc<Cipher>,
    /// Open files, so that all users of a file see each other's writes.
    open: Mutex<HashMap<String, Weak<SealedFile>>>,
}

impl SealedDisk {
    pub(super) fn new(disk: Arc<dyn Disk>, cipher: Arc<Cipher>) -> Self {
        Self { disk, cipher, open: Mutex::default() }
    }

    /// Returns the files of a folder: sealed if the folder is encrypted, plain if it isn't. An empty folder becomes
    /// encrypted if there is a key.
    pub fn unlock(disk: Arc<dyn Disk>, key: Option<&Key>) -> Result<Arc<dyn Disk>, StoreError> {
        Ok(match Sealing::unlock(&disk, key)? {
            Some(sealing) => sealing.seal_files(&disk),
            None => disk,
        })
    }

    fn with_open<T>(&self, act: impl FnOnce(&mut HashMap<String, Weak<SealedFile>>) -> T) -> T {
        // The map is never left half changed, so a panic elsewhere doesn't corrupt it.
        act(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl SealedDisk {
    /// Notes the file that has this name now.
    fn note(
        &self,
        open: &mut HashMap<String, Weak<SealedFile>>,
        name: &str,
        file: Arc<dyn DiskFile>,
    ) -> io::Result<Arc<dyn DiskFile>> {
        let file = Arc::new(SealedFile::open(file, name, self.cipher.clone())?);
        open.retain(|_, file| file.strong_count() > 0);
        open.insert(name.to_owned(), Arc::downgrade(&file));
        Ok(file)
    }
}

impl Disk for SealedDisk {
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        self.with_open(|open| {
            if let Some(file) = open.get(name).and_then(Weak::upgrade) {
                let file: Arc<dyn DiskFile> = file;
                return Ok(file);
            }
            self.note(open, name, self.disk.open(name)?)
        })
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        self.with_open(|open| self.note(open, name, self.disk.create(name)?))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        self.disk.list()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.with_open(|open| {
            self.disk.remove(name)?;
            open.remove(name);
            Ok(())
        })
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.with_open(|open| {
            self.disk.rename(from, to)?;
            open.remove(to);
            if let Some(file) = open.remove(from) {
                open.insert(to.to_owned(), file);
            }
            Ok(())
        })
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.disk.sync_directory()
    }

    fn identity(&self, name: &str) -> io::Result<Option<FileId>> {
        self.disk.identity(name)
    }

    fn check_hold(&self) -> io::Result<()> {
        self.disk.check_hold()
    }

    fn free_bytes(&self) -> io::Result<Option<u64>> {
        self.disk.free_bytes()
    }
}

pub(super) struct SealedFile {
    /// The name when it was opened, for errors.
    name: String,
    file: Arc<dyn DiskFile>,
    cipher: Arc<Cipher>,
    salt: Salt,
    nonces: Nonces,
    tail: RwLock<Tail>,
}

/// The last block. It is never full and often empty.
#[derive(Clone)]
struct Tail {
    /// Its number. All blocks before it are full and in their positions.
    block: u64,
    bytes: Vec<u8>,
    /// The number of the last write. The copy with the higher number counts.
    number: u64,
    /// The copy that must not be overwritten, because it is durable and the other may not be.
    durable: usize,
    /// Whether the other copy is newer.
    is_dirty: bool,
}

impl Tail {
    fn file_bytes(&self) -> u64 {
        self.block * BLOCK_BYTES as u64 + self.bytes.len() as u64
    }
}

fn block_at(block: u64) -> u64 {
    BLOCKS_AT + block * STRIDE
}

fn copy_at(copy: usize) -> u64 {
    let [first, second] = COPIES_AT;
    if copy == 0 { first } else { second }
}

impl SealedFile {
    /// Opens a sealed file, or creates one if the file is empty.
    pub(super) fn open(file: Arc<dyn DiskFile>, name: &str, cipher: Arc<Cipher>) -> io::Result<Self> {
        let tail = RwLock::new(Tail { block: 0, bytes: Vec::new(), number: 0, durable: 1, is_dirty: false });
        let (name, nonces) = (name.to_owned(), Nonces::new(random()?));
        let mut header = [0; header_bytes(0)];
        let is_long_enough = file.len()? >= header.len() as u64;
        if is_long_enough {
            file.read_exact_at(0, &mut header)?;
        }
        // The header is written last, so a file without one was never complete.
        if header.iter().all(|byte| *byte == 0) {
            let sealed = Self { name, file, cipher, salt: random()?, nonces, tail };
            sealed.begin()?;
            return Ok(sealed);
        }
        let decoded = decode_header(&cipher, Kind::File, &name, &header);
        let (salt, _) = decoded.map_err(|error| match error {
            StoreError::Corrupt { file, offset, reason } => Damage { file, offset, reason }.into(),
            other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
        })?;
        let mut sealed = Self { name, file, cipher, salt, nonces, tail };
        sealed.tail = RwLock::new(sealed.read_tail()?);
        Ok(sealed)
    }

    /// Creates an empty file. Both copies of the last block are durable before the header exists.
    fn begin(&self) -> io::Result<()> {
        self.file.set_len(0)?;
        let mut tail = self.tail_for_writing();
        tail.number = 1;
        for copy in [0, 1] {
            self.write_copy(copy, &tail)?;
        }
        self.file.set_len(BLOCKS_AT)?;
        self.file.sync_data()?;
        self.file.write_all_at(0, &encode_header(&self.cipher, Kind::File, &self.salt, &[]))?;
        self.file.sync_data()
    }

    fn tail_for_writing(&self) -> RwLockWriteGuard<'_, Tail> {
        // It is replaced only when all writes have succeeded.
        self.tail.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn damage(&self, offset: u64, reason: impl Into<String>) -> io::Error {
        Damage::new(&self.name, offset, reason).into()
    }

    /// The data that a unit is bound to.
    fn context(&self, place: u64) -> [u8; 24] {
        let mut context = [0; 24];
        let (salt, at) = context.split_at_mut(16);
        salt.copy_from_slice(&self.salt);
        at.copy_from_slice(&place.to_le_bytes());
        context
    }

    /// Appends the unit of these bytes.
    fn seal_into(&self, out: &mut Vec<u8>, place: u64, bytes: &[u8]) {
        let nonce = self.nonces.next();
        let mut sealed = bytes.to_vec();
        let tag = self.cipher.seal(&nonce, &self.context(place), &mut sealed);
        out.extend_from_slice(&nonce);
        out.extend_from_slice(&tag);
        out.append(&mut sealed);
    }

    /// Opens a unit: the slot, then the sealed bytes.
    fn open_unit<'u>(&self, unit: &'u mut [u8], place: u64) -> Option<&'u [u8]> {
        let (slot, sealed) = unit.split_at_mut_checked(SLOT_BYTES)?;
        let (nonce, tag) = slot.split_first_chunk()?;
        self.cipher.open(nonce, &self.context(place), sealed, tag.first_chunk()?).then_some(sealed)
    }

    /// Returns the last block on the disk: the newer copy, unless a power failure has taken blocks before it.
    fn read_tail(&self) -> io::Result<Tail> {
        let copies = [self.read_copy(0)?, self.read_copy(1)?];
        let (newer, older) = match copies {
            [Some(one), Some(other)] if one.number == other.number => return self.whole(one, None),
            [Some(one), Some(other)] if one.number > other.number => (one, Some(other)),
            [Some(one), Some(other)] => (other, Some(one)),
            [Some(one), None] | [None, Some(one)] => (one, None),
            [None, None] => {
                return Err(self.damage(copy_at(0), "both copies of the last block are not what was written"));
            }
        };
        // The newer copy may not be durable yet if the program was killed. The other one must not be overwritten
        // before it is.
        self.file.sync_data()?;
        self.whole(newer, older)
    }

    /// Returns the first of the two whose preceding blocks exist. If they don't, the content of the newer one was
    /// never durable.
    fn whole(&self, newer: Tail, older: Option<Tail>) -> io::Result<Tail> {
        if let Some(older) = older
            && (older.block..newer.block).any(|block| self.read_block(block).is_err())
        {
            // The copy whose preceding blocks are missing must not become valid again when other blocks take their
            // positions.
            let mut tail = self.whole(older, None)?;
            tail.number = newer.number + 1;
            self.write_copy(1 - tail.durable, &tail)?;
            self.file.sync_data()?;
            tail.durable = 1 - tail.durable;
            return Ok(tail);
        }
        let length = self.file.len()?;
        if length < block_at(newer.block) {
            return Err(self.damage(length, "the file has been cut"));
        }
        Ok(newer)
    }

    fn read_copy(&self, copy: usize) -> io::Result<Option<Tail>> {
        let mut unit = vec![0; COPY_BYTES];
        self.file.read_exact_at(copy_at(copy), &mut unit)?;
        let opened = self.open_unit(&mut unit, COPIES_PLACE + copy as u64);
        Ok(opened.and_then(|bytes| {
            let field = |at: usize| bytes.get(at..)?.first_chunk().map(|field| u64::from_le_bytes(*field));
            let (number, block) = (field(0)?, field(8)?);
            let end = usize::try_from(field(16)?).ok()?.checked_add(TAIL_FIELDS_BYTES)?;
            let bytes = bytes.get(TAIL_FIELDS_BYTES..end)?.to_vec();
            Some(Tail { block, bytes, number, durable: copy, is_dirty: false })
        }))
    }

    fn write_copy(&self, copy: usize, tail: &Tail) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(TAIL_FIELDS_BYTES + BLOCK_BYTES);
        for field in [tail.number, tail.block, tail.bytes.len() as u64] {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        bytes.extend_from_slice(&tail.bytes);
        bytes.resize(TAIL_FIELDS_BYTES + BLOCK_BYTES, 0);
        let mut unit = Vec::with_capacity(COPY_BYTES);
        self.seal_into(&mut unit, COPIES_PLACE + copy as u64, &bytes);
        self.file.write_all_at(copy_at(copy), &unit)
    }

    /// Reads a full block.
    fn read_block(&self, block: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(BLOCK_BYTES);
        self.read_blocks(block, 1, |_, block| bytes.extend_from_slice(block))?;
        Ok(bytes)
    }

    /// Reads full blocks and passes on each with its number.
    fn read_blocks(&self, first: u64, count: u64, mut take: impl FnMut(u64, &[u8])) -> io::Result<()> {
        let mut units = vec![0; usize::try_from(count * STRIDE).map_err(|_| io::ErrorKind::InvalidInput)?];
        self.file.read_exact_at(block_at(first), &mut units)?;
        for (block, unit) in (first..).zip(units.chunks_mut(STRIDE as usize)) {
            match self.open_unit(unit, block) {
                Some(bytes) => take(block, bytes),
                None => {
                    return Err(
                        self.damage(block_at(block), format!("block {block} is not what was written"))
                    );
                }
            }
        }
        Ok(())
    }

    /// Overwrites a part of a full block.
    fn rewrite(&self, block: u64, range: std::ops::Range<usize>, bytes: &[u8]) -> io::Result<()> {
        let mut content = self.read_block(block)?;
        content.get_mut(range).ok_or(io::ErrorKind::InvalidInput)?.copy_from_slice(bytes);
        let mut unit = Vec::with_capacity(STRIDE as usize);
        self.seal_into(&mut unit, block, &content);
        self.file.write_all_at(block_at(block), &unit)
    }

    /// Appends to the last block. Blocks that become full go to their positions.
    fn append(&self, tail: &mut Tail, bytes: &[u8]) -> io::Result<()> {
        let first = tail.block;
        let mut units = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = BLOCK_BYTES - tail.bytes.len();
            let (now, later) = rest.split_at_checked(room).unwrap_or((rest, &[]));
            tail.bytes.extend_from_slice(now);
            if tail.bytes.len() == BLOCK_BYTES {
                self.seal_into(&mut units, tail.block, &tail.bytes);
                tail.block += 1;
                tail.bytes.clear();
            }
            rest = later;
        }
        if units.is_empty() { Ok(()) } else { self.file.write_all_at(block_at(first), &units) }
    }

    fn append_zeros(&self, tail: &mut Tail, until: u64) -> io::Result<()> {
        let zeros = vec![0; ZEROS_BYTES];
        while tail.file_bytes() < until {
            let missing = usize::try_from(until - tail.file_bytes()).unwrap_or(ZEROS_BYTES).min(ZEROS_BYTES);
            self.append(tail, zeros.get(..missing).unwrap_or_default())?;
        }
        Ok(())
    }

    /// Writes the changed last block to the copy that isn't durable.
    fn store_tail(&self, mut tail: Tail, to: &mut Tail) -> io::Result<()> {
        tail.number += 1;
        self.write_copy(1 - tail.durable, &tail)?;
        tail.is_dirty = true;
        *to = tail;
        Ok(())
    }
}

impl DiskFile for SealedFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.tail.read().unwrap_or_else(PoisonError::into_inner).file_bytes())
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let tail = self.tail.read().unwrap_or_else(PoisonError::into_inner);
        if offset.checked_add(buffer.len() as u64).is_none_or(|end| end > tail.file_bytes()) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if buffer.is_empty() {
            return Ok(());
        }
        let (first, start) = (offset / BLOCK_BYTES as u64, offset % BLOCK_BYTES as u64);
        let until = (offset + buffer.len() as u64).div_ceil(BLOCK_BYTES as u64).min(tail.block);
        // The part in full blocks, from the requested offset on.
        let mut skip = start as usize;
        let mut rest = &mut *buffer;
        let mut fill = |bytes: &[u8]| {
            let bytes = bytes.get(std::mem::take(&mut skip)..).unwrap_or_default();
            let count = bytes.len().min(rest.len());
            let (now, later) = std::mem::take(&mut rest).split_at_mut(count);
            now.copy_from_slice(bytes.get(..count).unwrap_or_default());
            rest = later;
        };
        if first < until {
            self.read_blocks(first, until - first, |_, block| fill(block))?;
        }
        fill(&tail.bytes);
        Ok(())
    }

    fn write_all_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut guard = self.tail_for_writing();
        let mut tail = guard.clone();
        let end = tail.file_bytes();
        self.append_zeros(&mut tail, offset)?;
        let inside = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX).min(bytes.len());
        let (over, behind) = bytes.split_at_checked(inside).unwrap_or((bytes, &[]));
        for piece in pieces(offset, over.len(), BLOCK_BYTES) {
            let from = over.get(piece.in_buffer).unwrap_or_default();
            if piece.page < tail.block {
                self.rewrite(piece.page, piece.in_page, from)?;
            } else if let Some(to) = tail.bytes.get_mut(piece.in_page) {
                to.copy_from_slice(from);
            }
        }
        self.append(&mut tail, behind)?;
        self.store_tail(tail, &mut guard)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut guard = self.tail_for_writing();
        let mut tail = guard.clone();
        if len >= tail.file_bytes() {
            self.append_zeros(&mut tail, len)?;
            return self.store_tail(tail, &mut guard);
        }
        let (block, rest) = (len / BLOCK_BYTES as u64, (len % BLOCK_BYTES as u64) as usize);
        if block < tail.block {
            tail.bytes = if rest == 0 { Vec::new() } else { self.read_block(block)? };
            tail.block = block;
        }
        tail.bytes.truncate(rest);
        self.store_tail(tail, &mut guard)?;
        // The blocks after it may be removed only when the state that needs them can't come back.
        self.sync(&mut guard)?;
        self.file.set_len(block_at(block))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.sync(&mut self.tail_for_writing())
    }
}

impl SealedFile {
    fn sync(&self, tail: &mut Tail) -> io::Result<()> {
        self.file.sync_data()?;
        if tail.is_dirty {
            // The copy that was just made durable is kept. The other becomes equal to it, so that damage to one of
            // them never brings back an earlier state.
            tail.durable = 1 - tail.durable;
            self.write_copy(1 - tail.durable, tail)?;
            tail.is_dirty = false;
            // Otherwise a power failure could leave the other one unchanged, and damage to this one would bring it
            // back.
            self.file.sync_data()?;
        }
        Ok(())
    }
}
