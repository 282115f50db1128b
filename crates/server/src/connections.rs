//! All open connections: how many there may be, which have waited too long, and when the last has gone.
//!
//! Every connection has a [`Watch`]. The request path only stores a number in it; deciding is left to
//! one task that looks at all of them from time to time, so that no request pays for a timer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use tokio::sync::Notify;

use crate::options::Limits;

/// The bits of a stamp that hold the phase.
const PHASE_BITS: u32 = 3;

/// The registry of open connections.
pub(crate) struct Connections {
    open: Mutex<Open>,
    count_max: usize,
    /// Counts the rounds of [`Connections::watch_over`]: the clock that waits are measured with.
    round: AtomicU64,
    round_time: Duration,
    idle_rounds_max: u64,
    body_rounds_max: u64,
    answer_rounds_max: u64,
    last_closed: Notify,
}

#[derive(Default)]
struct Open {
    next_id: u64,
    watches: HashMap<u64, Arc<Watch>>,
}

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It waits for a request's head, or for the client to take a small answer.
    Waiting,
    /// It receives a request's body, or waits for room for it.
    Receiving,
    /// The database works on a request: this takes the time it takes.
    Working,
    /// It waits for the client to take a large answer.
    Answering,
    /// It has refused a body, and waits for the client to stop sending it.
    Leaving,
}

/// What a connection was told to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Go on.
    Serve,
    /// Finish the request at hand, then close.
    Finish,
    /// Close at once.
    Close,
}

/// One connection's place in the registry.
pub(crate) struct Watch {
    /// The phase in the lowest bits, the round in which it began above them.
    phase: AtomicU64,
    order: AtomicU8,
    waker: Mutex<Option<Waker>>,
}

/// Keeps a connection in the registry until it is dropped.
pub(crate) struct Registration {
    connections: Arc<Connections>,
    id: u64,
    watch: Arc<Watch>,
}

impl Connections {
    pub(crate) fn new(limits: &Limits) -> Self {
        // Fine enough to end a wait at most a quarter late, coarse enough to cost nothing.
        let shortest = limits.idle_timeout.min(limits.body_timeout).min(limits.answer_timeout);
        let round_time = (shortest / 4).clamp(Duration::from_millis(1), Duration::from_secs(1));
        let rounds = |wait: Duration| wait.as_millis().div_ceil(round_time.as_millis().max(1)) as u64;
        Self {
            open: Mutex::default(),
            count_max: limits.connections_max,
            round: AtomicU64::new(0),
            round_time,
            idle_rounds_max: rounds(limits.idle_timeout),
            body_rounds_max: rounds(limits.body_timeout),
            answer_rounds_max: rounds(limits.answer_timeout),
            last_closed: Notify::new(),
        }
    }

    /// Takes a connection in, unless there are too many.
    pub(crate) fn register(self: &Arc<Self>) -> Option<Registration> {
        let mut open = self.open();
        if open.watches.len() >= self.count_max {
            return None;
        }
        let id = open.next_id;
        open.next_id += 1;
        let watch = Arc::new(Watch {
            phase: AtomicU64::new(self.stamp(Phase::Waiting)),
            order: AtomicU8::new(Order::Serve as u8),
            waker: Mutex::default(),
        });
        open.watches.insert(id, Arc::clone(&watch));
        Some(Registration { connections: Arc::clone(self), id, watch })
    }

    /// How many are open.
    pub(crate) fn count(&self) -> usize {
        self.open().watches.len()
    }

    /// Closes connections that wait too long, for ever. While `is_pressed`, those that take long to read an answer have
    /// less time.
    pub(crate) async fn watch_over(&self, is_pressed: impl Fn() -> bool, mut closed: impl FnMut(Phase)) {
        let mut rounds = tokio::time::interval(self.round_time);
        rounds.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            rounds.tick().await;
            self.end_round(is_pressed(), &mut closed);
        }
    }

    fn end_round(&self, is_pressed: bool, closed: &mut impl FnMut(Phase)) {
        let round = self.round.fetch_add(1, Ordering::Relaxed) + 1;
        for watch in self.open().watches.values() {
            let (phase, since) = watch.phase();
            let rounds_max = match phase {
                Phase::Waiting => self.idle_rounds_max,
                Phase::Receiving | Phase::Leaving => self.body_rounds_max,
                Phase::Working => continue,
                Phase::Answering if is_pressed => self.answer_rounds_max / 10,
                Phase::Answering => self.answer_rounds_max,
            };
            if round.saturating_sub(since) > rounds_max && watch.tell(Order::Close) {
                closed(phase);
            }
        }
    }

    /// Tells every connection.
    pub(crate) fn tell_all(&self, order: Order) {
        for watch in self.open().watches.values() {
            watch.tell(order);
        }
    }

    /// Waits until no connection is open.
    pub(crate) async fn all_closed(&self) {
        loop {
            let last_closed = self.last_closed.notified();
            if self.count() == 0 {
                return;
            }
            last_closed.await;
        }
    }

    fn stamp(&self, phase: Phase) -> u64 {
        self.round.load(Ordering::Relaxed) << PHASE_BITS | phase as u64
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registration {
    /// Notes what the connection does from now on.
    pub(crate) fn enter(&self, phase: Phase) {
        self.watch.phase.store(self.connections.stamp(phase), Ordering::Relaxed);
    }

    /// Notes that the connection's client is to take an answer, until the returned value is dropped.
    pub(crate) fn answering(&self) -> Answering {
        let stamp = self.connections.stamp(Phase::Answering);
        self.watch.phase.store(stamp, Ordering::Relaxed);
        Answering { connections: Arc::clone(&self.connections), watch: Arc::clone(&self.watch), stamp }
    }

    /// Whether the client may still be sending what was refused.
    pub(crate) fn is_leaving(&self) -> bool {
        self.watch.phase().0 == Phase::Leaving
    }

    /// What the connection was told to do.
    pub(crate) fn order(&self) -> Order {
        self.watch.order()
    }

    /// Has this waker woken when the order changes. A task's waker stays the same, so once is enough.
    pub(crate) fn wake(&self, waker: &Waker) {
        *self.watch.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker.clone());
    }
}

/// A connection is to hand over an answer as long as this is there.
pub(crate) struct Answering {
    connections: Arc<Connections>,
    watch: Arc<Watch>,
    stamp: u64,
}

impl Drop for Answering {
    fn drop(&mut self) {
        let waiting = self.connections.stamp(Phase::Waiting);
        // If the next request has begun already, that stands.
        let _ = self.watch.phase.compare_exchange(self.stamp, waiting, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut open = self.connections.open();
        open.watches.remove(&self.id);
        if open.watches.is_empty() {
            self.connections.last_closed.notify_waiters();
        }
    }
}

impl Watch {
    fn phase(&self) -> (Phase, u64) {
        let stamp = self.phase.load(Ordering::Relaxed);
        let phase = match stamp & ((1 << PHASE_BITS) - 1) {
            0 => Phase::Waiting,
            1 => Phase::Receiving,
            2 => Phase::Working,
            3 => Phase::Answering,
            _ => Phase::Leaving,
        };
        (phase, stamp >> PHASE_BITS)
    }

    fn order(&self) -> Order {
        match self.order.load(Ordering::Acquire) {
            0 => Order::Serve,
            1 => Order::Finish,
            _ => Order::Close,
        }
    }

    /// Gives the order; a stronger one that was given before stands. Says whether it was new.
    fn tell(&self, order: Order) -> bool {
        let before = self.order.fetch_max(order as u8, Ordering::AcqRel);
        // The lock makes sure that a task which registers its waker right now sees the order after it.
        if let Some(waker) = self.waker.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            waker.wake_by_ref();
        }
        before < order as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(count_max: usize) -> Arc<Connections> {
        let limits = Limits {
            connections_max: count_max,
            idle_timeout: Duration::from_secs(8),
            body_timeout: Duration::from_secs(4),
            answer_timeout: Duration::from_secs(20),
            ..Limits::default()
        };
        Arc::new(Connections::new(&limits))
    }

    fn rounds(connections: &Connections, count: usize) -> Vec<Phase> {
        let mut closed = Vec::new();
        (0..count).for_each(|_| connections.end_round(false, &mut |phase| closed.push(phase)));
        closed
    }

    #[test]
    fn the_limit_holds_and_a_closed_connection_makes_room() {
        let connections = connections(2);
        let first = connections.register();
        let _second = connections.register().unwrap();
        assert!(connections.register().is_none());
        drop(first);
        assert!(connections.register().is_some());
    }

    #[test]
    fn only_those_that_wait_too_long_are_closed() {
        // A round is a second here.
        let connections = connections(9);
        let idle = connections.register().unwrap();
        let sending = connections.register().unwrap();
        let working = connections.register().unwrap();
        sending.enter(Phase::Receiving);
        working.enter(Phase::Working);
        assert_eq!(rounds(&connections, 4), []);
        assert_eq!(rounds(&connections, 1), [Phase::Receiving]);
        assert_eq!(rounds(&connections, 3), []);
        assert_eq!(rounds(&connections, 1), [Phase::Waiting]);
        assert_eq!(rounds(&connections, 100), []);
        assert_eq!((idle.order(), sending.order()), (Order::Close, Order::Close));
        assert_eq!(working.order(), Order::Serve);
    }

    #[test]
    fn a_slow_reader_has_its_time_and_less_when_answers_pile_up() {
        let connections = connections(9);
        let slow = connections.register().unwrap();
        let answer = slow.answering();
        assert_eq!(rounds(&connections, 2), []);
        let mut closed = Vec::new();
        connections.end_round(true, &mut |phase| closed.push(phase));
        assert_eq!(closed, [Phase::Answering]);
        drop(answer);

        let other = connections.register().unwrap();
        let answer = other.answering();
        assert_eq!(rounds(&connections, 20), []);
        assert_eq!(rounds(&connections, 1), [Phase::Answering]);
        drop(answer);
    }

    #[test]
    fn the_end_of_an_answer_does_not_hide_the_next_request() {
        let connections = connections(9);
        let connection = connections.register().unwrap();
        let answer = connection.answering();
        connection.enter(Phase::Receiving);
        drop(answer);
        assert_eq!(connection.watch.phase().0, Phase::Receiving);
        drop(connection.answering());
        assert_eq!(connection.watch.phase().0, Phase::Waiting);
    }

    #[test]
    fn a_request_starts_the_wait_anew() {
        let connections = connections(9);
        let busy = connections.register().unwrap();
        for _ in 0..10 {
            assert_eq!(rounds(&connections, 7), []);
            busy.enter(Phase::Waiting);
        }
        assert_eq!(busy.order(), Order::Serve);
    }

    #[test]
    fn an_order_to_close_is_not_softened() {
        let connections = connections(9);
        let connection = connections.register().unwrap();
        connections.tell_all(Order::Close);
        connections.tell_all(Order::Finish);
        assert_eq!(connection.order(), Order::Close);
    }
}
