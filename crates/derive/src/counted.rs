//! Items that exist exactly as long as others count for them.
//!
//! A worker makes such an item with the first contribution. When nothing counts for it any more, it gets empty tallies
//! first, as any other item. The worker sees this write in the feed and deletes the item then, so that the deletion takes
//! no tallies away.

use singlet_design::{Entity, Field, Made, default_of, epoch_second};
use singlet_expr::{Condition, Path};
use singlet_run::SeededEntropy;
use singlet_run::derive::{complete, generated, key_of};
use singlet_store::{DeleteItem, PutItem, ReturnItem, TransactAction};
use singlet_values::limits::ITEM_BYTES_MAX;
use singlet_values::{AttributeValue, Item};

use crate::draft::Draft;
use crate::effects::Effect;
use crate::mark::mark;
use crate::tally::{TALLIES, Tallies};
use crate::target::{Ground, Settled, Settler};
use crate::waiting::{Place, Waiting};

impl Settler<'_> {
    /// Returns the writes that make an item for which something counts. An item that has expired isn't made again.
    pub(crate) fn appear(
        &self,
        effect: &Effect,
        ground: &Ground,
        (tallies, table): (Tallies, &str),
        refused: Option<&str>,
    ) -> Settled {
        let place = Place { owner: self.owner, entity: &effect.entity, target: &effect.key };
        if effect.identity.as_ref().is_some_and(|fields| self.has_expired(&effect.entity, fields)) {
            let forget = Waiting::default().write(ground.waiting.as_ref(), &place, self.batch);
            return Settled { actions: forget.into_iter().collect(), is_refused: false };
        }
        let made = match refused {
            Some(reason) => Err(reason.to_owned()),
            None if ground.is_taken => Err("there is an item of another entity under its key".to_owned()),
            None => self.made(effect, &tallies),
        };
        match made {
            Ok(item) => {
                let first = effect.key.iter().next().map(|(name, _)| Path::attribute(name));
                let put = TransactAction::Put(PutItem {
                    table: table.to_owned(),
                    item,
                    condition: first.map(Condition::missing),
                    returned: ReturnItem::None,
                });
                let forget = Waiting::default().write(ground.waiting.as_ref(), &place, self.batch);
                Settled { actions: [put].into_iter().chain(forget).collect(), is_refused: false }
            }
            Err(reason) => {
                let waiting = Waiting { tallies, reason: Some(reason), doubt: None };
                Settled { is_refused: true, ..self.waits(&waiting, ground, &place) }
            }
        }
    }

    /// Returns the deletion of an item for which nothing counts any more, once its tallies say so.
    pub(crate) fn vanish(&self, effect: &Effect, item: &Item, table: &str) -> Option<TransactAction> {
        let entity = &*effect.entity;
        let mark = mark(self.owner, entity, &effect.key);
        let is_empty = Tallies::of(item, &mark).is_none_or(|tallies| tallies.is_zero());
        let mut rules = self.rules.aggregates_of(&entity.name);
        let is_known =
            rules.all(|(_, rule, _)| self.progress.rule(&rule.name).is_some_and(|state| self.shows(state)));
        (entity.counted && is_empty && is_known).then(|| {
            TransactAction::Delete(DeleteItem {
                table: table.to_owned(),
                key: effect.key.clone(),
                condition: Draft::new(entity, item).condition(),
                returned: ReturnItem::None,
            })
        })
    }

    /// Returns whether an item with these fields in its key would have expired.
    pub(crate) fn has_expired(&self, entity: &Entity, fields: &Item) -> bool {
        let Some(ttl) = &entity.ttl else { return false };
        let second = beginning(entity, &ttl.field, fields).and_then(|value| match value {
            AttributeValue::N(second) => second.to_i64(),
            AttributeValue::S(text) => epoch_second(&text),
            _ => None,
        });
        let after = i64::try_from(ttl.after_seconds).unwrap_or(i64::MAX);
        let now = i64::try_from(self.now_ms / 1000).unwrap_or(i64::MAX);
        second.is_some_and(|second| second.saturating_add(after) < now)
    }

    /// Returns the new item, or why it can't be made.
    fn made(&self, effect: &Effect, tallies: &Tallies) -> Result<Item, String> {
        let entity = &*effect.entity;
        let Some(fields) = &effect.identity else {
            return Err("its fields aren't known: rebuild the field".to_owned());
        };
        let mut item = Item::new();
        for field in &entity.fields {
            let value = if is_in_key(entity, &field.name) {
                beginning(entity, &field.name, fields)
            } else {
                self.by_itself(field)
            };
            if let Some(value) = value {
                item.insert(field.name.as_str(), value);
            }
        }
        let before = Item::new();
        let mut draft = Draft::new(entity, &before);
        draft.item = item;
        self.show(&mut draft, entity, tallies);
        let mut item = draft.item;
        complete(entity, &mut item).map_err(|error| error.to_string())?;
        if key_of(entity, &item).ok().as_ref() != Some(&effect.key) {
            return Err("its key doesn't follow from the beginning of its period".to_owned());
        }
        let mark = mark(self.owner, entity, &effect.key);
        item.insert(TALLIES, tallies.to_value(self.batch, 0, &mark));
        match item.size_bytes() > ITEM_BYTES_MAX {
            true => Err("the item would have more than 400 KB".to_owned()),
            false => Ok(item),
        }
    }

    /// Returns the value of a field that isn't in the key.
    fn by_itself(&self, field: &Field) -> Option<AttributeValue> {
        match field.made {
            // Only times are generated, so nothing is random.
            Some(made @ (Made::Created | Made::Updated)) => {
                generated(field, made, self.now_ms, &SeededEntropy::new(0))
            }
            _ => default_of(field),
        }
    }
}

/// Returns the value of a field in the key of a counted item: the beginning of its period if the key has a period.
fn beginning(entity: &Entity, field: &str, fields: &Item) -> Option<AttributeValue> {
    let value = fields.get(field)?;
    Some(entity.beginning(field, value).unwrap_or_else(|| value.clone()))
}

fn is_in_key(entity: &Entity, field: &str) -> bool {
    let templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    templates.flat_map(|template| template.fields()).any(|path| path == field)
}
