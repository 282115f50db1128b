//! Tables as a design wants them and as a store has them.

use singlet_engine::Schedule;

use crate::model::{KeyAttribute, Projection};

/// What a table is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableShape {
    /// Table name.
    pub name: String,
    /// Partition key.
    pub partition: KeyAttribute,
    /// Sort key.
    pub sort: Option<KeyAttribute>,
    /// Its indexes.
    pub indexes: Vec<IndexShape>,
    /// Refuses deletion.
    pub protected: bool,
    /// Time-to-live attribute.
    pub ttl: Option<String>,
    /// Has a stream of new and old images.
    pub stream: bool,
    /// For how many days it can be had back as it was at any moment.
    pub recovery_days: Option<u32>,
    /// When backups are taken by themselves, and how long they are kept.
    pub backup: Option<Schedule>,
}

/// What an index is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexShape {
    /// Index name.
    pub name: String,
    /// Partition attributes.
    pub partition: Vec<KeyAttribute>,
    /// Sort attributes.
    pub sort: Vec<KeyAttribute>,
    /// What its entries carry.
    pub projection: Projection,
    /// Shares the table's partition key.
    pub local: bool,
}

/// A table that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableState {
    /// What it is made of. `ttl` and `stream` are as far as the store tells.
    pub shape: TableShape,
    /// Ready for reads and writes.
    pub active: bool,
    /// The states of its indexes, in the order of `shape.indexes`.
    pub indexes: Vec<IndexState>,
    /// How many items it has, about.
    pub items: u64,
}

/// How far an index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexState {
    /// It is being filled.
    Creating,
    /// It can be queried.
    Active,
    /// It is going away.
    Deleting,
}

/// One change to a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableChange {
    /// Creates it with its indexes, on demand, and waits until it is ready.
    Create(TableShape),
    /// Adds a global index; it is filled in the background.
    CreateIndex {
        /// Table name.
        table: String,
        /// The index.
        index: IndexShape,
    },
    /// Takes a global index away.
    DeleteIndex {
        /// Table name.
        table: String,
        /// Index name.
        index: String,
    },
    /// Sets deletion protection.
    Protect {
        /// Table name.
        table: String,
        /// On or off.
        protected: bool,
    },
    /// Sets the time-to-live attribute.
    TimeToLive {
        /// Table name.
        table: String,
        /// The attribute; `None` turns it off.
        attribute: Option<String>,
    },
    /// Turns the stream on or off.
    Stream {
        /// Table name.
        table: String,
        /// On or off.
        enabled: bool,
    },
    /// Turns point-in-time recovery on, or changes how far it reaches.
    Recovery {
        /// Table name.
        table: String,
        /// For how many days moments can be recovered.
        days: u32,
    },
    /// Sets when backups are taken by themselves.
    Backup {
        /// Table name.
        table: String,
        /// The schedule; `None` ends it.
        schedule: Option<Schedule>,
    },
    /// Deletes the table with its data.
    Delete {
        /// Table name.
        table: String,
    },
}

impl TableChange {
    /// The table it is about.
    pub fn table(&self) -> &str {
        match self {
            TableChange::Create(shape) => &shape.name,
            TableChange::CreateIndex { table, .. }
            | TableChange::DeleteIndex { table, .. }
            | TableChange::Protect { table, .. }
            | TableChange::TimeToLive { table, .. }
            | TableChange::Stream { table, .. }
            | TableChange::Recovery { table, .. }
            | TableChange::Backup { table, .. }
            | TableChange::Delete { table } => table,
        }
    }
}
