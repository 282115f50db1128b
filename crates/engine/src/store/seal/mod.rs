//! Encryption at rest: keys, and the units that files are sealed in.
//!
//! It knows bytes, files and XChaCha20-Poly1305. It must not know the meaning of the bytes.
//!
//! ```text
//! outer key (the user's) ──wraps──► data key (random, in the file `keys`)
//!                                      ├── log key    one unit per frame        `log`
//!                                      ├── tree key   one unit per page         `tree/pages`
//!                                      ├── file key   one unit per block        `seal/disk`
//!                                      └── reach key  one unit per slot         `reach`
//! ```
//!
//! Every unit is bound to its file by the file's salt, and to its position. So a unit that was moved or copied is
//! detected like one that was changed. `docs/format.md` describes the bytes, and `docs/encryption.md` the protection.

mod disk;
mod header;
mod key;
mod keys;
mod outside;
#[cfg(test)]
mod tests;

pub use disk::SealedDisk;
pub(in crate::store) use header::{Kind, SEALED_MAGIC, decode_header, encode_header, header_bytes};
pub use key::{Key, KeyError, KeyId};
pub(in crate::store) use keys::Sealing;
pub(crate) use keys::{is_data, is_database_file};
pub use keys::{key_of, rotate_key};
pub(crate) use outside::{open_outside, seal_outside};

use super::error::Damage;
