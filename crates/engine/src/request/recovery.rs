//! Requests about point-in-time recovery.

use singlet_values::{EncodedItem, Item};

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

/// Reads items as they were at a moment. It changes nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadPast {
    /// Table name. Recovery of the table is on.
    pub table: String,
    /// Which of its items.
    pub range: PastRange,
    /// The moment, in milliseconds since 1970, including everything that was committed until then.
    pub time_ms: u64,
    /// The key of the item after which the page begins. `None` begins at the start of the range.
    pub after: Option<Item>,
    /// The most present items that a page reads.
    pub items_max: usize,
    /// The most recorded changes of the table that are gone back.
    pub changes_max: u64,
}

/// The items of a table that are read as they were.
#[derive(Debug, Clone, PartialEq)]
pub enum PastRange {
    /// The item with this key.
    Item(Item),
    /// The items of the partition with these key attributes.
    Partition(Item),
    /// All items.
    Table,
}

/// The answer to a read of the past.
#[derive(Debug, Clone, PartialEq)]
pub enum Past {
    /// The items at the moment.
    Items(PastItems),
    /// The table has changed too often since.
    TooManyChanges {
        /// The moment that was reached, in milliseconds since 1970.
        reached_ms: u64,
    },
}

/// Items as they were at a moment, in the order of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct PastItems {
    /// The items.
    pub items: Vec<EncodedItem>,
    /// How many recorded changes of the table were gone back.
    pub changes: u64,
    /// The key after which the next page begins; `None` on the last page.
    pub next: Option<Item>,
}

/// Reads recorded changes of a table: those of its stream and its recovery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadChanges {
    /// Table name.
    pub table: String,
    /// Where to begin, and in which direction.
    pub from: ChangesFrom,
    /// The most changes that are read.
    pub changes_max: usize,
}

/// Where a read of changes begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangesFrom {
    /// At the latest change, backwards.
    Latest,
    /// Before a change, backwards.
    Before(ChangePosition),
    /// After a change, forwards.
    After(ChangePosition),
}

/// The position of a change in the log. Its text is `COMMIT.PLACE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangePosition {
    /// The number of the commit.
    pub commit: u64,
    /// The place among the recorded changes of the commit.
    pub place: u32,
}

impl std::fmt::Display for ChangePosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.commit, self.place)
    }
}

impl std::str::FromStr for ChangePosition {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (commit, place) = text.split_once('.').unwrap_or((text, "0"));
        Ok(ChangePosition { commit: commit.parse()?, place: place.parse()? })
    }
}

/// A recorded change of one item.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedChange {
    /// Its position in the log.
    pub position: ChangePosition,
    /// Its time, in milliseconds since 1970.
    pub time_ms: u64,
    /// The item before it; `None` if it was created.
    pub before: Option<EncodedItem>,
    /// The item after it; `None` if it was deleted.
    pub after: Option<EncodedItem>,
}
