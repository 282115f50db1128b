//! What a verification can find, as types; the texts say file, place, table and key.

use std::fmt;

use crate::store::{Loss, StoreChecked, StoreError, Tally};

/// More findings than this are counted, not kept: one cause often has thousands of them.
const FINDINGS_MAX: usize = 1_000;

/// What a verification found.
#[derive(Debug, Default)]
pub struct Verification {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// How many more findings there were than are kept.
    pub findings_left_off: u64,
    /// What is worth saying though nothing is wrong.
    pub notes: Vec<String>,
    /// What was checked.
    pub counts: VerifiedCounts,
}

/// What was checked.
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
    /// Times at which items expire.
    pub expiries: u64,
    /// Idempotency tokens.
    pub tokens: u64,
    /// Changes in files of the past.
    pub past_changes: u64,
    /// Backups, each read to its end.
    pub backups: u64,
    /// Files of the past and of backups.
    pub files: u64,
    /// Bytes in them.
    pub file_bytes: u64,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Finding {
    /// A file is not what was written.
    #[error("{file}, offset {offset}: {reason}")]
    File {
        /// The file.
        file: String,
        /// Where in it.
        offset: u64,
        /// What is wrong there.
        reason: String,
    },
    /// Something that was durable is missing.
    #[error("{0}")]
    Lost(Loss),
    /// Something can't be read.
    #[error("{0}")]
    Unreadable(String),
    /// A table's descriptor is wrong.
    #[error("descriptor of table {name}: {reason}")]
    Descriptor {
        /// The table's name.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// A row of a table or an index is wrong.
    #[error("{place}, key {key}: {problem}")]
    Row {
        /// The table, and the index if it is one.
        place: Place,
        /// The key.
        key: String,
        /// What is wrong with it.
        problem: RowProblem,
    },
    /// The stored count or size of a table or index is not what is there.
    #[error(
        "{place}: {} rows and {} bytes are counted, but there are {} rows and {} bytes",
        stored.count, stored.bytes, found.count, found.bytes
    )]
    Count {
        /// The table, and the index if it is one.
        place: Place,
        /// What is stored.
        stored: Tally,
        /// What is there.
        found: Tally,
    },
    /// The stored size of an item collection is not what is there.
    #[error(
        "table {table}, item collection {key}: its size is stored as {stored} bytes, but there are {found}"
    )]
    Collection {
        /// The table.
        table: String,
        /// The partition key.
        key: String,
        /// What is stored.
        stored: i64,
        /// What is there.
        found: i64,
    },
    /// A token and its end don't agree.
    #[error("idempotency token {token}: {reason}")]
    Token {
        /// The token.
        token: String,
        /// What is wrong.
        reason: String,
    },
    /// A backup can't be restored.
    #[error("backup {id}: {reason}")]
    Backup {
        /// Its id.
        id: String,
        /// What is wrong.
        reason: String,
    },
    /// Rows that belong to no table.
    #[error("table number {table}, space {space}: {rows} rows that belong to nothing")]
    Orphans {
        /// The table's number.
        table: u32,
        /// The space's number in it.
        space: u16,
        /// How many.
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

/// What is wrong with a row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowProblem {
    /// Its bytes are no item.
    #[error("its bytes are no item ({0})")]
    NoItem(String),
    /// It lies under a key that is not its own.
    #[error("it lies under another key than its attributes give, {expected}")]
    Misplaced {
        /// The row key that it should have.
        expected: String,
    },
    /// An index lacks it.
    #[error("it has no entry in index {index}")]
    MissingEntry {
        /// The index.
        index: String,
    },
    /// An index has something else for it.
    #[error("its entry in index {index} has other attributes than the item")]
    DifferentEntry {
        /// The index.
        index: String,
    },
    /// The time at which it expires is not entered.
    #[error("it expires at second {second}, which is not entered")]
    MissingExpiry {
        /// The second.
        second: u64,
    },
    /// A time of expiry that is no item's.
    #[error("a time of expiry is entered that no item has")]
    StaleExpiry,
    /// An index entry without its item.
    #[error("the item of this entry isn't there")]
    NoSuchItem,
    /// An index entry whose item gives another one, or none.
    #[error("the item of this entry has another index key, or none")]
    StaleEntry,
    /// An index entry for an item that the index has not come to.
    #[error("the index is being filled and has not come to the item of this entry")]
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

/// Takes findings as they come.
#[derive(Default)]
pub(crate) struct Reporter {
    found: Verification,
    /// What was checked so far.
    pub(crate) counts: VerifiedCounts,
}

impl Reporter {
    /// Something is wrong.
    pub(crate) fn found(&mut self, finding: Finding) {
        if self.found.findings.len() < FINDINGS_MAX {
            self.found.findings.push(finding);
        } else {
            self.found.findings_left_off += 1;
        }
    }

    /// Something can't be read. Who meets the same damage again says nothing new.
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
