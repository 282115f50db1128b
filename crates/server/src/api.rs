//! What the server needs of the protocol behind it.

use std::future::Future;

use singlet_wire::{AnswerRoom, Operation, Reply};

/// A database behind its protocol. The server knows it only through this trait.
pub trait Api: Send + Sync + 'static {
    /// Answers one call: the operation that the target header names, and the body, decompressed. What may be large asks
    /// `room` for memory first.
    fn call(
        &self,
        operation: Operation,
        body: &[u8],
        room: &dyn AnswerRoom,
    ) -> impl Future<Output = Reply> + Send;

    /// What the metrics page shows of the database.
    fn statistics(&self) -> Statistics;
}

/// Sizes of what is stored.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// Every table.
    pub tables: Vec<TableStatistics>,
    /// Figures of the storage.
    pub storage: Vec<StorageFigure>,
}

/// The size of a table and its indexes.
#[derive(Debug, Clone, Default)]
pub struct TableStatistics {
    /// The table's name.
    pub name: String,
    /// How many items it holds.
    pub items: u64,
    /// How many bytes they have, as DynamoDB counts them.
    pub bytes: u64,
    /// How many items have expired since the start.
    pub expired: u64,
    /// Its indexes.
    pub indexes: Vec<IndexStatistics>,
}

/// The size of an index.
#[derive(Debug, Clone, Default)]
pub struct IndexStatistics {
    /// The index's name.
    pub name: String,
    /// How many entries it holds.
    pub items: u64,
    /// How many bytes they have.
    pub bytes: u64,
}

/// One figure of the storage.
#[derive(Debug, Clone)]
pub struct StorageFigure {
    /// The metric's name after `singlet_storage_`; what only grows ends in `_total`.
    pub name: &'static str,
    /// What it says, in a sentence.
    pub help: &'static str,
    /// The figure.
    pub value: f64,
}
