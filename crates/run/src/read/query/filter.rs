//! The filter of a query: what the pattern says, and the types that are asked for.

use std::sync::Arc;

use singlet_design::{Condition, Entity, FieldType, Index, Table, default_of};
use singlet_expr::{self as expr, Path};
use singlet_values::AttributeValue;

use super::tell::Teller;
use crate::arguments::Bound;
use crate::conditions::Asked;
use crate::error::RunError;

/// A filter before the values are known.
#[derive(Debug, Clone)]
pub(in super::super) struct FilterPlan {
    condition: Option<Condition>,
    entities: Vec<Arc<Entity>>,
    /// Lets only the asked types through: always the same.
    types: Option<expr::Condition>,
}

impl FilterPlan {
    pub(in super::super) fn new(
        condition: Option<&Condition>,
        teller: &Teller,
        entities: &[Arc<Entity>],
        table: &Table,
        index: Option<&Index>,
    ) -> Self {
        // Stores refuse a filter on the key that is read; the teller drops the others then.
        let is_key = match index {
            None => table.key().any(|attribute| attribute.name == table.type_attribute),
            Some(index) => index.key().any(|attribute| attribute.name == table.type_attribute),
        };
        let types = teller.filtered().filter(|_| !is_key).map(|types| {
            let name = Path::attribute(&table.type_attribute);
            let mut types: Vec<AttributeValue> = types.collect();
            match types.pop() {
                Some(only) if types.is_empty() => expr::Condition::equal(name, only),
                last => expr::Condition::one_of(name, types.into_iter().chain(last)),
            }
        });
        FilterPlan { condition: condition.cloned(), entities: entities.to_vec(), types }
    }

    /// The filter with the call's values.
    pub(in super::super) fn bind(
        &self,
        bound: &Bound<'_>,
        now_ms: u64,
    ) -> Result<Option<expr::Condition>, RunError> {
        let Some(condition) = &self.condition else { return Ok(self.types.clone()) };
        let field = |path: &str| -> Option<FieldType> {
            self.entities.iter().find_map(|entity| entity.field_at(path)).cloned()
        };
        let argument = |name: &str| bound.get(name).cloned();
        let default = |name: &str| self.entities.iter().find_map(|entity| default_of(entity.field(name)?));
        let asked = Asked { field: &field, argument: &argument, default: &default, now_ms, key: None };
        Ok(expr::Condition::all(self.types.iter().cloned().chain(asked.bind(condition)?)))
    }
}
