//! A store that notes what is asked of it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use singlet_design::Json;
use singlet_store::{
    BatchFound, BatchGet, Cancellation, Consumed, DeleteItem, Feature, Found, GetItem, Page, PutItem, Query,
    ReturnItem, Scan, Store, StoreError, TableChange, TableShape, TableState, TransactAction, TransactFound,
    TransactGet, TransactWrite, UpdateItem, Written,
};
use singlet_values::{EncodedItem, Item, ReadKind};

use super::body;
use super::capacity::{Predicted, key_of};
use super::foresee::{self, Foreseen};

/// Most keys of a `BatchGetItem`.
const BATCH_KEYS_MAX: usize = singlet_values::limits::BATCH_GET_KEYS_MAX;

/// A request that was made, or would be.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// DynamoDB's name of the operation.
    pub operation: &'static str,
    /// The request as it goes over the wire.
    pub body: Json,
    /// The predicted capacity.
    pub predicted: Predicted,
    /// The outcome.
    pub outcome: RecordedOutcome,
    /// Requests with the same number are made at once.
    pub round: u32,
}

/// The outcome of a request.
#[derive(Debug, Clone)]
pub enum RecordedOutcome {
    /// It was done, and used this much.
    Done(Consumed),
    /// It was not done, and would be.
    Foreseen,
    /// It failed, or would.
    Failed(String),
}

/// Notes every request to a store. Reads are passed on; writes only if asked for.
///
/// Writes that are not done are not seen by later reads. Table changes are passed on and not noted.
#[derive(Debug)]
pub struct Recording<S> {
    store: S,
    writes: bool,
    log: Mutex<Log>,
    shapes: Mutex<BTreeMap<String, Option<TableShape>>>,
}

#[derive(Debug, Default)]
struct Log {
    recorded: Vec<Recorded>,
    rounds: u32,
}

impl<S: Store> Recording<S> {
    /// Reads are done, writes only foreseen.
    pub fn new(store: S) -> Self {
        Recording { store, writes: false, log: Mutex::default(), shapes: Mutex::default() }
    }

    /// Writes are done too.
    #[must_use]
    pub fn with_writes(mut self) -> Self {
        self.writes = true;
        self
    }

    /// The requests so far, in order.
    pub fn recorded(&self) -> Vec<Recorded> {
        self.lock().recorded.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_round(&self) -> u32 {
        let mut log = self.lock();
        log.rounds += 1;
        log.rounds
    }

    /// Notes a read that was done, with the units that were predicted and used, or failed.
    fn note_read(
        &self,
        operation: &'static str,
        body: Json,
        units: Result<(Predicted, Consumed), &StoreError>,
        round: u32,
    ) {
        let (predicted, outcome) = match units {
            Ok((predicted, consumed)) => (predicted, RecordedOutcome::Done(consumed)),
            Err(error) => (Predicted::unknown(), RecordedOutcome::Failed(error.to_string())),
        };
        self.lock().recorded.push(Recorded { operation, body, predicted, outcome, round });
    }

    /// The shape of a table, requested once.
    async fn shape(&self, table: &str) -> Option<TableShape> {
        let shapes = || self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shapes().get(table).cloned() {
            return known;
        }
        let shape = self.store.describe_table(table).await.ok().flatten().map(|state| state.shape);
        shapes().insert(table.to_owned(), shape.clone());
        shape
    }

    /// The item that is there now: a read of the explanation's own, which is not noted.
    async fn item_there(&self, table: &str, key: &Item) -> Result<Option<EncodedItem>, StoreError> {
        let get = GetItem { table: table.to_owned(), key: key.clone(), consistent: true, projection: None };
        Ok(self.store.get(get).await?.item)
    }

    /// The items that a query read, including those that its filter and its projection hide: they cost as much as the
    /// others. `None` if something was written meanwhile.
    async fn whole_query(&self, request: &Query, page: &Page<Query>) -> Option<Vec<EncodedItem>> {
        if !is_hidden(request.filter.is_some(), request.projection.is_some(), page) {
            return Some(page.items.clone());
        }
        let unhidden = Query { filter: None, projection: None, ..request.clone() };
        let whole = self.store.query(unhidden).await.ok()?;
        (whole.scanned == page.scanned).then_some(whole.items)
    }

    /// The items that a scan read, as for [`Recording::whole_query`].
    async fn whole_scan(&self, request: &Scan, page: &Page<Scan>) -> Option<Vec<EncodedItem>> {
        if !is_hidden(request.filter.is_some(), request.projection.is_some(), page) {
            return Some(page.items.clone());
        }
        let unhidden = Scan { filter: None, projection: None, ..request.clone() };
        let whole = self.store.scan(unhidden).await.ok()?;
        (whole.scanned == page.scanned).then_some(whole.items)
    }

    /// Notes a page of a query.
    async fn note_query(&self, request: &Query, page: Result<&Page<Query>, &StoreError>, round: u32) {
        let units = match page {
            Ok(page) => {
                let whole = self.whole_query(request, page).await;
                let kind = ReadKind::from_consistent(request.consistent);
                Ok((page_units(kind, request.index.as_ref(), page, whole), page.consumed.clone()))
            }
            Err(error) => Err(error),
        };
        self.note_read("Query", body::query(request), units, round);
    }

    async fn foresee_put(&self, put: &PutItem) -> Result<Foreseen, StoreError> {
        let key = match self.shape(&put.table).await {
            Some(shape) => key_of(&shape, &put.item),
            None => put.item.clone(),
        };
        foresee::put(put, self.item_there(&put.table, &key).await?)
    }

    async fn foresee_action(&self, action: &TransactAction) -> Result<Foreseen, StoreError> {
        match action {
            TransactAction::Put(put) => self.foresee_put(put).await,
            TransactAction::Update(update) => {
                foresee::update(update, self.item_there(&update.table, &update.key).await?)
            }
            TransactAction::Delete(delete) => {
                foresee::delete(delete, self.item_there(&delete.table, &delete.key).await?)
            }
            TransactAction::Check { table, key, condition } => {
                foresee::check(condition, self.item_there(table, key).await?)
            }
        }
    }

    /// Works out a write of one item: the units that it is predicted to use, and its effect.
    async fn foresee_write(&self, action: &TransactAction) -> (Predicted, Result<Foreseen, StoreError>) {
        let shape = self.shape(action.table()).await;
        let foreseen = self.foresee_action(action).await;
        (self.predict(shape.as_ref(), foreseen.as_ref(), false), foreseen)
    }

    fn predict(
        &self,
        shape: Option<&TableShape>,
        foreseen: Result<&Foreseen, &StoreError>,
        transactional: bool,
    ) -> Predicted {
        match foreseen {
            Ok(Foreseen { before, after }) => {
                Predicted::of_write(shape, before.as_ref(), after.as_ref(), transactional)
            }
            // A failed condition costs as much as writing the item that is there, and touches no index.
            Err(StoreError::ConditionFailed { item }) => {
                Predicted::of_write(shape, item.as_ref(), item.as_ref(), transactional)
            }
            Err(_) => Predicted::unknown(),
        }
    }

    fn note_written(
        &self,
        operation: &'static str,
        body: Json,
        predicted: Predicted,
        written: &Result<Written, StoreError>,
    ) {
        let round = self.next_round();
        let outcome = match written {
            Ok(written) if self.writes => RecordedOutcome::Done(written.consumed.clone()),
            Ok(_) => RecordedOutcome::Foreseen,
            Err(error) => RecordedOutcome::Failed(error.to_string()),
        };
        self.lock().recorded.push(Recorded { operation, body, predicted, outcome, round });
    }

    async fn foresee_transaction(&self, request: &TransactWrite) -> (Predicted, Result<Written, StoreError>) {
        let mut predicted = Predicted::default();
        let mut reasons = Vec::with_capacity(request.actions.len());
        for action in &request.actions {
            let shape = self.shape(action.table()).await;
            let foreseen = self.foresee_action(action).await;
            predicted.add(self.predict(shape.as_ref(), foreseen.as_ref(), true));
            reasons.push(match foreseen {
                Ok(_) => Cancellation::None,
                Err(StoreError::ConditionFailed { item }) => Cancellation::ConditionFailed { item },
                Err(StoreError::Refused(reason)) => Cancellation::Refused(reason),
                Err(error) => return (predicted, Err(error)),
            });
        }
        let fine = reasons.iter().all(|reason| matches!(reason, Cancellation::None));
        (predicted, if fine { Ok(Written::default()) } else { Err(StoreError::Cancelled { reasons }) })
    }
}

impl<S: Store> Store for Recording<S> {
    fn label(&self) -> String {
        self.store.label()
    }

    async fn supports(&self, feature: Feature) -> bool {
        self.store.supports(feature).await
    }

    async fn get(&self, request: GetItem) -> Result<Found, StoreError> {
        let (body, round) = (body::get(&request), self.next_round());
        let kind = ReadKind::from_consistent(request.consistent);
        let unhidden = request.projection.is_some().then(|| GetItem { projection: None, ..request.clone() });
        let found = self.store.get(request).await;
        let whole = match unhidden {
            Some(unhidden) => self.store.get(unhidden).await.ok(),
            None => found.as_ref().ok().cloned(),
        };
        let units = found.as_ref().map(|found| {
            let item = whole.as_ref().unwrap_or(found).item.as_ref();
            (Predicted::of_items(kind, [item], whole.is_none()), found.consumed.clone())
        });
        self.note_read("GetItem", body, units, round);
        found
    }

    async fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError> {
        let mut all = BatchFound::default();
        for keys in request.keys.chunks(BATCH_KEYS_MAX) {
            let part = BatchGet { keys: keys.to_vec(), ..request.clone() };
            let (body, round) = (body::batch_get(&part), self.next_round());
            let unhidden = part.projection.is_some().then(|| BatchGet { projection: None, ..part.clone() });
            let found = self.store.batch_get(part).await;
            let whole = match unhidden {
                Some(unhidden) => self.store.batch_get(unhidden).await.ok(),
                None => found.as_ref().ok().cloned(),
            };
            let kind = ReadKind::from_consistent(request.consistent);
            let units = found.as_ref().map(|found| {
                let items = whole.as_ref().unwrap_or(found).items.iter().map(Some);
                // A key without an item costs as much as the smallest item.
                let missing = keys.len().saturating_sub(found.items.len());
                let items = items.chain(std::iter::repeat_n(None, missing));
                (Predicted::of_items(kind, items, whole.is_none()), found.consumed.clone())
            });
            self.note_read("BatchGetItem", body, units, round);
            let found = found?;
            all.items.extend(found.items);
            all.consumed.add(&found.consumed);
        }
        Ok(all)
    }

    async fn query(&self, request: Query) -> Result<Page<Query>, StoreError> {
        let round = self.next_round();
        let page = self.store.query(request.clone()).await;
        self.note_query(&request, page.as_ref(), round).await;
        page
    }

    async fn scan(&self, request: Scan) -> Result<Page<Scan>, StoreError> {
        let round = self.next_round();
        let page = self.store.scan(request.clone()).await;
        let units = match &page {
            Ok(page) => {
                let whole = self.whole_scan(&request, page).await;
                let index = request.index.as_ref();
                Ok((page_units(ReadKind::Eventual, index, page, whole), page.consumed.clone()))
            }
            Err(error) => Err(error),
        };
        self.note_read("Scan", body::scan(&request), units, round);
        page
    }

    async fn query_all(&self, requests: Vec<Query>) -> Result<Vec<Page<Query>>, StoreError> {
        let round = self.next_round();
        let pages = self.store.query_all(requests.clone()).await;
        for (at, request) in requests.iter().enumerate() {
            let page = pages.as_ref().map(|pages| pages.get(at));
            match page {
                Ok(Some(page)) => self.note_query(request, Ok(page), round).await,
                Ok(None) => {}
                Err(error) => self.note_query(request, Err(error), round).await,
            }
        }
        pages
    }

    async fn transact_get(&self, request: TransactGet) -> Result<TransactFound, StoreError> {
        let (body, round) = (body::transact_get(&request), self.next_round());
        let projected = request.gets.iter().any(|get| get.projection.is_some());
        let unhidden = projected.then(|| {
            let gets = request.gets.iter().map(|get| GetItem { projection: None, ..get.clone() });
            TransactGet { gets: gets.collect() }
        });
        let found = self.store.transact_get(request).await;
        let whole = match unhidden {
            Some(unhidden) => self.store.transact_get(unhidden).await.ok(),
            None => found.as_ref().ok().cloned(),
        };
        let units = found.as_ref().map(|found| {
            let items = whole.as_ref().unwrap_or(found).items.iter().map(Option::as_ref);
            let predicted = Predicted::of_items(ReadKind::Transactional, items, whole.is_none());
            (predicted, found.consumed.clone())
        });
        self.note_read("TransactGetItems", body, units, round);
        found
    }

    async fn put(&self, request: PutItem) -> Result<Written, StoreError> {
        let (body, returned) = (body::put(&request), request.returned);
        let (predicted, foreseen) = self.foresee_write(&TransactAction::Put(request.clone())).await;
        let written =
            if self.writes { self.store.put(request).await } else { foreseen.map(answered(returned)) };
        self.note_written("PutItem", body, predicted, &written);
        written
    }

    async fn update(&self, request: UpdateItem) -> Result<Written, StoreError> {
        let (body, returned) = (body::update(&request), request.returned);
        let (predicted, foreseen) = self.foresee_write(&TransactAction::Update(request.clone())).await;
        let written =
            if self.writes { self.store.update(request).await } else { foreseen.map(answered(returned)) };
        self.note_written("UpdateItem", body, predicted, &written);
        written
    }

    async fn delete(&self, request: DeleteItem) -> Result<Written, StoreError> {
        let (body, returned) = (body::delete(&request), request.returned);
        let (predicted, foreseen) = self.foresee_write(&TransactAction::Delete(request.clone())).await;
        let written =
            if self.writes { self.store.delete(request).await } else { foreseen.map(answered(returned)) };
        self.note_written("DeleteItem", body, predicted, &written);
        written
    }

    async fn transact_write(&self, request: TransactWrite) -> Result<Written, StoreError> {
        let body = body::transact_write(&request);
        let (predicted, foreseen) = self.foresee_transaction(&request).await;
        let written = if self.writes { self.store.transact_write(request).await } else { foreseen };
        self.note_written("TransactWriteItems", body, predicted, &written);
        written
    }

    async fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        self.store.describe_table(name).await
    }

    async fn change_table(&self, change: &TableChange) -> Result<(), StoreError> {
        self.store.change_table(change).await
    }
}

/// The answer to a write that is only foreseen.
fn answered(returned: ReturnItem) -> impl FnOnce(Foreseen) -> Written {
    move |foreseen| Written { item: foreseen.returned(returned), consumed: Consumed::default() }
}

/// Whether a filter or a projection hides some of what was read.
fn is_hidden<R>(filtered: bool, projected: bool, page: &Page<R>) -> bool {
    projected || (filtered && usize::try_from(page.scanned).is_ok_and(|scanned| scanned > page.items.len()))
}

/// The units of a page. `whole` has everything that was read, if that is known.
fn page_units<R>(
    kind: ReadKind,
    index: Option<&String>,
    page: &Page<R>,
    whole: Option<Vec<EncodedItem>>,
) -> Predicted {
    let is_unknown = whole.is_none();
    Predicted::of_page(kind, whole.as_ref().unwrap_or(&page.items), index, is_unknown)
}
