//! `ListTables`.

use serde::Deserialize;
use singlet_engine::{Database, ListTables, ListTablesOutcome};

use super::Answer;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Text, Whole};
use crate::write::JsonWriter;

const LIMIT: (i64, i64) = (1, 100);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListTablesBody<'a> {
    #[serde(borrow)]
    exclusive_start_table_name: Option<Text<'a>>,
    limit: Option<Whole<false>>,
}

/// Serves the operation.
pub(crate) fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let request = read(body)?;
    Ok(Answer::free(write(&database.list_tables(&request))))
}

/// Reads the request.
fn read(bytes: &[u8]) -> Result<ListTables, Failure> {
    let body: ListTablesBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    constraints.name("exclusiveStartTableName", body.exclusive_start_table_name.as_ref());
    constraints.range("limit", body.limit.map(|limit| limit.0), LIMIT);
    constraints.check()?;
    Ok(ListTables {
        start_after: body.exclusive_start_table_name.map(Text::into_string),
        limit: body.limit.and_then(|limit| usize::try_from(limit.0).ok()),
    })
}

/// Writes the answer.
fn write(outcome: &ListTablesOutcome) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(256);
    json.object(|json| {
        json.key("TableNames").array(|json| outcome.names.iter().for_each(|name| json.text(name)));
        if let Some(last) = &outcome.last {
            json.key("LastEvaluatedTableName").text(last);
        }
    });
    json.into_bytes()
}
