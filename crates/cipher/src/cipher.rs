//! One key's cipher: XChaCha20-Poly1305.

use chacha20poly1305::{AeadInOut, KeyInit, XChaCha20Poly1305};

use super::nonce::Nonce;

/// Bytes of a key.
pub const KEY_BYTES: usize = 32;
/// Bytes of a tag.
pub const TAG_BYTES: usize = 16;

/// Proof that the sealed bytes and their context haven't changed since they were sealed.
pub type Tag = [u8; TAG_BYTES];

/// A key that seals and opens. Zeroed when it is dropped.
pub struct Cipher(XChaCha20Poly1305);

impl Cipher {
    /// The cipher of a key.
    pub fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self(XChaCha20Poly1305::new(key.into()))
    }

    /// Encrypts the bytes in place and binds them to `context`. A nonce must not be used twice.
    pub fn seal(&self, nonce: &Nonce, context: &[u8], bytes: &mut [u8]) -> Tag {
        let sealed = self.0.encrypt_inout_detached(nonce.into(), context, bytes.into());
        sealed.expect("no unit comes near the cipher's limit of 256 GB").into()
    }

    /// Decrypts the bytes in place. If they aren't what was sealed, returns `false` and leaves them unchanged.
    #[must_use]
    pub fn open(&self, nonce: &Nonce, context: &[u8], bytes: &mut [u8], tag: &Tag) -> bool {
        self.0.decrypt_inout_detached(nonce.into(), context, bytes.into(), tag.into()).is_ok()
    }

    /// Decrypts the beginning of a unit without authentication. The result only shows whether opening the unit is
    /// worthwhile.
    pub fn peek(&self, nonce: &Nonce, bytes: &mut [u8]) {
        // Encrypting twice with one nonce returns the plaintext. The tag isn't needed.
        let _ = self.seal(nonce, &[], bytes);
    }
}

impl std::fmt::Debug for Cipher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Cipher")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of draft-irtf-cfrg-xchacha-03, appendix A.3.1.
    #[test]
    fn the_cipher_is_the_one_of_the_draft() {
        let key: [u8; KEY_BYTES] = std::array::from_fn(|place| 0x80 + place as u8);
        let nonce: Nonce = std::array::from_fn(|place| 0x40 + place as u8);
        let context = [0x50, 0x51, 0x52, 0x53, 0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7];
        let text =
            b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
            sunscreen would be it.";
        let mut bytes = *text;
        let tag = Cipher::new(&key).seal(&nonce, &context, &mut bytes);
        assert_eq!(bytes[..8], [0xBD, 0x6D, 0x17, 0x9D, 0x3E, 0x83, 0xD4, 0x3B]);
        let expected =
            [0xC0, 0x87, 0x59, 0x24, 0xC1, 0xC7, 0x98, 0x79, 0x47, 0xDE, 0xAF, 0xD8, 0x78, 0x0A, 0xCF, 0x49];
        assert_eq!(tag, expected);
        let mut beginning = [bytes[0], bytes[1], bytes[2]];
        Cipher::new(&key).peek(&nonce, &mut beginning);
        assert_eq!(&beginning, b"Lad");
        assert!(Cipher::new(&key).open(&nonce, &context, &mut bytes, &tag));
        assert_eq!(&bytes, text);
    }

    #[test]
    fn any_flipped_bit_is_noticed_and_the_bytes_stay() {
        let (cipher, nonce) = (Cipher::new(&[1; KEY_BYTES]), [2; 24]);
        let mut sealed = [3; 20];
        let tag = cipher.seal(&nonce, b"place", &mut sealed);
        for bit in 0..20 * 8 {
            let mut changed = sealed;
            changed[bit / 8] ^= 1 << (bit % 8);
            let before = changed;
            assert!(!cipher.open(&nonce, b"place", &mut changed, &tag));
            assert_eq!(changed, before);
        }
        for bit in 0..TAG_BYTES * 8 {
            let mut changed = tag;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(!cipher.open(&nonce, b"place", &mut sealed.clone(), &changed));
        }
        assert!(!cipher.open(&[9; 24], b"place", &mut sealed.clone(), &tag));
        assert!(!Cipher::new(&[9; KEY_BYTES]).open(&nonce, b"place", &mut sealed.clone(), &tag));
    }
}
