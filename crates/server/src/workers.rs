//! The threads that answer requests.
//!
//! Each thread has its own runtime, and a connection stays on its thread. With one runtime for all threads, every
//! readable socket may wake a second thread to take over half of the work. With small requests that costs more than the
//! work itself, as `bench` measured.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::mailbox::{self, Mailbox};

/// The threads. Dropping this ends them, and everything that still runs on them.
pub(crate) struct Workers {
    workers: Vec<Worker>,
}

struct Worker {
    runtime: Handle,
    mailbox: Arc<Mailbox>,
    connections: Arc<AtomicUsize>,
    /// Dropping this ends the thread.
    _stop: oneshot::Sender<()>,
}

/// A place on one of the threads, for one connection.
pub(crate) struct Place {
    connections: Arc<AtomicUsize>,
    /// Collects the wakes of this connection from other threads.
    pub(crate) mailbox: Arc<Mailbox>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Workers {
    /// Starts `count` threads, at least one.
    pub(crate) fn start(count: usize) -> io::Result<Self> {
        Ok(Self { workers: (0..count.max(1)).map(|_| Worker::start()).collect::<io::Result<_>>()? })
    }

    /// Serves a connection on the thread with the fewest.
    pub(crate) fn serve<F>(
        &self,
        stream: TcpStream,
        serve: impl FnOnce(TcpStream, Place) -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send,
    {
        let fewest = self.workers.iter().min_by_key(|worker| worker.connections.load(Ordering::Relaxed));
        // A socket belongs to the runtime that it was created in. This one moves to another.
        let (Some(worker), Ok(stream)) = (fewest, stream.into_std()) else { return };
        worker.connections.fetch_add(1, Ordering::Relaxed);
        let place =
            Place { connections: Arc::clone(&worker.connections), mailbox: Arc::clone(&worker.mailbox) };
        worker.runtime.spawn(async move {
            match TcpStream::from_std(stream) {
                Ok(stream) => serve(stream, place).await,
                Err(error) => tracing::warn!(%error, "can't serve a connection"),
            }
        });
    }
}

impl Worker {
    fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let (started, mailbox) = std::sync::mpsc::sync_channel(1);
        thread::Builder::new().name("singlet-http".to_owned()).spawn(move || {
            let mailbox = Arc::new(Mailbox::of_this_thread());
            // The starting thread waits for this one.
            let _ = started.send(Arc::clone(&mailbox));
            runtime.spawn(mailbox::deliver(mailbox));
            // An error means that the sender was dropped, which ends the thread.
            let _ = runtime.block_on(stopped);
        })?;
        let mailbox = mailbox.recv().map_err(io::Error::other)?;
        Ok(Self { runtime: handle, mailbox, connections: Arc::default(), _stop: stop })
    }
}
