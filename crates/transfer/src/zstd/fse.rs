//! Finite state entropy: the tables for decoding sequences.
//!
//! A table is a list of states. Each state has a symbol, and the bits that lead to the next state.

/// A table of states.
pub(super) struct Table {
    /// The number of bits that choose the first state.
    pub(super) start_bits: u32,
    states: Vec<State>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct State {
    pub(super) symbol: u8,
    bits: u32,
    base: usize,
}

impl Table {
    /// A table with one symbol.
    pub(super) fn of_symbol(symbol: u8) -> Self {
        Table { start_bits: 0, states: vec![State { symbol, bits: 0, base: 0 }] }
    }

    /// The table for these frequencies, whose sum is two to the power of `start_bits`. -1 means less than one.
    pub(super) fn of_frequencies(start_bits: u32, frequencies: &[i16]) -> Option<Self> {
        let size = 1_usize << start_bits;
        let mut symbols: Vec<Option<u8>> = vec![None; size];
        // Rare symbols have one state each, at the end.
        let mut end = size;
        for (symbol, _) in frequencies.iter().enumerate().filter(|(_, frequency)| **frequency == -1) {
            end = end.checked_sub(1)?;
            *symbols.get_mut(end)? = Some(u8::try_from(symbol).ok()?);
        }
        let step = (size >> 1) + (size >> 3) + 3;
        let mut place = 0;
        for (symbol, frequency) in frequencies.iter().enumerate() {
            for _ in 0..(*frequency).max(0) {
                *symbols.get_mut(place)? = Some(u8::try_from(symbol).ok()?);
                place = (place + step) % size;
                while place >= end && end > 0 {
                    place = (place + step) % size;
                }
            }
        }
        let mut next: Vec<usize> =
            frequencies.iter().map(|frequency| usize::from(frequency.unsigned_abs())).collect();
        let mut states = Vec::with_capacity(size);
        for symbol in symbols {
            let symbol = symbol?;
            let number = next.get_mut(usize::from(symbol))?;
            let bits = start_bits.checked_sub(number.checked_ilog2()?)?;
            states.push(State { symbol, bits, base: (*number << bits).checked_sub(size)? });
            *number += 1;
        }
        Some(Table { start_bits, states })
    }

    /// Reads a table from the beginning of these bytes. Returns it with its length in bytes.
    pub(super) fn read(bytes: &[u8], start_bits_max: u32, symbols_max: usize) -> Option<(Self, usize)> {
        let mut bits = ForwardBits { bytes, read: 0 };
        let start_bits = bits.take(4)? as u32 + 5;
        if start_bits > start_bits_max {
            return None;
        }
        let mut frequencies: Vec<i16> = Vec::new();
        let mut left = 1_usize << start_bits;
        while left > 0 {
            let count = (left + 1).ilog2() + 1;
            let mut value = bits.take(count)?;
            // Small values take one bit less.
            let half = (1_usize << (count - 1)) - 1;
            let short = (1_usize << count) - 1 - (left + 1);
            if value & half < short {
                bits.read -= 1;
                value &= half;
            } else if value > half {
                value -= short;
            }
            left = left.checked_sub(if value == 0 { 1 } else { value - 1 })?;
            frequencies.push(i16::try_from(value).ok()? - 1);
            if value == 1 {
                loop {
                    let zeros = bits.take(2)?;
                    frequencies.resize(frequencies.len() + zeros, 0);
                    if zeros < 3 {
                        break;
                    }
                }
            }
            if frequencies.len() > symbols_max {
                return None;
            }
        }
        Some((Self::of_frequencies(start_bits, &frequencies)?, bits.read.div_ceil(8)))
    }

    pub(super) fn state(&self, number: usize) -> Option<State> {
        self.states.get(number).copied()
    }
}

/// Reads bits from the first to the last.
struct ForwardBits<'a> {
    bytes: &'a [u8],
    read: usize,
}

impl ForwardBits<'_> {
    fn take(&mut self, count: u32) -> Option<usize> {
        let value = bits_at(self.bytes, self.read, count)?;
        self.read += count as usize;
        Some(value)
    }
}

/// Reads bits from the last to the first. The highest bit that is set marks the end.
pub(super) struct BackwardBits<'a> {
    bytes: &'a [u8],
    left: usize,
}

impl<'a> BackwardBits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let last = bytes.last()?.checked_ilog2()?;
        Some(BackwardBits { bytes, left: (bytes.len() - 1) * 8 + last as usize })
    }

    pub(super) fn take(&mut self, count: u32) -> Option<usize> {
        self.left = self.left.checked_sub(count as usize)?;
        bits_at(self.bytes, self.left, count)
    }

    /// The state after this one.
    pub(super) fn next_state(&mut self, table: &Table, state: State) -> Option<State> {
        table.state(state.base + self.take(state.bits)?)
    }
}

/// The given number of bits, at most 32, from this position.
fn bits_at(bytes: &[u8], at: usize, count: u32) -> Option<usize> {
    if count == 0 {
        return Some(0);
    }
    let last = (at + count as usize - 1) / 8;
    let whole = bytes.get(at / 8..=last)?;
    let word = whole.iter().rev().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
    usize::try_from(word >> (at % 8) & ((1 << count) - 1)).ok()
}
