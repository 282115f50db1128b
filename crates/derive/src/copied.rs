//! Fields that repeat a field of the item that their item refers to.

use std::sync::Arc;

use singlet_design::{Entity, FieldCopy, default_of};
use singlet_run::derive::{key_of, value_at, with_defaults};
use singlet_store::Store;
use singlet_values::{AttributeValue, Item};

use crate::draft::Draft;
use crate::error::DeriveError;
use crate::reads::{Found, Wanted};
use crate::rules::Rules;

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
    fn source_key(&self, item: &Item) -> Option<Item> {
        let link = self.rule.referral.link.iter();
        let fields: Option<Item> =
            link.map(|(own, theirs)| Some((own.as_str(), value_at(item, theirs)?.clone()))).collect();
        // Values that can't stand in a key name no item.
        key_of(&self.source, &fields?).ok()
    }
}

/// The items that others copy from.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    environment: String,
    found: Found,
}

impl Sources {
    /// Reads the sources of items.
    pub(crate) async fn read<'i>(
        store: &impl Store,
        rules: &Rules,
        environment: &str,
        items: impl Iterator<Item = (&'i Entity, &'i Item)>,
    ) -> Result<Sources, DeriveError> {
        let mut wanted = Wanted::default();
        for (entity, item) in items {
            for (_, _, copier) in rules.copies_of(&entity.name) {
                if let Some(key) = copier.source_key(item) {
                    wanted.ask(copier.source.table.name_in(environment), key);
                }
            }
        }
        Ok(Sources { environment: environment.to_owned(), found: wanted.read(store).await? })
    }

    /// Gives an item the value of its source. Without a source, the field has its default, or no value.
    pub(crate) fn copy(&self, copier: &Copier, draft: &mut Draft<'_>) {
        let key = copier.source_key(&draft.item);
        let table = copier.source.table.name_in(&self.environment);
        let source = key.and_then(|key| self.found.of_entity(&copier.source, &table, &key));
        let field = copier.rule.field.as_str();
        let nothing = || copier.target.field(field).and_then(default_of);
        let value = source.and_then(|source| copier.value_in(source)).or_else(nothing);
        if draft.set(field, value) {
            copier.rule.referral.link.iter().for_each(|(_, theirs)| draft.rely_on(theirs));
        }
    }
}
