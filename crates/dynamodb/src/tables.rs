//! Tables: their shapes to and from the SDK's definitions.

mod changes;
mod shapes;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{PointInTimeRecoveryDescription, PointInTimeRecoveryStatus, TimeToLiveStatus};
use singlet_store::{StoreError, TableState};

use crate::connection::Backend;
pub(crate) use changes::change;

/// How far recovery reaches if nothing is said.
const RECOVERY_DAYS_DEFAULT: i32 = 35;

/// Settings of a table besides its description; a service may lack them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked {
    pub(crate) time_to_live: bool,
    pub(crate) recovery: bool,
}

/// Returns the present shape of a table.
pub(crate) async fn describe(
    backend: &Backend,
    name: &str,
    asked: Asked,
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
    if asked.time_to_live {
        state.shape.ttl = time_to_live(backend, name).await?;
    }
    if asked.recovery {
        state.shape.recovery_days = recovery_days(backend, name).await?;
    }
    Ok(Some(state))
}

async fn recovery_days(backend: &Backend, name: &str) -> Result<Option<u32>, StoreError> {
    let answer = match backend.client.describe_continuous_backups().table_name(name).send().await {
        Ok(answer) => answer,
        // A user who may change tables isn't always allowed to ask about backups.
        Err(SdkError::ServiceError(error)) if error.err().code() == Some("AccessDeniedException") => {
            return Ok(None);
        }
        Err(error) => return Err(backend.failures.of(error, name)),
    };
    let setting =
        answer.continuous_backups_description.and_then(|backups| backups.point_in_time_recovery_description);
    let is_on = |setting: &PointInTimeRecoveryDescription| {
        setting.point_in_time_recovery_status() == Some(&PointInTimeRecoveryStatus::Enabled)
    };
    let days = setting
        .filter(is_on)
        .map(|setting| setting.recovery_period_in_days().unwrap_or(RECOVERY_DAYS_DEFAULT));
    Ok(days.and_then(|days| u32::try_from(days).ok()))
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
