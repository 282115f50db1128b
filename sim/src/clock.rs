//! The wall clock of a simulation: it creeps, and jumps forward and backward when it is told.

use std::sync::{Mutex, MutexGuard, PoisonError};

use singlet_engine_simulated::Clock;
use singlet_scheduler::{Random, note};

/// When simulations begin.
const START_MS: u64 = 1_700_000_000_000;
/// All jumps forward stay within this time, so that neither tokens nor streams come to their ends.
const FORWARD_MS_MAX: u64 = 400_000;

/// The wall clock. It knows nothing of the virtual time by which threads wait: in life they differ, too.
pub(crate) struct WallClock(Mutex<State>);

struct State {
    now_ms: u64,
    latest_ms: u64,
    random: Random,
}

impl WallClock {
    /// A clock that moves by the seed.
    pub(crate) fn new(random: Random) -> Self {
        WallClock(Mutex::new(State { now_ms: START_MS, latest_ms: START_MS, random }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Jumps, by up to half a minute forward or an hour backward.
    pub(crate) fn jump(&self) {
        let mut state = self.state();
        if state.random.one_in(3) {
            let by_ms = state.random.below(3_600_000);
            state.now_ms = state.now_ms.saturating_sub(by_ms);
            note(format_args!("clock: {by_ms} ms back"));
        } else {
            let by_ms = state.random.below(30_000);
            state.forward(by_ms);
            note(format_args!("clock: {by_ms} ms forward"));
        }
    }

    /// Moves on so far that no earlier moment comes again.
    pub(crate) fn pass_all(&self) {
        let mut state = self.state();
        let by_ms = (state.latest_ms + 1_000).saturating_sub(state.now_ms);
        state.forward(by_ms);
    }

    /// The latest time that it has shown.
    pub(crate) fn latest_ms(&self) -> u64 {
        self.state().latest_ms
    }
}

impl State {
    fn forward(&mut self, by_ms: u64) {
        self.now_ms = (self.now_ms + by_ms).min(START_MS + FORWARD_MS_MAX);
        self.latest_ms = self.latest_ms.max(self.now_ms);
    }
}

impl Clock for WallClock {
    fn now_ms(&self) -> u64 {
        let mut state = self.state();
        let by_ms = state.random.below(3);
        state.forward(by_ms);
        state.now_ms
    }
}
