//! Plans that are carried out.

use std::time::Duration;

use super::plan::{Plan, Step};
use crate::store::{IndexState, Store, StoreError, TableChange};

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
    /// A step failed.
    #[error("could not {step}: {error}")]
    Step {
        /// What was tried, in words.
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
    /// Does everything in order and waits for each step to be done. `progress` is told at the start of each step and
    /// whenever the backend is asked how far it is.
    pub fn run(&self, store: &dyn Store, progress: &mut dyn FnMut(Progress<'_>)) -> Result<(), ApplyError> {
        if !self.obstacles.is_empty() {
            return Err(ApplyError::Obstacles(self.obstacles.clone()));
        }
        for (position, step) in self.steps.iter().enumerate() {
            let mut asked = 0;
            let mut tell = || {
                progress(Progress { number: position + 1, total: self.steps.len(), step, asked });
                asked += 1;
            };
            let failed = |error| ApplyError::Step { step: step.to_string(), error };
            tell();
            run_step(step, store, &mut tell).map_err(failed)?;
        }
        Ok(())
    }
}

fn run_step(step: &Step, store: &dyn Store, tell: &mut dyn FnMut()) -> Result<(), StoreError> {
    match step {
        Step::Change(change) => {
            begin(change, store, tell)?;
            match change {
                TableChange::CreateIndex { table, index } => {
                    await_index(store, table, &index.name, true, tell)
                }
                TableChange::DeleteIndex { table, index } => await_index(store, table, index, false, tell),
                TableChange::Delete { table } => {
                    wait(tell, || store.describe_table(table).map(|state| state.is_none()))
                }
                TableChange::Create(_)
                | TableChange::Protect { .. }
                | TableChange::TimeToLive { .. }
                | TableChange::Stream { .. }
                | TableChange::Recovery { .. }
                | TableChange::Backup { .. } => Ok(()),
            }
        }
        Step::AwaitIndex { table, index } => await_index(store, table, index, true, tell),
    }
}

/// Begins a change. Backends make one change to a table at a time and refuse others meanwhile.
fn begin(change: &TableChange, store: &dyn Store, tell: &mut dyn FnMut()) -> Result<(), StoreError> {
    let mut attempts = 0;
    wait(tell, || {
        attempts += 1;
        match store.change_table(change) {
            Ok(()) => Ok(true),
            Err(StoreError::TryAgain(_)) if attempts < ATTEMPTS_MAX => Ok(false),
            // Somebody else took it away, or it was going already.
            Err(StoreError::NotFound(_)) if matches!(change, TableChange::DeleteIndex { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    })
}

/// Waits until an index can be queried, or is gone. Filling an index of a large table takes hours on some backends:
/// there is no limit.
fn await_index(
    store: &dyn Store,
    table: &str,
    index: &str,
    there: bool,
    tell: &mut dyn FnMut(),
) -> Result<(), StoreError> {
    wait(tell, || {
        let gone = || StoreError::NotFound(format!("the table {table} was deleted meanwhile"));
        let state = store.describe_table(table)?.ok_or_else(gone)?;
        let found = state.shape.indexes.iter().zip(&state.indexes).find(|(shape, _)| shape.name == index);
        match found {
            Some((_, IndexState::Active)) => Ok(there),
            Some(_) => Ok(false),
            None if there => {
                Err(StoreError::NotFound(format!("the index {index} of {table} was deleted meanwhile")))
            }
            None => Ok(true),
        }
    })
}

/// Asks with growing pauses until the answer is yes.
fn wait(
    tell: &mut dyn FnMut(),
    mut done: impl FnMut() -> Result<bool, StoreError>,
) -> Result<(), StoreError> {
    let mut pause = PAUSE_MIN;
    while !done()? {
        tell();
        // Nobody wakes this thread: there is nothing to be told by, only a backend to be asked again.
        std::thread::park_timeout(pause);
        pause = (pause * 2).min(PAUSE_MAX);
    }
    Ok(())
}
