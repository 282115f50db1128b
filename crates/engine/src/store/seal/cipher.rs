//! One subkey's cipher, and where its nonces come from.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use chacha20poly1305::{AeadInOut, KeyInit, XChaCha20Poly1305};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

pub(in crate::store) const NONCE_BYTES: usize = 24;
pub(in crate::store) const TAG_BYTES: usize = 16;
pub(in crate::store) const SALT_BYTES: usize = 16;
pub(super) const KEY_BYTES: usize = 32;

pub(in crate::store) type Nonce = [u8; NONCE_BYTES];
pub(in crate::store) type Tag = [u8; TAG_BYTES];
/// Random bytes that tell files, and lives of files, apart.
pub(in crate::store) type Salt = [u8; SALT_BYTES];

/// Random bytes of the operating system.
pub(in crate::store) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(format!("no random bytes: {error}")))?;
    Ok(bytes)
}

/// A key for one purpose: HKDF-Expand of RFC 5869 with SHA-256, one block of output.
pub(super) fn derive(key: &[u8; KEY_BYTES], purpose: &str) -> Zeroizing<[u8; KEY_BYTES]> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(purpose.as_bytes());
    mac.update(&[1]);
    Zeroizing::new(mac.finalize().into_bytes().into())
}

/// A subkey that seals and opens. Zeroed when it is dropped.
pub(in crate::store) struct Cipher(XChaCha20Poly1305);

impl Cipher {
    pub(super) fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self(XChaCha20Poly1305::new(key.into()))
    }

    /// Encrypts the bytes where they are. `context` is what they are bound to. A nonce must not be used twice.
    pub(in crate::store) fn seal(&self, nonce: &Nonce, context: &[u8], bytes: &mut [u8]) -> Tag {
        let sealed = self.0.encrypt_inout_detached(nonce.into(), context, bytes.into());
        sealed.expect("no unit comes near the cipher's limit of 256 GB").into()
    }

    /// Decrypts the bytes where they are, or says that they are not what was sealed and leaves them.
    #[must_use]
    pub(in crate::store) fn open(&self, nonce: &Nonce, context: &[u8], bytes: &mut [u8], tag: &Tag) -> bool {
        self.0.decrypt_inout_detached(nonce.into(), context, bytes.into(), tag.into()).is_ok()
    }

    /// Decrypts the beginning of a unit without checking it: good for nothing but to see whether checking is worth it.
    pub(in crate::store) fn peek(&self, nonce: &Nonce, bytes: &mut [u8]) {
        // Encrypting twice with one nonce gives the text again; the tag is of no use.
        let _ = self.seal(nonce, &[], bytes);
    }
}

/// Nonces that never repeat: random bytes drawn once, and a counter.
pub(super) struct Nonces {
    salt: Salt,
    next: AtomicU64,
}

impl Nonces {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { salt: random()?, next: AtomicU64::new(1) })
    }

    pub(super) fn next(&self) -> Nonce {
        nonce(&self.salt, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// The nonce of a salt and a number.
pub(in crate::store) fn nonce(salt: &Salt, number: u64) -> Nonce {
    let mut nonce = [0; NONCE_BYTES];
    let (first, second) = nonce.split_at_mut(SALT_BYTES);
    first.copy_from_slice(salt);
    second.copy_from_slice(&number.to_le_bytes());
    nonce
}
