//! Derivations that stand on their own: `[derive.NAME]`.

use std::sync::Arc;

use super::entity::Entity;
use super::pattern::ValueSource;
use crate::condition::Condition;
use crate::report::Span;

/// A rule by which items follow from others, or from their own fields.
#[derive(Debug, Clone)]
pub struct Derivation {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub about: Option<String>,
    /// What it does.
    pub kind: DerivationKind,
    /// Its position in the file.
    pub span: Span,
}

/// What a derivation does.
#[derive(Debug, Clone)]
pub enum DerivationKind {
    /// It sets fields of an item while a condition on the item holds.
    Set(ConditionalSet),
}

/// Fields that are set while a condition on the same item holds.
#[derive(Debug, Clone)]
pub struct ConditionalSet {
    /// The entity.
    pub entity: Arc<Entity>,
    /// The condition. It doesn't depend on a call.
    pub condition: Condition,
    /// The fields with their values. Names in composed values are fields of the item.
    pub set: Vec<(String, ValueSource)>,
    /// Whether the fields go back to their defaults, or are removed, while the condition doesn't hold.
    pub unset: bool,
}

impl ConditionalSet {
    /// Returns whether it sets a field.
    pub fn sets(&self, field: &str) -> bool {
        self.set.iter().any(|(name, _)| name == field)
    }

    /// Returns the fields, or paths into objects, that it depends on; some may come twice.
    pub fn sources(&self) -> Vec<&str> {
        let values = self.set.iter().filter_map(|(_, value)| match value {
            ValueSource::Composed(composed) => Some(composed.names()),
            _ => None,
        });
        let values = values.flatten().filter_map(|name| name.field());
        self.condition.tree.paths().into_iter().chain(values).collect()
    }
}
