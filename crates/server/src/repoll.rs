//! Polls a task again immediately if it was woken while it was polled.
//!
//! Hyper hands a request's body to the service through a channel within one task, so a connection's task wakes itself
//! twice for each request. Through the scheduler, each of these wakes may start another thread, which finds nothing to
//! do or takes the task over. Here they are caught: the task continues where it is. The scheduler sees only wakes from
//! outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// The task isn't being polled. A wake goes to the scheduler.
const RESTING: u8 = 0;
/// The task is being polled.
const POLLING: u8 = 1;
/// The task is being polled, and will be polled once more.
const WOKEN: u8 = 2;

/// The maximum number of polls in a row, before other tasks get their turn. A request takes three.
const POLLS_MAX: usize = 8;

/// Catches the wakes of one task.
pub(crate) struct Repoll {
    shared: Arc<Shared>,
    waker: Waker,
}

struct Shared {
    state: AtomicU8,
    task: Waker,
}

impl Repoll {
    /// For the task with this waker. It must be a separate task, so that its waker stays the same.
    pub(crate) fn new(task: Waker) -> Self {
        let shared = Arc::new(Shared { state: AtomicU8::new(RESTING), task });
        Self { waker: Waker::from(Arc::clone(&shared)), shared }
    }

    /// Polls until there is a result, or nothing left to do for now.
    pub(crate) fn poll<T>(&self, mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        let state = &self.shared.state;
        for _ in 0..POLLS_MAX {
            state.swap(POLLING, Ordering::AcqRel);
            let result = poll(&mut Context::from_waker(&self.waker));
            let rested = state.compare_exchange(POLLING, RESTING, Ordering::AcqRel, Ordering::Acquire);
            if result.is_ready() || rested.is_ok() {
                return result;
            }
        }
        state.store(RESTING, Ordering::Release);
        self.shared.task.wake_by_ref();
        Poll::Pending
    }
}

impl Wake for Shared {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let woken = |state| (state != RESTING).then_some(WOKEN);
        if self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, woken).is_err() {
            self.task.wake_by_ref();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn repoll() -> (Repoll, Arc<Wakes>) {
        let wakes = Arc::new(Wakes::default());
        (Repoll::new(Waker::from(Arc::clone(&wakes))), wakes)
    }

    #[test]
    fn what_wakes_itself_is_polled_again_without_the_scheduler() {
        let (repoll, wakes) = repoll();
        let mut polls = 0;
        let result = repoll.poll(|context| {
            polls += 1;
            context.waker().wake_by_ref();
            if polls == 3 { Poll::Ready(polls) } else { Poll::Pending }
        });
        assert_eq!(result, Poll::Ready(3));
        assert_eq!(wakes.0.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_wake_from_outside_reaches_the_scheduler() {
        let (repoll, wakes) = repoll();
        let mut waker = None;
        let result: Poll<()> = repoll.poll(|context| {
            waker = Some(context.waker().clone());
            Poll::Pending
        });
        assert_eq!((result, wakes.0.load(Ordering::SeqCst)), (Poll::Pending, 0));
        waker.unwrap().wake();
        assert_eq!(wakes.0.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn what_never_rests_leaves_the_others_their_turn() {
        let (repoll, wakes) = repoll();
        let mut polls = 0;
        let result: Poll<()> = repoll.poll(|context| {
            polls += 1;
            context.waker().wake_by_ref();
            Poll::Pending
        });
        assert_eq!((result, polls), (Poll::Pending, POLLS_MAX));
        assert_eq!(wakes.0.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn no_wake_is_lost_between_threads() {
        // One thread stores numbers and wakes. The other must see the last of them.
        let (repoll, wakes) = repoll();
        let count = AtomicUsize::new(0);
        const LAST: usize = 20_000;
        std::thread::scope(|scope| {
            let waker = repoll.waker.clone();
            let count = &count;
            scope.spawn(move || {
                for number in 1..=LAST {
                    count.store(number, Ordering::SeqCst);
                    waker.wake_by_ref();
                }
            });
            let mut seen_wakes = 0;
            loop {
                let polled = repoll.poll(|_| match count.load(Ordering::SeqCst) {
                    LAST => Poll::Ready(()),
                    _ => Poll::Pending,
                });
                if polled.is_ready() {
                    break;
                }
                // Like the scheduler, poll again only after a wake.
                while wakes.0.load(Ordering::SeqCst) == seen_wakes {
                    std::thread::yield_now();
                }
                seen_wakes = wakes.0.load(Ordering::SeqCst);
            }
        });
    }
}
