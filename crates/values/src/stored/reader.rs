//! A cursor over stored bytes that returns an error instead of reading past the end.

use super::{Corrupt, tag};
use crate::number::{self, NumberRef};

/// A cursor over the bytes that are left.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

/// A delimited value that hasn't been interpreted: its tag, and its bytes after tag and length.
#[derive(Clone, Copy)]
pub(super) struct RawValue<'a> {
    pub(super) tag: u8,
    pub(super) payload: &'a [u8],
}

impl<'a> Reader<'a> {
    #[inline]
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    #[inline]
    fn take(&mut self, len: usize) -> Result<&'a [u8], Corrupt> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(Corrupt)?;
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    fn byte(&mut self) -> Result<u8, Corrupt> {
        let (byte, rest) = self.rest.split_first().ok_or(Corrupt)?;
        self.rest = rest;
        Ok(*byte)
    }

    /// A length or count: seven bits per byte, least significant first. The high bit is set on all bytes but the last.
    #[inline]
    pub(super) fn varint(&mut self) -> Result<usize, Corrupt> {
        let first = self.byte()?;
        if first < 0x80 { Ok(usize::from(first)) } else { self.long_varint(first) }
    }

    fn long_varint(&mut self, first: u8) -> Result<usize, Corrupt> {
        let mut value = u64::from(first & 0x7F);
        for shift in [7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                // A final zero byte would be a second encoding of a shorter number.
                return if byte == 0 { Err(Corrupt) } else { usize::try_from(value).map_err(|_| Corrupt) };
            }
        }
        Err(Corrupt)
    }

    /// Bytes preceded by their length.
    #[inline]
    pub(super) fn delimited(&mut self) -> Result<&'a [u8], Corrupt> {
        let len = self.varint()?;
        self.take(len)
    }

    /// The bytes of a list, map or set, preceded by their length in four bytes.
    #[inline]
    fn body(&mut self) -> Result<&'a [u8], Corrupt> {
        let len = self.rest.first_chunk::<4>().copied().ok_or(Corrupt)?;
        self.take(len.len())?;
        self.take(usize::try_from(u32::from_le_bytes(len)).map_err(|_| Corrupt)?)
    }

    /// The bytes of a number, found by its end byte.
    #[inline]
    pub(super) fn number(&mut self) -> Result<&'a [u8], Corrupt> {
        self.take(number::encoded_len(self.rest).ok_or(Corrupt)?)
    }

    /// Reads past one value.
    #[inline]
    pub(super) fn value(&mut self) -> Result<RawValue<'a>, Corrupt> {
        let tag = self.byte()?;
        let payload = match tag {
            tag::S | tag::B => self.delimited()?,
            tag::N => self.number()?,
            tag::TRUE | tag::FALSE | tag::NULL => &[],
            tag::M | tag::L | tag::SS | tag::NS | tag::BS => self.body()?,
            _ => return Err(Corrupt),
        };
        Ok(RawValue { tag, payload })
    }
}

/// Bytes that must be text.
#[inline]
pub(super) fn text(bytes: &[u8]) -> Result<&str, Corrupt> {
    std::str::from_utf8(bytes).map_err(|_| Corrupt)
}

/// Bytes that must be one number.
#[inline]
pub(super) fn number(bytes: &[u8]) -> Result<NumberRef<'_>, Corrupt> {
    NumberRef::from_bytes(bytes).ok_or(Corrupt)
}
