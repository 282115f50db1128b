//! Why derived data can't be kept up to date.

use singlet_store::StoreError;
use singlet_values::{Corrupt, NumberError};

/// Why a worker or an audit failed; the variant says what to do next.
#[derive(Debug, thiserror::Error)]
pub enum DeriveError {
    /// The store failed. [`StoreError`] says whether another attempt helps.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A sum has more than 38 digits.
    #[error("a derived number is too large: {0}")]
    Number(#[from] NumberError),
    /// An item can't be read.
    #[error("an item can't be read: {0}")]
    Corrupt(String),
    /// The worker's thread can't be started.
    #[error("the thread for derived data can't be started: {0}")]
    Thread(String),
    /// The files of an archive can't be read or written. Nothing is forgotten: the same items are tried again.
    #[error("the archive can't be written: {0}")]
    Archive(String),
    /// There is no derived field of this name in the design.
    #[error("the design has no derived field `{name}`{}", .nearest.as_ref().map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default())]
    NoRule {
        /// The name.
        name: String,
        /// The nearest name that exists.
        nearest: Option<String>,
    },
}

impl DeriveError {
    pub(crate) fn corrupt(reason: Corrupt) -> Self {
        DeriveError::Corrupt(reason.to_string())
    }

    /// Whether the same may succeed later, without anybody's help.
    pub fn is_passing(&self) -> bool {
        matches!(self, DeriveError::Store(StoreError::TryAgain(_)))
    }
}
