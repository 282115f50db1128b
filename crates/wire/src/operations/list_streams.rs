//! `ListStreams`.

use serde::Deserialize;
use singlet_engine::{Database, ListStreams, ListStreamsOutcome};

use super::Answer;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Text, Whole};
use crate::write::JsonWriter;

const LIMIT: (i64, i64) = (1, 100);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListStreamsBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    limit: Option<Whole<false>>,
    #[serde(borrow)]
    exclusive_start_stream_arn: Option<Text<'a>>,
}

/// Serves the operation.
pub(crate) fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let request = read(body)?;
    Ok(Answer::free(write(&database.list_streams(&request)?)))
}

/// Reads the request.
fn read(bytes: &[u8]) -> Result<ListStreams, Failure> {
    let body: ListStreamsBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    constraints.name("tableName", body.table_name.as_ref());
    constraints.range("limit", body.limit.map(|limit| limit.0), LIMIT);
    constraints.check()?;
    Ok(ListStreams {
        table: body.table_name.map(Text::into_string),
        start_after: body.exclusive_start_stream_arn.map(Text::into_string),
        limit: body.limit.and_then(|limit| usize::try_from(limit.0).ok()),
    })
}

/// Writes the answer.
fn write(outcome: &ListStreamsOutcome) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(256);
    json.object(|json| {
        json.key("Streams").array(|json| {
            for stream in &outcome.streams {
                json.object(|json| {
                    json.key("StreamArn").text(&stream.arn);
                    json.key("TableName").text(&stream.table);
                    json.key("StreamLabel").text(&stream.label);
                });
            }
        });
        if let Some(last) = &outcome.last {
            json.key("LastEvaluatedStreamArn").text(last);
        }
    });
    json.into_bytes()
}
