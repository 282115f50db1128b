//! Shapes from descriptions, and definitions from shapes.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition as SdkDefinition, BillingMode, BillingModeSummary, IndexStatus, KeySchemaElement,
    KeyType, Projection as SdkProjection, ProjectionType, ProvisionedThroughput as SdkThroughput,
    ProvisionedThroughputDescription, ScalarAttributeType, TableDescription, TableStatus,
};
use singlet_store::{
    AttributeDefinition, IndexShape, IndexState, ProjectedAttributes, ProvisionedThroughput, ScalarType,
    StoreError, TableShape, TableState,
};

/// A table as it is.
pub(super) fn state(table: &TableDescription) -> Result<TableState, StoreError> {
    let name = table.table_name().unwrap_or_default();
    let (mut partition, mut sort) = key(table, table.key_schema());
    let partition =
        partition.pop().ok_or_else(|| StoreError::Refused(format!("{name} is described without a key")))?;
    let mut indexes: Vec<(IndexShape, IndexState)> = Vec::new();
    for index in table.local_secondary_indexes() {
        let (name, projection) = (index.index_name(), index.projection());
        indexes.push((shape(table, name, index.key_schema(), projection, true), IndexState::Active));
    }
    for index in table.global_secondary_indexes() {
        let (name, projection) = (index.index_name(), index.projection());
        let state = match index.index_status() {
            Some(IndexStatus::Creating) => IndexState::Creating,
            Some(IndexStatus::Deleting) => IndexState::Deleting,
            _ => IndexState::Active,
        };
        let throughput = units(index.provisioned_throughput());
        let shape = shape(table, name, index.key_schema(), projection, false);
        indexes.push((IndexShape { throughput, ..shape }, state));
    }
    let is_provisioned = table.billing_mode_summary().and_then(BillingModeSummary::billing_mode)
        != Some(&BillingMode::PayPerRequest);
    let stream = table.stream_specification().is_some_and(|stream| stream.stream_enabled());
    let (shapes, states) = indexes.into_iter().unzip();
    let shape = TableShape {
        name: name.to_owned(),
        partition,
        sort: sort.pop(),
        indexes: shapes,
        protected: table.deletion_protection_enabled().unwrap_or_default(),
        ttl: None,
        stream,
        recovery_days: None,
        backup: None,
        throughput: is_provisioned.then(|| units(table.provisioned_throughput())).flatten(),
    };
    let active = matches!(table.table_status(), Some(TableStatus::Active | TableStatus::Updating));
    let items = table.item_count().and_then(|count| u64::try_from(count).ok()).unwrap_or_default();
    Ok(TableState { shape, active, indexes: states, items })
}

fn shape(
    table: &TableDescription,
    name: Option<&str>,
    schema: &[KeySchemaElement],
    projection: Option<&SdkProjection>,
    local: bool,
) -> IndexShape {
    let (partition, sort) = key(table, schema);
    let projection = match projection.and_then(SdkProjection::projection_type) {
        Some(ProjectionType::KeysOnly) => ProjectedAttributes::KeysOnly,
        Some(ProjectionType::Include) => ProjectedAttributes::Include(
            projection.map(|projection| projection.non_key_attributes().to_vec()).unwrap_or_default(),
        ),
        _ => ProjectedAttributes::All,
    };
    IndexShape {
        name: name.unwrap_or_default().to_owned(),
        partition,
        sort,
        projection,
        local,
        throughput: None,
    }
}

/// Provisioned capacity; on-demand tables and their indexes are described with none or with zeros.
fn units(described: Option<&ProvisionedThroughputDescription>) -> Option<ProvisionedThroughput> {
    let number =
        |units: Option<i64>| units.and_then(|units| u64::try_from(units).ok()).filter(|units| *units > 0);
    let described = described?;
    let read_units = number(described.read_capacity_units())?;
    Some(ProvisionedThroughput { read_units, write_units: number(described.write_capacity_units())? })
}

/// Partition and sort attributes of a key.
fn key(
    table: &TableDescription,
    schema: &[KeySchemaElement],
) -> (Vec<AttributeDefinition>, Vec<AttributeDefinition>) {
    let attribute = |element: &KeySchemaElement| {
        let name = element.attribute_name();
        let known = table.attribute_definitions().iter().find(|known| known.attribute_name() == name);
        let scalar = match known.map(SdkDefinition::attribute_type) {
            Some(ScalarAttributeType::N) => ScalarType::N,
            Some(ScalarAttributeType::B) => ScalarType::B,
            _ => ScalarType::S,
        };
        AttributeDefinition { name: name.to_owned(), scalar }
    };
    let of = |kind: KeyType| schema.iter().filter(move |element| *element.key_type() == kind).map(attribute);
    (of(KeyType::Hash).collect(), of(KeyType::Range).collect())
}

/// The types of all attributes that keys use, each once.
pub(super) fn definitions<'a>(
    attributes: impl IntoIterator<Item = &'a AttributeDefinition>,
) -> Result<Vec<SdkDefinition>, BuildError> {
    let mut seen: Vec<&str> = Vec::new();
    let mut definitions = Vec::new();
    for attribute in attributes {
        if seen.contains(&attribute.name.as_str()) {
            continue;
        }
        seen.push(&attribute.name);
        let kind = match attribute.scalar {
            ScalarType::S => ScalarAttributeType::S,
            ScalarType::N => ScalarAttributeType::N,
            ScalarType::B => ScalarAttributeType::B,
        };
        let definition = SdkDefinition::builder().attribute_name(&attribute.name).attribute_type(kind);
        definitions.push(definition.build()?);
    }
    Ok(definitions)
}

/// A key as the SDK has it.
pub(super) fn key_schema(
    partition: &[AttributeDefinition],
    sort: &[AttributeDefinition],
) -> Result<Vec<KeySchemaElement>, BuildError> {
    let element = |attribute: &AttributeDefinition, kind: KeyType| {
        KeySchemaElement::builder().attribute_name(&attribute.name).key_type(kind).build()
    };
    let partition = partition.iter().map(|attribute| element(attribute, KeyType::Hash));
    partition.chain(sort.iter().map(|attribute| element(attribute, KeyType::Range))).collect()
}

/// The projection of an index in the SDK's terms.
pub(super) fn sdk_projection(projection: &ProjectedAttributes) -> SdkProjection {
    let builder = SdkProjection::builder();
    match projection {
        ProjectedAttributes::All => builder.projection_type(ProjectionType::All),
        ProjectedAttributes::KeysOnly => builder.projection_type(ProjectionType::KeysOnly),
        ProjectedAttributes::Include(attributes) => {
            builder.projection_type(ProjectionType::Include).set_non_key_attributes(Some(attributes.clone()))
        }
    }
    .build()
}

/// Provisioned capacity in the SDK's terms.
pub(super) fn sdk_throughput(
    units: Option<ProvisionedThroughput>,
) -> Result<Option<SdkThroughput>, BuildError> {
    let number = |units: u64| i64::try_from(units).unwrap_or(i64::MAX);
    let throughput = |units: ProvisionedThroughput| {
        let builder = SdkThroughput::builder().read_capacity_units(number(units.read_units));
        builder.write_capacity_units(number(units.write_units)).build()
    };
    units.map(throughput).transpose()
}
