//! `DescribeBackup` and `DeleteBackup`: operations on one backup.

use serde::Deserialize;
use singlet_engine::{BackupDescription, Database};

use super::Answer;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Text};
use crate::write::{JsonWriter, write_backup_description};

/// Bytes of a backup's ARN.
const ARN_BYTES: (usize, usize) = (37, 1024);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct BackupArnBody<'a> {
    #[serde(borrow)]
    backup_arn: Option<Text<'a>>,
}

/// Serves `DescribeBackup`.
pub(crate) fn describe(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    Ok(answer(&database.describe_backup(&read(body)?)?))
}

/// Serves `DeleteBackup`.
pub(crate) async fn delete(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    Ok(answer(&database.submit_delete_backup(&read(body)?).await?))
}

fn read(bytes: &[u8]) -> Result<String, Failure> {
    let body: BackupArnBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let arn = read_arn(&mut constraints, "backupArn", body.backup_arn);
    constraints.take(arn)
}

/// Reads the ARN of a backup, which is required.
pub(super) fn read_arn(
    constraints: &mut Constraints,
    path: &'static str,
    member: Option<Text<'_>>,
) -> Option<String> {
    let arn = constraints.required(path, member)?.into_string();
    constraints.length(path, arn.as_str(), arn.len(), ARN_BYTES);
    Some(arn)
}

fn answer(backup: &BackupDescription) -> Answer {
    let mut json = JsonWriter::with_capacity(1024);
    json.object(|json| write_backup_description(json.key("BackupDescription"), backup));
    Answer::free(json.into_bytes())
}
