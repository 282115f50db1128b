//! What a runner knows of each pattern before it is called: how it reads, and what it needs of the store.

use singlet_design::Pattern;
use singlet_store::Feature;

use crate::call::PlanContext;
use crate::needs::needs;
use crate::read::ReadPlan;

/// How a pattern is run.
pub(super) enum Way {
    /// It reads.
    Read(ReadPlan),
    /// It writes: what, depends on the values.
    Write,
    /// It reads, but its parts don't fit together. No design that was loaded has such a pattern.
    Impossible,
}

/// The plan of one pattern.
pub(super) struct Plan {
    /// How it is run.
    pub(super) way: Way,
    /// What the store must have.
    pub(super) needs: Vec<Feature>,
}

impl Plan {
    pub(super) fn new(context: &PlanContext<'_>, pattern: &Pattern) -> Self {
        let needs = needs(pattern).into_iter().map(|(feature, _)| feature).collect();
        let way = match ReadPlan::new(context, pattern) {
            Some(read) => Way::Read(read),
            None if pattern.reads() => Way::Impossible,
            None => Way::Write,
        };
        Plan { way, needs }
    }
}
