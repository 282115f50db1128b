//! What an effect makes of an item: its new tallies, the fields that show them, and the keys that follow from the fields.

use singlet_design::Entity;
use singlet_expr::{Action, Change, Condition, Path, Step, Update};
use singlet_run::derive::{derived, value_at};
use singlet_store::{ReturnItem, TransactAction, UpdateItem};
use singlet_values::limits::ITEM_BYTES_MAX;
use singlet_values::{AttributeValue, Item, NumberError};

use crate::effects::Effect;
use crate::progress::Progress;
use crate::rules::Rules;
use crate::tally::{TALLIES, Tallies};
use crate::waiting::{Place, Waiting};

/// What is there before an effect.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ground {
    /// The item. `None` if there is none of this entity.
    pub(crate) item: Option<Item>,
    /// What waits for it.
    pub(crate) waiting: Option<Waiting>,
}

/// The writes that an effect needs; at most two.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    pub(crate) actions: Vec<TransactAction>,
    /// Whether the item can't take the effect, so that it waits.
    pub(crate) is_refused: bool,
}

/// Works out effects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settler<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) progress: &'a Progress,
    pub(crate) owner: &'a str,
    /// The number of the batch.
    pub(crate) batch: u64,
}

impl Settler<'_> {
    /// Returns the writes of an effect. With a reason why the item can't take it, the effect waits.
    pub(crate) fn settle(
        &self,
        effect: &Effect,
        ground: &Ground,
        table: &str,
        refused: Option<&str>,
    ) -> Result<Settled, NumberError> {
        let place = Place { owner: self.owner, entity: &effect.entity, target: &effect.key };
        let Some(item) = &ground.item else {
            let waiting = Waiting { tallies: self.added(ground.waiting.as_ref(), effect)?, reason: None };
            return Ok(self.waits(&waiting, ground, &place));
        };
        let refused = match refused {
            Some(reason) => reason.to_owned(),
            None => match self.update(effect, ground, item, table)? {
                Ok(update) => {
                    let empty = Waiting::default();
                    let forget = empty.write(ground.waiting.as_ref(), &place, self.batch);
                    return Ok(Settled {
                        actions: update.into_iter().chain(forget).collect(),
                        is_refused: false,
                    });
                }
                Err(reason) => reason,
            },
        };
        let tallies = self.added(ground.waiting.as_ref(), effect)?;
        let waiting = Waiting { tallies, reason: Some(refused) };
        Ok(Settled { is_refused: true, ..self.waits(&waiting, ground, &place) })
    }

    fn waits(&self, waiting: &Waiting, ground: &Ground, place: &Place<'_>) -> Settled {
        let before = ground.waiting.as_ref();
        let is_same = before.is_some_and(|before| {
            before.reason == waiting.reason && same(self, place.entity, &before.tallies, &waiting.tallies)
        });
        let action = if is_same { None } else { waiting.write(before, place, self.batch) };
        Settled { actions: action.into_iter().collect(), is_refused: false }
    }

    /// Returns the tallies that wait, with an effect added.
    fn added(&self, waiting: Option<&Waiting>, effect: &Effect) -> Result<Tallies, NumberError> {
        let old = waiting.map(|waiting| waiting.tallies.clone()).unwrap_or_default();
        self.sum(&effect.entity, &[&old], effect)
    }

    /// Returns the tallies of an entity's fields: the sums of several, with an effect added. Void ones are left out.
    fn sum(&self, entity: &Entity, parts: &[&Tallies], effect: &Effect) -> Result<Tallies, NumberError> {
        let mut sums = Tallies::default();
        for (at, rule) in
            self.rules.list.iter().enumerate().filter(|(_, rule)| rule.target.name == entity.name)
        {
            let Some(state) = self.progress.rule(&rule.name()) else { continue };
            let field = rule.aggregate.field.as_str();
            let mut sum = effect.changes.get(&at).cloned().unwrap_or_default();
            for part in parts {
                sum = sum.plus(&part.get(field, state.generation))?;
            }
            sums.set(field, state.generation, sum);
        }
        Ok(sums)
    }

    /// Returns the update of an item, `None` if nothing changes, or why the item can't take the effect.
    fn update(
        &self,
        effect: &Effect,
        ground: &Ground,
        item: &Item,
        table: &str,
    ) -> Result<Result<Option<TransactAction>, String>, NumberError> {
        let entity = &*effect.entity;
        let old = Tallies::of(item, self.batch);
        let none = Tallies::default();
        let waiting = ground.waiting.as_ref().map_or(&none, |waiting| &waiting.tallies);
        let tallies = self.sum(entity, &[old.as_ref().unwrap_or(&none), waiting], effect)?;
        let mut draft = Draft { item: item.clone(), actions: Vec::new(), relied: Vec::new() };
        for rule in self.rules.list.iter().filter(|rule| rule.target.name == entity.name) {
            let Some(state) = self.progress.rule(&rule.name()) else { continue };
            let field_name = rule.aggregate.field.as_str();
            if let (Some(field), true) = (entity.field(field_name), self.shows(state.is_ready)) {
                let tally = tallies.get(field_name, state.generation);
                draft.set(field_name, tally.value(field, &rule.aggregate));
            }
        }
        if let Err(reason) = draft.derive(entity) {
            return Ok(Err(reason));
        }
        let is_settled = old.as_ref().map_or(tallies.is_zero(), |old| same(self, entity, old, &tallies));
        if draft.actions.is_empty() && is_settled {
            return Ok(Ok(None));
        }
        draft.set(TALLIES, Some(tallies.to_value(self.batch)));
        if draft.item.size_bytes() > ITEM_BYTES_MAX {
            return Ok(Err("the item would have more than 400 KB".to_owned()));
        }
        let condition = draft.condition(entity, item, old.as_ref());
        let action = TransactAction::Update(UpdateItem {
            table: table.to_owned(),
            key: effect.key.clone(),
            update: Update::new(draft.actions),
            condition,
            returned: ReturnItem::None,
        });
        Ok(Ok(Some(action)))
    }

    /// Returns whether a field shows its tally now. While existing items are being counted, it keeps its old value.
    fn shows(&self, is_ready: bool) -> bool {
        let counting = |sweep: &crate::progress::Sweep| sweep.stage == crate::progress::Stage::Count;
        is_ready || !self.progress.sweep.as_ref().is_some_and(counting)
    }
}

/// Returns whether tallies agree in every field of an entity, whoever wrote them.
fn same(settler: &Settler<'_>, entity: &Entity, one: &Tallies, other: &Tallies) -> bool {
    settler.rules.list.iter().filter(|rule| rule.target.name == entity.name).all(|rule| {
        let Some(state) = settler.progress.rule(&rule.name()) else { return true };
        let field = rule.aggregate.field.as_str();
        one.get(field, state.generation) == other.get(field, state.generation)
    })
}

/// An item while it is changed.
struct Draft {
    item: Item,
    actions: Vec<Action>,
    /// The fields that made the new keys.
    relied: Vec<String>,
}

impl Draft {
    fn set(&mut self, attribute: &str, value: Option<AttributeValue>) {
        if self.item.get(attribute) == value.as_ref() {
            return;
        }
        let path = Path::attribute(attribute);
        let change = match value {
            Some(value) => {
                self.item.insert(attribute, value.clone());
                Change::set(value)
            }
            None => {
                self.item.remove(attribute);
                Change::Remove
            }
        };
        self.actions.push(Action { path, change });
    }

    /// Makes the attributes anew that follow from changed fields.
    fn derive(&mut self, entity: &Entity) -> Result<(), String> {
        for derived in derived(entity) {
            let is_touched = self.actions.iter().any(|action| derived.touched_by(&action.path.head));
            if !is_touched {
                continue;
            }
            let value = derived.value(entity, &self.item).map_err(|error| error.to_string())?;
            self.relied.extend(derived.fields().into_iter().map(str::to_owned));
            self.set(derived.attribute, value);
        }
        Ok(())
    }

    /// Returns the condition under which the changes are right: the item is the one that was read, as far as they rely
    /// on it.
    fn condition(&self, entity: &Entity, before: &Item, tallies: Option<&Tallies>) -> Option<Condition> {
        let table = &entity.table;
        let is_item = Condition::equal(
            Path::attribute(table.type_attribute.as_str()),
            AttributeValue::from(entity.type_name.as_str()),
        );
        let number = Path { head: TALLIES.to_owned(), steps: vec![Step::Field("#".to_owned())] };
        let is_known = match tallies {
            Some(tallies) => Condition::equal(number, AttributeValue::from(tallies.batch)),
            // Something else wrote the attribute.
            None => match before.get(TALLIES) {
                Some(value) => Condition::equal(Path::attribute(TALLIES), value.clone()),
                None => Condition::missing(Path::attribute(TALLIES)),
            },
        };
        let in_key: Vec<&str> = table.key().map(|key| key.name.as_str()).collect();
        let written = |path: &str| self.actions.iter().any(|action| action.path.head == path);
        let mut relied: Vec<&str> = self.relied.iter().map(String::as_str).collect();
        relied.sort_unstable();
        relied.dedup();
        let guards = relied.into_iter().filter(|path| !in_key.contains(path) && !written(path)).map(|path| {
            match value_at(before, path) {
                Some(value) => Condition::equal(Path::dotted(path), value.clone()),
                None => Condition::missing(Path::dotted(path)),
            }
        });
        Condition::all([is_item, is_known].into_iter().chain(guards))
    }
}
