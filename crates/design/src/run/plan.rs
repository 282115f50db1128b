//! What a runner knows of each pattern before it is called: how it reads, and what it needs of the store.

use super::read::ReadPlan;
use crate::apply::needs;
use crate::model::{Design, Pattern, Table};
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
        let needs = needs(pattern).into_iter().map(|(feature, _)| feature).collect();
        Plan { read: ReadPlan::new(context, pattern), needs }
    }
}
