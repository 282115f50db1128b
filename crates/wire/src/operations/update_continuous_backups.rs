//! `UpdateContinuousBackups`.

use serde::Deserialize;
use singlet_engine::{Database, UpdateRecovery};

use super::{Answer, describe_continuous_backups};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Field, Flag, Structure, Text, Whole};
use crate::table_name::{self, Home};

const PERIOD_DAYS: (i64, i64) = (1, 35);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UpdateContinuousBackupsBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    point_in_time_recovery_specification: Option<Field<RecoveryMember>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RecoveryMember {
    point_in_time_recovery_enabled: Option<Flag>,
    recovery_period_in_days: Option<Whole<false>>,
}

impl Structure for RecoveryMember {
    const NAME: &'static str = "PointInTimeRecoverySpecification";
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let request = read(body, Home::of(database))?;
    let table = request.table.clone();
    database.submit_update_recovery(request).await?;
    describe_continuous_backups::answer(database, &table)
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<UpdateRecovery, Failure> {
    let body: UpdateContinuousBackupsBody<'_> = read::body(bytes)?;
    let table = table_name::require(body.table_name.as_ref(), home)?.name;
    let mut constraints = Constraints::default();
    let path = "pointInTimeRecoverySpecification";
    let specification = constraints.required(path, body.point_in_time_recovery_specification);
    let setting = specification.and_then(|Field(specification)| {
        let path = "pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled";
        let enabled = constraints.required(path, specification.point_in_time_recovery_enabled);
        let days = specification.recovery_period_in_days.map(|days| days.0);
        constraints.range("pointInTimeRecoverySpecification.recoveryPeriodInDays", days, PERIOD_DAYS);
        Some((enabled?.0, days))
    });
    let (enabled, days) = constraints.take(setting)?;
    Ok(UpdateRecovery { table, enabled, period_days: days.and_then(|days| u32::try_from(days).ok()) })
}
