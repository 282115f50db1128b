//! The thread that keeps long work going: it fills new indexes and removes what was deleted, one step at a time. Every
//! second it looks whether streams need something.

use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::pending::Pending;
use crate::store::Store;
use crate::stream::StreamUpkeep;
use crate::sync::Mutex;
use crate::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError, sync_channel};
use crate::sync::thread::{self, JoinHandle};
use crate::write::{Job, Progress};

/// A running janitor.
#[derive(Debug)]
pub(crate) struct Janitor {
    waker: Waker,
    thread: Option<JoinHandle<()>>,
}

/// Wakes the janitor; it may outlive it.
#[derive(Debug, Clone)]
pub(crate) struct Waker(Arc<Mutex<Option<SyncSender<()>>>>);

impl Waker {
    /// Says that there may be work.
    pub(crate) fn wake(&self) {
        if let Some(wake) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            match wake.try_send(()) {
                // A full channel means that the janitor will look anyway.
                Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
            }
        }
    }
}

type Commits = Store<Catalogue, Job>;

/// How long the janitor sleeps if nobody wakes it.
const SLEEP_MAX: Duration = Duration::from_secs(1);

impl Janitor {
    /// Starts the thread; it begins with what an earlier run left.
    pub(crate) fn start(store: &Arc<Commits>, streams: StreamUpkeep) -> Result<Janitor> {
        let (wake, woken) = sync_channel(1);
        let store = Arc::downgrade(store);
        let thread = thread::Builder::new()
            .name("singlet-janitor".to_owned())
            .spawn(move || run(&store, &woken, &streams))
            .map_err(|error| Error::Storage(error.to_string()))?;
        let janitor = Janitor { waker: Waker(Arc::new(Mutex::new(Some(wake)))), thread: Some(thread) };
        janitor.wake();
        Ok(janitor)
    }

    /// Says that there may be work.
    pub(crate) fn wake(&self) {
        self.waker.wake();
    }

    /// Lets others say it.
    pub(crate) fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Stops the thread after the step under way.
    pub(crate) fn stop(self) {
        let Janitor { waker, thread } = self;
        waker.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            tracing::error!("the janitor ended with a panic");
        }
    }
}

fn run(store: &Weak<Commits>, woken: &Receiver<()>, streams: &StreamUpkeep) {
    // Whether there is work that waits for room on the disk.
    let mut waits = false;
    loop {
        let worked = match woken.recv_timeout(SLEEP_MAX) {
            Ok(()) => work(store, woken),
            Err(RecvTimeoutError::Timeout) if waits => work(store, woken),
            Err(RecvTimeoutError::Timeout) => Ok(Progress::Done),
            Err(RecvTimeoutError::Disconnected) => return,
        };
        waits = matches!(worked, Ok(Progress::Waits));
        let tended = worked.and_then(|_| {
            store.upgrade().map_or(Ok(()), |store| streams.run(&store, store.time().may_delete()))
        });
        if let Err(error) = tended {
            // What is left to do is stored: the next start takes it up again.
            tracing::warn!(%error, "background work stopped");
            return;
        }
    }
}

/// Works until nothing is left that can be done now, or the database closes.
fn work(store: &Weak<Commits>, woken: &Receiver<()>) -> Result<Progress> {
    loop {
        let Some(store) = store.upgrade() else { return Ok(Progress::Done) };
        let (answer, pending) = Pending::channel();
        let may_grow = store.check_room().is_ok();
        store.submit(Job::Maintain { may_grow, answer })?;
        drop(store);
        match pending.wait()? {
            Progress::More => {}
            ended => return Ok(ended),
        }
        if matches!(woken.try_recv(), Err(TryRecvError::Disconnected)) {
            return Ok(Progress::Done);
        }
    }
}
