//! Changes to a table: settings, capacity, global indexes, tags.

use std::collections::BTreeSet;

use super::create::merge_tags;
use super::validate::{GLOBAL_INDEXES_MAX, check_index, check_projected_count, shape};
use super::{Index, IndexState, KeyAttribute, KeyShape, Settings, Table};
use crate::error::{Error, Invalid, Result, SchemaError};
use crate::request::{
    AttributeDefinition, BillingMode, EncryptionRequest, IndexDefinition, IndexUpdate, OnDemandThroughput,
    ProvisionedThroughput, Tag, UpdateTable, WarmThroughput,
};

const MILLISECONDS_PER_DAY: u64 = 86_400_000;
const ONE_INDEX_AT_A_TIME: &str =
    "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table";

/// New settings of one index.
struct IndexSettings {
    provisioned: Option<ProvisionedThroughput>,
    on_demand: Option<OnDemandThroughput>,
    warm: Option<WarmThroughput>,
}

impl Table {
    /// Returns the table after an update.
    pub(crate) fn alter(&self, request: UpdateTable, time_ms: u64) -> Result<Table> {
        let mut table = self.clone();
        check_asks_something(&request)?;
        check_one_index_at_a_time(self, &request.indexes)?;
        table.settings.alter(&request, time_ms)?;
        table.define(&request)?;
        table.drop_ceilings_if_provisioned();
        for update in request.indexes {
            table.alter_index(update)?;
        }
        table.check_index_capacity()?;
        table.drop_unused_definitions();
        check_projected_count(table.indexes.iter().map(|index| &index.projection))?;
        Ok(table)
    }

    /// Returns the table with these tags set.
    pub(crate) fn tag(&self, tags: &[Tag]) -> Result<Table> {
        Ok(Table { tags: merge_tags(&self.tags, tags)?, ..self.clone() })
    }

    /// Returns the table without these tags.
    pub(crate) fn untag(&self, keys: &[String]) -> Table {
        let mut table = self.clone();
        table.tags.retain(|key, _| !keys.contains(key));
        table
    }

    /// Returns the table with another state of one index.
    pub(crate) fn with_index_state(&self, number: u16, state: IndexState) -> Table {
        let mut table = self.clone();
        for index in table.indexes.iter_mut().filter(|index| index.number == number) {
            index.state = state.clone();
        }
        table
    }

    /// Returns the table without an index whose entries are removed.
    pub(crate) fn without_index(&self, number: u16) -> Table {
        let mut table = self.clone();
        table.indexes.retain(|index| index.number != number);
        table.drop_unused_definitions();
        table
    }

    fn define(&mut self, request: &UpdateTable) -> Result<(), SchemaError> {
        for definition in &request.attributes {
            match self.attributes.iter().find(|known| known.name == definition.name) {
                None => self.attributes.push(definition.clone()),
                Some(known) if known.scalar == definition.scalar => {}
                Some(_) => return Err(self.redefined(definition, request)),
            }
        }
        Ok(())
    }

    /// The error for a new type of a key attribute. It shows the key that has the attribute, and the new one.
    fn redefined(&self, definition: &AttributeDefinition, request: &UpdateTable) -> SchemaError {
        let keys = std::iter::once(&self.key).chain(self.indexes.iter().map(|index| &index.key));
        let existing = keys.into_iter().find(|key| key.contains(&definition.name)).unwrap_or(&self.key);
        let created = request.indexes.iter().find_map(|update| match update {
            IndexUpdate::Create(index) => {
                shape(&index.key, &request.attributes).filter(|key| key.contains(&definition.name))
            }
            _ => None,
        });
        let mut retyped = existing.clone();
        for attribute in retyped.partition.iter_mut().chain(&mut retyped.sort) {
            if attribute.name == definition.name {
                attribute.scalar = definition.scalar;
            }
        }
        SchemaError::Redefined { existing: shown(existing), new: shown(&created.unwrap_or(retyped)) }
    }

    fn drop_unused_definitions(&mut self) {
        let keys = std::iter::once(&self.key).chain(self.indexes.iter().map(|index| &index.key));
        let used: BTreeSet<String> = keys.flat_map(|key| key.attributes().map(|a| a.name.clone())).collect();
        self.attributes.retain(|attribute| used.contains(&attribute.name));
    }

    fn alter_index(&mut self, update: IndexUpdate) -> Result<()> {
        match update {
            IndexUpdate::Create(definition) => self.create_index(definition),
            IndexUpdate::Delete { name } => {
                self.global_index(&name)?.state = IndexState::Deleting;
                Ok(())
            }
            IndexUpdate::Update { name, provisioned, on_demand, warm } => {
                self.global_index(&name)?.set(IndexSettings { provisioned, on_demand, warm });
                Ok(())
            }
        }
    }

    fn create_index(&mut self, definition: IndexDefinition) -> Result<()> {
        if self.index(&definition.name).is_some() {
            return Err(Invalid::Schema(SchemaError::IndexExists(definition.name)).into());
        }
        check_index(&definition, &self.attributes)?;
        if self.indexes.iter().filter(|index| !index.local).count() >= GLOBAL_INDEXES_MAX {
            return Err(Invalid::Schema(SchemaError::TooManyGlobal).into());
        }
        if self.next_index > crate::keyspace::INDEX_NUMBER_MAX {
            return Err(Error::LimitExceeded("This table has had too many indexes created over its life"));
        }
        Ok(self.push_index(definition, false, IndexState::Creating { filled_to: Vec::new() })?)
    }

    fn global_index(&mut self, name: &str) -> Result<&mut Index> {
        let arn = &self.arn;
        let missing = Error::ResourceNotFound(format!("Index: {arn}/index/{name} not found"));
        let found = self.indexes.iter_mut().find(|index| index.name == name && !index.local);
        found.filter(|index| index.state != IndexState::Deleting).ok_or(missing)
    }

    /// Only on-demand tables have limits. Switching to provisioned capacity removes them.
    fn drop_ceilings_if_provisioned(&mut self) {
        if self.settings.billing == BillingMode::Provisioned {
            self.settings.on_demand = None;
            self.indexes.iter_mut().for_each(|index| index.on_demand = None);
        }
    }

    fn check_index_capacity(&mut self) -> Result<(), SchemaError> {
        let provisioned = self.settings.billing == BillingMode::Provisioned;
        for index in self.indexes.iter_mut().filter(|index| !index.local) {
            if provisioned && index.on_demand.is_some() {
                return Err(SchemaError::CeilingProvisioned);
            }
            match (provisioned, &index.provisioned) {
                (true, None) => return Err(SchemaError::IndexCapacityMissing(index.name.clone())),
                (false, Some(_)) => index.provisioned = None,
                _ => {}
            }
        }
        Ok(())
    }
}

/// A key as DynamoDB shows it in an error.
fn shown(key: &KeyShape) -> String {
    let element = |attribute: &KeyAttribute, role| {
        let (name, code) = (&attribute.name, attribute.scalar.code());
        format!("SchemaElement: key{{{name}:{code}:{role}}}")
    };
    let partition = key.partition.iter().map(|attribute| element(attribute, "HASH"));
    let sort = key.sort.iter().map(|attribute| element(attribute, "RANGE"));
    format!("Schema:[{}]", partition.chain(sort).collect::<Vec<_>>().join(", "))
}

impl Index {
    fn set(&mut self, settings: IndexSettings) {
        self.provisioned = settings.provisioned.or(self.provisioned);
        self.on_demand = settings.on_demand.or(self.on_demand);
        self.warm = settings.warm.or(self.warm);
    }
}

impl Settings {
    fn alter(&mut self, request: &UpdateTable, time_ms: u64) -> Result<(), SchemaError> {
        let before = self.billing;
        self.billing = request.billing.unwrap_or(before);
        match (self.billing, request.provisioned) {
            (BillingMode::PayPerRequest, Some(_)) => return Err(SchemaError::CapacityOnDemand),
            (BillingMode::Provisioned, None) if before == BillingMode::PayPerRequest => {
                return Err(SchemaError::CapacityMissing);
            }
            (BillingMode::Provisioned, Some(asked)) => self.provision(asked, before, request, time_ms)?,
            _ => {}
        }
        if self.billing == BillingMode::PayPerRequest && before == BillingMode::Provisioned {
            self.on_demand_since_ms = Some(time_ms);
            self.provisioned = ProvisionedThroughput::default();
        }
        if request.on_demand.is_some() && self.billing == BillingMode::Provisioned {
            return Err(SchemaError::CeilingProvisioned);
        }
        self.on_demand = request.on_demand.or(self.on_demand);
        self.warm = request.warm.or(self.warm);
        self.class = request.class.or(self.class);
        self.deletion_protection = request.deletion_protection.unwrap_or(self.deletion_protection);
        if let Some(encryption) = &request.encryption {
            self.encrypted = *encryption != EncryptionRequest::Off;
        }
        Ok(())
    }

    fn provision(
        &mut self,
        asked: ProvisionedThroughput,
        before: BillingMode,
        request: &UpdateTable,
        time_ms: u64,
    ) -> Result<(), SchemaError> {
        let now = self.provisioned;
        let alone =
            request.indexes.is_empty() && request.class.is_none() && request.deletion_protection.is_none();
        let alone = alone && request.stream.is_none();
        if before == BillingMode::Provisioned && asked == now && alone {
            return Err(SchemaError::CapacityUnchanged { read: now.read_units, write: now.write_units });
        }
        if asked.read_units > now.read_units || asked.write_units > now.write_units {
            self.last_increase_ms = Some(time_ms);
        }
        if asked.read_units < now.read_units || asked.write_units < now.write_units {
            let day = |ms: u64| ms / MILLISECONDS_PER_DAY;
            let same_day = self.last_decrease_ms.is_some_and(|last| day(last) == day(time_ms));
            self.decreases_today = if same_day { self.decreases_today + 1 } else { 1 };
            self.last_decrease_ms = Some(time_ms);
        }
        self.provisioned = asked;
        Ok(())
    }
}

fn check_asks_something(request: &UpdateTable) -> Result<(), SchemaError> {
    let asks = request.billing.is_some()
        || request.provisioned.is_some()
        || request.on_demand.is_some()
        || request.warm.is_some()
        || request.class.is_some()
        || request.deletion_protection.is_some()
        || request.encryption.is_some()
        || request.stream.is_some()
        || !request.indexes.is_empty();
    if asks { Ok(()) } else { Err(SchemaError::NothingToUpdate) }
}

fn check_one_index_at_a_time(table: &Table, updates: &[IndexUpdate]) -> Result<()> {
    let mut seen = BTreeSet::new();
    let mut changes = 0;
    for update in updates {
        let (name, online) = match update {
            IndexUpdate::Create(definition) => (&definition.name, true),
            IndexUpdate::Delete { name } => (name, true),
            IndexUpdate::Update { name, .. } => (name, false),
        };
        if !seen.insert(name) {
            return Err(Invalid::Schema(SchemaError::IndexTwice(name.clone())).into());
        }
        changes += usize::from(online);
        // The creation of an index may be cancelled, but no other change may start meanwhile.
        let gives_up = matches!(update, IndexUpdate::Delete { .. });
        let busy = |index: &&Index| index.state != IndexState::Active && !(gives_up && index.name == *name);
        if online && table.indexes.iter().find(busy).is_some() {
            return Err(Error::LimitExceeded(ONE_INDEX_AT_A_TIME));
        }
    }
    if changes > 1 { Err(Error::LimitExceeded(ONE_INDEX_AT_A_TIME)) } else { Ok(()) }
}

impl From<SchemaError> for Error {
    fn from(error: SchemaError) -> Self {
        Error::Invalid(Invalid::Schema(error))
    }
}
