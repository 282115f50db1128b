//! Requests to the database and its answers, as types without protocol details.
//!
//! Expressions are trees, never text. Requests have [`Item`](singlet_values::Item)s. Answers have encoded bytes, so
//! that a protocol can write its own format directly from stored bytes.

mod backup;
mod batch;
mod item;
mod read;
mod recovery;
mod sequence_number;
mod stream;
mod table;
mod time_to_live;
mod transact;
mod transfer;

pub use backup::{
    BackupDescription, BackupProgress, BackupStatus, CreateBackup, ListBackups, ListBackupsOutcome,
    RestoreBackup,
};
pub use batch::{
    BatchGet, BatchGetOutcome, BatchGetTable, BatchGetTableOutcome, BatchWrite, BatchWriteAction,
    BatchWriteOutcome,
};
pub use item::{
    DeleteItem, GetItem, GetOutcome, ITEM_BYTES_MAX, ItemCollection, PutItem, ReturnValues, UpdateItem,
    WriteOutcome,
};
pub use read::{KeyDescription, PAGE_BYTES_MAX, PageOutcome, Query, Scan, ScanSegment, Select};
pub use recovery::{
    ChangePosition, ChangesFrom, Past, PastItems, PastRange, ReadChanges, ReadPast, RecordedChange,
    RecoveryProgress, RestoreToTime, UpdateRecovery,
};
pub use sequence_number::SequenceNumber;
pub use stream::{
    ChangeKind, DescribeStream, GetRecords, GetRecordsOutcome, GetShardIterator, ListStreams,
    ListStreamsOutcome, ShardDescription, ShardStart, StreamDescription, StreamRecord, StreamStatus,
    StreamSummary,
};
pub use table::{
    AttributeDefinition, BillingMode, CreateTable, EncryptionRequest, IndexCreate, IndexDefinition,
    IndexDescription, IndexStatus, IndexUpdate, KeySchema, ListTables, ListTablesOutcome, OnDemandThroughput,
    ProjectedAttributes, ProvisionedThroughput, RestoreOverrides, RestoreSummary, ScalarType, StreamChange,
    StreamView, TableClass, TableDescription, TableStatus, Tag, UpdateTable, WarmThroughput,
};
pub use time_to_live::{TimeToLive, TimeToLiveStatus, UpdateTimeToLive};
pub use transact::{
    BACKGROUND_ACTIONS_MAX, RETURNED_BYTES_MAX, TransactAction, TransactGet, TransactGetItem,
    TransactGetOutcome, TransactWrite, TransactWriteOutcome,
};
pub use transfer::{
    BucketPlace, ClientToken, ExportDescription, ExportKind, ExportProgress, ExportTable, ExportView,
    ExportWritten, ImportCompression, ImportCounts, ImportDescription, ImportFormat, ImportProgress,
    ImportTable, ListTransfers, ListTransfersOutcome, TransferFailure, TransferStatus,
};
