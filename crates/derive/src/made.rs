//! The writes of items that are made.

use std::collections::BTreeSet;

use singlet_expr::{Condition, Path};
use singlet_run::derive::key_of;
use singlet_store::{PutItem, ReturnItem, Store, TransactAction};
use singlet_values::Item;

use crate::commit::{Committer, PartAction, Refused};
use crate::effects::{Effects, MakingId, Part};
use crate::error::DeriveError;
use crate::making::{Making, Workshop};
use crate::reads::{Found, Wanted, encode};
use crate::waiting::Place;

/// An item that is to be made: its table, its key, and the item.
struct Plan<'e> {
    id: &'e MakingId,
    table: String,
    key: Item,
    item: Item,
}

impl<S: Store> Committer<'_, S> {
    /// Returns the writes of items that are made. An item that is there already stays as it is.
    pub(crate) async fn made<'e>(
        &self,
        effects: &'e Effects,
        refused: &Refused<'e>,
    ) -> Result<Vec<PartAction<'e>>, DeriveError> {
        let mut actions = Vec::new();
        let mut plans: Vec<Plan<'e>> = Vec::new();
        let mut keys: BTreeSet<(String, Vec<u8>)> = BTreeSet::new();
        let found = self.materials(effects).await?;
        for (id, making) in &effects.makings {
            let Some((_, workshop)) = self.rules.workshops().find(|(at, _)| *at == id.0) else { continue };
            let entity = &*workshop.rule.entity;
            let made = match refused.get(&Part::Made(id)) {
                Some(reason) => Err(reason.clone()),
                None => workshop.make(making, self.environment, &found),
            };
            match made {
                Ok(None) => {}
                Ok(Some(item)) => {
                    let table = entity.table.name_in(self.environment);
                    let names = entity.table.key().map(|key| key.name.as_str());
                    let key: Item = names.filter_map(|name| Some((name, item.get(name)?.clone()))).collect();
                    // Of several that would be one item, the first is made.
                    if keys.insert((table.clone(), encode(&key))) {
                        plans.push(Plan { id, table, key, item });
                    }
                }
                Err(reason) => actions.extend(self.refusal(workshop, (id, making), &reason)),
            }
        }
        let mut wanted = Wanted::default();
        plans.iter().for_each(|plan| wanted.ask(plan.table.clone(), plan.key.clone()));
        let there = wanted.read(self.store).await?;
        let new = plans.into_iter().filter(|plan| there.get(&plan.table, &plan.key).is_none());
        actions.extend(new.map(Plan::action));
        Ok(actions)
    }

    /// Reads the items that new items refer to.
    async fn materials(&self, effects: &Effects) -> Result<Found, DeriveError> {
        let mut wanted = Wanted::default();
        for ((at, _), making) in &effects.makings {
            if let Some((_, workshop)) = self.rules.workshops().find(|(place, _)| place == at) {
                workshop.ask(making, self.environment, &mut wanted);
            }
        }
        wanted.read(self.store).await
    }

    /// Returns the write of a record that an item couldn't be made.
    fn refusal<'e>(
        &self,
        workshop: &Workshop,
        (id, making): (&'e MakingId, &Making),
        reason: &str,
    ) -> Option<PartAction<'e>> {
        let entity = &*workshop.rule.each;
        let target = key_of(entity, &making.source).ok()?;
        let place = Place { owner: self.owner, entity, target: &target };
        let action = place.refuse(&workshop.name, &id.1, reason);
        Some(PartAction { part: Part::Made(id), action, is_refused: true })
    }
}

impl<'e> Plan<'e> {
    fn action(self) -> PartAction<'e> {
        let first = self.key.iter().next().map(|(name, _)| Path::attribute(name));
        let action = TransactAction::Put(PutItem {
            table: self.table,
            item: self.item,
            condition: first.map(Condition::missing),
            returned: ReturnItem::None,
        });
        PartAction { part: Part::Made(self.id), action, is_refused: false }
    }
}
