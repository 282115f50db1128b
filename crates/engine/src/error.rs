//! Errors as types. The texts are DynamoDB's wherever DynamoDB has one.

mod cancellation;
mod schema;

use singlet_expr::ExprError;
use singlet_values::EncodedItem;

pub use self::cancellation::CancellationReason;
pub use self::schema::SchemaError;
use crate::moment::{RecoveryWindow, iso_time};

/// The result of an engine call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed. The variant tells the caller what to do next.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The request is wrong: change it.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The table does not exist (data operations).
    #[error("Requested resource not found")]
    TableNotFound,
    /// A named resource does not exist (operations on tables, indexes and tags).
    #[error("Requested resource not found: {0}")]
    ResourceNotFound(String),
    /// The table can't be changed in the state it is in.
    #[error("{0}")]
    ResourceInUse(InUse),
    /// Too many changes at once.
    #[error("{0}")]
    LimitExceeded(&'static str),
    /// The condition did not hold.
    #[error("The conditional request failed")]
    ConditionFailed {
        /// The existing item, if the request asked for it.
        item: Option<EncodedItem>,
    },
    /// The transaction was cancelled and changed nothing.
    #[error(
        "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]",
        reason_codes(reasons)
    )]
    TransactionCanceled {
        /// One for each action, in order.
        reasons: Vec<CancellationReason>,
    },
    /// A transaction is writing the item right now: try again.
    #[error("Transaction is ongoing for the item")]
    TransactionConflict,
    /// A transaction with this token is running: try again.
    #[error("Transaction with the given client request token is already in progress")]
    TransactionInProgress,
    /// The token was used for another request within the last ten minutes.
    #[error(
        "The provided client token for the transaction is already in use with different request parameters."
    )]
    TokenMismatch,
    /// The items under one partition key would exceed 10 GB in a table with local indexes.
    #[error("Collection size exceeded.")]
    CollectionTooLarge,
    /// The source table of a backup or restore does not exist.
    #[error("Table not found: {0}")]
    SourceTableNotFound(String),
    /// The target table of a restore exists already: choose another name.
    #[error("Table already exists: {0}")]
    TableAlreadyExists(String),
    /// The table is being created or deleted: try again.
    #[error("Table is being created or deleted: {0}")]
    TableInUse(String),
    /// There is no such backup.
    #[error("Backup not found: {0}")]
    BackupNotFound(String),
    /// The backup is being created, deleted or restored: try again.
    #[error("Backup is being created, deleted or restored: {0}")]
    BackupInUse(String),
    /// Point-in-time recovery is off for the table: turn it on to recover later moments.
    #[error("Point in time recovery is not enabled for table '{0}'")]
    RecoveryOff(String),
    /// The moment can't be recovered: choose one within these bounds.
    #[error(
        "The restore time is outside of the recovery window, which reaches from {} to {}",
        iso_time(.0.earliest_ms), iso_time(.0.latest_ms)
    )]
    RestoreTime(RecoveryWindow),
    /// The moment can't be exported: choose one within these bounds.
    #[error(
        "The export time is outside of the recovery window, which reaches from {} to {}",
        iso_time(.0.earliest_ms), iso_time(.0.latest_ms)
    )]
    ExportTime(RecoveryWindow),
    /// The token was used for another export within the last hours.
    #[error("The provided client token is already in use with different export parameters.")]
    ExportConflict,
    /// There is no such export.
    #[error("Export not found: {0}")]
    ExportNotFound(String),
    /// The token was used for another import within the last hours.
    #[error("The provided client token is already in use with different import parameters.")]
    ImportTokenMismatch,
    /// There is no such import.
    #[error("Import not found: {0}")]
    ImportNotFound(String),
    /// A change is missing from the log, so the state at that moment can't be computed.
    #[error("the log has a gap: an item is not as the change after it says")]
    HistoryGap,
    /// A backup can't be written or read, with the reason. The database itself isn't affected.
    #[error("{0}")]
    Backup(String),
    /// Another process has the folder open: close it there, or use that process.
    #[error("{folder} is in use by another process")]
    FolderInUse {
        /// The folder.
        folder: String,
    },
    /// The key of an encrypted folder is wrong, missing or unexpected. The error says which.
    #[error(transparent)]
    Key(#[from] crate::store::KeyError),
    /// Durable data is missing from the folder: restore it, or accept the loss with
    /// [`StoreOptions::accept_loss`](crate::StoreOptions::accept_loss).
    #[error(transparent)]
    Loss(#[from] crate::store::Loss),
    /// The position in the stream is more than 24 hours old: start at the oldest record.
    #[error("The data you are trying to access has been trimmed")]
    Trimmed,
    /// The iterator was made more than 15 minutes ago: get another one.
    #[error("The provided iterator exceeds the maximum age allowed.")]
    IteratorExpired,
    /// The disk is nearly full: free some space and try again. Reads and deletions still work.
    #[error("{0}")]
    NoRoom(String),
    /// The storage failed; writes stop until the database is opened again.
    #[error("storage failed: {0}")]
    Storage(String),
    /// The database was closed.
    #[error("the database is closed")]
    Closed,
}

/// Why a table can't be changed now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InUse {
    /// A table of this name exists.
    #[error("Table already exists: {0}")]
    TableExists(String),
    /// A backup of the table is being taken.
    #[error("Attempt to change a resource which is still in use: Table is being backed up: {0}")]
    BeingBackedUp(String),
    /// The first items of the table are still being written.
    #[error("Attempt to change a resource which is still in use: Table is being created: {0}")]
    BeingCreated(String),
}

/// Why a request is invalid, by itself or for its table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// An error in an expression.
    #[error(transparent)]
    Expression(#[from] ExprError),
    /// A key that doesn't consist of exactly the table's key attributes with their types.
    #[error("The provided key element does not match the schema")]
    KeyMismatch,
    /// An item without a key attribute.
    #[error("One or more parameter values were invalid: Missing the key {0} in the item")]
    MissingKey(String),
    /// A key attribute of the wrong type.
    #[error(
        "One or more parameter values were invalid: Type mismatch for key {name} expected: {expected} actual: {actual}"
    )]
    KeyType {
        /// Attribute.
        name: String,
        /// Declared type.
        expected: &'static str,
        /// Given type.
        actual: &'static str,
    },
    /// An index key attribute of the wrong type.
    #[error(
        "One or more parameter values were invalid: Type mismatch for Index Key {name} Expected: {expected} Actual: {actual} IndexName: {index}"
    )]
    IndexKeyType {
        /// Attribute.
        name: String,
        /// Declared type.
        expected: &'static str,
        /// Given type.
        actual: &'static str,
        /// Index.
        index: String,
    },
    /// An empty key attribute.
    #[error(
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty {kind} value. Key: {name}"
    )]
    EmptyKey {
        /// Attribute.
        name: String,
        /// `string` or `binary`.
        kind: &'static str,
    },
    /// An empty index key attribute.
    #[error(
        "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty {kind} value. IndexName: {index}, IndexKey: {name}"
    )]
    EmptyIndexKey {
        /// Attribute.
        name: String,
        /// `string` or `binary`.
        kind: &'static str,
        /// Index.
        index: String,
    },
    /// A partition key over 2048 bytes.
    #[error(
        "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes"
    )]
    PartitionKeyTooLong,
    /// A sort key over 1024 bytes.
    #[error(
        "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
    )]
    SortKeyTooLong,
    /// An index partition key over 2048 bytes, or an index sort key over 1024 bytes.
    #[error(
        "One or more parameter values were invalid: Size of {key} has exceeded the maximum size limit of {bytes_max} bytes for index {index}"
    )]
    IndexKeyTooLong {
        /// `hashkey` or `rangekey`.
        key: &'static str,
        /// The limit.
        bytes_max: usize,
        /// Index.
        index: String,
    },
    /// An item over 400 KB.
    #[error("Item size has exceeded the maximum allowed size")]
    ItemTooLarge,
    /// An update whose result is over 400 KB.
    #[error("Item size to update has exceeded the maximum allowed size")]
    UpdatedItemTooLarge,
    /// More than 32 levels of lists and maps.
    #[error(
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
    )]
    TooDeep,
    /// An update of a key attribute.
    #[error(
        "One or more parameter values were invalid: Cannot update attribute {0}. This attribute is part of the key"
    )]
    KeyUpdate(String),
    /// A query or scan of an index that the table does not have.
    #[error("The table does not have the specified index: {0}")]
    NoSuchIndex(String),
    /// An index that is still being filled.
    #[error("Cannot read from backfilling global secondary index: {0}")]
    IndexNotReady(String),
    /// A consistent read of a global index.
    #[error("Consistent reads are not supported on global secondary indexes")]
    ConsistentGlobalRead,
    /// A request for all attributes of a global index that doesn't project them.
    #[error(
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index {0} because its projection type is not ALL"
    )]
    AllAttributesOfIndex(String),
    /// A request for attributes that a global index doesn't project.
    #[error(
        "One or more parameter values were invalid: Global secondary index {index} does not project [{attributes}]"
    )]
    NotProjected {
        /// Index.
        index: String,
        /// The attributes, joined by commas.
        attributes: String,
    },
    /// `ALL_PROJECTED_ATTRIBUTES` without an index.
    #[error("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")]
    ProjectedWithoutIndex,
    /// A filter on a key attribute of the queried table or index.
    #[error("Filter Expression can only contain non-primary key attributes: Primary key attribute: {0}")]
    FilterOnKey(String),
    /// A start key that does not fit the table or index.
    #[error("The provided starting key is invalid")]
    StartKey,
    /// A start key whose attributes do not fit, with the detail.
    #[error("The provided starting key is invalid: {0}")]
    StartKeyDetail(Box<Invalid>),
    /// A start key for a query of a table without a sort key. No item can follow.
    #[error("The provided exclusive start key is invalid: ExclusiveStartKey: {0}")]
    StartKeyOfItem(String),
    /// A start key of another partition than the query's.
    #[error("The provided starting key is outside query boundaries based on provided conditions")]
    StartKeyOutside,
    /// A start key that another segment owns.
    #[error("The provided starting key does not match the range key predicate")]
    StartKeyPredicate,
    /// A start key of a scan that another segment owns.
    #[error(
        "Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: {total} Segment: {segment}"
    )]
    StartKeySegment {
        /// Segments in all.
        total: u32,
        /// The asked segment.
        segment: u32,
    },
    /// One key twice in a batch.
    #[error("Provided list of item keys contains duplicates")]
    DuplicateKeys,
    /// One item twice in a transaction.
    #[error("Transaction request cannot include multiple operations on one item")]
    DuplicateTransactionItems,
    /// A transaction over 4 MB.
    #[error("Transaction request size cannot exceed 4194304 bytes")]
    TransactionTooLarge,
    /// Too many actions or keys in one request.
    #[error("Too many items requested for the {0} call")]
    TooManyItems(&'static str),
    /// A wrong table definition.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A parameter that the engine doesn't support.
    #[error("One or more parameter values were invalid: {0}")]
    Parameter(String),
    /// An export or import in a database that was opened without buckets.
    #[error(
        "Exports and imports need a folder that stands for the buckets, and none was given: start the server with singlet serve --buckets DIR"
    )]
    NoBuckets,
    /// A bucket or prefix with an invalid name.
    #[error("One or more parameter values were invalid: {0}")]
    Bucket(String),
    /// A request for encryption in a database that isn't encrypted.
    #[error(
        "One or more parameter values were invalid: SSESpecification asks for encryption, and this database is not encrypted. Begin an empty folder with a key (singlet serve --data DIR --key-file FILE), or leave SSESpecification out"
    )]
    NotEncrypted,
    /// A request for encryption with another key than the database's.
    #[error(
        "One or more parameter values were invalid: KMSMasterKeyId is {asked}, and this database has one key, {arn}. Name that one, or leave KMSMasterKeyId out"
    )]
    OtherKey {
        /// The key asked for.
        asked: String,
        /// The database's key.
        arn: String,
    },
    /// A string that isn't the ARN of a stream.
    #[error("Invalid StreamArn")]
    StreamArn,
    /// A string that isn't an iterator of this database.
    #[error("Invalid ShardIterator")]
    ShardIterator,
    /// A sequence number that the shard can't have.
    #[error("Invalid SequenceNumber: {0}")]
    SequenceNumber(String),
    /// A change of time to live that can't be made.
    #[error(transparent)]
    TimeToLive(#[from] TimeToLiveError),
    /// The deletion of a protected table.
    #[error(
        "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first."
    )]
    DeletionProtected,
}

/// Why time to live can't be turned on or off.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TimeToLiveError {
    /// It is on already, with the same attribute.
    #[error("TimeToLive is already enabled")]
    AlreadyEnabled,
    /// It is off already.
    #[error("TimeToLive is already disabled")]
    AlreadyDisabled,
    /// It is on, with another attribute.
    #[error("TimeToLive is active on a different AttributeName: current AttributeName is {0}")]
    OtherAttribute(String),
    /// It was changed less than an hour ago, or the change is still under way: try again later.
    #[error("Time to live has been modified multiple times within a fixed interval")]
    ChangedLately,
}

impl From<TimeToLiveError> for Error {
    fn from(error: TimeToLiveError) -> Self {
        Error::Invalid(Invalid::TimeToLive(error))
    }
}

impl Error {
    /// The error for a backup row that can't be decoded.
    pub(crate) fn unreadable_backup(id: &str) -> Error {
        Error::Storage(format!("the row of backup {id} can't be read"))
    }
}

impl From<ExprError> for Error {
    fn from(error: ExprError) -> Self {
        Error::Invalid(Invalid::Expression(error))
    }
}

fn reason_codes(reasons: &[CancellationReason]) -> String {
    reasons.iter().map(CancellationReason::code).collect::<Vec<_>>().join(", ")
}

impl From<crate::store::StoreError> for Error {
    fn from(error: crate::store::StoreError) -> Self {
        match error {
            crate::store::StoreError::Locked { folder } => Error::FolderInUse { folder },
            crate::store::StoreError::Key(error) => Error::Key(error),
            crate::store::StoreError::Loss(loss) => Error::Loss(loss),
            other => Error::Storage(other.to_string()),
        }
    }
}

impl From<crate::store::CommitError> for Error {
    fn from(error: crate::store::CommitError) -> Self {
        match error {
            crate::store::CommitError::Closed => Error::Closed,
            // Only a transaction can be this large. Other jobs are divided.
            crate::store::CommitError::TooLarge { .. } => Invalid::TransactionTooLarge.into(),
            full @ (crate::store::CommitError::NoRoom { .. }
            | crate::store::CommitError::NoRoomForPast { .. }) => Error::NoRoom(full.to_string()),
            other => Error::Storage(other.to_string()),
        }
    }
}
