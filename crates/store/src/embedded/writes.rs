//! Writes: `PutItem`, `UpdateItem`, `DeleteItem`, `TransactWriteItems`.

use singlet_engine::{self as engine, Database, ReturnValues, WriteOutcome};
use singlet_expr::{Condition, ExpressionKind};

use super::error::{refused, store_error};
use super::reads::{consumed, consumed_together};
use crate::error::StoreError;
use crate::request::{DeleteItem, PutItem, ReturnItem, TransactAction, TransactWrite, UpdateItem, Written};

pub(super) async fn put(database: &Database, request: PutItem) -> Result<Written, StoreError> {
    let table = request.table.clone();
    written(database.submit_put_item(put_item(request)?).await, &table)
}

pub(super) async fn update(database: &Database, request: UpdateItem) -> Result<Written, StoreError> {
    let table = request.table.clone();
    written(database.submit_update_item(update_item(request)?).await, &table)
}

pub(super) async fn delete(database: &Database, request: DeleteItem) -> Result<Written, StoreError> {
    let table = request.table.clone();
    written(database.submit_delete_item(delete_item(request)?).await, &table)
}

pub(super) async fn transact_write(
    database: &Database,
    request: TransactWrite,
) -> Result<Written, StoreError> {
    let table = request.actions.first().map(|action| action.table().to_owned()).unwrap_or_default();
    let actions = request.actions.into_iter().map(action).collect::<Result<_, _>>()?;
    let mut transaction = engine::TransactWrite::new(actions);
    transaction.token = request.token;
    transaction.yields = request.yields;
    let outcome =
        database.submit_transact_write(transaction).await.map_err(|error| store_error(error, &table))?;
    Ok(Written { item: None, consumed: consumed_together(outcome.consumed) })
}

fn action(action: TransactAction) -> Result<engine::TransactAction, StoreError> {
    Ok(match action {
        TransactAction::Put(put) => put_item(put)?.into(),
        TransactAction::Update(update) => update_item(update)?.into(),
        TransactAction::Delete(delete) => delete_item(delete)?.into(),
        TransactAction::Check { table, key, condition } => {
            check_condition(Some(&condition))?;
            engine::TransactAction::Check { table, key, condition, return_old_on_failure: true }
        }
    })
}

fn put_item(request: PutItem) -> Result<engine::PutItem, StoreError> {
    check_condition(request.condition.as_ref())?;
    let mut put = engine::PutItem::new(request.table, request.item);
    put.condition = request.condition;
    put.return_values = return_values(request.returned);
    put.return_old_on_failure = true;
    Ok(put)
}

fn update_item(request: UpdateItem) -> Result<engine::UpdateItem, StoreError> {
    request.update.check().map_err(refused)?;
    check_condition(request.condition.as_ref())?;
    let mut update = engine::UpdateItem::new(request.table, request.key, request.update);
    update.condition = request.condition;
    update.return_values = return_values(request.returned);
    update.return_old_on_failure = true;
    Ok(update)
}

fn delete_item(request: DeleteItem) -> Result<engine::DeleteItem, StoreError> {
    check_condition(request.condition.as_ref())?;
    let mut delete = engine::DeleteItem::new(request.table, request.key);
    delete.condition = request.condition;
    delete.return_values = return_values(request.returned);
    delete.return_old_on_failure = true;
    Ok(delete)
}

/// The engine expects trees that have been checked, as the protocol's parser does.
fn check_condition(condition: Option<&Condition>) -> Result<(), StoreError> {
    condition.map_or(Ok(()), |condition| condition.check(ExpressionKind::Condition)).map_err(refused)
}

fn return_values(returned: ReturnItem) -> ReturnValues {
    match returned {
        ReturnItem::None => ReturnValues::None,
        ReturnItem::Old => ReturnValues::AllOld,
        ReturnItem::New => ReturnValues::AllNew,
    }
}

fn written(outcome: engine::Result<WriteOutcome>, table: &str) -> Result<Written, StoreError> {
    let outcome = outcome.map_err(|error| store_error(error, table))?;
    Ok(Written { item: outcome.attributes, consumed: consumed(outcome.consumed) })
}
