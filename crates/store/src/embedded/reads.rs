//! Reads: `GetItem`, `BatchGetItem`, `Query`, `Scan`, `TransactGetItems`.

use singlet_engine::{self as engine, BatchGetTable, Database, GetItem, TransactGetItem};
use singlet_values::Item;

use super::error::store_error;
use crate::error::StoreError;
use crate::request::{Answer, BatchGet, Consumed, Get, Page, Query, Scan, TransactGet};
use crate::trees;

/// Most keys of a `BatchGetItem`.
const BATCH_KEYS_MAX: usize = singlet_values::limits::BATCH_GET_KEYS_MAX;

pub(super) fn get(database: &Database, request: &Get) -> Result<Answer, StoreError> {
    let get = GetItem {
        table: request.table.clone(),
        key: request.key.clone(),
        consistent: request.consistent,
        projection: trees::projection(request.projection.as_ref())?,
    };
    let found = database.get_item(&get).map_err(|error| store_error(error, &request.table))?;
    Ok(Answer { items: vec![found.item], consumed: consumed([&found.consumed]) })
}

pub(super) fn query(database: &Database, request: &Query) -> Result<Page, StoreError> {
    let query = engine::Query {
        table: request.table.clone(),
        index: request.index.clone(),
        key_condition: trees::key_condition(request),
        filter: trees::filter(request.filter.as_ref())?,
        projection: trees::projection(request.projection.as_ref())?,
        select: None,
        limit: request.limit.map(|limit| limit as usize),
        forward: request.forward,
        consistent: request.consistent,
        start_key: request.start_key.clone(),
    };
    database.query(&query).map(page).map_err(|error| store_error(error, &request.table))
}

pub(super) fn scan(database: &Database, request: &Scan) -> Result<Page, StoreError> {
    let scan = engine::Scan {
        table: request.table.clone(),
        index: request.index.clone(),
        filter: trees::filter(request.filter.as_ref())?,
        projection: trees::projection(request.projection.as_ref())?,
        select: None,
        limit: request.limit.map(|limit| limit as usize),
        segment: None,
        consistent: false,
        start_key: request.start_key.clone(),
    };
    database.scan(&scan).map(page).map_err(|error| store_error(error, &request.table))
}

fn page(page: engine::PageOutcome) -> Page {
    Page {
        items: page.items.unwrap_or_default(),
        last_key: page.last_key,
        scanned: u32::try_from(page.scanned_count).unwrap_or(u32::MAX),
        consumed: consumed([&page.consumed]),
    }
}

pub(super) fn batch_get(database: &Database, request: &BatchGet) -> Result<Answer, StoreError> {
    let projection = trees::projection(request.projection.as_ref())?;
    let mut answer = Answer::default();
    let mut left: Vec<Item> = request.keys.clone();
    while !left.is_empty() {
        let later = left.split_off(left.len().min(BATCH_KEYS_MAX));
        let asked = left.len();
        let table = BatchGetTable {
            label: request.table.clone(),
            table: request.table.clone(),
            keys: left,
            consistent: request.consistent,
            projection: projection.clone(),
        };
        let mut batch = engine::BatchGet { tables: vec![table] };
        let found = database.batch_get(&batch).map_err(|error| store_error(error, &request.table))?;
        left = later;
        for (table, outcome) in batch.tables.iter_mut().zip(found.tables) {
            // What passes 16 MB comes with the next call; that the first item always fits keeps this from going on
            // for ever, and the check keeps it so.
            if outcome.unprocessed.len() == asked {
                return Err(StoreError::TryAgain("nothing of a batch was read".to_owned()));
            }
            let again =
                outcome.unprocessed.iter().filter_map(|at| table.keys.get_mut(*at).map(std::mem::take));
            left.extend(again);
            answer.items.extend(outcome.items.into_iter().map(Some));
            answer.consumed.add(&consumed([&outcome.consumed]));
        }
    }
    Ok(answer)
}

pub(super) fn transact_get(database: &Database, request: &TransactGet) -> Result<Answer, StoreError> {
    let read = |get: &Get| {
        Ok(TransactGetItem {
            table: get.table.clone(),
            key: get.key.clone(),
            projection: trees::projection(get.projection.as_ref())?,
        })
    };
    let items = request.gets.iter().map(read).collect::<Result<_, StoreError>>()?;
    let table = request.gets.first().map_or("", |get| &get.table);
    let found =
        database.transact_get(&engine::TransactGet { items }).map_err(|error| store_error(error, table))?;
    Ok(Answer { items: found.items, consumed: consumed(&found.consumed) })
}

/// The engine's accounts of several tables as one.
pub(super) fn consumed<'a>(accounts: impl IntoIterator<Item = &'a engine::Consumed>) -> Consumed {
    let mut sum = Consumed::default();
    for account in accounts {
        let total = account.total();
        sum.read += total.read;
        sum.write += total.write;
        for (index, units) in account.local_indexes.iter().chain(&account.global_indexes) {
            sum.add_index(index, units.total());
        }
    }
    sum
}
