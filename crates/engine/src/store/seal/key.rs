//! The outer key, which the user keeps, and the errors about it.

use std::fmt;
use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use singlet_cipher::{KEY_BYTES, derive};
use zeroize::{Zeroize, Zeroizing};

use crate::entropy::random;

/// The variable that may hold a key instead of a file.
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

/// The longest key file that is read: a key in text, and room for spaces around it.
const FILE_BYTES_MAX: usize = 4 << 10;

/// Identifies the key without revealing anything about it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId(pub(super) [u8; 16]);

/// Why a folder can't be opened with the given key, or without one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The folder is encrypted: give its key.
    #[error(
        "the data is encrypted (key {id}) and no key was given. Give it with --key-file FILE or in SINGLET_KEY"
    )]
    Missing {
        /// The id of its key.
        id: KeyId,
    },
    /// The folder isn't encrypted: omit the key, or copy the data into an encrypted folder.
    #[error(
        "a key was given, but the data is not encrypted. Omit the key; or, to encrypt the data, create an empty \
         folder with the key and copy everything with export and import, or with backup and restore \
         (docs/encryption.md)"
    )]
    NotEncrypted,
    /// Another key is needed.
    #[error("the data is encrypted with key {expected}, and the key given is {given}. Give the right one")]
    Wrong {
        /// The id of the right key.
        expected: KeyId,
        /// The id of the given key.
        given: KeyId,
    },
    /// The folder's file `keys` is damaged.
    #[error(
        "the file `keys` is damaged: {reason}. Restore it from a copy: without it the data can't be read"
    )]
    Damaged {
        /// The reason.
        reason: String,
    },
    /// The data is encrypted, but the file `keys` is missing.
    #[error(
        "{file} is encrypted, but the file `keys` is missing from the folder. Restore it from a copy: without it \
         the data can't be read"
    )]
    KeysGone {
        /// An encrypted file.
        file: String,
    },
    /// The input isn't a key.
    #[error(
        "a key is 32 bytes, as they are, as 64 hexadecimal digits or in base64; {found}. `singlet new-key FILE` makes \
         one"
    )]
    Malformed {
        /// A description of the input.
        found: String,
    },
    /// A key can't be read or created.
    #[error("{0}")]
    Unreadable(String),
}

impl Key {
    /// Creates a key from these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Creates a random key.
    pub fn generate() -> Result<Self, KeyError> {
        random().map(Self).map_err(|error| KeyError::Unreadable(error.to_string()))
    }

    /// Parses a key: 32 raw bytes, 64 hexadecimal digits, or base64. White space around text is ignored.
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
            length => format!("the input has {length} bytes"),
        };
        bytes.map(Self).ok_or_else(|| KeyError::Malformed { found: found() })
    }

    /// Reads the key from a file.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, KeyError> {
        let path = path.as_ref();
        let unreadable =
            |error| KeyError::Unreadable(format!("can't read the key in {}: {error}", path.display()));
        let mut given = Zeroizing::new(Vec::with_capacity(FILE_BYTES_MAX));
        // A longer file is read far enough to be refused.
        let file = std::fs::File::open(path).map_err(unreadable)?;
        file.take(FILE_BYTES_MAX as u64).read_to_end(&mut given).map_err(unreadable)?;
        Self::parse(&given)
    }

    /// Reads the key from the variable `SINGLET_KEY`, if it is set. `variable` looks up a variable.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, KeyError> {
        let given = variable(VARIABLE).map(Zeroizing::new).filter(|text| !text.trim().is_empty());
        given.map(|text| Self::parse(text.as_bytes())).transpose()
    }

    /// Returns the key as 64 hexadecimal digits, the content of a key file.
    pub fn to_hex(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(2 * KEY_BYTES));
        for byte in self.0 {
            text.extend(
                [byte >> 4, byte & 15].iter().filter_map(|digit| char::from_digit((*digit).into(), 16)),
            );
        }
        text
    }

    /// Returns the id of the key.
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

/// In the form of a UUID.
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
