//! `UpdateTable`.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::IgnoredAny;
use singlet_engine::{Database, IndexUpdate, UpdateTable};

use super::Answer;
use super::create_table::{answer_table, refuse_unsupported};
use super::table_members::{
    AskedIndex, AskedStream, AskedUnits, AttributeDefinitionMember, IndexMember, OnDemandMember,
    ProvisionedMember, SseSpecification, StreamSpecification, WarmMember, all, read_definitions,
    read_encryption, read_index, read_on_demand, read_provisioned, read_stream, read_warm,
};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Element, Field, Flag, List, Structure, Text};
use crate::table_name::{self, Home};
use crate::text::RequestError;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UpdateTableBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    #[serde(borrow)]
    attribute_definitions: Option<List<Element<AttributeDefinitionMember<'a>>>>,
    #[serde(borrow)]
    billing_mode: Option<Text<'a>>,
    provisioned_throughput: Option<Field<ProvisionedMember>>,
    on_demand_throughput: Option<Field<OnDemandMember>>,
    warm_throughput: Option<Field<WarmMember>>,
    #[serde(borrow)]
    global_secondary_index_updates: Option<List<Element<IndexUpdateMember<'a>>>>,
    #[serde(borrow)]
    stream_specification: Option<Field<StreamSpecification<'a>>>,
    #[serde(borrow, rename = "SSESpecification")]
    sse_specification: Option<Field<SseSpecification<'a>>>,
    #[serde(borrow)]
    table_class: Option<Text<'a>>,
    deletion_protection_enabled: Option<Flag>,
    replica_updates: Option<IgnoredAny>,
    multi_region_consistency: Option<IgnoredAny>,
    global_table_witness_updates: Option<IgnoredAny>,
    global_table_settings_replication_mode: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct IndexUpdateMember<'a> {
    #[serde(borrow)]
    update: Option<Field<ThroughputUpdateMember<'a>>>,
    #[serde(borrow)]
    create: Option<Field<IndexMember<'a, false>>>,
    #[serde(borrow)]
    delete: Option<Field<DeleteMember<'a>>>,
}

impl Structure for IndexUpdateMember<'_> {
    const NAME: &'static str = "GlobalSecondaryIndexUpdate";
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ThroughputUpdateMember<'a> {
    #[serde(borrow)]
    index_name: Option<Text<'a>>,
    provisioned_throughput: Option<Field<ProvisionedMember>>,
    on_demand_throughput: Option<Field<OnDemandMember>>,
    warm_throughput: Option<Field<WarmMember>>,
}

impl Structure for ThroughputUpdateMember<'_> {
    const NAME: &'static str = "UpdateGlobalSecondaryIndexAction";
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DeleteMember<'a> {
    #[serde(borrow)]
    index_name: Option<Text<'a>>,
}

impl Structure for DeleteMember<'_> {
    const NAME: &'static str = "DeleteGlobalSecondaryIndexAction";
}

/// A change to an index whose members meet their constraints.
enum AskedIndexUpdate {
    Update(IndexUpdate, Option<AskedUnits>),
    Create(Box<AskedIndex>),
    Delete(String),
    Several,
    Nothing,
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let request = read(body, Home::of(database))?;
    Ok(answer_table(&database.submit_update_table(request).await?))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<UpdateTable, Failure> {
    let body: UpdateTableBody<'_> = read::body(bytes)?;
    let name = table_name::require(body.table_name.as_ref(), home)?.name;
    let mut constraints = Constraints::default();
    let attributes = body
        .attribute_definitions
        .map_or(Some(Vec::new()), |members| read_definitions(&mut constraints, members));
    let billing = constraints.choice("billingMode", body.billing_mode.as_ref());
    let provisioned =
        read_provisioned(&mut constraints, "provisionedThroughput", body.provisioned_throughput);
    let warm = read_warm(&mut constraints, "warmThroughput", body.warm_throughput);
    let class = constraints.choice("tableClass", body.table_class.as_ref());
    let stream = read_stream(&mut constraints, body.stream_specification.as_ref());
    let aes = body.sse_specification.as_ref().is_some_and(|Field(sse)| sse.asks_for_aes());
    let encryption = read_encryption(&mut constraints, body.sse_specification);
    let List(index_members) = body.global_secondary_index_updates.unwrap_or(List(Vec::new()));
    let updates = index_members.into_iter().enumerate();
    let updates = all(updates.map(|(at, Element(member))| read_update(&mut constraints, at, member)));
    let (attributes, updates) = constraints.take(attributes.zip(updates))?;

    refuse_unsupported(&[
        ("SSEType AES256", aes),
        ("ReplicaUpdates", body.replica_updates.is_some()),
        ("MultiRegionConsistency", body.multi_region_consistency.is_some()),
        ("GlobalTableWitnessUpdates", body.global_table_witness_updates.is_some()),
        ("GlobalTableSettingsReplicationMode", body.global_table_settings_replication_mode.is_some()),
    ])?;
    let on_demand = read_on_demand(body.on_demand_throughput);
    let deletion_protection = body.deletion_protection_enabled.map(|flag| flag.0);
    let settings = [
        provisioned.is_some(),
        billing.is_some(),
        on_demand.is_some(),
        warm.is_some(),
        class.is_some(),
        deletion_protection.is_some(),
        stream.is_some(),
        encryption.is_some(),
    ];
    if updates.is_empty() && !settings.contains(&true) {
        return Err(RequestError::NothingToUpdate.into());
    }
    let indexes = index_updates(updates)?;
    let created = indexes.iter().find_map(|update| match update {
        IndexUpdate::Create(definition) => Some(&definition.name),
        IndexUpdate::Update { .. } | IndexUpdate::Delete { .. } => None,
    });
    // Even types that the table knows must be repeated.
    if let Some(name) = created.filter(|_| attributes.is_empty()) {
        return Err(RequestError::NoDefinitionsForIndex(name.clone()).into());
    }
    Ok(UpdateTable {
        name,
        attributes,
        billing,
        provisioned: provisioned.map(AskedUnits::checked).transpose()?,
        on_demand,
        warm,
        indexes,
        class,
        deletion_protection,
        encryption,
        stream: stream.map(AskedStream::change).transpose()?,
    })
}

fn read_update(
    constraints: &mut Constraints,
    at: usize,
    member: IndexUpdateMember<'_>,
) -> Option<AskedIndexUpdate> {
    let path = format_args!("globalSecondaryIndexUpdates.{}.member", at + 1);
    match (member.update, member.create, member.delete) {
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
            Some(AskedIndexUpdate::Several)
        }
        (Some(Field(update)), None, None) => {
            let path = format_args!("{path}.update");
            let name = read_name(constraints, format_args!("{path}.indexName"), update.index_name);
            let provisioned = read_provisioned(
                constraints,
                format_args!("{path}.provisionedThroughput"),
                update.provisioned_throughput,
            );
            let warm = read_warm(constraints, format_args!("{path}.warmThroughput"), update.warm_throughput);
            let on_demand = read_on_demand(update.on_demand_throughput);
            let update = IndexUpdate::Update { name: name?, provisioned: None, on_demand, warm };
            Some(AskedIndexUpdate::Update(update, provisioned))
        }
        (None, Some(Field(create)), None) => {
            let index = read_index(constraints, format_args!("{path}.create"), create)?;
            Some(AskedIndexUpdate::Create(Box::new(index)))
        }
        (None, None, Some(Field(delete))) => {
            let name = read_name(constraints, format_args!("{path}.delete.indexName"), delete.index_name);
            Some(AskedIndexUpdate::Delete(name?))
        }
        (None, None, None) => Some(AskedIndexUpdate::Nothing),
    }
}

fn read_name(
    constraints: &mut Constraints,
    path: impl std::fmt::Display + Copy,
    member: Option<Text<'_>>,
) -> Option<String> {
    let name = constraints.required(path, member);
    constraints.name(path, name.as_ref());
    name.map(Text::into_string)
}

/// The changes, if each has an action and no index is changed twice.
fn index_updates(asked: Vec<AskedIndexUpdate>) -> Result<Vec<IndexUpdate>, Failure> {
    let mut updates = Vec::with_capacity(asked.len());
    let mut names = BTreeSet::new();
    for update in asked {
        let update = match update {
            AskedIndexUpdate::Several => return Err(RequestError::SeveralIndexActions.into()),
            AskedIndexUpdate::Nothing => return Err(RequestError::EmptyIndexUpdate.into()),
            AskedIndexUpdate::Update(update, units) => with_units(update, units)?,
            AskedIndexUpdate::Create(index) => IndexUpdate::Create(index.into_definition()?),
            AskedIndexUpdate::Delete(name) => IndexUpdate::Delete { name },
        };
        let name = match &update {
            IndexUpdate::Create(definition) => &definition.name,
            IndexUpdate::Update { name, .. } | IndexUpdate::Delete { name } => name,
        };
        if !names.insert(name.clone()) {
            return Err(RequestError::IndexUpdatedTwice(name.clone()).into());
        }
        updates.push(update);
    }
    Ok(updates)
}

fn with_units(update: IndexUpdate, units: Option<AskedUnits>) -> Result<IndexUpdate, RequestError> {
    let checked = units.map(AskedUnits::checked).transpose()?;
    Ok(match update {
        IndexUpdate::Update { name, on_demand, warm, .. } => {
            IndexUpdate::Update { name, provisioned: checked, on_demand, warm }
        }
        other => other,
    })
}
