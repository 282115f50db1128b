//! Tables and indexes: their settings, their rows, and how they are changed, described and stored.

mod alter;
mod codec;
mod create;
mod definition;
mod describe;
mod key;
mod recovery;
mod row;
mod time_to_live;
mod validate;

use std::collections::BTreeMap;

pub(crate) use codec::{get_number, get_text, put, put_some, text};
pub(crate) use create::Birth;
pub(crate) use key::{KeyAttribute, KeyProblem, KeyShape, set_partition_hash};
pub(crate) use recovery::{PERIOD_DAYS, PERIOD_DAYS_DEFAULT, RecoverySetting};
pub(crate) use row::{Entries, IndexEntry, check_levels, check_size};
pub use time_to_live::expired_seconds;

use crate::keyspace::RowSpace;
use crate::request::{
    AttributeDefinition, BillingMode, OnDemandThroughput, ProjectedAttributes, ProvisionedThroughput,
    StreamView, TableClass, WarmThroughput,
};

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// Its number in the keyspace, which is never reused.
    pub(crate) number: u32,
    pub(crate) name: String,
    pub(crate) arn: String,
    pub(crate) id: String,
    pub(crate) created_ms: u64,
    pub(crate) attributes: Vec<AttributeDefinition>,
    pub(crate) key: KeyShape,
    /// Local indexes first, then global ones in the order of their creation.
    pub(crate) indexes: Vec<Index>,
    /// The number of the next index.
    pub(crate) next_index: u16,
    pub(crate) settings: Settings,
    pub(crate) tags: BTreeMap<String, String>,
    /// The source of the first items, if the table didn't begin empty.
    pub(crate) restored: Option<Restored>,
}

/// The source of the first items of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Restored {
    pub(crate) source: LoadSource,
    /// Whether they are still being loaded. Until then the table can't be read or written.
    pub(crate) loading: bool,
}

/// The source of a load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LoadSource {
    /// A backup of a table at a time.
    Backup { table_arn: String, backup_arn: String, time_ms: u64 },
    /// The state of a table at a time.
    PointInTime { table_arn: String, time_ms: u64 },
    /// Files. The import has the details.
    Import,
}

/// Settings of a table that don't affect its data.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub(crate) billing: BillingMode,
    pub(crate) on_demand_since_ms: Option<u64>,
    pub(crate) provisioned: ProvisionedThroughput,
    pub(crate) last_increase_ms: Option<u64>,
    pub(crate) last_decrease_ms: Option<u64>,
    pub(crate) decreases_today: u64,
    pub(crate) on_demand: Option<OnDemandThroughput>,
    pub(crate) warm: Option<WarmThroughput>,
    pub(crate) class: Option<TableClass>,
    pub(crate) deletion_protection: bool,
    /// Whether encryption was requested for the table.
    pub(crate) encrypted: bool,
    /// The stream, if it is on.
    pub(crate) stream: Option<StreamSetting>,
    /// The label of the stream, or of the last one if it is off.
    pub(crate) latest_stream_label: Option<String>,
    /// Time to live, if it is on.
    pub(crate) ttl: Option<TtlSetting>,
    /// When a separate call last turned it on or off.
    pub(crate) ttl_changed_ms: Option<u64>,
    /// Point-in-time recovery, if it is on.
    pub(crate) recovery: Option<RecoverySetting>,
    /// The backup schedule.
    pub(crate) schedule: Option<ScheduleSetting>,
}

/// A stream that is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StreamSetting {
    pub(crate) view: StreamView,
    /// The time at which it was turned on, as text. It distinguishes the streams of a table.
    pub(crate) label: String,
}

/// Time to live by an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TtlSetting {
    pub(crate) attribute: String,
    pub(crate) state: TtlState,
}

/// The state of time to live. Writes maintain expiry times in all states but the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TtlState {
    /// The expiry times of items up to this row key are recorded.
    Enabling {
        filled_to: Vec<u8>,
    },
    Enabled,
    /// The expiry times are being removed.
    Disabling,
}

/// A backup schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScheduleSetting {
    pub(crate) every_ms: u64,
    pub(crate) keep_ms: u64,
}

impl Settings {
    /// Whether the log records the item before and after each change, because a stream or recovery reads it.
    pub(crate) fn records_changes(&self) -> bool {
        self.stream.is_some() || self.recovery.is_some()
    }
}

/// An index of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Index {
    /// Its number in the table's keyspace, which is never reused.
    pub(crate) number: u16,
    pub(crate) name: String,
    pub(crate) local: bool,
    pub(crate) key: KeyShape,
    pub(crate) projection: ProjectedAttributes,
    pub(crate) state: IndexState,
    pub(crate) provisioned: Option<ProvisionedThroughput>,
    pub(crate) on_demand: Option<OnDemandThroughput>,
    pub(crate) warm: Option<WarmThroughput>,
}

/// The state of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IndexState {
    /// Items up to this row key of the table are in the index.
    Creating {
        filled_to: Vec<u8>,
    },
    Active,
    /// Its entries are being removed. It is no longer maintained or read.
    Deleting,
}

impl Table {
    /// The space of the table's items.
    pub(crate) fn items(&self) -> RowSpace {
        RowSpace::items(self.number)
    }

    /// The space of an index's entries.
    pub(crate) fn entries(&self, index: &Index) -> RowSpace {
        RowSpace::index(self.number, index.number)
    }

    /// Finds an index by name.
    pub(crate) fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// The indexes that every write maintains.
    pub(crate) fn kept_indexes(&self) -> impl Iterator<Item = &Index> {
        self.indexes.iter().filter(|index| index.state != IndexState::Deleting)
    }

    /// Whether the table's first items are still being loaded.
    pub(crate) fn is_loading(&self) -> bool {
        self.restored.as_ref().is_some_and(|restored| restored.loading)
    }

    /// Whether the table has local indexes, and so item collections of limited size.
    pub(crate) fn has_collections(&self) -> bool {
        self.indexes.iter().any(|index| index.local)
    }
}

impl Index {
    /// Whether the item in this row is in the index if it has the index's key.
    pub(crate) fn covers(&self, row: &[u8]) -> bool {
        match &self.state {
            IndexState::Active => true,
            IndexState::Creating { filled_to } => row <= filled_to.as_slice(),
            IndexState::Deleting => false,
        }
    }

    /// Whether the index's entries have an attribute.
    pub(crate) fn projects(&self, table: &Table, name: &str) -> bool {
        match &self.projection {
            ProjectedAttributes::All => true,
            ProjectedAttributes::KeysOnly => self.is_key(table, name),
            ProjectedAttributes::Include(names) => {
                self.is_key(table, name) || names.iter().any(|included| included == name)
            }
        }
    }

    fn is_key(&self, table: &Table, name: &str) -> bool {
        self.key.contains(name) || table.key.contains(name)
    }
}
