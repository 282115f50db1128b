//! The encoding of a mark.

use singlet_cipher::{NONCE_BYTES, Nonce, TAG_BYTES};

use super::ReachMark;
use crate::entropy::random;
use crate::store::StoreError;
use crate::store::log::{FieldReader, put_u32, put_u64};
use crate::store::seal::Sealing;

pub(super) const MAGIC: [u8; 8] = *b"SNGLTRCH";
pub(super) const FORMAT_VERSION: u32 = 1;
/// Magic and version: readable, and authenticated.
const READABLE_BYTES: usize = 12;
/// Counter, segment, its first commit, durable commit, time.
const FIELDS_BYTES: usize = 40;
/// A slot with a checksum, and a sealed one.
const PLAIN_BYTES: usize = READABLE_BYTES + FIELDS_BYTES + 4;
const SEALED_BYTES: usize = READABLE_BYTES + NONCE_BYTES + TAG_BYTES + FIELDS_BYTES;

/// How many bytes a slot has.
pub(super) fn slot_bytes(sealing: Option<&Sealing>) -> usize {
    if sealing.is_some() { SEALED_BYTES } else { PLAIN_BYTES }
}

/// Encodes a slot. Its position follows from the counter.
pub(super) fn encode(
    mark: &ReachMark,
    counter: u64,
    sealing: Option<&Sealing>,
) -> Result<Vec<u8>, StoreError> {
    let nonce = match sealing {
        Some(_) => random().map_err(StoreError::io("write", super::NAME))?,
        None => [0; NONCE_BYTES],
    };
    Ok(encode_with(&nonce, mark, counter, sealing))
}

/// Encodes a slot, with this nonce if it is sealed.
fn encode_with(nonce: &Nonce, mark: &ReachMark, counter: u64, sealing: Option<&Sealing>) -> Vec<u8> {
    let mut slot = Vec::with_capacity(SEALED_BYTES);
    slot.extend_from_slice(&MAGIC);
    put_u32(&mut slot, FORMAT_VERSION);
    let mut fields = Vec::with_capacity(FIELDS_BYTES);
    for field in [counter, mark.segment, mark.first_sequence, mark.sequence, mark.time_ms] {
        put_u64(&mut fields, field);
    }
    match sealing {
        None => {
            slot.append(&mut fields);
            let checksum = crc32fast::hash(&slot);
            put_u32(&mut slot, checksum);
        }
        Some(sealing) => {
            let tag = sealing.reach.seal(nonce, &slot, &mut fields);
            slot.extend_from_slice(nonce);
            slot.extend_from_slice(&tag);
            slot.append(&mut fields);
        }
    }
    slot
}

/// Decodes the counter and the mark of an intact slot.
pub(super) fn decode(bytes: &[u8], sealing: Option<&Sealing>) -> Option<(u64, ReachMark)> {
    let (readable, rest) = bytes.split_first_chunk::<READABLE_BYTES>()?;
    if !readable.starts_with(&MAGIC) || version(bytes) != Some(FORMAT_VERSION) {
        return None;
    }
    let fields = match sealing {
        None => {
            let (covered, checksum) = bytes.split_last_chunk::<4>()?;
            (u32::from_le_bytes(*checksum) == crc32fast::hash(covered)).then_some(rest)?.to_vec()
        }
        Some(sealing) => {
            let (nonce, rest) = rest.split_first_chunk::<NONCE_BYTES>()?;
            let (tag, sealed) = rest.split_first_chunk::<TAG_BYTES>()?;
            let mut fields = sealed.to_vec();
            sealing.reach.open(nonce, readable, &mut fields, tag).then_some(fields)?
        }
    };
    let mut reader = FieldReader::new(&fields);
    let counter = reader.u64()?;
    let (segment, first_sequence) = (reader.u64()?, reader.u64()?);
    let (sequence, time_ms) = (reader.u64()?, reader.u64()?);
    Some((counter, ReachMark { segment, first_sequence, sequence, time_ms }))
}

/// Returns the version of a slot, if it is one.
pub(super) fn version(bytes: &[u8]) -> Option<u32> {
    let mut reader = FieldReader::new(bytes.strip_prefix(&MAGIC)?);
    reader.u32()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::fixture::example;

    const MARK: ReachMark =
        ReachMark { segment: 3, first_sequence: 41, sequence: 52, time_ms: 1_700_000_000_000 };

    #[test]
    fn the_slot_in_the_documentation_is_what_is_written() {
        let written = encode(&MARK, 7, None).unwrap();
        assert_eq!(written, example("reach"));
        assert_eq!(decode(&written, None), Some((7, MARK)));
    }

    #[test]
    fn the_encrypted_slot_in_the_documentation_is_what_is_written() {
        let (sealing, nonce) = (Sealing::example(), std::array::from_fn(|place| 0xB0 + place as u8));
        let written = encode_with(&nonce, &MARK, 7, Some(&sealing));
        assert_eq!(written, example("sealed reach"));
        assert_eq!(decode(&written, Some(&sealing)), Some((7, MARK)));
        assert_eq!(decode(&written, None), None);
    }
}
