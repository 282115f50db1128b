//! Key bytes: self-delimiting parts that sort like the values they hold.
//!
//! The bytes of a key are its parts one after the other. Because no part is the beginning of another, comparing
//! whole keys as bytes compares them part by part.

use xxhash_rust::xxh3::xxh3_64;

use crate::{AttributeValue, Corrupt, Kind, NumberRef, ValueRef};

/// The first byte of both sequences below. It has no meaning alone.
const ESCAPE: u8 = 0x00;
/// After the escape: the end of the part. It sorts below everything that can follow within a part.
const END: u8 = 0x00;
/// After the escape: a zero byte of the value.
const ZERO: u8 = 0xFF;

/// A value of a kind that a key can't hold, or that has no prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a value of type {} can't be used here in a key", .0.code())]
pub struct NotAKey(pub Kind);

/// Appends a key part: a string, a number or binary.
pub fn write_key_part(out: &mut Vec<u8>, value: ValueRef<'_>) -> Result<(), NotAKey> {
    if let ValueRef::N(number) = value {
        out.extend_from_slice(number.as_bytes());
        return Ok(());
    }
    write_key_prefix(out, value)?;
    out.extend_from_slice(&[ESCAPE, END]);
    Ok(())
}

/// Appends the bytes that the parts of all strings (or binaries) with this prefix begin with.
pub fn write_key_prefix(out: &mut Vec<u8>, value: ValueRef<'_>) -> Result<(), NotAKey> {
    let bytes = match value {
        ValueRef::S(text) => text.as_bytes(),
        ValueRef::B(bytes) => bytes,
        other => return Err(NotAKey(other.kind())),
    };
    out.reserve(bytes.len() + 2);
    let mut pieces = bytes.split(|byte| *byte == 0);
    out.extend_from_slice(pieces.next().unwrap_or_default());
    for piece in pieces {
        out.extend_from_slice(&[ESCAPE, ZERO]);
        out.extend_from_slice(piece);
    }
    Ok(())
}

/// Returns the smallest byte string above every one that begins with `prefix`, or `None` if there isn't one.
pub fn key_successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte < 0xFF)?;
    let mut successor = prefix.get(..=last)?.to_vec();
    *successor.last_mut()? += 1;
    Some(successor)
}

/// Returns a hash that spreads partitions evenly: the upper half of the XXH3 hash of the encoded partition parts.
pub fn partition_hash(parts: &[u8]) -> u32 {
    (xxh3_64(parts) >> 32) as u32
}

/// Reads parts back from key bytes.
#[derive(Clone, Debug)]
pub struct KeyReader<'a> {
    rest: &'a [u8],
}

impl<'a> KeyReader<'a> {
    /// Begins at the first part.
    pub fn new(bytes: &'a [u8]) -> Self {
        KeyReader { rest: bytes }
    }

    /// The bytes that haven't been read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Reads the next part, which was written from a value of this kind.
    pub fn read(&mut self, kind: Kind) -> Result<AttributeValue, Corrupt> {
        match kind {
            Kind::S => String::from_utf8(self.read_bytes()?).map(AttributeValue::S).map_err(|_| Corrupt),
            Kind::B => self.read_bytes().map(AttributeValue::B),
            Kind::N => {
                let (number, rest) = NumberRef::split_from(self.rest).ok_or(Corrupt)?;
                self.rest = rest;
                Ok(AttributeValue::N(number.to_number()))
            }
            _ => Err(Corrupt),
        }
    }

    fn read_bytes(&mut self) -> Result<Vec<u8>, Corrupt> {
        let mut bytes = Vec::new();
        loop {
            let at = self.rest.iter().position(|byte| *byte == ESCAPE).ok_or(Corrupt)?;
            let (piece, escaped) = self.rest.split_at(at);
            bytes.extend_from_slice(piece);
            let (_, after) = escaped.split_first().ok_or(Corrupt)?;
            let (meaning, rest) = after.split_first().ok_or(Corrupt)?;
            self.rest = rest;
            match *meaning {
                END => return Ok(bytes),
                ZERO => bytes.push(0),
                _ => return Err(Corrupt),
            }
        }
    }
}
