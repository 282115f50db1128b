//! The clocks of a simulation: the monotonic one creeps, and the wall clock is wrong for a while when it is told.

use std::sync::{Mutex, MutexGuard, PoisonError};

use singlet_engine_simulated::Clock;
use singlet_scheduler::{Random, note};

/// When simulations begin.
const START_MS: u64 = 1_700_000_000_000;
/// Clients let no more time pass than this in all, so that neither tokens nor streams come to their ends.
const PASSED_MS_MAX: u64 = 250_000;
/// A jump of the wall clock is believed after so long.
pub(crate) const SETTLE_MS: u64 = 20_000;
/// The furthest that a clock is ahead for long: what is believed lets tokens and streams grow old.
const LONG_AHEAD_MS_MAX: u64 = 150_000;
const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;

/// How wrong the wall clock may be for a short time, in either direction.
const SHORT_MS_MAX: [u64; 5] = [30_000, HOUR_MS, 2 * DAY_MS, 40 * DAY_MS, 10 * 365 * DAY_MS];

/// Both clocks. They know nothing of the virtual time by which threads wait: in life they differ, too.
pub(crate) struct Clocks(Mutex<State>);

struct State {
    /// Time that has passed.
    passed_ms: u64,
    error: Option<Error>,
    /// The latest time that the database may have believed.
    latest_ms: u64,
    /// How far ahead the line may be that the database believes: it keeps to one while it doubts the next.
    ahead_ms: u64,
    /// Whether the wall clock was behind, and may have been believed, since it was last proven.
    was_behind: bool,
    random: Random,
}

/// The wall clock is wrong.
#[derive(Clone, Copy)]
struct Error {
    by_ms: i64,
    since_ms: u64,
    /// Whether it may be believed.
    is_long: bool,
}

impl Clocks {
    /// Clocks that move by the seed.
    pub(crate) fn new(random: Random) -> Self {
        Clocks(Mutex::new(State {
            passed_ms: 0,
            error: None,
            latest_ms: START_MS,
            ahead_ms: 0,
            was_behind: false,
            random,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something happens to the clocks: time passes, or the wall clock gets wrong or right.
    pub(crate) fn jump(&self) {
        let mut state = self.state();
        let is_long = state.error.is_some_and(|error| error.is_long);
        match state.random.below(4) {
            0 => state.pass_some(),
            // An error that lasts is believed.
            1 | 2 if is_long => state.pass_some(),
            1 | 2 if state.error.is_some() => state.come_right(),
            _ => state.err(),
        }
    }

    /// The wall clock is right from now on.
    pub(crate) fn come_right(&self) {
        self.state().come_right();
    }

    /// Lets so much time pass.
    pub(crate) fn pass(&self, by_ms: u64) {
        self.state().pass(by_ms);
    }

    /// The latest time that the database may have believed.
    pub(crate) fn latest_ms(&self) -> u64 {
        self.state().latest_ms
    }

    /// The database believes the wall clock, which is right. Says whether it was behind, and may have been believed, since
    /// this was last called.
    pub(crate) fn prove(&self) -> bool {
        let mut state = self.state();
        state.ahead_ms = 0;
        std::mem::take(&mut state.was_behind)
    }
}

impl State {
    fn err(&mut self) {
        let is_long = self.random.one_in(3);
        let is_back = self.random.one_in(2);
        let max_ms = match (is_long, is_back) {
            (true, true) => 20 * HOUR_MS,
            (true, false) => LONG_AHEAD_MS_MAX,
            (false, _) => {
                let place = self.random.index(SHORT_MS_MAX.len());
                SHORT_MS_MAX.get(place).copied().unwrap_or(HOUR_MS)
            }
        };
        let size_ms = self.random.below(max_ms).cast_signed();
        let by_ms = if is_back { -size_ms } else { size_ms };
        note(format_args!("clock: wrong by {by_ms} ms, for long: {is_long}"));
        self.was_behind |= is_long && is_back;
        self.error = Some(Error { by_ms, since_ms: self.passed_ms, is_long });
        self.see();
    }

    fn pass_some(&mut self) {
        let left_ms = PASSED_MS_MAX.saturating_sub(self.passed_ms);
        let by_ms = self.random.below(30_000).min(left_ms);
        note(format_args!("clock: {by_ms} ms pass"));
        self.pass(by_ms);
    }

    fn come_right(&mut self) {
        if self.error.take().is_some() {
            note(format_args!("clock: right again"));
        }
    }

    fn pass(&mut self, by_ms: u64) {
        let is_over =
            |error: &Error| !error.is_long && self.passed_ms + by_ms - error.since_ms > SETTLE_MS / 2;
        if self.error.as_ref().is_some_and(is_over) {
            self.come_right();
        }
        self.passed_ms += by_ms;
        self.see();
    }

    fn see(&mut self) {
        let is_believed = |error: &Error| error.is_long || error.by_ms.unsigned_abs() <= 30_000;
        let by_ms = self.error.filter(is_believed).map_or(0, |error| error.by_ms);
        self.ahead_ms = self.ahead_ms.max(by_ms.max(0).unsigned_abs());
        self.latest_ms = self.latest_ms.max(START_MS + self.passed_ms + self.ahead_ms);
    }

    fn wall_ms(&self) -> u64 {
        let by_ms = self.error.map_or(0, |error| error.by_ms);
        (START_MS + self.passed_ms).saturating_add_signed(by_ms)
    }
}

impl Clock for Clocks {
    fn now_ms(&self) -> u64 {
        self.both_ms().0
    }

    fn monotonic_ms(&self) -> u64 {
        self.both_ms().1
    }

    fn both_ms(&self) -> (u64, u64) {
        let mut state = self.state();
        let by_ms = state.random.below(3);
        state.pass(by_ms);
        (state.wall_ms(), state.passed_ms)
    }
}
