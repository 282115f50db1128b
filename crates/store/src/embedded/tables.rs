//! Tables: their shapes to and from the engine's definitions.

use singlet_engine::{
    AttributeDefinition, BillingMode, CreateTable, Database, Error, IndexDefinition, IndexDescription,
    IndexStatus, IndexUpdate, ScalarType, StreamChange, StreamView, TableDescription, TableStatus,
    TimeToLiveStatus, UpdateRecovery, UpdateTable, UpdateTimeToLive,
};

use super::error::store_error;
use crate::error::StoreError;
use crate::table::{CapacityChange, IndexShape, IndexState, TableChange, TableShape, TableState};

/// Stream records carry both images, so that every reader finds what it needs.
const STREAM_VIEW: StreamView = StreamView::NewAndOldImages;

pub(super) fn describe(database: &Database, name: &str) -> Result<Option<TableState>, StoreError> {
    match database.describe_table(name) {
        Ok(description) => {
            let mut state = state(&description);
            let window = database.recovery_window(name).map_err(|error| store_error(error, name))?;
            state.shape.recovery_days = window.map(|window| window.period_days);
            state.shape.backup = database.backup_schedule(name).map_err(|error| store_error(error, name))?;
            Ok(Some(state))
        }
        Err(Error::ResourceNotFound(_) | Error::TableNotFound) => Ok(None),
        Err(error) => Err(store_error(error, name)),
    }
}

pub(super) async fn change(database: &Database, change: &TableChange) -> Result<(), StoreError> {
    let done = match change {
        TableChange::Create(shape) => create(database, shape).await,
        TableChange::CreateIndex { table, index } => {
            let mut update = UpdateTable::new(table).create_index(definition(index));
            for attribute in index.partition.iter().chain(&index.sort) {
                update = update.attribute(&attribute.name, attribute.scalar);
            }
            update_table(database, update).await
        }
        TableChange::DeleteIndex { table, index } => {
            update_table(database, UpdateTable::new(table).delete_index(index)).await
        }
        TableChange::Protect { table, protected } => {
            let mut update = UpdateTable::new(table);
            update.deletion_protection = Some(*protected);
            update_table(database, update).await
        }
        TableChange::TimeToLive { table, attribute } => {
            time_to_live(database, table, attribute.as_deref()).await
        }
        TableChange::Stream { table, enabled } => {
            let change = if *enabled { StreamChange::Enable(STREAM_VIEW) } else { StreamChange::Disable };
            update_table(database, UpdateTable::new(table).stream(change)).await
        }
        TableChange::Recovery { table, days } => {
            let update = match days {
                Some(days) => UpdateRecovery::on(table).period_days(*days),
                None => UpdateRecovery::off(table),
            };
            database.submit_update_recovery(update).await
        }
        TableChange::Backup { table, schedule } => database.set_backup_schedule(table, *schedule),
        TableChange::Capacity { table, change } => update_table(database, capacity(table, change)).await,
        TableChange::Delete { table } => database.submit_delete_table(table).await.map(|_| ()),
    };
    done.map_err(|error| store_error(error, change.table()))
}

async fn update_table(database: &Database, update: UpdateTable) -> Result<(), Error> {
    database.submit_update_table(update).await.map(|_| ())
}

async fn create(database: &Database, shape: &TableShape) -> Result<(), Error> {
    database.submit_create_table(create_table(shape)).await?;
    if let Some(days) = shape.recovery_days {
        database.submit_update_recovery(UpdateRecovery::on(&shape.name).period_days(days)).await?;
    }
    if shape.backup.is_some() {
        database.set_backup_schedule(&shape.name, shape.backup)?;
    }
    Ok(())
}

/// Turns time to live on, or off if `attribute` is `None`. A design that is applied to the user's own data need not
/// wait an hour between two changes.
async fn time_to_live(database: &Database, table: &str, attribute: Option<&str>) -> Result<(), Error> {
    let request = match attribute {
        Some(attribute) => UpdateTimeToLive::enable(table, attribute),
        // The request that turns it off must name the attribute.
        None => match database.describe_time_to_live(table)?.attribute {
            Some(attribute) => UpdateTimeToLive::disable(table, attribute),
            None => return Ok(()),
        },
    };
    database.submit_update_time_to_live(request.at_any_time()).await.map(|_| ())
}

fn capacity(table: &str, change: &CapacityChange) -> UpdateTable {
    let mut update = UpdateTable::new(table);
    match change {
        CapacityChange::OnDemand => update.billing = Some(BillingMode::PayPerRequest),
        CapacityChange::Provisioned { own, indexes } => {
            update.billing = own.map(|_| BillingMode::Provisioned);
            update.provisioned = *own;
            let changes = indexes.iter().map(|(name, units)| IndexUpdate::Update {
                name: name.clone(),
                provisioned: Some(*units),
                on_demand: None,
                warm: None,
            });
            update.indexes.extend(changes);
        }
    }
    update
}

fn create_table(shape: &TableShape) -> CreateTable {
    let mut table = CreateTable::new(&shape.name, &shape.partition.name, shape.partition.scalar);
    if let Some(sort) = &shape.sort {
        table = table.sort_key(&sort.name, sort.scalar);
    }
    table.deletion_protection = shape.protected;
    table.stream = shape.stream.then_some(STREAM_VIEW);
    table.time_to_live.clone_from(&shape.ttl);
    if shape.throughput.is_some() {
        (table.billing, table.provisioned) = (BillingMode::Provisioned, shape.throughput);
    }
    for index in &shape.indexes {
        for attribute in index.partition.iter().chain(&index.sort) {
            table = table.attribute(&attribute.name, attribute.scalar);
        }
        table = if index.local {
            table.local_index(definition(index))
        } else {
            table.global_index(definition(index))
        };
    }
    table
}

fn definition(index: &IndexShape) -> IndexDefinition {
    fn names(attributes: &[AttributeDefinition]) -> Vec<&str> {
        attributes.iter().map(|attribute| attribute.name.as_str()).collect()
    }
    let definition = IndexDefinition::new(&index.name, &names(&index.partition), &names(&index.sort))
        .projection(index.projection.clone());
    IndexDefinition { provisioned: index.throughput, ..definition }
}

fn state(description: &TableDescription) -> TableState {
    let is_provisioned = description.billing == BillingMode::Provisioned;
    let local = description.local_indexes.iter().map(|index| (index, true));
    let global = description.global_indexes.iter().map(|index| (index, false));
    let indexes: Vec<(&IndexDescription, bool)> = local.chain(global).collect();
    let key =
        |names: &[String]| names.iter().map(|name| key_attribute(description, name)).collect::<Vec<_>>();
    let mut partition = key(&description.key.partition);
    let shape = TableShape {
        name: description.name.clone(),
        // A table always has a partition attribute: the engine makes none without.
        partition: partition.pop().unwrap_or_else(|| key_attribute(description, "")),
        sort: key(&description.key.sort).pop(),
        indexes: indexes
            .iter()
            .map(|(index, local)| IndexShape {
                name: index.definition.name.clone(),
                partition: key(&index.definition.key.partition),
                sort: key(&index.definition.key.sort),
                projection: index.definition.projection.clone(),
                local: *local,
                throughput: index.definition.provisioned.filter(|_| !local && is_provisioned),
            })
            .collect(),
        protected: description.deletion_protection,
        ttl: match description.time_to_live.status {
            TimeToLiveStatus::Enabling | TimeToLiveStatus::Enabled => {
                description.time_to_live.attribute.clone()
            }
            TimeToLiveStatus::Disabling | TimeToLiveStatus::Disabled => None,
        },
        stream: description.stream.is_some(),
        recovery_days: None,
        backup: None,
        throughput: is_provisioned.then_some(description.provisioned),
    };
    TableState {
        shape,
        active: matches!(description.status, TableStatus::Active | TableStatus::Updating),
        indexes: indexes.iter().map(|(index, _)| index_state(index.status)).collect(),
        items: description.item_count,
    }
}

fn key_attribute(description: &TableDescription, name: &str) -> AttributeDefinition {
    let known = description.attributes.iter().find(|attribute| attribute.name == name);
    AttributeDefinition {
        name: name.to_owned(),
        scalar: known.map_or(ScalarType::S, |attribute| attribute.scalar),
    }
}

fn index_state(status: IndexStatus) -> IndexState {
    match status {
        IndexStatus::Creating => IndexState::Creating,
        IndexStatus::Updating | IndexStatus::Active => IndexState::Active,
        IndexStatus::Deleting => IndexState::Deleting,
    }
}
