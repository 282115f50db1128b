//! Requests about exports and imports.

use super::{CreateTable, TableDescription};

/// A location in a bucket. The database's [`Buckets`](crate::Buckets) define what a bucket is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BucketPlace {
    /// The bucket's name.
    pub bucket: String,
    /// The account that owns the bucket, according to the caller. Descriptions repeat it.
    pub owner: Option<String>,
    /// The prefix of the keys.
    pub prefix: Option<String>,
}

impl BucketPlace {
    /// The whole bucket.
    pub fn new(bucket: impl Into<String>) -> Self {
        BucketPlace { bucket: bucket.into(), owner: None, prefix: None }
    }

    /// Under a prefix.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }
}

/// Makes a repeated request harmless. It is valid until 8 hours after the work has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientToken {
    /// The caller's text.
    pub text: String,
    /// A hash of the rest of the request. The same token with another hash is refused.
    pub fingerprint: u128,
}

/// Exports a table, or its changes, to a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportTable {
    /// Table name.
    pub table: String,
    /// The items to export.
    pub kind: ExportKind,
    /// The target.
    pub destination: BucketPlace,
    /// The encryption that the caller asked for. Descriptions repeat it, and the bucket's owner applies it.
    pub encryption: Option<String>,
    /// Makes a repeated request harmless.
    pub token: Option<ClientToken>,
    /// Whether the table must have point-in-time recovery on even for an export of the present state, as in DynamoDB.
    pub recovery_required: bool,
}

impl ExportTable {
    /// Exports the present state of a table.
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

    /// Exports the state at a moment, in milliseconds since 1970.
    pub fn at_ms(mut self, time_ms: u64) -> Self {
        self.kind = ExportKind::Full { time_ms: Some(time_ms) };
        self
    }

    /// Exports the changes after one moment and up to another.
    pub fn changes(mut self, from_ms: u64, to_ms: Option<u64>, view: ExportView) -> Self {
        self.kind = ExportKind::Incremental { from_ms, to_ms, view };
        self
    }
}

/// The items of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportKind {
    /// All items at a moment; `None` means now.
    Full {
        /// The moment, in milliseconds since 1970, including everything that was committed until then.
        time_ms: Option<u64>,
    },
    /// The items that changed after one moment and up to another.
    Incremental {
        /// The beginning, exclusive.
        from_ms: u64,
        /// The end, inclusive; `None` means now.
        to_ms: Option<u64>,
        /// The images of each item.
        view: ExportView,
    },
}

/// The images of an item in an incremental export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportView {
    /// The key, and the item at the end.
    NewImage,
    /// The same, and the item at the beginning.
    NewAndOldImages,
}

/// The status of an export or import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferStatus {
    /// It is running.
    InProgress,
    /// It is complete.
    Completed,
    /// It failed. The description has the reason.
    Failed,
}

/// Why an export or import failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TransferFailure {
    /// A code for programs, such as `S3NoSuchBucket`.
    pub code: String,
    /// A message for people.
    pub message: String,
}

impl TransferFailure {
    /// Creates a failure.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        TransferFailure { code: code.into(), message: message.into() }
    }
}

/// A description of an export.
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
    /// The id of the table.
    pub table_id: String,
    /// The names of the table's key attributes.
    pub key_attributes: Vec<String>,
    /// The exported items, with all moments set.
    pub kind: ExportKind,
    /// The target.
    pub destination: BucketPlace,
    /// The encryption that the caller asked for.
    pub encryption: Option<String>,
    /// The caller's token.
    pub token: Option<String>,
    /// The result, if it is complete.
    pub written: Option<ExportWritten>,
    /// Why it failed.
    pub failure: Option<TransferFailure>,
}

/// The result of an export.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExportWritten {
    /// The key of the manifest in the bucket.
    pub manifest: String,
    /// Items.
    pub items: u64,
    /// Their size, as DynamoDB counts it.
    pub size_bytes: u64,
}

/// Creates a table from the objects in a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportTable {
    /// The new table.
    pub definition: CreateTable,
    /// The objects.
    pub source: BucketPlace,
    /// The format of the objects.
    pub format: ImportFormat,
    /// The compression of the objects.
    pub compression: ImportCompression,
    /// Makes a repeated request harmless.
    pub token: Option<ClientToken>,
}

/// The format of the objects of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportFormat {
    /// One item per line, in DynamoDB's JSON.
    DynamoDbJson,
    /// Comma-separated values.
    Csv {
        /// The delimiter, if it isn't a comma.
        delimiter: Option<u8>,
        /// The names of the columns. `None` takes them from the first line of each object.
        header: Option<Vec<String>>,
    },
}

/// The compression of the objects of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImportCompression {
    /// None.
    #[default]
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// The counts of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportCounts {
    /// Bytes read, after decompression.
    pub processed_bytes: u64,
    /// Items read, including invalid ones.
    pub processed_items: u64,
    /// Items written.
    pub imported_items: u64,
    /// Invalid items.
    pub errors: u64,
}

/// A description of an import.
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
    /// The new table.
    pub table: TableDescription,
    /// The objects.
    pub source: BucketPlace,
    /// The format of the objects.
    pub format: ImportFormat,
    /// The compression of the objects.
    pub compression: ImportCompression,
    /// The caller's token.
    pub token: Option<String>,
    /// The counts so far, or at the end.
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
    /// The exports or imports.
    pub transfers: Vec<T>,
    /// Where the next page starts, if there is one.
    pub last: Option<String>,
}

/// The progress of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExportProgress {
    /// Items written.
    pub items: u64,
    /// The present number of items in the table, as an estimate of the total. `None` for an incremental export.
    pub items_total: Option<u64>,
}

/// The progress of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportProgress {
    /// The counts of items and bytes.
    pub counts: ImportCounts,
    /// Stored bytes of the objects that were read.
    pub stored_bytes: u64,
    /// Bytes of all objects.
    pub stored_bytes_total: u64,
    /// The item that was just skipped, one of the first 20: its object and line, and the reason.
    pub wrong: Option<String>,
}
