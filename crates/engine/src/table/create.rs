//! A new table from its definition.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::validate::{TAGS_MAX, check_create, shape};
use super::{Index, IndexState, Settings, Table, TtlSetting};
use crate::error::SchemaError;
use crate::request::{
    AttributeDefinition, BillingMode, CreateTable, EncryptionRequest, IndexDefinition, TableClass, Tag,
};

/// The parts of a new table that the database chooses.
pub(crate) struct Birth<'a> {
    pub(crate) number: u32,
    pub(crate) time_ms: u64,
    /// The part of the ARN before the table's name.
    pub(crate) arn_prefix: &'a str,
}

impl Table {
    /// Validates a definition without creating anything.
    pub(crate) fn check(request: &CreateTable) -> Result<(), SchemaError> {
        check_create(request)?;
        merge_tags(&BTreeMap::new(), &request.tags).map(drop)
    }

    /// Creates the table of a definition.
    pub(crate) fn create(request: CreateTable, birth: Birth<'_>) -> Result<Table, SchemaError> {
        check_create(&request)?;
        let key = shape(&request.key, &request.attributes).ok_or(SchemaError::UndefinedTableKey)?;
        let tags = merge_tags(&BTreeMap::new(), &request.tags)?;
        let on_demand = request.billing == BillingMode::PayPerRequest;
        let settings = Settings {
            billing: request.billing,
            on_demand_since_ms: on_demand.then_some(birth.time_ms),
            provisioned: request.provisioned.unwrap_or_default(),
            last_increase_ms: None,
            last_decrease_ms: None,
            decreases_today: 0,
            on_demand: request.on_demand,
            warm: request.warm,
            class: (request.class != TableClass::Standard).then_some(request.class),
            deletion_protection: request.deletion_protection,
            encrypted: matches!(request.encryption, Some(EncryptionRequest::On { .. })),
            stream: None,
            latest_stream_label: None,
            ttl: request.time_to_live.map(TtlSetting::enabled),
            ttl_changed_ms: None,
            recovery: None,
            schedule: None,
        };
        let mut table = Table {
            number: birth.number,
            arn: format!("{}{}", birth.arn_prefix, request.name),
            id: table_id(&request.name, &birth),
            name: request.name,
            created_ms: birth.time_ms,
            attributes: request.attributes,
            key,
            indexes: Vec::new(),
            next_index: 1,
            settings,
            tags,
            restored: None,
        };
        let local = request.local_indexes.into_iter().map(|index| (index, true));
        let global = request.global_indexes.into_iter().map(|index| (index, false));
        for (definition, local) in local.chain(global) {
            table.push_index(definition, local, IndexState::Active)?;
        }
        Ok(table)
    }

    /// Adds an index whose definition was validated.
    pub(super) fn push_index(
        &mut self,
        definition: IndexDefinition,
        local: bool,
        state: IndexState,
    ) -> Result<(), SchemaError> {
        let index = index(definition, &self.attributes, self.next_index, local, state)?;
        self.next_index += 1;
        self.indexes.push(index);
        Ok(())
    }
}

fn index(
    definition: IndexDefinition,
    attributes: &[AttributeDefinition],
    number: u16,
    local: bool,
    state: IndexState,
) -> Result<Index, SchemaError> {
    Ok(Index {
        number,
        key: shape(&definition.key, attributes).ok_or(SchemaError::UndefinedTableKey)?,
        name: definition.name,
        local,
        projection: definition.projection,
        state,
        provisioned: definition.provisioned,
        on_demand: definition.on_demand,
        warm: definition.warm,
    })
}

/// Returns the tags of a table after more are set.
pub(super) fn merge_tags(
    old: &BTreeMap<String, String>,
    set: &[Tag],
) -> Result<BTreeMap<String, String>, SchemaError> {
    let mut seen = BTreeMap::new();
    for tag in set {
        if seen.insert(tag.key.clone(), tag.value.clone()).is_some() {
            return Err(SchemaError::DuplicateTag(tag.key.clone()));
        }
    }
    let mut tags = old.clone();
    tags.extend(seen);
    if tags.len() > TAGS_MAX { Err(SchemaError::TooManyTags) } else { Ok(tags) }
}

/// Returns an id for this table in the form of a UUID. It is derived from the creation, so that a replay or a
/// simulation gives the same one.
fn table_id(name: &str, birth: &Birth<'_>) -> String {
    let hash = xxh3_128_with_seed(name.as_bytes(), birth.time_ms ^ (u64::from(birth.number) << 40));
    let version_4 = (hash & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{version_4:032x}");
    let group = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    [group(0, 8), group(8, 12), group(12, 16), group(16, 20), group(20, 32)].join("-")
}
