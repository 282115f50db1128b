//! A store that adds a caller's conditions to a write.

use std::sync::{Mutex, PoisonError};

use singlet_design::Entity;
use singlet_expr::{Condition, Path};
use singlet_store::{
    BatchFound, BatchGet, Cancellation, DeleteItem, Feature, Found, GetItem, Page, PutItem, Query, Scan,
    Store, StoreError, TableChange, TableState, TransactAction, TransactFound, TransactGet, TransactWrite,
    UpdateItem, Written,
};
use singlet_values::{EncodedItem, Item};

use super::headers::Matching;
use super::record::CallRecord;
use super::tag::Tagger;

/// Why a write didn't happen, for a reason of the caller's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The item isn't in the state that the caller requires.
    Unmatched,
    /// The call has happened.
    Repeated,
}

/// The item that a caller requires something of.
#[derive(Debug)]
pub(crate) struct Guard<'a> {
    pub(crate) table: String,
    pub(crate) key: Item,
    pub(crate) entity: &'a Entity,
    pub(crate) matching: Matching,
    pub(crate) tagger: &'a Tagger,
}

/// A store that adds conditions to the write of one call.
#[derive(Debug)]
pub(crate) struct Conditional<'a, S> {
    store: &'a S,
    guard: Option<Guard<'a>>,
    /// The record of the call, with the entity of the item that it makes.
    record: Option<(&'a CallRecord, &'a Entity)>,
    verdict: Mutex<Option<Verdict>>,
}

impl Guard<'_> {
    /// Whether an action writes the item.
    fn is_on(&self, action: &TransactAction) -> bool {
        let holder = match action {
            TransactAction::Put(put) => &put.item,
            TransactAction::Update(update) => &update.key,
            TransactAction::Delete(delete) => &delete.key,
            TransactAction::Check { .. } => return false,
        };
        action.table() == self.table && self.key.iter().all(|(name, value)| holder.get(name) == Some(value))
    }

    fn fits(&self, item: Option<&EncodedItem>) -> bool {
        match (&self.matching, item) {
            (Matching::Absent, item) => item.is_none(),
            (Matching::There, item) => item.is_some(),
            (Matching::Tags(tags), Some(item)) => tags.contains(&self.tagger.tag(item)),
            (Matching::Tags(_), None) => false,
        }
    }

    /// The condition that the item is still the one that was read.
    fn unchanged(&self, item: Option<&Item>) -> Option<Condition> {
        let partition = || Path::attribute(&self.entity.table.partition.name);
        match (&self.matching, item) {
            (_, None) => Some(Condition::missing(partition())),
            (Matching::There | Matching::Absent, Some(_)) => Some(Condition::exists(partition())),
            (Matching::Tags(_), Some(item)) => {
                let same =
                    item.iter().map(|(name, value)| Condition::equal(Path::attribute(name), value.clone()));
                let others = self.entity.fields.iter().filter(|field| item.get(&field.name).is_none());
                let absent = others.map(|field| Condition::missing(Path::attribute(&field.name)));
                Condition::all(same.chain(absent))
            }
        }
    }
}

impl<'a, S: Store> Conditional<'a, S> {
    pub(crate) fn new(
        store: &'a S,
        guard: Option<Guard<'a>>,
        record: Option<(&'a CallRecord, &'a Entity)>,
    ) -> Self {
        Self { store, guard, record, verdict: Mutex::default() }
    }

    /// Why the write didn't happen, if it was for a reason of the caller's.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        *self.verdict.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a verdict, and returns an error that ends the call.
    fn refuse(&self, verdict: Verdict) -> StoreError {
        *self.verdict.lock().unwrap_or_else(PoisonError::into_inner) = Some(verdict);
        StoreError::Refused("the caller's condition doesn't hold".to_owned())
    }

    async fn guarded_item(&self, guard: &Guard<'_>) -> Result<Option<EncodedItem>, StoreError> {
        let (table, key) = (guard.table.clone(), guard.key.clone());
        Ok(self.store.get(GetItem { table, key, consistent: true, projection: None }).await?.item)
    }

    /// Adds the guard's condition to the action that writes its item.
    async fn guard(&self, actions: &mut [TransactAction]) -> Result<(), StoreError> {
        let Some(guard) = &self.guard else { return Ok(()) };
        let Some(action) = actions.iter_mut().find(|action| guard.is_on(action)) else { return Ok(()) };
        let item = self.guarded_item(guard).await?;
        if !guard.fits(item.as_ref()) {
            return Err(self.refuse(Verdict::Unmatched));
        }
        let decoded = item.as_ref().and_then(|item| item.decode().ok());
        let condition = match action {
            TransactAction::Put(put) => &mut put.condition,
            TransactAction::Update(update) => &mut update.condition,
            TransactAction::Delete(delete) => &mut delete.condition,
            TransactAction::Check { .. } => return Ok(()),
        };
        *condition = Condition::all(condition.take().into_iter().chain(guard.unchanged(decoded.as_ref())));
        Ok(())
    }

    /// Makes a verdict of a failure, if the item has changed since it was read.
    async fn judged(&self, error: StoreError) -> StoreError {
        let Some(guard) = &self.guard else { return error };
        let is_condition = matches!(error, StoreError::ConditionFailed { .. } | StoreError::Cancelled { .. });
        match is_condition.then_some(self.guarded_item(guard).await) {
            Some(Ok(item)) if !guard.fits(item.as_ref()) => self.refuse(Verdict::Unmatched),
            _ => error,
        }
    }

    /// The record for actions that make an item, and the place of this item.
    fn record_of(&self, actions: &[TransactAction]) -> Option<TransactAction> {
        let (record, entity) = self.record?;
        let type_name = singlet_values::AttributeValue::from(entity.type_name.as_str());
        actions.iter().find_map(|action| match action {
            TransactAction::Put(put) if put.item.get(&entity.table.type_attribute) == Some(&type_name) => {
                Some(record.write(&put.item))
            }
            _ => None,
        })
    }

    /// Writes a single action, as a transaction if there is a record to write with it.
    async fn write(&self, action: TransactAction) -> Result<Written, StoreError> {
        let mut actions = vec![action];
        self.guard(&mut actions).await?;
        if self.record_of(&actions).is_some() {
            let write = TransactWrite { actions, token: None, yields: false };
            return match self.transact(write).await {
                Err(StoreError::Cancelled { reasons }) => Err(match reasons.into_iter().next() {
                    Some(Cancellation::ConditionFailed { item }) => StoreError::ConditionFailed { item },
                    Some(Cancellation::Refused(reason)) => StoreError::Refused(reason),
                    _ => StoreError::TryAgain("another call writes the same".to_owned()),
                }),
                other => other,
            };
        }
        let written = match actions.pop() {
            Some(TransactAction::Put(put)) => self.store.put(put).await,
            Some(TransactAction::Update(update)) => self.store.update(update).await,
            Some(TransactAction::Delete(delete)) => self.store.delete(delete).await,
            Some(TransactAction::Check { .. }) | None => Ok(Written::default()),
        };
        match written {
            Ok(written) => Ok(written),
            Err(error) => Err(self.judged(error).await),
        }
    }

    /// Writes a transaction together with the record of the call.
    async fn transact(&self, mut request: TransactWrite) -> Result<Written, StoreError> {
        let record = self.record_of(&request.actions);
        let is_recorded = record.is_some();
        request.actions.extend(record);
        match self.store.transact_write(request).await {
            Err(StoreError::Cancelled { mut reasons }) if is_recorded => match reasons.pop() {
                Some(Cancellation::ConditionFailed { .. }) => Err(self.refuse(Verdict::Repeated)),
                Some(Cancellation::Conflict) => {
                    Err(StoreError::TryAgain("the same call is being made".to_owned()))
                }
                _ => Err(StoreError::Cancelled { reasons }),
            },
            Err(error) => Err(self.judged(error).await),
            written => written,
        }
    }
}

impl<S: Store> Store for Conditional<'_, S> {
    fn label(&self) -> String {
        self.store.label()
    }
    async fn supports(&self, feature: Feature) -> bool {
        self.store.supports(feature).await
    }
    async fn get(&self, request: GetItem) -> Result<Found, StoreError> {
        self.store.get(request).await
    }
    async fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError> {
        self.store.batch_get(request).await
    }
    async fn query(&self, request: Query) -> Result<Page<Query>, StoreError> {
        self.store.query(request).await
    }
    async fn query_all(&self, requests: Vec<Query>) -> Result<Vec<Page<Query>>, StoreError> {
        self.store.query_all(requests).await
    }
    async fn scan(&self, request: Scan) -> Result<Page<Scan>, StoreError> {
        self.store.scan(request).await
    }
    async fn transact_get(&self, request: TransactGet) -> Result<TransactFound, StoreError> {
        self.store.transact_get(request).await
    }
    async fn put(&self, request: PutItem) -> Result<Written, StoreError> {
        self.write(TransactAction::Put(request)).await
    }
    async fn update(&self, request: UpdateItem) -> Result<Written, StoreError> {
        self.write(TransactAction::Update(request)).await
    }
    async fn delete(&self, request: DeleteItem) -> Result<Written, StoreError> {
        self.write(TransactAction::Delete(request)).await
    }
    async fn transact_write(&self, mut request: TransactWrite) -> Result<Written, StoreError> {
        self.guard(&mut request.actions).await?;
        self.transact(request).await
    }
    async fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        self.store.describe_table(name).await
    }
    async fn change_table(&self, change: &TableChange) -> Result<(), StoreError> {
        self.store.change_table(change).await
    }
}
