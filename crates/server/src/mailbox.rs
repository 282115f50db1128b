//! Wakes from other threads.
//!
//! A group commit answers dozens of writes at once, and each wakes the task that waits for it. Waking a task of another
//! thread's runtime takes a system call. Here the first wake of a group makes that call, and the others only add to a
//! list.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Wake, Waker};
use std::thread::{self, ThreadId};

/// The wakes for the tasks of one thread.
pub(crate) struct Mailbox {
    thread: ThreadId,
    letters: Mutex<Letters>,
}

#[derive(Default)]
struct Letters {
    wakers: Vec<Waker>,
    /// Wakes the delivering task.
    postman: Option<Waker>,
}

impl Mailbox {
    /// A mailbox for the tasks of the calling thread.
    pub(crate) fn of_this_thread() -> Self {
        Self { thread: thread::current().id(), letters: Mutex::default() }
    }

    /// A waker that wakes a task of this thread through the mailbox.
    pub(crate) fn address(self: &Arc<Self>, task: Waker) -> Waker {
        Waker::from(Arc::new(Addressed { mailbox: Arc::clone(self), task }))
    }

    fn wake(&self, task: &Waker) {
        if thread::current().id() == self.thread {
            return task.wake_by_ref();
        }
        let postman = {
            let mut letters = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
            letters.wakers.push(task.clone());
            // The delivering task has already been woken for the wakes in the list.
            if letters.wakers.len() == 1 { letters.postman.take() } else { None }
        };
        if let Some(postman) = postman {
            postman.wake();
        }
    }
}

/// A task and its mailbox.
struct Addressed {
    mailbox: Arc<Mailbox>,
    task: Waker,
}

impl Wake for Addressed {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.mailbox.wake(&self.task);
    }
}

/// Delivers wakes in an endless loop, on the thread of the mailbox.
pub(crate) async fn deliver(mailbox: Arc<Mailbox>) {
    let mut wakers = Vec::new();
    poll_fn(|context| {
        {
            let mut letters = mailbox.letters.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut letters.wakers, &mut wakers);
            letters.postman = Some(context.waker().clone());
        }
        wakers.drain(..).for_each(Waker::wake);
        Poll::Pending
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Context;

    use super::*;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wakes {
        fn count(&self) -> usize {
            self.0.load(Ordering::SeqCst)
        }
    }

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn wakes_from_another_thread_all_arrive_and_call_the_postman_once() {
        let (calls, wakes) = (Arc::new(Wakes::default()), Arc::new(Wakes::default()));
        let mailbox = Arc::new(Mailbox::of_this_thread());
        let mut delivery = pin!(deliver(Arc::clone(&mailbox)));
        let postman = Waker::from(Arc::clone(&calls));
        let mut deliver_now = || delivery.as_mut().poll(&mut Context::from_waker(&postman));
        assert!(deliver_now().is_pending());
        for round in 1..=2 {
            let task = mailbox.address(Waker::from(Arc::clone(&wakes)));
            thread::spawn(move || (0..3).for_each(|_| task.wake_by_ref())).join().unwrap();
            assert_eq!((calls.count(), wakes.count()), (round, 3 * (round - 1)));
            assert!(deliver_now().is_pending());
            assert_eq!(wakes.count(), 3 * round);
        }
    }

    #[test]
    fn a_wake_from_the_thread_itself_makes_no_detour() {
        let wakes = Arc::new(Wakes::default());
        let mailbox = Arc::new(Mailbox::of_this_thread());
        mailbox.address(Waker::from(Arc::clone(&wakes))).wake();
        assert_eq!(wakes.count(), 1);
    }
}
