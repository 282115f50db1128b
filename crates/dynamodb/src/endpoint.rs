//! An endpoint as a store.

use singlet_store::{
    BatchFound, BatchGet, DeleteItem, Feature, Found, GetItem, Page, PutItem, Query, Scan, Store, StoreError,
    TableChange, TableState, TransactFound, TransactGet, TransactWrite, UpdateItem, Written,
};
use tokio::runtime::Runtime;

use crate::connection::{Backend, Connection};
use crate::error::Failures;
use crate::features::Features;
use crate::{reads, tables, writes};

/// A DynamoDB endpoint.
#[derive(Debug)]
pub struct DynamoDb {
    runtime: Runtime,
    backend: Backend,
    features: Features,
}

impl DynamoDb {
    /// Finds the endpoint, the region and the credentials as the AWS CLI does. Nothing is sent yet.
    pub fn connect(connection: &Connection) -> Result<DynamoDb, StoreError> {
        // One thread drives the network; the thread that calls does the rest of the work.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("singlet-dynamodb")
            .enable_all()
            .build()
            .map_err(|error| StoreError::Unavailable(format!("the system gives no thread: {error}")))?;
        let (client, label) = runtime.block_on(connection.client());
        let backend = Backend { client, failures: Failures::new(label) };
        Ok(DynamoDb { runtime, backend, features: Features::default() })
    }
}

impl Store for DynamoDb {
    fn label(&self) -> String {
        self.backend.failures.label().to_owned()
    }

    fn supports(&self, feature: Feature) -> bool {
        self.runtime.block_on(self.features.have(&self.backend, feature))
    }

    fn get(&self, request: GetItem) -> Result<Found, StoreError> {
        self.runtime.block_on(reads::get(&self.backend, &request))
    }

    fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError> {
        self.runtime.block_on(reads::batch_get(&self.backend, &request))
    }

    fn query(&self, request: Query) -> Result<Page, StoreError> {
        self.runtime.block_on(reads::query(&self.backend, &request))
    }

    fn scan(&self, request: Scan) -> Result<Page, StoreError> {
        self.runtime.block_on(reads::scan(&self.backend, &request))
    }

    fn query_all(&self, requests: Vec<Query>) -> Result<Vec<Page>, StoreError> {
        self.runtime.block_on(reads::query_all(&self.backend, requests))
    }

    fn transact_get(&self, request: TransactGet) -> Result<TransactFound, StoreError> {
        self.runtime.block_on(reads::transact_get(&self.backend, &request))
    }

    fn put(&self, request: PutItem) -> Result<Written, StoreError> {
        self.runtime.block_on(writes::put(&self.backend, &request))
    }

    fn update(&self, request: UpdateItem) -> Result<Written, StoreError> {
        self.runtime.block_on(writes::update(&self.backend, &request))
    }

    fn delete(&self, request: DeleteItem) -> Result<Written, StoreError> {
        self.runtime.block_on(writes::delete(&self.backend, &request))
    }

    fn transact_write(&self, request: TransactWrite) -> Result<Written, StoreError> {
        self.runtime.block_on(writes::transact_write(&self.backend, &request))
    }

    fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        self.runtime.block_on(async {
            let asked = tables::Asked {
                time_to_live: self.features.have(&self.backend, Feature::TimeToLive).await,
                recovery: self.features.have(&self.backend, Feature::Recovery).await,
            };
            tables::describe(&self.backend, name, asked).await
        })
    }

    fn change_table(&self, change: &TableChange) -> Result<(), StoreError> {
        self.runtime.block_on(tables::change(&self.backend, change))
    }
}
