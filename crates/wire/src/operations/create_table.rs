//! `CreateTable`.

use serde::Deserialize;
use serde::de::IgnoredAny;
use singlet_engine::{BillingMode, CreateTable, Database, TableDescription};

use super::Answer;
use super::table_members::{
    AskedIndex, AskedStream, AskedUnits, AttributeDefinitionMember, IndexMember, KEY_ELEMENTS,
    KeySchemaElement, OnDemandMember, ProvisionedMember, SseSpecification, StreamSpecification, TagMember,
    WarmMember, check_tags, read_definitions, read_encryption, read_indexes, read_key_elements,
    read_on_demand, read_provisioned, read_stream, read_tags, read_warm,
};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Element, Field, Flag, List, Text};
use crate::table_name::{self, Home};
use crate::text::RequestError;
use crate::write::{JsonWriter, write_table};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CreateTableBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    #[serde(borrow)]
    attribute_definitions: Option<List<Element<AttributeDefinitionMember<'a>>>>,
    #[serde(borrow)]
    key_schema: Option<List<Element<KeySchemaElement<'a>>>>,
    #[serde(borrow)]
    local_secondary_indexes: Option<List<Element<IndexMember<'a, true>>>>,
    #[serde(borrow)]
    global_secondary_indexes: Option<List<Element<IndexMember<'a, false>>>>,
    #[serde(borrow)]
    billing_mode: Option<Text<'a>>,
    provisioned_throughput: Option<Field<ProvisionedMember>>,
    on_demand_throughput: Option<Field<OnDemandMember>>,
    warm_throughput: Option<Field<WarmMember>>,
    #[serde(borrow)]
    stream_specification: Option<Field<StreamSpecification<'a>>>,
    #[serde(borrow, rename = "SSESpecification")]
    sse_specification: Option<Field<SseSpecification<'a>>>,
    #[serde(borrow)]
    tags: Option<List<Element<TagMember<'a>>>>,
    #[serde(borrow)]
    table_class: Option<Text<'a>>,
    deletion_protection_enabled: Option<Flag>,
    resource_policy: Option<IgnoredAny>,
    global_table_source_arn: Option<IgnoredAny>,
    global_table_settings_replication_mode: Option<IgnoredAny>,
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let request = read(body, Home::of(database))?;
    Ok(answer_table(&database.submit_create_table(request).await?))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<CreateTable, Failure> {
    let body: CreateTableBody<'_> = read::body(bytes)?;
    let name = table_name::require(body.table_name.as_ref(), home)?.name;
    let mut constraints = Constraints::default();
    let attributes = constraints.required("attributeDefinitions", body.attribute_definitions);
    let attributes = attributes.and_then(|members| read_definitions(&mut constraints, members));
    let billing = constraints.choice("billingMode", body.billing_mode.as_ref());
    let provisioned =
        read_provisioned(&mut constraints, "provisionedThroughput", body.provisioned_throughput);
    let key = constraints.required("keySchema", body.key_schema);
    let key = key.and_then(|members| read_key_elements(&mut constraints, "keySchema", members, KEY_ELEMENTS));
    let global = read_indexes(&mut constraints, "globalSecondaryIndexes", body.global_secondary_indexes);
    let local = read_indexes(&mut constraints, "localSecondaryIndexes", body.local_secondary_indexes);
    let warm = read_warm(&mut constraints, "warmThroughput", body.warm_throughput);
    let class = constraints.choice("tableClass", body.table_class.as_ref());
    let stream = read_stream(&mut constraints, body.stream_specification.as_ref());
    let aes = body.sse_specification.as_ref().is_some_and(|Field(sse)| sse.asks_for_aes());
    let encryption = read_encryption(&mut constraints, body.sse_specification);
    let tags = body.tags.map_or(Some(Vec::new()), |members| read_tags(&mut constraints, members));
    let members = attributes.zip(key).zip(local.zip(global)).zip(tags);
    let (((attributes, key), (local, global)), tags) = constraints.take(members)?;

    refuse_unsupported(&[
        ("SSEType AES256", aes),
        ("ResourcePolicy", body.resource_policy.is_some()),
        ("GlobalTableSourceArn", body.global_table_source_arn.is_some()),
        ("GlobalTableSettingsReplicationMode", body.global_table_settings_replication_mode.is_some()),
    ])?;
    check_tags(&tags)?;
    let provisioned = provisioned.map(AskedUnits::checked).transpose()?;
    let stream = stream.map_or(Ok(None), AskedStream::of_new_table)?;
    if key.len() > attributes.len() {
        return Err(RequestError::UndefinedKeys.into());
    }
    Ok(CreateTable {
        name,
        attributes,
        key: key.into_pair()?,
        local_indexes: definitions("LocalSecondaryIndexes", local)?,
        global_indexes: definitions("GlobalSecondaryIndexes", global)?,
        billing: billing.unwrap_or(BillingMode::Provisioned),
        provisioned,
        on_demand: read_on_demand(body.on_demand_throughput),
        warm,
        class: class.unwrap_or_default(),
        deletion_protection: body.deletion_protection_enabled.is_some_and(|flag| flag.0),
        encryption,
        stream,
        tags,
        time_to_live: None,
    })
}

/// Rejects the first parameter that this server doesn't support.
pub(super) fn refuse_unsupported(parameters: &[(&'static str, bool)]) -> Result<(), RequestError> {
    match parameters.iter().find(|(_, given)| *given) {
        Some((parameter, _)) => Err(RequestError::Unsupported(parameter)),
        None => Ok(()),
    }
}

/// The definitions of indexes. An empty list is rejected.
pub(super) fn definitions(
    parameter: &'static str,
    indexes: Option<Vec<AskedIndex>>,
) -> Result<Vec<singlet_engine::IndexDefinition>, Failure> {
    match indexes {
        Some(indexes) if indexes.is_empty() => Err(RequestError::NoIndexes(parameter).into()),
        Some(indexes) => indexes.into_iter().map(AskedIndex::into_definition).collect(),
        None => Ok(Vec::new()),
    }
}

/// The answer of an operation that returns the changed table.
pub(super) fn answer_table(table: &TableDescription) -> Answer {
    let mut json = JsonWriter::with_capacity(1024);
    json.object(|json| write_table(json.key("TableDescription"), table));
    Answer::free(json.into_bytes())
}
