//! Writing a backup's file.

use std::sync::Arc;

use singlet_values::ItemRef;
use xxhash_rust::xxh3::Xxh3;

use super::{BLOCK_BYTES_MAX, FORMAT_VERSION, HEAD_AT, MAGIC, Totals, block_checksum};
use crate::bookkeeping::Backup;
use crate::error::{Error, Result};
use crate::store::DiskFile;

/// The file is written in pieces of about this size.
const PIECE_BYTES: usize = 1 << 20;

/// A backup's file that is being written.
pub(in crate::backup) struct FileWriter {
    file: Arc<dyn DiskFile>,
    name: String,
    /// Bytes written to the file, and bytes that are still in memory.
    offset: u64,
    piece: Vec<u8>,
    block: Vec<u8>,
    block_items: u32,
    hash: Box<Xxh3>,
    totals: Totals,
}

impl FileWriter {
    /// Begins the file and discards its earlier content.
    pub(in crate::backup) fn create(file: Arc<dyn DiskFile>, name: &str, head: &Backup) -> Result<Self> {
        file.set_len(0).map_err(failed("cut", name))?;
        let mut writer = FileWriter {
            file,
            name: name.to_owned(),
            offset: 0,
            piece: Vec::with_capacity(PIECE_BYTES + BLOCK_BYTES_MAX),
            block: Vec::with_capacity(BLOCK_BYTES_MAX),
            block_items: 0,
            hash: Box::new(Xxh3::new()),
            totals: Totals::default(),
        };
        let head = head.encode();
        let mut bytes = Vec::with_capacity(HEAD_AT + head.as_bytes().len() + 4);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&length(head.as_bytes()).to_le_bytes());
        bytes.extend_from_slice(head.as_bytes());
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        writer.append(&bytes)?;
        Ok(writer)
    }

    /// Adds an item.
    pub(in crate::backup) fn push(&mut self, item: &[u8]) -> Result<()> {
        if !self.block.is_empty() && self.block.len() + 4 + item.len() > BLOCK_BYTES_MAX {
            self.end_block()?;
        }
        self.block.extend_from_slice(&length(item).to_le_bytes());
        self.block.extend_from_slice(item);
        self.block_items += 1;
        self.totals.items += 1;
        self.totals.size_bytes += ItemRef::new(item).size_bytes() as u64;
        Ok(())
    }

    /// Ends the file and makes it durable.
    pub(in crate::backup) fn finish(mut self) -> Result<Totals> {
        self.end_block()?;
        let Totals { blocks, items, size_bytes } = self.totals;
        let mut foot = 0u32.to_le_bytes().to_vec();
        for total in [blocks, items, size_bytes] {
            foot.extend_from_slice(&total.to_le_bytes());
        }
        self.append(&foot)?;
        let checksum = self.hash.digest128().to_le_bytes();
        self.append(&checksum)?;
        self.write_piece()?;
        self.file.sync_data().map_err(failed("sync", &self.name))?;
        Ok(self.totals)
    }

    fn end_block(&mut self) -> Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let block = std::mem::take(&mut self.block);
        let mut sizes = length(&block).to_le_bytes().to_vec();
        sizes.extend_from_slice(&std::mem::take(&mut self.block_items).to_le_bytes());
        let checksum = block_checksum(self.totals.blocks, &sizes, &block);
        self.append(&sizes)?;
        self.append(&checksum.to_le_bytes())?;
        self.append(&block)?;
        self.totals.blocks += 1;
        self.block = block;
        self.block.clear();
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.hash.update(bytes);
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE_BYTES { self.write_piece() } else { Ok(()) }
    }

    fn write_piece(&mut self) -> Result<()> {
        self.file.write_all_at(self.offset, &self.piece).map_err(failed("write", &self.name))?;
        self.offset += self.piece.len() as u64;
        self.piece.clear();
        Ok(())
    }
}

/// A length that the limits of items and tables keep small.
fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

fn failed(action: &'static str, name: &str) -> impl FnOnce(std::io::Error) -> Error {
    let name = name.to_owned();
    move |error| Error::Backup(format!("can't {action} {name}: {error}"))
}
