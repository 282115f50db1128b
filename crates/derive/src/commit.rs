//! One batch of effects and the progress after it, in one transaction.

use std::collections::BTreeMap;
use std::time::Duration;

use singlet_run::apply::DERIVED_TABLE;
use singlet_store::{Cancellation, Store, StoreError, TransactAction, TransactWrite};

use crate::effects::{Effect, Effects, Part, TargetId};
use crate::error::DeriveError;
use crate::progress::Progress;
use crate::reads::Wanted;
use crate::rules::Rules;
use crate::search::Finds;
use crate::sources::Sources;
use crate::target::{Ground, Settler};
use crate::task::{Task, TaskStep};
use crate::waiting::{Place, Waiting};

/// The most actions of a transaction, even if the store allows more. It reads as many items, of 400 KB at most.
const ACTIONS_MAX: usize = 250;
/// Attempts to write a batch whose items are changed meanwhile, before the worker asks for a pause.
const ATTEMPTS_MAX: u32 = 20;
/// The pause before the second attempt; later ones are longer.
const PAUSE: Duration = Duration::from_millis(1);

/// How a commit ended.
#[derive(Debug)]
pub(crate) enum Committed {
    /// The effects and the progress are durable.
    Done {
        /// The progress that was written.
        progress: Progress,
        /// The items that couldn't take their effect.
        refused: usize,
    },
    /// No item changes, and nothing was written.
    Nothing,
    /// Another worker has gone on from here.
    Overtaken,
    /// The transaction is too large: try fewer changes.
    TooLarge(String),
}

/// The parts of effects that can't be taken, and why.
pub(crate) type Refused<'e> = BTreeMap<Part<'e>, String>;

/// The action for a part of effects, or the record that the part is refused.
pub(crate) struct PartAction<'e> {
    pub(crate) part: Part<'e>,
    pub(crate) action: TransactAction,
    pub(crate) is_refused: bool,
}

/// The actions of a transaction.
#[derive(Default)]
struct Actions<'e> {
    list: Vec<TransactAction>,
    /// The part of the effects that each belongs to, if it is one that can be refused.
    parts: Vec<Option<Part<'e>>>,
    /// How many parts are refused.
    refused: usize,
}

impl<'e> Actions<'e> {
    fn add(&mut self, part: Option<Part<'e>>, action: TransactAction) {
        self.parts.push(part);
        self.list.push(action);
    }
}

/// Returns the number of tasks that are left after effects.
fn tasks_after(effects: &Effects, before: &Progress) -> u64 {
    let ended = effects.steps.iter().filter(|step| matches!(step, TaskStep::IsDone(_))).count();
    (before.tasks + effects.tasks.len() as u64).saturating_sub(ended as u64)
}

/// Commits batches.
pub(crate) struct Committer<'a, S> {
    pub(crate) store: &'a S,
    pub(crate) rules: &'a Rules,
    pub(crate) owner: &'a str,
    pub(crate) environment: &'a str,
    /// The time for `{now}`.
    pub(crate) now_ms: u64,
    /// The most actions of a transaction that the store allows.
    pub(crate) actions_max: usize,
}

impl<S: Store> Committer<'_, S> {
    /// Returns the most targets of a transaction: one action is the progress. Rarely, a target needs two.
    pub(crate) fn targets_max(&self) -> usize {
        self.actions_max.min(ACTIONS_MAX) - 1
    }

    /// Writes effects and the progress after them. `before` is the progress that was read, with the batch that the
    /// transaction expects.
    pub(crate) async fn commit(
        &self,
        effects: &Effects,
        before: &Progress,
        after: &Progress,
        is_smallest: bool,
    ) -> Result<Committed, DeriveError> {
        let mut refused: Refused<'_> = BTreeMap::new();
        for attempt in 0..ATTEMPTS_MAX {
            let batch = before.batch + 1;
            let after = Progress { batch, tasks: tasks_after(effects, before), ..after.clone() };
            let actions = self.actions(effects, before, &after, &refused).await?;
            let has_same_rules = after.sweep == before.sweep && after.rules == before.rules;
            if actions.list.len() == 1 && has_same_rules {
                return Ok(Committed::Nothing);
            }
            if actions.list.len() > self.targets_max() + 1 {
                return Ok(Committed::TooLarge("too many items".to_owned()));
            }
            let request = TransactWrite { actions: actions.list, token: None, yields: true };
            match self.store.transact_write(request).await {
                Ok(_) => return Ok(Committed::Done { progress: after, refused: actions.refused }),
                Err(StoreError::Cancelled { reasons }) => {
                    if let Some(Cancellation::ConditionFailed { .. }) = reasons.first() {
                        return Ok(Committed::Overtaken);
                    }
                    for (part, reason) in actions.parts.iter().zip(&reasons) {
                        if let (Some(part), Cancellation::Refused(reason)) = (part, reason) {
                            refused.insert(*part, reason.clone());
                        }
                    }
                }
                Err(StoreError::Refused(reason)) if !is_smallest => return Ok(Committed::TooLarge(reason)),
                // One change alone is refused, and the store doesn't say for which item.
                Err(StoreError::Refused(reason)) if refused.len() < effects.parts().count() => {
                    let next = effects.suspects(&|part| !refused.contains_key(part));
                    refused.extend(next.into_iter().map(|part| (part, reason.clone())));
                }
                Err(StoreError::TryAgain(_)) => {}
                Err(error) => return Err(error.into()),
            }
            tokio::time::sleep(PAUSE * attempt).await;
        }
        Err(StoreError::TryAgain("the items of a batch are changed all the time".to_owned()).into())
    }

    /// Works out the actions of a transaction. The first one writes the progress.
    async fn actions<'e>(
        &self,
        effects: &'e Effects,
        before: &Progress,
        after: &Progress,
        refused: &Refused<'e>,
    ) -> Result<Actions<'e>, DeriveError> {
        let grounds = self.grounds(effects).await?;
        let sources = self.sources(effects, &grounds).await?;
        let settler = Settler {
            rules: self.rules,
            progress: after,
            owner: self.owner,
            batch: after.batch,
            sources: &sources,
            now_ms: self.now_ms,
        };
        let mut actions = Actions::default();
        actions.add(None, TransactAction::Put(after.write(self.owner, before.batch)));
        let removed = self.removed(effects, refused).await?;
        let gone = |id: &TargetId| removed.iter().any(|removed| removed.part == Part::Removed(id));
        // Only pages of tasks delete, and they do no more with other items than to look at them.
        let staying = effects.targets.iter().zip(&grounds).filter(|((id, _), _)| !gone(id));
        for ((id, effect), ground) in staying {
            let table = effect.entity.table.name_in(self.environment);
            let part = Part::Target(id);
            let settled = settler.settle(effect, ground, &table, refused.get(&part).map(String::as_str))?;
            settled.actions.into_iter().for_each(|action| actions.add(Some(part), action));
            actions.refused += usize::from(settled.is_refused);
        }
        let paired = self.paired(effects, refused).await?;
        for part in self.made(effects, refused).await?.into_iter().chain(removed).chain(paired) {
            actions.add(Some(part.part), part.action);
            actions.refused += usize::from(part.is_refused);
        }
        effects.notes.values().for_each(|note| actions.add(None, note.clone()));
        self.tasks(effects, after.batch).into_iter().for_each(|action| actions.add(None, action));
        Ok(actions)
    }

    /// Writes the progress alone.
    pub(crate) async fn save(&self, before: &Progress, after: &Progress) -> Result<Committed, DeriveError> {
        let after = Progress { batch: before.batch + 1, ..after.clone() };
        match self.store.put(after.write(self.owner, before.batch)).await {
            Ok(_) => Ok(Committed::Done { progress: after, refused: 0 }),
            Err(StoreError::ConditionFailed { .. }) => Ok(Committed::Overtaken),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads what is there for each target, in their order.
    async fn grounds(&self, effects: &Effects) -> Result<Vec<Ground>, DeriveError> {
        let mut wanted = Wanted::default();
        for effect in effects.targets.values() {
            wanted.ask(effect.entity.table.name_in(self.environment), effect.key.clone());
            wanted.ask(DERIVED_TABLE.to_owned(), self.place(effect).key());
        }
        let found = wanted.read(self.store).await?;
        let ground = |effect: &Effect| {
            let table = effect.entity.table.name_in(self.environment);
            Ground {
                is_taken: found.get(&table, &effect.key).is_some(),
                item: found.of_entity(&effect.entity, &table, &effect.key).cloned(),
                waiting: found.get(DERIVED_TABLE, &self.place(effect).key()).map(Waiting::of),
            }
        };
        Ok(effects.targets.values().map(ground).collect())
    }

    /// Reads what the items copy from, and the values among other items.
    async fn sources(&self, effects: &Effects, grounds: &[Ground]) -> Result<Sources, DeriveError> {
        let items = || {
            let pairs = effects.targets.values().zip(grounds);
            pairs.filter_map(|(effect, ground)| Some((effect, ground.item.as_ref()?)))
        };
        let copying = items().map(|(effect, item)| (&*effect.entity, item));
        let mut sources = Sources::read(self.store, self.rules, self.environment, copying).await?;
        let searches = items().flat_map(|(effect, item)| {
            let (place, is_wanted) = ((&effect.key, item), |rule: usize| effect.seeks(rule));
            Finds::searches(self.rules, &effect.entity.name, place, self.environment, &is_wanted)
        });
        sources.finds = Finds::all(self.store, searches.collect()).await?;
        Ok(sources)
    }

    /// Returns the writes of new tasks, and of the tasks that the effects belong to.
    fn tasks(&self, effects: &Effects, batch: u64) -> Vec<TransactAction> {
        let new = effects.tasks.iter().enumerate().map(|(number, ((subject, _), cause))| {
            Task::new(batch, number, subject, cause.clone()).keep(self.owner)
        });
        let steps = effects.steps.iter().map(|step| step.write(self.owner));
        new.chain(steps).collect()
    }

    fn place<'e>(&'e self, effect: &'e Effect) -> Place<'e> {
        Place { owner: self.owner, entity: &effect.entity, target: &effect.key }
    }
}
