//! The injected clock. Only this module asks the operating system for the time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// A source of time, injected so that expiry, recovery and the simulation need no sleeping.
///
/// The two clocks check each other. If the wall clock moves differently from the monotonic one, it was set or is
/// wrong.
pub trait Clock: Send + Sync + 'static {
    /// The wall clock: milliseconds since the Unix epoch. It may jump in both directions.
    fn now_ms(&self) -> u64;

    /// Milliseconds since a moment that is fixed for the run of the program. They never go back and can't be set.
    /// They should include the time while the machine is suspended.
    fn monotonic_ms(&self) -> u64;

    /// Reads both clocks at the same moment: the wall clock, then the monotonic clock.
    fn both_ms(&self) -> (u64, u64) {
        let mut before_ms = self.monotonic_ms();
        for _ in 0..READINGS_MAX {
            let (wall_ms, after_ms) = (self.now_ms(), self.monotonic_ms());
            if after_ms.saturating_sub(before_ms) <= APART_MS_MAX {
                return (wall_ms, after_ms);
            }
            // The thread was suspended in between, which would look like a jump.
            before_ms = after_ms;
        }
        (self.now_ms(), before_ms)
    }
}

/// The most time between the two monotonic readings around one reading of the wall clock.
const APART_MS_MAX: u64 = 500;
/// The most tries.
const READINGS_MAX: usize = 8;

/// The operating system's clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everybody else is given")]
    fn now_ms(&self) -> u64 {
        // A clock before 1970 reads as 1970, which is never trusted.
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |elapsed| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
    }

    fn monotonic_ms(&self) -> u64 {
        monotonic_ms()
    }
}

/// Includes suspended time. `Instant` doesn't on Linux and macOS, so every resume would look like a jump.
#[cfg(unix)]
fn monotonic_ms() -> u64 {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const CLOCK: rustix::time::ClockId = rustix::time::ClockId::Boottime;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const CLOCK: rustix::time::ClockId = rustix::time::ClockId::Monotonic;
    let time = rustix::time::clock_gettime(CLOCK);
    let part = |value: i64| u64::try_from(value).unwrap_or_default();
    part(time.tv_sec).saturating_mul(1_000).saturating_add(part(time.tv_nsec) / 1_000_000)
}

#[cfg(not(unix))]
fn monotonic_ms() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    let elapsed = START.get_or_init(std::time::Instant::now).elapsed();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

/// A clock that stands still until it is moved.
#[derive(Debug, Default)]
pub struct ManualClock(Mutex<Hands>);

#[derive(Debug, Default, Clone, Copy)]
struct Hands {
    wall_ms: u64,
    monotonic_ms: u64,
}

impl ManualClock {
    /// A clock that shows `now_ms`.
    pub fn new(now_ms: u64) -> Self {
        Self(Mutex::new(Hands { wall_ms: now_ms, monotonic_ms: 0 }))
    }

    /// Moves to `now_ms`. For a later time, that time passes. For an earlier time, the wall clock is set back.
    pub fn set_ms(&self, now_ms: u64) {
        let mut hands = self.hands();
        hands.monotonic_ms += now_ms.saturating_sub(hands.wall_ms);
        hands.wall_ms = now_ms;
    }

    /// Lets `by_ms` pass.
    pub fn advance_ms(&self, by_ms: u64) {
        let mut hands = self.hands();
        hands.wall_ms += by_ms;
        hands.monotonic_ms += by_ms;
    }

    /// Sets the wall clock forward or back without any time passing.
    pub fn jump_ms(&self, by_ms: i64) {
        let mut hands = self.hands();
        hands.wall_ms = hands.wall_ms.saturating_add_signed(by_ms);
    }

    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> u64 {
        self.hands().wall_ms
    }

    fn monotonic_ms(&self) -> u64 {
        self.hands().monotonic_ms
    }

    fn both_ms(&self) -> (u64, u64) {
        let hands = *self.hands();
        (hands.wall_ms, hands.monotonic_ms)
    }
}
