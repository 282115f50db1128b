//! Requests about point-in-time recovery.

use super::table::RestoreOverrides;

/// Turns the recovery of a table to any moment on or off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateRecovery {
    /// Table name.
    pub table: String,
    /// Whether it is on.
    pub enabled: bool,
    /// For how many days moments can be recovered, 1 to 35; `None` leaves it as it is, 35 to begin with.
    pub period_days: Option<u32>,
}

impl UpdateRecovery {
    /// Turns recovery on.
    pub fn on(table: impl Into<String>) -> Self {
        UpdateRecovery { table: table.into(), enabled: true, period_days: None }
    }

    /// Turns recovery off. What was kept for it is given up.
    pub fn off(table: impl Into<String>) -> Self {
        UpdateRecovery { table: table.into(), enabled: false, period_days: None }
    }

    /// For how many days moments can be recovered.
    pub fn period_days(mut self, days: u32) -> Self {
        self.period_days = Some(days);
        self
    }
}

/// Makes a new table as another one was at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreToTime {
    /// The name of the table; it may have been deleted since.
    pub source: String,
    /// The name of the new table.
    pub target: String,
    /// The moment, in milliseconds since 1970: everything that was committed until then. `None` is the latest.
    pub time_ms: Option<u64>,
    /// What the new table has otherwise.
    pub overrides: RestoreOverrides,
}

impl RestoreToTime {
    /// The latest state of a table, into a new one.
    pub fn new(source: impl Into<String>, target: impl Into<String>) -> Self {
        RestoreToTime {
            source: source.into(),
            target: target.into(),
            time_ms: None,
            overrides: RestoreOverrides::default(),
        }
    }

    /// The state at a moment.
    pub fn at_ms(mut self, time_ms: u64) -> Self {
        self.time_ms = Some(time_ms);
        self
    }
}

/// How far a recovery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryProgress {
    /// Items and changes that were read.
    pub read: u64,
    /// Of these, those that are durable in the new table.
    pub written: u64,
}
