//! A store that notes what is asked of it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use singlet_design::Json;
use singlet_store::{
    Action, Answer, BatchGet, Cancellation, Consumed, Delete, Feature, Get, Page, Put, Query, Scan, Store,
    StoreError, TableChange, TableShape, TableState, TransactGet, TransactWrite, Update, Written,
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
    /// What it is foretold to use.
    pub predicted: Predicted,
    /// What came of it.
    pub outcome: Outcome,
    /// Requests with the same number are made at once.
    pub round: u32,
}

/// What came of a request.
#[derive(Debug, Clone)]
pub enum Outcome {
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

    /// What was asked so far, in order.
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

    /// Notes a read and gives its answer.
    fn note_read<T>(
        &self,
        operation: &'static str,
        body: Json,
        answer: Result<T, StoreError>,
        cost: impl FnOnce(Option<&T>) -> (Predicted, Consumed),
        round: u32,
    ) -> Result<T, StoreError> {
        let (predicted, consumed) = cost(answer.as_ref().ok());
        let outcome = match &answer {
            Ok(_) => Outcome::Done(consumed),
            Err(error) => Outcome::Failed(error.to_string()),
        };
        self.lock().recorded.push(Recorded { operation, body, predicted, outcome, round });
        answer
    }

    /// What a table looks like; asked once.
    fn shape(&self, table: &str) -> Option<TableShape> {
        let mut shapes = self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shapes.get(table) {
            return known.clone();
        }
        let shape = self.store.describe_table(table).ok().flatten().map(|state| state.shape);
        shapes.insert(table.to_owned(), shape.clone());
        shape
    }

    /// The item that is there now: a read of the explanation's own, which is not noted.
    fn item_there(&self, table: &str, key: &Item) -> Result<Option<EncodedItem>, StoreError> {
        let get = Get { table: table.to_owned(), key: key.clone(), consistent: true, projection: None };
        Ok(self.store.get(&get)?.items.pop().flatten())
    }

    /// The page of a query with everything that its filter and its projection hide but its cost doesn't: a read of the
    /// explanation's own, which is not noted. `None` if nothing is hidden, or if something was written meanwhile.
    fn whole_page(&self, request: &Query, page: Option<&Page>) -> Option<Page> {
        let page =
            page.filter(|page| is_hidden(request.filter.is_some(), request.projection.is_some(), page))?;
        let unhidden = Query { filter: None, projection: None, ..request.clone() };
        self.store.query(&unhidden).ok().filter(|whole| whole.scanned == page.scanned)
    }

    fn foresee_put(&self, put: &Put) -> Result<Foreseen, StoreError> {
        let key = match self.shape(&put.table) {
            Some(shape) => key_of(&shape, &put.item),
            None => put.item.clone(),
        };
        foresee::put(put, self.item_there(&put.table, &key)?)
    }

    fn foresee_action(&self, action: &Action) -> Result<Foreseen, StoreError> {
        match action {
            Action::Put(put) => self.foresee_put(put),
            Action::Update(update) => foresee::update(update, self.item_there(&update.table, &update.key)?),
            Action::Delete(delete) => foresee::delete(delete, self.item_there(&delete.table, &delete.key)?),
            Action::Check { table, key, condition } => {
                foresee::check(condition, self.item_there(table, key)?)
            }
        }
    }

    /// Notes a write of one item; does it, or answers as if it were done.
    fn note_write(
        &self,
        operation: &'static str,
        body: Json,
        action: &Action,
        perform: impl FnOnce() -> Result<Written, StoreError>,
        answer: impl FnOnce(&Foreseen) -> Written,
    ) -> Result<Written, StoreError> {
        let shape = self.shape(action.table());
        let foreseen = self.foresee_action(action);
        let predicted = self.predict(shape.as_ref(), foreseen.as_ref(), false);
        let written =
            if self.writes { perform() } else { foreseen.as_ref().map(answer).map_err(StoreError::clone) };
        self.note_written(operation, body, predicted, &written);
        written
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
            Err(_) => Predicted { at_least: true, ..Predicted::default() },
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
            Ok(written) if self.writes => Outcome::Done(written.consumed.clone()),
            Ok(_) => Outcome::Foreseen,
            Err(error) => Outcome::Failed(error.to_string()),
        };
        self.lock().recorded.push(Recorded { operation, body, predicted, outcome, round });
    }

    fn foresee_transaction(&self, request: &TransactWrite) -> (Predicted, Result<Written, StoreError>) {
        let mut predicted = Predicted::default();
        let mut reasons = Vec::with_capacity(request.actions.len());
        for action in &request.actions {
            let shape = self.shape(action.table());
            let foreseen = self.foresee_action(action);
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

    fn supports(&self, feature: Feature) -> bool {
        self.store.supports(feature)
    }

    fn get(&self, request: &Get) -> Result<Answer, StoreError> {
        let cost = |answer: Option<&Answer>| {
            let whole = || self.store.get(&Get { projection: None, ..request.clone() });
            let whole = request.projection.as_ref().map(|_| whole());
            answer_cost(answer, whole, ReadKind::from_consistent(request.consistent))
        };
        self.note_read("GetItem", body::get(request), self.store.get(request), cost, self.next_round())
    }

    fn batch_get(&self, request: &BatchGet) -> Result<Answer, StoreError> {
        let mut whole = Answer::default();
        for keys in request.keys.chunks(BATCH_KEYS_MAX) {
            let batch = BatchGet { keys: keys.to_vec(), ..request.clone() };
            let kind = ReadKind::from_consistent(request.consistent);
            let cost = |answer: Option<&Answer>| {
                let whole = || self.store.batch_get(&BatchGet { projection: None, ..batch.clone() });
                let whole = request.projection.as_ref().map(|_| whole());
                let (mut predicted, consumed) = answer_cost(answer, whole, kind);
                // Keys that lead to nothing cost the least that a read costs.
                let missing = keys.len().saturating_sub(answer.map_or(0, |answer| answer.items.len()));
                predicted.read += kind.units(0) * missing as f64;
                (predicted, consumed)
            };
            let answer = self.store.batch_get(&batch);
            let part =
                self.note_read("BatchGetItem", body::batch_get(&batch), answer, cost, self.next_round())?;
            whole.items.extend(part.items);
            whole.consumed.add(&part.consumed);
        }
        Ok(whole)
    }

    fn query(&self, request: &Query) -> Result<Page, StoreError> {
        let answer = self.store.query(request);
        let whole = self.whole_page(request, answer.as_ref().ok());
        let cost = |page: Option<&Page>| page_cost(request, page, whole.as_ref());
        self.note_read("Query", body::query(request), answer, cost, self.next_round())
    }

    fn scan(&self, request: &Scan) -> Result<Page, StoreError> {
        let answer = self.store.scan(request);
        let hides = |page: &&Page| is_hidden(request.filter.is_some(), request.projection.is_some(), page);
        let whole = answer.as_ref().ok().filter(hides).and_then(|page| {
            let unhidden = Scan { filter: None, projection: None, ..request.clone() };
            self.store.scan(&unhidden).ok().filter(|whole| whole.scanned == page.scanned)
        });
        let at_least = whole.is_none() && answer.as_ref().ok().is_none_or(|page| hides(&page));
        let cost = |page: Option<&Page>| match page {
            Some(page) => {
                let items = &whole.as_ref().unwrap_or(page).items;
                let predicted =
                    Predicted::of_page(ReadKind::Eventual, items, request.index.as_ref(), at_least);
                (predicted, page.consumed.clone())
            }
            None => (Predicted::default(), Consumed::default()),
        };
        self.note_read("Scan", body::scan(request), answer, cost, self.next_round())
    }

    fn query_all(&self, requests: &[Query]) -> Result<Vec<Page>, StoreError> {
        let round = self.next_round();
        match self.store.query_all(requests) {
            Ok(pages) => {
                for (request, page) in requests.iter().zip(&pages) {
                    let whole = self.whole_page(request, Some(page));
                    let (predicted, consumed) = page_cost(request, Some(page), whole.as_ref());
                    let (body, outcome) = (body::query(request), Outcome::Done(consumed));
                    self.lock().recorded.push(Recorded {
                        operation: "Query",
                        body,
                        predicted,
                        outcome,
                        round,
                    });
                }
                Ok(pages)
            }
            Err(error) => {
                for request in requests {
                    let failed = Err::<Page, _>(error.clone());
                    let cost = |page: Option<&Page>| page_cost(request, page, None);
                    let _ = self.note_read("Query", body::query(request), failed, cost, round);
                }
                Err(error)
            }
        }
    }

    fn transact_get(&self, request: &TransactGet) -> Result<Answer, StoreError> {
        let projected = request.gets.iter().any(|get| get.projection.is_some());
        let whole = || {
            let gets = request.gets.iter().map(|get| Get { projection: None, ..get.clone() });
            self.store.transact_get(&TransactGet { gets: gets.collect() })
        };
        let cost =
            |answer: Option<&Answer>| answer_cost(answer, projected.then(whole), ReadKind::Transactional);
        let answer = self.store.transact_get(request);
        self.note_read("TransactGetItems", body::transact_get(request), answer, cost, self.next_round())
    }

    fn put(&self, request: &Put) -> Result<Written, StoreError> {
        let action = Action::Put(request.clone());
        self.note_write(
            "PutItem",
            body::put(request),
            &action,
            || self.store.put(request),
            |foreseen| Written { item: foreseen.returned(request.returned), consumed: Consumed::default() },
        )
    }

    fn update(&self, request: &Update) -> Result<Written, StoreError> {
        let action = Action::Update(request.clone());
        self.note_write(
            "UpdateItem",
            body::update(request),
            &action,
            || self.store.update(request),
            |foreseen| Written { item: foreseen.returned(request.returned), consumed: Consumed::default() },
        )
    }

    fn delete(&self, request: &Delete) -> Result<Written, StoreError> {
        let action = Action::Delete(request.clone());
        self.note_write(
            "DeleteItem",
            body::delete(request),
            &action,
            || self.store.delete(request),
            |foreseen| Written { item: foreseen.returned(request.returned), consumed: Consumed::default() },
        )
    }

    fn transact_write(&self, request: &TransactWrite) -> Result<Written, StoreError> {
        let (predicted, foreseen) = self.foresee_transaction(request);
        let written = if self.writes { self.store.transact_write(request) } else { foreseen };
        self.note_written("TransactWriteItems", body::transact_write(request), predicted, &written);
        written
    }

    fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        self.store.describe_table(name)
    }

    fn change_table(&self, change: &TableChange) -> Result<(), StoreError> {
        self.store.change_table(change)
    }
}

/// `whole` is the answer without a projection, if there is one: it hides what was read but not what it costs.
fn answer_cost(
    answer: Option<&Answer>,
    whole: Option<Result<Answer, StoreError>>,
    kind: ReadKind,
) -> (Predicted, Consumed) {
    match answer {
        Some(answer) => {
            let hidden = matches!(whole, Some(Err(_)));
            let read = whole.as_ref().and_then(|whole| whole.as_ref().ok()).unwrap_or(answer);
            let items = read.items.iter().map(Option::as_ref);
            (Predicted::of_items(kind, items, hidden), answer.consumed.clone())
        }
        None => (Predicted { at_least: true, ..Predicted::default() }, Consumed::default()),
    }
}

/// Whether a filter or a projection hides some of what was read.
fn is_hidden(filtered: bool, projected: bool, page: &Page) -> bool {
    projected || (filtered && usize::try_from(page.scanned).is_ok_and(|scanned| scanned > page.items.len()))
}

/// `whole` is the page without filter and projection, if these hide something.
fn page_cost(request: &Query, page: Option<&Page>, whole: Option<&Page>) -> (Predicted, Consumed) {
    let kind = ReadKind::from_consistent(request.consistent);
    let hides = |page| is_hidden(request.filter.is_some(), request.projection.is_some(), page);
    let hidden = whole.is_none() && page.is_none_or(hides);
    let items = whole.or(page).map_or(&[][..], |page| &page.items);
    let consumed = page.map(|page| page.consumed.clone()).unwrap_or_default();
    (Predicted::of_page(kind, items, request.index.as_ref(), hidden), consumed)
}
