//! `RestoreTableToPointInTime`.

use serde::Deserialize;
use singlet_engine::{Database, RestoreOverrides, RestoreToTime};

use super::Answer;
use super::create_table::{answer_table, refuse_unsupported};
use super::table_members::{
    IndexMember, OnDemandMember, OverrideMembers, ProvisionedMember, SseSpecification, read_encryption,
    read_overrides,
};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Element, Field, Flag, List, Text, Timestamp};
use crate::table_name::{self, Home};
use crate::text::RequestError;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RestoreTableToPointInTimeBody<'a> {
    #[serde(borrow)]
    source_table_arn: Option<Text<'a>>,
    #[serde(borrow)]
    source_table_name: Option<Text<'a>>,
    #[serde(borrow)]
    target_table_name: Option<Text<'a>>,
    use_latest_restorable_time: Option<Flag>,
    restore_date_time: Option<Timestamp>,
    #[serde(borrow)]
    billing_mode_override: Option<Text<'a>>,
    #[serde(borrow)]
    global_secondary_index_override: Option<List<Element<IndexMember<'a, false>>>>,
    #[serde(borrow)]
    local_secondary_index_override: Option<List<Element<IndexMember<'a, true>>>>,
    provisioned_throughput_override: Option<Field<ProvisionedMember>>,
    on_demand_throughput_override: Option<Field<OnDemandMember>>,
    #[serde(borrow, rename = "SSESpecificationOverride")]
    sse_specification_override: Option<Field<SseSpecification<'a>>>,
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let request = read(body, Home::of(database))?;
    Ok(answer_table(&database.submit_restore_to_time(request).await?))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<RestoreToTime, Failure> {
    let body: RestoreTableToPointInTimeBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let target = constraints.required("targetTableName", body.target_table_name);
    constraints.name("targetTableName", target.as_ref());
    let overrides = read_overrides(
        &mut constraints,
        OverrideMembers {
            billing: body.billing_mode_override,
            global_indexes: body.global_secondary_index_override,
            local_indexes: body.local_secondary_index_override,
            provisioned: body.provisioned_throughput_override,
            on_demand: body.on_demand_throughput_override,
        },
    );
    let aes = body.sse_specification_override.as_ref().is_some_and(|Field(sse)| sse.asks_for_aes());
    let encryption = read_encryption(&mut constraints, body.sse_specification_override);
    let (target, overrides) = constraints.take(target.zip(overrides))?;
    let source = match (&body.source_table_name, &body.source_table_arn) {
        (Some(name), None) => table_name::parse(name.as_str(), "sourceTableName", home)?.name,
        (None, Some(arn)) => table_name::table_in_arn(arn.as_str(), home)?,
        _ => return Err(RequestError::OneRestoreSource.into()),
    };
    let latest = body.use_latest_restorable_time.is_some_and(|flag| flag.0);
    let time_ms = match (latest, body.restore_date_time) {
        (true, None) => None,
        (false, Some(time)) => Some(time.0),
        _ => return Err(RequestError::OneRestoreTime.into()),
    };
    refuse_unsupported(&[("SSEType AES256", aes)])?;
    let overrides = RestoreOverrides { encryption, ..overrides.into_overrides()? };
    Ok(RestoreToTime { source, target: target.into_string(), time_ms, overrides })
}
