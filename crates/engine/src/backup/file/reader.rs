//! Reading a backup's file, with every checksum verified.

use std::sync::Arc;

use bytes::Bytes;
use singlet_values::EncodedItem;
use xxhash_rust::xxh3::Xxh3;

use super::{
    BLOCK_BYTES_MAX, BLOCK_HEAD_BYTES, FOOT_BYTES, FORMAT_VERSION, HEAD_AT, HEAD_BYTES_MAX, ITEM_BYTES_MAX,
    MAGIC, Totals, block_checksum,
};
use crate::bookkeeping::Backup;
use crate::error::{Error, Result};
use crate::store::DiskFile;

/// A backup's file that is being read.
pub(crate) struct FileReader {
    file: Arc<dyn DiskFile>,
    name: String,
    head: Backup,
    offset: u64,
    length: u64,
    hash: Box<Xxh3>,
    totals: Totals,
}

impl FileReader {
    /// Opens the file and reads its head.
    pub(crate) fn open(file: Arc<dyn DiskFile>, name: &str) -> Result<FileReader> {
        let length = file.len().map_err(|error| Error::Backup(format!("can't read {name}: {error}")))?;
        let mut input = Input { file: &file, name, offset: 0, length, hash: Box::new(Xxh3::new()) };
        let start = input.take(HEAD_AT, "the file ends in its head")?;
        let (magic, rest) = start.split_at_checked(MAGIC.len()).unwrap_or_default();
        if magic != MAGIC {
            return Err(Error::Backup(format!("{name} is not a backup: it doesn't begin like one")));
        }
        let version = number(rest, 0);
        let head_bytes = number(rest, 4) as usize;
        if head_bytes > HEAD_BYTES_MAX {
            return Err(input.damaged("the head's length is out of bounds"));
        }
        let head = input.take(head_bytes, "the file ends in its head")?;
        let checksum = input.take(4, "the file ends in its head")?;
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&start);
        hasher.update(&head);
        if hasher.finalize() != number(&checksum, 0) {
            return Err(input.damaged("the head's checksum is wrong"));
        }
        // Only now is the number known to be correct.
        if version != FORMAT_VERSION {
            return Err(Error::Backup(format!(
                "{name} has format version {version}, this program knows version {FORMAT_VERSION}: a newer program wrote it, or it is damaged"
            )));
        }
        let head = Backup::decode(&EncodedItem::from_bytes(head.into()))
            .ok_or_else(|| input.damaged("the head can't be understood"))?;
        let (offset, hash) = (input.offset, input.hash);
        Ok(FileReader { file, name: name.to_owned(), head, offset, length, hash, totals: Totals::default() })
    }

    /// The backup that the file contains.
    pub(crate) fn head(&self) -> &Backup {
        &self.head
    }

    /// The length of the file.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.length
    }

    /// Returns the next items, or `None` at the end if everything was verified.
    pub(crate) fn next_block(&mut self) -> Result<Option<Vec<EncodedItem>>> {
        let hash = std::mem::replace(&mut self.hash, Box::new(Xxh3::new()));
        let (offset, length) = (self.offset, self.length);
        let mut input = Input { file: &self.file, name: &self.name, offset, length, hash };
        let block = read_block(&mut input, &mut self.totals);
        self.offset = input.offset;
        self.hash = input.hash;
        block
    }

    /// Reads to the end only to verify.
    pub(crate) fn verify(mut self, mut look: impl FnMut(u64) -> Result<()>) -> Result<Totals> {
        while self.next_block()?.is_some() {
            look(self.totals.items)?;
        }
        Ok(self.totals)
    }
}

/// The position in the file, and the hash of everything before it.
struct Input<'a> {
    file: &'a Arc<dyn DiskFile>,
    name: &'a str,
    offset: u64,
    length: u64,
    hash: Box<Xxh3>,
}

impl Input<'_> {
    fn take(&mut self, bytes: usize, at_end: &str) -> Result<Vec<u8>> {
        if self.length.saturating_sub(self.offset) < bytes as u64 {
            return Err(self.damaged(at_end));
        }
        let mut buffer = vec![0; bytes];
        self.file
            .read_exact_at(self.offset, &mut buffer)
            .map_err(|error| Error::Backup(format!("can't read {}: {error}", self.name)))?;
        self.offset += bytes as u64;
        self.hash.update(&buffer);
        Ok(buffer)
    }

    fn damaged(&self, reason: &str) -> Error {
        Error::Backup(format!("{} is damaged before offset {}: {reason}", self.name, self.offset))
    }
}

fn read_block(input: &mut Input<'_>, totals: &mut Totals) -> Result<Option<Vec<EncodedItem>>> {
    let start = input.take(4, "the file ends without its foot")?;
    let block_bytes = number(&start, 0) as usize;
    if block_bytes == 0 {
        return read_foot(input, totals).map(|()| None);
    }
    if block_bytes > BLOCK_BYTES_MAX.max(ITEM_BYTES_MAX) {
        return Err(input.damaged("a block's length is out of bounds"));
    }
    let rest = input.take(BLOCK_HEAD_BYTES - start.len(), "the file ends in a block")?;
    let block = input.take(block_bytes, "the file ends in a block")?;
    let sizes = [start.as_slice(), rest.get(..4).unwrap_or_default()].concat();
    if block_checksum(totals.blocks, &sizes, &block) != number(&rest, 4) {
        return Err(input.damaged("a block's checksum is wrong"));
    }
    let items = split(Bytes::from(block)).ok_or_else(|| input.damaged("a block can't be understood"))?;
    if items.len() != number(&rest, 0) as usize {
        return Err(input.damaged("a block has another number of items than it says"));
    }
    totals.blocks += 1;
    totals.items += items.len() as u64;
    totals.size_bytes += items.iter().map(|item| item.size_bytes() as u64).sum::<u64>();
    Ok(Some(items))
}

/// The items of a block. Each has its own allocation, because the overlay frees them one by one.
fn split(block: Bytes) -> Option<Vec<EncodedItem>> {
    let mut items = Vec::new();
    let mut at = 0;
    while at < block.len() {
        let length = u32::from_le_bytes(block.get(at..at + 4)?.try_into().ok()?) as usize;
        at += 4;
        let item = EncodedItem::from_bytes(Bytes::copy_from_slice(block.get(at..at + length)?));
        item.decode().ok()?;
        items.push(item);
        at += length;
    }
    Some(items)
}

fn read_foot(input: &mut Input<'_>, totals: &Totals) -> Result<()> {
    let foot = input.take(FOOT_BYTES - 4 - 16, "the file ends in its foot")?;
    let counted = input.hash.digest128();
    let checksum = input.take(16, "the file ends in its foot")?;
    if checksum != counted.to_le_bytes() {
        return Err(input.damaged("the checksum over the whole file is wrong"));
    }
    let said = [totals.blocks, totals.items, totals.size_bytes].map(u64::to_le_bytes).concat();
    if foot != said {
        return Err(input.damaged("the file has another number of items than it says"));
    }
    if input.offset != input.length {
        return Err(input.damaged("there is something behind the end"));
    }
    Ok(())
}

/// Reads four bytes at a position that is known to exist.
fn number(bytes: &[u8], at: usize) -> u32 {
    let found = bytes.get(at..at + 4).and_then(|found| found.try_into().ok());
    found.map_or(0, u32::from_le_bytes)
}
