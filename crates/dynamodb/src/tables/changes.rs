//! Changes of tables.

use std::time::Duration;

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::operation::update_table::builders::UpdateTableFluentBuilder;
use aws_sdk_dynamodb::types::{
    BillingMode, CreateGlobalSecondaryIndexAction, DeleteGlobalSecondaryIndexAction, GlobalSecondaryIndex,
    GlobalSecondaryIndexUpdate, LocalSecondaryIndex, PointInTimeRecoverySpecification, StreamSpecification,
    StreamViewType, TimeToLiveSpecification, UpdateGlobalSecondaryIndexAction,
};
use singlet_store::{CapacityChange, IndexShape, ProvisionedThroughput, StoreError, TableChange, TableShape};

use super::shapes::{definitions, key_schema, sdk_projection, sdk_throughput};
use super::{Asked, describe};
use crate::connection::Backend;

/// The first pause between questions whether a table is ready.
const PAUSE_MIN: Duration = Duration::from_millis(20);
/// The longest pause.
const PAUSE_MAX: Duration = Duration::from_secs(2);
/// How often is asked whether a table is ready: for more than ten minutes.
const QUESTIONS_MAX: u32 = 320;

/// Makes one change.
pub(crate) async fn change(backend: &Backend, change: &TableChange) -> Result<(), StoreError> {
    match change {
        TableChange::Create(shape) => create(backend, shape).await,
        TableChange::CreateIndex { table, index } => {
            let (definitions, action) = create_index(index).map_err(incomplete)?;
            let update = backend.client.update_table().table_name(table);
            let update = update.set_attribute_definitions(Some(definitions));
            send(backend, update.global_secondary_index_updates(action), table).await
        }
        TableChange::DeleteIndex { table, index } => {
            let action =
                DeleteGlobalSecondaryIndexAction::builder().index_name(index).build().map_err(incomplete)?;
            let action = GlobalSecondaryIndexUpdate::builder().delete(action).build();
            let update = backend.client.update_table().table_name(table);
            send(backend, update.global_secondary_index_updates(action), table).await
        }
        TableChange::Protect { table, protected } => {
            let update = backend.client.update_table().table_name(table);
            send(backend, update.deletion_protection_enabled(*protected), table).await?;
            ready(backend, table).await
        }
        TableChange::TimeToLive { table, attribute } => {
            time_to_live(backend, table, attribute.as_deref()).await
        }
        TableChange::Stream { table, enabled } => {
            let stream = stream(*enabled).map_err(incomplete)?;
            let update = backend.client.update_table().table_name(table).stream_specification(stream);
            send(backend, update, table).await?;
            ready(backend, table).await
        }
        TableChange::Recovery { table, days } => recovery(backend, table, *days).await,
        // A plan has no such step for a store without the feature.
        TableChange::Backup { table, .. } => Err(StoreError::Refused(format!(
            "{table}: DynamoDB's protocol has no setting for backups by schedule"
        ))),
        TableChange::Capacity { table, change } => capacity(backend, table, change).await,
        TableChange::Delete { table } => {
            let answer = backend.client.delete_table().table_name(table).send().await;
            answer.map(|_| ()).map_err(|error| backend.failures.of(error, table))
        }
    }
}

async fn send(backend: &Backend, update: UpdateTableFluentBuilder, table: &str) -> Result<(), StoreError> {
    update.send().await.map(|_| ()).map_err(|error| backend.failures.of(error, table))
}

async fn create(backend: &Backend, shape: &TableShape) -> Result<(), StoreError> {
    let indexes = |local: bool| shape.indexes.iter().filter(move |index| index.local == local);
    let local = indexes(true).map(local_index).collect::<Result<Vec<_>, _>>().map_err(incomplete)?;
    let global = indexes(false).map(global_index).collect::<Result<Vec<_>, _>>().map_err(incomplete)?;
    let keys = shape.indexes.iter().flat_map(|index| index.partition.iter().chain(&index.sort));
    let keys = std::iter::once(&shape.partition).chain(&shape.sort).chain(keys);
    let partition = std::slice::from_ref(&shape.partition);
    let mut create = backend
        .client
        .create_table()
        .table_name(&shape.name)
        .set_attribute_definitions(Some(definitions(keys).map_err(incomplete)?))
        .set_key_schema(Some(key_schema(partition, shape.sort.as_slice()).map_err(incomplete)?))
        .set_local_secondary_indexes((!local.is_empty()).then_some(local))
        .set_global_secondary_indexes((!global.is_empty()).then_some(global))
        .billing_mode(billing_mode(shape.throughput))
        .set_provisioned_throughput(sdk_throughput(shape.throughput).map_err(incomplete)?)
        .deletion_protection_enabled(shape.protected);
    if shape.stream {
        create = create.stream_specification(stream(true).map_err(incomplete)?);
    }
    match create.send().await {
        Ok(_) => {}
        // A table of this name is there: it is not this request's.
        Err(error) if error.as_service_error().is_some_and(|error| error.is_resource_in_use_exception()) => {
            return Err(StoreError::Refused(format!(
                "{} has a table {} already",
                backend.failures.label(),
                shape.name
            )));
        }
        Err(error) => return Err(backend.failures.of(error, &shape.name)),
    }
    ready(backend, &shape.name).await?;
    if let Some(attribute) = &shape.ttl {
        time_to_live(backend, &shape.name, Some(attribute)).await?;
    }
    match shape.recovery_days {
        Some(days) => recovery(backend, &shape.name, Some(days)).await,
        None => Ok(()),
    }
}

async fn recovery(backend: &Backend, table: &str, days: Option<u32>) -> Result<(), StoreError> {
    let setting = PointInTimeRecoverySpecification::builder()
        .point_in_time_recovery_enabled(days.is_some())
        .set_recovery_period_in_days(days.and_then(|days| i32::try_from(days).ok()))
        .build()
        .map_err(incomplete)?;
    let update = backend.client.update_continuous_backups().table_name(table);
    let answer = update.point_in_time_recovery_specification(setting).send().await;
    answer.map(|_| ()).map_err(|error| backend.failures.of(error, table))
}

/// Changes the capacity of a table or of its indexes, and waits until it is done.
async fn capacity(backend: &Backend, table: &str, change: &CapacityChange) -> Result<(), StoreError> {
    let update = backend.client.update_table().table_name(table);
    let update = match change {
        CapacityChange::OnDemand => update.billing_mode(BillingMode::PayPerRequest),
        CapacityChange::Provisioned { own, indexes } => {
            let indexes = indexes.iter().map(|(name, units)| index_capacity(name, *units));
            let indexes = indexes.collect::<Result<Vec<_>, _>>().map_err(incomplete)?;
            update
                .set_billing_mode(own.map(|_| BillingMode::Provisioned))
                .set_provisioned_throughput(sdk_throughput(*own).map_err(incomplete)?)
                .set_global_secondary_index_updates((!indexes.is_empty()).then_some(indexes))
        }
    };
    send(backend, update, table).await?;
    ready(backend, table).await
}

fn index_capacity(
    name: &str,
    units: ProvisionedThroughput,
) -> Result<GlobalSecondaryIndexUpdate, BuildError> {
    let action = UpdateGlobalSecondaryIndexAction::builder()
        .index_name(name)
        .set_provisioned_throughput(sdk_throughput(Some(units))?)
        .build()?;
    Ok(GlobalSecondaryIndexUpdate::builder().update(action).build())
}

fn billing_mode(throughput: Option<ProvisionedThroughput>) -> BillingMode {
    if throughput.is_some() { BillingMode::Provisioned } else { BillingMode::PayPerRequest }
}

fn local_index(index: &IndexShape) -> Result<LocalSecondaryIndex, BuildError> {
    LocalSecondaryIndex::builder()
        .index_name(&index.name)
        .set_key_schema(Some(key_schema(&index.partition, &index.sort)?))
        .projection(sdk_projection(&index.projection))
        .build()
}

fn global_index(index: &IndexShape) -> Result<GlobalSecondaryIndex, BuildError> {
    GlobalSecondaryIndex::builder()
        .index_name(&index.name)
        .set_key_schema(Some(key_schema(&index.partition, &index.sort)?))
        .projection(sdk_projection(&index.projection))
        .set_provisioned_throughput(sdk_throughput(index.throughput)?)
        .build()
}

fn create_index(
    index: &IndexShape,
) -> Result<(Vec<aws_sdk_dynamodb::types::AttributeDefinition>, GlobalSecondaryIndexUpdate), BuildError> {
    let action = CreateGlobalSecondaryIndexAction::builder()
        .index_name(&index.name)
        .set_key_schema(Some(key_schema(&index.partition, &index.sort)?))
        .projection(sdk_projection(&index.projection))
        .set_provisioned_throughput(sdk_throughput(index.throughput)?)
        .build()?;
    let definitions = definitions(index.partition.iter().chain(&index.sort))?;
    Ok((definitions, GlobalSecondaryIndexUpdate::builder().create(action).build()))
}

fn stream(enabled: bool) -> Result<StreamSpecification, BuildError> {
    let stream = StreamSpecification::builder().stream_enabled(enabled);
    if enabled { stream.stream_view_type(StreamViewType::NewAndOldImages) } else { stream }.build()
}

/// Turns time to live on, or off if no attribute is given.
async fn time_to_live(backend: &Backend, table: &str, attribute: Option<&str>) -> Result<(), StoreError> {
    let attribute = match attribute {
        Some(attribute) => Some((attribute.to_owned(), true)),
        // To turn it off, the attribute must be named.
        None => {
            let state = describe(backend, table, Asked { time_to_live: true, recovery: false }).await?;
            state.and_then(|state| state.shape.ttl).map(|attribute| (attribute, false))
        }
    };
    let Some((attribute, enabled)) = attribute else { return Ok(()) };
    let setting = TimeToLiveSpecification::builder().attribute_name(attribute).enabled(enabled).build();
    let setting = setting.map_err(incomplete)?;
    let answer = backend
        .client
        .update_time_to_live()
        .table_name(table)
        .time_to_live_specification(setting)
        .send()
        .await;
    answer.map(|_| ()).map_err(|error| backend.failures.of(error, table))
}

/// Waits until a table is ready.
async fn ready(backend: &Backend, table: &str) -> Result<(), StoreError> {
    let mut pause = PAUSE_MIN;
    for _ in 0..QUESTIONS_MAX {
        if describe(backend, table, Asked::default()).await?.is_some_and(|state| state.active) {
            return Ok(());
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSE_MAX);
    }
    Err(StoreError::TryAgain(format!("{table} is not ready after ten minutes")))
}

/// The error of an incomplete builder, which never occurs, because shapes have all parts.
fn incomplete(error: BuildError) -> StoreError {
    StoreError::Refused(error.to_string())
}
