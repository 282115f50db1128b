//! A worker on a thread of its own, for servers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use singlet_design::Design;
use singlet_run::Wait;
use singlet_store::ChangeFeed;

use crate::error::DeriveError;
use crate::settled::Reached;
use crate::status::Counters;
use crate::worker::Worker;

/// How long a worker waits for a change before it looks whether it shall stop, and tells that it waits.
const WAIT: Duration = Duration::from_millis(50);
/// How often an idle worker looks whether somebody else has written the progress.
const LOOK: Duration = Duration::from_secs(1);
/// The pause after a failure; each further one doubles it.
const PAUSE_MIN: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// A worker on a thread of its own. It goes on after failures, with growing pauses.
#[derive(Debug)]
pub struct Background {
    stop: Arc<AtomicBool>,
    counters: Arc<Counters>,
    settled: Arc<Reached>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Starts a worker. `None` if the design derives nothing.
    pub async fn start<S>(
        store: S,
        design: Arc<Design>,
        environment: &str,
    ) -> Result<Option<Self>, DeriveError>
    where
        S: ChangeFeed + 'static,
        S::Reader: 'static,
    {
        let Some(worker) = Worker::open(store, design.clone(), environment).await? else { return Ok(None) };
        let (stop, counters) = (Arc::new(AtomicBool::new(false)), worker.counters().clone());
        let settled = Arc::clone(&worker.settled);
        let stopped = stop.clone();
        let work = move || work(worker, &design.name, &stopped);
        let thread = std::thread::Builder::new().name("singlet-derive".to_owned()).spawn(work);
        let thread = thread.map_err(|reason| DeriveError::Thread(reason.to_string()))?;
        Ok(Some(Background { stop, counters, settled, thread: Some(thread) }))
    }

    /// Returns what the worker counts.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Returns how far the worker is.
    pub fn settled(&self) -> &Arc<Reached> {
        &self.settled
    }

    /// Tells the worker to stop after its batch, and doesn't wait.
    pub fn ask_to_stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Stops the worker and waits until its batch is written.
    pub fn stop(mut self) {
        self.ask_to_stop();
        if let Some(thread) = self.thread.take() {
            // A worker that panicked has been reported by the panic.
            let _ = thread.join();
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.ask_to_stop();
    }
}

fn work<S: ChangeFeed>(mut worker: Worker<S>, design: &str, stop: &AtomicBool) {
    let mut pause = PAUSE_MIN;
    let mut looked = Instant::now();
    while !stop.load(Ordering::Acquire) {
        let mut outcome = match worker.step(WAIT).wait() {
            Ok(step) => worker.settle(step).wait(),
            Err(error) => Err(error),
        };
        if outcome.is_ok() && looked.elapsed() >= LOOK {
            outcome = worker.notice_others().wait();
            looked = Instant::now();
        }
        match outcome {
            Ok(()) => pause = PAUSE_MIN,
            Err(error) => {
                worker.counters().failure();
                if error.is_passing() {
                    tracing::debug!(design, %error, "derived data waits");
                } else {
                    tracing::warn!(design, %error, "derived data isn't up to date; trying again");
                }
                std::thread::park_timeout(pause);
                pause = (pause * 2).min(PAUSE_MAX);
                reopen(&mut worker, design, stop, &mut pause);
            }
        }
    }
}

/// Starts from what is stored, because the failed step may have read changes that had no effect yet. Until that succeeds,
/// the worker must do nothing else: it would save a position behind these changes.
fn reopen<S: ChangeFeed>(worker: &mut Worker<S>, design: &str, stop: &AtomicBool, pause: &mut Duration) {
    while !stop.load(Ordering::Acquire) {
        match worker.reopen(&|_| false).wait() {
            Ok(()) => return,
            Err(error) => {
                worker.counters().failure();
                tracing::debug!(design, %error, "the change feed can't be opened");
                std::thread::park_timeout(*pause);
                *pause = (*pause * 2).min(PAUSE_MAX);
            }
        }
    }
}
