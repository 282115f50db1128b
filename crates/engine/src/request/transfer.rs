//! Requests about exports and imports.

use super::{CreateTable, TableDescription};

/// A place in a bucket. What a bucket is, the database's [`Buckets`](crate::Buckets) know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BucketPlace {
    /// The bucket's name.
    pub bucket: String,
    /// The account that the caller says it belongs to; repeated in descriptions.
    pub owner: Option<String>,
    /// What the keys in it begin with.
    pub prefix: Option<String>,
}

impl BucketPlace {
    /// All of a bucket.
    pub fn new(bucket: impl Into<String>) -> Self {
        BucketPlace { bucket: bucket.into(), owner: None, prefix: None }
    }

    /// Under a prefix.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }
}

/// Makes a request that is sent again have the effect of one. It holds for 8 hours after the work has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientToken {
    /// The caller's text.
    pub text: String,
    /// A hash of the rest of the request: the same token with another one is refused.
    pub fingerprint: u128,
}

/// Writes a table, or what changed in it, into a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportTable {
    /// Table name.
    pub table: String,
    /// What is written.
    pub kind: ExportKind,
    /// Where to.
    pub destination: BucketPlace,
    /// The encryption of the bucket that the caller asked for; repeated in descriptions, done by whoever keeps the bucket.
    pub encryption: Option<String>,
    /// Makes a repeated request harmless.
    pub token: Option<ClientToken>,
    /// Whether the table must have point-in-time recovery on even if its present state is exported, as in DynamoDB.
    pub recovery_required: bool,
}

impl ExportTable {
    /// The table as it is now.
    pub fn new(table: impl Into<String>, destination: BucketPlace) -> Self {
        ExportTable {
            table: table.into(),
            kind: ExportKind::Full { time_ms: None },
            destination,
            encryption: None,
            token: None,
            recovery_required: false,
        }
    }

    /// The table as it was at a moment, in milliseconds since 1970.
    pub fn at_ms(mut self, time_ms: u64) -> Self {
        self.kind = ExportKind::Full { time_ms: Some(time_ms) };
        self
    }

    /// What changed after one moment up to another.
    pub fn changes(mut self, from_ms: u64, to_ms: Option<u64>, view: ExportView) -> Self {
        self.kind = ExportKind::Incremental { from_ms, to_ms, view };
        self
    }
}

/// What an export writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportKind {
    /// All items at a moment; `None` is now.
    Full {
        /// The moment, in milliseconds since 1970: everything that was committed until then.
        time_ms: Option<u64>,
    },
    /// The items that were changed after one moment up to another.
    Incremental {
        /// The moment after which.
        from_ms: u64,
        /// The moment up to which; `None` is now.
        to_ms: Option<u64>,
        /// What is written of each.
        view: ExportView,
    },
}

/// What an incremental export writes of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportView {
    /// Its key, and the item as it was in the end.
    NewImage,
    /// Also the item as it was in the beginning.
    NewAndOldImages,
}

/// Where an export or import is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferStatus {
    /// Under way.
    InProgress,
    /// All is written.
    Completed,
    /// It ended early; the description says why.
    Failed,
}

/// Why an export or import failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TransferFailure {
    /// A word for programs, such as `S3NoSuchBucket`.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}

impl TransferFailure {
    /// A failure with its code.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        TransferFailure { code: code.into(), message: message.into() }
    }
}

/// An export as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportDescription {
    /// Resource name.
    pub arn: String,
    /// Its id, the last part of the resource name.
    pub id: String,
    /// Status.
    pub status: TransferStatus,
    /// When it began, in milliseconds since 1970.
    pub started_ms: u64,
    /// When it ended.
    pub ended_ms: Option<u64>,
    /// The table.
    pub table_arn: String,
    /// The identity of the table's incarnation.
    pub table_id: String,
    /// The names of the table's key attributes.
    pub key_attributes: Vec<String>,
    /// What is written; its moments are set.
    pub kind: ExportKind,
    /// Where to.
    pub destination: BucketPlace,
    /// The encryption of the bucket that the caller asked for.
    pub encryption: Option<String>,
    /// The caller's token.
    pub token: Option<String>,
    /// What was written, if all was.
    pub written: Option<ExportWritten>,
    /// Why it failed.
    pub failure: Option<TransferFailure>,
}

/// What an export wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExportWritten {
    /// The key of the manifest in the bucket.
    pub manifest: String,
    /// Items.
    pub items: u64,
    /// Their size, as DynamoDB counts it.
    pub size_bytes: u64,
}

/// Makes a new table of the objects in a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportTable {
    /// The new table.
    pub definition: CreateTable,
    /// The objects.
    pub source: BucketPlace,
    /// What is in them.
    pub format: ImportFormat,
    /// How they are compressed.
    pub compression: ImportCompression,
    /// Makes a repeated request harmless.
    pub token: Option<ClientToken>,
}

/// What is in the objects of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportFormat {
    /// An item in DynamoDB's JSON on each line.
    DynamoDbJson,
    /// Comma-separated values.
    Csv {
        /// What separates them, if it is no comma.
        delimiter: Option<u8>,
        /// The names of the columns; without them, each object's first line has them.
        header: Option<Vec<String>>,
    },
}

/// How the objects of an import are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImportCompression {
    /// Not at all.
    #[default]
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportCounts {
    /// Bytes read, after decompression.
    pub processed_bytes: u64,
    /// Items read, the wrong ones included.
    pub processed_items: u64,
    /// Items written.
    pub imported_items: u64,
    /// Items that are wrong.
    pub errors: u64,
}

/// An import as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportDescription {
    /// Resource name.
    pub arn: String,
    /// Its id, the last part of the resource name.
    pub id: String,
    /// Status.
    pub status: TransferStatus,
    /// When it began, in milliseconds since 1970.
    pub started_ms: u64,
    /// When it ended.
    pub ended_ms: Option<u64>,
    /// The table as it was made.
    pub table: TableDescription,
    /// The objects.
    pub source: BucketPlace,
    /// What is in them.
    pub format: ImportFormat,
    /// How they are compressed.
    pub compression: ImportCompression,
    /// The caller's token.
    pub token: Option<String>,
    /// How far it is, or was.
    pub counts: ImportCounts,
    /// Why it failed.
    pub failure: Option<TransferFailure>,
}

/// Lists exports or imports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListTransfers {
    /// Only those of the table with this ARN.
    pub table_arn: Option<String>,
    /// Start after the one with this ARN or id, whether or not it exists.
    pub start_after: Option<String>,
    /// At most this many (1 to 25; 25 if not given).
    pub limit: Option<usize>,
}

/// A page of exports or imports.
#[derive(Debug, Clone, PartialEq)]
pub struct ListTransfersOutcome<T> {
    /// They.
    pub transfers: Vec<T>,
    /// Where the next page starts, if there is one.
    pub last: Option<String>,
}

/// How far an export is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExportProgress {
    /// Items written.
    pub items: u64,
    /// Items that the table has now, which is about how many there will be; an incremental export doesn't know.
    pub items_total: Option<u64>,
}

/// How far an import is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportProgress {
    /// What was read and written.
    pub counts: ImportCounts,
    /// Bytes of the objects that were read, as they are stored.
    pub stored_bytes: u64,
    /// Bytes of all objects.
    pub stored_bytes_total: u64,
    /// The item that was just left out, one of the first 20: its object and line, and the reason.
    pub wrong: Option<String>,
}
