//! A store that is one of two kinds.

use crate::error::StoreError;
use crate::request::{
    BatchFound, BatchGet, DeleteItem, Found, GetItem, Page, PutItem, Query, Scan, TransactFound, TransactGet,
    TransactWrite, UpdateItem, Written,
};
use crate::store::{Feature, Store};
use crate::table::{TableChange, TableState};

/// One of two kinds of stores, chosen at run time. A [`Store`] can't be a trait object, because its futures have
/// types of their own.
#[derive(Debug, Clone)]
pub enum Either<A, B> {
    /// A store of the first kind.
    First(A),
    /// A store of the second kind.
    Second(B),
}

impl<A: Store, B: Store> Store for Either<A, B> {
    fn label(&self) -> String {
        match self {
            Either::First(store) => store.label(),
            Either::Second(store) => store.label(),
        }
    }
    async fn supports(&self, feature: Feature) -> bool {
        match self {
            Either::First(store) => store.supports(feature).await,
            Either::Second(store) => store.supports(feature).await,
        }
    }
    async fn get(&self, request: GetItem) -> Result<Found, StoreError> {
        match self {
            Either::First(store) => store.get(request).await,
            Either::Second(store) => store.get(request).await,
        }
    }
    async fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError> {
        match self {
            Either::First(store) => store.batch_get(request).await,
            Either::Second(store) => store.batch_get(request).await,
        }
    }
    async fn query(&self, request: Query) -> Result<Page<Query>, StoreError> {
        match self {
            Either::First(store) => store.query(request).await,
            Either::Second(store) => store.query(request).await,
        }
    }
    async fn query_all(&self, requests: Vec<Query>) -> Result<Vec<Page<Query>>, StoreError> {
        match self {
            Either::First(store) => store.query_all(requests).await,
            Either::Second(store) => store.query_all(requests).await,
        }
    }
    async fn scan(&self, request: Scan) -> Result<Page<Scan>, StoreError> {
        match self {
            Either::First(store) => store.scan(request).await,
            Either::Second(store) => store.scan(request).await,
        }
    }
    async fn transact_get(&self, request: TransactGet) -> Result<TransactFound, StoreError> {
        match self {
            Either::First(store) => store.transact_get(request).await,
            Either::Second(store) => store.transact_get(request).await,
        }
    }
    async fn put(&self, request: PutItem) -> Result<Written, StoreError> {
        match self {
            Either::First(store) => store.put(request).await,
            Either::Second(store) => store.put(request).await,
        }
    }
    async fn update(&self, request: UpdateItem) -> Result<Written, StoreError> {
        match self {
            Either::First(store) => store.update(request).await,
            Either::Second(store) => store.update(request).await,
        }
    }
    async fn delete(&self, request: DeleteItem) -> Result<Written, StoreError> {
        match self {
            Either::First(store) => store.delete(request).await,
            Either::Second(store) => store.delete(request).await,
        }
    }
    async fn transact_write(&self, request: TransactWrite) -> Result<Written, StoreError> {
        match self {
            Either::First(store) => store.transact_write(request).await,
            Either::Second(store) => store.transact_write(request).await,
        }
    }
    async fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        match self {
            Either::First(store) => store.describe_table(name).await,
            Either::Second(store) => store.describe_table(name).await,
        }
    }
    async fn change_table(&self, change: &TableChange) -> Result<(), StoreError> {
        match self {
            Either::First(store) => store.change_table(change).await,
            Either::Second(store) => store.change_table(change).await,
        }
    }
}
