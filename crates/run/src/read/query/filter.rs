//! The filter of a query: what the pattern says, and the types that are asked for.

use std::sync::Arc;

use singlet_design::{Condition, Entity, FieldType, Index, Table, default_of};
use singlet_store::{Expression, ExpressionBuilder};

use super::tell::Teller;
use crate::arguments::Bound;
use crate::expression::Asked;

/// A filter before the values are known.
#[derive(Debug, Clone)]
pub(in super::super) struct FilterPlan {
    condition: Option<Condition>,
    entities: Vec<Arc<Entity>>,
    /// Lets only the asked types through: always the same.
    types: Option<(ExpressionBuilder, String)>,
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
            let mut builder = ExpressionBuilder::new('f');
            let name = builder.name(&table.type_attribute);
            let values: Vec<String> = types.map(|name| builder.value(name)).collect();
            let text = match values.as_slice() {
                [only] => format!("{name} = {only}"),
                several => format!("{name} IN ({})", several.join(", ")),
            };
            (builder, text)
        });
        FilterPlan { condition: condition.cloned(), entities: entities.to_vec(), types }
    }

    /// The expression with the call's values.
    pub(in super::super) fn write(&self, bound: &Bound<'_>, now_ms: u64) -> Option<Expression> {
        let Some(condition) = &self.condition else {
            let (builder, text) = self.types.clone()?;
            return Some(builder.finish(text));
        };
        let (mut builder, types) = match &self.types {
            Some((builder, text)) => (builder.clone(), Some(text)),
            None => (ExpressionBuilder::new('f'), None),
        };
        let field = |path: &str| -> Option<FieldType> {
            self.entities.iter().find_map(|entity| entity.field_at(path)).cloned()
        };
        let argument = |name: &str| bound.get(name).cloned();
        let default = |name: &str| self.entities.iter().find_map(|entity| default_of(entity.field(name)?));
        let asked = Asked { field: &field, argument: &argument, default: &default, now_ms, key: None };
        let text = asked.write(&asked.with_defaults(condition), &mut builder);
        Some(builder.finish(match types {
            Some(types) => format!("{types} AND ({text})"),
            None => text,
        }))
    }
}
