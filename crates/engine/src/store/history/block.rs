//! Blocks of history files: changes of one group, in order, with a checksum.

use super::super::log::{FieldReader, put_bytes, put_u32, put_u64};
use super::{Logged, Position};

/// Length, checksum, group, number of changes; first and last sequence number, first and last time.
pub(super) const BLOCK_HEADER_BYTES: usize = 48;
/// The size at which a block is ended. A commit is never divided.
pub(super) const BLOCK_BYTES: usize = 64 << 10;
/// The group of a block that marks a segment as complete.
const SEGMENT_DONE: u32 = 0;

const HAS_BEFORE: u8 = 1;
const HAS_AFTER: u8 = 2;

/// The content of a block, according to its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockHeader {
    pub(super) length: usize,
    /// The group of its changes.
    pub(super) group: u32,
    pub(super) count: u32,
    pub(super) first_sequence: u64,
    pub(super) last_sequence: u64,
    pub(super) first_time_ms: u64,
    pub(super) last_time_ms: u64,
}

impl BlockHeader {
    /// The segment that is complete before this block, if the block marks one.
    pub(super) fn segment_done(&self) -> Option<u64> {
        (self.group == SEGMENT_DONE).then_some(self.first_sequence)
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        put_u32(out, u32::try_from(self.length).unwrap_or(u32::MAX));
        put_u32(out, 0);
        put_u32(out, self.group);
        put_u32(out, self.count);
        put_u64(out, self.first_sequence);
        put_u64(out, self.last_sequence);
        put_u64(out, self.first_time_ms);
        put_u64(out, self.last_time_ms);
    }

    /// Decodes a header. Its block may be damaged.
    pub(super) fn decode(reader: &mut FieldReader<'_>) -> Option<(Self, u32)> {
        let length = usize::try_from(reader.u32()?).ok()?;
        let checksum = reader.u32()?;
        let header = Self {
            length,
            group: reader.u32()?,
            count: reader.u32()?,
            first_sequence: reader.u64()?,
            last_sequence: reader.u64()?,
            first_time_ms: reader.u64()?,
            last_time_ms: reader.u64()?,
        };
        (length >= BLOCK_HEADER_BYTES).then_some((header, checksum))
    }
}

/// The checksum of a block's bytes after the checksum itself. It includes the file's id, so that a block of another
/// file isn't accepted.
fn checksum(file: u64, block: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&file.to_le_bytes());
    hasher.update(block.get(8..).unwrap_or_default());
    hasher.finalize()
}

/// Decodes the header of a complete and intact block at the start of `bytes`.
pub(super) fn check(file: u64, bytes: &[u8]) -> Option<BlockHeader> {
    let (header, sum) = BlockHeader::decode(&mut FieldReader::new(bytes))?;
    let block = bytes.get(..header.length)?;
    (checksum(file, block) == sum).then_some(header)
}

/// Decodes the changes of a checked block; `None` if they are invalid.
pub(super) fn decode(block: &[u8]) -> Option<Vec<Logged>> {
    let mut reader = FieldReader::new(block);
    let (header, _) = BlockHeader::decode(&mut reader)?;
    let changes: Option<Vec<Logged>> = (0..header.count).map(|_| decode_change(&mut reader)).collect();
    changes.filter(|_| reader.is_at_end())
}

fn decode_change(reader: &mut FieldReader<'_>) -> Option<Logged> {
    let position = Position { sequence: reader.u64()?, place: reader.u32()? };
    let (time_ms, mark, has) = (reader.u64()?, reader.u32()?, reader.u8()?);
    let key = reader.bytes()?;
    let before = if has & HAS_BEFORE == 0 { None } else { Some(reader.bytes()?) };
    let after = if has & HAS_AFTER == 0 { None } else { Some(reader.bytes()?) };
    Some(Logged { position, time_ms, mark, key, before, after })
}

/// Appends the changes of one group as blocks. They must be in order.
pub(super) fn encode(file: u64, group: u32, changes: &[Logged], out: &mut Vec<u8>) {
    let mut rest = changes;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(block_len(rest));
        encode_block(file, group, now, out);
        rest = later;
    }
}

/// Returns how many of the changes go into one block.
fn block_len(changes: &[Logged]) -> usize {
    let mut bytes = 0;
    for (place, pair) in changes.windows(2).enumerate() {
        let [change, next] = pair else { break };
        bytes += encoded_bytes(change);
        if bytes >= BLOCK_BYTES && change.position.sequence != next.position.sequence {
            return place + 1;
        }
    }
    changes.len()
}

fn encoded_bytes(change: &Logged) -> usize {
    let value = |value: &Option<bytes::Bytes>| value.as_ref().map_or(0, |bytes| 4 + bytes.len());
    29 + change.key.len() + value(&change.before) + value(&change.after)
}

fn encode_block(file: u64, group: u32, changes: &[Logged], out: &mut Vec<u8>) {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return };
    let header = BlockHeader {
        length: BLOCK_HEADER_BYTES + changes.iter().map(encoded_bytes).sum::<usize>(),
        group,
        count: u32::try_from(changes.len()).unwrap_or(u32::MAX),
        first_sequence: first.position.sequence,
        last_sequence: last.position.sequence,
        first_time_ms: first.time_ms,
        last_time_ms: last.time_ms,
    };
    let start = out.len();
    header.encode(out);
    for change in changes {
        put_u64(out, change.position.sequence);
        put_u32(out, change.position.place);
        put_u64(out, change.time_ms);
        put_u32(out, change.mark);
        let has =
            u8::from(change.before.is_some()) * HAS_BEFORE + u8::from(change.after.is_some()) * HAS_AFTER;
        out.push(has);
        put_bytes(out, &change.key);
        for value in [&change.before, &change.after].into_iter().flatten() {
            put_bytes(out, value);
        }
    }
    seal(file, start, out);
}

/// Appends a block that marks a segment as complete. Its last commit is `last_sequence`.
pub(super) fn encode_segment_done(
    file: u64,
    segment: u64,
    last_sequence: u64,
    time_ms: u64,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    let header = BlockHeader {
        length: BLOCK_HEADER_BYTES,
        group: SEGMENT_DONE,
        count: 0,
        first_sequence: segment,
        last_sequence,
        first_time_ms: time_ms,
        last_time_ms: time_ms,
    };
    header.encode(out);
    seal(file, start, out);
}

/// Completes the block that begins at `start` with its checksum.
fn seal(file: u64, start: usize, out: &mut [u8]) {
    let Some(block) = out.get_mut(start..) else { return };
    let sum = checksum(file, block);
    if let Some(field) = block.get_mut(4..8) {
        field.copy_from_slice(&sum.to_le_bytes());
    }
}
