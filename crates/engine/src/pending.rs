//! Answers to submitted writes. A thread can wait for them, and a task can await them.

use std::future::{Future, IntoFuture, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::{Error, Result};
use crate::sync::oneshot;

/// An answer that arrives when the write is durable. `wait` blocks the thread, and `.await` suspends the task.
#[derive(Debug)]
pub struct Pending<T>(oneshot::Receiver<Result<T>>);

/// The sender of a [`Pending`] answer.
pub(crate) type Answer<T> = oneshot::Sender<Result<T>>;

impl<T> Pending<T> {
    /// Creates an answer that is known already, such as a refusal.
    pub(crate) fn ready(result: Result<T>) -> Self {
        let (sender, pending) = Self::channel();
        answer(sender, result);
        pending
    }

    /// Creates an answer and its sender.
    pub(crate) fn channel() -> (Answer<T>, Self) {
        let (sender, receiver) = oneshot::channel();
        (sender, Pending(receiver))
    }

    /// Blocks until the answer arrives.
    pub fn wait(self) -> Result<T> {
        self.0.recv().unwrap_or(Err(Error::Closed))
    }
}

/// Sends an answer. It is ignored if the receiver is gone.
pub(crate) fn answer<T>(sender: Answer<T>, result: Result<T>) {
    let _ = sender.send(result);
}

impl<T> IntoFuture for Pending<T> {
    type Output = Result<T>;
    type IntoFuture = PendingFuture<T>;

    fn into_future(self) -> PendingFuture<T> {
        PendingFuture(self.0.into_future())
    }
}

/// A [`Pending`] answer as a future. It works with any runtime.
#[derive(Debug)]
pub struct PendingFuture<T>(oneshot::AsyncReceiver<Result<T>>);

impl<T> Future for PendingFuture<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map(|answer| answer.unwrap_or(Err(Error::Closed)))
    }
}

/// Lets other tasks of the thread run. It works with any runtime: the task wakes itself and so goes to the end of the
/// runtime's queue.
pub(crate) async fn give_way() {
    let mut is_back = false;
    poll_fn(|context| {
        if is_back {
            return Poll::Ready(());
        }
        is_back = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}
