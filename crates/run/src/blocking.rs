//! Waiting for futures at the edge of a program.

use std::sync::LazyLock;

use tokio::runtime::{Builder, Runtime};

/// One worker drives the network; the thread that waits does the rest of the work. Connections outlive a call, so all
/// calls share the runtime.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let runtime =
        Builder::new_multi_thread().worker_threads(1).thread_name("singlet-wait").enable_all().build();
    runtime.expect("a program that can't start a thread can't do anything here")
});

/// Waits for a future by blocking the thread: for commands and tests. It panics in asynchronous code, which has to
/// await the future instead.
pub trait Wait: Future + Sized {
    /// Waits, and returns the future's output.
    fn wait(self) -> Self::Output {
        RUNTIME.block_on(self)
    }
}

impl<F: Future> Wait for F {}
