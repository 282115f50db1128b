//! Reads: `GetItem`, `BatchGetItem`, `Query`, `Scan`, `TransactGetItems`.

use singlet_engine::{self as engine, BatchGetTable, Database, TransactGetItem};
use singlet_expr::{Condition, ExpressionKind, Projection};
use singlet_values::Item;

use super::error::{refused, store_error};
use crate::error::StoreError;
use crate::request::{
    BatchFound, BatchGet, Consumed, Found, GetItem, Page, Query, Scan, TransactFound, TransactGet,
};

/// The maximum number of keys of a `BatchGetItem`.
const BATCH_KEYS_MAX: usize = singlet_values::limits::BATCH_GET_KEYS_MAX;

pub(super) fn get(database: &Database, request: GetItem) -> Result<Found, StoreError> {
    check_projection(request.projection.as_ref())?;
    let GetItem { table, key, consistent, projection } = request;
    let get = engine::GetItem { table, key, consistent, projection };
    let found = database.get_item(&get).map_err(|error| store_error(error, &get.table))?;
    Ok(Found { item: found.item, consumed: consumed(found.consumed) })
}

pub(super) fn query(database: &Database, request: Query) -> Result<Page<Query>, StoreError> {
    check_filter(request.filter.as_ref())?;
    check_projection(request.projection.as_ref())?;
    let query = engine::Query {
        table: request.table,
        index: request.index,
        key_condition: request.key,
        filter: request.filter,
        filters_keys: false,
        projection: request.projection,
        select: None,
        limit: request.limit.map(|limit| limit as usize),
        forward: request.forward,
        consistent: request.consistent,
        start_key: request.start_key,
    };
    let mut page = database.query(&query).map_err(|error| store_error(error, &query.table))?;
    let next = page.last_key.take().map(|key| Query {
        table: query.table,
        index: query.index,
        key: query.key_condition,
        filter: query.filter,
        projection: query.projection,
        limit: request.limit,
        forward: query.forward,
        consistent: query.consistent,
        start_key: Some(key),
    });
    Ok(found(page, next))
}

pub(super) fn scan(database: &Database, request: Scan) -> Result<Page<Scan>, StoreError> {
    check_filter(request.filter.as_ref())?;
    check_projection(request.projection.as_ref())?;
    let scan = engine::Scan {
        table: request.table,
        index: request.index,
        filter: request.filter,
        projection: request.projection,
        select: None,
        limit: request.limit.map(|limit| limit as usize),
        segment: None,
        consistent: false,
        start_key: request.start_key,
    };
    let mut page = database.scan(&scan).map_err(|error| store_error(error, &scan.table))?;
    let next = page.last_key.take().map(|key| Scan {
        table: scan.table,
        index: scan.index,
        filter: scan.filter,
        projection: scan.projection,
        limit: request.limit,
        start_key: Some(key),
    });
    Ok(found(page, next))
}

fn found<R>(page: engine::PageOutcome, next: Option<R>) -> Page<R> {
    Page {
        items: page.items.unwrap_or_default(),
        next,
        scanned: u32::try_from(page.scanned_count).unwrap_or(u32::MAX),
        consumed: consumed(page.consumed),
    }
}

pub(super) fn batch_get(database: &Database, request: BatchGet) -> Result<BatchFound, StoreError> {
    check_projection(request.projection.as_ref())?;
    let mut all = BatchFound::default();
    let mut left: Vec<Item> = request.keys;
    while !left.is_empty() {
        let later = left.split_off(left.len().min(BATCH_KEYS_MAX));
        let asked = left.len();
        let table = BatchGetTable {
            label: request.table.clone(),
            table: request.table.clone(),
            keys: left,
            consistent: request.consistent,
            projection: request.projection.clone(),
        };
        let mut batch = engine::BatchGet { tables: vec![table] };
        let found = database.batch_get(&batch).map_err(|error| store_error(error, &request.table))?;
        left = later;
        for (table, outcome) in batch.tables.iter_mut().zip(found.tables) {
            // Items beyond 16 MB come with the next call. The first item always fits, so every call makes progress.
            if outcome.unprocessed.len() == asked {
                return Err(StoreError::TryAgain("no item of a batch was read".to_owned()));
            }
            let again =
                outcome.unprocessed.iter().filter_map(|at| table.keys.get_mut(*at).map(std::mem::take));
            left.extend(again);
            all.items.extend(outcome.items);
            all.consumed.add(&consumed(outcome.consumed));
        }
    }
    Ok(all)
}

pub(super) fn transact_get(database: &Database, request: TransactGet) -> Result<TransactFound, StoreError> {
    let table = request.gets.first().map(|get| get.table.clone()).unwrap_or_default();
    let mut items = Vec::with_capacity(request.gets.len());
    for GetItem { table, key, projection, .. } in request.gets {
        check_projection(projection.as_ref())?;
        items.push(TransactGetItem { table, key, projection });
    }
    let found =
        database.transact_get(&engine::TransactGet { items }).map_err(|error| store_error(error, &table))?;
    Ok(TransactFound { items: found.items, consumed: consumed_together(found.consumed) })
}

/// The engine expects trees that have been checked, as the protocol's parser does.
fn check_filter(filter: Option<&Condition>) -> Result<(), StoreError> {
    filter.map_or(Ok(()), |filter| filter.check(ExpressionKind::Filter)).map_err(refused)
}

fn check_projection(projection: Option<&Projection>) -> Result<(), StoreError> {
    projection.map_or(Ok(()), Projection::check).map_err(refused)
}

/// The units that the engine reports for one table.
pub(super) fn consumed(account: engine::Consumed) -> Consumed {
    let total = account.total();
    let indexes = account.local_indexes.into_iter().chain(account.global_indexes);
    let indexes = indexes.map(|(index, units)| (index, units.total())).collect();
    Consumed { read: total.read, write: total.write, indexes }
}

/// The sum of the units that the engine reports per table.
pub(super) fn consumed_together(accounts: impl IntoIterator<Item = engine::Consumed>) -> Consumed {
    let mut sum = Consumed::default();
    accounts.into_iter().for_each(|account| sum.add(&consumed(account)));
    sum
}
