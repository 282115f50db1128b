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
        })
    }
}

/// A database that designs run on.
pub trait Store: Send + Sync {
    /// How people call it, for messages: a folder or an address.
    fn label(&self) -> String;

    /// Whether it has a feature.
    fn supports(&self, feature: Feature) -> bool;

    /// Reads one item.
    fn get(&self, request: GetItem) -> Result<Found, StoreError>;

    /// Reads several items by key, in any order; the store asks again for what a backend leaves unprocessed, and
    /// cuts the keys into as many requests as the backend needs.
    fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError>;

    /// Reads one page of a query.
    fn query(&self, request: Query) -> Result<Page, StoreError>;

    /// Reads one page of each of several queries, at once where that saves time; answers are in request order.
    fn query_all(&self, requests: Vec<Query>) -> Result<Vec<Page>, StoreError> {
        requests.into_iter().map(|request| self.query(request)).collect()
    }

    /// Reads one page of all there is in a table or index.
    fn scan(&self, request: Scan) -> Result<Page, StoreError>;

    /// Reads several items at one point of the commit order, in request order.
    fn transact_get(&self, request: TransactGet) -> Result<TransactFound, StoreError>;

    /// Puts an item.
    fn put(&self, request: PutItem) -> Result<Written, StoreError>;

    /// Updates an item.
    fn update(&self, request: UpdateItem) -> Result<Written, StoreError>;

    /// Deletes an item.
    fn delete(&self, request: DeleteItem) -> Result<Written, StoreError>;

    /// Does all of the writes, or none.
    fn transact_write(&self, request: TransactWrite) -> Result<Written, StoreError>;

    /// What a table looks like now; `None` if it isn't there.
    fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError>;

    /// Makes one change to a table and returns when it is done or, for indexes, under way.
    fn change_table(&self, change: &TableChange) -> Result<(), StoreError>;
}

impl<S: Store + ?Sized> Store for &S {
    fn label(&self) -> String {
        (**self).label()
    }
    fn supports(&self, feature: Feature) -> bool {
        (**self).supports(feature)
    }
    fn get(&self, request: GetItem) -> Result<Found, StoreError> {
        (**self).get(request)
    }
    fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError> {
        (**self).batch_get(request)
    }
    fn query(&self, request: Query) -> Result<Page, StoreError> {
        (**self).query(request)
    }
    fn query_all(&self, requests: Vec<Query>) -> Result<Vec<Page>, StoreError> {
        (**self).query_all(requests)
    }
    fn scan(&self, request: Scan) -> Result<Page, StoreError> {
        (**self).scan(request)
    }
    fn transact_get(&self, request: TransactGet) -> Result<TransactFound, StoreError> {
        (**self).transact_get(request)
    }
    fn put(&self, request: PutItem) -> Result<Written, StoreError> {
        (**self).put(request)
    }
    fn update(&self, request: UpdateItem) -> Result<Written, StoreError> {
        (**self).update(request)
    }
    fn delete(&self, request: DeleteItem) -> Result<Written, StoreError> {
        (**self).delete(request)
    }
    fn transact_write(&self, request: TransactWrite) -> Result<Written, StoreError> {
        (**self).transact_write(request)
    }
    fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        (**self).describe_table(name)
    }
    fn change_table(&self, change: &TableChange) -> Result<(), StoreError> {
        (**self).change_table(change)
    }
}
