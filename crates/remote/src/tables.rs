//! Tables: their shapes to and from the SDK's definitions.

mod changes;
mod shapes;

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::types::TimeToLiveStatus;
use singlet_design::store::{StoreError, TableState};

use crate::Backend;
pub(crate) use changes::change;

/// What a table looks like now; `ttl` says whether the service can be asked about time to live.
pub(crate) async fn describe(
    backend: &Backend,
    name: &str,
    ttl: bool,
) -> Result<Option<TableState>, StoreError> {
    let answer = match backend.client.describe_table().table_name(name).send().await {
        Ok(answer) => answer,
        Err(SdkError::ServiceError(error)) if error.err().is_resource_not_found_exception() => {
            return Ok(None);
        }
        Err(error) => return Err(backend.failures.of(error, name)),
    };
    let Some(table) = answer.table else { return Ok(None) };
    let mut state = shapes::state(&table)?;
    if ttl {
        state.shape.ttl = time_to_live(backend, name).await?;
    }
    Ok(Some(state))
}

async fn time_to_live(backend: &Backend, name: &str) -> Result<Option<String>, StoreError> {
    let answer = backend.client.describe_time_to_live().table_name(name).send().await;
    let answer = answer.map_err(|error| backend.failures.of(error, name))?;
    let Some(setting) = answer.time_to_live_description else { return Ok(None) };
    match setting.time_to_live_status {
        Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling) => Ok(setting.attribute_name),
        _ => Ok(None),
    }
}
