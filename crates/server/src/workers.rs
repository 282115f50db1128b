//! The threads that answer requests.
//!
//! Each has a runtime of its own, and a connection stays on the thread that it came to. With one runtime over all
//! threads every readable socket may rouse a second thread to take over half of the work, and with small requests
//! that costs more than the work: `bench` measured it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::mailbox::{self, Mailbox};

/// The threads. They end when this is dropped, and what still runs on them is dropped then.
pub(crate) struct Workers {
    workers: Vec<Worker>,
}

struct Worker {
    runtime: Handle,
    mailbox: Arc<Mailbox>,
    connections: Arc<AtomicUsize>,
    /// The thread ends when this is dropped.
    _stop: oneshot::Sender<()>,
}

/// A place on one of the threads, for one connection.
pub(crate) struct Place {
    connections: Arc<AtomicUsize>,
    /// Where wakes of this connection from other threads are gathered.
    pub(crate) mailbox: Arc<Mailbox>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Workers {
    /// Starts so many threads, at least one.
    pub(crate) fn start(count: usize) -> io::Result<Self> {
        Ok(Self { workers: (0..count.max(1)).map(|_| Worker::start()).collect::<io::Result<_>>()? })
    }

    /// Serves a connection on the thread that has fewest.
    pub(crate) fn serve<F>(
        &self,
        stream: TcpStream,
        serve: impl FnOnce(TcpStream, Place) -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send,
    {
        let fewest = self.workers.iter().min_by_key(|worker| worker.connections.load(Ordering::Relaxed));
        // A socket belongs to the runtime that it was made in; this one moves to another.
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
            // Whoever started this thread waits for it.
            let _ = started.send(Arc::clone(&mailbox));
            runtime.spawn(mailbox::deliver(mailbox));
            // An error says that the sender was dropped: that is how it stops.
            let _ = runtime.block_on(stopped);
        })?;
        let mailbox = mailbox.recv().map_err(io::Error::other)?;
        Ok(Self { runtime: handle, mailbox, connections: Arc::default(), _stop: stop })
    }
}
