//! The log thread: makes batches durable, then publishes and acknowledges them.

use std::sync::Arc;
use std::time::Duration;

use super::batch::Completion;
use super::fold::FoldJob;
use super::log::Appender;
use super::maintenance::Chore;
use super::overlay::Overlay;
use super::shared::Shared;
use super::watch::FileWatch;
use super::{CommitError, StoreError, View};
use crate::sync::Instant;
use crate::sync::mpsc::{Receiver, SyncSender};

/// The most batches that wait for the log. They share one sync.
pub(super) const COMMITS_WAITING_MAX: usize = 4;

/// One batch on its way to the disk.
pub(super) struct Commit<A> {
    /// Encoded frames, not sealed yet.
    pub(super) frames: Vec<u8>,
    /// The snapshot for readers once the frames are durable.
    pub(super) view: Arc<View<A>>,
    pub(super) completions: Vec<Completion>,
    /// The overlay to fold once the frames are durable.
    pub(super) fold: Option<FoldJob>,
    /// The overlay that the view no longer needs.
    pub(super) retired: Option<Overlay>,
}

impl<A> Commit<A> {
    pub(super) fn complete(self, result: Result<(), CommitError>) {
        for completion in self.completions {
            completion(result.clone());
        }
    }
}

/// The log thread's state.
pub(super) struct Committer<A, J> {
    pub(super) shared: Arc<Shared<A, J>>,
    pub(super) log: Appender,
    pub(super) commits: Receiver<Commit<A>>,
    pub(super) folds: SyncSender<FoldJob>,
    pub(super) chores: SyncSender<Chore>,
    pub(super) watch: FileWatch,
    pub(super) watch_interval: Duration,
    /// When the files were last checked.
    pub(super) watched: Instant,
}

impl<A, J> Committer<A, J> {
    /// Works until the writer has ended.
    pub(super) fn run(mut self) {
        let mut group = Vec::with_capacity(COMMITS_WAITING_MAX + 1);
        while let Ok(first) = self.commits.recv() {
            group.push(first);
            group.extend(self.commits.try_iter().take(COMMITS_WAITING_MAX));
            if let Err(error) = self.commit(&mut group) {
                for commit in group.drain(..) {
                    commit.complete(Err(error.clone()));
                }
            }
        }
        match self.log.force() {
            Ok(_) => self.note_durable(self.shared.view.load().time_ms),
            Err(error) => self.shared.poison(error.to_string()),
        }
    }

    /// Asks the maintenance thread to record how far the log reaches.
    fn note_durable(&self, time_ms: u64) {
        if self.shared.reach.note(self.log.durable_sequence(), time_ms) {
            // If the queue is full, the maintenance thread is awake and checks it anyway.
            let _ = self.chores.try_send(Chore::WriteReach);
        }
    }

    /// If it fails, the group stays as it is.
    fn commit(&mut self, group: &mut Vec<Commit<A>>) -> Result<(), CommitError> {
        self.shared.poison.check()?;
        #[cfg(simulated)]
        self.go_wrong(group);
        if let Err(error) = self.persist(group) {
            self.shared.poison(error.to_string());
            self.shared.poison.check()?;
        }
        if let Some(last) = group.last() {
            self.shared.view.store(last.view.clone());
            self.shared.published.wake();
        }
        for mut commit in group.drain(..) {
            if let Some(fold) = commit.fold.take() {
                // There is only one frozen overlay at a time, so there is space in the channel. If the fold thread
                // has ended, it poisoned the store.
                let _ = self.folds.send(fold);
            }
            if let Some(retired) = commit.retired.take() {
                // If the queue is full, it is freed here.
                let _ = self.chores.try_send(Chore::Free(retired));
            }
            commit.complete(Ok(()));
        }
        Ok(())
    }

    /// Deliberate mistakes: answering or publishing writes that aren't durable yet.
    #[cfg(simulated)]
    fn go_wrong(&self, group: &mut [Commit<A>]) {
        use crate::planted::Bug;
        if Bug::AcknowledgesBeforeSync.is_planted() {
            for completion in group.iter_mut().flat_map(|commit| std::mem::take(&mut commit.completions)) {
                completion(Ok(()));
            }
        }
        if Bug::PublishesBeforeSync.is_planted()
            && let Some(last) = group.last()
        {
            self.shared.view.store(last.view.clone());
        }
    }

    fn persist(&mut self, group: &mut [Commit<A>]) -> Result<(), StoreError> {
        let mut began = false;
        for commit in group.iter_mut() {
            self.shared.counters.commit_bytes.add(commit.frames.len());
            self.shared.room.note_written(commit.frames.len() as u64, || self.shared.data_bytes());
            if self.log.append(&mut commit.frames)? {
                began = true;
                // If the queue is full, a file is being prepared already.
                let _ = self.chores.try_send(Chore::PrepareSegment);
            }
            if let Some(fold) = &mut commit.fold {
                fold.set_log_end(self.log.end());
            }
        }
        let start = Instant::now();
        // The tree must not get ahead of the log.
        let folds = group.iter().any(|commit| commit.fold.is_some());
        let synced = if folds { self.log.force()? } else { self.log.sync()? };
        if synced {
            self.shared.counters.syncs.add(1);
            self.shared.counters.sync_time.add_time(start.elapsed());
            self.note_durable(group.last().map_or(0, |last| last.view.time_ms));
        }
        self.look_at_files(began)
    }

    /// Regularly checks that the written files can be found at the next opening.
    fn look_at_files(&mut self, is_due: bool) -> Result<(), StoreError> {
        if !is_due && self.watched.elapsed() < self.watch_interval {
            return Ok(());
        }
        self.watched = Instant::now();
        self.watch.check()
    }
}
