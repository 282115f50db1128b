//! The deletions of items with the items that they refer to.

use singlet_store::Store;

use crate::commit::{Committer, PartAction, Refused};
use crate::effects::{Effects, Part};
use crate::error::DeriveError;
use crate::reads::Wanted;
use crate::waiting::Place;

impl<S: Store> Committer<'_, S> {
    /// Returns the deletions of items whose parents were deleted.
    pub(crate) async fn removed<'e>(
        &self,
        effects: &'e Effects,
        refused: &Refused<'e>,
    ) -> Result<Vec<PartAction<'e>>, DeriveError> {
        let mut wanted = Wanted::default();
        for removal in effects.removals.values() {
            wanted.ask(removal.entity.table.name_in(self.environment), removal.key.clone());
            for cause in &removal.causes {
                if let Some(key) = cause.parent_key() {
                    wanted.ask(cause.parent.table.name_in(self.environment), key);
                }
            }
        }
        let found = wanted.read(self.store).await?;
        let mut actions = Vec::new();
        for (id, removal) in &effects.removals {
            let table = removal.entity.table.name_in(self.environment);
            let Some(item) = found.of_entity(&removal.entity, &table, &removal.key) else { continue };
            if !removal.applies(item, self.environment, &found) {
                continue;
            }
            let part = Part::Removed(id);
            let action = match (refused.get(&part), removal.causes.first()) {
                (Some(reason), Some(cause)) => {
                    let place = Place { owner: self.owner, entity: &removal.entity, target: &removal.key };
                    place.refuse(&cause.rule, &cause.deleted_ms.to_string(), reason)
                }
                _ => removal.delete(item, self.environment),
            };
            actions.push(PartAction { part, action, is_refused: refused.contains_key(&part) });
        }
        Ok(actions)
    }
}
