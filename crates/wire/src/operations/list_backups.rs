//! `ListBackups`.

use serde::Deserialize;
use singlet_engine::{Database, ListBackups, ListBackupsOutcome};

use super::Answer;
use super::backup_arn::read_arn;
use crate::choice::BackupType;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Text, Timestamp, Whole};
use crate::table_name::{self, Home};
use crate::write::{JsonWriter, write_backup_summary};

const LIMIT: (i64, i64) = (1, 100);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListBackupsBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    limit: Option<Whole<false>>,
    time_range_lower_bound: Option<Timestamp>,
    time_range_upper_bound: Option<Timestamp>,
    #[serde(borrow)]
    exclusive_start_backup_arn: Option<Text<'a>>,
    #[serde(borrow)]
    backup_type: Option<Text<'a>>,
}

/// Serves the operation.
pub(crate) fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let (request, kind) = read(body, Home::of(database))?;
    let outcome = match kind.unwrap_or(BackupType::User) {
        BackupType::User | BackupType::All => database.list_backups(&request)?,
        BackupType::System | BackupType::AwsBackup => ListBackupsOutcome::default(),
    };
    Ok(Answer::free(write(&outcome)))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<(ListBackups, Option<BackupType>), Failure> {
    let body: ListBackupsBody<'_> = read::body(bytes)?;
    let table = match &body.table_name {
        Some(_) => Some(table_name::require(body.table_name.as_ref(), home)?.name),
        None => None,
    };
    let mut constraints = Constraints::default();
    constraints.range("limit", body.limit.map(|limit| limit.0), LIMIT);
    let start_after = match body.exclusive_start_backup_arn {
        Some(arn) => read_arn(&mut constraints, "exclusiveStartBackupArn", Some(arn)),
        None => None,
    };
    let kind = constraints.choice("backupType", body.backup_type.as_ref());
    constraints.check()?;
    let request = ListBackups {
        table,
        from_ms: body.time_range_lower_bound.map(|time| time.0),
        until_ms: body.time_range_upper_bound.map(|time| time.0),
        start_after,
        limit: body.limit.and_then(|limit| usize::try_from(limit.0).ok()),
    };
    Ok((request, kind))
}

/// Writes the answer.
fn write(outcome: &ListBackupsOutcome) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(1024);
    json.object(|json| {
        json.key("BackupSummaries").array(|json| {
            outcome.backups.iter().for_each(|backup| write_backup_summary(json, backup));
        });
        if let Some(last) = &outcome.last {
            json.key("LastEvaluatedBackupArn").text(last);
        }
    });
    json.into_bytes()
}
