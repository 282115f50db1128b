//! One message from one thread to another, as in the crate `oneshot`.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::baton;
use crate::sync::Waiters;

#[derive(Debug)]
struct Channel<T> {
    state: Mutex<State<T>>,
    receiver: Waiters,
}

#[derive(Debug)]
struct State<T> {
    message: Option<T>,
    has_sender: bool,
    waker: Option<Waker>,
}

impl<T> Channel<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<Result<T, RecvError>> {
        let mut state = self.state();
        match state.message.take() {
            Some(message) => Some(Ok(message)),
            None => (!state.has_sender).then_some(Err(RecvError)),
        }
    }
}

/// The sender is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecvError;

/// The end that sends.
#[derive(Debug)]
pub struct Sender<T>(Arc<Channel<T>>);

/// The end that receives.
#[derive(Debug)]
pub struct Receiver<T>(Arc<Channel<T>>);

/// The end that receives, as a future.
#[derive(Debug)]
pub struct AsyncReceiver<T>(Arc<Channel<T>>);

/// A channel for one message.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let state = State { message: None, has_sender: true, waker: None };
    let channel = Arc::new(Channel { state: Mutex::new(state), receiver: Waiters::default() });
    (Sender(channel.clone()), Receiver(channel))
}

impl<T> Sender<T> {
    /// Sends the message; the other end may be gone already.
    pub fn send(self, message: T) -> Result<(), T> {
        baton::point();
        self.0.state().message = Some(message);
        Ok(())
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let waker = {
            let mut state = self.0.state();
            state.has_sender = false;
            state.waker.take()
        };
        self.0.receiver.wake_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Receiver<T> {
    /// Waits for the message.
    pub fn recv(self) -> Result<T, RecvError> {
        baton::point();
        loop {
            if let Some(received) = self.0.take() {
                return received;
            }
            self.0.receiver.wait("an answer", None);
        }
    }
}

impl<T> IntoFuture for Receiver<T> {
    type Output = Result<T, RecvError>;
    type IntoFuture = AsyncReceiver<T>;

    fn into_future(self) -> AsyncReceiver<T> {
        AsyncReceiver(self.0)
    }
}

impl<T> Future for AsyncReceiver<T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.0.take() {
            Some(received) => Poll::Ready(received),
            None => {
                self.0.state().waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
