//! Point-in-time recovery: the state of a table at any moment of the retention period, as a new table.
//!
//! There is no base copy. A recovery starts with the present table and undoes the changes after the moment, the
//! latest first. Or it starts with a backup from before the moment and applies the changes up to the moment. It
//! chooses the one that is nearer in time. Both check every change against the item that they meet, so a gap in the
//! log is an error and never a wrong state.
//!
//! A deleted table keeps its items, without indexes, until its last moment is older than the retention period.

mod changes;
mod export;
mod maintenance;
mod past;
mod restore;
mod window;

use std::sync::{Arc, PoisonError};

#[cfg(test)]
pub(crate) use export::Changed;

use crate::background::Background;
use crate::backup::Backups;
use crate::store::Timekeeper;
use crate::sync::Mutex;

/// The recoveries of a database. Clones share it.
#[derive(Clone)]
pub(crate) struct Recovery {
    shared: Arc<RecoveryShared>,
}

struct RecoveryShared {
    background: Background,
    backups: Backups,
    time: Arc<Timekeeper>,
    /// The tables that are being read, each with the time from which on its changes are needed.
    pins: Mutex<Vec<(u32, u64)>>,
}

impl Recovery {
    pub(crate) fn new(background: Background, backups: Backups, time: Arc<Timekeeper>) -> Self {
        Recovery { shared: Arc::new(RecoveryShared { background, backups, time, pins: Mutex::default() }) }
    }

    /// Keeps a table's changes from a moment on while the pin is held, even if they get too old meanwhile.
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
