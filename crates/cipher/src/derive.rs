//! Keys derived from a key.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::cipher::KEY_BYTES;

/// A key for one purpose: HKDF-Expand of RFC 5869 with SHA-256, one block of output. Zeroed when it is dropped.
pub fn derive(key: &[u8; KEY_BYTES], purpose: &str) -> Zeroizing<[u8; KEY_BYTES]> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(purpose.as_bytes());
    mac.update(&[1]);
    Zeroizing::new(mac.finalize().into_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with Python: `hmac.new(bytes(range(32)), b"singlet log\x01", "sha256").hexdigest()`.
    #[test]
    fn a_purpose_gives_the_key_that_the_standard_says() {
        let key = std::array::from_fn(|place| place as u8);
        let derived: String = derive(&key, "singlet log").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(derived, "a4abe4262bd049588f501c2a46ffdae7b88ff24c22c532e5558651ea7e2f655b");
        assert_ne!(derive(&key, "singlet tree"), derive(&key, "singlet log"));
    }
}
