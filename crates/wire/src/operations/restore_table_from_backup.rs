//! `RestoreTableFromBackup`.

use serde::Deserialize;
use singlet_engine::{Database, RestoreBackup, RestoreOverrides};

use super::Answer;
use super::backup_arn::read_arn;
use super::create_table::{answer_table, refuse_unsupported};
use super::table_members::{
    IndexMember, OnDemandMember, OverrideMembers, ProvisionedMember, SseSpecification, read_encryption,
    read_overrides,
};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Element, Field, List, Text};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RestoreTableFromBackupBody<'a> {
    #[serde(borrow)]
    target_table_name: Option<Text<'a>>,
    #[serde(borrow)]
    backup_arn: Option<Text<'a>>,
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
    let request = read(body)?;
    Ok(answer_table(&database.submit_restore_backup(request).await?))
}

/// Reads the request.
fn read(bytes: &[u8]) -> Result<RestoreBackup, Failure> {
    let body: RestoreTableFromBackupBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let table = constraints.required("targetTableName", body.target_table_name);
    constraints.name("targetTableName", table.as_ref());
    let arn = read_arn(&mut constraints, "backupArn", body.backup_arn);
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
    let ((table, arn), overrides) = constraints.take(table.zip(arn).zip(overrides))?;
    refuse_unsupported(&[("SSEType AES256", aes)])?;
    let overrides = RestoreOverrides { encryption, ..overrides.into_overrides()? };
    Ok(RestoreBackup { arn, table: table.into_string(), overrides })
}
