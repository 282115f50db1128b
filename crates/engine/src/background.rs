//! Access to the database for long tasks on their own threads. A task doesn't keep the database open, and it stops
//! when the database closes.

use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::store::View;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::mpsc::{SyncSender, TrySendError};
use crate::sync::thread::{self, JoinHandle};
use crate::sync::{Condvar, Mutex};
use crate::write::{EngineStore, Job};

/// The most tasks at a time. Each is a thread, and many hold a snapshot.
const TASKS_MAX: usize = 16;
const TOO_MANY_TASKS: &str = "Subscriber limit exceeded: There is a limit of 16 backups, restores, exports and imports at the same time";

/// The part of a database that a background thread holds.
#[derive(Clone)]
pub(crate) struct Background {
    store: Weak<EngineStore>,
    maintenance: Waker,
}

impl Background {
    pub(crate) fn new(store: &Arc<EngineStore>, maintenance: Waker) -> Self {
        Background { store: Arc::downgrade(store), maintenance }
    }

    /// Submits a job to the writer.
    pub(crate) fn submit(&self, job: Job) -> Result<()> {
        job.submit(&*self.store()?)
    }

    /// Checks that the disk has space for a file of this size.
    pub(crate) fn check_room_for(&self, bytes: u64) -> Result<()> {
        Ok(self.store()?.check_room_for(bytes)?)
    }

    /// Returns the latest durable snapshot.
    pub(crate) fn view(&self) -> Result<Arc<View<Catalogue>>> {
        Ok(self.store()?.view())
    }

    /// Wakes the maintenance thread, because there is something to fill or to remove.
    pub(crate) fn wake_maintenance(&self) {
        self.maintenance.wake();
    }

    /// Returns the store. Hold it only briefly: it keeps the database open.
    pub(crate) fn store(&self) -> Result<Arc<EngineStore>> {
        self.store.upgrade().ok_or(Error::Closed)
    }
}

/// Wakes the maintenance thread. It may outlive the thread.
#[derive(Debug, Clone)]
pub(crate) struct Waker(Arc<Mutex<Option<SyncSender<()>>>>);

impl Waker {
    /// Wakes the receiver of a channel.
    pub(crate) fn new(wake: SyncSender<()>) -> Self {
        Waker(Arc::new(Mutex::new(Some(wake))))
    }

    /// Closes the channel, which ends the thread.
    pub(crate) fn disconnect(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Wakes the thread.
    pub(crate) fn wake(&self) {
        if let Some(wake) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            match wake.try_send(()) {
                // A full channel means that the thread will look anyway.
                Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
            }
        }
    }
}

/// Tells a task that the database is closing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<Signal>);

#[derive(Debug, Default)]
struct Signal {
    /// Checked often, without a lock.
    stopped: AtomicBool,
    sleepers: Mutex<()>,
    wake: Condvar,
}

impl Stop {
    /// Returns an error if the database is closing.
    pub(crate) fn check(&self) -> Result<()> {
        if self.0.stopped.load(Ordering::Acquire) { Err(Error::Closed) } else { Ok(()) }
    }

    /// Waits for a time. Returns an error as soon as the database is closing.
    pub(crate) fn wait(&self, time: Duration) -> Result<()> {
        let guard = self.0.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        self.check()?;
        // Waking early does no harm, because callers check again.
        drop(self.0.wake.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner));
        self.check()
    }

    fn set(&self) {
        let _guard = self.0.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.stopped.store(true, Ordering::Release);
        self.0.wake.notify_all();
    }
}

/// Threads that end when their work is done.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    stop: Stop,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Tasks {
    /// Runs work on a new thread. The work must check the stop often and must not hold a
    /// [`Database`](crate::Database).
    pub(crate) fn spawn(&self, name: &str, work: impl FnOnce(&Stop) + Send + 'static) -> Result<()> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop.check()?;
        threads.retain(|thread| !thread.is_finished());
        if threads.len() >= TASKS_MAX {
            return Err(Error::LimitExceeded(TOO_MANY_TASKS));
        }
        let stop = self.stop.clone();
        let thread = thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || work(&stop))
            .map_err(|error| Error::Storage(error.to_string()))?;
        threads.push(thread);
        Ok(())
    }

    /// Tells all tasks to stop and waits for them.
    pub(crate) fn stop(&self) {
        self.stop.set();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("a background task panicked");
            }
        }
    }
}
