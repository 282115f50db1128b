//! Point-in-time recovery: a table as it was at any moment of the last days, as a new table.
//!
//! There is no copy to begin with. A recovery takes the table as it is now and undoes what the log says was changed after the
//! moment, the latest change first; or it takes a backup from before the moment and does what was changed until the moment. It takes
//! whichever is nearer in time. Both walks check every change against the item that they meet, so a gap in the log is an
//! error and never another state.
//!
//! A deleted table keeps its items, without indexes, until its last moment is out of reach.

mod export;
mod maintenance;
mod restore;
mod window;

use std::sync::{Arc, PoisonError};

#[cfg(test)]
pub(crate) use export::Changed;

use crate::background::Background;
use crate::backup::Backups;
use crate::store::Timekeeper;
use crate::sync::Mutex;

/// Recoveries of a database; clones share it.
#[derive(Clone)]
pub(crate) struct Recovery {
    shared: Arc<RecoveryShared>,
}

struct RecoveryShared {
    background: Background,
    backups: Backups,
    time: Arc<Timekeeper>,
    /// The tables that are being read, and the moment from which on their changes are needed.
    pins: Mutex<Vec<(u32, u64)>>,
}

impl Recovery {
    pub(crate) fn new(background: Background, backups: Backups, time: Arc<Timekeeper>) -> Self {
        Recovery { shared: Arc::new(RecoveryShared { background, backups, time, pins: Mutex::default() }) }
    }

    /// Keeps a table's changes from a moment on for as long as the pin is held, though they get too old meanwhile.
    pub(crate) fn pin(&self, table: u32, from_ms: u64) -> Pin {
        let pin = (table, from_ms);
        self.shared.pins.lock().unwrap_or_else(PoisonError::into_inner).push(pin);
        Pin { shared: self.shared.clone(), pin }
    }

    fn pins(&self) -> Vec<(u32, u64)> {
        self.shared.pins.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Keeps changes of a table while it is held.
pub(crate) struct Pin {
    shared: Arc<RecoveryShared>,
    pin: (u32, u64),
}

impl Drop for Pin {
    fn drop(&mut self) {
        let mut pins = self.shared.pins.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = pins.iter().position(|pin| *pin == self.pin) {
            pins.swap_remove(place);
        }
    }
}
