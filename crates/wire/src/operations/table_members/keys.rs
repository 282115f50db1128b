//! Attribute definitions and key schemas.

use std::fmt::Display;

use serde::Deserialize;
use singlet_engine::{AttributeDefinition, KeySchema, ScalarType};

use super::all;
use crate::choice::KeyType;
use crate::constraint::Constraints;
use crate::read::{Element, List, Structure, Text};
use crate::text::RequestError;

const ATTRIBUTE_NAME_CHARACTERS: (usize, usize) = (1, 255);

/// Key attributes of a table or local index.
pub(in crate::operations) const KEY_ELEMENTS: (usize, usize) = (1, 2);
/// Key attributes of a global index: four of each kind.
pub(in crate::operations) const GLOBAL_KEY_ELEMENTS: (usize, usize) = (1, 8);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(in crate::operations) struct AttributeDefinitionMember<'a> {
    #[serde(borrow)]
    attribute_name: Option<Text<'a>>,
    #[serde(borrow)]
    attribute_type: Option<Text<'a>>,
}

impl Structure for AttributeDefinitionMember<'_> {
    const NAME: &'static str = "AttributeDefinition";
}

/// Reads the attribute definitions; `None` if one of them breaks a constraint.
pub(in crate::operations) fn read_definitions(
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
pub(in crate::operations) struct KeySchemaElement<'a> {
    #[serde(borrow)]
    attribute_name: Option<Text<'a>>,
    #[serde(borrow)]
    key_type: Option<Text<'a>>,
}

impl Structure for KeySchemaElement<'_> {
    const NAME: &'static str = "KeySchemaElement";
}

/// A key schema as written. Its order is checked when it becomes a [`KeySchema`].
#[derive(Debug)]
pub(in crate::operations) struct KeyElements(Vec<(String, KeyType)>);

/// Reads a key schema.
pub(in crate::operations) fn read_key_elements(
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
    pub(in crate::operations) fn len(&self) -> usize {
        self.0.len()
    }

    /// The key of a table or local index: a partition attribute and at most one sort attribute.
    pub(in crate::operations) fn into_pair(self) -> Result<KeySchema, RequestError> {
        match self.0.get(1) {
            Some((_, KeyType::Hash)) if self.begins_with_hash() => Err(RequestError::SecondKeyNotRange),
            _ => self.into_key(),
        }
    }

    /// The key of a global index: partition attributes, then sort attributes.
    pub(in crate::operations) fn into_key(self) -> Result<KeySchema, RequestError> {
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
