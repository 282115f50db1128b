//! What long work on threads of its own needs: a way to the database that doesn't keep it open, and an end when it
//! closes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;

use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::janitor::Waker;
use crate::store::{Store, View};
use crate::write::Job;

/// Most tasks at once: each is a thread, and many hold a view.
const TASKS_MAX: usize = 16;
const TOO_MANY_TASKS: &str = "Subscriber limit exceeded: There is a limit of 16 backups, restores, exports and imports at the same time";

/// What a thread in the background holds of a database.
#[derive(Clone)]
pub(crate) struct Background {
    store: Weak<Store<Catalogue, Job>>,
    janitor: Waker,
}

impl Background {
    pub(crate) fn new(store: &Arc<Store<Catalogue, Job>>, janitor: Waker) -> Self {
        Background { store: Arc::downgrade(store), janitor }
    }

    /// Hands a job to the writer.
    pub(crate) fn submit(&self, job: Job) -> Result<()> {
        Ok(self.store()?.submit(job)?)
    }

    /// The latest durable state.
    pub(crate) fn view(&self) -> Result<Arc<View<Catalogue>>> {
        Ok(self.store()?.view())
    }

    /// Says that there is something to fill or to remove.
    pub(crate) fn wake_janitor(&self) {
        self.janitor.wake();
    }

    /// The store, to be held for a moment only.
    pub(crate) fn store(&self) -> Result<Arc<Store<Catalogue, Job>>> {
        self.store.upgrade().ok_or(Error::Closed)
    }
}

/// Says to a task that the database is closing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// An error once the database is closing.
    pub(crate) fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Acquire) { Err(Error::Closed) } else { Ok(()) }
    }
}

/// Threads that work for a while and then end.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    stop: Stop,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Tasks {
    /// Runs some work on a thread of its own. It looks at the stop often, and holds no [`Database`](crate::Database).
    pub(crate) fn spawn(&self, name: &str, work: impl FnOnce(&Stop) + Send + 'static) -> Result<()> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop.check()?;
        threads.retain(|thread| !thread.is_finished());
        if threads.len() >= TASKS_MAX {
            return Err(Error::LimitExceeded(TOO_MANY_TASKS));
        }
        let stop = self.stop.clone();
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || work(&stop))
            .map_err(|error| Error::Storage(error.to_string()))?;
        threads.push(thread);
        Ok(())
    }

    /// Tells all tasks to stop and waits for them.
    pub(crate) fn stop(&self) {
        self.stop.0.store(true, Ordering::Release);
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("a task ended with a panic");
            }
        }
    }
}
