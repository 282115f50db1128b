//! Nonces, and the random bytes that they contain.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a nonce.
pub const NONCE_BYTES: usize = 24;
/// Bytes of a salt.
pub const SALT_BYTES: usize = 16;

/// A number that one key uses once.
pub type Nonce = [u8; NONCE_BYTES];
/// Random bytes that distinguish files, and successive contents of one file.
pub type Salt = [u8; SALT_BYTES];

/// Random bytes of the operating system.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(format!("no random bytes: {error}")))?;
    Ok(bytes)
}

/// The nonce of a salt and a number.
pub fn nonce(salt: &Salt, number: u64) -> Nonce {
    let mut nonce = [0; NONCE_BYTES];
    let (first, second) = nonce.split_at_mut(SALT_BYTES);
    first.copy_from_slice(salt);
    second.copy_from_slice(&number.to_le_bytes());
    nonce
}

/// Nonces that never repeat: random bytes drawn once, and a counter.
#[derive(Debug)]
pub struct Nonces {
    salt: Salt,
    next: AtomicU64,
}

impl Nonces {
    /// Nonces with this salt, which must be random and used for nothing else.
    pub fn new(salt: Salt) -> Self {
        Self { salt, next: AtomicU64::new(1) }
    }

    /// Returns a nonce that wasn't returned before.
    pub fn next(&self) -> Nonce {
        nonce(&self.salt, self.next.fetch_add(1, Ordering::Relaxed))
    }
}
