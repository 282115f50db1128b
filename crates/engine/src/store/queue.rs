//! The bounded queue of the writer. News from the fold overtakes jobs, because the writer may be waiting for it.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

use super::shared::Poison;
use super::stats::Counter;
use super::tree::TreeView;
use super::{CommitError, TrySubmitError};
use crate::sync::{Condvar, Mutex, MutexGuard};

/// The bounded queue of the writer.
pub(super) struct Queue<J> {
    state: Mutex<State<J>>,
    jobs_max: usize,
    writer: Condvar,
    submitters: Condvar,
}

struct State<J> {
    jobs: VecDeque<J>,
    fold_progress: FoldProgress,
    fold_news: Option<FoldNews>,
    closed: bool,
    writer_waits: bool,
    submitters_waiting: usize,
}

/// The progress of the running fold.
#[derive(Clone, Copy, Default)]
pub(super) struct FoldProgress {
    pub(super) done: usize,
    pub(super) total: usize,
}

/// A message from the fold to the writer.
pub(super) struct FoldNews {
    /// The tree with everything folded so far.
    pub(super) tree: Arc<TreeView>,
    /// Whether the whole frozen overlay is folded.
    pub(super) is_done: bool,
}

/// The next work of the writer.
pub(super) enum Work {
    /// There are new jobs in the writer's list, or news from the fold, or both.
    Some { fold_news: Option<FoldNews> },
    /// The queue is closed and empty.
    Closed,
}

impl<J> Queue<J> {
    pub(super) fn new(jobs_max: usize) -> Self {
        let state = State {
            jobs: VecDeque::new(),
            fold_progress: FoldProgress::default(),
            fold_news: None,
            closed: false,
            writer_waits: false,
            submitters_waiting: 0,
        };
        Self {
            state: Mutex::new(state),
            jobs_max: jobs_max.max(1),
            writer: Condvar::new(),
            submitters: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State<J>> {
        // The state is never left half changed, so a panic elsewhere doesn't corrupt it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn len(&self) -> usize {
        self.state().jobs.len()
    }

    /// Adds a job, and waits while the queue is full.
    pub(super) fn push(&self, job: J, poison: &Poison, waits: &Counter) -> Result<(), CommitError> {
        let mut state = self.state();
        if state.jobs.len() >= self.jobs_max {
            waits.add(1);
        }
        loop {
            poison.check()?;
            if state.closed {
                return Err(CommitError::Closed);
            }
            if state.jobs.len() < self.jobs_max {
                break;
            }
            state.submitters_waiting += 1;
            state = self.submitters.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.submitters_waiting -= 1;
        }
        self.add(state, job);
        Ok(())
    }

    /// Adds a job unless the queue is full.
    pub(super) fn try_push(&self, job: J, poison: &Poison) -> Result<(), TrySubmitError<J>> {
        let state = self.state();
        poison.check()?;
        if state.closed {
            return Err(CommitError::Closed.into());
        }
        if state.jobs.len() >= self.jobs_max {
            return Err(TrySubmitError::Full(job));
        }
        self.add(state, job);
        Ok(())
    }

    fn add(&self, mut state: MutexGuard<'_, State<J>>, job: J) {
        state.jobs.push_back(job);
        let wake = state.writer_waits;
        drop(state);
        if wake {
            self.writer.notify_one();
        }
    }

    /// Waits for work, and moves up to `jobs_max` jobs into `jobs`.
    pub(super) fn wait(&self, jobs: &mut VecDeque<J>, jobs_max: usize) -> Work {
        let mut state = self.state();
        while state.jobs.is_empty() && state.fold_news.is_none() && !state.closed {
            state = self.writer_wait(state);
        }
        let fold_news = state.fold_news.take();
        if state.jobs.is_empty() && fold_news.is_none() {
            return Work::Closed;
        }
        let count = state.jobs.len().min(jobs_max.max(1));
        jobs.extend(state.jobs.drain(..count));
        if state.submitters_waiting > 0 {
            self.submitters.notify_all();
        }
        Work::Some { fold_news }
    }

    /// Waits for news from the fold. Returns `None` if it has progressed far enough, or if the store is poisoned.
    pub(super) fn wait_fold(
        &self,
        poison: &Poison,
        is_far_enough: impl Fn(FoldProgress) -> bool,
    ) -> Option<FoldNews> {
        let mut state = self.state();
        loop {
            if let Some(news) = state.fold_news.take() {
                return Some(news);
            }
            if poison.is_set() || is_far_enough(state.fold_progress) {
                return None;
            }
            state = self.writer_wait(state);
        }
    }

    fn writer_wait<'a>(&self, mut state: MutexGuard<'a, State<J>>) -> MutexGuard<'a, State<J>> {
        state.writer_waits = true;
        let mut state = self.writer.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.writer_waits = false;
        state
    }

    pub(super) fn fold_progress(&self) -> FoldProgress {
        self.state().fold_progress
    }

    /// Reports a folded part that the tree contains.
    pub(super) fn set_fold_progress(&self, progress: FoldProgress, tree: TreeView) {
        self.set_fold_news(progress, FoldNews { tree: Arc::new(tree), is_done: false });
        self.writer.notify_one();
    }

    /// Reports that everything is folded.
    pub(super) fn set_folded(&self, tree: TreeView) {
        self.set_fold_news(FoldProgress::default(), FoldNews { tree: Arc::new(tree), is_done: true });
        #[cfg(simulated)]
        if crate::planted::Bug::ForgetsToWake.is_planted() {
            return;
        }
        self.writer.notify_one();
    }

    fn set_fold_news(&self, progress: FoldProgress, news: FoldNews) {
        let overtaken = {
            let mut state = self.state();
            state.fold_progress = progress;
            state.fold_news.replace(news)
        };
        // Outside the lock, because dropping a snapshot takes locks of the tree.
        drop(overtaken);
    }

    /// Whether the queue is closed.
    pub(super) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Closes the queue. Jobs in it are still executed.
    pub(super) fn close(&self) {
        self.state().closed = true;
        self.wake_all();
    }

    /// Closes the queue and discards its jobs, because the writer has ended.
    pub(super) fn abandon(&self) {
        let forgotten = {
            let mut state = self.state();
            state.closed = true;
            std::mem::take(&mut state.jobs)
        };
        // Dropped outside the lock, because a job's own drop may call anything.
        drop(forgotten);
        self.wake_all();
    }

    /// Wakes all threads to check again. Taking the lock first ensures that no thread is just about to wait.
    pub(super) fn wake_all(&self) {
        drop(self.state());
        self.writer.notify_all();
        self.submitters.notify_all();
    }
}
