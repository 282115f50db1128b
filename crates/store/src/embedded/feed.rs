//! Change feeds: subscriptions to the streams of tables.

use std::time::Duration;

use singlet_engine::{
    BACKGROUND_ACTIONS_MAX, Database, Error, StreamPosition, StreamRecord, StreamView, Subscribe,
    Subscription,
};
use singlet_values::Item;

use super::Embedded;
use super::error::store_error;
use crate::error::StoreError;
use crate::feed::{ChangeFeed, ChangeReader, FeedStart, ItemChange};

/// The changes of a table in this process.
#[derive(Debug)]
pub struct EmbeddedChanges {
    subscription: Subscription,
    table: String,
    /// The name of the stream in positions.
    label: String,
}

impl ChangeFeed for Embedded {
    type Reader = EmbeddedChanges;

    async fn changes(&self, table: &str, start: FeedStart) -> Result<Option<EmbeddedChanges>, StoreError> {
        subscribe(self.database(), table, start)
    }

    async fn latest_position(&self, table: &str) -> Result<Option<String>, StoreError> {
        match self.database().subscribe(Subscribe::new(table)) {
            Ok(subscription) => Ok(Some(subscription.position().to_string())),
            Err(Error::ResourceNotFound(_)) => Ok(None),
            Err(error) => Err(store_error(error, table)),
        }
    }

    fn has_passed(&self, position: &str, other: &str) -> bool {
        let parsed = |text: &str| text.parse::<StreamPosition>().ok();
        parsed(position).zip(parsed(other)).is_some_and(|(position, other)| position.has_reached(&other))
    }

    fn background_actions_max(&self) -> usize {
        BACKGROUND_ACTIONS_MAX
    }

    fn scan_place(&self, table: &str, key: &Item) -> Result<Vec<u8>, StoreError> {
        self.database().scan_place(table, key).map_err(|error| store_error(error, table))
    }
}

fn subscribe(
    database: &Database,
    table: &str,
    start: FeedStart,
) -> Result<Option<EmbeddedChanges>, StoreError> {
    let request = Subscribe::new(table).view(StreamView::NewAndOldImages);
    let request = match start {
        FeedStart::Now => request,
        FeedStart::Oldest => request.from_oldest(),
        FeedStart::After(position) => match position.parse::<StreamPosition>() {
            Ok(position) => request.after(position),
            Err(_) => return Ok(None),
        },
    };
    let subscription = match database.subscribe(request) {
        Ok(subscription) => subscription,
        Err(Error::Trimmed) => return Ok(None),
        Err(error) => return Err(store_error(error, table)),
    };
    let position = subscription.position().to_string();
    let label = position.rsplit_once('/').map_or("", |(label, _)| label).to_owned();
    Ok(Some(EmbeddedChanges { subscription, table: table.to_owned(), label }))
}

impl ChangeReader for EmbeddedChanges {
    async fn next(&mut self, wait: Duration) -> Result<Option<Vec<ItemChange>>, StoreError> {
        let records = match self.subscription.next(wait) {
            Ok(records) => records,
            Err(Error::Trimmed) => return Ok(None),
            Err(error) => return Err(store_error(error, &self.table)),
        };
        if records.is_empty() && self.subscription.is_ended() {
            return Ok(None);
        }
        Ok(Some(records.into_iter().map(|record| self.change(record)).collect()))
    }

    fn position(&self) -> String {
        self.subscription.position().to_string()
    }

    fn has_reached(&self, position: &str) -> bool {
        position.parse().is_ok_and(|position| self.subscription.position().has_reached(&position))
    }
}

impl EmbeddedChanges {
    fn change(&self, record: StreamRecord) -> ItemChange {
        ItemChange {
            position: format!("{}/{}", self.label, record.sequence_number),
            commit: record.sequence_number.commit(),
            before: record.old_image,
            after: record.new_image,
            time_ms: record.time_ms,
            expired: record.by_expiry,
        }
    }
}
