//! A store in which somebody else always writes between a caller's read and its write: the worst interleaving, every
//! time, and one that can be repeated.

use std::collections::VecDeque;
use std::sync::Mutex;

use singlet_store::{
    BatchFound, BatchGet, DeleteItem, Feature, Found, GetItem, Page, PutItem, Query, Scan, Store, StoreError,
    TableChange, TableState, TransactFound, TransactGet, TransactWrite, UpdateItem, Written,
};

use crate::fixture::Fixture;
use crate::laws::{Call, attempt};

/// The fixture's store; after each read by key, the next of these calls is made before the answer is given.
pub(crate) struct Meddler<'a> {
    pub(crate) fixture: &'a Fixture,
    pub(crate) calls: Mutex<VecDeque<Call>>,
}

impl Meddler<'_> {
    fn store(&self) -> &impl Store {
        self.fixture.runner.store()
    }

    async fn meddle(&self) {
        let call = self.calls.lock().unwrap().pop_front();
        if let Some(call) = call {
            attempt(&self.fixture.runner, &call).await;
        }
    }
}

impl Store for Meddler<'_> {
    async fn get(&self, request: GetItem) -> Result<Found, StoreError> {
        let answer = self.store().get(request).await;
        self.meddle().await;
        answer
    }

    fn label(&self) -> String {
        self.store().label()
    }
    async fn supports(&self, feature: Feature) -> bool {
        self.store().supports(feature).await
    }
    async fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError> {
        let answer = self.store().batch_get(request).await;
        self.meddle().await;
        answer
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
        self.store().put(request).await
    }
    async fn update(&self, request: UpdateItem) -> Result<Written, StoreError> {
        self.store().update(request).await
    }
    async fn delete(&self, request: DeleteItem) -> Result<Written, StoreError> {
        self.store().delete(request).await
    }
    async fn transact_write(&self, request: TransactWrite) -> Result<Written, StoreError> {
        self.store().transact_write(request).await
    }
    async fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        self.store().describe_table(name).await
    }
    async fn change_table(&self, change: &TableChange) -> Result<(), StoreError> {
        self.store().change_table(change).await
    }
}
