//! Requests about time to live.

/// Turns time to live on or off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateTimeToLive {
    /// Table name.
    pub table: String,
    /// The attribute with the expiry time. To turn time to live off, it must be the present one.
    pub attribute: String,
    /// On or off.
    pub enabled: bool,
    /// Allows the change even if the last one was less than an hour ago. DynamoDB refuses that.
    pub at_any_time: bool,
}

impl UpdateTimeToLive {
    /// Turns time to live on. The attribute is a number: the time in seconds since 1970 at which the item expires.
    pub fn enable(table: impl Into<String>, attribute: impl Into<String>) -> Self {
        let (table, attribute) = (table.into(), attribute.into());
        UpdateTimeToLive { table, attribute, enabled: true, at_any_time: false }
    }

    /// Turns time to live off.
    pub fn disable(table: impl Into<String>, attribute: impl Into<String>) -> Self {
        UpdateTimeToLive { enabled: false, ..UpdateTimeToLive::enable(table, attribute) }
    }

    /// Allows the change even if the last one was less than an hour ago.
    pub fn at_any_time(mut self) -> Self {
        self.at_any_time = true;
        self
    }
}

/// A description of the time to live of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeToLive {
    /// The status.
    pub status: TimeToLiveStatus,
    /// The attribute, unless time to live is off.
    pub attribute: Option<String>,
}

/// The status of a table's time to live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeToLiveStatus {
    /// The expiry times of existing items are being recorded. Nothing expires yet.
    Enabling,
    /// Items expire.
    Enabled,
    /// Nothing expires any more. The recorded expiry times are being removed.
    Disabling,
    /// Items don't expire.
    Disabled,
}

impl TimeToLiveStatus {
    /// DynamoDB's name for it.
    pub fn code(self) -> &'static str {
        match self {
            TimeToLiveStatus::Enabling => "ENABLING",
            TimeToLiveStatus::Enabled => "ENABLED",
            TimeToLiveStatus::Disabling => "DISABLING",
            TimeToLiveStatus::Disabled => "DISABLED",
        }
    }
}
