//! The injected clock: the only place that may ask the operating system for the time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time; injected so that expiry, recovery and simulation need no sleeping.
///
/// The two readings check each other: a wall clock that moves otherwise than the monotonic one was set, or is wrong.
pub trait Clock: Send + Sync + 'static {
    /// The wall clock: milliseconds since the Unix epoch. It may jump in both directions.
    fn now_ms(&self) -> u64;

    /// Milliseconds since some moment that is the same for the whole run of the program. They never go back, and nobody sets
    /// them. They should go on while the machine is suspended.
    fn monotonic_ms(&self) -> u64;

    /// Both readings, as of the same moment: wall clock, then monotonic clock.
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

/// Two readings of the monotonic clock around one of the wall clock are at most so far apart.
const APART_MS_MAX: u64 = 500;
/// How often that is tried.
const READINGS_MAX: usize = 8;

/// The operating system's clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everybody else is given")]
    fn now_ms(&self) -> u64 {
        // A clock before 1970 reads as 1970, which nobody believes.
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |elapsed| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
    }

    fn monotonic_ms(&self) -> u64 {
        monotonic_ms()
    }
}

/// Counts suspended time as well: `Instant` doesn't on Linux and macOS, and every resume would look like a jump.
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

    /// Shows `now_ms` from now on. On the way to a later time, that time passes; to an earlier time the wall clock is set back.
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
