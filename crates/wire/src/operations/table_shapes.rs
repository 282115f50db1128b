//! Members of `CreateTable` and `UpdateTable`: keys, indexes, throughput and settings.

use std::fmt::Display;

use serde::Deserialize;
use singlet_engine::{
    AttributeDefinition, IndexDefinition, KeySchema, OnDemandThroughput, ProjectedAttributes,
    ProvisionedThroughput, ScalarType, Tag, WarmThroughput,
};

use crate::choice::{KeyType, ProjectionType};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{Element, Field, Flag, List, Structure, Text, Whole};
use crate::text::RequestError;

const UNITS_MAX: i64 = 1_000_000_000_000;
const TAG_KEY_CHARACTERS: (usize, usize) = (1, 128);
const TAG_VALUE_CHARACTERS: (usize, usize) = (0, 256);
const ATTRIBUTE_NAME_CHARACTERS: (usize, usize) = (1, 255);

/// Key attributes of a table or local index.
pub(super) const KEY_ELEMENTS: (usize, usize) = (1, 2);
/// Key attributes of a global index: four of each kind.
pub(super) const GLOBAL_KEY_ELEMENTS: (usize, usize) = (1, 8);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct AttributeDefinitionMember<'a> {
    #[serde(borrow)]
    attribute_name: Option<Text<'a>>,
    #[serde(borrow)]
    attribute_type: Option<Text<'a>>,
}

impl Structure for AttributeDefinitionMember<'_> {
    const NAME: &'static str = "AttributeDefinition";
}

/// Reads the attribute definitions; `None` if one of them breaks a constraint.
pub(super) fn read_definitions(
    constraints: &mut Constraints,
    members: List<Element<AttributeDefinitionMember<'_>>>,
) -> Option<Vec<AttributeDefinition>> {
    let definitions = members.0.into_iter().enumerate().map(|(at, Element(member))| {
        let path = format_args!("attributeDefinitions.{}.member", at + 1);
        let name = constraints.required(format_args!("{path}.attributeName"), member.attribute_name);
        let scalar = constraints.required(format_args!("{path}.attributeType"), member.attribute_type);
        let name = checked_name(constraints, format_args!("{path}.attributeName"), name);
        let scalar = constraints.choice::<ScalarType>(format_args!("{path}.attributeType"), scalar.as_ref());
        Some(AttributeDefinition { name: name?, scalar: scalar? })
    });
    all(definitions)
}

/// The values, if none is missing; all of them are looked at, so that all violations are found.
pub(super) fn all<T>(values: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let values: Vec<Option<T>> = values.collect();
    values.into_iter().collect()
}

fn checked_name(
    constraints: &mut Constraints,
    path: impl Display + Copy,
    name: Option<Text<'_>>,
) -> Option<String> {
    let name = name?.into_string();
    constraints.length(path, name.as_str(), name.chars().count(), ATTRIBUTE_NAME_CHARACTERS);
    Some(name)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct KeySchemaElement<'a> {
    #[serde(borrow)]
    attribute_name: Option<Text<'a>>,
    #[serde(borrow)]
    key_type: Option<Text<'a>>,
}

impl Structure for KeySchemaElement<'_> {
    const NAME: &'static str = "KeySchemaElement";
}

/// A key schema as it was written; its order is checked when it becomes a [`KeySchema`].
#[derive(Debug)]
pub(super) struct KeyElements(Vec<(String, KeyType)>);

/// Reads a key schema.
pub(super) fn read_key_elements(
    constraints: &mut Constraints,
    path: impl Display + Copy,
    members: List<Element<KeySchemaElement<'_>>>,
    bounds: (usize, usize),
) -> Option<KeyElements> {
    let shown = show_elements(&members);
    constraints.length(path, shown.as_str(), members.0.len(), bounds);
    let elements = members.0.into_iter().enumerate().map(|(at, Element(member))| {
        let path = format_args!("{path}.{}.member", at + 1);
        let name = constraints.required(format_args!("{path}.attributeName"), member.attribute_name);
        let role = constraints.required(format_args!("{path}.keyType"), member.key_type);
        let name = checked_name(constraints, format_args!("{path}.attributeName"), name);
        let role = constraints.choice::<KeyType>(format_args!("{path}.keyType"), role.as_ref());
        name.zip(role)
    });
    all(elements).map(KeyElements)
}

fn show_elements(List(members): &List<Element<KeySchemaElement<'_>>>) -> String {
    let show = |text: &Option<Text<'_>>| text.as_ref().map_or("null", Text::as_str).to_owned();
    let elements = members.iter().map(|Element(member)| {
        let (name, role) = (show(&member.attribute_name), show(&member.key_type));
        format!("KeySchemaElement(attributeName={name}, keyType={role})")
    });
    format!("[{}]", elements.collect::<Vec<_>>().join(", "))
}

impl KeyElements {
    /// How many elements there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The key of a table or local index: a partition attribute and at most one sort attribute.
    pub(super) fn into_pair(self) -> Result<KeySchema, RequestError> {
        match self.0.get(1) {
            Some((_, KeyType::Hash)) if self.begins_with_hash() => Err(RequestError::SecondKeyNotRange),
            _ => self.into_key(),
        }
    }

    /// The key of a global index: partition attributes, then sort attributes.
    pub(super) fn into_key(self) -> Result<KeySchema, RequestError> {
        if !self.begins_with_hash() {
            return Err(RequestError::FirstKeyNotHash);
        }
        let mut key = KeySchema::default();
        for (name, role) in self.0 {
            match role {
                KeyType::Hash if !key.sort.is_empty() => return Err(RequestError::HashAfterRange),
                KeyType::Hash => key.partition.push(name),
                KeyType::Range => key.sort.push(name),
            }
        }
        Ok(key)
    }

    fn begins_with_hash(&self) -> bool {
        matches!(self.0.first(), Some((_, KeyType::Hash)))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ProvisionedMember {
    read_capacity_units: Option<Whole<true>>,
    write_capacity_units: Option<Whole<true>>,
}

impl Structure for ProvisionedMember {
    const NAME: &'static str = "ProvisionedThroughput";
}

/// Units that were asked for, not yet held against what a table may have.
#[derive(Debug, Clone, Copy)]
pub(super) struct AskedUnits {
    read: i64,
    write: i64,
}

/// Reads provisioned throughput.
pub(super) fn read_provisioned(
    constraints: &mut Constraints,
    path: impl Display + Copy,
    member: Option<Field<ProvisionedMember>>,
) -> Option<AskedUnits> {
    let Field(member) = member?;
    let mut units = |name: &str, units: Option<Whole<true>>| {
        let path = format_args!("{path}.{name}");
        let units = constraints.required(path, units).map(|units| units.0);
        constraints.range(path, units, (1, i64::MAX));
        units
    };
    let write = units("writeCapacityUnits", member.write_capacity_units);
    let read = units("readCapacityUnits", member.read_capacity_units);
    Some(AskedUnits { read: read?, write: write? })
}

impl AskedUnits {
    /// The units, if a table may have so many.
    pub(super) fn checked(self) -> Result<ProvisionedThroughput, RequestError> {
        let check = |value: i64, parameter| {
            let units = u64::try_from(value).ok().filter(|_| value <= UNITS_MAX);
            units.ok_or(RequestError::CapacityOutOfBounds { value, parameter })
        };
        Ok(ProvisionedThroughput {
            read_units: check(self.read, "ReadCapacityUnits")?,
            write_units: check(self.write, "WriteCapacityUnits")?,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct OnDemandMember {
    max_read_request_units: Option<Whole<true>>,
    max_write_request_units: Option<Whole<true>>,
}

impl Structure for OnDemandMember {
    const NAME: &'static str = "OnDemandThroughput";
}

/// Reads ceilings; -1 is none.
pub(super) fn read_on_demand(member: Option<Field<OnDemandMember>>) -> Option<OnDemandThroughput> {
    let Field(member) = member?;
    let ceiling = |units: Option<Whole<true>>| units.map(|units| units.0).filter(|units| *units != -1);
    Some(OnDemandThroughput {
        read_units_max: ceiling(member.max_read_request_units),
        write_units_max: ceiling(member.max_write_request_units),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WarmMember {
    read_units_per_second: Option<Whole<true>>,
    write_units_per_second: Option<Whole<true>>,
}

impl Structure for WarmMember {
    const NAME: &'static str = "WarmThroughput";
}

/// Reads warm throughput.
pub(super) fn read_warm(
    constraints: &mut Constraints,
    path: impl Display + Copy,
    member: Option<Field<WarmMember>>,
) -> Option<WarmThroughput> {
    let Field(member) = member?;
    let mut units = |name: &str, units: Option<Whole<true>>| {
        let units = units.map(|units| units.0);
        constraints.range(format_args!("{path}.{name}"), units, (1, i64::MAX));
        units.and_then(|units| u64::try_from(units).ok())
    };
    Some(WarmThroughput {
        read_units: units("readUnitsPerSecond", member.read_units_per_second),
        write_units: units("writeUnitsPerSecond", member.write_units_per_second),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ProjectionMember<'a> {
    #[serde(borrow)]
    projection_type: Option<Text<'a>>,
    #[serde(borrow)]
    non_key_attributes: Option<List<Text<'a>>>,
}

impl Structure for ProjectionMember<'_> {
    const NAME: &'static str = "Projection";
}

/// An index, local or global; a local one has no throughput.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct IndexMember<'a, const LOCAL: bool> {
    #[serde(borrow)]
    index_name: Option<Text<'a>>,
    #[serde(borrow)]
    key_schema: Option<List<Element<KeySchemaElement<'a>>>>,
    #[serde(borrow)]
    projection: Option<Field<ProjectionMember<'a>>>,
    provisioned_throughput: Option<Field<ProvisionedMember>>,
    on_demand_throughput: Option<Field<OnDemandMember>>,
    warm_throughput: Option<Field<WarmMember>>,
}

impl<const LOCAL: bool> Structure for IndexMember<'_, LOCAL> {
    const NAME: &'static str = if LOCAL { "LocalSecondaryIndex" } else { "GlobalSecondaryIndex" };
}

/// An index whose members keep their constraints; whether they go together is not checked yet.
#[derive(Debug)]
pub(super) struct AskedIndex {
    name: String,
    key: KeyElements,
    projection: AskedProjection,
    provisioned: Option<AskedUnits>,
    on_demand: Option<OnDemandThroughput>,
    warm: Option<WarmThroughput>,
    local: bool,
}

#[derive(Debug)]
struct AskedProjection {
    kind: Option<ProjectionType>,
    attributes: Option<Vec<String>>,
}

/// Reads an index.
pub(super) fn read_index<const LOCAL: bool>(
    constraints: &mut Constraints,
    path: impl Display + Copy,
    member: IndexMember<'_, LOCAL>,
) -> Option<AskedIndex> {
    let name_path = format_args!("{path}.indexName");
    let name = constraints.required(name_path, member.index_name);
    constraints.index_name(name_path, name.as_ref());
    let key_path = format_args!("{path}.keySchema");
    let bounds = if LOCAL { KEY_ELEMENTS } else { GLOBAL_KEY_ELEMENTS };
    let key = constraints.required(key_path, member.key_schema);
    let key = key.and_then(|key| read_key_elements(constraints, key_path, key, bounds));
    let projection = constraints.required(format_args!("{path}.projection"), member.projection);
    let projection = projection
        .map(|Field(member)| read_projection(constraints, format_args!("{path}.projection"), member));
    let provisioned = read_provisioned(
        constraints,
        format_args!("{path}.provisionedThroughput"),
        member.provisioned_throughput,
    );
    let warm = read_warm(constraints, format_args!("{path}.warmThroughput"), member.warm_throughput);
    Some(AskedIndex {
        name: name?.into_string(),
        key: key?,
        projection: projection?,
        provisioned: provisioned.filter(|_| !LOCAL),
        on_demand: read_on_demand(member.on_demand_throughput).filter(|_| !LOCAL),
        warm: warm.filter(|_| !LOCAL),
        local: LOCAL,
    })
}

/// Reads a list of indexes.
pub(super) fn read_indexes<const LOCAL: bool>(
    constraints: &mut Constraints,
    path: &'static str,
    members: Option<List<Element<IndexMember<'_, LOCAL>>>>,
) -> Option<Option<Vec<AskedIndex>>> {
    let Some(List(members)) = members else {
        return Some(None);
    };
    let indexes = members.into_iter().enumerate().map(|(at, Element(member))| {
        read_index(constraints, format_args!("{path}.{}.member", at + 1), member)
    });
    all(indexes).map(Some)
}

fn read_projection(
    constraints: &mut Constraints,
    path: impl Display + Copy,
    member: ProjectionMember<'_>,
) -> AskedProjection {
    let kind = constraints.choice(format_args!("{path}.projectionType"), member.projection_type.as_ref());
    if let Some(List(attributes)) = &member.non_key_attributes
        && attributes.is_empty()
    {
        constraints.length(format_args!("{path}.nonKeyAttributes"), "[]", 0, (1, usize::MAX));
    }
    let attributes =
        member.non_key_attributes.map(|List(names)| names.into_iter().map(Text::into_string).collect());
    AskedProjection { kind, attributes }
}

impl AskedIndex {
    /// The index, if its members go together.
    pub(super) fn into_definition(self) -> Result<IndexDefinition, Failure> {
        let key = if self.local { self.key.into_pair()? } else { self.key.into_key()? };
        let projection = match (self.projection.kind, self.projection.attributes) {
            (None, _) => return Err(RequestError::NoProjectionType.into()),
            (Some(ProjectionType::All), None) => ProjectedAttributes::All,
            (Some(ProjectionType::KeysOnly), None) => ProjectedAttributes::KeysOnly,
            (Some(ProjectionType::Include), Some(names)) => ProjectedAttributes::Include(names),
            (Some(ProjectionType::All), Some(_)) => {
                return Err(RequestError::ProjectionAttributes("ALL").into());
            }
            (Some(ProjectionType::KeysOnly), Some(_)) => {
                return Err(RequestError::ProjectionAttributes("KEYS_ONLY").into());
            }
            (Some(ProjectionType::Include), None) => return Err(RequestError::NoProjectionAttributes.into()),
        };
        Ok(IndexDefinition {
            name: self.name,
            key,
            projection,
            provisioned: self.provisioned.map(AskedUnits::checked).transpose()?,
            on_demand: self.on_demand,
            warm: self.warm,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct TagMember<'a> {
    #[serde(borrow)]
    key: Option<Text<'a>>,
    #[serde(borrow)]
    value: Option<Text<'a>>,
}

impl Structure for TagMember<'_> {
    const NAME: &'static str = "Tag";
}

/// Reads tags.
pub(super) fn read_tags(
    constraints: &mut Constraints,
    members: List<Element<TagMember<'_>>>,
) -> Option<Vec<Tag>> {
    let tags = members.0.into_iter().enumerate().map(|(at, Element(member))| {
        let key_path = format_args!("tags.{}.member.key", at + 1);
        let key = constraints.required(key_path, member.key).map(Text::into_string);
        if let Some(key) = &key {
            constraints.length(key_path, key.as_str(), key.chars().count(), TAG_KEY_CHARACTERS);
        }
        let value_path = format_args!("tags.{}.member.value", at + 1);
        let value = constraints.required(value_path, member.value).map(Text::into_string);
        if let Some(value) = &value {
            constraints.length(value_path, value.as_str(), value.chars().count(), TAG_VALUE_CHARACTERS);
        }
        Some(Tag { key: key?, value: value? })
    });
    all(tags)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct StreamSpecification<'a> {
    stream_enabled: Option<Flag>,
    #[serde(borrow)]
    #[expect(dead_code, reason = "its shape is checked; a stream that is off has no view")]
    stream_view_type: Option<Text<'a>>,
}

impl Structure for StreamSpecification<'_> {
    const NAME: &'static str = "StreamSpecification";
}

/// Whether a stream is asked for.
pub(super) fn read_stream(
    constraints: &mut Constraints,
    member: Option<&Field<StreamSpecification<'_>>>,
) -> bool {
    let Some(Field(member)) = member else {
        return false;
    };
    constraints
        .required("streamSpecification.streamEnabled", member.stream_enabled)
        .is_some_and(|flag| flag.0)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct SseSpecification<'a> {
    pub(super) enabled: Option<Flag>,
    #[serde(borrow, rename = "SSEType")]
    pub(super) sse_type: Option<Text<'a>>,
    #[serde(borrow, rename = "KMSMasterKeyId")]
    pub(super) kms_master_key_id: Option<Text<'a>>,
}

impl Structure for SseSpecification<'_> {
    const NAME: &'static str = "SSESpecification";
}

impl SseSpecification<'_> {
    /// Whether this asks for encryption with keys of the caller's.
    pub(super) fn asks_for_keys(&self) -> bool {
        self.enabled.is_some_and(|flag| flag.0) || self.sse_type.is_some() || self.kms_master_key_id.is_some()
    }
}
