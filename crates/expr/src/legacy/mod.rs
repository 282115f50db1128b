//! The parameters that requests had before expressions. They become the same trees.

mod conditions;
mod updates;

use std::collections::BTreeSet;

use crate::error::{ExprError, LegacyError};
use crate::path::Path;
use crate::projection::Projection;

pub use conditions::{
    AttributeCondition, ComparisonOperator, ConditionalOperator, ExpectedAttribute, expected, filter,
    key_conditions,
};
pub use updates::{AttributeUpdate, UpdateAction, attribute_updates};

/// `AttributesToGet` as a projection.
pub fn attributes_to_get(attributes: Vec<String>) -> Result<Projection, ExprError> {
    let mut seen = BTreeSet::new();
    if let Some(duplicate) = attributes.iter().find(|attribute| !seen.insert(*attribute)) {
        return Err(LegacyError::DuplicateAttribute { attribute: duplicate.clone() }.into());
    }
    Ok(Projection::of(attributes.into_iter().map(Path::attribute).collect()))
}

#[cfg(test)]
mod tests;
