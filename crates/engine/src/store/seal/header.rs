//! The header of every sealed file: its kind, and the salt that its units are bound to.

use singlet_cipher::{Cipher, SALT_BYTES, Salt, TAG_BYTES, nonce};

use super::Damage;
use crate::store::StoreError;

/// The first bytes of sealed files.
pub(in crate::store) const SEALED_MAGIC: [u8; 8] = *b"SNGLTSLD";
const FORMAT_VERSION: u32 = 1;
/// Magic, version, kind, salt: readable, and authenticated.
const READABLE_BYTES: usize = 16 + SALT_BYTES;
/// No unit has this position, so its nonce is the header's own.
const HEADER_PLACE: u64 = 0;

/// The kind of a sealed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Kind {
    Tree = 1,
    File = 2,
    Segment = 3,
}

impl Kind {
    fn code(self) -> u32 {
        self as u32
    }
}

/// The bytes of a header with a body of this length.
pub(in crate::store) const fn header_bytes(body_bytes: usize) -> usize {
    READABLE_BYTES + TAG_BYTES + body_bytes
}

/// Encodes a header. The body is encrypted.
pub(in crate::store) fn encode_header(cipher: &Cipher, kind: Kind, salt: &Salt, body: &[u8]) -> Vec<u8> {
    let mut header = Vec::with_capacity(header_bytes(body.len()));
    header.extend_from_slice(&SEALED_MAGIC);
    header.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    header.extend_from_slice(&kind.code().to_le_bytes());
    header.extend_from_slice(salt);
    let mut body = body.to_vec();
    let tag = cipher.seal(&nonce(salt, HEADER_PLACE), &header, &mut body);
    header.extend_from_slice(&tag);
    header.extend_from_slice(&body);
    header
}

/// Returns the salt and the body of a valid header for this kind of file. `bytes` is the whole header.
pub(in crate::store) fn decode_header(
    cipher: &Cipher,
    kind: Kind,
    file: &str,
    bytes: &[u8],
) -> Result<(Salt, Vec<u8>), StoreError> {
    let damaged = |offset, reason: &str| StoreError::from(Damage::new(file, offset, reason));
    let (readable, rest) = bytes
        .split_first_chunk::<READABLE_BYTES>()
        .ok_or_else(|| damaged(bytes.len() as u64, "the file ends within its header"))?;
    let (tag, body) = rest
        .split_first_chunk::<TAG_BYTES>()
        .ok_or_else(|| damaged(bytes.len() as u64, "the file ends within its header"))?;
    let word = |at: usize| {
        readable.get(at..).and_then(<[u8]>::first_chunk::<4>).map_or(0, |bytes| u32::from_le_bytes(*bytes))
    };
    if !readable.starts_with(&SEALED_MAGIC) {
        return Err(damaged(0, "it does not begin with the header of an encrypted file"));
    }
    let salt: Salt = *readable.last_chunk().unwrap_or(&[0; SALT_BYTES]);
    let mut body = body.to_vec();
    if !cipher.open(&nonce(&salt, HEADER_PLACE), readable, &mut body, tag) {
        // A version that this program doesn't know may be authenticated differently.
        if word(8) != FORMAT_VERSION {
            let (found, known) = (word(8).into(), FORMAT_VERSION.into());
            return Err(StoreError::UnknownVersion { file: file.to_owned(), found, known });
        }
        return Err(damaged(0, "the header is not what was written"));
    }
    if word(12) != kind.code() {
        return Err(damaged(12, "this is an encrypted file of another kind"));
    }
    Ok((salt, body))
}
