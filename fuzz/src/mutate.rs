//! Small changes of inputs: bytes, tokens, pieces of other inputs, and repetitions that nest.

use crate::{Dictionary, Random};

/// Numbers at which arithmetic goes wrong.
const EDGES: [u64; 10] =
    [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFF];

/// Changes inputs of one target.
#[derive(Debug, Clone)]
pub struct Mutator {
    dictionary: Dictionary,
    bytes_max: usize,
}

impl Mutator {
    /// A mutator with these tokens; results are at most so long.
    pub fn new(dictionary: Dictionary, bytes_max: usize) -> Self {
        Mutator { dictionary, bytes_max }
    }

    /// The input with a few changes; `others` are inputs to take pieces from.
    pub fn mutate(&self, input: &[u8], others: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
        let mut bytes = input.to_vec();
        // Mostly one, so that what comes out is close to something that is taken.
        let changes = match random.below(8) {
            0 => 1 + random.below(16),
            1 => 2 + random.below(3),
            _ => 1,
        };
        for _ in 0..changes {
            self.change(&mut bytes, others, random);
            bytes.truncate(self.bytes_max);
        }
        bytes
    }

    fn change(&self, bytes: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
        let at = random.below(bytes.len() + 1);
        match random.below(18) {
            0 => flip(bytes, random),
            1 => put(bytes, at, at, &[random.next_u64() as u8]),
            2 => replace_byte(bytes, random),
            3 => cut(bytes, random),
            4 | 5 => self.put_token(bytes, random),
            6..=9 => self.swap_word(bytes, others, random),
            10 => copy_within(bytes, random),
            11 => splice(bytes, others, random),
            12 => edge(bytes, random),
            13 | 14 => number(bytes, random),
            15 => repeat(bytes, random),
            16 => bytes.truncate(at),
            _ => swap_lines(bytes, random),
        }
    }

    /// Puts a token or a word of another input in the place of a whole word: the structure around it stays.
    fn swap_word(&self, bytes: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
        let (from, to) = word_around(bytes, random.below(bytes.len() + 1));
        let token = match others.is_empty() || random.below(2) == 0 {
            true if self.dictionary.tokens.is_empty() => return,
            true => random.pick(&self.dictionary.tokens).clone(),
            false => {
                let other = random.pick(others);
                let (from, to) = word_around(other, random.below(other.len() + 1));
                other[from..to].to_vec()
            }
        };
        put(bytes, from, to, &token);
    }

    /// Puts a token in, or in the place of a word.
    fn put_token(&self, bytes: &mut Vec<u8>, random: &mut Random) {
        if self.dictionary.tokens.is_empty() {
            return flip(bytes, random);
        }
        let token = random.pick(&self.dictionary.tokens).clone();
        let at = random.below(bytes.len() + 1);
        let end = if random.below(2) == 0 { at } else { word_end(bytes, at) };
        put(bytes, at, end, &token);
    }
}

fn put(bytes: &mut Vec<u8>, from: usize, to: usize, piece: &[u8]) {
    bytes.splice(from..to, piece.iter().copied());
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

fn word_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| is_word(byte)).count()
}

/// The word that a place is in; nothing if it is in none.
fn word_around(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = bytes[..at].iter().rev().take_while(|byte| is_word(byte)).count();
    (at - before, word_end(bytes, at))
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    let at = random.below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

fn replace_byte(bytes: &mut [u8], random: &mut Random) {
    let at = random.below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte = random.next_u64() as u8;
    }
}

/// A range of up to `longest` bytes.
fn range(bytes: &[u8], longest: usize, random: &mut Random) -> (usize, usize) {
    let from = random.below(bytes.len() + 1);
    let length = random.below(longest.min(bytes.len() - from) + 1);
    (from, from + length)
}

fn cut(bytes: &mut Vec<u8>, random: &mut Random) {
    let longest = if random.below(4) == 0 { bytes.len() } else { 8 };
    let (from, to) = range(bytes, longest, random);
    bytes.drain(from..to);
}

fn copy_within(bytes: &mut Vec<u8>, random: &mut Random) {
    let (from, to) = range(bytes, 64, random);
    let piece = bytes[from..to].to_vec();
    let (from, to) = range(bytes, 16, random);
    let to = if random.below(2) == 0 { from } else { to };
    put(bytes, from, to, &piece);
}

fn splice(bytes: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    if others.is_empty() {
        return;
    }
    let other = random.pick(others);
    let (from, to) = range(other, other.len(), random);
    let piece = other[from..to].to_vec();
    let (from, to) = range(bytes, bytes.len(), random);
    put(bytes, from, to, &piece);
}

/// Writes a number of two, four or eight bytes, in either order.
fn edge(bytes: &mut [u8], random: &mut Random) {
    let width = *random.pick(&[2, 4, 8]);
    let number = random.pick(&EDGES).wrapping_add(random.below(3) as u64).wrapping_sub(1);
    let at = random.below(bytes.len());
    let little = number.to_le_bytes();
    let big = number.to_be_bytes();
    let piece = if random.below(2) == 0 { &little[..width] } else { &big[8 - width..] };
    for (byte, new) in bytes.iter_mut().skip(at).zip(piece) {
        *byte = *new;
    }
}

/// Replaces a decimal number in a text.
fn number(bytes: &mut Vec<u8>, random: &mut Random) {
    let digits: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).collect();
    if digits.is_empty() {
        return;
    }
    let from = *random.pick(&digits);
    let to = from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let written: u64 = std::str::from_utf8(&bytes[from..to]).unwrap_or_default().parse().unwrap_or(u64::MAX);
    let new = match random.below(4) {
        0 => written.wrapping_add(1),
        1 => written.wrapping_sub(1),
        2 => written.wrapping_mul(1 + random.below(1000) as u64),
        _ => *random.pick(&EDGES),
    };
    put(bytes, from, to, new.to_string().as_bytes());
}

/// Writes a short piece many times over: nesting, long runs, many members.
fn repeat(bytes: &mut Vec<u8>, random: &mut Random) {
    let (from, to) = range(bytes, 12, random);
    let times = 1 << random.below(9);
    let piece = bytes[from..to].repeat(times);
    put(bytes, from, to, &piece);
}

fn swap_lines(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    lines.swap(one, other);
    let joined = lines.join(&b'\n');
    *bytes = joined;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_inputs_and_none_is_too_long() {
        let mutator = Mutator::new(Dictionary { tokens: vec![b"token".to_vec()] }, 100);
        let others = [b"another input\nof two lines".to_vec()];
        let inputs = |seed| {
            let random = &mut Random::new(seed);
            let mut bytes = Vec::new();
            let mut made = Vec::new();
            for _ in 0..2_000 {
                bytes = mutator.mutate(&bytes, &others, random);
                assert!(bytes.len() <= 100);
                made.push(bytes.clone());
            }
            made
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
        assert!(inputs(3).iter().any(|input| input.windows(5).any(|window| window == b"token")));
    }
}
