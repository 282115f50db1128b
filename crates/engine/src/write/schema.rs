//! Changes to tables, in the same commit order as changes to items.

use std::sync::Arc;

use bytes::Bytes;

use super::JobBatch;
use super::backup::is_being_backed_up;
use super::recovery::keep_deleted;
use super::streams::{begin_stream, change_stream, end_stream};
use crate::error::{Error, InUse, Invalid, Result};
use crate::keyspace::{RowSpace, next_table_number_key};
use crate::options::StreamOptions;
use crate::request::{
    CreateTable, TableDescription, TableStatus, Tag, TimeToLive, UpdateTable, UpdateTimeToLive,
};
use crate::table::{Birth, Table};

/// The most tables in a database, as in an AWS account.
const TABLES_MAX: usize = 2_500;
const TOO_MANY_TABLES: &str = "Subscriber limit exceeded: There is a limit of 2500 tables";

/// Creates a table.
pub(super) fn create_table(
    batch: &mut JobBatch<'_>,
    request: CreateTable,
    arn: &str,
    streams: &StreamOptions,
) -> Result<TableDescription> {
    // A restored table takes over the request of its source, and is described as encrypted if it is.
    batch.catalogue().check_encryption(request.encryption.as_ref())?;
    let stream = request.stream;
    let mut table = new_table(batch, request, arn)?;
    if let Some(view) = stream {
        begin_stream(batch, &mut table, view, streams);
    }
    let table = store(batch, table);
    Ok(TableDescription { status: TableStatus::Creating, ..describe(batch, &table) })
}

/// Creates a table with a new number, without storing it.
pub(super) fn new_table(batch: &mut JobBatch<'_>, request: CreateTable, arn: &str) -> Result<Table> {
    let catalogue = batch.catalogue();
    if catalogue.resource(&request.name).is_ok() {
        return Err(Error::ResourceInUse(InUse::TableExists(request.name)));
    }
    if catalogue.tables().count() >= TABLES_MAX {
        return Err(Error::LimitExceeded(TOO_MANY_TABLES));
    }
    let number = next_number(batch)?;
    let birth = Birth { number, time_ms: batch.time_ms(), arn_prefix: arn };
    let table = Table::create(request, birth)?;
    batch.put(next_table_number_key(), Bytes::copy_from_slice(&(number + 1).to_be_bytes()));
    Ok(table)
}

fn next_number(batch: &JobBatch<'_>) -> Result<u32> {
    let stored = batch.get(&next_table_number_key())?;
    // Number 0 belongs to the database itself.
    Ok(stored.as_deref().and_then(|bytes| bytes.try_into().ok()).map_or(1, u32::from_be_bytes))
}

/// Changes settings or indexes of a table.
pub(super) fn alter_table(
    batch: &mut JobBatch<'_>,
    request: UpdateTable,
    streams: &StreamOptions,
) -> Result<TableDescription> {
    let stream = request.stream;
    let table = batch.catalogue().resource(&request.name)?.clone();
    batch.catalogue().check_encryption(request.encryption.as_ref())?;
    check_loaded(&table)?;
    let mut table = table.alter(request, batch.time_ms())?;
    if let Some(change) = stream {
        change_stream(batch, &mut table, change, streams)?;
    }
    let table = store(batch, table);
    Ok(TableDescription { status: TableStatus::Updating, ..describe(batch, &table) })
}

/// Deletes a table. Its name is free at once, and its rows are removed in the background.
pub(super) fn delete_table(batch: &mut JobBatch<'_>, name: &str) -> Result<TableDescription> {
    let table = batch.catalogue().resource(name)?.clone();
    check_loaded(&table)?;
    if is_being_backed_up(batch, table.number)? {
        return Err(Error::ResourceInUse(InUse::BeingBackedUp(table.name.clone())));
    }
    if table.settings.deletion_protection {
        return Err(Invalid::DeletionProtected.into());
    }
    let description = TableDescription { status: TableStatus::Deleting, ..describe(batch, &table) };
    remove(batch, &table);
    Ok(description)
}

/// Refuses to change a table whose first items are still being written.
fn check_loaded(table: &Table) -> Result<()> {
    if table.is_loading() {
        return Err(Error::ResourceInUse(InUse::BeingCreated(table.name.clone())));
    }
    Ok(())
}

/// Removes a table from the catalogue and schedules the removal of its rows. The items of a table that can be
/// recovered stay.
pub(super) fn remove(batch: &mut JobBatch<'_>, table: &Table) {
    end_stream(batch, table.number);
    batch.delete(RowSpace::descriptors().key(table.name.as_bytes()));
    let indexes = table.indexes.iter().map(|index| table.entries(index));
    let expiries = table.settings.ttl.as_ref().map(|_| table.expiries());
    let items = (!keep_deleted(batch, table)).then(|| table.items());
    let collections = RowSpace::collections(table.number);
    let spaces = items.into_iter().chain([collections]).chain(indexes).chain(expiries);
    for space in spaces {
        let tally = batch.tally_of(space.tally());
        batch.tally(space.tally(), -count(tally.count), -count(tally.bytes));
        batch.put(RowSpace::purges().key(&space.prefix()), Bytes::new());
    }
    let catalogue = batch.catalogue().without(table);
    batch.set_catalogue(Arc::new(catalogue));
}

/// Turns time to live on or off. The rows of existing items are changed in the background.
pub(super) fn set_time_to_live(batch: &mut JobBatch<'_>, request: UpdateTimeToLive) -> Result<TimeToLive> {
    let table = batch.catalogue().resource(&request.table)?.clone();
    let table = table.with_time_to_live(request, batch.time_ms())?;
    Ok(store(batch, table).time_to_live())
}

/// Sets tags.
pub(super) fn tag_table(batch: &mut JobBatch<'_>, name: &str, tags: &[Tag]) -> Result<()> {
    let table = batch.catalogue().resource(name)?.tag(tags)?;
    store(batch, table);
    Ok(())
}

/// Removes tags.
pub(super) fn untag_table(batch: &mut JobBatch<'_>, name: &str, keys: &[String]) -> Result<()> {
    let table = batch.catalogue().resource(name)?.untag(keys);
    store(batch, table);
    Ok(())
}

/// Stores a table's descriptor and publishes it.
pub(super) fn store(batch: &mut JobBatch<'_>, table: Table) -> Arc<Table> {
    let table = Arc::new(table);
    batch.put(RowSpace::descriptors().key(table.name.as_bytes()), table.encode().clone().into_bytes());
    let catalogue = batch.catalogue().with(table.clone());
    batch.set_catalogue(Arc::new(catalogue));
    table
}

pub(super) fn describe(batch: &JobBatch<'_>, table: &Table) -> TableDescription {
    batch.catalogue().describe(table, |space| batch.tally_of(space.tally()))
}

fn count(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
