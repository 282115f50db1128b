//! Reading several items by key.

use std::collections::HashSet;

use singlet_values::EncodedItem;

use super::Snapshot;
use super::get::{find, project};
use crate::capacity::{Consumed, ReadKind, Units};
use crate::error::{CancellationReason, Error, Invalid, Result};
use crate::request::{
    BatchGet, BatchGetOutcome, BatchGetTable, BatchGetTableOutcome, TransactGet, TransactGetItem,
    TransactGetOutcome,
};

/// The most keys in a batch or transaction.
const KEYS_MAX: usize = singlet_values::limits::BATCH_GET_KEYS_MAX;
/// The most bytes that a batch returns.
const BATCH_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The most bytes that a transaction reads.
const TRANSACTION_BYTES_MAX: usize = singlet_values::limits::TRANSACTION_BYTES_MAX;

/// Reads items from one or more tables. All come from one snapshot.
pub(crate) fn batch_get(view: &Snapshot, request: &BatchGet) -> Result<BatchGetOutcome> {
    if request.tables.iter().map(|table| table.keys.len()).sum::<usize>() > KEYS_MAX {
        return Err(Invalid::TooManyItems("BatchGetItem").into());
    }
    for table in &request.tables {
        check_distinct(view, table)?;
    }
    let mut bytes_left = BATCH_BYTES_MAX;
    let tables = request.tables.iter().map(|table| get_table(view, table, &mut bytes_left));
    Ok(BatchGetOutcome { tables: tables.collect::<Result<_>>()? })
}

fn check_distinct(view: &Snapshot, request: &BatchGetTable) -> Result<()> {
    let table = view.catalogue().table(&request.table)?;
    let mut seen = HashSet::new();
    for key in &request.keys {
        if !seen.insert(table.encode_key(key)?.0) {
            return Err(Invalid::DuplicateKeys.into());
        }
    }
    Ok(())
}

fn get_table(
    view: &Snapshot,
    request: &BatchGetTable,
    bytes_left: &mut usize,
) -> Result<BatchGetTableOutcome> {
    let table = view.catalogue().table(&request.table)?;
    let kind = ReadKind::from_consistent(request.consistent);
    let mut outcome =
        BatchGetTableOutcome { label: request.label.clone(), ..BatchGetTableOutcome::default() };
    outcome.consumed = Consumed::of(&table.name);
    for (position, key) in request.keys.iter().enumerate() {
        let found = find(view, table, key)?;
        let bytes = found.as_ref().map_or(0, EncodedItem::size_bytes);
        if bytes > *bytes_left {
            outcome.unprocessed.extend(position..request.keys.len());
            *bytes_left = 0;
            break;
        }
        *bytes_left -= bytes;
        outcome.consumed.table_units.add(Units::read(kind.units(bytes)));
        outcome.items.extend(found.map(|item| project(item, request.projection.as_ref())));
    }
    Ok(outcome)
}

/// Reads items at one point of the commit order. A snapshot is such a point, so there are no conflicts.
pub(crate) fn transact_get(view: &Snapshot, request: &TransactGet) -> Result<TransactGetOutcome> {
    if request.items.len() > KEYS_MAX {
        return Err(Invalid::TooManyItems("TransactGetItems").into());
    }
    check_keys(view, &request.items)?;
    let mut outcome = TransactGetOutcome::default();
    let mut bytes_left = TRANSACTION_BYTES_MAX;
    for get in &request.items {
        let table = view.catalogue().table(&get.table)?;
        let found = find(view, table, &get.key)?;
        let bytes = found.as_ref().map_or(0, EncodedItem::size_bytes);
        bytes_left = bytes_left.checked_sub(bytes).ok_or(Invalid::TransactionTooLarge)?;
        let mut consumed = Consumed::of(&table.name);
        consumed.table_units = Units::read(ReadKind::Transactional.units(bytes));
        consumed.merge_into(&mut outcome.consumed);
        outcome.items.push(found.map(|item| project(item, get.projection.as_ref())));
    }
    Ok(outcome)
}

/// Invalid keys cancel a transaction with a reason for each. A duplicate item refuses it.
fn check_keys(view: &Snapshot, items: &[TransactGetItem]) -> Result<()> {
    let mut seen = HashSet::new();
    let mut reasons = Vec::with_capacity(items.len());
    for get in items {
        let table = view.catalogue().table(&get.table)?;
        match table.encode_key(&get.key) {
            Ok((row, _)) => {
                if !seen.insert(row) {
                    return Err(Invalid::DuplicateTransactionItems.into());
                }
                reasons.push(CancellationReason::None);
            }
            Err(Error::Invalid(invalid)) => reasons.push(CancellationReason::Invalid(invalid)),
            Err(other) => return Err(other),
        }
    }
    if reasons.iter().all(|reason| matches!(reason, CancellationReason::None)) {
        Ok(())
    } else {
        Err(Error::TransactionCanceled { reasons })
    }
}
