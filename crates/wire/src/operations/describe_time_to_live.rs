//! `DescribeTimeToLive`.

use singlet_engine::{Database, TimeToLive};

use super::Answer;
use super::delete_table::read;
use crate::error::Failure;
use crate::table_name::Home;
use crate::write::JsonWriter;

/// Serves the operation, whose request is the same as that of `DeleteTable`.
pub(crate) fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let name = read(body, Home::of(database))?;
    Ok(Answer::free(write(&database.describe_time_to_live(&name)?)))
}

/// Writes the answer.
fn write(setting: &TimeToLive) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(128);
    json.object(|json| {
        json.key("TimeToLiveDescription").object(|json| {
            json.key("TimeToLiveStatus").text(setting.status.code());
            if let Some(attribute) = &setting.attribute {
                json.key("AttributeName").text(attribute);
            }
        });
    });
    json.into_bytes()
}
