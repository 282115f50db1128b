//! What was changed and when: recorded changes, read back from the log and from what is kept of it.
//!
//! A segment of the log that is folded into the tree is no longer needed to recover the store, but readers of the log may
//! want its recorded changes for days. It is then rewritten into a file of the past, which holds these changes only, put
//! together by group, and is used again. So entries that no reader wants take no room beyond the fold.
//!
//! A key's group is its first four bytes, as a number. The bytes on disk are in `docs/format.md`, section "Past".

mod archive;
mod block;
mod changes;
mod file;

pub(super) use archive::Archive;
use bytes::Bytes;
pub(super) use changes::ChangeSource;
pub use changes::{Changes, ChangesBack};

/// A place in the log: a commit, and how many recorded changes of it come before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// The commit's sequence number.
    pub sequence: u64,
    /// The place among the commit's recorded changes, from 0.
    pub place: u32,
}

impl Position {
    /// The last place that a commit can have: after it comes the next commit.
    pub fn end_of(sequence: u64) -> Self {
        Self { sequence, place: u32::MAX }
    }
}

/// The latest recorded change of a group, somewhere.
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
    /// Where it is in the log.
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

/// The group of a key. A shorter key is in group 0, which readers of the log don't ask for.
fn group_of(key: &[u8]) -> u32 {
    key.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}
