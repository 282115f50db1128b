//! The unpacked size of a compressed block, computed before it is unpacked.
//!
//! A block consists of literals and sequences. A sequence copies a number of literals, and then a number of earlier
//! bytes. A sequence of two bytes can copy 128 KB, so a small block can unpack to gigabytes, and the decoder allocates
//! all of it before it returns any. The lengths can be read without copying.

use super::fse::{BackwardBits, Table};

/// The extra bits of each literal length code.
const LITERAL_LENGTH_BITS: [u32; 36] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13,
    14, 15, 16,
];
/// The shortest match of each code from 32 on, and its extra bits. A lower code is the length minus three.
const MATCH_LENGTHS: [(usize, u32); 21] = [
    (35, 1),
    (37, 1),
    (39, 1),
    (41, 1),
    (43, 2),
    (47, 2),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 5),
    (131, 7),
    (259, 8),
    (515, 9),
    (1_027, 10),
    (2_051, 11),
    (4_099, 12),
    (8_195, 13),
    (16_387, 14),
    (32_771, 15),
    (65_539, 16),
];
const OFFSET_BITS_MAX: u8 = 31;

/// A kind of code: its predefined table, and the limits of other tables.
struct Code {
    default_bits: u32,
    default_frequencies: &'static [i16],
    table_bits_max: u32,
    symbols_max: usize,
}

const LITERAL_LENGTH: Code = Code {
    default_bits: 6,
    default_frequencies: &[
        4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1,
        -1, -1, -1,
    ],
    table_bits_max: 9,
    symbols_max: 36,
};
const OFFSET: Code = Code {
    default_bits: 5,
    default_frequencies: &[
        1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
    ],
    table_bits_max: 8,
    symbols_max: 32,
};
const MATCH_LENGTH: Code = Code {
    default_bits: 6,
    default_frequencies: &[
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
    table_bits_max: 9,
    symbols_max: 53,
};

/// The tables of a frame's previous block, which the next one may reuse.
#[derive(Default)]
pub(super) struct Sequences {
    literal_lengths: Option<Table>,
    offsets: Option<Table>,
    match_lengths: Option<Table>,
}

impl Sequences {
    /// The unpacked size of a compressed block, or a number above `bytes_max` if it is larger. `None` if the block is
    /// damaged.
    pub(super) fn unpacked_bytes(&mut self, block: &[u8], bytes_max: usize) -> Option<usize> {
        let (literals, rest) = literals(block)?;
        let (count, rest) = sequence_count(rest)?;
        if count == 0 {
            return Some(literals);
        }
        let (modes, rest) = rest.split_first()?;
        let rest = replace(&mut self.literal_lengths, &LITERAL_LENGTH, modes >> 6, rest)?;
        let rest = replace(&mut self.offsets, &OFFSET, modes >> 4 & 3, rest)?;
        let rest = replace(&mut self.match_lengths, &MATCH_LENGTH, modes >> 2 & 3, rest)?;
        let copied = self.copied_bytes(rest, count, bytes_max)?;
        Some(literals + copied)
    }

    /// The sum of all matches.
    fn copied_bytes(&self, bits: &[u8], count: usize, bytes_max: usize) -> Option<usize> {
        let literal_lengths = self.literal_lengths.as_ref()?;
        let offsets = self.offsets.as_ref()?;
        let match_lengths = self.match_lengths.as_ref()?;
        let mut bits = BackwardBits::new(bits)?;
        let mut literal_length = literal_lengths.state(bits.take(literal_lengths.start_bits)?)?;
        let mut offset = offsets.state(bits.take(offsets.start_bits)?)?;
        let mut match_length = match_lengths.state(bits.take(match_lengths.start_bits)?)?;
        let mut copied = 0;
        for left in (0..count).rev() {
            if offset.symbol > OFFSET_BITS_MAX {
                return None;
            }
            bits.take(offset.symbol.into())?;
            copied += match usize::from(match_length.symbol).checked_sub(32) {
                None => usize::from(match_length.symbol) + 3,
                Some(code) => {
                    let (shortest, more_bits) = *MATCH_LENGTHS.get(code)?;
                    shortest + bits.take(more_bits)?
                }
            };
            if copied > bytes_max {
                return Some(copied);
            }
            bits.take(*LITERAL_LENGTH_BITS.get(usize::from(literal_length.symbol))?)?;
            if left > 0 {
                literal_length = bits.next_state(literal_lengths, literal_length)?;
                match_length = bits.next_state(match_lengths, match_length)?;
                offset = bits.next_state(offsets, offset)?;
            }
        }
        Some(copied)
    }
}

/// The number of literals in a block, and the bytes after them.
fn literals(block: &[u8]) -> Option<(usize, &[u8])> {
    let first = *block.first()?;
    let is_compressed = first >> 1 & 1 == 1;
    let (header_bytes, size_bits) = match (is_compressed, first >> 2 & 3) {
        (false, 1) => (2, 12),
        (false, 3) => (3, 20),
        // The third bit belongs to the number.
        (false, _) => (1, 5),
        (true, 0 | 1) => (3, 10),
        (true, 2) => (4, 14),
        (true, _) => (5, 18),
    };
    let header = block
        .get(..header_bytes)?
        .iter()
        .rev()
        .fold(0_usize, |number, byte| number << 8 | usize::from(*byte));
    let mask = (1 << size_bits) - 1;
    let (literals, stored) = match (is_compressed, first & 1) {
        (true, _) => (header >> 4 & mask, header >> (4 + size_bits) & mask),
        (false, kind) => {
            let literals = header >> (header_bytes * 8 - size_bits) & mask;
            // Either all literals, or one that is repeated.
            (literals, if kind == 0 { literals } else { 1 })
        }
    };
    Some((literals, block.get(header_bytes + stored..)?))
}

/// The number of sequences.
fn sequence_count(bytes: &[u8]) -> Option<(usize, &[u8])> {
    match *bytes {
        [first @ 0..128, ref rest @ ..] => Some((first.into(), rest)),
        [255, second, third, ref rest @ ..] => {
            Some((usize::from(u16::from_le_bytes([second, third])) + 0x7F00, rest))
        }
        [first @ 128..=254, second, ref rest @ ..] => {
            Some((usize::from(first - 128) << 8 | usize::from(second), rest))
        }
        _ => None,
    }
}

/// Sets the table that the block uses, and returns the bytes after it.
fn replace<'a>(place: &mut Option<Table>, code: &Code, mode: u8, bytes: &'a [u8]) -> Option<&'a [u8]> {
    match mode {
        0 => {
            *place = Some(Table::of_frequencies(code.default_bits, code.default_frequencies)?);
            Some(bytes)
        }
        1 => {
            let (symbol, rest) = bytes.split_first()?;
            *place = Some(Table::of_symbol(*symbol));
            Some(rest)
        }
        2 => {
            let (table, read) = Table::read(bytes, code.table_bits_max, code.symbols_max)?;
            *place = Some(table);
            bytes.get(read..)
        }
        // The table of the previous block.
        _ => place.is_some().then_some(bytes),
    }
}
