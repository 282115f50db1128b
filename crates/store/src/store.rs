//! The trait that every store implements.

use crate::error::StoreError;
use crate::request::{
    BatchFound, BatchGet, DeleteItem, Found, GetItem, Page, PutItem, Query, Scan, TransactFound, TransactGet,
    TransactWrite, UpdateItem, Written,
};
use crate::table::{TableChange, TableState};

/// An optional capability of a store. A pattern that needs a missing one is refused before anything runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feature {
    /// `TransactWriteItems` and `TransactGetItems`.
    Transactions,
    /// More than one attribute in a part of an index key.
    MultiAttributeKeys,
    /// Time to live.
    TimeToLive,
    /// Streams.
    Streams,
    /// Point-in-time recovery.
    Recovery,
    /// Automatic backups by a schedule.
    ScheduledBackups,
    /// Limits on requests by the provisioned capacity of tables. Stores without it only record the capacity.
    Throttling,
}

impl std::fmt::Display for Feature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Feature::Transactions => "transactions",
            Feature::MultiAttributeKeys => "index keys of several attributes",
            Feature::TimeToLive => "time to live",
            Feature::Streams => "streams",
            Feature::Recovery => "point-in-time recovery",
            Feature::ScheduledBackups => "backups by schedule",
            Feature::Throttling => "limits by provisioned capacity",
        })
    }
}

/// A database that designs run on.
///
/// Calls return futures that can be sent to other threads. A read of the embedded store is ready at the first poll and
/// costs nothing more than the read. A write waits for its commit without blocking the thread.
///
/// Dropping the future of a write cancels the wait, not the write. Before the first poll nothing has happened; after
/// it, the write takes effect as a whole or not at all, and the caller doesn't learn which. Nothing is left half
/// written, because each call is one atomic request of the backend. Only [`Store::change_table`] can make several
/// requests; it is safe to repeat.
pub trait Store: Send + Sync {
    /// Returns the store's name for messages: a folder or an address.
    fn label(&self) -> String;

    /// Whether the store has a feature.
    fn supports(&self, feature: Feature) -> impl Future<Output = bool> + Send;

    /// Reads one item.
    fn get(&self, request: GetItem) -> impl Future<Output = Result<Found, StoreError>> + Send;

    /// Reads several items by key, in any order. The store splits the keys into as many requests as the backend needs
    /// and repeats requests for keys that the backend leaves unprocessed.
    fn batch_get(&self, request: BatchGet) -> impl Future<Output = Result<BatchFound, StoreError>> + Send;

    /// Reads one page of a query.
    fn query(&self, request: Query) -> impl Future<Output = Result<Page<Query>, StoreError>> + Send;

    /// Reads one page of each of several queries, concurrently where that saves time. Answers are in request order.
    fn query_all(
        &self,
        requests: Vec<Query>,
    ) -> impl Future<Output = Result<Vec<Page<Query>>, StoreError>> + Send {
        async move {
            let mut pages = Vec::with_capacity(requests.len());
            for request in requests {
                pages.push(self.query(request).await?);
            }
            Ok(pages)
        }
    }

    /// Reads one page of all items in a table or index.
    fn scan(&self, request: Scan) -> impl Future<Output = Result<Page<Scan>, StoreError>> + Send;

    /// Reads several items at one point of the commit order.
    fn transact_get(
        &self,
        request: TransactGet,
    ) -> impl Future<Output = Result<TransactFound, StoreError>> + Send;

    /// Puts an item.
    fn put(&self, request: PutItem) -> impl Future<Output = Result<Written, StoreError>> + Send;

    /// Updates an item.
    fn update(&self, request: UpdateItem) -> impl Future<Output = Result<Written, StoreError>> + Send;

    /// Deletes an item.
    fn delete(&self, request: DeleteItem) -> impl Future<Output = Result<Written, StoreError>> + Send;

    /// Makes all of the writes, or none.
    fn transact_write(
        &self,
        request: TransactWrite,
    ) -> impl Future<Output = Result<Written, StoreError>> + Send;

    /// Describes a table. `None` if it doesn't exist.
    fn describe_table(
        &self,
        name: &str,
    ) -> impl Future<Output = Result<Option<TableState>, StoreError>> + Send;

    /// Makes one change to a table. Returns when it is done or, for an index, under way.
    fn change_table(&self, change: &TableChange) -> impl Future<Output = Result<(), StoreError>> + Send;
}

impl<S: Store> Store for &S {
    fn label(&self) -> String {
        (**self).label()
    }
    async fn supports(&self, feature: Feature) -> bool {
        (**self).supports(feature).await
    }
    async fn get(&self, request: GetItem) -> Result<Found, StoreError> {
        (**self).get(request).await
    }
    async fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError> {
        (**self).batch_get(request).await
    }
    async fn query(&self, request: Query) -> Result<Page<Query>, StoreError> {
        (**self).query(request).await
    }
    async fn query_all(&self, requests: Vec<Query>) -> Result<Vec<Page<Query>>, StoreError> {
        (**self).query_all(requests).await
    }
    async fn scan(&self, request: Scan) -> Result<Page<Scan>, StoreError> {
        (**self).scan(request).await
    }
    async fn transact_get(&self, request: TransactGet) -> Result<TransactFound, StoreError> {
        (**self).transact_get(request).await
    }
    async fn put(&self, request: PutItem) -> Result<Written, StoreError> {
        (**self).put(request).await
    }
    async fn update(&self, request: UpdateItem) -> Result<Written, StoreError> {
        (**self).update(request).await
    }
    async fn delete(&self, request: DeleteItem) -> Result<Written, StoreError> {
        (**self).delete(request).await
    }
    async fn transact_write(&self, request: TransactWrite) -> Result<Written, StoreError> {
        (**self).transact_write(request).await
    }
    async fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        (**self).describe_table(name).await
    }
    async fn change_table(&self, change: &TableChange) -> Result<(), StoreError> {
        (**self).change_table(change).await
    }
}
