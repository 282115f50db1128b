//! Reads: `GetItem`, `BatchGetItem`, `Query`, `Scan`, `TransactGetItems`.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::{Get as SdkGet, KeysAndAttributes, ReturnConsumedCapacity, TransactGetItem};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use singlet_store::{
    BatchFound, BatchGet, Consumed, Found, GetItem, Page, Query, Scan, StoreError, TransactFound, TransactGet,
};
use singlet_values::Item;

use crate::connection::Backend;
use crate::consumed::{Access, consumed};
use crate::expressions::Expressions;
use crate::values::{SdkItem, encoded, engine_item, sdk_item};

/// The maximum number of concurrent queries.
const QUERIES_AT_ONCE: usize = 16;
/// The maximum number of keys of a `BatchGetItem`.
const BATCH_KEYS_MAX: usize = 100;
/// How many times in a row a service may leave all keys of a batch unprocessed.
const IDLE_ROUNDS_MAX: u32 = 8;
/// The first pause before the next attempt. It doubles each time.
const IDLE_PAUSE: Duration = Duration::from_millis(50);

pub(crate) async fn get(backend: &Backend, request: &GetItem) -> Result<Found, StoreError> {
    let mut expressions = Expressions::default();
    let projection = expressions.projection(request.projection.as_ref());
    let answer = backend
        .client
        .get_item()
        .table_name(&request.table)
        .set_key(Some(sdk_item(&request.key)))
        .consistent_read(request.consistent)
        .set_projection_expression(projection)
        .set_expression_attribute_names(expressions.names())
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .send()
        .await
        .map_err(|error| backend.failures.of(error, &request.table))?;
    let consumed = consumed(Access::Read, &answer.consumed_capacity);
    Ok(Found { item: answer.item.map(encoded).transpose()?, consumed })
}

pub(crate) async fn query(backend: &Backend, request: Query) -> Result<Page<Query>, StoreError> {
    let mut expressions = Expressions::default();
    let key = expressions.0.key_condition(&request.key);
    let key = key.map_err(|error| StoreError::Refused(error.to_string()))?;
    let filter = expressions.filter(request.filter.as_ref());
    let projection = expressions.projection(request.projection.as_ref());
    let answer = backend
        .client
        .query()
        .table_name(&request.table)
        .set_index_name(request.index.clone())
        .key_condition_expression(key)
        .set_filter_expression(filter)
        .set_projection_expression(projection)
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .scan_index_forward(request.forward)
        .consistent_read(request.consistent)
        .set_limit(request.limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX)))
        .set_exclusive_start_key(request.start_key.as_ref().map(sdk_item))
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .send()
        .await
        .map_err(|error| backend.failures.of(error, &request.table))?;
    let consumed = consumed(Access::Read, &answer.consumed_capacity);
    let last_key = last_key(answer.last_evaluated_key)?;
    let next = last_key.map(|key| Query { start_key: Some(key), ..request });
    page(answer.items, next, answer.scanned_count, consumed)
}

pub(crate) async fn scan(backend: &Backend, request: Scan) -> Result<Page<Scan>, StoreError> {
    let mut expressions = Expressions::default();
    let filter = expressions.filter(request.filter.as_ref());
    let projection = expressions.projection(request.projection.as_ref());
    let answer = backend
        .client
        .scan()
        .table_name(&request.table)
        .set_index_name(request.index.clone())
        .set_filter_expression(filter)
        .set_projection_expression(projection)
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_limit(request.limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX)))
        .set_exclusive_start_key(request.start_key.as_ref().map(sdk_item))
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .send()
        .await
        .map_err(|error| backend.failures.of(error, &request.table))?;
    let consumed = consumed(Access::Read, &answer.consumed_capacity);
    let last_key = last_key(answer.last_evaluated_key)?;
    let next = last_key.map(|key| Scan { start_key: Some(key), ..request });
    page(answer.items, next, answer.scanned_count, consumed)
}

/// The key at which the next page starts.
fn last_key(key: Option<SdkItem>) -> Result<Option<Item>, StoreError> {
    key.filter(|key| !key.is_empty()).map(engine_item).transpose()
}

/// A page of a query or scan.
fn page<R>(
    items: Option<Vec<SdkItem>>,
    next: Option<R>,
    scanned: i32,
    consumed: Consumed,
) -> Result<Page<R>, StoreError> {
    Ok(Page {
        consumed,
        scanned: u32::try_from(scanned).unwrap_or_default(),
        next,
        items: items.unwrap_or_default().into_iter().map(encoded).collect::<Result<_, _>>()?,
    })
}

pub(crate) async fn query_all(
    backend: &Backend,
    requests: Vec<Query>,
) -> Result<Vec<Page<Query>>, StoreError> {
    let pages = stream::iter(requests).map(|request| query(backend, request));
    pages.buffered(QUERIES_AT_ONCE).try_collect().await
}

pub(crate) async fn batch_get(backend: &Backend, request: &BatchGet) -> Result<BatchFound, StoreError> {
    let mut answer = BatchFound::default();
    let mut left: Vec<SdkItem> = request.keys.iter().map(sdk_item).collect();
    let mut idle_rounds = 0;
    while !left.is_empty() {
        let later = left.split_off(left.len().min(BATCH_KEYS_MAX));
        let asked = left.len();
        let mut again = one_batch(backend, request, left, &mut answer).await?;
        if again.len() < asked {
            idle_rounds = 0;
        } else {
            idle_rounds += 1;
            if idle_rounds > IDLE_ROUNDS_MAX {
                let table = &request.table;
                return Err(StoreError::TryAgain(format!(
                    "reads of `{table}` are throttled: no item was returned"
                )));
            }
            tokio::time::sleep(IDLE_PAUSE * 2_u32.pow(idle_rounds)).await;
        }
        again.extend(later);
        left = again;
    }
    Ok(answer)
}

/// Asks for up to 100 keys and gives back those that were not processed.
async fn one_batch(
    backend: &Backend,
    request: &BatchGet,
    keys: Vec<SdkItem>,
    answer: &mut BatchFound,
) -> Result<Vec<SdkItem>, StoreError> {
    let mut expressions = Expressions::default();
    let projection = expressions.projection(request.projection.as_ref());
    let wanted = KeysAndAttributes::builder()
        .set_keys(Some(keys))
        .consistent_read(request.consistent)
        .set_projection_expression(projection)
        .set_expression_attribute_names(expressions.names())
        .build()
        .map_err(|error| StoreError::Refused(error.to_string()))?;
    let part = backend
        .client
        .batch_get_item()
        .set_request_items(Some(HashMap::from([(request.table.clone(), wanted)])))
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .send()
        .await
        .map_err(|error| backend.failures.of(error, &request.table))?;
    answer.consumed.add(&consumed(Access::Read, part.consumed_capacity.iter().flatten()));
    for item in part.responses.into_iter().flatten().flat_map(|(_, items)| items) {
        answer.items.push(encoded(item)?);
    }
    Ok(part.unprocessed_keys.into_iter().flatten().flat_map(|(_, left)| left.keys).collect())
}

pub(crate) async fn transact_get(
    backend: &Backend,
    request: &TransactGet,
) -> Result<TransactFound, StoreError> {
    let table = request.gets.first().map_or("", |get| &get.table);
    let answer = backend
        .client
        .transact_get_items()
        .set_transact_items(Some(request.gets.iter().map(transact_item).collect::<Result<_, _>>()?))
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .send()
        .await
        .map_err(|error| backend.failures.of(error, table))?;
    let consumed = consumed(Access::Read, answer.consumed_capacity.iter().flatten());
    let responses = answer.responses.unwrap_or_default().into_iter();
    let items =
        responses.map(|response| response.item.filter(|item| !item.is_empty()).map(encoded).transpose());
    Ok(TransactFound { items: items.collect::<Result<_, _>>()?, consumed })
}

fn transact_item(get: &GetItem) -> Result<TransactGetItem, StoreError> {
    let mut expressions = Expressions::default();
    let projection = expressions.projection(get.projection.as_ref());
    let get = SdkGet::builder()
        .table_name(&get.table)
        .set_key(Some(sdk_item(&get.key)))
        .set_projection_expression(projection)
        .set_expression_attribute_names(expressions.names())
        .build()
        .map_err(|error| StoreError::Refused(error.to_string()))?;
    Ok(TransactGetItem::builder().get(get).build())
}
