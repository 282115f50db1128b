//! A store whose writes fail after a while.

use std::sync::atomic::{AtomicI64, Ordering};

use singlet_store::{
    BatchFound, BatchGet, DeleteItem, Feature, Found, GetItem, Page, PutItem, Query, Scan, Store, StoreError,
    TableChange, TableState, TransactFound, TransactGet, TransactWrite, UpdateItem, Written,
};

use crate::fixture::Fixture;

/// The fixture's store, which does so many more writes.
pub(crate) struct Broken<'a> {
    pub(crate) fixture: &'a Fixture,
    pub(crate) writes_left: AtomicI64,
}

impl Broken<'_> {
    fn store(&self) -> &impl Store {
        self.fixture.runner.store()
    }

    fn count(&self) -> Result<(), StoreError> {
        match self.writes_left.fetch_sub(1, Ordering::Relaxed) {
            1.. => Ok(()),
            _ => Err(StoreError::Unavailable("the network is gone".to_owned())),
        }
    }
}

impl Store for Broken<'_> {
    fn label(&self) -> String {
        self.store().label()
    }
    async fn supports(&self, feature: Feature) -> bool {
        self.store().supports(feature).await
    }
    async fn get(&self, request: GetItem) -> Result<Found, StoreError> {
        self.store().get(request).await
    }
    async fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError> {
        self.store().batch_get(request).await
    }
    async fn query(&self, request: Query) -> Result<Page<Query>, StoreError> {
        self.store().query(request).await
    }
    async fn scan(&self, request: Scan) -> Result<Page<Scan>, StoreError> {
        self.store().scan(request).await
    }
    async fn transact_get(&self, request: TransactGet) -> Result<TransactFound, StoreError> {
        self.store().transact_get(request).await
    }
    async fn put(&self, request: PutItem) -> Result<Written, StoreError> {
        self.count()?;
        self.store().put(request).await
    }
    async fn update(&self, request: UpdateItem) -> Result<Written, StoreError> {
        self.count()?;
        self.store().update(request).await
    }
    async fn delete(&self, request: DeleteItem) -> Result<Written, StoreError> {
        self.count()?;
        self.store().delete(request).await
    }
    async fn transact_write(&self, request: TransactWrite) -> Result<Written, StoreError> {
        self.count()?;
        self.store().transact_write(request).await
    }
    async fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        self.store().describe_table(name).await
    }
    async fn change_table(&self, change: &TableChange) -> Result<(), StoreError> {
        self.store().change_table(change).await
    }
}
