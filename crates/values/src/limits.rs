//! The limits of DynamoDB that more than one crate has to know.
//!
//! The engine and the wire protocol enforce them, runs split their requests by them, and the review warns before a
//! design reaches them. Each is written here only.

/// Bytes of the largest item, with its attribute names.
pub const ITEM_BYTES_MAX: usize = 400 * 1024;

/// Bytes that one request of a query or scan reads at most.
pub const PAGE_BYTES_MAX: usize = 1024 * 1024;

/// Bytes of the longest value of a partition key attribute.
pub const PARTITION_KEY_BYTES_MAX: usize = 2048;

/// Bytes of the longest value of a sort key attribute.
pub const SORT_KEY_BYTES_MAX: usize = 1024;

/// Bytes of the largest number, as DynamoDB counts it.
pub const NUMBER_BYTES_MAX: usize = 21;

/// Read units that one partition key serves in a second.
pub const PARTITION_READ_UNITS_MAX: u32 = 3_000;

/// Write units that one partition key serves in a second.
pub const PARTITION_WRITE_UNITS_MAX: u32 = 1_000;

/// Bytes of all items under one partition key of a table with a local index.
pub const COLLECTION_BYTES_MAX: u64 = 10 * 1024 * 1024 * 1024;

/// Global secondary indexes of one table.
pub const GLOBAL_INDEXES_MAX: usize = 20;

/// Local secondary indexes of one table.
pub const LOCAL_INDEXES_MAX: usize = 5;

/// Attributes that the projections of one table's indexes name, in total.
pub const PROJECTED_ATTRIBUTES_MAX: usize = 100;

/// Attributes of the partition key, or of the sort key, of a global index.
pub const GLOBAL_KEY_ATTRIBUTES_MAX: usize = 4;

/// Keys of one batch get.
pub const BATCH_GET_KEYS_MAX: usize = 100;

/// Writes of one batch.
pub const BATCH_WRITE_ACTIONS_MAX: usize = 25;

/// Actions of one transaction, and keys of one transactional get.
pub const TRANSACTION_ACTIONS_MAX: usize = 100;

/// Bytes of all items of one transaction.
pub const TRANSACTION_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Bytes of one expression.
pub const EXPRESSION_BYTES_MAX: usize = 4096;

/// Operators and functions of one expression.
pub const EXPRESSION_OPERATORS_MAX: usize = 300;

/// Values behind one `IN`.
pub const EXPRESSION_IN_MAX: usize = 100;
