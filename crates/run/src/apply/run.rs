//! Plans that are carried out.

use std::time::Duration;

use singlet_design::time_of_ms;
use singlet_store::{Clock, IndexState, Store, StoreError, SystemClock, TableChange, TableShape};

use super::outdated::Outdated;
use super::plan::{Draft, Plan, Step};
use super::record::{self, Content, DESIGNS_TABLE};

/// How far a plan is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The step, from 1.
    pub number: usize,
    /// How many there are.
    pub total: usize,
    /// The step.
    pub step: &'a Step,
    /// How often the backend was asked whether the step is done; 0 when it begins.
    pub asked: u32,
}

/// Why a plan was not carried out, or not to its end. It can be made and carried out again: what is done stays done.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ApplyError {
    /// Something is in the way; nothing was done.
    #[error("nothing was done, because something is in the way:\n{}", .0.join("\n"))]
    Obstacles(Vec<String>),
    /// Items would not be found; nothing was done.
    #[error(
        "nothing was done, because the design doesn't match items that are there:{}\nKeep the old keys in the design, or \
         go on with `singlet apply --accept-outdated`: the items stay as they are, and until each one is written again, \
         patterns may miss it and its unique values may be given twice",
        outdated_lines(.0)
    )]
    Outdated(Vec<Outdated>),
    /// Somebody else applies a design to the same table.
    #[error("{table}: another apply of {design} began or finished meanwhile; run this one again")]
    Concurrent {
        /// Table name.
        table: String,
        /// The design's name.
        design: String,
    },
    /// Everything was done, but the database can't remember it.
    #[error("can't write to the table {DESIGNS_TABLE}, in which Singlet remembers applied designs: {0}")]
    Memory(StoreError),
    /// A step failed.
    #[error("could not {step}: {error}")]
    Step {
        /// The attempted step in words.
        step: String,
        /// Why it failed.
        error: StoreError,
    },
}

/// The first pause between questions whether something is done.
const PAUSE_MIN: Duration = Duration::from_millis(5);
/// The longest pause.
const PAUSE_MAX: Duration = Duration::from_secs(2);
/// How often a change is tried that the backend doesn't take now, because another one is under way.
const ATTEMPTS_MAX: u32 = 300;

impl Plan {
    /// Whether the plan can be carried out: nothing is in the way, and outdated items are accepted.
    pub fn check(&self) -> Result<(), ApplyError> {
        if !self.obstacles.is_empty() {
            return Err(ApplyError::Obstacles(self.obstacles.clone()));
        }
        let refused = self.outdated.iter().filter(|outdated| !outdated.accepted);
        let refused: Vec<Outdated> = refused.cloned().collect();
        if !refused.is_empty() {
            return Err(ApplyError::Outdated(refused));
        }
        Ok(())
    }

    /// Does everything in order and waits for each step to be done. `progress` is told at the start of each step and
    /// whenever the backend is asked how far it is.
    pub async fn run(
        &self,
        store: &impl Store,
        progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<(), ApplyError> {
        self.check()?;
        let mut memory = Memory { plan: self, versions: None };
        for (position, step) in self.steps.iter().enumerate() {
            let mut asked = 0;
            let mut tell = || {
                progress(Progress { number: position + 1, total: self.steps.len(), step, asked });
                asked += 1;
            };
            let failed = |error| ApplyError::Step { step: step.to_string(), error };
            tell();
            if !makes_memory(step) {
                memory.begin(store).await?;
            }
            run_step(step, store, &mut tell).await.map_err(failed)?;
        }
        memory.finish(store).await
    }
}

/// The records of a plan, as they are written: at the beginning, so that of two applies at once only one goes on, and
/// at the end, so that what is remembered was applied.
struct Memory<'a> {
    plan: &'a Plan,
    /// The versions of the records, if the beginning was noted.
    versions: Option<Vec<u64>>,
}

impl Memory<'_> {
    async fn begin(&mut self, store: &impl Store) -> Result<(), ApplyError> {
        if self.versions.is_some() {
            return Ok(());
        }
        let (now, drafts) = (now(), &self.plan.drafts);
        let mut versions = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let begun = draft.owner.begin(store, &draft.before, &now).await;
            versions.push(begun.map_err(|error| not_written(draft, error))?);
        }
        self.versions = Some(versions);
        Ok(())
    }

    async fn finish(self, store: &impl Store) -> Result<(), ApplyError> {
        let now = now();
        for (position, draft) in self.plan.drafts.iter().enumerate() {
            let content = self.plan.content(draft);
            let begun = self.versions.as_ref().and_then(|versions| versions.get(position)).copied();
            let is_known = draft.before.content.as_ref() == Some(&content) && draft.before.started.is_none();
            if begun.is_none() && is_known {
                continue;
            }
            let version = begun.unwrap_or(draft.before.version);
            let written = draft.owner.remember(store, &content, version, &now).await;
            written.map_err(|error| not_written(draft, error))?;
        }
        Ok(())
    }
}

impl Plan {
    fn content(&self, draft: &Draft) -> Content {
        let outdated = self.outdated.iter().filter(|one| one.table == draft.owner.table);
        Content {
            text: draft.text.clone(),
            blueprint: draft.blueprint.clone(),
            outdated: outdated.cloned().collect(),
        }
    }
}

fn now() -> String {
    time_of_ms(SystemClock.now_ms())
}

fn not_written(draft: &Draft, error: StoreError) -> ApplyError {
    match error {
        StoreError::ConditionFailed { .. } => {
            let (table, design) = (draft.owner.table.clone(), draft.owner.design.clone());
            ApplyError::Concurrent { table, design }
        }
        error => ApplyError::Memory(error),
    }
}

/// Whether a step makes the table that remembers designs.
fn makes_memory(step: &Step) -> bool {
    matches!(step, Step::Change(TableChange::Create(shape)) if shape.name == DESIGNS_TABLE)
}

fn outdated_lines(outdated: &[Outdated]) -> String {
    let lines = outdated.iter().flat_map(|one| {
        let reasons = one.reasons.iter().map(|reason| format!("\n    {reason}"));
        std::iter::once(format!("\n  {one}")).chain(reasons)
    });
    lines.collect()
}

async fn run_step(
    step: &Step,
    store: &impl Store,
    tell: &mut (dyn FnMut() + Send),
) -> Result<(), StoreError> {
    match step {
        Step::Change(change) => {
            begin(change, store, tell).await?;
            match change {
                TableChange::CreateIndex { table, index } => {
                    await_index(store, table, &index.name, true, tell).await
                }
                TableChange::DeleteIndex { table, index } => {
                    await_index(store, table, index, false, tell).await
                }
                TableChange::Delete { table } => {
                    let mut pauses = Pauses::new(tell);
                    while store.describe_table(table).await?.is_some() {
                        pauses.next().await;
                    }
                    record::forget(store, table).await
                }
                TableChange::Create(_)
                | TableChange::Protect { .. }
                | TableChange::TimeToLive { .. }
                | TableChange::Stream { .. }
                | TableChange::Recovery { .. }
                | TableChange::Backup { .. }
                | TableChange::Capacity { .. } => Ok(()),
            }
        }
        Step::AwaitIndex { table, index } => await_index(store, table, index, true, tell).await,
        Step::ShortenRecovery { table, days, .. } => {
            let change = TableChange::Recovery { table: table.clone(), days: Some(*days) };
            begin(&change, store, tell).await
        }
        Step::Release(release) => release.run(SystemClock.now_ms() / 1000, store, tell).await,
    }
}

/// Begins a change. Backends make one change to a table at a time and refuse others meanwhile.
async fn begin(
    change: &TableChange,
    store: &impl Store,
    tell: &mut (dyn FnMut() + Send),
) -> Result<(), StoreError> {
    let mut pauses = Pauses::new(tell);
    for attempt in 1.. {
        let error = match store.change_table(change).await {
            Ok(()) => return Ok(()),
            // Another apply deleted it, or it was being deleted already.
            Err(StoreError::NotFound(_)) if matches!(change, TableChange::DeleteIndex { .. }) => {
                return Ok(());
            }
            Err(error) => error,
        };
        let may_be_made = matches!(error, StoreError::TryAgain(_) | StoreError::Refused(_));
        if may_be_made && is_made(change, store).await? {
            return Ok(());
        }
        if !matches!(error, StoreError::TryAgain(_)) || attempt >= ATTEMPTS_MAX {
            return Err(error);
        }
        pauses.next().await;
    }
    Ok(())
}

/// Whether a table that was to be made is there: another apply made it meanwhile.
async fn is_made(change: &TableChange, store: &impl Store) -> Result<bool, StoreError> {
    let TableChange::Create(shape) = change else { return Ok(false) };
    let state = store.describe_table(&shape.name).await?;
    let is_same = |there: &TableShape| (&there.partition, &there.sort) == (&shape.partition, &shape.sort);
    Ok(state.is_some_and(|state| state.active && is_same(&state.shape)))
}

/// Waits until an index can be queried, or is gone. Filling an index of a large table takes hours on some backends:
/// there is no limit.
async fn await_index(
    store: &impl Store,
    table: &str,
    index: &str,
    there: bool,
    tell: &mut (dyn FnMut() + Send),
) -> Result<(), StoreError> {
    let mut pauses = Pauses::new(tell);
    loop {
        let gone = || StoreError::NotFound(format!("the table {table} was deleted meanwhile"));
        let state = store.describe_table(table).await?.ok_or_else(gone)?;
        let found = state.shape.indexes.iter().zip(&state.indexes).find(|(shape, _)| shape.name == index);
        match found {
            Some((_, IndexState::Active)) if there => return Ok(()),
            None if there => {
                let reason = format!("the index {index} of {table} was deleted meanwhile");
                return Err(StoreError::NotFound(reason));
            }
            None => return Ok(()),
            Some(_) => {}
        }
        pauses.next().await;
    }
}

/// Growing pauses between two questions to a backend, which has no way to report that a change is done.
struct Pauses<'a> {
    tell: &'a mut (dyn FnMut() + Send),
    pause: Duration,
}

impl<'a> Pauses<'a> {
    fn new(tell: &'a mut (dyn FnMut() + Send)) -> Self {
        Pauses { tell, pause: PAUSE_MIN }
    }

    async fn next(&mut self) {
        (self.tell)();
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(PAUSE_MAX);
    }
}
