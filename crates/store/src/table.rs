//! Tables as they are wanted and as a store has them.

use std::fmt;

use singlet_engine::{AttributeDefinition, ProjectedAttributes, ProvisionedThroughput, ScalarType, Schedule};

/// The definition of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableShape {
    /// Table name.
    pub name: String,
    /// Partition key.
    pub partition: AttributeDefinition,
    /// Sort key.
    pub sort: Option<AttributeDefinition>,
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
    /// Provisioned capacity; `None` is on demand.
    pub throughput: Option<ProvisionedThroughput>,
}

impl TableShape {
    /// Its key, for people: `key PK, SK`.
    pub fn key_in_words(&self) -> String {
        key_in_words(std::slice::from_ref(&self.partition), self.sort.as_slice())
    }
}

/// The definition of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexShape {
    /// Index name.
    pub name: String,
    /// Partition attributes.
    pub partition: Vec<AttributeDefinition>,
    /// Sort attributes.
    pub sort: Vec<AttributeDefinition>,
    /// The attributes of its entries.
    pub projection: ProjectedAttributes,
    /// Shares the table's partition key.
    pub local: bool,
    /// Provisioned capacity of a global index of a table that has some.
    pub throughput: Option<ProvisionedThroughput>,
}

impl IndexShape {
    /// Whether some part of its key has several attributes.
    pub fn is_multi_attribute(&self) -> bool {
        self.partition.len() > 1 || self.sort.len() > 1
    }

    /// Whether another index has the same key and carries the same; the order of included attributes means nothing, and
    /// its capacity can be changed.
    pub fn matches(&self, other: &IndexShape) -> bool {
        self.partition == other.partition
            && self.sort == other.sort
            && self.local == other.local
            && sorted(&self.projection) == sorted(&other.projection)
    }

    /// Its key and what it carries, for people: `key GSI1PK, GSI1SK; carries only keys`.
    pub fn in_words(&self) -> String {
        let key = key_in_words(&self.partition, &self.sort);
        match &self.projection {
            ProjectedAttributes::All => key,
            ProjectedAttributes::KeysOnly => format!("{key}; carries only keys"),
            ProjectedAttributes::Include(attributes) => format!("{key}; carries {}", attributes.join(", ")),
        }
    }
}

/// A table that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableState {
    /// Its definition. `ttl` and `stream` are as far as the store tells.
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
    /// Creates it with its indexes, and waits until it is ready.
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
    /// Turns point-in-time recovery on or off, or changes how far it reaches.
    Recovery {
        /// Table name.
        table: String,
        /// For how many days moments can be recovered; `None` turns it off and deletes the history.
        days: Option<u32>,
    },
    /// Sets when backups are taken by themselves.
    Backup {
        /// Table name.
        table: String,
        /// The schedule; `None` ends it.
        schedule: Option<Schedule>,
    },
    /// Changes the capacity of the table or of global indexes.
    Capacity {
        /// Table name.
        table: String,
        /// The change.
        change: CapacityChange,
    },
    /// Deletes the table with its data.
    Delete {
        /// Table name.
        table: String,
    },
}

/// A change of capacity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CapacityChange {
    /// Capacity is billed on demand.
    OnDemand,
    /// Capacity is provisioned. A table that was on demand needs a value for itself and for each of its global indexes;
    /// later only those that change, because a value that is set again is refused.
    Provisioned {
        /// The capacity of the table.
        own: Option<ProvisionedThroughput>,
        /// The capacity of global indexes, by name.
        indexes: Vec<(String, ProvisionedThroughput)>,
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
            | TableChange::Capacity { table, .. }
            | TableChange::Delete { table } => table,
        }
    }
}

/// In one line, for people.
impl fmt::Display for TableChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableChange::Create(shape) => write!(f, "create the table {}", shape.name),
            TableChange::CreateIndex { table, index } => write!(f, "add the index {} to {table}", index.name),
            TableChange::DeleteIndex { table, index } => write!(f, "delete the index {index} of {table}"),
            TableChange::Protect { table, protected: true } => write!(f, "protect {table} from deletion"),
            TableChange::Protect { table, protected: false } => {
                write!(f, "end the protection of {table} from deletion")
            }
            TableChange::TimeToLive { table, attribute: Some(attribute) } => {
                write!(f, "let items of {table} expire by {attribute}")
            }
            TableChange::TimeToLive { table, attribute: None } => {
                write!(f, "end the time to live of {table}")
            }
            TableChange::Stream { table, enabled: true } => write!(f, "turn on the stream of {table}"),
            TableChange::Stream { table, enabled: false } => write!(f, "turn off the stream of {table}"),
            TableChange::Recovery { table, days: Some(days) } => {
                write!(f, "keep every moment of {table} for {days} days")
            }
            TableChange::Recovery { table, days: None } => {
                write!(f, "turn off point-in-time recovery of {table} and delete its history")
            }
            TableChange::Backup { table, schedule: Some(schedule) } => {
                write!(f, "back up {table} {schedule}")
            }
            TableChange::Backup { table, schedule: None } => {
                write!(f, "end the backups of {table} by schedule")
            }
            TableChange::Capacity { table, change: CapacityChange::OnDemand } => {
                write!(f, "bill the capacity of {table} on demand")
            }
            TableChange::Capacity { table, change: CapacityChange::Provisioned { own, indexes } } => {
                let words =
                    |units: &ProvisionedThroughput| format!("{}/{}", units.read_units, units.write_units);
                let indexes = indexes.iter().map(|(name, units)| format!("{name} {}", words(units)));
                let each: Vec<String> = own.iter().map(words).chain(indexes).collect();
                write!(f, "set the read/write capacity of {table}: {}", each.join(", "))
            }
            TableChange::Delete { table } => write!(f, "delete the table {table} with its data"),
        }
    }
}

/// A key for people: `key PK, SK`, `key (tenant, region), city`, `key device, at (number)`.
fn key_in_words(partition: &[AttributeDefinition], sort: &[AttributeDefinition]) -> String {
    let parts: Vec<String> =
        [partition, sort].into_iter().filter(|part| !part.is_empty()).map(part_in_words).collect();
    format!("key {}", parts.join(", "))
}

fn part_in_words(part: &[AttributeDefinition]) -> String {
    let names: Vec<String> = part.iter().map(attribute_in_words).collect();
    if names.len() > 1 { format!("({})", names.join(", ")) } else { names.concat() }
}

fn attribute_in_words(attribute: &AttributeDefinition) -> String {
    match attribute.scalar {
        ScalarType::S => attribute.name.clone(),
        ScalarType::N => format!("{} [number]", attribute.name),
        ScalarType::B => format!("{} [binary]", attribute.name),
    }
}

fn sorted(projection: &ProjectedAttributes) -> ProjectedAttributes {
    let mut projection = projection.clone();
    if let ProjectedAttributes::Include(attributes) = &mut projection {
        attributes.sort();
        attributes.dedup();
    }
    projection
}
