//! The thread that deletes expired items.
//!
//! Expired items are found by their time, never by reading the table. Every write maintains one row per expiring item,
//! sorted by time (`table::time_to_live`, `write::change`). About once a second this thread looks on a snapshot for rows
//! that are due. It passes them to the writer in small jobs, which check each item again (`write::maintenance`).

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::sweep;
use crate::error::{Error, Result};
use crate::pending::Pending;
use crate::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use crate::sync::thread::{self, JoinHandle};
use crate::write::{EngineStore, Job};

/// The time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The running expiry thread.
#[derive(Debug)]
pub(crate) struct ExpiryThread {
    /// Dropped to end the thread. Nothing is ever sent.
    alive: SyncSender<()>,
    thread: JoinHandle<()>,
}

impl ExpiryThread {
    /// Starts the thread. It begins with the items that expired while the database was closed.
    pub(crate) fn start(store: &Arc<EngineStore>) -> Result<ExpiryThread> {
        let (alive, ended) = sync_channel(0);
        let store = Arc::downgrade(store);
        let thread = thread::Builder::new()
            .name("singlet-expiry".to_owned())
            .spawn(move || run(&store, &ended))
            .map_err(|error| Error::Storage(error.to_string()))?;
        Ok(ExpiryThread { alive, thread })
    }

    /// Stops the thread after the running jobs.
    pub(crate) fn stop(self) {
        let ExpiryThread { alive, thread } = self;
        drop(alive);
        if thread.join().is_err() {
            tracing::error!("the expiry thread panicked");
        }
    }
}

/// Records a jump of the clock, and deletes expired items if the clock is trusted.
fn look(store: &EngineStore, pause: &impl Fn(Duration) -> bool) -> Result<u64> {
    note_time(store)?;
    if store.time().may_delete() { sweep(store, store.time().now_ms(), pause) } else { Ok(0) }
}

/// Records a jump of the clock in the commit order.
pub(crate) fn note_time(store: &EngineStore) -> Result<()> {
    store.time().now_ms();
    if store.time().is_noted() {
        return Ok(());
    }
    let (answer, pending) = Pending::channel();
    store.submit(Job::NoteTime { answer })?;
    pending.wait()
}

fn run(store: &Weak<EngineStore>, ended: &Receiver<()>) {
    let pause = |time: Duration| match time {
        Duration::ZERO => matches!(ended.try_recv(), Err(TryRecvError::Disconnected)),
        time => matches!(ended.recv_timeout(time), Err(RecvTimeoutError::Disconnected)),
    };
    loop {
        let Some(store) = store.upgrade() else { return };
        match look(&store, &pause) {
            Ok(0) => {}
            Ok(expired) => tracing::debug!(expired, "items expired"),
            Err(Error::Closed) => return,
            Err(error) => {
                // Nothing is lost: expired items are deleted after the next start.
                tracing::warn!(%error, "expiry stopped");
                return;
            }
        }
        drop(store);
        if pause(LOOK_EVERY) {
            return;
        }
    }
}
