//! `DeleteTable`.

use serde::Deserialize;
use singlet_engine::Database;

use super::Answer;
use super::create_table::answer_table;
use crate::error::Failure;
use crate::read::{self, Text};
use crate::table_name::{self, Home};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DeleteTableBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let name = read(body, Home::of(database))?;
    Ok(answer_table(&database.submit_delete_table(&name).await?))
}

/// Reads the name of the table.
pub(super) fn read(bytes: &[u8], home: Home<'_>) -> Result<String, Failure> {
    let body: DeleteTableBody<'_> = read::body(bytes)?;
    Ok(table_name::require(body.table_name.as_ref(), home)?.name)
}
