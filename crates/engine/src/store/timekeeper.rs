//! The time of the engine: the wall clock, checked against the monotonic one.
//!
//! Small steps of the wall clock are followed at once. After a jump, the time follows the monotonic clock until the
//! wall clock has stayed on its new line for the settle period, or has come back. `docs/clock.md` has the policy and
//! its reasons.

use std::sync::Arc;
// No thread waits for these locks, so the simulation need not know them.
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Clock;

/// The largest step of the wall clock that is followed at once. If it goes back, the time of commits stands still
/// meanwhile.
pub(crate) const STEP_MS_MAX: u64 = 5_000;
/// A clock that shows an earlier time than this, although there are later commits, has lost its time: 1 January 2020.
const LOST_BEFORE_MS: u64 = 1_577_836_800_000;
/// If the database was closed for longer than this, nothing is deleted until the wall clock is confirmed.
const GAP_MS_MAX: u64 = 24 * 60 * 60 * 1000;

/// Tells the time and watches the clock.
pub struct Timekeeper {
    clock: Arc<dyn Clock>,
    settle_ms: u64,
    line: Mutex<Line>,
    jumps_forward: AtomicU64,
    jumps_back: AtomicU64,
    /// The number of trusted jumps, and how many of them are recorded in the commit order.
    believed: AtomicU64,
    noted: AtomicU64,
    /// How far the recorded jumps have moved the time.
    noted_ms: AtomicI64,
}

/// The relation of the wall clock to the monotonic one.
#[derive(Debug, Clone, Copy)]
struct Line {
    /// The trusted difference between the wall clock and the monotonic one.
    offset_ms: i64,
    /// How far all trusted jumps have moved the time.
    jumped_ms: i64,
    /// The new line of the wall clock after a jump.
    jump: Option<Jump>,
    /// Set while the wall clock that was found at opening isn't confirmed.
    unproven: Option<Unproven>,
}

/// A wall clock that was far from the time of the last commit at opening.
#[derive(Debug, Clone, Copy)]
struct Unproven {
    /// It is confirmed if it stays on its line until this monotonic time.
    until_ms: u64,
    /// The offset of a wall clock that continues from the last commit.
    last_offset_ms: i64,
    /// Whether the line is this continuation, because the wall clock had lost its time.
    is_made_up: bool,
}

impl Unproven {
    /// Whether one line is nearer to the last commit than another.
    fn is_nearer(&self, offset_ms: i64, than_ms: i64) -> bool {
        let distance = |offset_ms: i64| offset_ms.abs_diff(self.last_offset_ms);
        distance(offset_ms) < distance(than_ms)
    }
}

#[derive(Debug, Clone, Copy)]
struct Jump {
    offset_ms: i64,
    /// The monotonic time at which it began.
    since_ms: u64,
}

/// The result of comparing the clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClockState {
    Agrees,
    Doubted,
    Jumped { by_ms: i64 },
    CameBack,
    Believed { by_ms: i64, is_new: bool },
}

/// The event of the clock since the last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockEvent {
    /// Nothing.
    Kept,
    /// The time has jumped.
    Jumped {
        /// The size, relative to the monotonic clock.
        by_ms: i64,
    },
    /// The store was opened, so the size is unknown.
    Opened,
}

/// The first commit since the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// Its number.
    pub sequence: u64,
    /// Its time.
    pub time_ms: u64,
    /// The time of the commit before it.
    pub before_ms: u64,
}

/// A reading of the time.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClockReading {
    pub(super) now_ms: u64,
    /// The number of trusted jumps so far.
    pub(super) believed: u64,
    /// How far they have moved the time.
    pub(super) jumped_ms: i64,
}

impl Line {
    /// Returns the line at the opening of a store whose last commit, if any, has this time.
    fn begin(wall_ms: u64, monotonic_ms: u64, last_ms: Option<u64>, settle_ms: u64) -> Self {
        let unproven = Unproven {
            until_ms: monotonic_ms.saturating_add(settle_ms),
            last_offset_ms: offset(last_ms.unwrap_or(wall_ms), monotonic_ms),
            is_made_up: last_ms.is_some_and(|last_ms| is_lost(wall_ms, last_ms)),
        };
        let at = |now_ms: u64| Line {
            offset_ms: offset(now_ms, monotonic_ms),
            jumped_ms: 0,
            jump: None,
            unproven: (settle_ms > 0).then_some(unproven),
        };
        match last_ms {
            Some(last_ms) if is_lost(wall_ms, last_ms) => {
                tracing::warn!(
                    wall_ms,
                    last_ms,
                    "the clock has lost its time; times continue from the last commit"
                );
                at(last_ms)
            }
            Some(last_ms) if wall_ms.saturating_add(STEP_MS_MAX) < last_ms => {
                let by_ms = last_ms - wall_ms;
                tracing::warn!(
                    by_ms,
                    "the clock is earlier than the last commit; either it was ahead then or it is behind now"
                );
                at(wall_ms)
            }
            Some(last_ms) if last_ms.saturating_add(GAP_MS_MAX) < wall_ms => at(wall_ms),
            _ => Line { unproven: None, ..at(wall_ms) },
        }
    }

    fn now_ms(&self, monotonic_ms: u64) -> u64 {
        monotonic_ms.saturating_add_signed(self.offset_ms)
    }

    fn look(&mut self, wall_ms: u64, monotonic_ms: u64, settle_ms: u64) -> ClockState {
        let found_ms = offset(wall_ms, monotonic_ms);
        let by_ms = found_ms.saturating_sub(self.offset_ms);
        if by_ms.unsigned_abs() <= STEP_MS_MAX {
            self.offset_ms = found_ms;
            self.unproven = self.unproven.filter(|unproven| monotonic_ms < unproven.until_ms);
            return self.jump.take().map_or(ClockState::Agrees, |_| ClockState::CameBack);
        }
        let is_lost = is_lost(wall_ms, self.now_ms(monotonic_ms));
        if let Some(unproven) = &mut self.unproven {
            // It hasn't stayed on its line.
            unproven.until_ms = monotonic_ms.saturating_add(settle_ms);
            if !is_lost && (unproven.is_made_up || unproven.is_nearer(found_ms, self.offset_ms)) {
                // The commits support it, or nothing supports the line that was found at opening.
                unproven.is_made_up = false;
                (self.offset_ms, self.jump) = (found_ms, None);
                return ClockState::Believed { by_ms, is_new: true };
            }
        }
        let is_same = |jump: &Jump| found_ms.saturating_sub(jump.offset_ms).unsigned_abs() <= STEP_MS_MAX;
        let (since_ms, is_new) =
            self.jump.filter(is_same).map_or((monotonic_ms, true), |jump| (jump.since_ms, false));
        if monotonic_ms.saturating_sub(since_ms) >= settle_ms && !is_lost {
            (self.offset_ms, self.jump) = (found_ms, None);
            return ClockState::Believed { by_ms, is_new };
        }
        self.jump = Some(Jump { offset_ms: found_ms, since_ms });
        if is_new { ClockState::Jumped { by_ms } } else { ClockState::Doubted }
    }
}

impl Timekeeper {
    /// `last_ms` is the time of the store's last commit.
    pub(super) fn new(clock: Arc<dyn Clock>, last_ms: Option<u64>, settle_ms: u64) -> Self {
        let (wall_ms, monotonic_ms) = clock.both_ms();
        let line = Line::begin(wall_ms, monotonic_ms, last_ms, settle_ms);
        Timekeeper {
            clock,
            settle_ms,
            line: Mutex::new(line),
            jumps_forward: AtomicU64::new(0),
            jumps_back: AtomicU64::new(0),
            believed: AtomicU64::new(0),
            noted: AtomicU64::new(0),
            noted_ms: AtomicI64::new(0),
        }
    }

    /// Returns the time.
    pub fn now_ms(&self) -> u64 {
        self.read().now_ms
    }

    pub(super) fn read(&self) -> ClockReading {
        let mut line = self.line();
        let (wall_ms, monotonic_ms) = self.clock.both_ms();
        let look = line.look(wall_ms, monotonic_ms, self.settle_ms);
        #[cfg(simulated)]
        let look = self.go_wrong(&mut line, wall_ms, monotonic_ms, look);
        if let ClockState::Believed { by_ms, .. } = look {
            line.jumped_ms = line.jumped_ms.saturating_add(by_ms);
            self.believed.fetch_add(1, Ordering::AcqRel);
        }
        let reading = ClockReading {
            now_ms: line.now_ms(monotonic_ms),
            believed: self.believed.load(Ordering::Acquire),
            jumped_ms: line.jumped_ms,
        };
        drop(line);
        self.tell(look);
        reading
    }

    fn tell(&self, look: ClockState) {
        let count = |by_ms: i64| {
            let jumps = if by_ms > 0 { &self.jumps_forward } else { &self.jumps_back };
            jumps.fetch_add(1, Ordering::Relaxed);
        };
        let settle_ms = self.settle_ms;
        match look {
            ClockState::Agrees | ClockState::Doubted => {}
            ClockState::Jumped { by_ms } => {
                count(by_ms);
                tracing::warn!(
                    by_ms,
                    settle_ms,
                    "the wall clock jumped; it will be trusted if it stays there"
                );
            }
            ClockState::CameBack => tracing::info!("the wall clock has come back from its jump"),
            ClockState::Believed { by_ms, is_new } => {
                if is_new {
                    count(by_ms);
                }
                tracing::warn!(by_ms, "the wall clock jumped and is trusted now");
            }
        }
    }

    /// A deliberate mistake: trusting every jump at once.
    #[cfg(simulated)]
    fn go_wrong(&self, line: &mut Line, wall_ms: u64, monotonic_ms: u64, look: ClockState) -> ClockState {
        match look {
            ClockState::Jumped { by_ms } if crate::planted::Bug::BelievesEveryJump.is_planted() => {
                (line.offset_ms, line.jump) = (offset(wall_ms, monotonic_ms), None);
                ClockState::Believed { by_ms, is_new: true }
            }
            look => look,
        }
    }

    /// Whether data may be deleted because of its age. The clock that was found at opening must be confirmed, and
    /// every trusted jump must be recorded in the commit order.
    pub(crate) fn may_delete(&self) -> bool {
        self.read();
        self.line().unproven.is_none() && self.is_noted()
    }

    /// Whether all trusted jumps are recorded in the commit order.
    pub(crate) fn is_noted(&self) -> bool {
        self.believed.load(Ordering::Acquire) == self.noted.load(Ordering::Acquire)
    }

    /// Returns the event of the clock between the last commit of this opening and this reading.
    pub(super) fn event(&self, reading: &ClockReading) -> ClockEvent {
        match reading.believed > self.noted.load(Ordering::Acquire) {
            true => ClockEvent::Jumped {
                by_ms: reading.jumped_ms.saturating_sub(self.noted_ms.load(Ordering::Acquire)),
            },
            false => ClockEvent::Kept,
        }
    }

    /// Notes that the jumps before this reading are recorded in the commit order. Only the writer calls it.
    pub(super) fn note(&self, reading: &ClockReading) {
        self.noted_ms.store(reading.jumped_ms, Ordering::Release);
        self.noted.store(reading.believed, Ordering::Release);
    }

    /// Returns the jumps forward and back since opening, and whether the wall clock is doubted now.
    pub(super) fn jumps(&self) -> (u64, u64, bool) {
        let line = *self.line();
        let is_doubted = line.jump.is_some() || line.unproven.is_some();
        (self.jumps_forward.load(Ordering::Relaxed), self.jumps_back.load(Ordering::Relaxed), is_doubted)
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        // A line is consistent between any two calls, so a panic elsewhere can't have left it half changed.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the time of the next commit, or of the present, after a commit with the time `last_ms`.
pub(crate) fn time_after(last_ms: u64, now_ms: u64) -> u64 {
    #[cfg(simulated)]
    if crate::planted::Bug::NeverGoesBack.is_planted() {
        return now_ms.max(last_ms);
    }
    let is_step_back = now_ms < last_ms && last_ms - now_ms <= STEP_MS_MAX;
    if is_step_back { last_ms } else { now_ms }
}

fn is_lost(wall_ms: u64, last_ms: u64) -> bool {
    wall_ms < LOST_BEFORE_MS && LOST_BEFORE_MS <= last_ms
}

fn offset(wall_ms: u64, monotonic_ms: u64) -> i64 {
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    signed(wall_ms).saturating_sub(signed(monotonic_ms))
}
