//! Writes: `PutItem`, `UpdateItem`, `DeleteItem`, `TransactWriteItems`.

use singlet_engine::{
    self as engine, Database, DeleteItem, PutItem, ReturnValues, TransactAction, UpdateItem, WriteOutcome,
};

use super::error::store_error;
use super::reads::consumed;
use crate::error::StoreError;
use crate::request::{Action, Delete, Put, ReturnItem, TransactWrite, Update, Written};
use crate::trees;

pub(super) fn put(database: &Database, request: &Put) -> Result<Written, StoreError> {
    written(database.put_item(put_item(request)?), &request.table)
}

pub(super) fn update(database: &Database, request: &Update) -> Result<Written, StoreError> {
    written(database.update_item(update_item(request)?), &request.table)
}

pub(super) fn delete(database: &Database, request: &Delete) -> Result<Written, StoreError> {
    written(database.delete_item(delete_item(request)?), &request.table)
}

pub(super) fn transact_write(database: &Database, request: &TransactWrite) -> Result<Written, StoreError> {
    let actions = request.actions.iter().map(action).collect::<Result<_, _>>()?;
    let mut transaction = engine::TransactWrite::new(actions);
    transaction.token.clone_from(&request.token);
    let table = request.actions.first().map_or("", Action::table);
    let outcome = database.transact_write(transaction).map_err(|error| store_error(error, table))?;
    Ok(Written { item: None, consumed: consumed(&outcome.consumed) })
}

fn action(action: &Action) -> Result<TransactAction, StoreError> {
    Ok(match action {
        Action::Put(put) => put_item(put)?.into(),
        Action::Update(update) => update_item(update)?.into(),
        Action::Delete(delete) => delete_item(delete)?.into(),
        Action::Check { table, key, condition } => TransactAction::Check {
            table: table.clone(),
            key: key.clone(),
            condition: condition.to_condition()?,
            return_old_on_failure: true,
        },
    })
}

fn put_item(request: &Put) -> Result<PutItem, StoreError> {
    let mut put = PutItem::new(request.table.clone(), request.item.clone());
    put.condition = trees::condition(request.condition.as_ref())?;
    put.return_values = return_values(request.returned);
    put.return_old_on_failure = true;
    Ok(put)
}

fn update_item(request: &Update) -> Result<UpdateItem, StoreError> {
    let (changes, condition) = request.to_trees()?;
    let mut update = UpdateItem::new(request.table.clone(), request.key.clone(), changes);
    update.condition = condition;
    update.return_values = return_values(request.returned);
    update.return_old_on_failure = true;
    Ok(update)
}

fn delete_item(request: &Delete) -> Result<DeleteItem, StoreError> {
    let mut delete = DeleteItem::new(request.table.clone(), request.key.clone());
    delete.condition = trees::condition(request.condition.as_ref())?;
    delete.return_values = return_values(request.returned);
    delete.return_old_on_failure = true;
    Ok(delete)
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
    Ok(Written { item: outcome.attributes, consumed: consumed([&outcome.consumed]) })
}
