//! `singlet run` of a bulk write: batch after batch, to the end of the list.

use std::future::ready;

use singlet_design::Json;
use singlet_run::{Arguments, BulkFailure, BulkReport, Outcome, Paging, RunError, Runner, Wait};
use singlet_store::Store;

use crate::failure::Failure;
use crate::progress::Progress;
use crate::signals::Signals;

/// Failed elements that are kept for the answer.
const FAILED_MAX: usize = 1000;

/// The results of all batches together.
#[derive(Debug, Default)]
pub(super) struct BulkTotal {
    report: BulkReport,
    /// The number of elements that failed, including those that aren't kept.
    failed: u64,
}

impl BulkTotal {
    /// Runs a bulk write to the end of its list, or until it is interrupted or the store fails.
    pub(super) fn of<S: Store>(
        runner: &Runner<S>,
        pattern: &str,
        values: &Arguments,
        paging: Paging,
    ) -> Result<Self, Failure> {
        let total = async {
            let listening = Signals::listen();
            let mut signals = listening
                .map_err(|reason| Failure::Refused(format!("can't listen for signals: {reason}")))?;
            BulkTotal::run(runner, pattern, (values, paging), &mut signals).await
        };
        total.wait()
    }

    async fn run<S: Store>(
        runner: &Runner<S>,
        pattern: &str,
        (values, mut paging): (&Arguments, Paging),
        signals: &mut Signals,
    ) -> Result<Self, Failure> {
        let mut total = BulkTotal::default();
        let mut line = Progress::new();
        loop {
            let batch = match runner.run(pattern, values, &paging).await {
                Ok(Outcome::Bulk(batch)) => batch,
                Ok(_) => return Err(RunError::Fault("a bulk write has another answer").into()),
                // The last cursor is still the place to go on.
                Err(error) if total.has_begun() => {
                    total.report.stopped = Some(error.to_string());
                    return Ok(total);
                }
                Err(error) => return Err(error.into()),
            };
            total.add(batch);
            line.count(total.report.done + total.failed, "elements");
            let Some(cursor) = &total.report.cursor else { return Ok(total) };
            paging.cursor = Some(cursor.to_string());
            let is_interrupted = tokio::select! {
                biased;
                () = signals.next() => true,
                () = ready(()) => false,
            };
            if is_interrupted && total.report.stopped.is_none() {
                total.report.stopped = Some("interrupted".to_owned());
            }
            if total.report.stopped.is_some() {
                return Ok(total);
            }
        }
    }

    fn has_begun(&self) -> bool {
        self.report.done + self.failed > 0
    }

    fn add(&mut self, batch: BulkReport) {
        self.report.done += batch.done;
        self.failed += batch.failed.len() as u64;
        let room = FAILED_MAX.saturating_sub(self.report.failed.len());
        self.report.failed.extend(batch.failed.into_iter().take(room).collect::<Vec<BulkFailure>>());
        self.report.stopped = batch.stopped;
        self.report.cursor = batch.cursor;
    }

    pub(super) fn to_json(&self) -> Json {
        self.report.to_json()
    }

    /// The failure that the shell is told, if there is one.
    pub(super) fn failure(&self) -> Option<Failure> {
        let BulkTotal { report, failed } = self;
        match (&report.stopped, failed) {
            (Some(reason), _) => Some(Failure::Refused(format!(
                "stopped after {} elements: {reason}; run it again with `--cursor` to go on",
                report.done + failed
            ))),
            (None, 0) => None,
            (None, failed) => Some(Failure::Refused(format!("{failed} elements could not be written"))),
        }
    }
}
