//! Requests about tables: create, describe, list, update, delete, tag.

use std::collections::BTreeMap;

use super::TimeToLive;

/// The type of a key attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
}

/// The declared type of an attribute that some key uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeDefinition {
    /// Attribute name.
    pub name: String,
    /// Declared type.
    pub scalar: ScalarType,
}

/// The attributes of a key, in order. Tables and local indexes have one partition attribute and at most one
/// sort attribute; global indexes may have up to four of each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeySchema {
    /// Partition (HASH) attributes.
    pub partition: Vec<String>,
    /// Sort (RANGE) attributes.
    pub sort: Vec<String>,
}

/// The attributes of the item that an index entry has besides the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectedAttributes {
    /// Every attribute.
    All,
    /// Only the keys of table and index.
    KeysOnly,
    /// The keys and these attributes.
    Include(Vec<String>),
}

/// Provisioned capacity units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProvisionedThroughput {
    /// Read units a second.
    pub read_units: u64,
    /// Write units a second.
    pub write_units: u64,
}

/// Limits for on-demand tables; `None` means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OnDemandThroughput {
    /// The most read request units a second.
    pub read_units_max: Option<i64>,
    /// The most write request units a second.
    pub write_units_max: Option<i64>,
}

/// The requested warm throughput. It is stored and reported, but has no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WarmThroughput {
    /// Read units a second.
    pub read_units: Option<u64>,
    /// Write units a second.
    pub write_units: Option<u64>,
}

/// How capacity is billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BillingMode {
    /// Capacity is provisioned.
    Provisioned,
    /// Capacity is billed per request.
    PayPerRequest,
}

/// The table's storage class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableClass {
    /// `STANDARD`.
    #[default]
    Standard,
    /// `STANDARD_INFREQUENT_ACCESS`.
    InfrequentAccess,
}

/// The content of a stream's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamView {
    /// The key of the item.
    KeysOnly,
    /// The item after the change.
    NewImage,
    /// The item before the change.
    OldImage,
    /// The item before and after the change.
    NewAndOldImages,
}

impl StreamView {
    /// All views.
    pub const ALL: &'static [StreamView] =
        &[StreamView::KeysOnly, StreamView::NewImage, StreamView::OldImage, StreamView::NewAndOldImages];

    /// DynamoDB's name for it.
    pub fn code(self) -> &'static str {
        match self {
            StreamView::KeysOnly => "KEYS_ONLY",
            StreamView::NewImage => "NEW_IMAGE",
            StreamView::OldImage => "OLD_IMAGE",
            StreamView::NewAndOldImages => "NEW_AND_OLD_IMAGES",
        }
    }

    /// The view with this name.
    pub fn from_code(code: &str) -> Option<StreamView> {
        StreamView::ALL.iter().copied().find(|view| view.code() == code)
    }
}

/// A request for encryption of a table. The tables of a database are either all encrypted or none is. A table that
/// asks for encryption shows it in its description, and can't be created in a database without encryption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EncryptionRequest {
    /// With the database's key.
    On {
        /// The key by its ARN, id or alias. Any key but the database's is refused.
        key: Option<String>,
    },
    /// No request.
    Off,
}

/// The definition of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDefinition {
    /// Index name.
    pub name: String,
    /// Its key.
    pub key: KeySchema,
    /// The attributes of its entries.
    pub projection: ProjectedAttributes,
    /// Provisioned capacity, for global indexes of provisioned tables.
    pub provisioned: Option<ProvisionedThroughput>,
    /// On-demand ceilings.
    pub on_demand: Option<OnDemandThroughput>,
    /// Warm throughput.
    pub warm: Option<WarmThroughput>,
}

/// A tag on a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Key, 1 to 128 characters.
    pub key: String,
    /// Value, up to 256 characters.
    pub value: String,
}

/// Creates a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateTable {
    /// Table name.
    pub name: String,
    /// Types of the key attributes.
    pub attributes: Vec<AttributeDefinition>,
    /// The table's key.
    pub key: KeySchema,
    /// Local indexes.
    pub local_indexes: Vec<IndexDefinition>,
    /// Global indexes.
    pub global_indexes: Vec<IndexDefinition>,
    /// How capacity is billed.
    pub billing: BillingMode,
    /// Provisioned capacity.
    pub provisioned: Option<ProvisionedThroughput>,
    /// On-demand ceilings.
    pub on_demand: Option<OnDemandThroughput>,
    /// Warm throughput.
    pub warm: Option<WarmThroughput>,
    /// Storage class.
    pub class: TableClass,
    /// Refuses the deletion of the table while it is set.
    pub deletion_protection: bool,
    /// Encryption.
    pub encryption: Option<EncryptionRequest>,
    /// The view of its stream, if the table begins with one.
    pub stream: Option<StreamView>,
    /// The table's first tags.
    pub tags: Vec<Tag>,
    /// The attribute by which items expire. DynamoDB has a separate call for this.
    pub time_to_live: Option<String>,
}

impl CreateTable {
    /// An on-demand table with a partition key.
    pub fn new(name: impl Into<String>, partition: impl Into<String>, scalar: ScalarType) -> Self {
        let table = CreateTable {
            name: name.into(),
            attributes: Vec::new(),
            key: KeySchema::default(),
            local_indexes: Vec::new(),
            global_indexes: Vec::new(),
            billing: BillingMode::PayPerRequest,
            provisioned: None,
            on_demand: None,
            warm: None,
            class: TableClass::Standard,
            deletion_protection: false,
            encryption: None,
            stream: None,
            tags: Vec::new(),
            time_to_live: None,
        };
        let partition = partition.into();
        let mut table = table.attribute(partition.clone(), scalar);
        table.key.partition.push(partition);
        table
    }

    /// Adds a sort key.
    pub fn sort_key(self, name: impl Into<String>, scalar: ScalarType) -> Self {
        let name = name.into();
        let mut table = self.attribute(name.clone(), scalar);
        table.key.sort.push(name);
        table
    }

    /// Declares the type of an attribute that an index key uses.
    pub fn attribute(mut self, name: impl Into<String>, scalar: ScalarType) -> Self {
        let name = name.into();
        if !self.attributes.iter().any(|attribute| attribute.name == name) {
            self.attributes.push(AttributeDefinition { name, scalar });
        }
        self
    }

    /// Turns on time to live with an attribute.
    pub fn time_to_live(mut self, attribute: impl Into<String>) -> Self {
        self.time_to_live = Some(attribute.into());
        self
    }

    /// Adds a global index.
    pub fn global_index(mut self, index: IndexDefinition) -> Self {
        self.global_indexes.push(index);
        self
    }

    /// Turns on a stream.
    pub fn stream(mut self, view: StreamView) -> Self {
        self.stream = Some(view);
        self
    }

    /// Adds a local index.
    pub fn local_index(mut self, index: IndexDefinition) -> Self {
        self.local_indexes.push(index);
        self
    }
}

impl IndexDefinition {
    /// An index that projects every attribute.
    pub fn new(name: impl Into<String>, partition: &[&str], sort: &[&str]) -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        IndexDefinition {
            name: name.into(),
            key: KeySchema { partition: names(partition), sort: names(sort) },
            projection: ProjectedAttributes::All,
            provisioned: None,
            on_demand: None,
            warm: None,
        }
    }

    /// Sets the projected attributes.
    pub fn projection(mut self, projection: ProjectedAttributes) -> Self {
        self.projection = projection;
        self
    }
}

impl UpdateTable {
    /// An update that changes nothing yet.
    pub fn new(name: impl Into<String>) -> Self {
        UpdateTable { name: name.into(), ..UpdateTable::default() }
    }

    /// Declares the type of an attribute that a new index uses.
    pub fn attribute(mut self, name: impl Into<String>, scalar: ScalarType) -> Self {
        self.attributes.push(AttributeDefinition { name: name.into(), scalar });
        self
    }

    /// Creates a global index.
    pub fn create_index(mut self, index: IndexCreate) -> Self {
        self.indexes.push(IndexUpdate::Create(index));
        self
    }

    /// Turns the stream on or off.
    pub fn stream(mut self, change: StreamChange) -> Self {
        self.stream = Some(change);
        self
    }

    /// Deletes a global index.
    pub fn delete_index(mut self, name: impl Into<String>) -> Self {
        self.indexes.push(IndexUpdate::Delete { name: name.into() });
        self
    }
}

/// A global index to create on an existing table.
pub type IndexCreate = IndexDefinition;

/// One change to the global indexes of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexUpdate {
    /// Creates the index and fills it in the background.
    Create(IndexCreate),
    /// Changes its throughput settings.
    Update {
        /// Index name.
        name: String,
        /// Provisioned capacity.
        provisioned: Option<ProvisionedThroughput>,
        /// On-demand ceilings.
        on_demand: Option<OnDemandThroughput>,
        /// Warm throughput.
        warm: Option<WarmThroughput>,
    },
    /// Deletes the index. Its entries are removed in the background.
    Delete {
        /// Index name.
        name: String,
    },
}

/// Changes a table's settings or indexes. `None` leaves a setting as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UpdateTable {
    /// Table name.
    pub name: String,
    /// Types for attributes that new indexes use.
    pub attributes: Vec<AttributeDefinition>,
    /// Billing mode.
    pub billing: Option<BillingMode>,
    /// Provisioned capacity.
    pub provisioned: Option<ProvisionedThroughput>,
    /// On-demand ceilings.
    pub on_demand: Option<OnDemandThroughput>,
    /// Warm throughput.
    pub warm: Option<WarmThroughput>,
    /// Index changes.
    pub indexes: Vec<IndexUpdate>,
    /// Storage class.
    pub class: Option<TableClass>,
    /// Deletion protection.
    pub deletion_protection: Option<bool>,
    /// Encryption.
    pub encryption: Option<EncryptionRequest>,
    /// The stream.
    pub stream: Option<StreamChange>,
}

/// A change of a table's stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamChange {
    /// A new stream begins.
    Enable(StreamView),
    /// The stream ends. It can still be read for 24 hours.
    Disable,
}

/// Lists table names in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListTables {
    /// Start after this name, whether or not it exists.
    pub start_after: Option<String>,
    /// At most this many (1 to 100; 100 if not given).
    pub limit: Option<usize>,
}

/// A page of table names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListTablesOutcome {
    /// The names.
    pub names: Vec<String>,
    /// Where the next page starts, if there is one.
    pub last: Option<String>,
}

/// The status of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableStatus {
    /// Being created.
    Creating,
    /// Settings or indexes are changing.
    Updating,
    /// Being deleted.
    Deleting,
    /// Ready.
    Active,
}

/// The status of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexStatus {
    /// Being filled.
    Creating,
    /// Its settings are changing.
    Updating,
    /// Its entries are being removed.
    Deleting,
    /// Ready.
    Active,
}

/// A description of an index.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexDescription {
    /// Its definition.
    pub definition: IndexDefinition,
    /// Resource name.
    pub arn: String,
    /// Status.
    pub status: IndexStatus,
    /// Whether existing items are being added now.
    pub backfilling: Option<bool>,
    /// Entries.
    pub item_count: u64,
    /// Bytes, as DynamoDB counts them.
    pub size_bytes: u64,
}

/// A description of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableDescription {
    /// Table name.
    pub name: String,
    /// Resource name.
    pub arn: String,
    /// The id of this table (a UUID). A new table with the same name gets another.
    pub id: String,
    /// Status.
    pub status: TableStatus,
    /// Creation time in milliseconds since 1970.
    pub created_ms: u64,
    /// Types of the key attributes.
    pub attributes: Vec<AttributeDefinition>,
    /// The table's key.
    pub key: KeySchema,
    /// Local indexes.
    pub local_indexes: Vec<IndexDescription>,
    /// Global indexes.
    pub global_indexes: Vec<IndexDescription>,
    /// Billing mode.
    pub billing: BillingMode,
    /// When the table last became pay-per-request, in milliseconds since 1970.
    pub on_demand_since_ms: Option<u64>,
    /// Provisioned capacity (zeros for on-demand tables).
    pub provisioned: ProvisionedThroughput,
    /// When provisioned capacity was last raised or lowered, in milliseconds, and how often lowered today.
    pub last_increase_ms: Option<u64>,
    /// See `last_increase_ms`.
    pub last_decrease_ms: Option<u64>,
    /// Decreases since midnight UTC.
    pub decreases_today: u64,
    /// On-demand limits.
    pub on_demand: Option<OnDemandThroughput>,
    /// The requested warm throughput.
    pub warm: Option<WarmThroughput>,
    /// Storage class; `None` if it was never set.
    pub class: Option<TableClass>,
    /// Deletion protection.
    pub deletion_protection: bool,
    /// The ARN of the database's key, if the table asked for encryption.
    pub key_arn: Option<String>,
    /// The view of the stream, if it is on.
    pub stream: Option<StreamView>,
    /// The label of the stream, or of the last one if it is off.
    pub latest_stream_label: Option<String>,
    /// Items.
    pub item_count: u64,
    /// Bytes, as DynamoDB counts them.
    pub size_bytes: u64,
    /// Tags, by key.
    pub tags: BTreeMap<String, String>,
    /// Time to live.
    pub time_to_live: TimeToLive,
    /// The source of the table, if it was restored.
    pub restore: Option<RestoreSummary>,
}

/// The source of a restored table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreSummary {
    /// The ARN of the source table.
    pub source_table_arn: String,
    /// The ARN of the backup, if it was restored from one.
    pub source_backup_arn: Option<String>,
    /// The moment of the source that was restored, in milliseconds since 1970.
    pub time_ms: u64,
    /// Whether the items are still being written.
    pub in_progress: bool,
}

/// Differences between a restored table and its source. `None` keeps the source's setting.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RestoreOverrides {
    /// Billing mode.
    pub billing: Option<BillingMode>,
    /// Provisioned capacity.
    pub provisioned: Option<ProvisionedThroughput>,
    /// On-demand limits.
    pub on_demand: Option<OnDemandThroughput>,
    /// The global indexes of the source that the new table has.
    pub global_indexes: Option<Vec<IndexDefinition>>,
    /// The local indexes of the source that the new table has.
    pub local_indexes: Option<Vec<IndexDefinition>>,
    /// Encryption.
    pub encryption: Option<EncryptionRequest>,
}

impl TableDescription {
    /// Returns the ARN of the stream, or of the last one if it is off.
    pub fn latest_stream_arn(&self) -> Option<String> {
        self.latest_stream_label.as_ref().map(|label| format!("{}/stream/{label}", self.arn))
    }
}
