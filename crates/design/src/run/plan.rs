//! What a runner knows of each pattern before it is called: how it reads, and what it needs of the store.

use super::read::ReadPlan;
use crate::model::{Design, Entity, Index, Operation, Pattern, Table};
use crate::store::Feature;

/// What plans are made from.
pub(crate) struct PlanContext<'a> {
    /// The design.
    pub(crate) design: &'a Design,
    /// Where it runs.
    pub(crate) environment: &'a str,
}

impl PlanContext<'_> {
    /// The name of a table in the environment.
    pub(crate) fn table_name(&self, table: &Table) -> String {
        table.name_in(self.environment)
    }
}

/// The plan of one pattern.
pub(super) struct Plan {
    /// How it reads; `None` if it writes.
    pub(super) read: Option<ReadPlan>,
    /// What the store must have.
    pub(super) needs: Vec<Feature>,
}

impl Plan {
    pub(super) fn new(context: &PlanContext<'_>, pattern: &Pattern) -> Self {
        let mut needs = Vec::new();
        needs_of(pattern, &mut needs);
        Plan { read: ReadPlan::new(context, pattern), needs }
    }
}

/// Adds what a pattern needs of its store.
fn needs_of(pattern: &Pattern, needs: &mut Vec<Feature>) {
    let mut need = |needed: bool, feature: Feature| {
        if needed && !needs.contains(&feature) {
            needs.push(feature);
        }
    };
    match &pattern.operation {
        Operation::Get(get) | Operation::Exists(get) => {
            need(get.on.as_deref().is_some_and(has_wide_key), Feature::MultiAttributeKeys);
        }
        Operation::Query(query) => {
            need(query.on.as_deref().is_some_and(has_wide_key), Feature::MultiAttributeKeys);
        }
        Operation::Create(insert) | Operation::Put(insert) => {
            need(holds_unique(&insert.entity), Feature::Transactions);
        }
        Operation::Update(update) => need(holds_unique(&update.entity), Feature::Transactions),
        Operation::Delete(delete) => need(holds_unique(&delete.entity), Feature::Transactions),
        Operation::BatchGet(_) | Operation::Check(_) => {}
        Operation::Transaction(transaction) => {
            need(true, Feature::Transactions);
            transaction.steps.iter().for_each(|step| needs_of(&step.pattern, needs));
        }
        Operation::Parts(parts) => {
            need(parts.together, Feature::Transactions);
            parts.parts.iter().for_each(|part| needs_of(&part.pattern, needs));
        }
        Operation::Merge(merge) => {
            needs_of(&merge.each, needs);
            needs_of(&merge.run, needs);
        }
    }
}

/// Whether a part of the key has several attributes.
fn has_wide_key(index: &Index) -> bool {
    index.partition.len() > 1 || index.sort.len() > 1
}

/// Unique fields are held by reservations that are written in the same transaction.
fn holds_unique(entity: &Entity) -> bool {
    !entity.unique.is_empty()
}
