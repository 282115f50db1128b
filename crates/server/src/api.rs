//! The interface to the protocol behind the server.

use std::future::Future;

use singlet_wire::{AnswerRoom, Operation, Reply};

/// A database behind its protocol. The server knows it only through this trait.
pub trait Api: Send + Sync + 'static {
    /// Answers one call: the operation in the target header, and the decompressed body. Large answers reserve memory in
    /// `room` first.
    fn call(
        &self,
        operation: Operation,
        body: &[u8],
        room: &dyn AnswerRoom,
    ) -> impl Future<Output = Reply> + Send;

    /// The figures of the database for the metrics page.
    fn statistics(&self) -> Statistics;
}

/// Sizes of the stored data.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// Every table.
    pub tables: Vec<TableStatistics>,
    /// Figures of the storage.
    pub storage: Vec<StorageFigure>,
    /// The derived data of each design that is served.
    pub derived: Vec<DerivedStatistics>,
    /// The archives and receivers of each design that is served.
    pub outlets: Vec<OutletStatistics>,
    /// The patterns that were called.
    pub patterns: Vec<PatternStatistics>,
}

/// How far an archive or a receiver of a design is.
#[derive(Debug, Clone, Default)]
pub struct OutletStatistics {
    /// The design's name.
    pub design: String,
    /// `archive`, or the name of the receiver.
    pub outlet: String,
    /// How old the last change is that was taken in, while there are more. 0 if there are none.
    pub lag_seconds: f64,
    /// The items that were archived, or the changes that were delivered.
    pub done: u64,
    /// The changes that couldn't be delivered.
    pub dead: u64,
    /// The attempts that failed.
    pub failures: u64,
    /// How often changes were missed, because the change feed no longer had them.
    pub gaps: u64,
}

/// The calls of a pattern.
#[derive(Debug, Clone, Default)]
pub struct PatternStatistics {
    /// The design's name.
    pub design: String,
    /// The pattern's name.
    pub pattern: String,
    /// The time in which the design wants it to be answered.
    pub within_seconds: Option<f64>,
    /// For each bound in seconds, the calls that took at most that long. The last bound is infinite.
    pub buckets: Vec<(f64, u64)>,
    /// The calls.
    pub calls: u64,
    /// The time that they took together.
    pub seconds: f64,
    /// The calls that took longer than the design wants.
    pub late: u64,
    /// The calls that were refused.
    pub refused: u64,
    /// The calls that failed.
    pub failed: u64,
}

/// How far the derived data of a design is.
#[derive(Debug, Clone, Default)]
pub struct DerivedStatistics {
    /// The design's name.
    pub design: String,
    /// How old the last change is that was taken in, while there are more. 0 if there are none.
    pub lag_seconds: f64,
    /// The changes of items that were taken in.
    pub changes: u64,
    /// The transactions with their effects.
    pub batches: u64,
    /// The items that these wrote to.
    pub effects: u64,
    /// The effects that items couldn't take.
    pub refused: u64,
    /// The attempts that failed.
    pub failures: u64,
}

/// The size of a table and its indexes.
#[derive(Debug, Clone, Default)]
pub struct TableStatistics {
    /// The table's name.
    pub name: String,
    /// The number of items.
    pub items: u64,
    /// The size of the items, as DynamoDB counts it.
    pub bytes: u64,
    /// The number of items that have expired since the start.
    pub expired: u64,
    /// Its indexes.
    pub indexes: Vec<IndexStatistics>,
}

/// The size of an index.
#[derive(Debug, Clone, Default)]
pub struct IndexStatistics {
    /// The index's name.
    pub name: String,
    /// The number of entries.
    pub items: u64,
    /// The size of the entries.
    pub bytes: u64,
}

/// One figure of the storage.
#[derive(Debug, Clone)]
pub struct StorageFigure {
    /// The metric's name after `singlet_storage_`. The name of a counter ends in `_total`.
    pub name: &'static str,
    /// The help text, one sentence.
    pub help: &'static str,
    /// The figure.
    pub value: f64,
}
