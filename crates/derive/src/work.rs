//! Working on tasks, page by page.

use singlet_design::{Entity, Referral};
use singlet_store::{ChangeFeed, StoreError};
use singlet_values::Item;

use crate::commit::Committed;
use crate::effects::Effects;
use crate::error::DeriveError;
use crate::fans::Fanning;
use crate::referring::referring;
use crate::removal::Cause;
use crate::task::{Task, TaskStep};
use crate::worker::Worker;

/// The most tasks that are worked on in one transaction.
const TASKS_AT_ONCE: u32 = 16;
/// The most items that their pages have together. Each can need two actions of a transaction.
const ITEMS_AT_ONCE: u32 = 40;

impl<S: ChangeFeed> Worker<S> {
    /// Works on the next tasks by one page each. Tasks take turns, so that a large one doesn't hold up the others.
    pub(crate) async fn work(&mut self) -> Result<(), DeriveError> {
        let last = self.last_task.take();
        let mut tasks = Task::after(&self.store, &self.owner, last.as_ref(), TASKS_AT_ONCE).await?;
        if tasks.is_empty() && last.is_some() {
            tasks = Task::after(&self.store, &self.owner, None, TASKS_AT_ONCE).await?;
        }
        if tasks.is_empty() {
            // Somebody has deleted them.
            self.progress.tasks = 0;
            return Ok(());
        }
        let mut limit = ITEMS_AT_ONCE;
        loop {
            let (effects, worked_on) = self.pages(&tasks, limit).await?;
            match self.committer().commit(&effects, &self.progress, &self.progress, limit == 1).await? {
                Committed::Done { progress, refused } => {
                    self.progress = progress;
                    self.last_task = worked_on;
                    self.counters().batch(effects.targets.len(), refused);
                    return Ok(());
                }
                Committed::Nothing => return Ok(()),
                Committed::Overtaken => return self.reopen(&|_| false).await,
                Committed::TooLarge(_) if limit > 1 => limit /= 2,
                Committed::TooLarge(reason) => return Err(StoreError::Refused(reason).into()),
            }
        }
    }

    /// Returns the effects of a page of each task, as long as they have at most so many items, and the last of these tasks.
    async fn pages(&self, tasks: &[Task], limit: u32) -> Result<(Effects, Option<Task>), DeriveError> {
        let mut effects = Effects::default();
        let mut last = None;
        for task in tasks {
            let used = u32::try_from(
                effects.targets.len()
                    + effects.removals.len()
                    + effects.pairs.len()
                    + effects.notes.len()
                    + effects.tasks.len(),
            )
            .unwrap_or(u32::MAX);
            if used >= limit {
                break;
            }
            let step = self.page(task, limit - used, &mut effects).await?;
            effects.steps.push(step);
            last = Some(task.clone());
        }
        Ok((effects, last))
    }

    /// Adds the effects of a page of a task, and returns what becomes of it.
    async fn page(&self, task: &Task, limit: u32, effects: &mut Effects) -> Result<TaskStep, DeriveError> {
        if let Some(copier) = self.rules.copies().find(|copier| copier.reference() == task.subject) {
            let (keys, step) = self.referring(task, &copier.target, &copier.rule.referral, limit).await?;
            keys.into_iter().for_each(|key| effects.look_under(&copier.target, key));
            return Ok(step);
        }
        let mut children = self
            .rules
            .removers()
            .flat_map(|remover| remover.rule.children.iter().map(move |child| (remover, child)));
        if let Some((remover, child)) =
            children.find(|(remover, child)| remover.subject(child) == task.subject)
        {
            let (keys, step) = self.referring(task, &child.entity, &child.referral, limit).await?;
            let cause = Cause {
                rule: remover.name.clone(),
                parent: remover.rule.parent.clone(),
                referral: child.referral.clone(),
                identity: task.cause.source.clone(),
                deleted_ms: task.cause.time_ms,
            };
            keys.into_iter().for_each(|key| effects.remove(&child.entity, key, cause.clone()));
            return Ok(step);
        }
        if let Some((at, fanner)) = self.rules.fanners().find(|(_, fanner)| fanner.has(&task.subject)) {
            return Fanning { worker: self, at, fanner }.page(task, limit, effects).await;
        }
        // The design no longer has the rule.
        Ok(TaskStep::IsDone(task.clone()))
    }

    /// Returns the keys of a page of the items that refer to the changed one, and what becomes of the task.
    async fn referring(
        &self,
        task: &Task,
        entity: &Entity,
        referral: &Referral,
        limit: u32,
    ) -> Result<(Vec<Item>, TaskStep), DeriveError> {
        let Some(mut query) = referring(entity, referral, &task.cause.source, self.environment()) else {
            return Ok((Vec::new(), TaskStep::IsDone(task.clone())));
        };
        query.limit = Some(limit);
        // After a change of the design, the place can be one in another index.
        let place = task.place.as_ref().filter(|(index, _)| *index == referral.index);
        query.start_key = place.map(|(_, after)| after.clone());
        let page = self.store.query(query).await?;
        let mut keys = Vec::with_capacity(page.items.len());
        for item in &page.items {
            let item = item.decode().map_err(DeriveError::corrupt)?;
            let names = entity.table.key().map(|key| key.name.as_str());
            let key: Option<Item> = names.map(|name| Some((name, item.get(name)?.clone()))).collect();
            keys.extend(key);
        }
        let step = match page.next.and_then(|next| next.start_key) {
            Some(after) => TaskStep::GoesOn(task.at(referral.index.clone(), after)),
            None => TaskStep::IsDone(task.clone()),
        };
        Ok((keys, step))
    }
}
