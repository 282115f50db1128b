//! Bounded channels as in `std::sync::mpsc`. One that takes nothing at all takes one message here.

use std::collections::VecDeque;
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::baton;
use crate::sync::Waiters;

#[derive(Debug)]
struct Channel<T> {
    state: Mutex<State<T>>,
    messages_max: usize,
    senders: Waiters,
    receiver: Waiters,
}

#[derive(Debug)]
struct State<T> {
    messages: VecDeque<T>,
    senders: usize,
    has_receiver: bool,
}

impl<T> Channel<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end that sends.
#[derive(Debug)]
pub struct SyncSender<T>(Arc<Channel<T>>);

/// The end that receives.
#[derive(Debug)]
pub struct Receiver<T>(Arc<Channel<T>>);

/// A channel for so many messages.
pub fn sync_channel<T>(messages_max: usize) -> (SyncSender<T>, Receiver<T>) {
    let state = State { messages: VecDeque::new(), senders: 1, has_receiver: true };
    let channel = Arc::new(Channel {
        state: Mutex::new(state),
        messages_max: messages_max.max(1),
        senders: Waiters::default(),
        receiver: Waiters::default(),
    });
    (SyncSender(channel.clone()), Receiver(channel))
}

impl<T> SyncSender<T> {
    /// Sends, waiting for room.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let mut message = message;
        loop {
            match self.try_send(message) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(back)) => return Err(SendError(back)),
                Err(TrySendError::Full(back)) => message = back,
            }
            self.0.senders.wait("room in a channel", None);
        }
    }

    /// Sends if there is room.
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        baton::point();
        let mut state = self.0.state();
        if !state.has_receiver {
            return Err(TrySendError::Disconnected(message));
        }
        if state.messages.len() >= self.0.messages_max {
            return Err(TrySendError::Full(message));
        }
        state.messages.push_back(message);
        drop(state);
        self.0.receiver.wake_all();
        Ok(())
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        self.0.state().senders += 1;
        SyncSender(self.0.clone())
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        self.0.state().senders -= 1;
        self.0.receiver.wake_all();
    }
}

impl<T> Receiver<T> {
    /// Receives, waiting for a message.
    pub fn recv(&self) -> Result<T, RecvError> {
        self.receive(None).map_err(|_| RecvError)
    }

    /// Receives, waiting for a message for some time.
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.receive(Some(timeout))
    }

    fn receive(&self, timeout: Option<Duration>) -> Result<T, RecvTimeoutError> {
        let end_ns = timeout.map(|timeout| {
            baton::now_ns().saturating_add(u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX))
        });
        loop {
            match self.try_recv() {
                Ok(message) => return Ok(message),
                Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
                Err(TryRecvError::Empty) => {}
            }
            let left = end_ns.map(|end_ns| Duration::from_nanos(end_ns.saturating_sub(baton::now_ns())));
            if left == Some(Duration::ZERO) {
                return Err(RecvTimeoutError::Timeout);
            }
            self.0.receiver.wait("a message", left);
        }
    }

    /// Receives what is there.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        baton::point();
        let mut state = self.0.state();
        match state.messages.pop_front() {
            Some(message) => {
                drop(state);
                self.0.senders.wake_all();
                Ok(message)
            }
            None if state.senders == 0 => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }

    /// The messages that are there.
    pub fn try_iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.try_recv().ok())
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let messages = {
            let mut state = self.0.state();
            state.has_receiver = false;
            std::mem::take(&mut state.messages)
        };
        // Dropped outside of the lock, since a message's own drop may do anything.
        drop(messages);
        self.0.senders.wake_all();
    }
}
