//! `DescribeTable`.

use singlet_engine::Database;

use super::Answer;
use super::delete_table::read;
use crate::error::Failure;
use crate::table_name::Home;
use crate::write::{JsonWriter, write_table};

/// Serves the operation, whose request is the same as that of `DeleteTable`.
pub(crate) fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let name = read(body, Home::of(database))?;
    let table = database.describe_table(&name)?;
    let mut json = JsonWriter::with_capacity(1024);
    json.object(|json| write_table(json.key("Table"), &table));
    Ok(Answer::free(json.into_bytes()))
}
