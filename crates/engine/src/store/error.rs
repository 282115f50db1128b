//! Errors of the store, by what the caller can do about them.

use std::io;
use std::sync::Arc;

use super::KeyError;
use super::reach::Loss;

/// Opening or reading failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A disk operation failed.
    #[error("{action} {file}: {source}")]
    Io {
        /// The operation.
        action: &'static str,
        /// The file.
        file: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Stored bytes are damaged. Restore from a backup. Nothing was skipped silently.
    #[error("{file} is damaged at offset {offset}: {reason}")]
    Corrupt {
        /// The damaged file.
        file: String,
        /// The offset in the file.
        offset: u64,
        /// The reason.
        reason: String,
    },
    /// Durable data is missing. [`accept_loss`](super::StoreOptions::accept_loss) opens the rest.
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
        /// The folder.
        folder: String,
    },
    /// The folder can't be written.
    #[error(
        "{folder} can't be written ({source}). Opening a database writes to its folder, even if it is only read. \
         Copy the folder to a place where you can write, and open the copy; `singlet verify` checks the folder as it is"
    )]
    ReadOnly {
        /// The folder.
        folder: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file was deleted or replaced while the store was open. Later writes to it are lost.
    #[error("the file `{file}` was deleted or replaced while the database had it open")]
    Replaced {
        /// The file.
        file: String,
    },
    /// The key is wrong, missing or unexpected.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The tree file could not be read or written.
    #[error("the tree: {0}")]
    Tree(#[source] Box<redb::Error>),
}

impl StoreError {
    /// For `map_err`: adds the file and the operation.
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

    /// Converts any error type of the tree library.
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

/// Damaged bytes. Files that check what they read wrap it in an I/O error, so that it can be distinguished from a
/// failing disk.
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

/// Extracts damage that a file reported as an I/O error.
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
    /// An earlier write, sync or fold failed. Nothing more is written until the store is opened again. Reads
    /// continue.
    #[error("the store takes no more writes: {0}")]
    Poisoned(Arc<str>),
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
    /// The disk is nearly full, and the rest is reserved for folding and deletions. Nothing was applied: free some
    /// space and try again.
    #[error(
        "the disk with the data is nearly full: {} MB are free, and {} MB are kept so that reads and deletions go on. \
         Delete items, tables or backups, or give the disk more room; --disk-reserve sets what is kept",
        free_bytes >> 20, reserve_bytes.div_ceil(1 << 20)
    )]
    NoRoom {
        /// The free bytes on the disk.
        free_bytes: u64,
        /// The reserved bytes.
        reserve_bytes: u64,
    },
    /// The disk is so full that deleted items can't be kept for streams and recovery. Nothing was applied: free some
    /// space and try again.
    #[error(
        "the disk with the data is nearly full: {} MB are free. What is deleted from this table is kept for its stream \
         or its recovery, and that needs {} MB free. Delete backups or items of other tables, turn stream and recovery \
         of this table off, or give the disk more room; --disk-reserve sets what is kept",
        free_bytes >> 20, needed_bytes.div_ceil(1 << 20)
    )]
    NoRoomForPast {
        /// The free bytes on the disk.
        free_bytes: u64,
        /// The required free bytes.
        needed_bytes: u64,
    },
    /// The job's changes don't fit in a log frame. Nothing was applied.
    #[error("a commit of {bytes} bytes exceeds the limit of {max}")]
    TooLarge {
        /// The size of the frame.
        bytes: usize,
        /// The limit.
        max: usize,
    },
}

/// Why `try_submit` refused a job.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrySubmitError<J> {
    /// The queue is full. The job is returned.
    #[error("the queue is full")]
    Full(J),
    /// The store doesn't accept writes.
    #[error(transparent)]
    Refused(#[from] CommitError),
}
