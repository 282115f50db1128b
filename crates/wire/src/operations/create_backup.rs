//! `CreateBackup`.

use serde::Deserialize;
use singlet_engine::{CreateBackup, Database};

use super::Answer;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Text};
use crate::table_name::{self, Home};
use crate::write::{JsonWriter, write_backup_details};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CreateBackupBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    #[serde(borrow)]
    backup_name: Option<Text<'a>>,
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let request = read(body, Home::of(database))?;
    let backup = database.submit_create_backup(request).await?;
    let mut json = JsonWriter::with_capacity(512);
    json.object(|json| write_backup_details(json.key("BackupDetails"), &backup));
    Ok(Answer::free(json.into_bytes()))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<CreateBackup, Failure> {
    let body: CreateBackupBody<'_> = read::body(bytes)?;
    let table = table_name::require(body.table_name.as_ref(), home)?.name;
    let mut constraints = Constraints::default();
    let name = constraints.required("backupName", body.backup_name);
    constraints.name("backupName", name.as_ref());
    let name = constraints.take(name)?.into_string();
    Ok(CreateBackup { table, name })
}
