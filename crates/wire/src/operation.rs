//! The operations of the protocol: a closed list. The target header names one.

/// The version prefix of the targets of tables and items.
const TARGET_PREFIX: &str = "DynamoDB_20120810.";
/// The version prefix of the targets of streams, which are a separate service.
const STREAMS_TARGET_PREFIX: &str = "DynamoDBStreams_20120810.";

macro_rules! operations {
    ($($name:ident: $access:ident,)*) => {
        /// One operation of the DynamoDB protocol that this crate serves.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Operation {
            $(#[doc = concat!("`", stringify!($name), "`.")] $name,)*
        }

        impl Operation {
            /// Every operation, in alphabetical order.
            pub const ALL: &'static [Operation] = &[$(Operation::$name,)*];

            /// The operation's name, as in the target header.
            pub fn name(self) -> &'static str {
                match self {
                    $(Operation::$name => stringify!($name),)*
                }
            }

            fn from_name(name: &str) -> Option<Operation> {
                match name {
                    $(stringify!($name) => Some(Operation::$name),)*
                    _ => None,
                }
            }

            /// Whether the operation changes the database.
            pub(crate) fn access(self) -> Access {
                match self {
                    $(Operation::$name => Access::$access,)*
                }
            }
        }
    };
}

/// Whether an operation changes the database, which decides who may call it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// It doesn't.
    Read,
    /// It does.
    Write,
    /// The statements of the request decide.
    Statements,
}

operations! {
    BatchExecuteStatement: Statements,
    BatchGetItem: Read,
    BatchWriteItem: Write,
    CreateBackup: Write,
    CreateGlobalTable: Write,
    CreateTable: Write,
    DeleteBackup: Write,
    DeleteItem: Write,
    DeleteResourcePolicy: Write,
    DeleteTable: Write,
    DescribeBackup: Read,
    DescribeContinuousBackups: Read,
    DescribeContributorInsights: Read,
    DescribeEndpoints: Read,
    DescribeExport: Read,
    DescribeGlobalTable: Read,
    DescribeGlobalTableSettings: Read,
    DescribeImport: Read,
    DescribeKinesisStreamingDestination: Read,
    DescribeLimits: Read,
    DescribeStream: Read,
    DescribeTable: Read,
    DescribeTableReplicaAutoScaling: Read,
    DescribeTimeToLive: Read,
    DisableKinesisStreamingDestination: Write,
    EnableKinesisStreamingDestination: Write,
    ExecuteStatement: Statements,
    ExecuteTransaction: Statements,
    ExportTableToPointInTime: Write,
    GetItem: Read,
    GetRecords: Read,
    GetResourcePolicy: Read,
    GetShardIterator: Read,
    ImportTable: Write,
    ListBackups: Read,
    ListContributorInsights: Read,
    ListExports: Read,
    ListGlobalTables: Read,
    ListImports: Read,
    ListStreams: Read,
    ListTables: Read,
    ListTagsOfResource: Read,
    PutItem: Write,
    PutResourcePolicy: Write,
    Query: Read,
    RestoreTableFromBackup: Write,
    RestoreTableToPointInTime: Write,
    Scan: Read,
    TagResource: Write,
    TransactGetItems: Read,
    TransactWriteItems: Write,
    UntagResource: Write,
    UpdateContinuousBackups: Write,
    UpdateContributorInsights: Write,
    UpdateGlobalTable: Write,
    UpdateItem: Write,
    UpdateKinesisStreamingDestination: Write,
    UpdateTable: Write,
    UpdateTimeToLive: Write,
}

impl Operation {
    /// The operation that an `X-Amz-Target` header names.
    pub fn from_target(target: &str) -> Option<Operation> {
        let (_, name) = target.split_once('.')?;
        let operation = Operation::from_name(name)?;
        (target.strip_suffix(name) == Some(operation.target_prefix())).then_some(operation)
    }

    /// The prefix of the name in the target header.
    fn target_prefix(self) -> &'static str {
        match self {
            Operation::DescribeStream
            | Operation::GetRecords
            | Operation::GetShardIterator
            | Operation::ListStreams => STREAMS_TARGET_PREFIX,
            _ => TARGET_PREFIX,
        }
    }

    /// Whether the operation changes data or tables, whatever the request. A read-only caller may not call it then.
    pub fn is_write(self) -> bool {
        self.access() == Access::Write
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_found_by_its_own_target() {
        for operation in Operation::ALL {
            let target = format!("{}{}", operation.target_prefix(), operation.name());
            assert_eq!(Operation::from_target(&target), Some(*operation));
        }
    }

    #[test]
    fn other_targets_name_no_operation() {
        for target in [
            "",
            "GetItem",
            "DynamoDB_20120810.",
            "DynamoDB_20111205.GetItem",
            "DynamoDB_20120810.getItem",
            "DynamoDB_20120810.GetRecords",
            "DynamoDBStreams_20120810.GetItem",
        ] {
            assert_eq!(Operation::from_target(target), None, "{target}");
        }
    }
}
