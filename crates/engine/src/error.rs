//! What can go wrong, as types. The texts are DynamoDB's where DynamoDB has one.

mod cancellation;
mod schema;

use singlet_expr::ExprError;
use singlet_values::EncodedItem;

pub use self::cancellation::CancellationReason;
pub use self::schema::SchemaError;
use crate::moment::{RecoveryWindow, iso_time};

/// The result of an engine call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed; the variant says what to do next.
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
        /// The item that is there, if it was asked for.
        item: Option<EncodedItem>,
    },
    /// Nothing of the transaction happened.
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
    /// The items under one partition key would pass 10 GB in a table with local indexes.
    #[error("Collection size exceeded.")]
    CollectionTooLarge,
    /// A table that was to be backed up or restored does not exist.
    #[error("Table not found: {0}")]
    SourceTableNotFound(String),
    /// A restore would make a table of a name that is taken: choose another.
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
    /// Recovery is off for the table: turn it on, for moments to come.
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
    /// A change that the log should have is missing: the state at that moment can't be told.
    #[error("the log has a gap: an item is not as the change after it says")]
    HistoryGap,
    /// A backup can't be written or read, with the reason. The database itself is in order.
    #[error("{0}")]
    Backup(String),
    /// Another process has the folder open: close it there, or use that process.
    #[error("{folder} is in use by another process")]
    FolderInUse {
        /// The folder.
        folder: String,
    },
    /// The key of an encrypted folder is wrong, missing or not wanted: the error says which.
    #[error(transparent)]
    Key(#[from] crate::store::KeyError),
    /// Something that was durable is missing from the folder: put it back, or accept the loss with
    /// [`StoreOptions::accept_loss`](crate::StoreOptions::accept_loss).
    #[error(transparent)]
    Loss(#[from] crate::store::Loss),
    /// The place in the stream is more than 24 hours old and gone: begin at its oldest record.
    #[error("The data you are trying to access has been trimmed")]
    Trimmed,
    /// The iterator was made more than 15 minutes ago: get another one.
    #[error("The provided iterator exceeds the maximum age allowed.")]
    IteratorExpired,
    /// The disk is nearly full: make room and try again. Reads and deletions go on.
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
    /// A backup of it is being made.
    #[error("Attempt to change a resource which is still in use: Table is being backed up: {0}")]
    BeingBackedUp(String),
    /// Its first items are still being written.
    #[error("Attempt to change a resource which is still in use: Table is being created: {0}")]
    BeingCreated(String),
}

/// Why a request is wrong in itself or for the table that it names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// In one of its expressions.
    #[error(transparent)]
    Expression(#[from] ExprError),
    /// A key that is not exactly the table's key attributes with their types.
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
    /// An index partition key over 2048 bytes, or sort key over 1024.
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
    /// An update that makes an item of over 400 KB.
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
    /// All attributes asked of a global index that does not project them.
    #[error(
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index {0} because its projection type is not ALL"
    )]
    AllAttributesOfIndex(String),
    /// Attributes asked of a global index that does not project them.
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
    /// A parameter that the engine cannot honour.
    #[error("One or more parameter values were invalid: {0}")]
    Parameter(String),
    /// An export or import in a database that was opened without buckets.
    #[error(
        "Exports and imports need a folder that stands for the buckets, and none was given: start the server with singlet serve --buckets DIR"
    )]
    NoBuckets,
    /// A bucket or prefix that nobody may have.
    #[error("One or more parameter values were invalid: {0}")]
    Bucket(String),
    /// Encryption asked of a database that is not encrypted.
    #[error(
        "One or more parameter values were invalid: SSESpecification asks for encryption, and this database is not encrypted. Begin an empty folder with a key (singlet serve --data DIR --key-file FILE), or leave SSESpecification out"
    )]
    NotEncrypted,
    /// Encryption asked for with a key that the database doesn't have.
    #[error(
        "One or more parameter values were invalid: KMSMasterKeyId is {asked}, and this database has one key, {arn}. Name that one, or leave KMSMasterKeyId out"
    )]
    OtherKey {
        /// The key asked for.
        asked: String,
        /// The database's key.
        arn: String,
    },
    /// Something else than a stream's ARN.
    #[error("Invalid StreamArn")]
    StreamArn,
    /// Something else than an iterator that was given out here.
    #[error("Invalid ShardIterator")]
    ShardIterator,
    /// A sequence number that the shard can't have.
    #[error("Invalid SequenceNumber: {0}")]
    SequenceNumber(String),
    /// A change of expiry that can't be made.
    #[error(transparent)]
    TimeToLive(#[from] TimeToLiveError),
    /// A deletion of a protected table.
    #[error(
        "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first."
    )]
    DeletionProtected,
}

/// Why expiry can't be turned on or off.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TimeToLiveError {
    /// It is on, by this attribute.
    #[error("TimeToLive is already enabled")]
    AlreadyEnabled,
    /// It is off.
    #[error("TimeToLive is already disabled")]
    AlreadyDisabled,
    /// It is on, by another attribute.
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
    /// The row of a backup that is not what was written.
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
            // Only a transaction can be so large: other jobs are cut to size.
            crate::store::CommitError::TooLarge { .. } => Invalid::TransactionTooLarge.into(),
            full @ (crate::store::CommitError::NoRoom { .. }
            | crate::store::CommitError::NoRoomForPast { .. }) => Error::NoRoom(full.to_string()),
            other => Error::Storage(other.to_string()),
        }
    }
}
