//! The change feed of a table: every change of an item, in the order of the commits.

use std::time::Duration;

use singlet_values::limits::TRANSACTION_ACTIONS_MAX;
use singlet_values::{EncodedItem, Item};

use crate::error::StoreError;
use crate::store::Store;

/// A committed change of one item.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemChange {
    /// The item before the change. `None` if it was created.
    pub before: Option<EncodedItem>,
    /// The item after the change. `None` if it was deleted.
    pub after: Option<EncodedItem>,
    /// The position after this change. Reading from it continues with the next change.
    pub position: String,
    /// The number of the commit. All changes of a transaction have the same, and no others.
    pub commit: u64,
    /// The time of the change, in milliseconds since 1970.
    pub time_ms: u64,
    /// Whether the item was deleted because it expired.
    pub expired: bool,
}

/// Where a reader of changes begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedStart {
    /// At the next change.
    Now,
    /// At the oldest change that is kept.
    Oldest,
    /// After a position of an earlier reader.
    After(String),
}

/// A store whose tables have change feeds. A table needs a stream for it.
pub trait ChangeFeed: Store {
    /// Reads the changes of one table.
    type Reader: ChangeReader;

    /// Starts to read the changes of a table. `None` if the changes after the position aren't kept any more.
    fn changes(
        &self,
        table: &str,
        start: FeedStart,
    ) -> impl Future<Output = Result<Option<Self::Reader>, StoreError>> + Send;

    /// Returns the position after the latest change of a table. `None` if the table has no feed.
    fn latest_position(&self, table: &str)
    -> impl Future<Output = Result<Option<String>, StoreError>> + Send;

    /// Whether a position of a table's feed is the other one, or one after it. No position has passed one of another
    /// feed.
    fn has_passed(&self, position: &str, other: &str) -> bool;

    /// Returns how many actions a transaction in the background may have: one whose `yields` is set.
    fn background_actions_max(&self) -> usize {
        TRANSACTION_ACTIONS_MAX
    }

    /// Returns the place of an item in the order in which [`Store::scan`] visits the table. Places are compared as bytes.
    fn scan_place(&self, table: &str, key: &Item) -> Result<Vec<u8>, StoreError>;
}

/// A reader of the changes of one table.
pub trait ChangeReader: Send {
    /// Waits for the next changes and returns them in order. Empty after the wait. The changes are durable. `None` at the
    /// end of the feed: it was turned off, and changes since then aren't in it.
    ///
    /// The embedded store blocks its thread while it waits, so a program that waits needs a thread for it.
    fn next(
        &mut self,
        wait: Duration,
    ) -> impl Future<Output = Result<Option<Vec<ItemChange>>, StoreError>> + Send;

    /// Returns the position after the changes that were returned so far.
    fn position(&self) -> String;

    /// Whether all changes up to a position of another reader of the table were returned.
    fn has_reached(&self, position: &str) -> bool;
}

impl<S: ChangeFeed> ChangeFeed for &S {
    type Reader = S::Reader;

    async fn changes(&self, table: &str, start: FeedStart) -> Result<Option<S::Reader>, StoreError> {
        (**self).changes(table, start).await
    }

    async fn latest_position(&self, table: &str) -> Result<Option<String>, StoreError> {
        (**self).latest_position(table).await
    }

    fn has_passed(&self, position: &str, other: &str) -> bool {
        (**self).has_passed(position, other)
    }

    fn background_actions_max(&self) -> usize {
        (**self).background_actions_max()
    }

    fn scan_place(&self, table: &str, key: &Item) -> Result<Vec<u8>, StoreError> {
        (**self).scan_place(table, key)
    }
}
