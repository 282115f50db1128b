//! Requests about point-in-time recovery.

use super::table::RestoreOverrides;

/// Turns point-in-time recovery of a table on or off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateRecovery {
    /// Table name.
    pub table: String,
    /// Whether it is on.
    pub enabled: bool,
    /// The retention period in days, 1 to 35. `None` leaves it unchanged; a new setting has 35.
    pub period_days: Option<u32>,
}

impl UpdateRecovery {
    /// Turns recovery on.
    pub fn on(table: impl Into<String>) -> Self {
        UpdateRecovery { table: table.into(), enabled: true, period_days: None }
    }

    /// Turns recovery off. The history kept for it is removed.
    pub fn off(table: impl Into<String>) -> Self {
        UpdateRecovery { table: table.into(), enabled: false, period_days: None }
    }

    /// Sets the retention period in days.
    pub fn period_days(mut self, days: u32) -> Self {
        self.period_days = Some(days);
        self
    }
}

/// Creates a table with the state of another table at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreToTime {
    /// The name of the source table. It may have been deleted since.
    pub source: String,
    /// The name of the new table.
    pub target: String,
    /// The moment, in milliseconds since 1970, including everything that was committed until then. `None` means the
    /// latest.
    pub time_ms: Option<u64>,
    /// Differences between the new table and its source.
    pub overrides: RestoreOverrides,
}

impl RestoreToTime {
    /// Restores the latest state of a table into a new one.
    pub fn new(source: impl Into<String>, target: impl Into<String>) -> Self {
        RestoreToTime {
            source: source.into(),
            target: target.into(),
            time_ms: None,
            overrides: RestoreOverrides::default(),
        }
    }

    /// Restores the state at a moment.
    pub fn at_ms(mut self, time_ms: u64) -> Self {
        self.time_ms = Some(time_ms);
        self
    }
}

/// The progress of a recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryProgress {
    /// Items and changes read so far.
    pub read: u64,
    /// The number of these that are durable in the new table.
    pub written: u64,
}
