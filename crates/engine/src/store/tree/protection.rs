//! The protection of the pages in the tree's file: a checksum, or the cipher of an encrypted folder.
//!
//! Each page has a slot elsewhere in the file, which is bound to the page's number and to the file's salt. So a page
//! that was changed, moved or copied from another file is detected when it is read.

use std::sync::Arc;

use singlet_cipher::{NONCE_BYTES, Nonces, SALT_BYTES, Salt, TAG_BYTES};
use xxhash_rust::xxh3::xxh3_128;

use super::pages::PAGE_BYTES;
use crate::entropy::random;
use crate::store::StoreError;
use crate::store::seal::{Kind, Sealing, decode_header, encode_header, header_bytes};

/// The first bytes of a tree without encryption.
const MAGIC: [u8; 8] = *b"SNGLTTRE";
/// Version 1 was the tree library's unchanged file.
pub(in crate::store) const FORMAT_VERSION: u32 = 2;
const CHECKSUM_AT: usize = 12 + SALT_BYTES;
const CHECKSUM_BYTES: usize = 16;
/// The data that the slot of a page is bound to: the file's salt and the page's number.
pub(super) type PageContext = [u8; SALT_BYTES + 8];

/// The protection of pages.
pub(super) enum Protection {
    /// A slot is a checksum of the page.
    Checksum,
    /// The page is encrypted, and its slot is a nonce and a tag.
    Cipher { sealing: Arc<Sealing>, nonces: Nonces },
}

impl Protection {
    /// Returns the cipher of an encrypted folder, or checksums.
    pub(super) fn new(sealing: Option<&Arc<Sealing>>) -> std::io::Result<Self> {
        Ok(match sealing {
            None => Self::Checksum,
            Some(sealing) => Self::Cipher { sealing: sealing.clone(), nonces: Nonces::new(random()?) },
        })
    }

    pub(super) const fn slot_bytes(&self) -> usize {
        match self {
            Self::Checksum => CHECKSUM_BYTES,
            Self::Cipher { .. } => NONCE_BYTES + TAG_BYTES,
        }
    }

    /// Returns the number of pages after a block of slots, which is the number of its slots.
    pub(super) const fn group_pages(&self) -> u64 {
        (PAGE_BYTES / self.slot_bytes()) as u64
    }

    pub(super) const fn header_bytes(&self) -> usize {
        match self {
            Self::Checksum => CHECKSUM_AT + 4,
            Self::Cipher { .. } => header_bytes(0),
        }
    }

    /// Returns the header of a file with this salt.
    pub(super) fn encode_header(&self, salt: &Salt) -> Vec<u8> {
        match self {
            Self::Checksum => {
                let mut header = Vec::with_capacity(self.header_bytes());
                header.extend_from_slice(&MAGIC);
                header.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
                header.extend_from_slice(salt);
                header.extend_from_slice(&crc32fast::hash(&header).to_le_bytes());
                header
            }
            Self::Cipher { sealing, .. } => encode_header(&sealing.tree, Kind::Tree, salt, &[]),
        }
    }

    /// Returns the salt in a header.
    pub(super) fn decode_header(&self, file: &str, header: &[u8]) -> Result<Salt, StoreError> {
        match self {
            Self::Checksum => decode_plain_header(file, header),
            Self::Cipher { sealing, .. } => {
                decode_header(&sealing.tree, Kind::Tree, file, header).map(|(salt, _)| salt)
            }
        }
    }

    /// Creates the slot of a page, and encrypts the page if the folder is encrypted.
    pub(super) fn protect(&self, context: &PageContext, page: &mut [u8], slot: &mut [u8]) {
        match self {
            Self::Checksum => slot.copy_from_slice(&checksum(context, page)),
            Self::Cipher { sealing, nonces } => {
                let nonce = nonces.next();
                let tag = sealing.tree.seal(&nonce, context, page);
                let (to_nonce, to_tag) = slot.split_at_mut_checked(NONCE_BYTES).unwrap_or_default();
                to_nonce.copy_from_slice(&nonce);
                to_tag.copy_from_slice(&tag);
            }
        }
    }

    /// Returns whether the page is intact, and decrypts it if the folder is encrypted.
    pub(super) fn check(&self, context: &PageContext, page: &mut [u8], slot: &[u8]) -> bool {
        match self {
            #[cfg(simulated)]
            Self::Checksum if crate::planted::Bug::SkipsPageCheck.is_planted() => true,
            Self::Checksum => checksum(context, page) == slot,
            Self::Cipher { sealing, .. } => {
                let Some((nonce, tag)) = slot.split_first_chunk() else { return false };
                let Some(tag) = tag.first_chunk() else { return false };
                sealing.tree.open(nonce, context, page, tag)
            }
        }
    }
}

/// The checksum of a page, from the bound data and the page's own hash. This needs no copy of the page.
fn checksum(context: &PageContext, page: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut bound = [0; SALT_BYTES + 8 + CHECKSUM_BYTES];
    let (to_context, to_hash) = bound.split_at_mut(SALT_BYTES + 8);
    to_context.copy_from_slice(context);
    to_hash.copy_from_slice(&xxh3_128(page).to_le_bytes());
    xxh3_128(&bound).to_le_bytes()
}

fn decode_plain_header(file: &str, header: &[u8]) -> Result<Salt, StoreError> {
    let damaged = |offset, reason: &str| Err(StoreError::corrupt(file, offset, reason));
    if !header.starts_with(&MAGIC) {
        return damaged(0, "the file doesn't begin as a tree does");
    }
    let field = |at: usize| header.get(at..).and_then(<[u8]>::first_chunk::<4>).copied().unwrap_or_default();
    let covered = header.get(..CHECKSUM_AT).unwrap_or_default();
    if u32::from_le_bytes(field(CHECKSUM_AT)) != crc32fast::hash(covered) {
        return damaged(0, "the header is not what was written");
    }
    let version = u32::from_le_bytes(field(8));
    if version != FORMAT_VERSION {
        let (found, known) = (version.into(), FORMAT_VERSION.into());
        return Err(StoreError::UnknownVersion { file: file.to_owned(), found, known });
    }
    Ok(covered.last_chunk().copied().unwrap_or([0; SALT_BYTES]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::fixture::example;

    #[test]
    fn the_header_and_the_slot_in_the_documentation_are_what_is_written() {
        let salt = std::array::from_fn(|place| 0xA0 + place as u8);
        assert_eq!(Protection::Checksum.encode_header(&salt), example("tree header"));
        let mut context: PageContext = [0; SALT_BYTES + 8];
        context[..SALT_BYTES].copy_from_slice(&salt);
        context[SALT_BYTES] = 7;
        let mut page: Vec<u8> = (0..PAGE_BYTES).map(|place| place as u8).collect();
        let mut slot = vec![0; CHECKSUM_BYTES];
        Protection::Checksum.protect(&context, &mut page, &mut slot);
        assert_eq!(slot, example("tree slot"));
        assert!(Protection::Checksum.check(&context, &mut page, &slot));
    }

    #[test]
    fn every_flipped_bit_of_a_plain_header_is_refused() {
        let header = Protection::Checksum.encode_header(&[7; SALT_BYTES]);
        for bit in 0..header.len() * 8 {
            let mut flipped = header.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Protection::Checksum.decode_header("tree", &flipped).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_newer_format_is_refused_by_its_version() {
        let mut header = Protection::Checksum.encode_header(&[7; SALT_BYTES]);
        header[8] = 9;
        let checksum = crc32fast::hash(&header[..CHECKSUM_AT]).to_le_bytes();
        header[CHECKSUM_AT..].copy_from_slice(&checksum);
        let refused = Protection::Checksum.decode_header("tree", &header);
        assert!(matches!(refused, Err(StoreError::UnknownVersion { found: 9, known: 2, .. })), "{refused:?}");
    }
}
