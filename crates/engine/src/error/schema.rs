//! Errors in the definition of a table or an index.

/// Why the definition of a table or index is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// A name that is not 3 to 255 letters, digits, `_`, `-` or `.`.
    #[error(
        "Invalid table/index name.  Table/index names must be between 3 and 255 characters long, and may contain only the characters a-z, A-Z, 0-9, '_', '-', and '.'"
    )]
    Name,
    /// A table key without a defined type.
    #[error("Invalid KeySchema: Some index key attribute have no definition")]
    UndefinedTableKey,
    /// Index keys without a defined type.
    #[error(
        "One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [{keys}], AttributeDefinitions: [{defined}]"
    )]
    UndefinedIndexKey {
        /// The index's key attributes.
        keys: String,
        /// The defined attributes.
        defined: String,
    },
    /// Definitions that no key uses, in a table without indexes.
    #[error(
        "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"
    )]
    DefinitionCount,
    /// Definitions that no key uses.
    #[error(
        "One or more parameter values were invalid: Some AttributeDefinitions are not used. AttributeDefinitions: [{defined}], keys used: [{used}]"
    )]
    UnusedDefinitions {
        /// The defined attributes.
        defined: String,
        /// The attributes that keys use.
        used: String,
    },
    /// One attribute defined twice.
    #[error("Attribute Name is duplicated: {0}")]
    DuplicateDefinition(String),
    /// A key with no partition attribute or more attributes than allowed.
    #[error("One or more parameter values were invalid: Invalid number of key attributes{0}")]
    KeyLength(String),
    /// The key of a global index with more than four attributes of one kind: `HASH` or `RANGE`.
    #[error(
        "One or more parameter values were invalid: The KeySchema exceeds the maximum allowed number of {0} key attributes"
    )]
    TooManyKeyAttributes(&'static str),
    /// One attribute twice in a key with several partition or sort attributes.
    #[error("The KeySchema contains multiple key attributes with the same name")]
    RepeatedKeyName,
    /// A new type for an attribute that is part of a key.
    #[error(
        "One or more parameter values were invalid: Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: {existing} New schema: {new}"
    )]
    Redefined {
        /// The key that has the attribute.
        existing: String,
        /// The key with the new type.
        new: String,
    },
    /// One attribute twice in a projection.
    #[error("One or more parameter values were invalid: Duplicate element in NonKeyAttributes: {0}")]
    ProjectedTwice(String),
    /// One attribute twice in a key.
    #[error("Both the Hash Key and the Range Key element in the KeySchema have the same name")]
    SameKeyName,
    /// A local index on a table without a sort key.
    #[error(
        "One or more parameter values were invalid: Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
    )]
    LocalNeedsTableSort,
    /// A local index without a sort key.
    #[error(
        "One or more parameter values were invalid: Index KeySchema does not have a range key for index: {0}"
    )]
    LocalNeedsSort(String),
    /// A local index with another partition key than the table's.
    #[error(
        "One or more parameter values were invalid: Index KeySchema does not have the same leading hash key as table KeySchema for index: {index}. index hash key: {index_key}, table hash key: {table_key}"
    )]
    LocalPartition {
        /// Index name.
        index: String,
        /// Its partition key.
        index_key: String,
        /// The table's partition key.
        table_key: String,
    },
    /// Two indexes of one name.
    #[error("One or more parameter values were invalid: Duplicate index name: {0}")]
    DuplicateIndex(String),
    /// More than five local indexes.
    #[error(
        "One or more parameter values were invalid: Number of LocalSecondaryIndexes exceeds per-table limit of 5"
    )]
    TooManyLocal,
    /// More than twenty global indexes.
    #[error(
        "One or more parameter values were invalid: GlobalSecondaryIndex count exceeds the per-table limit of 20"
    )]
    TooManyGlobal,
    /// More than a hundred included attributes over all indexes.
    #[error(
        "One or more parameter values were invalid: Number of NonKeyAttributes exceeds the limit of 100 over all indexes"
    )]
    TooManyProjected,
    /// `INCLUDE` without attributes.
    #[error(
        "One or more parameter values were invalid: ProjectionType is INCLUDE, but NonKeyAttributes is not specified"
    )]
    EmptyInclude,
    /// A provisioned table or index without capacity.
    #[error(
        "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
    )]
    CapacityMissing,
    /// A provisioned table's index without capacity.
    #[error(
        "One or more parameter values were invalid: ProvisionedThroughput must be specified for index: {0}"
    )]
    IndexCapacityMissing(String),
    /// Capacity for an on-demand table.
    #[error(
        "One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
    )]
    CapacityOnDemand,
    /// Capacity for an index of an on-demand table.
    #[error(
        "One or more parameter values were invalid: ProvisionedThroughput should not be specified for index: {0} when BillingMode is PAY_PER_REQUEST"
    )]
    IndexCapacityOnDemand(String),
    /// On-demand ceilings for a provisioned table.
    #[error(
        "One or more parameter values were invalid: OnDemandThroughput can only be specified when BillingMode is PAY_PER_REQUEST"
    )]
    CeilingProvisioned,
    /// An update with the capacity that the table already has.
    #[error(
        "The provisioned throughput for the table will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the table: {read}. Requested ReadCapacityUnits: {read}. Current WriteCapacityUnits provisioned for the table: {write}. Requested WriteCapacityUnits: {write}. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )]
    CapacityUnchanged {
        /// Read units.
        read: u64,
        /// Write units.
        write: u64,
    },
    /// An update that names nothing to change.
    #[error(
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"
    )]
    NothingToUpdate,
    /// One index twice in an update.
    #[error(
        "One or more parameter values were invalid: Only one global secondary index update per index is allowed simultaneously. Index: {0}"
    )]
    IndexTwice(String),
    /// A new index with the name of an existing one.
    #[error(
        "One or more parameter values were invalid: Attempting to create an index which already exists: {0}"
    )]
    IndexExists(String),
    /// More tags than a table may have.
    #[error("Number of Tags exceed the current limit for the provided ResourceArn")]
    TooManyTags,
    /// The same tag key twice.
    #[error("Duplicate Tag Keys provided as input: Duplicate Tag Key found {0}")]
    DuplicateTag(String),
    /// An expiry attribute whose name isn't 1 to 255 characters long.
    #[error(
        "One or more parameter values were invalid: The AttributeName of TimeToLive must be 1 to 255 characters long"
    )]
    TimeToLiveAttribute,
    /// An ARN that isn't a table's.
    #[error("Invalid TableArn: Invalid ResourceArn provided as input {0}")]
    Arn(String),
    /// A new stream for a table whose stream is on.
    #[error("Table already has an enabled stream: TableName: {0}")]
    StreamEnabled(String),
    /// The end of a stream for a table whose stream is off.
    #[error("Table has no stream to disable: TableName: {0}")]
    NoStream(String),
}
