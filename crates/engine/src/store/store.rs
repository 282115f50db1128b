//! The store: opening, submitting, viewing, closing.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::committer::{COMMITS_WAITING_MAX, Committer};
use super::fold::FoldThread;
use super::history::ChangeSource;
use super::log::Appender;
use super::maintenance::{CHORES_WAITING_MAX, StoreMaintenance};
use super::open::{Recovered, recover};
use super::published::Published;
use super::queue::Queue;
use super::room::Room;
use super::shared::{Poison, PoisonOnPanic, Shared};
use super::stats::Counters;
use super::tree::OldTree;
use super::watch::FileWatch;
use super::writer::WriterThread;
use super::{
    Changes, ChangesBack, Clock, CommitError, Disk, Handler, Key, KeyId, Latest, Loss, Position, StoreError,
    StoreOptions, StoreStats, Timekeeper, TrySubmitError, View,
};
use crate::sync::Instant;
use crate::sync::mpsc::sync_channel;
use crate::sync::thread::{self, JoinHandle};
use crate::sync::{ArcSwap, Mutex};

/// A running store. `A` is the attachment that is published with the entries, and `J` is the job type.
pub struct Store<A, J> {
    shared: Arc<Shared<A, J>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// A store that is recovered but doesn't accept jobs yet. Read it, build the attachment from it, and start it.
pub struct Opened {
    recovered: Recovered,
    options: StoreOptions,
    time: Arc<Timekeeper>,
}

impl Store<(), ()> {
    /// Opens the store: the tree, and the commits in the log that aren't in it.
    pub fn open(
        disk: Arc<dyn Disk>,
        options: StoreOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Opened, StoreError> {
        Ok(Opened::new(recover(&disk, &options, OldTree::Convert)?, options, clock))
    }

    /// Opens the store on a [`FrozenDisk`](super::FrozenDisk) only for reading. A tree of an earlier format isn't
    /// converted.
    pub(crate) fn look(
        disk: Arc<dyn Disk>,
        options: StoreOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Opened, StoreError> {
        Ok(Opened::new(recover(&disk, &options, OldTree::Leave)?, options, clock))
    }
}

impl Opened {
    fn new(recovered: Recovered, options: StoreOptions, clock: Arc<dyn Clock>) -> Self {
        let last_ms = (recovered.view.sequence > 0).then_some(recovered.view.time_ms);
        let time = Arc::new(Timekeeper::new(clock, last_ms, options.clock_settle_ms));
        Self { recovered, options, time }
    }

    /// Returns everything that was recovered.
    pub fn view(&self) -> &View<()> {
        &self.recovered.view
    }

    /// The store's time.
    pub fn time(&self) -> &Arc<Timekeeper> {
        &self.time
    }

    /// The id of the folder's key.
    pub fn key_id(&self) -> Option<KeyId> {
        self.recovered.files.sealing.as_ref().map(|sealing| sealing.outer().id())
    }

    #[cfg(test)]
    pub(super) fn tree(&self) -> &super::tree::Tree {
        &self.recovered.tree
    }

    /// The missing data of the folder that [`StoreOptions::accept_loss`] accepted.
    pub fn lost(&self) -> &[Loss] {
        &self.recovered.lost
    }

    /// Reads every change in history files, reports errors, and returns the number of changes.
    pub(crate) fn check_past(&self, wrong: impl FnMut(StoreError)) -> u64 {
        self.recovered.archive.check(wrong)
    }

    /// The disk for files that are neither log nor tree; see [`Store::files`].
    pub fn files(&self) -> &Arc<dyn Disk> {
        &self.recovered.files.disk
    }

    /// Starts the threads.
    pub fn start<A, H>(self, attachment: Arc<A>, handler: H) -> Result<Store<A, H::Job>, StoreError>
    where
        A: Send + Sync + 'static,
        H: Handler<A>,
    {
        let Self { recovered: Recovered { tree, catalogue, reach, archive, view, files, .. }, options, time } =
            self;
        let view = view.with_attachment(attachment);
        let room = Room::new(files.disk.clone(), &options);
        room.look(|| view.tallies.bytes());
        let shared = Arc::new(Shared {
            queue: Queue::new(options.queue_jobs_max),
            view: ArcSwap::from_pointee(view.clone()),
            poison: Poison::default(),
            published: Published::default(),
            catalogue: catalogue.clone(),
            reach: reach.clone(),
            archive,
            tree,
            files,
            counters: Counters::default(),
            time,
            room,
            overlay_bytes_max: options.overlay_bytes_max,
        });
        let (commits_to_log, commits) = sync_channel(COMMITS_WAITING_MAX);
        let (folds_to_fold, folds) = sync_channel(1);
        let (chores_to_do, chores) = sync_channel(CHORES_WAITING_MAX);
        let watch = FileWatch::new(shared.files.disk.clone(), catalogue.clone())?;
        let log = Appender::new(catalogue, reach, options.sync, view.sequence);
        let writer = WriterThread::new(shared.clone(), handler, view, commits_to_log, &options);
        let committer = Committer {
            shared: shared.clone(),
            log,
            commits,
            folds: folds_to_fold,
            chores: chores_to_do,
            watch,
            watch_interval: options.reach_interval,
            watched: Instant::now(),
        };
        let part_entries = options.fold_part_entries.max(1);
        let fold = FoldThread { shared: shared.clone(), jobs: folds, part_entries };
        let maintenance = StoreMaintenance::new(shared.clone(), chores, options.reach_interval);

        let store = Store { shared, threads: Mutex::default() };
        // If a thread can't be started, dropping the store joins the others, because their channels are closed.
        store.spawn("singlet-store", move || maintenance.run())?;
        store.spawn("singlet-fold", move || fold.run())?;
        store.spawn("singlet-log", move || committer.run())?;
        store.spawn("singlet-writer", move || writer.run())?;
        Ok(store)
    }
}

impl<A: Send + Sync + 'static, J: Send + 'static> Store<A, J> {
    fn spawn(&self, name: &'static str, run: impl FnOnce() + Send + 'static) -> Result<(), StoreError> {
        let guard = PoisonOnPanic(self.shared.clone());
        let body = move || {
            let _guard = guard;
            run();
        };
        let thread =
            thread::Builder::new().name(name.into()).spawn(body).map_err(StoreError::io("start", name))?;
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }
}

impl<A, J> Store<A, J> {
    /// Submits a job to the writer, and waits while the queue is full. The handler's completion reports the result.
    pub fn submit(&self, job: J) -> Result<(), CommitError> {
        self.shared.queue.push(job, &self.shared.poison, &self.shared.counters.submit_waits)
    }

    /// Submits a job to the writer unless the queue is full.
    pub fn try_submit(&self, job: J) -> Result<(), TrySubmitError<J>> {
        self.shared.queue.try_push(job, &self.shared.poison)
    }

    /// Whether callers should read the keys of a job before they submit it. This is so when pages were missing from
    /// the cache lately, because the single writer must not wait for the disk.
    pub fn take_look_ahead(&self) -> bool {
        self.shared.tree.take_look_ahead()
    }

    /// Checks that the disk has space for writes that grow the data.
    pub fn check_room(&self) -> Result<(), CommitError> {
        self.shared.room.check(|| self.shared.data_bytes())
    }

    /// Checks that the disk has space for deletions of items that are kept in the history. Other deletions are always
    /// accepted, and so is work that ends something.
    pub fn check_room_for_past(&self) -> Result<(), CommitError> {
        self.shared.room.check_for_past(|| self.shared.data_bytes())
    }

    /// Checks that the disk has space for a file of this size.
    pub fn check_room_for(&self, bytes: u64) -> Result<(), CommitError> {
        self.shared.room.check_for(bytes, || self.shared.data_bytes())
    }

    /// Returns the latest durable snapshot.
    pub fn view(&self) -> Arc<View<A>> {
        self.shared.view.load_full()
    }

    /// Whether writes that can wait should wait, because the fold is behind. If it falls further behind, all writes
    /// wait for it.
    pub fn is_pressed(&self) -> bool {
        self.shared.is_pressed()
    }

    /// Returns how many jobs the writer has applied since the store was opened.
    pub fn jobs_applied(&self) -> u64 {
        self.shared.counters.jobs.get()
    }

    /// Returns counters and sizes for metrics.
    pub fn stats(&self) -> StoreStats {
        self.shared.stats()
    }

    /// Iterates over the recorded changes of one group (a key's first four bytes, as a number) after a position, in
    /// order, up to the latest durable commit.
    pub fn changes_after(&self, group: u32, after: Position) -> Changes {
        Changes::new(self.source(), group, after, self.shared.view.load().sequence)
    }

    /// Iterates over the recorded changes of one group before a position, the latest first.
    pub fn changes_before(&self, group: u32, before: Position) -> ChangesBack {
        ChangesBack::new(self.source(), group, before, self.shared.view.load().sequence)
    }

    fn source(&self) -> ChangeSource {
        ChangeSource { log: self.shared.catalogue.clone(), archive: self.shared.archive.clone() }
    }

    /// Waits until a commit after `sequence` is published, writing ends, or the timeout passes. Returns the sequence
    /// number of the latest commit.
    pub fn wait_after(&self, sequence: u64, timeout: Duration) -> u64 {
        let latest = || self.shared.view.load().sequence;
        let is_over = || latest() > sequence || self.shared.queue.is_closed() || self.shared.poison.is_set();
        self.shared.published.wait(timeout, is_over);
        latest()
    }

    /// Removes history files that are no longer needed. `is_needed` is called for each group in a file, with the
    /// commit and the time of the group's latest change in it. Returns the number of removed files.
    pub fn trim_past(&self, is_needed: impl Fn(u32, Latest) -> bool) -> Result<usize, StoreError> {
        self.shared.archive.drop_unneeded(is_needed)
    }

    /// The store's time.
    pub fn time(&self) -> &Arc<Timekeeper> {
        &self.shared.time
    }

    /// The disk for files that are neither log nor tree. They are encrypted if the folder is.
    pub fn files(&self) -> &Arc<dyn Disk> {
        &self.shared.files.disk
    }

    /// The folder's key.
    pub(crate) fn key(&self) -> Option<&Key> {
        self.shared.files.sealing.as_ref().map(|sealing| sealing.outer())
    }

    /// The id of the folder's key.
    pub fn key_id(&self) -> Option<KeyId> {
        self.shared.files.sealing.as_ref().map(|sealing| sealing.outer().id())
    }

    /// Records how far the log reaches now, without waiting for the interval.
    #[cfg(test)]
    pub(super) fn write_reach(&self) {
        self.shared.reach.write().expect("the disk works");
    }

    /// Executes the queued jobs, folds the overlay, and ends the threads. Existing snapshots can still be read.
    ///
    /// If it is called from a completion, it can't wait for its own thread. The rest happens after it returns.
    pub fn close(&self) -> Result<(), CommitError> {
        self.shared.queue.close();
        self.shared.published.wake();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        let this = thread::current().id();
        if threads.iter().all(|thread| thread.thread().id() != this) {
            for thread in threads {
                // The panic has poisoned the store already.
                let _ = thread.join();
            }
        }
        self.shared.poison.check()?;
        if let Err(error) = self.shared.catalogue.drop_spares() {
            // Only disk space is lost. The next opening uses the files.
            tracing::warn!(%error, "spare log files could not be removed");
        }
        Ok(())
    }
}

impl<A, J> Drop for Store<A, J> {
    fn drop(&mut self) {
        // Callers that need the result call `close`.
        let _ = self.close();
    }
}
