//! An endpoint as a store.

use singlet_store::{
    BatchFound, BatchGet, DeleteItem, Feature, Found, GetItem, Page, PutItem, Query, Scan, Store, StoreError,
    TableChange, TableState, TransactFound, TransactGet, TransactWrite, UpdateItem, Written,
};

use crate::connection::{Backend, Connection};
use crate::error::Failures;
use crate::features::Features;
use crate::{reads, tables, writes};

/// A DynamoDB endpoint. A clone shares its connections.
#[derive(Debug, Clone)]
pub struct DynamoDb {
    backend: Backend,
    features: Features,
}

impl DynamoDb {
    /// Finds the endpoint, the region and the credentials as the AWS CLI does. Sends no request to the endpoint yet.
    pub async fn connect(connection: &Connection) -> DynamoDb {
        let (client, label) = connection.client().await;
        DynamoDb {
            backend: Backend { client, failures: Failures::new(label) },
            features: Features::default(),
        }
    }
}

impl Store for DynamoDb {
    fn label(&self) -> String {
        self.backend.failures.label().to_owned()
    }

    async fn supports(&self, feature: Feature) -> bool {
        self.features.have(&self.backend, feature).await
    }

    async fn get(&self, request: GetItem) -> Result<Found, StoreError> {
        reads::get(&self.backend, &request).await
    }

    async fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError> {
        reads::batch_get(&self.backend, &request).await
    }

    async fn query(&self, request: Query) -> Result<Page<Query>, StoreError> {
        reads::query(&self.backend, request).await
    }

    async fn scan(&self, request: Scan) -> Result<Page<Scan>, StoreError> {
        reads::scan(&self.backend, request).await
    }

    async fn query_all(&self, requests: Vec<Query>) -> Result<Vec<Page<Query>>, StoreError> {
        reads::query_all(&self.backend, requests).await
    }

    async fn transact_get(&self, request: TransactGet) -> Result<TransactFound, StoreError> {
        reads::transact_get(&self.backend, &request).await
    }

    async fn put(&self, request: PutItem) -> Result<Written, StoreError> {
        writes::put(&self.backend, &request).await
    }

    async fn update(&self, request: UpdateItem) -> Result<Written, StoreError> {
        writes::update(&self.backend, &request).await
    }

    async fn delete(&self, request: DeleteItem) -> Result<Written, StoreError> {
        writes::delete(&self.backend, &request).await
    }

    async fn transact_write(&self, request: TransactWrite) -> Result<Written, StoreError> {
        writes::transact_write(&self.backend, &request).await
    }

    async fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        let asked = tables::Asked {
            time_to_live: self.features.have(&self.backend, Feature::TimeToLive).await,
            recovery: self.features.have(&self.backend, Feature::Recovery).await,
        };
        tables::describe(&self.backend, name, asked).await
    }

    async fn change_table(&self, change: &TableChange) -> Result<(), StoreError> {
        tables::change(&self.backend, change).await
    }
}
