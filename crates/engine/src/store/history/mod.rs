//! Recorded changes, read from the log and from history files.
//!
//! A segment of the log that is folded into the tree is no longer needed to recover the store. But readers may want
//! its recorded changes for days. So these changes are copied into a history file, sorted by group, and the segment
//! is reused. Entries that no reader wants take no space after the fold.
//!
//! A key's group is its first four bytes, as a number. `docs/format.md`, section "History files", describes the bytes.

mod archive;
mod block;
mod changes;
mod file;

pub(super) use archive::Archive;
use bytes::Bytes;
pub(super) use changes::ChangeSource;
pub use changes::{Changes, ChangesBack};

/// A position in the log: a commit, and the number of its recorded changes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// The commit's sequence number.
    pub sequence: u64,
    /// The index among the commit's recorded changes, from 0.
    pub place: u32,
}

impl Position {
    /// Returns the last position of a commit. The next commit follows it.
    pub fn end_of(sequence: u64) -> Self {
        Self { sequence, place: u32::MAX }
    }
}

/// The latest recorded change of a group in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latest {
    /// The commit's sequence number.
    pub sequence: u64,
    /// The commit's time.
    pub time_ms: u64,
}

/// One recorded change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    /// Its position in the log.
    pub position: Position,
    /// The time of its commit.
    pub time_ms: u64,
    /// The mark of its commit.
    pub mark: u32,
    /// The key that was changed.
    pub key: Bytes,
    /// The value before the commit.
    pub before: Option<Bytes>,
    /// The value after it.
    pub after: Option<Bytes>,
}

impl Logged {
    fn group(&self) -> u32 {
        group_of(&self.key)
    }
}

/// Returns the group of a key. Shorter keys are in group 0, which readers of the log don't ask for.
fn group_of(key: &[u8]) -> u32 {
    key.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}
