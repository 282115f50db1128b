//! The thread for long work on tables. It fills new indexes and removes deleted rows, one step at a time. Every
//! second it maintains the streams.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::StreamMaintenance;
use crate::background::Waker;
use crate::error::{Error, Result};
use crate::pending::Pending;
use crate::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use crate::sync::thread::{self, JoinHandle};
use crate::write::{EngineStore, Job, Progress};

/// The running maintenance of tables.
#[derive(Debug)]
pub(crate) struct TableMaintenance {
    waker: Waker,
    thread: JoinHandle<()>,
}

/// The longest sleep of the thread.
const SLEEP_MAX: Duration = Duration::from_secs(1);

impl TableMaintenance {
    /// Starts the thread. It begins with work that an earlier run left.
    pub(crate) fn start(store: &Arc<EngineStore>, streams: StreamMaintenance) -> Result<TableMaintenance> {
        let (wake, woken) = sync_channel(1);
        let store = Arc::downgrade(store);
        let thread = thread::Builder::new()
            .name("singlet-maintenance".to_owned())
            .spawn(move || run(&store, &woken, &streams))
            .map_err(|error| Error::Storage(error.to_string()))?;
        let maintenance = TableMaintenance { waker: Waker::new(wake), thread };
        maintenance.wake();
        Ok(maintenance)
    }

    /// Wakes the thread, because there may be work.
    pub(crate) fn wake(&self) {
        self.waker.wake();
    }

    /// Returns a waker for other threads.
    pub(crate) fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Stops the thread after the running step.
    pub(crate) fn stop(self) {
        let TableMaintenance { waker, thread } = self;
        waker.disconnect();
        if thread.join().is_err() {
            tracing::error!("the maintenance thread panicked");
        }
    }
}

fn run(store: &Weak<EngineStore>, woken: &Receiver<()>, streams: &StreamMaintenance) {
    // Whether there is work that waits for disk space.
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
            // The remaining work is stored, and the next start continues it.
            tracing::warn!(%error, "background work stopped");
            return;
        }
    }
}

/// Works until nothing more can be done now, or until the database closes.
fn work(store: &Weak<EngineStore>, woken: &Receiver<()>) -> Result<Progress> {
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
