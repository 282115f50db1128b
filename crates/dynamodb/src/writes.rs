//! Writes: `PutItem`, `UpdateItem`, `DeleteItem`, `TransactWriteItems`.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete as SdkDelete, Put as SdkPut, ReturnConsumedCapacity, ReturnValue,
    ReturnValuesOnConditionCheckFailure as OnFailure, TransactWriteItem, Update as SdkUpdate,
};
use singlet_store::{
    DeleteItem, PutItem, ReturnItem, StoreError, TransactAction, TransactWrite, UpdateItem, Written,
};

use crate::connection::Backend;
use crate::consumed::{Access, consumed};
use crate::expressions::Expressions;
use crate::values::{SdkItem, encoded, sdk_item};

pub(crate) async fn put(backend: &Backend, request: &PutItem) -> Result<Written, StoreError> {
    let mut expressions = Expressions::default();
    let condition = expressions.condition(request.condition.as_ref());
    let answer = backend
        .client
        .put_item()
        .table_name(&request.table)
        .set_item(Some(sdk_item(&request.item)))
        .set_condition_expression(condition)
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_return_values(return_value(request.returned))
        .set_return_values_on_condition_check_failure(on_failure(request.condition.is_some()))
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .send()
        .await
        .map_err(|error| backend.failures.of(error, &request.table))?;
    written(answer.attributes, answer.consumed_capacity.as_slice())
}

pub(crate) async fn update(backend: &Backend, request: &UpdateItem) -> Result<Written, StoreError> {
    let mut expressions = Expressions::default();
    let update = expressions.0.update(&request.update);
    let condition = expressions.condition(request.condition.as_ref());
    let answer = backend
        .client
        .update_item()
        .table_name(&request.table)
        .set_key(Some(sdk_item(&request.key)))
        .update_expression(update)
        .set_condition_expression(condition)
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_return_values(return_value(request.returned))
        .set_return_values_on_condition_check_failure(on_failure(request.condition.is_some()))
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .send()
        .await
        .map_err(|error| backend.failures.of(error, &request.table))?;
    written(answer.attributes, answer.consumed_capacity.as_slice())
}

pub(crate) async fn delete(backend: &Backend, request: &DeleteItem) -> Result<Written, StoreError> {
    let mut expressions = Expressions::default();
    let condition = expressions.condition(request.condition.as_ref());
    let answer = backend
        .client
        .delete_item()
        .table_name(&request.table)
        .set_key(Some(sdk_item(&request.key)))
        .set_condition_expression(condition)
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
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
    let table = request.actions.first().map_or("", TransactAction::table);
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

fn transact_item(action: &TransactAction) -> Result<TransactWriteItem, BuildError> {
    let item = TransactWriteItem::builder();
    Ok(match action {
        TransactAction::Put(put) => item.put(transact_put(put)?),
        TransactAction::Update(update) => item.update(transact_update(update)?),
        TransactAction::Delete(delete) => item.delete(transact_delete(delete)?),
        TransactAction::Check { table, key, condition } => {
            let mut expressions = Expressions::default();
            let condition = expressions.0.condition(condition);
            let check = ConditionCheck::builder()
                .table_name(table)
                .set_key(Some(sdk_item(key)))
                .condition_expression(condition)
                .set_expression_attribute_names(expressions.names())
                .set_expression_attribute_values(expressions.values())
                .set_return_values_on_condition_check_failure(on_failure(true));
            item.condition_check(check.build()?)
        }
    }
    .build())
}

fn transact_put(put: &PutItem) -> Result<SdkPut, BuildError> {
    let mut expressions = Expressions::default();
    let condition = expressions.condition(put.condition.as_ref());
    SdkPut::builder()
        .table_name(&put.table)
        .set_item(Some(sdk_item(&put.item)))
        .set_condition_expression(condition)
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_return_values_on_condition_check_failure(on_failure(put.condition.is_some()))
        .build()
}

fn transact_update(request: &UpdateItem) -> Result<SdkUpdate, BuildError> {
    let mut expressions = Expressions::default();
    let update = expressions.0.update(&request.update);
    let condition = expressions.condition(request.condition.as_ref());
    SdkUpdate::builder()
        .table_name(&request.table)
        .set_key(Some(sdk_item(&request.key)))
        .update_expression(update)
        .set_condition_expression(condition)
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
        .set_return_values_on_condition_check_failure(on_failure(request.condition.is_some()))
        .build()
}

fn transact_delete(delete: &DeleteItem) -> Result<SdkDelete, BuildError> {
    let mut expressions = Expressions::default();
    let condition = expressions.condition(delete.condition.as_ref());
    SdkDelete::builder()
        .table_name(&delete.table)
        .set_key(Some(sdk_item(&delete.key)))
        .set_condition_expression(condition)
        .set_expression_attribute_names(expressions.names())
        .set_expression_attribute_values(expressions.values())
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
