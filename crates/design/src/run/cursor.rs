//! Cursors: where a list goes on, authenticated.
//!
//! A cursor is base64url of a payload and 16 bytes of HMAC-SHA256 over design, environment, pattern, canonical
//! arguments and payload. What the payload says is up to the kind of list; see [`super::read`]. It is not secret: it
//! holds the keys of items that the caller was given.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use singlet_engine::values::{AttributeValue, KeyReader, Kind, ValueRef, write_key_part};

use super::RunError;

const VERSION: u8 = 1;
const MAC_BYTES: usize = 16;
/// Far above what a list over the most streams needs.
const CURSOR_BYTES_MAX: usize = 256 * 1024;

const MADE_UP: RunError = RunError::Cursor("is not one that this pattern gave");
const FOREIGN: RunError = RunError::Cursor(
    "was changed, or belongs to another pattern, other parameters, another environment or another key",
);
const OTHER_VERSION: RunError = RunError::Cursor("was made by another version: begin again without it");

/// Seals and opens the cursors of one design in one environment.
#[derive(Clone)]
pub(crate) struct Seal {
    /// Keyed, with design and environment already in it.
    mac: Hmac<Sha256>,
}

/// What a cursor is bound to besides design and environment.
pub(crate) struct Bond<'a> {
    /// The pattern's name.
    pub(crate) pattern: &'a str,
    /// Its canonical arguments.
    pub(crate) arguments: &'a [u8],
}

impl Seal {
    /// For this design and environment.
    pub(crate) fn new(key: &[u8; 32], design: &str, environment: &str) -> Self {
        // HMAC itself fills a short key with zeros up to its block; a whole block can't be of the wrong length.
        let mut block = [0; 64];
        block.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
        let mut mac = Hmac::<Sha256>::new(&block.into());
        update(&mut mac, design.as_bytes());
        update(&mut mac, environment.as_bytes());
        Seal { mac }
    }

    /// The cursor with this payload.
    pub(crate) fn seal(&self, bond: &Bond<'_>, payload: Payload) -> String {
        let mut bytes = payload.bytes;
        let tag = self.mac(bond, &bytes).finalize().into_bytes();
        bytes.extend(tag.iter().take(MAC_BYTES));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The payload of a cursor that was sealed with the same bond.
    pub(crate) fn open(&self, bond: &Bond<'_>, cursor: &str) -> Result<Vec<u8>, RunError> {
        if cursor.len() > CURSOR_BYTES_MAX {
            return Err(MADE_UP);
        }
        let mut bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| MADE_UP)?;
        let length = bytes.len().checked_sub(MAC_BYTES).ok_or(MADE_UP)?;
        let tag = bytes.split_off(length);
        self.mac(bond, &bytes).verify_truncated_left(&tag).map_err(|_| FOREIGN)?;
        match bytes.first() {
            Some(&VERSION) => Ok(bytes.split_off(1)),
            _ => Err(OTHER_VERSION),
        }
    }

    fn mac(&self, bond: &Bond<'_>, payload: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.mac.clone();
        update(&mut mac, bond.pattern.as_bytes());
        update(&mut mac, bond.arguments);
        update(&mut mac, payload);
        mac
    }
}

/// The length goes in front, so that no two lists of texts are the same bytes.
fn update(mac: &mut Hmac<Sha256>, bytes: &[u8]) {
    mac.update(&(bytes.len() as u64).to_be_bytes());
    mac.update(bytes);
}

/// Writes what a cursor says.
pub(crate) struct Payload {
    bytes: Vec<u8>,
}

impl Payload {
    pub(crate) fn new() -> Self {
        let mut bytes = Vec::with_capacity(128);
        bytes.push(VERSION);
        Payload { bytes }
    }

    /// A piece that is appended to another payload.
    pub(crate) fn part() -> Self {
        Payload { bytes: Vec::new() }
    }

    pub(crate) fn append(&mut self, part: Payload) {
        self.bytes.extend(part.bytes);
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(crate) fn number(&mut self, number: u32) {
        self.bytes.extend_from_slice(&number.to_be_bytes());
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// A key value; `false` if it is none.
    pub(crate) fn key_part(&mut self, value: ValueRef<'_>) -> bool {
        write_key_part(&mut self.bytes, value).is_ok()
    }
}

/// Reads what a cursor says. The bytes are authentic, but may come from before the design was changed.
pub(crate) struct PayloadReader<'a> {
    rest: &'a [u8],
}

impl<'a> PayloadReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        PayloadReader { rest: bytes }
    }

    pub(crate) fn byte(&mut self) -> Result<u8, RunError> {
        let (byte, rest) = self.rest.split_first().ok_or(OUTDATED)?;
        self.rest = rest;
        Ok(*byte)
    }

    pub(crate) fn number(&mut self) -> Result<u32, RunError> {
        let (bytes, rest) = self.rest.split_first_chunk::<4>().ok_or(OUTDATED)?;
        self.rest = rest;
        Ok(u32::from_be_bytes(*bytes))
    }

    pub(crate) fn raw(&mut self, length: usize) -> Result<&'a [u8], RunError> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(OUTDATED)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(crate) fn key_part(&mut self, kind: Kind) -> Result<AttributeValue, RunError> {
        let mut reader = KeyReader::new(self.rest);
        let value = reader.read(kind).map_err(|_| OUTDATED)?;
        self.rest = reader.rest();
        Ok(value)
    }

    /// Nothing may be left.
    pub(crate) fn finish(self) -> Result<(), RunError> {
        if self.rest.is_empty() { Ok(()) } else { Err(OUTDATED) }
    }
}

/// The cursor is ours, but the design has changed since.
pub(crate) const OUTDATED: RunError =
    RunError::Cursor("was made before the design was changed: begin again without it");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn payload(bytes: &[u8]) -> Payload {
        let mut payload = Payload::new();
        payload.raw(bytes);
        payload
    }

    proptest! {
        #[test]
        fn a_cursor_opens_with_its_own_bond_only(
            bytes in prop::collection::vec(any::<u8>(), 0..60),
            pattern in "[a-z]{0,3}",
            arguments in prop::collection::vec(any::<u8>(), 0..3),
            other in ("[a-z]{0,3}", prop::collection::vec(any::<u8>(), 0..3)),
        ) {
            let seal = Seal::new(&[1; 32], "design", "dev");
            let bond = Bond { pattern: &pattern, arguments: &arguments };
            let cursor = seal.seal(&bond, payload(&bytes));
            prop_assert_eq!(seal.open(&bond, &cursor).unwrap(), bytes);
            let foreign = Bond { pattern: &other.0, arguments: &other.1 };
            let same = (&other.0, &other.1) == (&pattern, &arguments);
            prop_assert_eq!(seal.open(&foreign, &cursor).is_ok(), same);
            for elsewhere in [Seal::new(&[1; 32], "design", "prod"), Seal::new(&[1; 32], "desig", "ndev"), Seal::new(&[2; 32], "design", "dev")] {
                prop_assert!(elsewhere.open(&bond, &cursor).is_err());
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            for kind in [Kind::S, Kind::N, Kind::B] {
                let mut reader = PayloadReader::new(&bytes);
                let _ = reader.byte();
                let _ = reader.key_part(kind);
                let length = reader.number().unwrap_or(3) as usize;
                let _ = reader.raw(length);
                let _ = reader.finish();
            }
        }
    }
}
