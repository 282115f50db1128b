//! The texts of this layer: all error messages for clients that aren't the engine's or the expression language's. Each
//! is a variant of a type, so that no code inspects a message.

use singlet_values::NumberError;

/// A JSON token, as DynamoDB's front end names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// `true`.
    True,
    /// `false`.
    False,
    /// A whole number.
    Integer,
    /// A number with a fraction or exponent.
    Decimal,
    /// A string.
    Text,
    /// `null`.
    Null,
    /// An array.
    List,
    /// An object.
    Map,
}

impl Found {
    fn name(self) -> &'static str {
        match self {
            Found::True => "TRUE_VALUE",
            Found::False => "FALSE_VALUE",
            Found::Integer => "NUMBER_VALUE",
            Found::Decimal => "DECIMAL_VALUE",
            Found::Text => "STRING_VALUE",
            Found::Null => "NULL_VALUE",
            Found::List => "START_ARRAY",
            Found::Map => "START_OBJECT",
        }
    }
}

/// JSON of the wrong shape: a `SerializationException`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ShapeError {
    /// A scalar instead of another kind of scalar.
    #[error("{} cannot be converted to {wanted}", found.name())]
    Conversion {
        /// The kind that was found.
        found: Found,
        /// The kind that was expected.
        wanted: &'static str,
    },
    /// A string that isn't a boolean.
    #[error("Unexpected token received from parser")]
    UnexpectedToken,
    /// A scalar instead of a list, map or member structure.
    #[error("Unexpected field type")]
    UnexpectedField,
    /// A scalar instead of a structure inside a list or map.
    #[error("Unexpected value type in payload")]
    UnexpectedValue,
    /// An object instead of a scalar or list.
    #[error("Start of structure or map found where not expected")]
    UnexpectedMap,
    /// An array instead of a scalar.
    #[error("Unrecognized collection type class java.lang.{0}")]
    ListForScalar(&'static str),
    /// An array instead of binary.
    #[error("Unrecognized collection type class java.nio.ByteBuffer")]
    ListForBinary,
    /// An array instead of a structure.
    #[error("Unrecognized collection type class com.amazonaws.dynamodb.v20120810.{0}")]
    ListForStructure(&'static str),
    /// An array instead of a map.
    #[error("Unrecognized collection type java.util.Map<java.lang.String, {}>", java_name(.0))]
    ListForMap(&'static str),
    /// A boolean or number instead of binary.
    #[error("only base-64-encoded strings are convertible to bytes")]
    NotBinary,
    /// Base64 of a wrong length.
    #[error("Base64 encoded length is expected a multiple of 4 bytes but found: {0}")]
    Base64Length(usize),
    /// Base64 with bits that no encoder writes.
    #[error("Invalid last non-pad Base64 character dectected")]
    Base64,
}

impl ShapeError {
    /// The text for a token in place of a scalar.
    pub(crate) fn scalar(found: Found, wanted: &'static str) -> Self {
        match found {
            Found::List => ShapeError::ListForScalar(wanted),
            Found::Map => ShapeError::UnexpectedMap,
            _ => ShapeError::Conversion { found, wanted },
        }
    }
}

/// Names of the service model are written with their package.
fn java_name(name: &str) -> String {
    if name.starts_with("java.") {
        name.to_owned()
    } else {
        format!("com.amazonaws.dynamodb.v20120810.{name}")
    }
}

/// A well-shaped attribute value that no item can hold: a `ValidationException`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ValueError {
    /// No datatype.
    #[error("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")]
    Empty,
    /// Two datatypes.
    #[error(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
    )]
    Several,
    /// Not a number, or a number out of range.
    #[error("{error}{}", shown(.text, .error))]
    Number {
        /// The value as written.
        text: String,
        /// Why it isn't a number.
        error: NumberError,
    },
    /// `NULL: false`.
    #[error(
        "One or more parameter values were invalid: Null attribute value types must have the value of true"
    )]
    NotNull,
    /// An empty string set.
    #[error("One or more parameter values were invalid: An string set  may not be empty")]
    EmptyStringSet,
    /// An empty number set.
    #[error("One or more parameter values were invalid: An number set  may not be empty")]
    EmptyNumberSet,
    /// An empty binary set.
    #[error("One or more parameter values were invalid: Binary sets should not be empty")]
    EmptyBinarySet,
    /// A duplicate string in a set.
    #[error("One or more parameter values were invalid: Input collection [{}] contains duplicates.", .0.join(", "))]
    DuplicateStrings(Vec<String>),
    /// A duplicate number in a set.
    #[error("Input collection contains duplicates")]
    DuplicateNumbers,
    /// A duplicate binary in a set; shown in base64.
    #[error(
        "One or more parameter values were invalid: Input collection [{}]of type BS contains duplicates.",
        .0.join(", ")
    )]
    DuplicateBinaries(Vec<String>),
    /// A value without a name.
    #[error("Empty attribute name")]
    EmptyName,
    /// A name of 64 KB or more.
    #[error("Attribute name is too large, must be less than 65536 bytes")]
    NameTooLong,
    /// Too many levels of lists and maps.
    #[error(
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
    )]
    TooDeep,
}

impl ValueError {
    /// Whether DynamoDB reports this problem of a start key without its usual prefix for start keys.
    pub(crate) fn stands_alone(&self) -> bool {
        match self {
            ValueError::Number { .. }
            | ValueError::DuplicateStrings(_)
            | ValueError::DuplicateNumbers
            | ValueError::DuplicateBinaries(_)
            | ValueError::EmptyNumberSet => true,
            ValueError::Empty
            | ValueError::Several
            | ValueError::NotNull
            | ValueError::EmptyStringSet
            | ValueError::EmptyBinarySet
            | ValueError::EmptyName
            | ValueError::NameTooLong
            | ValueError::TooDeep => false,
        }
    }
}

/// DynamoDB repeats a string that isn't a number, unless it is empty.
fn shown(text: &str, error: &NumberError) -> String {
    match error {
        NumberError::NotNumeric if !text.is_empty() => format!(": {text}"),
        _ => String::new(),
    }
}

/// A request with contradictory members, or for a feature that this server doesn't have: a `ValidationException`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RequestError {
    /// An operation on tables without a table.
    #[error("The parameter 'TableName' is required but was not present in the request")]
    MissingTableName,
    /// An operation on tags without a resource.
    #[error("Invalid TableArn")]
    MissingArn,
    /// A string that must be a table's ARN, or begins like one, and isn't.
    #[error("Invalid TableArn: Invalid ResourceArn provided as input {0}")]
    InvalidArn(String),
    /// A resource that isn't an ARN.
    #[error("One or more parameter values were invalid: ARNs must start with 'arn:': {0}")]
    NotAnArn(String),
    /// The ARN of an index in place of a table's.
    #[error(
        "One or more parameter values were invalid: Invalid resource arn provided, only table or stream is accepted. \
         Provided resource arn: {0}"
    )]
    IndexArn(String),
    /// A key of a tag with characters that aren't allowed.
    #[error("The Tag Key provided is invalid, Key: {0}")]
    TagKey(String),
    /// A value of a tag with characters that aren't allowed.
    #[error("The Tag Value provided is invalid, Value: {0}")]
    TagValue(String),
    /// A key of a tag that is reserved for AWS.
    #[error("Tag Key cannot be prefixed with aws:, Key: {0}")]
    ReservedTagKey(String),
    /// No tag to set.
    #[error("Atleast one Tag needs to be provided as Input.")]
    NoTags,
    /// No tag to remove.
    #[error("Atleast one Tag Key needs to be provided as Input.")]
    NoTagKeys,
    /// A restore with no source table, or with two.
    #[error("One of SourceTableName and SourceTableArn must be given, and only one")]
    OneRestoreSource,
    /// A restore without a time, or with two.
    #[error("One of RestoreDateTime and UseLatestRestorableTime must be given, and only one")]
    OneRestoreTime,
    /// A full export with the parameters of an incremental one.
    #[error(
        "One or more parameter values were invalid: IncrementalExportSpecification belongs to ExportType \
         INCREMENTAL_EXPORT"
    )]
    IncrementalForFull,
    /// An incremental export without its start, or with the time of a full one.
    #[error(
        "One or more parameter values were invalid: ExportType INCREMENTAL_EXPORT needs \
         IncrementalExportSpecification with ExportFromTime, and no ExportTime"
    )]
    IncrementalNeedsTimes,
    /// CSV options with another format.
    #[error("One or more parameter values were invalid: InputFormatOptions.Csv belongs to InputFormat CSV")]
    CsvOptionsForOther,
    /// Both generations of parameters.
    #[error(
        "Can not use both expression and non-expression parameters in the same request: \
         Non-expression parameters: {{{}}} Expression parameters: {{{}}}", .legacy.join(", "), .expressions.join(", ")
    )]
    MixedParameters {
        /// Parameters of the older generation.
        legacy: Vec<&'static str>,
        /// Parameters of the newer one.
        expressions: Vec<&'static str>,
    },
    /// Names for expressions without an expression.
    #[error("ExpressionAttributeNames can only be specified when using expressions")]
    NamesWithoutExpression,
    /// Values for expressions without an expression that could use them.
    #[error(
        "ExpressionAttributeValues can only be specified when using expressions: {} {} null",
        .0.join(" and "), if .0.len() > 1 { "are" } else { "is" }
    )]
    ValuesWithoutExpression(Vec<&'static str>),
    /// A value for expressions that no item can hold.
    #[error("ExpressionAttributeValues contains invalid value: {error} for key {key}")]
    ExpressionValue {
        /// Its placeholder.
        key: String,
        /// The problem with the value.
        error: ValueError,
    },
    /// A put or delete that asks for updated attributes.
    #[error("ReturnValues can only be ALL_OLD or NONE")]
    ReturnValues,
    /// A start key with a value that no item can hold.
    #[error("The provided starting key is invalid: {0}")]
    StartKey(ValueError),
    /// A statement with a table that can't exist.
    #[error(
        "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', '_', '.'."
    )]
    StatementTable,
    /// A statement on an index with several attributes in its partition key or its sort key.
    #[error(
        "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys."
    )]
    StatementKey,
    /// A token that wasn't made by this server.
    #[error("Invalid NextToken")]
    InvalidNextToken,
    /// A token of another statement.
    #[error("NextToken does not match request")]
    ForeignNextToken,
    /// `EXISTS` in a request that isn't a transaction.
    #[error("EXISTS can only be used in ExecuteTransaction write requests.")]
    ExistsOutsideTransaction,
    /// A `SELECT` of a batch or transaction that doesn't name exactly one item by its key.
    #[error("Select statements within {0} must specify the primary key in the where clause.")]
    SelectWithoutKey(&'static str),
    /// A `SELECT` from an index in a transaction.
    #[error("Reads on indices are not supported within transactions.")]
    IndexInTransaction,
    /// `EXISTS` without a key, or with nothing but a key.
    #[error("EXISTS() must contain a single item read with additional condition")]
    ExistsWithoutCondition,
    /// `RETURNING` in a transaction.
    #[error("RETURNING clause is not supported in ExecuteTransaction.")]
    ReturningInTransaction,
    /// A batch of reads and writes.
    #[error("Read and write requests together in the same batch is not supported.")]
    MixedBatch,
    /// A transaction of reads and writes.
    #[error("ExecuteTransaction API does not support both read and write operations in the same request.")]
    MixedTransaction,
    /// Two statements of a batch for one item.
    #[error("Provided list of item keys contains duplicates")]
    DuplicateKeys,
    /// A query without a key.
    #[error("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")]
    NoKeyCondition,
    /// A projection with a `Select` that excludes one.
    #[error("Cannot specify the {parameter} when choosing to get {select}")]
    SelectWithProjection {
        /// `AttributesToGet` or `ProjectionExpression`.
        parameter: &'static str,
        /// The value of `Select`.
        select: &'static str,
    },
    /// `SPECIFIC_ATTRIBUTES` without the attributes.
    #[error(
        "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
    )]
    SelectWithoutProjection,
    /// A segment without the number of segments.
    #[error(
        "The TotalSegments parameter is required but was not present in the request when Segment parameter is present"
    )]
    MissingTotalSegments,
    /// A number of segments without a segment.
    #[error(
        "The Segment parameter is required but was not present in the request when parameter TotalSegments is present"
    )]
    MissingSegment,
    /// A segment after the last one.
    #[error(
        "The Segment parameter is zero-based and must be less than parameter TotalSegments: \
         Segment: {segment} is not less than TotalSegments: {total}"
    )]
    SegmentOutOfRange {
        /// The segment.
        segment: i64,
        /// The number of segments.
        total: i64,
    },
    /// A batch without requests.
    #[error("The requestItems parameter is required for {0}")]
    EmptyBatch(&'static str),
    /// A batch with too many keys.
    #[error("Too many items requested for the {0} call")]
    TooManyItems(&'static str),
    /// A write request that is neither a put nor a delete, or both.
    #[error(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
    )]
    WriteRequest,
    /// An element of a transaction with no action or several.
    #[error("TransactItems can only contain one of Check, Put, Update or Delete")]
    TransactAction,
    /// More key attributes than attribute definitions.
    #[error("Invalid KeySchema: Some index key attribute have no definition")]
    UndefinedKeys,
    /// A key schema that doesn't begin with a partition attribute.
    #[error("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")]
    FirstKeyNotHash,
    /// A key schema with two partition attributes.
    #[error("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")]
    SecondKeyNotRange,
    /// A key schema with a partition attribute after a sort attribute.
    #[error(
        "One or more parameter values were invalid: All HASH key attributes must precede RANGE key attributes in the \
         KeySchema"
    )]
    HashAfterRange,
    /// An empty list of indexes.
    #[error("One or more parameter values were invalid: List of {0} is empty")]
    NoIndexes(&'static str),
    /// A projection without a type.
    #[error("One or more parameter values were invalid: Unknown ProjectionType: null")]
    NoProjectionType,
    /// Attributes for a projection that doesn't take any.
    #[error(
        "One or more parameter values were invalid: ProjectionType is {0}, but NonKeyAttributes is specified"
    )]
    ProjectionAttributes(&'static str),
    /// A projection that needs attributes.
    #[error(
        "One or more parameter values were invalid: ProjectionType is INCLUDE, but NonKeyAttributes is not specified"
    )]
    NoProjectionAttributes,
    /// Capacity above the maximum.
    #[error("Given value {value} for {parameter} is out of bounds")]
    CapacityOutOfBounds {
        /// The capacity that was asked for.
        value: i64,
        /// `ReadCapacityUnits` or `WriteCapacityUnits`.
        parameter: &'static str,
    },
    /// An update of a table without a change.
    #[error(
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or \
         SSESpecification or ReplicaUpdates is required"
    )]
    NothingToUpdate,
    /// A change to an index without an action.
    #[error(
        "One or more parameter values were invalid: One of GlobalSecondaryIndexUpdate.Update, \
         GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null"
    )]
    EmptyIndexUpdate,
    /// Two actions in one change to an index.
    #[error(
        "One or more parameter values were invalid: Only one global secondary index action is allowed per \
         GlobalSecondaryIndexUpdate object"
    )]
    SeveralIndexActions,
    /// A new index without the types of its key attributes.
    #[error(
        "One or more parameter values were invalid: AttributeDefinitions is not specified for index: {0}"
    )]
    NoDefinitionsForIndex(String),
    /// Two changes to one index.
    #[error(
        "One or more parameter values were invalid: Only one global secondary index update per index is allowed \
         simultaneously. Index: {0}"
    )]
    IndexUpdatedTwice(String),
    /// A stream without a view.
    #[error(
        "One or more parameter values were invalid: If stream is being enabled then UpdateViewType is required"
    )]
    NoStreamView,
    /// A view for a new table without a stream.
    #[error(
        "One or more parameter values were invalid: Table is being created with a stream disabled, \
         UpdateViewType should not be specified"
    )]
    ViewOfNoStream,
    /// A view for a stream that is turned off.
    #[error(
        "One or more parameter values were invalid: If stream is being disabled, then UpdateViewType must not be \
         specified"
    )]
    ViewOfEndingStream,
    /// An iterator that begins at a record, without the record.
    #[error(
        "One or more parameter values were invalid: SequenceNumber is required for ShardIteratorType {0}"
    )]
    NoSequenceNumber(&'static str),
    /// A record for an iterator that begins elsewhere.
    #[error(
        "One or more parameter values were invalid: SequenceNumber must not be specified for ShardIteratorType {0}"
    )]
    UnusedSequenceNumber(&'static str),
    /// A global table of the oldest version.
    #[error(
        "One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is not supported. We \
         recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy)."
    )]
    OldGlobalTables,
    /// The end of a Kinesis destination that isn't active.
    #[error(
        "Table is not in a valid state to enable Kinesis Streaming Destination: KinesisStreamingDestination must be \
         ACTIVE to perform DISABLE operation."
    )]
    DestinationNotActive,
    /// A change of a Kinesis destination that isn't active.
    #[error(
        "Table is not in a valid state to enable Kinesis Streaming Destination: Kinesis streaming is not in ACTIVE \
         state. Updates are only allowed in ACTIVE state. TableName: {table}, kdsArn: {stream}"
    )]
    DestinationNotUpdatable {
        /// The table.
        table: String,
        /// The ARN of the Kinesis stream.
        stream: String,
    },
    /// A parameter that DynamoDB supports and this server doesn't.
    #[error("One or more parameter values were invalid: {0} is not supported by this server")]
    Unsupported(&'static str),
}

/// A thing that a request names and that this server never has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AbsentError {
    /// A global table of the oldest version.
    #[error("Global table not found: Global table with name: '{0}' does not exist.")]
    GlobalTable(String),
    /// The settings of a global table of the oldest version.
    #[error("Global table with name: '{0}' does not exist.")]
    GlobalTableSettings(String),
    /// The replicas of a table.
    #[error("Global table with name: '{0}' does not exist.")]
    Replicas(String),
    /// The policy of a resource.
    #[error("Resource-based policy not found for the provided ResourceArn: {0}")]
    Policy(String),
}
