//! An outlet on a thread of its own, for servers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use singlet_run::Wait;
use singlet_store::ChangeFeed;

use super::archiver::{ArchiveFiles, Archiver};
use crate::error::DeriveError;
use crate::status::Counters;
use crate::worker::Step;

/// How long an outlet waits for a change before it looks whether it shall stop.
const WAIT: Duration = Duration::from_millis(200);
/// The pause after a failure; each further one doubles it.
const PAUSE_MIN: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// Work in steps that can fail and be begun anew.
pub trait Outlet: Send {
    /// Works on the next changes. Waits so long for one.
    fn step(&mut self, wait: Duration) -> impl Future<Output = Result<Step, DeriveError>>;

    /// Starts from what is saved.
    fn reopen(&mut self) -> impl Future<Output = Result<(), DeriveError>>;

    /// Returns what it counts.
    fn counters(&self) -> &Arc<Counters>;
}

impl<S: ChangeFeed, F: ArchiveFiles> Outlet for Archiver<S, F> {
    fn step(&mut self, wait: Duration) -> impl Future<Output = Result<Step, DeriveError>> {
        self.step(wait)
    }

    fn reopen(&mut self) -> impl Future<Output = Result<(), DeriveError>> {
        self.reopen()
    }

    fn counters(&self) -> &Arc<Counters> {
        self.counters()
    }
}

/// An outlet on a thread of its own. It goes on after failures, with growing pauses.
#[derive(Debug)]
pub struct OutletThread {
    stop: Arc<AtomicBool>,
    counters: Arc<Counters>,
    thread: Option<JoinHandle<()>>,
}

impl OutletThread {
    /// Starts an outlet. The name stands in messages.
    pub fn start(outlet: impl Outlet + 'static, name: &str) -> Result<Self, DeriveError> {
        let (stop, counters) = (Arc::new(AtomicBool::new(false)), outlet.counters().clone());
        let (stopped, named) = (stop.clone(), name.to_owned());
        let thread = std::thread::Builder::new().name("singlet-outlet".to_owned());
        let thread = thread.spawn(move || work(outlet, &named, &stopped));
        let thread = thread.map_err(|reason| DeriveError::Thread(reason.to_string()))?;
        Ok(OutletThread { stop, counters, thread: Some(thread) })
    }

    /// Returns what the outlet counts.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Tells the outlet to stop after its step, and doesn't wait.
    pub fn ask_to_stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Stops the outlet and waits for the end of its step.
    pub fn stop(mut self) {
        self.ask_to_stop();
        if let Some(thread) = self.thread.take() {
            // An outlet that panicked has been reported by the panic.
            let _ = thread.join();
        }
    }
}

impl Drop for OutletThread {
    fn drop(&mut self) {
        self.ask_to_stop();
    }
}

fn work(mut outlet: impl Outlet, name: &str, stop: &AtomicBool) {
    let mut pause = PAUSE_MIN;
    let mut is_open = true;
    while !stop.load(Ordering::Acquire) {
        // After a failure, changes may have been read that had no effect yet.
        let outcome = match is_open {
            true => outlet.step(WAIT).wait().map(|_| ()),
            false => outlet.reopen().wait(),
        };
        match outcome {
            Ok(()) => (is_open, pause) = (true, PAUSE_MIN),
            Err(error) => {
                is_open = false;
                outlet.counters().failure();
                match error.is_passing() {
                    true => tracing::debug!(name, %error, "an outlet waits"),
                    false => tracing::warn!(name, %error, "an outlet doesn't go on; trying again"),
                }
                std::thread::park_timeout(pause);
                pause = (pause * 2).min(PAUSE_MAX);
            }
        }
    }
}
