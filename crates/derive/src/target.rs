//! The writes of an effect: an item's new tallies, the fields that show them, and the keys that follow from the fields.

use singlet_design::Entity;
use singlet_expr::Update;
use singlet_store::{ReturnItem, TransactAction, UpdateItem};
use singlet_values::limits::ITEM_BYTES_MAX;
use singlet_values::{Item, NumberError};

use crate::draft::Draft;
use crate::effects::Effect;
use crate::mark::mark;
use crate::progress::{Progress, RuleState, Stage, Sweep};
use crate::rules::Rules;
use crate::sources::Sources;
use crate::tally::{TALLIES, Tallies};
use crate::waiting::{Place, Waiting};

/// The state before an effect.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ground {
    /// The item. `None` if there is none of this entity.
    pub(crate) item: Option<Item>,
    /// Whether there is any item under the key.
    pub(crate) is_taken: bool,
    /// The tallies that wait for it.
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
    /// The items that others copy from.
    pub(crate) sources: &'a Sources,
    /// The time for `{now}`.
    pub(crate) now_ms: u64,
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
            let tallies = self.added(ground.waiting.as_ref(), effect)?;
            if effect.entity.counted && tallies.has_items() {
                return Ok(self.appear(effect, ground, (tallies, table), refused));
            }
            let waiting = Waiting { tallies, reason: None, doubt: None };
            return Ok(self.waits(&waiting, ground, &place));
        };
        let refused = match refused {
            Some(reason) => reason.to_owned(),
            None => match self.update(effect, ground, item, table)? {
                Ok(update) => {
                    let update = update.or_else(|| self.vanish(effect, item, table));
                    let note = self.note(effect, ground, &place);
                    let actions = update.into_iter().chain(note).collect();
                    return Ok(Settled { actions, is_refused: false });
                }
                Err(reason) => reason,
            },
        };
        let tallies = self.added(ground.waiting.as_ref(), effect)?;
        let waiting = Waiting { tallies, reason: Some(refused), doubt: None };
        Ok(Settled { is_refused: true, ..self.waits(&waiting, ground, &place) })
    }

    /// Returns the write that forgets what waited for an item, or records that the value of some field isn't known.
    fn note(&self, effect: &Effect, ground: &Ground, place: &Place<'_>) -> Option<TransactAction> {
        let before = ground.waiting.as_ref();
        let rules = || self.rules.extremes_of(&effect.entity.name);
        let doubt = self.sources.finds.doubt(rules().map(|(at, _, _)| at), &effect.key);
        let is_open =
            |field: &String| !rules().any(|(at, _, own)| own.rule.field == *field && effect.seeks(at));
        let known = before.filter(|before| before.doubt.as_ref().is_some_and(is_open));
        let left = match (doubt, known) {
            (Some((field, reason)), _) => {
                let (reason, doubt) = (Some(reason.to_owned()), Some(field.to_owned()));
                Waiting { tallies: Tallies::default(), reason, doubt }
            }
            (None, Some(known)) => known.clone(),
            (None, None) => Waiting::default(),
        };
        let is_same = before.is_some_and(|before| before.doubt.is_some() && before.reason == left.reason);
        if is_same { None } else { left.write(before, place, self.batch) }
    }

    pub(crate) fn waits(&self, waiting: &Waiting, ground: &Ground, place: &Place<'_>) -> Settled {
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
        for (at, rule, aggregate) in self.rules.aggregates_of(&entity.name) {
            let Some(state) = self.progress.rule(&rule.name) else { continue };
            let field = aggregate.field.as_str();
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
        let mark = mark(self.owner, entity, &effect.key);
        let old = Tallies::of(item, &mark);
        let none = Tallies::default();
        let waiting = ground.waiting.as_ref().map_or(&none, |waiting| &waiting.tallies);
        let tallies = self.sum(entity, &[old.as_ref().unwrap_or(&none), waiting], effect)?;
        let mut draft = Draft::new(entity, item);
        self.show(&mut draft, entity, &tallies);
        if let Err(reason) = self.follow(&mut draft, entity) {
            return Ok(Err(reason));
        }
        let is_settled = match &old {
            Some(old) => same(self, entity, old, &tallies),
            // Tallies that somebody copied to the item are replaced.
            None => tallies.is_zero() && item.get(TALLIES).is_none(),
        };
        if draft.is_unchanged() && is_settled {
            return Ok(Ok(None));
        }
        let previous = old.as_ref().map_or(0, |old| old.batch);
        draft.set(TALLIES, Some(tallies.to_value(self.batch, previous, &mark)));
        if draft.item.size_bytes() > ITEM_BYTES_MAX {
            return Ok(Err("the item would have more than 400 KB".to_owned()));
        }
        let action = TransactAction::Update(UpdateItem {
            table: table.to_owned(),
            key: effect.key.clone(),
            update: Update::new(draft.actions()),
            condition: draft.condition(),
            returned: ReturnItem::None,
        });
        Ok(Ok(Some(action)))
    }

    /// Shows tallies in the fields of an item.
    pub(crate) fn show(&self, draft: &mut Draft<'_>, entity: &Entity, tallies: &Tallies) {
        for (_, rule, aggregate) in self.rules.aggregates_of(&entity.name) {
            let Some(state) = self.progress.rule(&rule.name).filter(|state| self.shows(state)) else {
                continue;
            };
            if let Some(field) = entity.field(&aggregate.field) {
                let tally = tallies.get(&aggregate.field, state.generation);
                draft.set(&aggregate.field, tally.value(field, aggregate));
            }
        }
    }

    /// Gives an item everything that follows from its sources and its own fields.
    pub(crate) fn follow(&self, draft: &mut Draft<'_>, entity: &Entity) -> Result<(), String> {
        for (_, rule, copier) in self.rules.copies_of(&entity.name) {
            if self.progress.rule(&rule.name).is_some_and(|state| self.shows(state)) {
                self.sources.copy(copier, draft);
            }
        }
        for (at, rule, seeker) in self.rules.extremes_of(&entity.name) {
            if self.progress.rule(&rule.name).is_some_and(|state| self.shows(state)) {
                self.sources.fill(at, seeker, draft);
            }
        }
        draft.derive()?;
        let sets = || self.rules.sets_of(&entity.name);
        // A field that one rule sets can be in the condition of another one.
        for _ in sets() {
            let mut is_changed = false;
            for (_, rule, set) in sets() {
                if self.progress.rule(&rule.name).is_some_and(|state| self.shows(state)) {
                    is_changed |= set.apply(draft, self.now_ms)?;
                }
            }
            if !is_changed {
                break;
            }
            draft.derive()?;
        }
        Ok(())
    }

    /// Returns whether the result of a rule is written now. While existing items are being counted, fields keep their
    /// old values.
    pub(crate) fn shows(&self, state: &RuleState) -> bool {
        let counting = |sweep: &Sweep| sweep.stage == Stage::Count;
        state.is_ready || !self.progress.sweep.as_ref().is_some_and(counting)
    }
}

/// Returns whether tallies agree in every field of an entity, whoever wrote them.
fn same(settler: &Settler<'_>, entity: &Entity, one: &Tallies, other: &Tallies) -> bool {
    settler.rules.aggregates_of(&entity.name).all(|(_, rule, aggregate)| {
        let Some(state) = settler.progress.rule(&rule.name) else { return true };
        let field = aggregate.field.as_str();
        one.get(field, state.generation) == other.get(field, state.generation)
    })
}
