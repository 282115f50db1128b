//! Threads as in `std::thread`.

use std::any::Any;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::baton::{self, here};
use crate::sync::Waiters;

/// The number of a thread in its execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(usize);

/// A thread of an execution.
#[derive(Debug, Clone)]
pub struct Thread {
    id: ThreadId,
    name: String,
}

impl Thread {
    /// Its number.
    pub fn id(&self) -> ThreadId {
        self.id
    }

    /// Its name.
    pub fn name(&self) -> Option<&str> {
        Some(&self.name)
    }
}

/// The thread that asks.
pub fn current() -> Thread {
    here().map_or(Thread { id: ThreadId(usize::MAX), name: String::new() }, |(baton, me)| Thread {
        id: ThreadId(me),
        name: baton.name(me),
    })
}

pub use std::thread::panicking;

/// Makes threads.
#[derive(Debug, Default)]
pub struct Builder {
    name: String,
}

/// A thread that runs.
#[derive(Debug)]
pub struct JoinHandle<T> {
    thread: Thread,
    returned: Arc<Mutex<Option<T>>>,
}

impl Builder {
    /// A thread without a name.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Names it.
    pub fn name(self, name: String) -> Self {
        Builder { name }
    }

    /// Starts it.
    pub fn spawn<T: Send + 'static>(
        self,
        body: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<JoinHandle<T>> {
        let (baton, _) =
            here().ok_or_else(|| io::Error::other("there is no execution to start a thread in"))?;
        let returned = Arc::new(Mutex::new(None));
        let result = returned.clone();
        let number = baton.start(self.name.clone(), move || {
            let returned = body();
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(returned);
        })?;
        baton::point();
        Ok(JoinHandle { thread: Thread { id: ThreadId(number), name: self.name }, returned })
    }
}

/// Starts a thread.
#[expect(clippy::expect_used, reason = "as in the standard library, which panics then")]
pub fn spawn<T: Send + 'static>(
    name: impl Into<String>,
    body: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    Builder::new().name(name.into()).spawn(body).expect("the thread starts")
}

impl<T> JoinHandle<T> {
    /// Waits for its end. A panic stops the whole execution, so there is a value.
    pub fn join(self) -> Result<T, Box<dyn Any + Send>> {
        baton::point();
        if let Some((baton, me)) = here() {
            baton.join(me, self.thread.id.0);
        }
        let returned = self.returned.lock().unwrap_or_else(PoisonError::into_inner).take();
        returned.ok_or_else(|| Box::new("the thread returned nothing") as Box<dyn Any + Send>)
    }

    /// Whether it has ended.
    pub fn is_finished(&self) -> bool {
        here().is_none_or(|(baton, _)| baton.is_finished(self.thread.id.0))
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }
}

/// Waits for some time.
pub fn sleep(time: Duration) {
    Waiters::default().wait("some time to pass", Some(time));
}

/// Waits for some time; nobody can wake it here.
pub fn park_timeout(time: Duration) {
    sleep(time);
}
