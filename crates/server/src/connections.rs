//! All open connections: their limits in total and per address, which ones are closed when there are too many,
//! timeouts, and the end of the last one.
//!
//! Every connection has a [`Watch`]. The request path only stores a number in it. One task checks all of them
//! periodically and decides, so that no request needs a timer.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use tokio::sync::Notify;

use crate::options::Limits;

/// The bits of a stamp that hold the phase.
const PHASE_BITS: u32 = 3;

/// The default share of one address in all connections is one part in this many.
const ADDRESS_SHARE: usize = 4;

/// The registry of open connections.
pub(crate) struct Connections {
    open: Mutex<Open>,
    count_max: usize,
    per_address_max: Option<usize>,
    /// Counts the rounds of [`Connections::watch_over`], which is the clock for timeouts.
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
    /// The number of connections from each network.
    networks: HashMap<IpAddr, usize>,
}

impl Open {
    /// Releases a connection's place, if it still has one.
    fn remove(&mut self, id: u64) {
        let Some(watch) = self.watches.remove(&id) else { return };
        if let Some(count) = self.networks.get_mut(&watch.network) {
            *count -= 1;
            if *count == 0 {
                self.networks.remove(&watch.network);
            }
        }
    }
}

/// The activity of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Waiting for a request's head, or for the client to read a small answer.
    Waiting,
    /// Receiving a request's body, or waiting for room for it.
    Receiving,
    /// Waiting for the database, without a timeout.
    Working,
    /// Waiting for the client to read a large answer.
    Answering,
    /// Waiting for the client to stop sending a rejected body.
    Leaving,
}

/// An order to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Continue.
    Serve,
    /// Finish the current request, then close.
    Finish,
    /// Close immediately.
    Close,
}

/// The entry of one connection in the registry.
pub(crate) struct Watch {
    network: IpAddr,
    /// Whether a request on it was allowed to reach the database.
    is_proven: AtomicBool,
    /// The phase in the lowest bits, and the round in which it began above them.
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
        // Fine enough that a timeout is at most a quarter late, and coarse enough to cost nothing.
        let shortest = limits.idle_timeout.min(limits.body_timeout).min(limits.answer_timeout);
        let round_time = (shortest / 4).clamp(Duration::from_millis(1), Duration::from_secs(1));
        let rounds = |wait: Duration| wait.as_millis().div_ceil(round_time.as_millis().max(1)) as u64;
        Self {
            open: Mutex::default(),
            count_max: limits.connections_max,
            per_address_max: limits.connections_per_address_max,
            round: AtomicU64::new(0),
            round_time,
            idle_rounds_max: rounds(limits.idle_timeout),
            body_rounds_max: rounds(limits.body_timeout),
            answer_rounds_max: rounds(limits.answer_timeout),
            last_closed: Notify::new(),
        }
    }

    /// Registers a connection, unless there are too many in total or from its address.
    pub(crate) fn register(self: &Arc<Self>, address: IpAddr) -> Option<Registration> {
        let network = network(address);
        let mut open = self.open();
        if open.watches.len() >= self.count_max || self.has_its_share(&open, network) {
            return None;
        }
        *open.networks.entry(network).or_default() += 1;
        let id = open.next_id;
        open.next_id += 1;
        let watch = Arc::new(Watch {
            network,
            is_proven: AtomicBool::new(false),
            phase: AtomicU64::new(self.stamp(Phase::Waiting)),
            order: AtomicU8::new(Order::Serve as u8),
            waker: Mutex::default(),
        });
        open.watches.insert(id, Arc::clone(&watch));
        Some(Registration { connections: Arc::clone(self), id, watch })
    }

    fn has_its_share(&self, open: &Open, network: IpAddr) -> bool {
        let count_max = match self.per_address_max {
            Some(count_max) => count_max,
            // Programs under development and proxies on this machine have no limit of their own.
            None if network.is_loopback() => return false,
            None => (self.count_max / ADDRESS_SHARE).max(1),
        };
        open.networks.get(&network).is_some_and(|count| *count >= count_max)
    }

    /// Makes room for a connection from this address. Closes the connection that has waited longest, among those
    /// without an allowed request. If the address has used its share, only its own connections are considered. Returns
    /// `false` if there isn't one.
    pub(crate) fn displace_for(&self, address: IpAddr) -> bool {
        let network = network(address);
        let mut open = self.open();
        let among_its_own = self.has_its_share(&open, network);
        let gives_way = |watch: &Watch| {
            !watch.is_proven.load(Ordering::Relaxed)
                && watch.phase().0 != Phase::Working
                && (!among_its_own || watch.network == network)
        };
        let waiting = open.watches.iter().filter(|(_, watch)| gives_way(watch));
        let Some((id, watch)) = waiting.min_by_key(|(id, watch)| (watch.phase().1, **id)) else {
            return false;
        };
        watch.tell(Order::Close);
        let id = *id;
        open.remove(id);
        true
    }

    /// The number of open connections.
    pub(crate) fn count(&self) -> usize {
        self.open().watches.len()
    }

    /// Closes connections that wait too long, in an endless loop. While `is_pressed`, clients have less time to read an
    /// answer.
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

    /// Gives every connection an order.
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
    /// Records the connection's phase.
    pub(crate) fn enter(&self, phase: Phase) {
        self.watch.phase.store(self.connections.stamp(phase), Ordering::Relaxed);
    }

    /// Records that the client has an answer to read, until the returned value is dropped.
    pub(crate) fn answering(&self) -> Answering {
        let stamp = self.connections.stamp(Phase::Answering);
        self.watch.phase.store(stamp, Ordering::Relaxed);
        Answering { connections: Arc::clone(&self.connections), watch: Arc::clone(&self.watch), stamp }
    }

    /// Follows an answer in pieces, until the returned value is dropped.
    pub(crate) fn streaming(&self) -> Streaming {
        Streaming { connections: Arc::clone(&self.connections), watch: Arc::clone(&self.watch) }
    }

    /// Records that a request was allowed to reach the database. The connection is no longer closed for the benefit of
    /// others.
    pub(crate) fn prove(&self) {
        // Most requests aren't the first. A read leaves the cache line shared with other threads.
        if !self.watch.is_proven.load(Ordering::Relaxed) {
            self.watch.is_proven.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the client may still be sending a rejected body.
    pub(crate) fn is_leaving(&self) -> bool {
        self.watch.phase().0 == Phase::Leaving
    }

    /// The connection's current order.
    pub(crate) fn order(&self) -> Order {
        self.watch.order()
    }

    /// Registers a waker for changes of the order. A task's waker stays the same, so once is enough.
    pub(crate) fn wake(&self, waker: &Waker) {
        *self.watch.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker.clone());
    }
}

/// The phases of a connection while it sends an answer in pieces.
pub(crate) struct Streaming {
    connections: Arc<Connections>,
    watch: Arc<Watch>,
}

impl Streaming {
    /// Records that the client has a piece to read.
    pub(crate) fn sends(&self) {
        self.enter(Phase::Answering);
    }

    /// Records that the next piece isn't ready yet, for which there is no timeout.
    pub(crate) fn waits(&self) {
        self.enter(Phase::Working);
    }

    /// Whether the connection was told to finish or to close.
    pub(crate) fn is_ending(&self) -> bool {
        self.watch.order() != Order::Serve
    }

    fn enter(&self, phase: Phase) {
        if self.watch.phase().0 != Phase::Leaving {
            self.watch.phase.store(self.connections.stamp(phase), Ordering::Relaxed);
        }
    }
}

impl Drop for Streaming {
    fn drop(&mut self) {
        self.enter(Phase::Waiting);
    }
}

/// While this exists, the connection has an answer to hand over.
pub(crate) struct Answering {
    connections: Arc<Connections>,
    watch: Arc<Watch>,
    stamp: u64,
}

impl Drop for Answering {
    fn drop(&mut self) {
        let waiting = self.connections.stamp(Phase::Waiting);
        // If the next request has already begun, its phase stays.
        let _ = self.watch.phase.compare_exchange(self.stamp, waiting, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut open = self.connections.open();
        open.remove(self.id);
        if open.watches.is_empty() {
            self.connections.last_closed.notify_waiters();
        }
    }
}

/// The network that counts as one address. With IPv6, the owner of an address has its whole /64.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into()
        }
        address => address,
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

    /// Gives an order. An earlier, stronger order stays. Returns whether it was new.
    fn tell(&self, order: Order) -> bool {
        let before = self.order.fetch_max(order as u8, Ordering::AcqRel);
        // With the lock, a task that registers its waker at this moment sees the order afterwards.
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
            connections_per_address_max: Some(count_max),
            ..Limits::default()
        };
        Arc::new(Connections::new(&limits))
    }

    /// A remote machine.
    fn elsewhere(number: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, number])
    }

    fn rounds(connections: &Connections, count: usize) -> Vec<Phase> {
        let mut closed = Vec::new();
        (0..count).for_each(|_| connections.end_round(false, &mut |phase| closed.push(phase)));
        closed
    }

    #[test]
    fn the_limit_holds_and_a_closed_connection_makes_room() {
        let connections = connections(2);
        let first = connections.register(elsewhere(1));
        let _second = connections.register(elsewhere(1)).unwrap();
        assert!(connections.register(elsewhere(1)).is_none());
        drop(first);
        assert!(connections.register(elsewhere(1)).is_some());
    }

    #[test]
    fn one_address_has_a_share_and_this_machine_has_all() {
        let limits = Limits { connections_max: 8, ..Limits::default() };
        let connections = Arc::new(Connections::new(&limits));
        let open = |address: &str| connections.register(address.parse().unwrap());
        let held = [open("10.0.0.1"), open("::ffff:10.0.0.1"), open("2001:db8::1"), open("2001:db8::ffff:1")];
        assert!(held.iter().all(Option::is_some));
        assert!(open("10.0.0.1").is_none(), "two are its share");
        assert!(open("2001:db8:0:0:9::").is_none(), "of the same network");
        let own: Vec<_> = (0..4).map_while(|_| open("127.0.0.1")).collect();
        assert_eq!(own.len(), 4);
        drop(held);
        assert!(open("10.0.0.1").is_some());
    }

    #[test]
    fn connections_without_an_allowed_request_give_way_the_oldest_first() {
        let connections = connections(3);
        let proven = connections.register(elsewhere(1)).unwrap();
        proven.prove();
        let old = connections.register(elsewhere(2)).unwrap();
        let working = connections.register(elsewhere(3)).unwrap();
        working.enter(Phase::Working);
        assert!(connections.register(elsewhere(4)).is_none());
        assert!(connections.displace_for(elsewhere(4)));
        assert_eq!(old.order(), Order::Close);
        let young = connections.register(elsewhere(4)).unwrap();
        drop(old);
        assert_eq!(connections.count(), 3, "its end is not counted twice");
        young.prove();
        assert!(!connections.displace_for(elsewhere(5)), "no other gives way");
        assert_eq!(
            (proven.order(), working.order(), young.order()),
            (Order::Serve, Order::Serve, Order::Serve)
        );
    }

    #[test]
    fn an_address_with_its_share_makes_room_among_its_own_only() {
        let limits = Limits { connections_max: 8, connections_per_address_max: Some(1), ..Limits::default() };
        let connections = Arc::new(Connections::new(&limits));
        let other = connections.register(elsewhere(1)).unwrap();
        let own = connections.register(elsewhere(2)).unwrap();
        assert!(connections.displace_for(elsewhere(2)));
        assert_eq!((other.order(), own.order()), (Order::Serve, Order::Close));
        let next = connections.register(elsewhere(2)).unwrap();
        next.prove();
        assert!(!connections.displace_for(elsewhere(2)));
    }

    #[test]
    fn only_those_that_wait_too_long_are_closed() {
        // In this test, a round is a second.
        let connections = connections(9);
        let idle = connections.register(elsewhere(1)).unwrap();
        let sending = connections.register(elsewhere(1)).unwrap();
        let working = connections.register(elsewhere(1)).unwrap();
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
        let slow = connections.register(elsewhere(1)).unwrap();
        let answer = slow.answering();
        assert_eq!(rounds(&connections, 2), []);
        let mut closed = Vec::new();
        connections.end_round(true, &mut |phase| closed.push(phase));
        assert_eq!(closed, [Phase::Answering]);
        drop(answer);

        let other = connections.register(elsewhere(1)).unwrap();
        let answer = other.answering();
        assert_eq!(rounds(&connections, 20), []);
        assert_eq!(rounds(&connections, 1), [Phase::Answering]);
        drop(answer);
    }

    #[test]
    fn the_end_of_an_answer_does_not_hide_the_next_request() {
        let connections = connections(9);
        let connection = connections.register(elsewhere(1)).unwrap();
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
        let busy = connections.register(elsewhere(1)).unwrap();
        for _ in 0..10 {
            assert_eq!(rounds(&connections, 7), []);
            busy.enter(Phase::Waiting);
        }
        assert_eq!(busy.order(), Order::Serve);
    }

    #[test]
    fn an_order_to_close_is_not_softened() {
        let connections = connections(9);
        let connection = connections.register(elsewhere(1)).unwrap();
        connections.tell_all(Order::Close);
        connections.tell_all(Order::Finish);
        assert_eq!(connection.order(), Order::Close);
    }
}
