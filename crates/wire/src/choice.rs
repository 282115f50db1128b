//! Members with a fixed list of values.

use singlet_engine::{
    BillingMode, ExportView, ImportCompression, ReturnValues, ScalarType, Select, StreamView, TableClass,
};
use singlet_expr::legacy::{ComparisonOperator, ConditionalOperator, UpdateAction};

/// A type with one word of the protocol for each value.
pub(crate) trait Choice: Copy + 'static {
    /// The words, in the order in which DynamoDB lists them in errors.
    const WORDS: &'static [(&'static str, Self)];

    /// The value with this word.
    fn named(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, choice)| *choice)
    }
}

/// The detail of the report on consumed capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ReturnConsumedCapacity {
    /// Per table and index.
    Indexes,
    /// Per table.
    Total,
    /// No report.
    #[default]
    None,
}

impl Choice for ReturnConsumedCapacity {
    const WORDS: &'static [(&'static str, Self)] =
        &[("INDEXES", Self::Indexes), ("TOTAL", Self::Total), ("NONE", Self::None)];
}

/// Whether a caller wants item collection sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReturnItemCollectionMetrics {
    /// Yes.
    Size,
    /// No.
    None,
}

impl Choice for ReturnItemCollectionMetrics {
    const WORDS: &'static [(&'static str, Self)] = &[("SIZE", Self::Size), ("NONE", Self::None)];
}

/// Whether a failed condition shows the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReturnValuesOnConditionCheckFailure {
    /// Yes.
    AllOld,
    /// No.
    None,
}

impl Choice for ReturnValuesOnConditionCheckFailure {
    const WORDS: &'static [(&'static str, Self)] = &[("ALL_OLD", Self::AllOld), ("NONE", Self::None)];
}

impl Choice for ReturnValues {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("ALL_NEW", Self::AllNew),
        ("UPDATED_OLD", Self::UpdatedOld),
        ("ALL_OLD", Self::AllOld),
        ("NONE", Self::None),
        ("UPDATED_NEW", Self::UpdatedNew),
    ];
}

impl Choice for Select {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("SPECIFIC_ATTRIBUTES", Self::SpecificAttributes),
        ("COUNT", Self::Count),
        ("ALL_ATTRIBUTES", Self::AllAttributes),
        ("ALL_PROJECTED_ATTRIBUTES", Self::AllProjectedAttributes),
    ];
}

/// The backups that a caller asks for. All backups here are `USER` backups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BackupType {
    /// Created by users, manually or by schedule.
    User,
    /// Created by the service.
    System,
    /// Created by AWS Backup.
    AwsBackup,
    /// All backups.
    All,
}

impl Choice for BackupType {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("USER", Self::User),
        ("SYSTEM", Self::System),
        ("AWS_BACKUP", Self::AwsBackup),
        ("ALL", Self::All),
    ];
}

/// The range of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportType {
    /// The table at one point in time.
    Full,
    /// The changes between two points in time.
    Incremental,
}

impl Choice for ExportType {
    const WORDS: &'static [(&'static str, Self)] =
        &[("FULL_EXPORT", Self::Full), ("INCREMENTAL_EXPORT", Self::Incremental)];
}

/// The format of exported items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    /// DynamoDB's JSON.
    DynamoDbJson,
    /// Amazon Ion.
    Ion,
}

impl Choice for ExportFormat {
    const WORDS: &'static [(&'static str, Self)] =
        &[("DYNAMODB_JSON", Self::DynamoDbJson), ("ION", Self::Ion)];
}

impl Choice for ExportView {
    const WORDS: &'static [(&'static str, Self)] =
        &[("NEW_IMAGE", Self::NewImage), ("NEW_AND_OLD_IMAGES", Self::NewAndOldImages)];
}

/// The format of items to import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputFormat {
    /// DynamoDB's JSON.
    DynamoDbJson,
    /// Amazon Ion.
    Ion,
    /// Comma-separated values.
    Csv,
}

impl Choice for InputFormat {
    const WORDS: &'static [(&'static str, Self)] =
        &[("DYNAMODB_JSON", Self::DynamoDbJson), ("ION", Self::Ion), ("CSV", Self::Csv)];
}

impl Choice for ImportCompression {
    const WORDS: &'static [(&'static str, Self)] =
        &[("GZIP", Self::Gzip), ("ZSTD", Self::Zstd), ("NONE", Self::None)];
}

/// The role of a key schema element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyType {
    /// Partition.
    Hash,
    /// Sort.
    Range,
}

impl Choice for KeyType {
    const WORDS: &'static [(&'static str, Self)] = &[("HASH", Self::Hash), ("RANGE", Self::Range)];
}

impl Choice for ScalarType {
    const WORDS: &'static [(&'static str, Self)] = &[("B", Self::B), ("N", Self::N), ("S", Self::S)];
}

/// The kind of an index's projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectionType {
    /// Every attribute.
    All,
    /// Keys and named attributes.
    Include,
    /// Keys.
    KeysOnly,
}

impl Choice for ProjectionType {
    const WORDS: &'static [(&'static str, Self)] =
        &[("ALL", Self::All), ("INCLUDE", Self::Include), ("KEYS_ONLY", Self::KeysOnly)];
}

impl Choice for BillingMode {
    const WORDS: &'static [(&'static str, Self)] =
        &[("PROVISIONED", Self::Provisioned), ("PAY_PER_REQUEST", Self::PayPerRequest)];
}

impl Choice for TableClass {
    const WORDS: &'static [(&'static str, Self)] =
        &[("STANDARD", Self::Standard), ("STANDARD_INFREQUENT_ACCESS", Self::InfrequentAccess)];
}

/// Whether contributor insights are turned on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InsightsAction {
    /// On.
    Enable,
    /// Off.
    Disable,
}

impl Choice for InsightsAction {
    const WORDS: &'static [(&'static str, Self)] = &[("ENABLE", Self::Enable), ("DISABLE", Self::Disable)];
}

/// The type of a table's encryption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SseType {
    /// DynamoDB names it, but doesn't offer it.
    Aes256,
    /// With a customer's key.
    Kms,
}

impl Choice for SseType {
    const WORDS: &'static [(&'static str, Self)] = &[("AES256", Self::Aes256), ("KMS", Self::Kms)];
}

impl Choice for StreamView {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("NEW_IMAGE", Self::NewImage),
        ("OLD_IMAGE", Self::OldImage),
        ("NEW_AND_OLD_IMAGES", Self::NewAndOldImages),
        ("KEYS_ONLY", Self::KeysOnly),
    ];
}

/// The start of a shard iterator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShardIteratorType {
    /// After a record.
    AfterSequenceNumber,
    /// After the newest record.
    Latest,
    /// At a record.
    AtSequenceNumber,
    /// At the oldest record.
    TrimHorizon,
}

impl Choice for ShardIteratorType {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("AFTER_SEQUENCE_NUMBER", Self::AfterSequenceNumber),
        ("LATEST", Self::Latest),
        ("AT_SEQUENCE_NUMBER", Self::AtSequenceNumber),
        ("TRIM_HORIZON", Self::TrimHorizon),
    ];
}

/// The shards in a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShardFilterType {
    /// The children of a shard.
    ChildShards,
}

impl Choice for ShardFilterType {
    const WORDS: &'static [(&'static str, Self)] = &[("CHILD_SHARDS", Self::ChildShards)];
}

impl Choice for ComparisonOperator {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("IN", Self::In),
        ("NULL", Self::Null),
        ("BETWEEN", Self::Between),
        ("LT", Self::Lt),
        ("NOT_CONTAINS", Self::NotContains),
        ("EQ", Self::Eq),
        ("GT", Self::Gt),
        ("NOT_NULL", Self::NotNull),
        ("NE", Self::Ne),
        ("LE", Self::Le),
        ("BEGINS_WITH", Self::BeginsWith),
        ("GE", Self::Ge),
        ("CONTAINS", Self::Contains),
    ];
}

impl Choice for ConditionalOperator {
    const WORDS: &'static [(&'static str, Self)] = &[("OR", Self::Or), ("AND", Self::And)];
}

impl Choice for UpdateAction {
    const WORDS: &'static [(&'static str, Self)] =
        &[("ADD", Self::Add), ("PUT", Self::Put), ("DELETE", Self::Delete)];
}
