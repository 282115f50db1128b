//! What can go wrong, by what the caller can do about it.

use std::io;
use std::sync::Arc;

use super::KeyError;
use super::reach::Loss;

/// Opening or reading failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk refused an operation.
    #[error("{action} {file}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file it was tried on.
        file: String,
        /// What the disk said.
        source: io::Error,
    },
    /// Stored bytes are not what was written. Restore from a backup; nothing was skipped silently.
    #[error("{file} is damaged at offset {offset}: {reason}")]
    Corrupt {
        /// The damaged file.
        file: String,
        /// Where in it.
        offset: u64,
        /// What is wrong there.
        reason: String,
    },
    /// Something that was durable is missing. [`accept_loss`](super::StoreOptions::accept_loss) opens what is left.
    #[error(transparent)]
    Loss(#[from] Loss),
    /// The data was written by a newer program.
    #[error(
        "{file} has format version {found}, this program knows version {known}: a newer program wrote it, or it is damaged"
    )]
    UnknownVersion {
        /// The file with the unknown version.
        file: String,
        /// The version found.
        found: u64,
        /// The version that this program reads and writes.
        known: u64,
    },
    /// Another process has the folder open.
    #[error("{folder} is in use by another process")]
    Locked {
        /// The folder asked for.
        folder: String,
    },
    /// A file was deleted or replaced under the open store. What was written to it since is lost.
    #[error("the file `{file}` was deleted or replaced while the database had it open")]
    Replaced {
        /// The file.
        file: String,
    },
    /// The key that was given, or the lack of one.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The tree file could not be read or written.
    #[error("the tree: {0}")]
    Tree(#[source] Box<redb::Error>),
}

impl StoreError {
    /// For `map_err`: names the file and what was tried on it.
    pub(crate) fn io(action: &'static str, file: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let file = file.into();
        move |source| match damage_in(&source) {
            Some(damage) => damage.into(),
            None => Self::Io { action, file, source },
        }
    }

    /// Damage in `file` at `offset`.
    pub(super) fn corrupt(file: impl Into<String>, offset: u64, reason: impl Into<String>) -> Self {
        Self::Corrupt { file: file.into(), offset, reason: reason.into() }
    }

    /// An error of the tree library, whichever of its types it is.
    pub(super) fn tree(error: impl Into<redb::Error>) -> Self {
        let error = error.into();
        match &error {
            redb::Error::Io(source) => match damage_in(source) {
                Some(damage) => damage.into(),
                None => Self::Tree(Box::new(error)),
            },
            _ => Self::Tree(Box::new(error)),
        }
    }
}

/// Bytes that are not what was written. Files that check what they read make their errors of it, so that it can be told
/// apart from a disk that refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file} is damaged at offset {offset}: {reason}")]
pub(in crate::store) struct Damage {
    pub(in crate::store) file: String,
    pub(in crate::store) offset: u64,
    pub(in crate::store) reason: String,
}

impl Damage {
    pub(in crate::store) fn new(file: &str, offset: u64, reason: impl Into<String>) -> Self {
        Self { file: file.to_owned(), offset, reason: reason.into() }
    }
}

impl From<Damage> for io::Error {
    fn from(damage: Damage) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, damage)
    }
}

/// Damage that a file reported as an error of the disk.
pub(in crate::store) fn damage_in(error: &io::Error) -> Option<Damage> {
    error.get_ref()?.downcast_ref::<Damage>().cloned()
}

impl From<Damage> for StoreError {
    fn from(Damage { file, offset, reason }: Damage) -> Self {
        Self::Corrupt { file, offset, reason }
    }
}

/// A write was not made durable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// An earlier write, sync or fold failed. Nothing more is written until the store is opened again; reads go on.
    #[error("the store takes no more writes: {0}")]
    Poisoned(Arc<str>),
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
    /// The disk is nearly full, and what is left is kept for folding and deletions. Nothing was applied; make room and
    /// try again.
    #[error(
        "the disk with the data is nearly full: {} MB are free, and {} MB are kept so that reads and deletions go on. \
         Delete items, tables or backups, or give the disk more room; --disk-reserve sets what is kept",
        free_bytes >> 20, reserve_bytes.div_ceil(1 << 20)
    )]
    NoRoom {
        /// What the disk has free.
        free_bytes: u64,
        /// What is kept back.
        reserve_bytes: u64,
    },
    /// The disk is so full that what is deleted can't be kept for streams and recoveries. Nothing was applied; make room
    /// and try again.
    #[error(
        "the disk with the data is nearly full: {} MB are free. What is deleted from this table is kept for its stream \
         or its recovery, and that needs {} MB free. Delete backups or items of other tables, turn stream and recovery \
         of this table off, or give the disk more room; --disk-reserve sets what is kept",
        free_bytes >> 20, needed_bytes.div_ceil(1 << 20)
    )]
    NoRoomForPast {
        /// What the disk has free.
        free_bytes: u64,
        /// What it needs to have free.
        needed_bytes: u64,
    },
    /// The job's changes don't fit a log frame. Nothing of it was applied.
    #[error("a commit of {bytes} bytes passes the limit of {max}")]
    TooLarge {
        /// What the frame would take.
        bytes: usize,
        /// The most it may take.
        max: usize,
    },
}

/// A job was not taken by `try_submit`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrySubmitError<J> {
    /// The queue is full; here is the job back.
    #[error("the queue is full")]
    Full(J),
    /// The store takes no writes.
    #[error(transparent)]
    Refused(#[from] CommitError),
}
