//! The file of a backup: a head, blocks of items and a foot. Each part has a checksum, and there is one over the
//! whole file. `docs/format.md` describes every byte.

mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use reader::FileReader;
pub(super) use writer::FileWriter;

/// The first bytes of the file.
const MAGIC: &[u8; 8] = b"SNGLTBAK";
const FORMAT_VERSION: u32 = 1;
/// Magic, version and length of the head.
const HEAD_AT: usize = 16;
/// The longest head. A table with all its indexes takes a small part of it.
const HEAD_BYTES_MAX: usize = 4 << 20;
/// The size of a block, unless a single item is larger.
const BLOCK_BYTES_MAX: usize = 64 << 10;
/// The longest item, with a margin: DynamoDB's 400 KB don't include the overhead of the stored form.
const ITEM_BYTES_MAX: usize = 4 << 20;
/// Length, item count and checksum of a block.
const BLOCK_HEAD_BYTES: usize = 12;
/// The foot: a length of zero, three totals, a checksum of 16 bytes.
const FOOT_BYTES: usize = 4 + 3 * 8 + 16;

/// The totals of a backup's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Totals {
    pub(super) blocks: u64,
    pub(super) items: u64,
    /// The sizes of the items as DynamoDB counts them.
    pub(super) size_bytes: u64,
}

/// The checksum of a block. It includes the position in the file, so that blocks can't be swapped.
fn block_checksum(place: u64, sizes: &[u8], items: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&place.to_le_bytes());
    hasher.update(sizes);
    hasher.update(items);
    hasher.finalize()
}
