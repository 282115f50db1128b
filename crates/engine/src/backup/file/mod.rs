//! The file of a backup: a head, blocks of items, a foot; each with a checksum, and one over all. `docs/format.md` has it
//! byte by byte.

mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use reader::FileReader;
pub(super) use writer::FileWriter;

/// What the file begins with.
const MAGIC: &[u8; 8] = b"SNGLTBAK";
const FORMAT_VERSION: u32 = 1;
/// Magic, version and length of the head.
const HEAD_AT: usize = 16;
/// Longest head: a table with all its indexes takes a small part of it.
const HEAD_BYTES_MAX: usize = 4 << 20;
/// A block holds items up to this size, or a single one that is larger.
const BLOCK_BYTES_MAX: usize = 64 << 10;
/// The longest item, with room: DynamoDB's 400 KB are counted without what the stored form adds.
const ITEM_BYTES_MAX: usize = 4 << 20;
/// Length, item count and checksum of a block.
const BLOCK_HEAD_BYTES: usize = 12;
/// The foot: a length of zero, three totals, a checksum of 16 bytes.
const FOOT_BYTES: usize = 4 + 3 * 8 + 16;

/// What a backup's file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Totals {
    pub(super) blocks: u64,
    pub(super) items: u64,
    /// The sizes of the items as DynamoDB counts them.
    pub(super) size_bytes: u64,
}

/// The checksum of a block: its place in the file is part of it, so that blocks can't change places.
fn block_checksum(place: u64, sizes: &[u8], items: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&place.to_le_bytes());
    hasher.update(sizes);
    hasher.update(items);
    hasher.finalize()
}
