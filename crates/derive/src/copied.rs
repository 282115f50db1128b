//! Fields that repeat a field of the item that their item refers to.

use std::sync::Arc;

use singlet_design::{Entity, FieldCopy};
use singlet_run::derive::{key_of, value_at, with_defaults};
use singlet_values::{AttributeValue, Item};

/// A rule that copies a field.
#[derive(Debug, Clone)]
pub(crate) struct Copier {
    /// The entity that has the field.
    pub(crate) target: Arc<Entity>,
    /// The entity that is copied from.
    pub(crate) source: Arc<Entity>,
    pub(crate) rule: FieldCopy,
}

impl Copier {
    /// Returns the reference along which it copies, in words. Rules along one reference share their tasks.
    pub(crate) fn reference(&self) -> String {
        let fields: Vec<&str> = self.rule.referral.link.iter().map(|(_, theirs)| theirs.as_str()).collect();
        format!("{} by {} of {}", self.source.name, fields.join(", "), self.target.name)
    }

    /// Returns the value that items which refer to a source have.
    pub(crate) fn value_in(&self, source: &Item) -> Option<AttributeValue> {
        value_at(&with_defaults(&self.source, source), &self.rule.value).cloned()
    }

    /// Returns the fields in the key of a source. `None` if it lacks one.
    pub(crate) fn identity(&self, source: &Item) -> Option<Item> {
        let link = self.rule.referral.link.iter();
        link.map(|(own, _)| Some((own.as_str(), value_at(source, own)?.clone()))).collect()
    }

    /// Returns the key of the source that an item refers to. `None` if it refers to none.
    pub(crate) fn source_key(&self, item: &Item) -> Option<Item> {
        let link = self.rule.referral.link.iter();
        let fields: Option<Item> =
            link.map(|(own, theirs)| Some((own.as_str(), value_at(item, theirs)?.clone()))).collect();
        // Values that can't stand in a key name no item.
        key_of(&self.source, &fields?).ok()
    }
}
