//! Locks and condition variables as in `std::sync`, without poison.

use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, TryLockError};
use std::time::Duration;

use crate::baton::{self, here};

/// Threads that wait for something. Only the one with the baton touches it, so its lock is never contended.
#[derive(Debug, Default)]
pub(crate) struct Waiters(std::sync::Mutex<Vec<usize>>);

impl Waiters {
    fn list(&self) -> std::sync::MutexGuard<'_, Vec<usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits to be woken, or until the time is over, which it says.
    pub(crate) fn wait(&self, waits_for: &'static str, timeout: Option<Duration>) -> bool {
        self.wait_after(waits_for, timeout, || ())
    }

    /// The same, doing something between taking a place among those who wait, and waiting.
    fn wait_after(&self, waits_for: &'static str, timeout: Option<Duration>, then: impl FnOnce()) -> bool {
        let Some((baton, me)) = here() else {
            then();
            return true;
        };
        self.list().push(me);
        then();
        let deadline_ns = timeout.map(|timeout| {
            let timeout_ns = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
            baton::now_ns().saturating_add(timeout_ns)
        });
        let timed_out = baton.block(me, waits_for, deadline_ns);
        self.list().retain(|waiter| *waiter != me);
        timed_out
    }

    /// Wakes one of them, whom the seed chooses.
    pub(crate) fn wake_one(&self) {
        let waiter = {
            let mut list = self.list();
            let place = usize::try_from(baton::random(list.len() as u64)).unwrap_or_default();
            (place < list.len()).then(|| list.remove(place))
        };
        if let (Some((baton, _)), Some(waiter)) = (here(), waiter) {
            baton.wake(waiter);
        }
    }

    /// Wakes all of them.
    pub(crate) fn wake_all(&self) {
        let waiters = std::mem::take(&mut *self.list());
        if let Some((baton, _)) = here() {
            waiters.into_iter().for_each(|waiter| baton.wake(waiter));
        }
    }
}

/// A lock.
#[derive(Debug, Default)]
pub struct Mutex<T> {
    value: std::sync::Mutex<T>,
    waiters: Waiters,
}

/// A held [`Mutex`].
#[derive(Debug)]
pub struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    /// There until the guard is dropped.
    held: Option<std::sync::MutexGuard<'a, T>>,
}

impl<T> Mutex<T> {
    /// A lock around a value.
    pub fn new(value: T) -> Self {
        Mutex { value: std::sync::Mutex::new(value), waiters: Waiters::default() }
    }

    /// Takes the lock, waiting for it.
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        baton::point();
        Ok(self.take())
    }

    fn take(&self) -> MutexGuard<'_, T> {
        loop {
            let held = match self.value.try_lock() {
                Ok(held) => held,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    self.waiters.wait("a lock", None);
                    continue;
                }
            };
            return MutexGuard { mutex: self, held: Some(held) };
        }
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[expect(clippy::expect_used, reason = "the guard is there until it is dropped")]
    fn deref(&self) -> &T {
        self.held.as_deref().expect("the lock is held")
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    #[expect(clippy::expect_used, reason = "the guard is there until it is dropped")]
    fn deref_mut(&mut self) -> &mut T {
        self.held.as_deref_mut().expect("the lock is held")
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        if self.held.take().is_some() {
            self.mutex.waiters.wake_all();
        }
    }
}

/// A condition variable. It also wakes for no reason, now and then.
#[derive(Debug, Default)]
pub struct Condvar {
    waiters: Waiters,
}

/// Whether a wait ended because its time was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the time was over.
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// One in so many waits ends for no reason.
const SPURIOUS_ONE_IN: u64 = 64;

impl Condvar {
    /// Nobody waits.
    pub fn new() -> Self {
        Condvar::default()
    }

    /// Gives up the lock, waits, and takes it again.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        Ok(self.wait_for(guard, None).0)
    }

    /// The same for some time at most.
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        Ok(self.wait_for(guard, Some(timeout)))
    }

    fn wait_for<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Option<Duration>,
    ) -> (MutexGuard<'a, T>, WaitTimeoutResult) {
        let mutex = guard.mutex;
        if baton::random(SPURIOUS_ONE_IN) == 1 {
            drop(guard);
            baton::point();
            return (mutex.take(), WaitTimeoutResult(false));
        }
        let timed_out = self.waiters.wait_after("a condition", timeout, || drop(guard));
        (mutex.take(), WaitTimeoutResult(timed_out))
    }

    /// Wakes one of those who wait.
    pub fn notify_one(&self) {
        baton::point();
        self.waiters.wake_one();
    }

    /// Wakes all who wait.
    pub fn notify_all(&self) {
        baton::point();
        self.waiters.wake_all();
    }
}

/// A lock for one writer or several readers.
#[derive(Debug, Default)]
pub struct RwLock<T> {
    value: std::sync::RwLock<T>,
    waiters: Waiters,
}

/// An [`RwLock`] held for reading.
#[derive(Debug)]
pub struct RwLockReadGuard<'a, T> {
    held: Option<std::sync::RwLockReadGuard<'a, T>>,
    waiters: &'a Waiters,
}

/// An [`RwLock`] held for writing.
#[derive(Debug)]
pub struct RwLockWriteGuard<'a, T> {
    held: Option<std::sync::RwLockWriteGuard<'a, T>>,
    waiters: &'a Waiters,
}

impl<T> RwLock<T> {
    /// A lock around a value.
    pub fn new(value: T) -> Self {
        RwLock { value: std::sync::RwLock::new(value), waiters: Waiters::default() }
    }

    /// Takes the lock for reading.
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        baton::point();
        loop {
            let held = match self.value.try_read() {
                Ok(held) => held,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    self.waiters.wait("a lock for reading", None);
                    continue;
                }
            };
            return Ok(RwLockReadGuard { held: Some(held), waiters: &self.waiters });
        }
    }

    /// Takes the lock for writing.
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        baton::point();
        loop {
            let held = match self.value.try_write() {
                Ok(held) => held,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    self.waiters.wait("a lock for writing", None);
                    continue;
                }
            };
            return Ok(RwLockWriteGuard { held: Some(held), waiters: &self.waiters });
        }
    }

    /// The value, when nobody else can have it.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        Ok(self.value.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    #[expect(clippy::expect_used, reason = "the guard is there until it is dropped")]
    fn deref(&self) -> &T {
        self.held.as_deref().expect("the lock is held")
    }
}

impl<T> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    #[expect(clippy::expect_used, reason = "the guard is there until it is dropped")]
    fn deref(&self) -> &T {
        self.held.as_deref().expect("the lock is held")
    }
}

impl<T> DerefMut for RwLockWriteGuard<'_, T> {
    #[expect(clippy::expect_used, reason = "the guard is there until it is dropped")]
    fn deref_mut(&mut self) -> &mut T {
        self.held.as_deref_mut().expect("the lock is held")
    }
}

impl<T> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        drop(self.held.take());
        self.waiters.wake_all();
    }
}

impl<T> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        drop(self.held.take());
        self.waiters.wake_all();
    }
}
