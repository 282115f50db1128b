//! A store that counts the units of each call.

use std::cell::Cell;
use std::future::Future;

use singlet_store::{
    BatchFound, BatchGet, Consumed, DeleteItem, Feature, Found, GetItem, Page, PutItem, Query, Scan, Store,
    StoreError, TableChange, TableState, TransactFound, TransactGet, TransactWrite, UpdateItem, Written,
};

tokio::task_local! {
    /// The units of the call that runs in this task.
    static UNITS: Cell<Units>;
}

/// The units that a call consumed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Units {
    pub(crate) read: f64,
    pub(crate) write: f64,
}

/// Runs a future, and returns the units that it consumed on any [`Metered`] store.
pub(crate) async fn measured<F: Future>(future: F) -> (F::Output, Units) {
    let measure = async {
        let output = future.await;
        (output, UNITS.with(Cell::get))
    };
    UNITS.scope(Cell::default(), measure).await
}

/// A store that notes the consumed units, so that the API can tell them.
#[derive(Debug, Clone)]
pub struct Metered<S> {
    store: S,
}

impl<S> Metered<S> {
    /// Counts the units of a store.
    pub fn new(store: S) -> Self {
        Self { store }
    }
}

fn note(consumed: &Consumed) {
    // Calls outside of a request are nobody's.
    let _ = UNITS.try_with(|units| {
        let Units { read, write } = units.get();
        units.set(Units { read: read + consumed.read, write: write + consumed.write });
    });
}

/// An answer that has units.
trait Billed {
    fn consumed(&self) -> &Consumed;
}

macro_rules! billed {
    ($($answer:ty),*) => {
        $(impl Billed for $answer {
            fn consumed(&self) -> &Consumed {
                &self.consumed
            }
        })*
    };
}

billed!(Found, BatchFound, TransactFound, Written, Page<Query>, Page<Scan>);

async fn noted<A: Billed>(call: impl Future<Output = Result<A, StoreError>>) -> Result<A, StoreError> {
    let answer = call.await;
    if let Ok(answer) = &answer {
        note(answer.consumed());
    }
    answer
}

impl<S: Store> Store for Metered<S> {
    fn label(&self) -> String {
        self.store.label()
    }
    async fn supports(&self, feature: Feature) -> bool {
        self.store.supports(feature).await
    }
    async fn get(&self, request: GetItem) -> Result<Found, StoreError> {
        noted(self.store.get(request)).await
    }
    async fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError> {
        noted(self.store.batch_get(request)).await
    }
    async fn query(&self, request: Query) -> Result<Page<Query>, StoreError> {
        noted(self.store.query(request)).await
    }
    async fn query_all(&self, requests: Vec<Query>) -> Result<Vec<Page<Query>>, StoreError> {
        let pages = self.store.query_all(requests).await?;
        pages.iter().for_each(|page| note(&page.consumed));
        Ok(pages)
    }
    async fn scan(&self, request: Scan) -> Result<Page<Scan>, StoreError> {
        noted(self.store.scan(request)).await
    }
    async fn transact_get(&self, request: TransactGet) -> Result<TransactFound, StoreError> {
        noted(self.store.transact_get(request)).await
    }
    async fn put(&self, request: PutItem) -> Result<Written, StoreError> {
        noted(self.store.put(request)).await
    }
    async fn update(&self, request: UpdateItem) -> Result<Written, StoreError> {
        noted(self.store.update(request)).await
    }
    async fn delete(&self, request: DeleteItem) -> Result<Written, StoreError> {
        noted(self.store.delete(request)).await
    }
    async fn transact_write(&self, request: TransactWrite) -> Result<Written, StoreError> {
        noted(self.store.transact_write(request)).await
    }
    async fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        self.store.describe_table(name).await
    }
    async fn change_table(&self, change: &TableChange) -> Result<(), StoreError> {
        self.store.change_table(change).await
    }
}
