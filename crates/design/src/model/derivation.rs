//! Derivations that stand on their own: `[derive.NAME]`.

use std::sync::Arc;

use super::copied::Referral;
use super::entity::Entity;
use super::fan::Fan;
use super::outlet::{Archive, Trigger};
use super::pattern::{Reference, ValueSource};
use crate::condition::Condition;
use crate::report::Span;

/// A rule by which items follow from others, or from their own fields.
#[derive(Debug, Clone)]
pub struct Derivation {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub about: Option<String>,
    /// Its effect.
    pub kind: DerivationKind,
    /// Its position in the file.
    pub span: Span,
}

impl Derivation {
    /// Returns the events that lead out of the database.
    pub fn triggers(&self) -> &[Trigger] {
        match &self.kind {
            DerivationKind::Archive(archive) => &archive.triggers,
            DerivationKind::Set(_)
            | DerivationKind::Make(_)
            | DerivationKind::Fan(_)
            | DerivationKind::Delete(_) => &[],
        }
    }
}

/// The effect of a derivation.
#[derive(Debug, Clone)]
pub enum DerivationKind {
    /// It sets fields of an item while a condition on the item holds.
    Set(ConditionalSet),
    /// It makes an item from each new item of another entity.
    Make(Maker),
    /// It makes an item for each pair of an item and a match.
    Fan(Box<Fan>),
    /// It deletes items that refer to a deleted item.
    Delete(Cascade),
    /// It appends items that are gone to files.
    Archive(Archive),
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
        self.condition.tree.paths().into_iter().chain(named(&self.set)).collect()
    }
}

/// An item that is made from each new item of another entity.
#[derive(Debug, Clone)]
pub struct Maker {
    /// The entity whose new items cause it.
    pub each: Arc<Entity>,
    /// The entity of the items that are made.
    pub entity: Arc<Entity>,
    /// For which new items one is made. It doesn't depend on a call.
    pub condition: Option<Condition>,
    /// The fields with their values. Names in composed values are fields of the new item that causes it, or lead along
    /// one of the references.
    pub set: Vec<(String, ValueSource)>,
    /// The references of the new item whose items are read.
    pub references: Vec<Reference>,
}

impl Maker {
    /// Returns the fields, or paths, that it depends on; some may come twice.
    pub fn sources(&self) -> Vec<&str> {
        let condition = self.condition.iter().flat_map(|condition| condition.tree.paths());
        condition.chain(named(&self.set)).collect()
    }

    /// Returns the reference that a path leads along, and the rest of the path.
    pub fn along<'p>(&self, path: &'p str) -> Option<(&Reference, &'p str)> {
        let (field, rest) = path.split_once('.')?;
        Some((self.references.iter().find(|reference| reference.field == field)?, rest))
    }
}

/// Items that are deleted with the item that they refer to.
#[derive(Debug, Clone)]
pub struct Cascade {
    /// The entity of the item that is referred to.
    pub parent: Arc<Entity>,
    /// The entities whose items are deleted with it.
    pub children: Vec<Child>,
}

/// An entity whose items are deleted with the item that they refer to.
#[derive(Debug, Clone)]
pub struct Child {
    /// The entity.
    pub entity: Arc<Entity>,
    /// How its items refer to the other item.
    pub referral: Referral,
}

/// Returns the fields that composed values use.
fn named(set: &[(String, ValueSource)]) -> impl Iterator<Item = &str> {
    let values = set.iter().filter_map(|(_, value)| match value {
        ValueSource::Composed(composed) => Some(composed.names()),
        _ => None,
    });
    values.flatten().filter_map(|name| name.field())
}
