//! Shapes from descriptions, and definitions from shapes.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, IndexStatus, KeySchemaElement, KeyType, Projection as SdkProjection, ProjectionType,
    ScalarAttributeType, TableDescription, TableStatus,
};
use singlet_design::model::{KeyAttribute, KeyKind, Projection};
use singlet_design::store::{IndexShape, IndexState, StoreError, TableShape, TableState};

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
        indexes.push((shape(table, name, index.key_schema(), projection, false), state));
    }
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
        Some(ProjectionType::KeysOnly) => Projection::Keys,
        Some(ProjectionType::Include) => Projection::Include(
            projection.map(|projection| projection.non_key_attributes().to_vec()).unwrap_or_default(),
        ),
        _ => Projection::All,
    };
    IndexShape { name: name.unwrap_or_default().to_owned(), partition, sort, projection, local }
}

/// Partition and sort attributes of a key.
fn key(table: &TableDescription, schema: &[KeySchemaElement]) -> (Vec<KeyAttribute>, Vec<KeyAttribute>) {
    let attribute = |element: &KeySchemaElement| {
        let name = element.attribute_name();
        let known = table.attribute_definitions().iter().find(|known| known.attribute_name() == name);
        let kind = match known.map(AttributeDefinition::attribute_type) {
            Some(ScalarAttributeType::N) => KeyKind::Number,
            Some(ScalarAttributeType::B) => KeyKind::Binary,
            _ => KeyKind::Text,
        };
        KeyAttribute { name: name.to_owned(), kind }
    };
    let of = |kind: KeyType| schema.iter().filter(move |element| *element.key_type() == kind).map(attribute);
    (of(KeyType::Hash).collect(), of(KeyType::Range).collect())
}

/// The types of all attributes that keys use, each once.
pub(super) fn definitions<'a>(
    attributes: impl IntoIterator<Item = &'a KeyAttribute>,
) -> Result<Vec<AttributeDefinition>, BuildError> {
    let mut seen: Vec<&str> = Vec::new();
    let mut definitions = Vec::new();
    for attribute in attributes {
        if seen.contains(&attribute.name.as_str()) {
            continue;
        }
        seen.push(&attribute.name);
        let kind = match attribute.kind {
            KeyKind::Text => ScalarAttributeType::S,
            KeyKind::Number => ScalarAttributeType::N,
            KeyKind::Binary => ScalarAttributeType::B,
        };
        let definition = AttributeDefinition::builder().attribute_name(&attribute.name).attribute_type(kind);
        definitions.push(definition.build()?);
    }
    Ok(definitions)
}

/// A key as the SDK has it.
pub(super) fn key_schema(
    partition: &[KeyAttribute],
    sort: &[KeyAttribute],
) -> Result<Vec<KeySchemaElement>, BuildError> {
    let element = |attribute: &KeyAttribute, kind: KeyType| {
        KeySchemaElement::builder().attribute_name(&attribute.name).key_type(kind).build()
    };
    let partition = partition.iter().map(|attribute| element(attribute, KeyType::Hash));
    partition.chain(sort.iter().map(|attribute| element(attribute, KeyType::Range))).collect()
}

/// What an index carries, as the SDK has it.
pub(super) fn sdk_projection(projection: &Projection) -> SdkProjection {
    let builder = SdkProjection::builder();
    match projection {
        Projection::All => builder.projection_type(ProjectionType::All),
        Projection::Keys => builder.projection_type(ProjectionType::KeysOnly),
        Projection::Include(attributes) => {
            builder.projection_type(ProjectionType::Include).set_non_key_attributes(Some(attributes.clone()))
        }
    }
    .build()
}
