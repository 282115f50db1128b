//! Writes: `PutItem`, `UpdateItem`, `DeleteItem`, `TransactWriteItems`.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete as SdkDelete, Put as SdkPut, ReturnConsumedCapacity, ReturnValue,
    ReturnValuesOnConditionCheckFailure as OnFailure, TransactWriteItem, Update as SdkUpdate,
};
use singlet_store::{Action, Delete, Put, ReturnItem, StoreError, TransactWrite, Update, Written};

use crate::connection::Backend;
use crate::consumed::{Access, consumed};
use crate::placeholders::{Placeholders, text};
use crate::values::{SdkItem, encoded, sdk_item};

pub(crate) async fn put(backend: &Backend, request: &Put) -> Result<Written, StoreError> {
    let placeholders = Placeholders::of([request.condition.as_ref()]);
    let answer = backend
        .client
        .put_item()
        .table_name(&request.table)
        .set_item(Some(sdk_item(&request.item)))
        .set_condition_expression(text(request.condition.as_ref()))
        .set_expression_attribute_names(placeholders.names)
        .set_expression_attribute_values(placeholders.values)
        .set_return_values(return_value(request.returned))
        .set_return_values_on_condition_check_failure(on_failure(request.condition.is_some()))
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .send()
        .await
        .map_err(|error| backend.failures.of(error, &request.table))?;
    written(answer.attributes, answer.consumed_capacity.as_slice())
}

pub(crate) async fn update(backend: &Backend, request: &Update) -> Result<Written, StoreError> {
    let placeholders = Placeholders::of([Some(&request.update), request.condition.as_ref()]);
    let answer = backend
        .client
        .update_item()
        .table_name(&request.table)
        .set_key(Some(sdk_item(&request.key)))
        .update_expression(&request.update.text)
        .set_condition_expression(text(request.condition.as_ref()))
        .set_expression_attribute_names(placeholders.names)
        .set_expression_attribute_values(placeholders.values)
        .set_return_values(return_value(request.returned))
        .set_return_values_on_condition_check_failure(on_failure(request.condition.is_some()))
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .send()
        .await
        .map_err(|error| backend.failures.of(error, &request.table))?;
    written(answer.attributes, answer.consumed_capacity.as_slice())
}

pub(crate) async fn delete(backend: &Backend, request: &Delete) -> Result<Written, StoreError> {
    let placeholders = Placeholders::of([request.condition.as_ref()]);
    let answer = backend
        .client
        .delete_item()
        .table_name(&request.table)
        .set_key(Some(sdk_item(&request.key)))
        .set_condition_expression(text(request.condition.as_ref()))
        .set_expression_attribute_names(placeholders.names)
        .set_expression_attribute_values(placeholders.values)
        .set_return_values(return_value(request.returned))
        .set_return_values_on_condition_check_failure(on_failure(request.condition.is_some()))
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .send()
        .await
        .map_err(|error| backend.failures.of(error, &request.table))?;
    written(answer.attributes, answer.consumed_capacity.as_slice())
}

pub(crate) async fn transact_write(
    backend: &Backend,
    request: &TransactWrite,
) -> Result<Written, StoreError> {
    let items = request.actions.iter().map(transact_item).collect::<Result<_, _>>();
    let items = items.map_err(|error: BuildError| StoreError::Refused(error.to_string()))?;
    let table = request.actions.first().map_or("", Action::table);
    let answer = backend
        .client
        .transact_write_items()
        .set_transact_items(Some(items))
        .set_client_request_token(request.token.clone())
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .send()
        .await
        .map_err(|error| backend.failures.of(error, table))?;
    Ok(Written { item: None, consumed: consumed(Access::Write, answer.consumed_capacity.iter().flatten()) })
}

fn transact_item(action: &Action) -> Result<TransactWriteItem, BuildError> {
    let item = TransactWriteItem::builder();
    Ok(match action {
        Action::Put(put) => item.put(transact_put(put)?),
        Action::Update(update) => item.update(transact_update(update)?),
        Action::Delete(delete) => item.delete(transact_delete(delete)?),
        Action::Check { table, key, condition } => {
            let placeholders = Placeholders::of([Some(condition)]);
            let check = ConditionCheck::builder()
                .table_name(table)
                .set_key(Some(sdk_item(key)))
                .condition_expression(&condition.text)
                .set_expression_attribute_names(placeholders.names)
                .set_expression_attribute_values(placeholders.values)
                .set_return_values_on_condition_check_failure(on_failure(true));
            item.condition_check(check.build()?)
        }
    }
    .build())
}

fn transact_put(put: &Put) -> Result<SdkPut, BuildError> {
    let placeholders = Placeholders::of([put.condition.as_ref()]);
    SdkPut::builder()
        .table_name(&put.table)
        .set_item(Some(sdk_item(&put.item)))
        .set_condition_expression(text(put.condition.as_ref()))
        .set_expression_attribute_names(placeholders.names)
        .set_expression_attribute_values(placeholders.values)
        .set_return_values_on_condition_check_failure(on_failure(put.condition.is_some()))
        .build()
}

fn transact_update(update: &Update) -> Result<SdkUpdate, BuildError> {
    let placeholders = Placeholders::of([Some(&update.update), update.condition.as_ref()]);
    SdkUpdate::builder()
        .table_name(&update.table)
        .set_key(Some(sdk_item(&update.key)))
        .update_expression(&update.update.text)
        .set_condition_expression(text(update.condition.as_ref()))
        .set_expression_attribute_names(placeholders.names)
        .set_expression_attribute_values(placeholders.values)
        .set_return_values_on_condition_check_failure(on_failure(update.condition.is_some()))
        .build()
}

fn transact_delete(delete: &Delete) -> Result<SdkDelete, BuildError> {
    let placeholders = Placeholders::of([delete.condition.as_ref()]);
    SdkDelete::builder()
        .table_name(&delete.table)
        .set_key(Some(sdk_item(&delete.key)))
        .set_condition_expression(text(delete.condition.as_ref()))
        .set_expression_attribute_names(placeholders.names)
        .set_expression_attribute_values(placeholders.values)
        .set_return_values_on_condition_check_failure(on_failure(delete.condition.is_some()))
        .build()
}

fn return_value(returned: ReturnItem) -> Option<ReturnValue> {
    match returned {
        ReturnItem::None => None,
        ReturnItem::Old => Some(ReturnValue::AllOld),
        ReturnItem::New => Some(ReturnValue::AllNew),
    }
}

/// A failed condition brings the item that is there.
fn on_failure(conditional: bool) -> Option<OnFailure> {
    conditional.then_some(OnFailure::AllOld)
}

fn written(
    item: Option<SdkItem>,
    accounts: &[aws_sdk_dynamodb::types::ConsumedCapacity],
) -> Result<Written, StoreError> {
    let item = item.filter(|item| !item.is_empty()).map(encoded).transpose()?;
    Ok(Written { item, consumed: consumed(Access::Write, accounts) })
}
