//! `INSERT`, `UPDATE` and `DELETE` as requests of the engine.

use singlet_engine::{
    Database, DeleteItem, Error, Pending, PutItem, ReturnValues, TransactAction, UpdateItem, WriteOutcome,
};
use singlet_partiql::{Delete, Insert, Returning, Statement, StatementError, Update};
use singlet_values::Item;

use super::Prepared;
use crate::error::Failure;

/// A write of one item.
pub(crate) enum StatementWrite {
    Insert(PutItem),
    Update(UpdateItem),
    Delete(DeleteItem),
}

impl StatementWrite {
    /// The request of a statement that writes; `None` for one that reads.
    pub(crate) fn of(
        prepared: &Prepared,
        return_old_on_failure: bool,
    ) -> Result<Option<StatementWrite>, Failure> {
        let table = prepared.table.name.as_str();
        Ok(Some(match &prepared.statement {
            Statement::Insert(statement) => {
                let put = insert(prepared, table, statement)?;
                StatementWrite::Insert(PutItem { return_old_on_failure, ..put })
            }
            Statement::Update(statement) => {
                let update = update(prepared, table, statement)?;
                StatementWrite::Update(UpdateItem { return_old_on_failure, ..update })
            }
            Statement::Delete(statement) => {
                let delete = delete(prepared, table, statement)?;
                StatementWrite::Delete(DeleteItem { return_old_on_failure, ..delete })
            }
            Statement::Select(_) | Statement::Exists(_) => return Ok(None),
        }))
    }

    /// Whether the answer can contain an item.
    pub(crate) fn returns_item(&self) -> bool {
        match self {
            StatementWrite::Insert(put) => put.return_old_on_failure,
            StatementWrite::Update(update) => {
                update.return_values != ReturnValues::None || update.return_old_on_failure
            }
            StatementWrite::Delete(delete) => {
                delete.return_values != ReturnValues::None || delete.return_old_on_failure
            }
        }
    }

    /// Whether the statement has a `RETURNING` clause.
    pub(crate) fn has_returning(&self) -> bool {
        match self {
            StatementWrite::Insert(_) => false,
            StatementWrite::Update(update) => update.return_values != ReturnValues::None,
            StatementWrite::Delete(delete) => delete.return_values != ReturnValues::None,
        }
    }

    /// The key attributes of the item, possibly with others.
    pub(crate) fn subject(&self) -> &Item {
        match self {
            StatementWrite::Insert(put) => &put.item,
            StatementWrite::Update(update) => &update.key,
            StatementWrite::Delete(delete) => &delete.key,
        }
    }

    /// Hands the request to the engine, and says whether it is an `INSERT`.
    pub(crate) fn submit(self, database: &Database) -> Submitted {
        match self {
            StatementWrite::Insert(put) => {
                Submitted { pending: database.submit_put_item(put), inserts: true }
            }
            StatementWrite::Update(update) => {
                Submitted { pending: database.submit_update_item(update), inserts: false }
            }
            StatementWrite::Delete(delete) => {
                Submitted { pending: database.submit_delete_item(delete), inserts: false }
            }
        }
    }

    /// The request as a part of a transaction.
    pub(crate) fn into_action(self) -> TransactAction {
        match self {
            StatementWrite::Insert(put) => put.into(),
            StatementWrite::Update(update) => update.into(),
            StatementWrite::Delete(delete) => delete.into(),
        }
    }
}

/// A write that the engine has received.
pub(crate) struct Submitted {
    pending: Pending<WriteOutcome>,
    inserts: bool,
}

impl Submitted {
    /// Waits for the answer. An `INSERT` has one condition: that there is no item yet.
    pub(crate) async fn outcome(self) -> Result<WriteOutcome, Failure> {
        match self.pending.await {
            Ok(outcome) => Ok(outcome),
            Err(Error::ConditionFailed { item }) if self.inserts => Err(Failure::DuplicateItem(item)),
            Err(error) => Err(error.into()),
        }
    }
}

fn insert(prepared: &Prepared, table: &str, statement: &Insert) -> Result<PutItem, StatementError> {
    prepared.with_key(|key| statement.check_key(key))?;
    Ok(PutItem::new(table, statement.item.clone()).condition(prepared.item_is_missing()))
}

/// An update never creates an item.
fn update(prepared: &Prepared, table: &str, statement: &Update) -> Result<UpdateItem, StatementError> {
    let keyed = prepared.split(statement.condition.as_ref())?;
    let condition = match keyed.rest {
        Some(rest) => prepared.item_exists().and(rest),
        None => prepared.item_exists(),
    };
    let return_values = match statement.returning {
        None => ReturnValues::None,
        Some(Returning::AllOld) => ReturnValues::AllOld,
        Some(Returning::AllNew) => ReturnValues::AllNew,
        Some(Returning::ModifiedOld) => ReturnValues::UpdatedOld,
        Some(Returning::ModifiedNew) => ReturnValues::UpdatedNew,
    };
    let update = UpdateItem::new(table, keyed.key, statement.update.clone());
    Ok(update.condition(condition).return_values(return_values))
}

/// A delete of an item that doesn't exist succeeds, even with a condition.
fn delete(prepared: &Prepared, table: &str, statement: &Delete) -> Result<DeleteItem, StatementError> {
    let keyed = prepared.split(statement.condition.as_ref())?;
    let return_values = if statement.returns_old { ReturnValues::AllOld } else { ReturnValues::None };
    let condition = keyed.rest.map(|rest| prepared.item_is_missing().or(rest));
    Ok(DeleteItem { condition, return_values, ..DeleteItem::new(table, keyed.key) })
}
