//! Local and global indexes.

use std::fmt::Display;

use serde::Deserialize;
use singlet_engine::{IndexDefinition, OnDemandThroughput, ProjectedAttributes, WarmThroughput};

use super::{
    AskedUnits, GLOBAL_KEY_ELEMENTS, KEY_ELEMENTS, KeyElements, KeySchemaElement, OnDemandMember,
    ProvisionedMember, WarmMember, all, read_key_elements, read_on_demand, read_provisioned, read_warm,
};
use crate::choice::ProjectionType;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{Element, Field, List, Structure, Text};
use crate::text::RequestError;

/// The longest name of a projected attribute.
const NAME_CHARACTERS_MAX: usize = 255;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(in crate::operations) struct ProjectionMember<'a> {
    #[serde(borrow)]
    projection_type: Option<Text<'a>>,
    #[serde(borrow)]
    non_key_attributes: Option<List<Text<'a>>>,
}

impl Structure for ProjectionMember<'_> {
    const NAME: &'static str = "Projection";
}

/// An index, local or global. A local index has no throughput.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(in crate::operations) struct IndexMember<'a, const LOCAL: bool> {
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

/// An index whose members meet their constraints. Contradictions between them aren't checked yet.
#[derive(Debug)]
pub(in crate::operations) struct AskedIndex {
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
pub(in crate::operations) fn read_index<const LOCAL: bool>(
    constraints: &mut Constraints,
    path: impl Display + Copy,
    member: IndexMember<'_, LOCAL>,
) -> Option<AskedIndex> {
    let name_path = format_args!("{path}.indexName");
    let name = constraints.required(name_path, member.index_name);
    constraints.name(name_path, name.as_ref());
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
pub(in crate::operations) fn read_indexes<const LOCAL: bool>(
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
    let mut names = member.non_key_attributes.iter().flat_map(|List(names)| names);
    if names.any(|name| !(1..=NAME_CHARACTERS_MAX).contains(&name.as_str().chars().count())) {
        let names = member.non_key_attributes.iter().flat_map(|List(names)| names);
        let shown = names.map(Text::as_str).collect::<Vec<_>>().join(", ");
        let rule = format_args!(
            "Member must satisfy constraint: [Member must have length less than or equal to {NAME_CHARACTERS_MAX}, \
             Member must have length greater than or equal to 1]"
        );
        constraints.violation(format_args!("[{shown}]"), format_args!("{path}.nonKeyAttributes"), rule);
    }
    let attributes =
        member.non_key_attributes.map(|List(names)| names.into_iter().map(Text::into_string).collect());
    AskedProjection { kind, attributes }
}

impl AskedIndex {
    /// The index, or the contradiction between its members.
    pub(in crate::operations) fn into_definition(self) -> Result<IndexDefinition, Failure> {
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
