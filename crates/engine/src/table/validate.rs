//! Validation of table definitions.

use std::collections::BTreeSet;

use super::time_to_live::check_attribute;
use super::{KeyAttribute, KeyShape};
use crate::error::SchemaError;
use crate::request::{
    AttributeDefinition, BillingMode, CreateTable, IndexDefinition, KeySchema, ProjectedAttributes,
};

const NAME_CHARACTERS: std::ops::RangeInclusive<usize> = 3..=255;
const LOCAL_INDEXES_MAX: usize = singlet_values::limits::LOCAL_INDEXES_MAX;
/// The most global indexes of a table.
pub(super) const GLOBAL_INDEXES_MAX: usize = singlet_values::limits::GLOBAL_INDEXES_MAX;
const PROJECTED_ATTRIBUTES_MAX: usize = singlet_values::limits::PROJECTED_ATTRIBUTES_MAX;
/// The most partition or sort attributes of a global index.
const GLOBAL_KEY_ATTRIBUTES_MAX: usize = singlet_values::limits::GLOBAL_KEY_ATTRIBUTES_MAX;
/// The most tags of a table.
pub(super) const TAGS_MAX: usize = 50;

/// Validates everything about a new table that doesn't depend on other tables.
pub(super) fn check_create(request: &CreateTable) -> Result<(), SchemaError> {
    check_name(&request.name)?;
    check_definitions(&request.attributes)?;
    check_key_length(&request.key, 1, "")?;
    shape(&request.key, &request.attributes).ok_or(SchemaError::UndefinedTableKey)?;
    check_distinct(&request.key)?;
    let indexes = || request.local_indexes.iter().chain(&request.global_indexes);
    for index in indexes() {
        check_index(index, &request.attributes)?;
    }
    check_local(request)?;
    check_unused(request)?;
    check_distinct_indexes(indexes())?;
    if request.global_indexes.len() > GLOBAL_INDEXES_MAX {
        return Err(SchemaError::TooManyGlobal);
    }
    check_projected_count(indexes().map(|index| &index.projection))?;
    if let Some(attribute) = &request.time_to_live {
        check_attribute(attribute)?;
    }
    check_billing(request)
}

/// Checks a table or index name.
pub(super) fn check_name(name: &str) -> Result<(), SchemaError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if NAME_CHARACTERS.contains(&name.len()) && name.chars().all(allowed) {
        Ok(())
    } else {
        Err(SchemaError::Name)
    }
}

fn check_definitions(attributes: &[AttributeDefinition]) -> Result<(), SchemaError> {
    let mut seen = BTreeSet::new();
    match attributes.iter().find(|attribute| !seen.insert(&attribute.name)) {
        Some(twice) => Err(SchemaError::DuplicateDefinition(twice.name.clone())),
        None => Ok(()),
    }
}

fn check_key_length(key: &KeySchema, attributes_max: usize, place: &str) -> Result<(), SchemaError> {
    let fits = (1..=attributes_max).contains(&key.partition.len()) && key.sort.len() <= attributes_max;
    if fits { Ok(()) } else { Err(SchemaError::KeyLength(place.to_owned())) }
}

/// The key with its types; `None` if an attribute has no definition.
pub(super) fn shape(key: &KeySchema, attributes: &[AttributeDefinition]) -> Option<KeyShape> {
    let typed = |names: &[String]| {
        names
            .iter()
            .map(|name| {
                let definition = attributes.iter().find(|attribute| attribute.name == *name)?;
                Some(KeyAttribute { name: name.clone(), scalar: definition.scalar })
            })
            .collect::<Option<Vec<_>>>()
    };
    Some(KeyShape { partition: typed(&key.partition)?, sort: typed(&key.sort)? })
}

fn check_distinct(key: &KeySchema) -> Result<(), SchemaError> {
    let mut seen = BTreeSet::new();
    if key.partition.iter().chain(&key.sort).all(|name| seen.insert(name)) {
        Ok(())
    } else if key.partition.len() == 1 && key.sort.len() == 1 {
        Err(SchemaError::SameKeyName)
    } else {
        Err(SchemaError::RepeatedKeyName)
    }
}

/// Checks one index by itself.
pub(super) fn check_index(
    index: &IndexDefinition,
    attributes: &[AttributeDefinition],
) -> Result<(), SchemaError> {
    check_name(&index.name)?;
    for (kind, names) in [("HASH", &index.key.partition), ("RANGE", &index.key.sort)] {
        if names.len() > GLOBAL_KEY_ATTRIBUTES_MAX {
            return Err(SchemaError::TooManyKeyAttributes(kind));
        }
    }
    check_key_length(&index.key, GLOBAL_KEY_ATTRIBUTES_MAX, &format!(" for index: {}", index.name))?;
    if shape(&index.key, attributes).is_none() {
        let keys = index.key.partition.iter().chain(&index.key.sort).map(String::as_str);
        return Err(SchemaError::UndefinedIndexKey { keys: list(keys), defined: defined(attributes) });
    }
    check_distinct(&index.key)?;
    match &index.projection {
        ProjectedAttributes::Include(names) if names.is_empty() => Err(SchemaError::EmptyInclude),
        ProjectedAttributes::Include(names) => {
            let mut seen = BTreeSet::new();
            match names.iter().find(|name| !seen.insert(*name)) {
                Some(twice) => Err(SchemaError::ProjectedTwice(twice.clone())),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn check_local(request: &CreateTable) -> Result<(), SchemaError> {
    if request.local_indexes.is_empty() {
        return Ok(());
    }
    if request.key.sort.is_empty() {
        return Err(SchemaError::LocalNeedsTableSort);
    }
    for index in &request.local_indexes {
        if index.key.partition != request.key.partition {
            return Err(SchemaError::LocalPartition {
                index: index.name.clone(),
                index_key: list(index.key.partition.iter().map(String::as_str)),
                table_key: list(request.key.partition.iter().map(String::as_str)),
            });
        }
        if index.key.sort.len() != 1 {
            return Err(SchemaError::LocalNeedsSort(index.name.clone()));
        }
    }
    if request.local_indexes.len() > LOCAL_INDEXES_MAX { Err(SchemaError::TooManyLocal) } else { Ok(()) }
}

fn check_unused(request: &CreateTable) -> Result<(), SchemaError> {
    let indexes = request.local_indexes.iter().chain(&request.global_indexes);
    let keys = std::iter::once(&request.key).chain(indexes.map(|index| &index.key));
    let used: BTreeSet<&str> =
        keys.flat_map(|key| key.partition.iter().chain(&key.sort)).map(String::as_str).collect();
    if used.len() == request.attributes.len() {
        return Ok(());
    }
    if request.local_indexes.is_empty() && request.global_indexes.is_empty() {
        return Err(SchemaError::DefinitionCount);
    }
    Err(SchemaError::UnusedDefinitions {
        defined: defined(&request.attributes),
        used: list(used.into_iter()),
    })
}

fn check_distinct_indexes<'a>(indexes: impl Iterator<Item = &'a IndexDefinition>) -> Result<(), SchemaError> {
    let mut seen = BTreeSet::new();
    for index in indexes {
        if !seen.insert(&index.name) {
            return Err(SchemaError::DuplicateIndex(index.name.clone()));
        }
    }
    Ok(())
}

/// Checks the number of included attributes over all indexes of a table.
pub(super) fn check_projected_count<'a>(
    projections: impl Iterator<Item = &'a ProjectedAttributes>,
) -> Result<(), SchemaError> {
    let included = projections.map(|projection| match projection {
        ProjectedAttributes::Include(names) => names.len(),
        _ => 0,
    });
    if included.sum::<usize>() > PROJECTED_ATTRIBUTES_MAX {
        Err(SchemaError::TooManyProjected)
    } else {
        Ok(())
    }
}

fn check_billing(request: &CreateTable) -> Result<(), SchemaError> {
    match request.billing {
        BillingMode::Provisioned => {
            if request.provisioned.is_none() {
                return Err(SchemaError::CapacityMissing);
            }
            let has_index_ceiling = request.global_indexes.iter().any(|index| index.on_demand.is_some());
            if request.on_demand.is_some() || has_index_ceiling {
                return Err(SchemaError::CeilingProvisioned);
            }
            match request.global_indexes.iter().find(|index| index.provisioned.is_none()) {
                Some(index) => Err(SchemaError::IndexCapacityMissing(index.name.clone())),
                None => Ok(()),
            }
        }
        BillingMode::PayPerRequest => {
            if request.provisioned.is_some() {
                return Err(SchemaError::CapacityOnDemand);
            }
            match request.global_indexes.iter().find(|index| index.provisioned.is_some()) {
                Some(index) => Err(SchemaError::IndexCapacityOnDemand(index.name.clone())),
                None => Ok(()),
            }
        }
    }
}

fn defined(attributes: &[AttributeDefinition]) -> String {
    list(attributes.iter().map(|attribute| attribute.name.as_str()))
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
