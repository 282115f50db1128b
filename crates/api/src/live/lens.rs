//! A store that notes what is read, and can show one item in the place of a table.

use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError};

use singlet_design::{Index, KeyAttribute, Projection};
use singlet_store::{
    BatchFound, BatchGet, Consumed, DeleteItem, Feature, Found, GetItem, Page, PutItem, Query, Scan, Store,
    StoreError, TableChange, TableState, TransactFound, TransactGet, TransactWrite, UpdateItem, Written,
};
use singlet_values::{EncodedItem, Item, ValueRef, encode_subset};

use super::dependency::{Dependency, Tables, condition};

/// The items that a read sees.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sight<'a> {
    /// The tables as they are.
    Tables,
    /// Nothing: only the requests matter.
    Nothing,
    /// One item, as if it were alone where these requests read. Everything else is as it is.
    Item { image: Option<&'a EncodedItem>, own: &'a [Dependency] },
}

/// A store for reads of live answers.
#[derive(Debug)]
pub(super) struct Lens<'a, S> {
    store: &'a S,
    tables: &'a Tables,
    sight: Sight<'a>,
    noted: Mutex<Vec<Dependency>>,
}

impl<'a, S: Store> Lens<'a, S> {
    pub(super) fn new(store: &'a S, tables: &'a Tables, sight: Sight<'a>) -> Self {
        Self { store, tables, sight, noted: Mutex::default() }
    }

    /// The parts of the tables that were read.
    pub(super) fn dependencies(&self) -> Vec<Dependency> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, dependency: Dependency) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if !noted.contains(&dependency) {
            noted.push(dependency);
        }
    }

    /// The item that stands in the place of what a request reads. The outer `None` means that it reads the table.
    fn image(&self, dependency: &Dependency) -> Option<Option<&'a EncodedItem>> {
        match self.sight {
            Sight::Tables => None,
            Sight::Nothing => Some(None),
            Sight::Item { image, own } => {
                let is_own = own.iter().any(|own| own.is_like(dependency, self.tables));
                is_own.then(|| image.filter(|image| dependency.holds(image.view())))
            }
        }
    }

    /// The part of an image that a query gives. `None` if the query doesn't reach it.
    fn queried(&self, request: &Query, image: &EncodedItem) -> Option<EncodedItem> {
        let table = self.tables.find(&request.table)?;
        let index = request.index.as_ref().and_then(|name| table.index(name));
        let item = image.view();
        let keys = || table.key().chain(index.into_iter().flat_map(|index| index.key()));
        let is_key = |value: ValueRef<'_>| matches!(value, ValueRef::S(_) | ValueRef::N(_) | ValueRef::B(_));
        if !keys().all(|attribute| item.get(&attribute.name).is_some_and(is_key)) {
            return None;
        }
        if !condition(&request.key)?.matches(item) {
            return None;
        }
        let sort = index.map_or(table.sort.as_slice(), |index| index.sort.as_slice());
        let order = sort.iter().chain(table.key());
        if request.start_key.as_ref().is_some_and(|start| !is_after(image, start, order, request.forward)) {
            return None;
        }
        let carried = match index {
            Some(index) if !is_whole(index, request.projection.is_some()) => {
                let names: Vec<&str> = keys().map(|attribute| attribute.name.as_str()).collect();
                let more = match &index.projection {
                    Projection::Include(names) => names.as_slice(),
                    Projection::All | Projection::Keys => &[],
                };
                encode_subset(item, |name| names.contains(&name) || more.iter().any(|more| more == name))
            }
            _ => image.clone(),
        };
        if request.filter.as_ref().is_some_and(|filter| !filter.matches(carried.view())) {
            return None;
        }
        Some(request.projection.as_ref().map_or(carried.clone(), |shown| shown.project(carried.view())))
    }
}

/// Whether a query of an index gives all attributes of its items. A local index fetches those that it lacks.
fn is_whole(index: &Index, is_projected: bool) -> bool {
    index.projection == Projection::All || index.local && is_projected
}

/// Whether an item comes after a place in the order of a query.
fn is_after<'k>(
    image: &EncodedItem,
    start: &Item,
    order: impl Iterator<Item = &'k KeyAttribute>,
    forward: bool,
) -> bool {
    for attribute in order {
        let value = image.view().get(&attribute.name);
        let place = start.get(&attribute.name).and_then(|value| value.as_scalar());
        match value.zip(place).and_then(|(value, place)| value.partial_cmp(&place)) {
            None | Some(Ordering::Equal) => {}
            Some(different) => return (different == Ordering::Greater) == forward,
        }
    }
    false
}

fn only_reads<T>() -> Result<T, StoreError> {
    Err(StoreError::Refused("a live answer only reads".to_owned()))
}

impl<S: Store> Store for Lens<'_, S> {
    fn label(&self) -> String {
        self.store.label()
    }
    async fn supports(&self, feature: Feature) -> bool {
        self.store.supports(feature).await
    }
    async fn get(&self, request: GetItem) -> Result<Found, StoreError> {
        let dependency = Dependency::Item { table: request.table.clone(), key: request.key.clone() };
        let image = self.image(&dependency);
        self.note(dependency);
        let Some(image) = image else { return self.store.get(request).await };
        let item = image.map(|image| match &request.projection {
            Some(projection) => projection.project(image.view()),
            None => image.clone(),
        });
        Ok(Found { item, consumed: Consumed::default() })
    }
    async fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError> {
        for key in &request.keys {
            self.note(Dependency::Item { table: request.table.clone(), key: key.clone() });
        }
        match self.sight {
            Sight::Nothing => Ok(BatchFound::default()),
            Sight::Tables | Sight::Item { .. } => self.store.batch_get(request).await,
        }
    }
    async fn query(&self, request: Query) -> Result<Page<Query>, StoreError> {
        let (table, index) = (request.table.clone(), request.index.clone());
        let dependency = Dependency::Range { table, index, key: request.key.clone() };
        let image = self.image(&dependency);
        self.note(dependency);
        let Some(image) = image else { return self.store.query(request).await };
        let items = image.and_then(|image| self.queried(&request, image)).into_iter().collect();
        Ok(Page { items, next: None, scanned: 1, consumed: Consumed::default() })
    }
    async fn scan(&self, request: Scan) -> Result<Page<Scan>, StoreError> {
        self.note(Dependency::All { table: request.table.clone() });
        match self.sight {
            Sight::Nothing => {
                Ok(Page { items: Vec::new(), next: None, scanned: 0, consumed: Consumed::default() })
            }
            Sight::Tables | Sight::Item { .. } => self.store.scan(request).await,
        }
    }
    async fn transact_get(&self, request: TransactGet) -> Result<TransactFound, StoreError> {
        for get in &request.gets {
            self.note(Dependency::Item { table: get.table.clone(), key: get.key.clone() });
        }
        match self.sight {
            Sight::Nothing => {
                let items = vec![None; request.gets.len()];
                Ok(TransactFound { items, consumed: Consumed::default() })
            }
            Sight::Tables | Sight::Item { .. } => self.store.transact_get(request).await,
        }
    }
    async fn put(&self, _: PutItem) -> Result<Written, StoreError> {
        only_reads()
    }
    async fn update(&self, _: UpdateItem) -> Result<Written, StoreError> {
        only_reads()
    }
    async fn delete(&self, _: DeleteItem) -> Result<Written, StoreError> {
        only_reads()
    }
    async fn transact_write(&self, _: TransactWrite) -> Result<Written, StoreError> {
        only_reads()
    }
    async fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        self.store.describe_table(name).await
    }
    async fn change_table(&self, _: &TableChange) -> Result<(), StoreError> {
        only_reads()
    }
}
