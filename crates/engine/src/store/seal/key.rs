//! The outer key: what the user keeps, and what is said when it is not the right one.

use std::fmt;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use singlet_cipher::{KEY_BYTES, derive};
use zeroize::{Zeroize, Zeroizing};

use crate::entropy::random;

/// Where a key may stand instead of in a file.
pub(super) const VARIABLE: &str = "SINGLET_KEY";

/// The outer key of an encrypted folder: 32 bytes that the user keeps. Zeroed when it is dropped.
///
/// ```
/// use singlet_engine::Key;
///
/// let key = Key::generate()?;
/// assert_eq!(Key::parse(key.to_hex().as_bytes())?.id(), key.id());
/// # Ok::<(), singlet_engine::KeyError>(())
/// ```
#[derive(Clone)]
pub struct Key([u8; KEY_BYTES]);

/// Tells keys apart without telling anything of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId(pub(super) [u8; 16]);

/// Why a folder can't be opened with the key that was given, or without one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The folder is encrypted: give its key.
    #[error(
        "the data is encrypted (key {id}) and no key was given. Give it with --key-file FILE or in SINGLET_KEY"
    )]
    Missing {
        /// The key that it was encrypted with.
        id: KeyId,
    },
    /// The folder is not encrypted: leave the key away, or copy the data into a folder that is.
    #[error(
        "a key was given, but the data is not encrypted. Leave the key away; or, to encrypt the data, begin an empty \
         folder with the key and copy everything over with export and import or with a backup and its restoration \
         (docs/encryption.md)"
    )]
    NotEncrypted,
    /// Another key is needed.
    #[error("the data is encrypted with key {expected}, and the key given is {given}. Give the right one")]
    Wrong {
        /// The key that the data needs.
        expected: KeyId,
        /// The key that was given.
        given: KeyId,
    },
    /// The folder's file `keys` is not what was written.
    #[error(
        "the file `keys` is damaged: {reason}. Put a copy of it in its place: without it the data can't be read"
    )]
    Damaged {
        /// What is wrong with it.
        reason: String,
    },
    /// The data is encrypted, but the file that says how is gone.
    #[error(
        "{file} is encrypted, but the file `keys` is gone from the folder. Put a copy of it in its place: without it \
         the data can't be read"
    )]
    KeysGone {
        /// An encrypted file.
        file: String,
    },
    /// What was given is no key.
    #[error(
        "a key is 32 bytes, as they are, as 64 hexadecimal digits or in base64; {found}. `singlet new-key FILE` makes \
         one"
    )]
    Malformed {
        /// What was found instead.
        found: String,
    },
    /// A key can't be read or made.
    #[error("{0}")]
    Unreadable(String),
}

impl Key {
    /// A key of these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A new key of random bytes.
    pub fn generate() -> Result<Self, KeyError> {
        random().map(Self).map_err(|error| KeyError::Unreadable(error.to_string()))
    }

    /// Reads a key: 32 bytes as they are, 64 hexadecimal digits, or base64. White space around text doesn't matter.
    pub fn parse(given: &[u8]) -> Result<Self, KeyError> {
        if let Ok(bytes) = given.try_into() {
            return Ok(Self(bytes));
        }
        let text = given.trim_ascii();
        let decoded = match text.len() {
            64 => from_hex(text),
            43 | 44 => from_base64(text),
            _ => None,
        };
        let bytes = decoded.and_then(|bytes| <[u8; KEY_BYTES]>::try_from(bytes.as_slice()).ok());
        let found = || match text.len() {
            43 | 44 | 64 => format!("these {} characters are neither", text.len()),
            length => format!("here are {length} bytes"),
        };
        bytes.map(Self).ok_or_else(|| KeyError::Malformed { found: found() })
    }

    /// Reads the key in a file.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, KeyError> {
        let path = path.as_ref();
        let unreadable =
            |error| KeyError::Unreadable(format!("can't read the key in {}: {error}", path.display()));
        let given = Zeroizing::new(std::fs::read(path).map_err(unreadable)?);
        Self::parse(&given)
    }

    /// Reads the key in the variable `SINGLET_KEY`, if it is set; `variable` looks a variable up.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, KeyError> {
        let given = variable(VARIABLE).map(Zeroizing::new).filter(|text| !text.trim().is_empty());
        given.map(|text| Self::parse(text.as_bytes())).transpose()
    }

    /// The key as 64 hexadecimal digits: what a key file holds.
    pub fn to_hex(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(2 * KEY_BYTES));
        for byte in self.0 {
            text.extend(
                [byte >> 4, byte & 15].iter().filter_map(|digit| char::from_digit((*digit).into(), 16)),
            );
        }
        text
    }

    /// What tells this key apart from others.
    pub fn id(&self) -> KeyId {
        let derived = derive(&self.0, "singlet key id");
        let mut id = [0; 16];
        id.iter_mut().zip(derived.iter()).for_each(|(to, from)| *to = *from);
        KeyId(id)
    }

    /// The key that wraps data keys.
    pub(super) fn wrapping(&self) -> Zeroizing<[u8; KEY_BYTES]> {
        derive(&self.0, "singlet wrap")
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Key({})", self.id())
    }
}

/// As a UUID is written.
impl fmt::Display for KeyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, byte) in self.0.iter().enumerate() {
            if matches!(place, 4 | 6 | 8 | 10) {
                formatter.write_str("-")?;
            }
            write!(formatter, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

fn from_hex(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = Zeroizing::new(Vec::with_capacity(KEY_BYTES));
    for pair in text.chunks_exact(2) {
        let [high, low] = pair else { return None };
        bytes.push(digit(high)? << 4 | digit(low)?);
    }
    Some(bytes)
}

fn from_base64(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let forms = [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD];
    forms.iter().find_map(|form| form.decode(text).ok()).map(Zeroizing::new)
}
