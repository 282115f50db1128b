//! The findings of a verification, as types. Their texts name file, position, table and key.

use std::fmt;

use crate::store::{Loss, StoreChecked, StoreError, Tally};

/// The most findings that are kept. More are only counted, because one cause often has thousands.
const FINDINGS_MAX: usize = 1_000;

/// The result of a verification.
#[derive(Debug, Default)]
pub struct Verification {
    /// The findings.
    pub findings: Vec<Finding>,
    /// The number of further findings.
    pub findings_left_off: u64,
    /// Remarks that aren't errors.
    pub notes: Vec<String>,
    /// The checked objects.
    pub counts: VerifiedCounts,
}

/// The numbers of checked objects.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct VerifiedCounts {
    /// Segments of the log.
    pub segments: u64,
    /// Commits in them.
    pub commits: u64,
    /// Bytes of the tree.
    pub tree_bytes: u64,
    /// Tables.
    pub tables: u64,
    /// Items, each against its key and all indexes.
    pub items: u64,
    /// Index entries, each against its item.
    pub index_entries: u64,
    /// Item collections, each against its items.
    pub item_collections: u64,
    /// Expiry times.
    pub expiries: u64,
    /// Idempotency tokens.
    pub tokens: u64,
    /// Changes in history files.
    pub past_changes: u64,
    /// Backups, each read completely.
    pub backups: u64,
    /// History files and backup files.
    pub files: u64,
    /// Bytes in them.
    pub file_bytes: u64,
}

/// One error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Finding {
    /// A file is damaged.
    #[error("{file}, offset {offset}: {reason}")]
    File {
        /// The file.
        file: String,
        /// The offset in the file.
        offset: u64,
        /// The reason.
        reason: String,
    },
    /// Durable data is missing.
    #[error("{0}")]
    Lost(Loss),
    /// Something can't be read.
    #[error("{0}")]
    Unreadable(String),
    /// A table's descriptor is invalid.
    #[error("descriptor of table {name}: {reason}")]
    Descriptor {
        /// The table's name.
        name: String,
        /// The reason.
        reason: String,
    },
    /// A row of a table or an index is invalid.
    #[error("{place}, key {key}: {problem}")]
    Row {
        /// The table or index.
        place: Place,
        /// The key.
        key: String,
        /// The problem.
        problem: RowProblem,
    },
    /// The stored count or size of a table or index is wrong.
    #[error(
        "{place}: {} rows and {} bytes are counted, but there are {} rows and {} bytes",
        stored.count, stored.bytes, found.count, found.bytes
    )]
    Count {
        /// The table or index.
        place: Place,
        /// The stored value.
        stored: Tally,
        /// The actual value.
        found: Tally,
    },
    /// The stored size of an item collection is wrong.
    #[error(
        "table {table}, item collection {key}: its size is stored as {stored} bytes, but there are {found}"
    )]
    Collection {
        /// The table.
        table: String,
        /// The partition key.
        key: String,
        /// The stored value.
        stored: i64,
        /// The actual value.
        found: i64,
    },
    /// A token and its end don't match.
    #[error("idempotency token {token}: {reason}")]
    Token {
        /// The token.
        token: String,
        /// The reason.
        reason: String,
    },
    /// A backup can't be restored.
    #[error("backup {id}: {reason}")]
    Backup {
        /// Its id.
        id: String,
        /// The reason.
        reason: String,
    },
    /// Rows that belong to no table.
    #[error("table number {table}, space {space}: {rows} rows that belong to no table or index")]
    Orphans {
        /// The table's number.
        table: u32,
        /// The space's number in it.
        space: u16,
        /// The number of rows.
        rows: u64,
    },
}

/// A table, or an index of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The table's name.
    pub table: String,
    /// The index's name.
    pub index: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "table {}", self.table)?;
        self.index.iter().try_for_each(|index| write!(formatter, ", index {index}"))
    }
}

/// The problem of a row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowProblem {
    /// Its bytes aren't a valid item.
    #[error("its bytes aren't a valid item ({0})")]
    NoItem(String),
    /// Its key doesn't match its attributes.
    #[error("its key doesn't match its attributes, which give {expected}")]
    Misplaced {
        /// The row key that it should have.
        expected: String,
    },
    /// It is missing from an index.
    #[error("it has no entry in index {index}")]
    MissingEntry {
        /// The index.
        index: String,
    },
    /// Its index entry differs.
    #[error("its entry in index {index} doesn't have the item's attributes")]
    DifferentEntry {
        /// The index.
        index: String,
    },
    /// Its expiry time isn't recorded.
    #[error("its expiry time, second {second}, isn't recorded")]
    MissingExpiry {
        /// The second.
        second: u64,
    },
    /// An expiry time without its item.
    #[error("an expiry time is recorded that no item has")]
    StaleExpiry,
    /// An index entry without its item.
    #[error("the item of this entry is missing")]
    NoSuchItem,
    /// An index entry whose item belongs elsewhere in the index, or nowhere.
    #[error("the item of this entry has another index key or none")]
    StaleEntry,
    /// An index entry for an item that the backfill hasn't reached.
    #[error("the index is being filled and hasn't reached the item of this entry")]
    EarlyEntry,
}

impl Finding {
    pub(super) fn token(token: &[u8], reason: &str) -> Self {
        Finding::Token { token: String::from_utf8_lossy(token).into_owned(), reason: reason.to_owned() }
    }
}

impl From<StoreError> for Finding {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Corrupt { file, offset, reason } => Finding::File { file, offset, reason },
            StoreError::Loss(loss) => Finding::Lost(loss),
            other => Finding::Unreadable(other.to_string()),
        }
    }
}

/// Collects findings.
#[derive(Default)]
pub(crate) struct Reporter {
    found: Verification,
    /// The counts so far.
    pub(crate) counts: VerifiedCounts,
}

impl Reporter {
    /// Adds a finding.
    pub(crate) fn found(&mut self, finding: Finding) {
        if self.found.findings.len() < FINDINGS_MAX {
            self.found.findings.push(finding);
        } else {
            self.found.findings_left_off += 1;
        }
    }

    /// Adds an error. The same error isn't added twice.
    pub(crate) fn error(&mut self, error: StoreError) {
        let finding = Finding::from(error);
        if !self.found.findings.contains(&finding) {
            self.found(finding);
        }
    }

    pub(super) fn take_store(&mut self, checked: StoreChecked) {
        self.counts.segments = checked.segments;
        self.counts.commits = checked.frames;
        self.counts.tree_bytes = checked.tree_bytes;
        self.found.notes.extend(checked.notes);
        checked.errors.into_iter().for_each(|error| self.error(error));
    }

    pub(super) fn finish(self) -> Verification {
        Verification { counts: self.counts, ..self.found }
    }
}
