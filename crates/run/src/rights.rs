//! The rights of one call.

use singlet_expr::Condition;

/// The rights of a call, beyond its arguments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rights {
    /// The caller to whom cursors are bound.
    pub(crate) bond: Vec<u8>,
    /// The conditions that items must satisfy.
    pub(crate) rules: Vec<ItemRule>,
}

/// A condition that an item must satisfy for the caller to reach it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ItemRule {
    /// The step of a transaction that it is about; `None` for the pattern's own items.
    pub(crate) step: Option<String>,
    /// The condition.
    pub(crate) condition: Condition,
}

impl Rights {
    /// The rights of the operator: everything.
    pub(crate) const OPERATOR: &'static Rights = &Rights { bond: Vec::new(), rules: Vec::new() };

    /// The condition on the pattern's own items.
    pub(crate) fn own(&self) -> Option<&Condition> {
        self.of_step(None)
    }

    /// The condition on the item of a step.
    pub(crate) fn of_step(&self, step: Option<&str>) -> Option<&Condition> {
        self.rules.iter().find(|rule| rule.step.as_deref() == step).map(|rule| &rule.condition)
    }
}
