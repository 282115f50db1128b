//! The items that others copy from, and the values that searches found.

use singlet_design::{Entity, default_of};
use singlet_store::Store;
use singlet_values::Item;

use crate::copied::Copier;
use crate::draft::Draft;
use crate::error::DeriveError;
use crate::mark::stored_key;
use crate::reads::{Found, Wanted};
use crate::rules::Rules;
use crate::search::Finds;
use crate::seeker::Seeker;

/// The items that others copy from, and the values that searches found.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    environment: String,
    found: Found,
    pub(crate) finds: Finds,
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
        let found = wanted.read(store).await?;
        Ok(Sources { environment: environment.to_owned(), found, finds: Finds::default() })
    }

    /// Gives an item the value that a search found, if there was one. Without items, the field has its default, or no value.
    pub(crate) fn fill(&self, at: usize, seeker: &Seeker, draft: &mut Draft<'_>) {
        let key = stored_key(&seeker.target, &draft.item);
        let Some(value) = self.finds.value(at, &key) else { return };
        let field = seeker.rule.field.as_str();
        let nothing = || seeker.target.field(field).and_then(default_of);
        draft.set(field, value.cloned().or_else(nothing));
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
