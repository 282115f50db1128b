//! The engine in this process as a store.

mod error;
mod feed;
mod history;
mod reads;
mod tables;
mod writes;

use singlet_engine::Database;

pub use feed::EmbeddedChanges;

use crate::error::StoreError;
use crate::request::{
    BatchFound, BatchGet, DeleteItem, Found, GetItem, Page, PutItem, Query, Scan, TransactFound, TransactGet,
    TransactWrite, UpdateItem, Written,
};
use crate::store::{Feature, Store};
use crate::table::{TableChange, TableState};

/// An open database as a store.
#[derive(Debug, Clone)]
pub struct Embedded {
    database: Database,
    label: String,
}

impl Embedded {
    /// A store on an open database. The label names it in messages.
    pub fn new(database: Database, label: impl Into<String>) -> Self {
        Embedded { database, label: label.into() }
    }

    /// The database.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// The label.
    pub fn name(&self) -> &str {
        &self.label
    }
}

impl Store for Embedded {
    fn label(&self) -> String {
        self.label.clone()
    }

    async fn supports(&self, feature: Feature) -> bool {
        match feature {
            Feature::Transactions
            | Feature::MultiAttributeKeys
            | Feature::TimeToLive
            | Feature::Streams
            | Feature::Recovery
            | Feature::ScheduledBackups => true,
            Feature::Throttling => false,
        }
    }

    async fn get(&self, request: GetItem) -> Result<Found, StoreError> {
        reads::get(&self.database, request)
    }

    async fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError> {
        reads::batch_get(&self.database, request)
    }

    async fn query(&self, request: Query) -> Result<Page<Query>, StoreError> {
        reads::query(&self.database, request)
    }

    async fn scan(&self, request: Scan) -> Result<Page<Scan>, StoreError> {
        reads::scan(&self.database, request)
    }

    async fn transact_get(&self, request: TransactGet) -> Result<TransactFound, StoreError> {
        reads::transact_get(&self.database, request)
    }

    async fn put(&self, request: PutItem) -> Result<Written, StoreError> {
        writes::put(&self.database, request).await
    }

    async fn update(&self, request: UpdateItem) -> Result<Written, StoreError> {
        writes::update(&self.database, request).await
    }

    async fn delete(&self, request: DeleteItem) -> Result<Written, StoreError> {
        writes::delete(&self.database, request).await
    }

    async fn transact_write(&self, request: TransactWrite) -> Result<Written, StoreError> {
        writes::transact_write(&self.database, request).await
    }

    async fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        tables::describe(&self.database, name)
    }

    async fn change_table(&self, change: &TableChange) -> Result<(), StoreError> {
        tables::change(&self.database, change).await
    }
}
