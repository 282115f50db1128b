//! The protection of a segment's frames: a checksum or encryption.
//!
//! An encoded frame is the length, space for the checksum, and the body. A sealed frame is the same or, with
//! encryption, has a tag instead of the checksum and an encrypted body. Then it is longer by the difference.

use std::borrow::Cow;
use std::sync::Arc;

use singlet_cipher::{Salt, TAG_BYTES, nonce};

use super::super::StoreError;
use super::super::seal::{Kind, Sealing, decode_header, encode_header, header_bytes};
use crate::entropy::random;

/// A length.
const LENGTH_BYTES: usize = 4;
const CHECKSUM_BYTES: usize = 4;
/// How much longer an encrypted frame is than its encoding.
pub(super) const SEALED_GROWTH_BYTES: usize = TAG_BYTES - CHECKSUM_BYTES;
/// Id and first sequence number.
const SEALED_HEADER_BODY_BYTES: usize = 16;
/// The header of a segment whose frames are encrypted.
pub(super) const SEALED_HEADER_BYTES: usize = header_bytes(SEALED_HEADER_BODY_BYTES);

/// The protection of one segment's frames.
#[derive(Clone)]
pub(super) enum Seal {
    /// A checksum of the segment's id and the frame.
    Checksum { segment: u64 },
    /// Encryption that is bound to the segment's id, its salt, and the frame's offset. Each offset is written once in
    /// each use of the file, and each use has its own salt, so no nonce repeats.
    Cipher { segment: u64, salt: Salt, sealing: Arc<Sealing> },
}

impl Seal {
    /// Creates the seal for a new segment.
    pub(super) fn new(segment: u64, sealing: Option<&Arc<Sealing>>) -> Result<Self, StoreError> {
        match sealing {
            None => Ok(Seal::Checksum { segment }),
            Some(sealing) => {
                // A reused file gets a new salt, so no nonce repeats.
                let salt = random().map_err(StoreError::io("begin", "a log segment"))?;
                Ok(Seal::Cipher { segment, salt, sealing: sealing.clone() })
            }
        }
    }

    /// The header of an encrypted segment.
    pub(super) fn encode_header(
        salt: &Salt,
        sealing: &Sealing,
        segment: u64,
        first_sequence: u64,
    ) -> Vec<u8> {
        let mut body = [0; SEALED_HEADER_BODY_BYTES];
        let (id, first) = body.split_at_mut(8);
        id.copy_from_slice(&segment.to_le_bytes());
        first.copy_from_slice(&first_sequence.to_le_bytes());
        encode_header(&sealing.log, Kind::Segment, salt, &body)
    }

    /// Decodes the seal and the first sequence number from the header of an encrypted segment.
    pub(super) fn decode_header(
        sealing: &Arc<Sealing>,
        name: &str,
        segment: u64,
        header: &[u8; SEALED_HEADER_BYTES],
    ) -> Result<(Self, u64), StoreError> {
        let (salt, body) = decode_header(&sealing.log, Kind::Segment, name, header)?;
        let field = |at: usize| body.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let (id, first_sequence) = (field(0).unwrap_or(0), field(8).unwrap_or(0));
        if id != segment {
            let reason = format!("the header is that of segment {id:016x}");
            return Err(StoreError::corrupt(name, 0, reason));
        }
        Ok((Seal::Cipher { segment, salt, sealing: sealing.clone() }, first_sequence))
    }

    /// The offset of the body in a sealed frame.
    pub(super) fn body_at(&self) -> usize {
        match self {
            Seal::Checksum { .. } => LENGTH_BYTES + CHECKSUM_BYTES,
            Seal::Cipher { .. } => LENGTH_BYTES + TAG_BYTES,
        }
    }

    /// Returns how much longer a frame is after sealing.
    pub(super) fn growth(&self) -> usize {
        match self {
            Seal::Checksum { .. } => 0,
            Seal::Cipher { .. } => SEALED_GROWTH_BYTES,
        }
    }

    /// Protects a frame for this offset. There is space for the tag.
    pub(super) fn protect(&self, offset: u64, frame: &mut [u8]) {
        let Some((head, body)) = frame.split_at_mut_checked(self.body_at()) else { return };
        let Some((length, guard)) = head.split_first_chunk_mut::<LENGTH_BYTES>() else { return };
        match self {
            Seal::Checksum { segment } => guard.copy_from_slice(&checksum(*segment, body).to_le_bytes()),
            Seal::Cipher { segment, salt, sealing } => {
                let tag = sealing.log.seal(&nonce(salt, offset), &context(*segment, length), body);
                guard.copy_from_slice(&tag);
            }
        }
    }

    /// Returns the body of the frame at this offset if the frame is intact. `frame` has the length that it states.
    pub(super) fn body<'a>(&self, offset: u64, frame: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let (head, body) = frame.split_at_checked(self.body_at())?;
        let (length, guard) = head.split_first_chunk::<LENGTH_BYTES>()?;
        match self {
            Seal::Checksum { segment } => {
                let stored = u32::from_le_bytes(*guard.first_chunk()?);
                (stored == checksum(*segment, body)).then_some(Cow::Borrowed(body))
            }
            Seal::Cipher { segment, salt, sealing } => {
                let mut opened = body.to_vec();
                let is_right = sealing.log.open(
                    &nonce(salt, offset),
                    &context(*segment, length),
                    &mut opened,
                    guard.first_chunk()?,
                );
                is_right.then_some(Cow::Owned(opened))
            }
        }
    }

    /// Returns the possible sequence number of a frame at this offset. This is faster than checking the frame.
    pub(super) fn peek_sequence(&self, offset: u64, bytes: &[u8]) -> Option<u64> {
        let mut sequence = *bytes.get(self.body_at()..)?.first_chunk::<8>()?;
        if let Seal::Cipher { salt, sealing, .. } = self {
            sealing.log.peek(&nonce(salt, offset), &mut sequence);
        }
        Some(u64::from_le_bytes(sequence))
    }
}

/// The checksum of a frame's body. It includes the segment's id, so that bytes of an earlier use of the file are
/// never taken for a frame.
fn checksum(segment: u64, body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&segment.to_le_bytes());
    hasher.update(body);
    hasher.finalize()
}

fn context(segment: u64, length: &[u8; LENGTH_BYTES]) -> [u8; 12] {
    let mut context = [0; 12];
    let (first, second) = context.split_at_mut(8);
    first.copy_from_slice(&segment.to_le_bytes());
    second.copy_from_slice(length);
    context
}
