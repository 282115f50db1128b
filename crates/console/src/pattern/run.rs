//! One run of a pattern, with its requests and its time.

use std::time::{Duration, Instant};

use singlet_design::Pattern;
use singlet_run::explain::{Recorded, Recording};
use singlet_run::{Outcome, RunError};
use singlet_store::Store;

use super::call::Call;
use crate::console::Served;

/// The effect of a run on the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It reads.
    Read,
    /// It works out what it would write.
    Preview,
    /// It writes.
    Write,
}

impl Effect {
    /// The heading of its answer.
    pub(super) fn title(self) -> &'static str {
        match self {
            Effect::Read => "Answer",
            Effect::Preview => "What it would write",
            Effect::Write => "Written",
        }
    }
}

/// A run.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) effect: Effect,
    pub(super) outcome: Result<Outcome, RunError>,
    pub(super) recorded: Vec<Recorded>,
    pub(super) elapsed: Duration,
}

impl Run {
    /// Runs a call.
    pub(super) async fn of<S: Store>(
        served: &Served<S>,
        pattern: &Pattern,
        call: &Call,
        effect: Effect,
    ) -> Run {
        let mut recording = Recording::new(served.runner().store());
        if effect == Effect::Write {
            recording = recording.with_writes();
        }
        let runner = served.runner().on(recording);
        let start = Instant::now();
        let outcome = runner.run(&pattern.name, &call.arguments, &call.paging).await;
        let elapsed = start.elapsed();
        Run { effect, outcome, recorded: runner.store().recorded(), elapsed }
    }

    /// The reason why a parameter was refused by the run itself.
    pub(super) fn wrong(&self, name: &str) -> Option<&str> {
        match &self.outcome {
            Err(RunError::Parameter { parameter, reason }) if parameter == name => Some(reason),
            Err(RunError::Parameters { wrong, .. }) => {
                wrong.iter().find(|wrong| wrong.parameter == name).map(|wrong| wrong.reason.as_str())
            }
            _ => None,
        }
    }
}
