//! The writer thread, which decides the order of commits.

use std::collections::VecDeque;
use std::sync::Arc;

use super::batch::{Batch, Completion, Handler};
use super::committer::Commit;
use super::fold::FoldJob;
use super::overlay::Overlay;
use super::queue::{FoldNews, FoldProgress, Work};
use super::shared::Shared;
use super::{ClockEvent, CommitError, Opening, StoreOptions, View};
use crate::sync::Instant;
use crate::sync::mpsc::SyncSender;

/// The size of frames at which a batch is passed on early.
const BATCH_BYTES_MAX: usize = 1 << 20;

/// The writer thread's state.
pub(super) struct WriterThread<A, H: Handler<A>> {
    pub(super) shared: Arc<Shared<A, H::Job>>,
    pub(super) handler: H,
    /// The working state: all published commits and those that will be.
    pub(super) state: View<A>,
    pub(super) commits: SyncSender<Commit<A>>,
    pub(super) overlay_bytes_max: usize,
    /// The bytes logged since the last freeze.
    pub(super) unfolded_log_bytes: usize,
    pub(super) batch_jobs_max: usize,
    pub(super) batch: OpenBatch,
    /// The first commit since the store was opened.
    pub(super) opening: Option<Opening>,
}

/// The batch that is being collected.
#[derive(Default)]
pub(super) struct OpenBatch {
    frames: Vec<u8>,
    completions: Vec<Completion>,
    retired: Option<Overlay>,
    /// Whether it gives readers another view of the tree.
    moves_tree: bool,
}

impl OpenBatch {
    fn is_empty(&self) -> bool {
        self.completions.is_empty() && !self.moves_tree
    }
}

impl<A: Send + Sync + 'static, H: Handler<A>> WriterThread<A, H> {
    pub(super) fn new(
        shared: Arc<Shared<A, H::Job>>,
        handler: H,
        state: View<A>,
        commits: SyncSender<Commit<A>>,
        options: &StoreOptions,
    ) -> Self {
        Self {
            shared,
            handler,
            state,
            commits,
            overlay_bytes_max: options.overlay_bytes_max,
            unfolded_log_bytes: 0,
            batch_jobs_max: options.batch_jobs_max,
            batch: OpenBatch::default(),
            opening: None,
        }
    }

    /// Works until the queue is closed and empty. Then it folds the rest, so that the next opening has nothing to
    /// replay.
    pub(super) fn run(mut self) {
        let mut jobs = VecDeque::with_capacity(self.batch_jobs_max);
        while let Work::Some { fold_news } = self.shared.queue.wait(&mut jobs, self.batch_jobs_max) {
            if let Some(news) = fold_news {
                self.show_folded(news);
            }
            for job in jobs.drain(..) {
                self.make_room();
                self.apply(job);
            }
            self.hand_over(None);
        }
        self.wait_fold(|_| false);
        if !self.state.active.is_empty() {
            self.freeze();
            self.wait_fold(|_| false);
        }
        self.hand_over(None);
    }

    fn apply(&mut self, job: H::Job) {
        self.shared.counters.jobs.add(1);
        let logged_before = self.batch.frames.len();
        let time = self.shared.time.read();
        let clock = match self.opening {
            Some(_) => self.shared.time.event(&time),
            None => ClockEvent::Opened,
        };
        let mut batch = Batch::new(&mut self.state, time.now_ms, clock, self.opening);
        let first = batch.as_opening();
        let completion = self.handler.apply(job, &mut batch);
        match batch.commit(&mut self.batch.frames) {
            Ok(logged) => {
                self.shared.counters.commits.add(usize::from(logged));
                if logged {
                    self.opening.get_or_insert(first);
                    self.shared.time.note(&time);
                    self.state.believed_jumps = time.believed;
                }
                self.batch.completions.push(completion);
            }
            // The job changed nothing, so there is nothing to wait for.
            Err(error) => completion(Err(error)),
        }
        self.unfolded_log_bytes += self.batch.frames.len().saturating_sub(logged_before);
        if self.batch.frames.len() >= BATCH_BYTES_MAX {
            self.hand_over(None);
        }
    }

    /// Freezes a full overlay. While the previous one is being folded, it waits if necessary, and so does every
    /// thread that submits. This bounds the memory.
    fn make_room(&mut self) {
        if self.state.frozen.is_some() {
            self.keep_pace_with_fold();
        }
        if self.state.frozen.is_none() && self.is_due_for_fold() {
            self.freeze();
        }
    }

    /// An overlay is frozen at three quarters of the memory for both: the larger it is, the more entries share a page
    /// of the tree. It is also frozen when the log since the last freeze is that large, because the next opening
    /// reads that log, and recorded changes take more space there.
    fn is_due_for_fold(&self) -> bool {
        self.unfolded_bytes() >= self.overlay_bytes_max / 4 * 3
    }

    /// Returns the size of the active overlay in memory or in the log, whichever is larger.
    fn unfolded_bytes(&self) -> usize {
        self.state.active.bytes().max(self.unfolded_log_bytes)
    }

    /// The last quarter is for the time of the fold. Half of it may be full when the fold begins, and all of it when
    /// it ends. Clients that write at that pace or slower never wait. Faster ones wait often and briefly, not once
    /// for the whole fold.
    fn keep_pace_with_fold(&mut self) {
        let (bytes, eighth) = (self.unfolded_bytes(), self.overlay_bytes_max / 8);
        if bytes < eighth {
            return;
        }
        let has_room =
            |progress: FoldProgress| bytes < eighth + eighth * progress.done / progress.total.max(1);
        if has_room(self.shared.queue.fold_progress()) {
            return;
        }
        // Evaluated jobs need not wait for the fold.
        self.hand_over(None);
        let start = Instant::now();
        self.wait_fold(has_room);
        self.shared.counters.writer_waits.add(1);
        self.shared.counters.writer_wait_time.add_time(start.elapsed());
    }

    fn wait_fold(&mut self, is_far_enough: impl Fn(FoldProgress) -> bool) {
        while self.state.frozen.is_some()
            && let Some(news) = self.shared.queue.wait_fold(&self.shared.poison, &is_far_enough)
        {
            self.show_folded(news);
            self.hand_over(None);
        }
    }

    /// There must be no frozen overlay.
    fn freeze(&mut self) {
        if self.shared.poison.is_set() {
            return;
        }
        self.unfolded_log_bytes = 0;
        let overlay = std::mem::take(&mut self.state.active);
        self.state.frozen = Some(overlay.clone());
        let job = FoldJob::new(overlay, &self.state);
        self.hand_over(Some(job));
    }

    /// Moves to the tree with the folded part. The frozen overlay stays above it, with the same content, until all of
    /// it is folded.
    fn show_folded(&mut self, news: FoldNews) {
        self.state.tree = news.tree;
        self.batch.moves_tree = true;
        if news.is_done {
            self.batch.retired = self.state.frozen.take();
        }
    }

    /// Passes the batch to the log, and waits if the log is behind.
    fn hand_over(&mut self, fold: Option<FoldJob>) {
        if self.batch.is_empty() && fold.is_none() {
            return;
        }
        let OpenBatch { frames, completions, retired, .. } = std::mem::take(&mut self.batch);
        self.shared.counters.batches.add(1);
        let view = Arc::new(self.state.clone());
        if let Err(refused) = self.commits.send(Commit { frames, view, completions, fold, retired }) {
            // The log thread has ended and poisoned the store.
            let error = self.shared.poison.check().err().unwrap_or(CommitError::Closed);
            refused.0.complete(Err(error));
        }
    }
}

impl<A, H: Handler<A>> Drop for WriterThread<A, H> {
    fn drop(&mut self) {
        self.shared.queue.abandon();
    }
}
