//! Requests about expiry: by which attribute the items of a table expire.

/// Turns expiry on or off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateTimeToLive {
    /// Table name.
    pub table: String,
    /// The attribute with the second of expiry. To turn expiry off, it must be the one that is on.
    pub attribute: String,
    /// On or off.
    pub enabled: bool,
    /// Does it even if the last change was less than an hour ago; DynamoDB refuses that.
    pub at_any_time: bool,
}

impl UpdateTimeToLive {
    /// Lets items expire by an attribute: a number, the second since 1970 from which on the item is deleted.
    pub fn enable(table: impl Into<String>, attribute: impl Into<String>) -> Self {
        let (table, attribute) = (table.into(), attribute.into());
        UpdateTimeToLive { table, attribute, enabled: true, at_any_time: false }
    }

    /// Lets items expire no more.
    pub fn disable(table: impl Into<String>, attribute: impl Into<String>) -> Self {
        UpdateTimeToLive { enabled: false, ..UpdateTimeToLive::enable(table, attribute) }
    }

    /// Doesn't mind when the last change was.
    pub fn at_any_time(mut self) -> Self {
        self.at_any_time = true;
        self
    }
}

/// By which attribute the items of a table expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeToLive {
    /// Whether they do.
    pub status: TimeToLiveStatus,
    /// The attribute, unless expiry is off.
    pub attribute: Option<String>,
}

/// The life of a table's expiry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeToLiveStatus {
    /// The items that are there are being entered by their time; nothing expires yet.
    Enabling,
    /// Items expire.
    Enabled,
    /// Nothing expires any more; the entries are being removed.
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
