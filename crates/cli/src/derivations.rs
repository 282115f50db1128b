//! Derived data: brought up to date by commands that open a folder, and in the background of a server.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use singlet_api::{Figures, PatternFigures};
use singlet_derive::{Background, Counters, DeriveError, OutletThread, Reached, Worker, unknown_rules};
use singlet_design::Design;
use singlet_engine::{Clock, SystemClock};
use singlet_run::Wait;
use singlet_server::{Api, DerivedStatistics, OutletStatistics, PatternStatistics, Statistics};
use singlet_store::Embedded;
use singlet_wire::{AnswerRoom, Operation, Reply, Service};

use crate::archive;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::style::report;
use crate::target::Target;

/// Brings the derived fields of a design up to date, if the command has the database open itself. A server does so in
/// the background.
///
/// Rules that were not applied in this form aren't followed, because that would fill them: a command that reads must not
/// change items because somebody edited the file. The command goes on then, with a warning.
pub(crate) fn settle(target: &Target, design: &Arc<Design>, environment: &str) -> Result<(), Failure> {
    let Some(store) = target.embedded() else { return Ok(()) };
    let unknown = unknown_rules(&store, design, environment).wait()?;
    if unknown.is_empty() {
        bring_up_to_date(store.clone(), design, environment)?;
        return archive::settle(store, design, environment, target.archive());
    }
    let (rules, design) = (names(&unknown), &design.name);
    let warning = format!(
        "warning: derived data of `{design}` isn't kept up to date: apply the design first ({rules})"
    );
    anstream::eprintln!("{}", report(&warning));
    Ok(())
}

/// Returns some names, the first ones of many.
pub(crate) fn names(names: &[String]) -> String {
    const SHOWN_MAX: usize = 3;
    let shown = names.iter().take(SHOWN_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(SHOWN_MAX) {
        None | Some(0) => shown,
        Some(more) => format!("{shown} and {more} more"),
    }
}

/// Takes in all changes of the tables, and fills new derived fields.
pub(crate) fn bring_up_to_date(
    store: Embedded,
    design: &Arc<Design>,
    environment: &str,
) -> Result<(), DeriveError> {
    match Worker::open(store, Arc::clone(design), environment).wait()? {
        Some(mut worker) => work_off(&mut worker),
        None => Ok(()),
    }
}

/// Works until nothing is left to do, and shows how far it is.
pub(crate) fn work_off(worker: &mut Worker<Embedded>) -> Result<(), DeriveError> {
    let mut line = Progress::new();
    while worker.step(Duration::ZERO).wait()?.is_busy {
        let done = worker.counters().changes_total();
        match worker.is_filling() {
            true => line.wait("filling derived fields from the items that are there"),
            false => line.count(done, "changes taken into derived fields"),
        }
    }
    Ok(())
}

/// The workers of a server, one for each design that derives data.
#[derive(Debug, Default)]
pub(crate) struct Workers {
    running: Vec<(String, Background)>,
    /// The archivers.
    outlets: Vec<(String, OutletThread)>,
    /// The figures about the calls of each design.
    figures: Mutex<Vec<(String, Arc<Figures>)>>,
}

impl Workers {
    /// Starts the worker of a design.
    pub(crate) async fn start(
        &mut self,
        store: Embedded,
        design: &Arc<Design>,
        environment: &str,
        archive: Option<&Path>,
    ) -> Result<(), Failure> {
        if let Some(worker) = Background::start(store.clone(), Arc::clone(design), environment).await? {
            self.running.push((design.name.clone(), worker));
        }
        let archiver = archive::start(store, design, environment, archive).await?;
        self.outlets.extend(archiver.map(|archiver| (design.name.clone(), archiver)));
        Ok(())
    }

    /// Returns how far the derived data of a design is. `None` if it derives nothing.
    pub(crate) fn settled(&self, design: &str) -> Option<Arc<Reached>> {
        let (_, worker) = self.running.iter().find(|(name, _)| name == design)?;
        Some(Arc::clone(worker.settled()))
    }

    /// Returns the counters of the worker of a design, if it derives data.
    pub(crate) fn counters(&self, design: &str) -> Option<Arc<Counters>> {
        let found = self.running.iter().find(|(name, _)| name == design);
        found.map(|(_, worker)| Arc::clone(worker.counters()))
    }

    /// Shows the figures about the calls of a design.
    pub(crate) fn show(&self, design: &str, figures: &Arc<Figures>) {
        let mut shown = self.figures.lock().unwrap_or_else(PoisonError::into_inner);
        shown.push((design.to_owned(), Arc::clone(figures)));
    }

    /// Returns a service whose figures include those of the workers.
    pub(crate) fn beside(&self, service: Service) -> Deriving {
        let counted = |(name, worker): &(String, Background)| (name.clone(), Arc::clone(worker.counters()));
        let outlet = |(name, outlet): &(String, OutletThread)| (name.clone(), Arc::clone(outlet.counters()));
        let workers = self.running.iter().map(counted).collect();
        let calls = self.figures.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Deriving { service, workers, archives: self.outlets.iter().map(outlet).collect(), calls }
    }

    /// Stops all of them, after the batches that they are writing.
    pub(crate) fn stop(self) {
        self.running.iter().for_each(|(_, worker)| worker.ask_to_stop());
        self.outlets.iter().for_each(|(_, outlet)| outlet.ask_to_stop());
        self.running.into_iter().for_each(|(_, worker)| worker.stop());
        self.outlets.into_iter().for_each(|(_, outlet)| outlet.stop());
    }
}

/// DynamoDB's protocol on a database whose derived data is kept up to date.
pub(crate) struct Deriving {
    service: Service,
    workers: Vec<(String, Arc<Counters>)>,
    archives: Vec<(String, Arc<Counters>)>,
    calls: Vec<(String, Arc<Figures>)>,
}

impl Api for Deriving {
    async fn call(&self, operation: Operation, body: &[u8], room: &dyn AnswerRoom) -> Reply {
        Api::call(&self.service, operation, body, room).await
    }

    fn statistics(&self) -> Statistics {
        let now_ms = SystemClock.now_ms();
        let derived = self.workers.iter().map(|(design, counters)| DerivedStatistics {
            design: design.clone(),
            lag_seconds: counters.lag_ms(now_ms) as f64 / 1e3,
            changes: counters.changes_total(),
            batches: counters.batches_total(),
            effects: counters.effects_total(),
            refused: counters.refused_total(),
            failures: counters.failures_total(),
        });
        let outlets = self.archives.iter().map(|(design, counters)| OutletStatistics {
            design: design.clone(),
            outlet: "archive".to_owned(),
            lag_seconds: counters.lag_ms(now_ms) as f64 / 1e3,
            done: counters.effects_total(),
            dead: counters.refused_total(),
            failures: counters.failures_total(),
            gaps: counters.gaps_total(),
        });
        let calls = self.calls.iter().flat_map(|(design, figures)| {
            figures.patterns().into_iter().map(|one| pattern_statistics(design, one))
        });
        Statistics {
            derived: derived.collect(),
            outlets: outlets.collect(),
            patterns: calls.collect(),
            ..Api::statistics(&self.service)
        }
    }
}

fn pattern_statistics(design: &str, one: PatternFigures) -> PatternStatistics {
    PatternStatistics {
        design: design.to_owned(),
        pattern: one.pattern,
        within_seconds: one.within_seconds,
        buckets: one.buckets,
        calls: one.calls,
        seconds: one.seconds,
        late: one.late,
        refused: one.refused,
        failed: one.failed,
    }
}
