//! The state that all threads of a store share.

use std::sync::{Arc, OnceLock};

use super::history::Archive;
use super::log::SegmentCatalogue;
use super::open::OtherFiles;
use super::published::Published;
use super::queue::Queue;
use super::reach::Reach;
use super::room::Room;
use super::stats::{Counters, StoreStats};
use super::tree::Tree;
use super::{CommitError, Timekeeper, View};
use crate::sync::{ArcSwap, thread};

/// The state that all threads of a store share.
pub(super) struct Shared<A, J> {
    pub(super) queue: Queue<J>,
    pub(super) view: ArcSwap<View<A>>,
    pub(super) poison: Poison,
    /// Wakes threads that wait for commits.
    pub(super) published: Published,
    pub(super) catalogue: Arc<SegmentCatalogue>,
    /// The extent of the log, for the next opening.
    pub(super) reach: Arc<Reach>,
    pub(super) archive: Arc<Archive>,
    pub(super) tree: Arc<Tree>,
    pub(super) files: OtherFiles,
    pub(super) counters: Counters,
    pub(super) time: Arc<Timekeeper>,
    /// Checks the free disk space.
    pub(super) room: Room,
    /// The most memory for overlays.
    pub(super) overlay_bytes_max: usize,
}

impl<A, J> Shared<A, J> {
    /// Ends writing, and wakes every waiting thread.
    pub(super) fn poison(&self, reason: impl Into<Arc<str>>) {
        let reason = reason.into();
        tracing::error!(%reason, "the store takes no more writes");
        self.poison.set(reason);
        self.queue.wake_all();
        self.published.wake();
    }

    /// Whether a fold is running and the new overlay has reached half the size at which writers are slowed. If
    /// writing has ended, there is nothing to wait for.
    pub(super) fn is_pressed(&self) -> bool {
        let view = self.view.load();
        !self.poison.is_set() && view.frozen.is_some() && view.active.bytes() >= self.overlay_bytes_max / 16
    }

    /// Returns the counters and sizes.
    pub(super) fn data_bytes(&self) -> u64 {
        self.view.load().tallies.bytes()
    }

    pub(super) fn stats(&self) -> StoreStats {
        self.room.look(|| self.data_bytes());
        let view = self.view.load();
        let (log_bytes, log_segments) = self.catalogue.size();
        let (past_bytes, past_files) = self.archive.size();
        let counters = &self.counters;
        let (clock_jumps_forward, clock_jumps_back, clock_is_doubted) = self.time.jumps();
        StoreStats {
            sequence: view.sequence,
            overlay_bytes: view.overlay_bytes() as u64,
            log_segments: log_segments as u64,
            log_bytes,
            past_files: past_files as u64,
            past_bytes,
            tree_bytes: self.tree.file_bytes(),
            queue_jobs: self.queue.len() as u64,
            jobs: counters.jobs.get(),
            commits: counters.commits.get(),
            commit_bytes: counters.commit_bytes.get(),
            batches: counters.batches.get(),
            syncs: counters.syncs.get(),
            sync_time_us: counters.sync_time.get(),
            folds: counters.folds.get(),
            folded_entries: counters.folded_entries.get(),
            fold_time_us: counters.fold_time.get(),
            writer_waits: counters.writer_waits.get(),
            writer_wait_time_us: counters.writer_wait_time.get(),
            submit_waits: counters.submit_waits.get(),
            writes_stopped: self.poison.is_set(),
            disk_free_bytes: self.room.free_bytes(),
            disk_reserve_bytes: self.room.reserve_bytes(),
            disk_is_short: self.room.is_short(),
            disk_refusals: self.room.refused(),
            clock_jumps_forward,
            clock_jumps_back,
            clock_is_doubted,
        }
    }
}

/// Set once, when a write, a sync or a fold fails.
#[derive(Default)]
pub(super) struct Poison(OnceLock<Arc<str>>);

impl Poison {
    fn set(&self, reason: Arc<str>) {
        // The first reason is the cause of the later ones.
        let _ = self.0.set(reason);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.get().is_some()
    }

    pub(super) fn check(&self) -> Result<(), CommitError> {
        match self.0.get() {
            None => Ok(()),
            Some(reason) => Err(CommitError::Poisoned(reason.clone())),
        }
    }
}

/// Poisons the store if its thread panics, so that no thread waits for it.
pub(super) struct PoisonOnPanic<A, J>(pub(super) Arc<Shared<A, J>>);

impl<A, J> Drop for PoisonOnPanic<A, J> {
    fn drop(&mut self) {
        if thread::panicking() {
            let name = thread::current().name().unwrap_or("a thread").to_owned();
            self.0.poison(format!("{name} panicked"));
        }
    }
}
