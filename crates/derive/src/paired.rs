//! The writes of entries: each is made, changed or deleted, as its item and its match are now.

use singlet_design::Fan;
use singlet_expr::{Condition, Path, Update};
use singlet_store::{DeleteItem, PutItem, ReturnItem, Store, TransactAction, UpdateItem};
use singlet_values::AttributeValue;

use crate::commit::{Committer, PartAction, Refused};
use crate::draft::Draft;
use crate::effects::{Effects, Part};
use crate::error::DeriveError;
use crate::pair::{Pair, ask, right_entry};
use crate::reads::{Found, Wanted};
use crate::waiting::Place;

impl<S: Store> Committer<'_, S> {
    /// Returns the writes of entries.
    pub(crate) async fn paired<'e>(
        &self,
        effects: &'e Effects,
        refused: &Refused<'e>,
    ) -> Result<Vec<PartAction<'e>>, DeriveError> {
        let fan_of = |rule: usize| self.rules.fanners().find(|(at, _)| *at == rule).map(|(_, fanner)| fanner);
        let mut wanted = Wanted::default();
        for ((rule, _), pair) in &effects.pairs {
            let Some(fan) = fan_of(*rule).map(|fanner| &*fanner.rule) else { continue };
            ask(fan, pair, self.environment, &mut wanted);
        }
        let there = wanted.read(self.store).await?;
        let mut actions = Vec::new();
        for (id, pair) in &effects.pairs {
            let Some(fanner) = fan_of(id.0) else { continue };
            let part = Part::Paired(id);
            let settled = match refused.get(&part) {
                Some(reason) => Err(reason.clone()),
                None => self.entry(&fanner.rule, pair, &there),
            };
            let (action, is_refused) = match settled {
                Ok(None) => continue,
                Ok(Some(action)) => (action, false),
                Err(reason) => {
                    let entity = &*fanner.rule.entity;
                    let place = Place { owner: self.owner, entity, target: &pair.key };
                    (place.refuse(&fanner.name, "entry", &reason), true)
                }
            };
            actions.push(PartAction { part, action, is_refused });
        }
        Ok(actions)
    }

    /// Returns the write of one entry; `None` if it is right.
    fn entry(&self, fan: &Fan, pair: &Pair, there: &Found) -> Result<Option<TransactAction>, String> {
        let right = right_entry(fan, pair, there, self.environment)?;
        let entity = &*fan.entity;
        let table = entity.table.name_in(self.environment);
        let stored = there.of_entity(entity, &table, &pair.key);
        let key = pair.key.clone();
        match (right, stored) {
            (None, None) => Ok(None),
            (Some(item), None) => {
                let first = key.iter().next().map(|(name, _)| Path::attribute(name));
                let condition = first.map(Condition::missing);
                Ok(Some(TransactAction::Put(PutItem { table, item, condition, returned: ReturnItem::None })))
            }
            (None, Some(_)) => {
                let type_name = AttributeValue::from(entity.type_name.as_str());
                let condition = Condition::equal(Path::attribute(&entity.table.type_attribute), type_name);
                Ok(Some(TransactAction::Delete(DeleteItem {
                    table,
                    key,
                    condition: Some(condition),
                    returned: ReturnItem::None,
                })))
            }
            (Some(item), Some(stored)) => {
                let mut draft = Draft::new(entity, stored);
                for (name, _) in &fan.set {
                    draft.set(name, item.get(name).cloned());
                }
                draft.derive()?;
                if draft.is_unchanged() {
                    return Ok(None);
                }
                Ok(Some(TransactAction::Update(UpdateItem {
                    table,
                    key,
                    update: Update::new(draft.actions()),
                    condition: draft.condition(),
                    returned: ReturnItem::None,
                })))
            }
        }
    }
}
