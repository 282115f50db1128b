//! Sealing bytes: authenticated encryption, keys derived from keys, and nonces that never repeat.
//!
//! This crate knows bytes and the system's random numbers. It must not know files, positions or what the bytes mean:
//! the caller chooses the context that a unit is bound to. It is a separate crate so that all cryptography is in one
//! small place, and development builds can optimise it alone.
//!
//! ```
//! use singlet_cipher::{Cipher, Nonces, derive, random};
//!
//! let cipher = Cipher::new(&derive(&random()?, "an example"));
//! let nonce = Nonces::new(random()?).next();
//! let mut bytes = *b"secret";
//! let tag = cipher.seal(&nonce, b"where it stands", &mut bytes);
//! assert!(!cipher.open(&nonce, b"elsewhere", &mut bytes, &tag));
//! assert!(cipher.open(&nonce, b"where it stands", &mut bytes, &tag));
//! assert_eq!(&bytes, b"secret");
//! # Ok::<(), std::io::Error>(())
//! ```

mod cipher;
mod derive;
mod nonce;

pub use cipher::{Cipher, KEY_BYTES, TAG_BYTES, Tag};
pub use derive::derive;
pub use nonce::{NONCE_BYTES, Nonce, Nonces, SALT_BYTES, Salt, nonce, random};
