//! The fold thread: writes frozen overlays into the tree and trims the log.

use std::sync::Arc;

use super::log::LogEnd;
use super::overlay::Overlay;
use super::queue::FoldProgress;
use super::shared::Shared;
use super::tally::Tallies;
use super::tree::{FoldPoint, TreeView};
use super::{StoreError, View};
use crate::sync::Instant;
use crate::sync::mpsc::Receiver;

/// A frozen overlay whose frames are durable.
pub(super) struct FoldJob {
    overlay: Overlay,
    tallies: Tallies,
    point: FoldPoint,
}

impl FoldJob {
    /// The overlay has all commits up to the state's last one that aren't in the tree.
    pub(super) fn new<A>(overlay: Overlay, state: &View<A>) -> Self {
        let point = FoldPoint { sequence: state.sequence, time_ms: state.time_ms, segment: 0, offset: 0 };
        #[cfg(simulated)]
        let point = match crate::planted::Bug::FoldsTooFar.is_planted() {
            true => FoldPoint { sequence: point.sequence + 1, ..point },
            false => point,
        };
        Self { overlay, tallies: state.tallies.clone(), point }
    }

    /// The position in the log after the overlay's last commit.
    pub(super) fn set_log_end(&mut self, end: LogEnd) {
        self.point.segment = end.segment;
        self.point.offset = end.offset;
    }
}

/// The fold thread's state.
pub(super) struct FoldThread<A, J> {
    pub(super) shared: Arc<Shared<A, J>>,
    pub(super) jobs: Receiver<FoldJob>,
    /// The number of entries in one transaction.
    pub(super) part_entries: usize,
}

impl<A, J> FoldThread<A, J> {
    /// Works until the log thread has ended.
    ///
    /// A failed fold poisons the store and isn't tried again. After a failed sync the kernel may have dropped the
    /// very pages that a second sync would report as written. The log still has everything, so opening the store
    /// again repeats the fold.
    pub(super) fn run(self) {
        while let Ok(job) = self.jobs.recv() {
            #[cfg(simulated)]
            if crate::planted::Bug::TrimsTooEarly.is_planted() {
                let _ = self.trim(job.point.sequence);
            }
            match self.fold(&job) {
                Ok(tree) => self.shared.queue.set_folded(tree),
                Err(error) => return self.shared.poison(format!("folding failed: {error}")),
            }
            if let Err(error) = self.trim(job.point.sequence) {
                // Only disk space is lost. The next fold or opening tries again.
                tracing::warn!(%error, "the log could not be trimmed");
            }
        }
    }

    fn fold(&self, job: &FoldJob) -> Result<TreeView, StoreError> {
        let start = Instant::now();
        let total = job.overlay.len();
        // Readers move on with each part, so that the next parts can reuse the pages that it released while they are
        // in the cache.
        let report = |done| {
            self.shared.queue.set_fold_progress(FoldProgress { done, total }, self.shared.tree.view()?);
            self.shared.room.look(|| self.shared.data_bytes());
            Ok(())
        };
        self.shared.tree.fold(&job.overlay, &job.tallies, job.point, self.part_entries, report)?;
        let view = self.shared.tree.view()?;
        let counters = &self.shared.counters;
        counters.folds.add(1);
        counters.folded_entries.add(job.overlay.len());
        counters.fold_time.add_time(start.elapsed());
        Ok(view)
    }

    /// Keeps the recorded changes of the folded segments, then releases the segments.
    fn trim(&self, folded_sequence: u64) -> Result<(), StoreError> {
        // The log grows meanwhile, and more of it may be folded. The next fold handles that.
        let folded = self.shared.catalogue.folded(folded_sequence);
        for (segment, until) in &folded {
            #[cfg(simulated)]
            if crate::planted::Bug::KeepsNoPast.is_planted() {
                continue;
            }
            self.shared.archive.keep(segment, *until)?;
        }
        folded.last().map_or(Ok(()), |(last, _)| self.shared.catalogue.trim(last.id))
    }
}
