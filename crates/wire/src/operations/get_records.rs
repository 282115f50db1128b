//! `GetRecords`.

use serde::Deserialize;
use singlet_engine::{Database, GetRecords, GetRecordsOutcome, StreamRecord};

use super::Answer;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Text, Whole};
use crate::write::{JsonWriter, write_item};

const LIMIT: (i64, i64) = (1, 1000);
const ITERATOR_CHARACTERS: (usize, usize) = (1, 2048);
/// The version of the record's form.
const EVENT_VERSION: &str = "1.1";
const EVENT_SOURCE: &str = "aws:dynamodb";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GetRecordsBody<'a> {
    #[serde(borrow)]
    shard_iterator: Option<Text<'a>>,
    limit: Option<Whole<false>>,
}

/// Serves the operation.
pub(crate) fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let request = read(body)?;
    let outcome = database.get_records(&request)?;
    Ok(Answer::free(write(&outcome, database.region())))
}

/// Reads the request.
fn read(bytes: &[u8]) -> Result<GetRecords, Failure> {
    let body: GetRecordsBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let iterator = constraints.required("shardIterator", body.shard_iterator);
    if let Some(iterator) = iterator.as_ref().map(Text::as_str) {
        constraints.length("shardIterator", iterator, iterator.chars().count(), ITERATOR_CHARACTERS);
    }
    constraints.range("limit", body.limit.map(|limit| limit.0), LIMIT);
    let iterator = constraints.take(iterator)?;
    let limit = body.limit.and_then(|limit| usize::try_from(limit.0).ok());
    Ok(GetRecords { iterator: iterator.into_string(), limit })
}

/// Writes the answer.
fn write(outcome: &GetRecordsOutcome, region: &str) -> Vec<u8> {
    let bytes = outcome.records.iter().map(|record| record.size_bytes + 512).sum::<usize>();
    let mut json = JsonWriter::with_capacity(bytes + 512);
    json.object(|json| {
        json.key("Records").array(|json| {
            outcome.records.iter().for_each(|record| write_record(json, record, region));
        });
        if let Some(next) = &outcome.next {
            json.key("NextShardIterator").text(next);
        }
    });
    json.into_bytes()
}

fn write_record(json: &mut JsonWriter, record: &StreamRecord, region: &str) {
    json.object(|json| {
        json.key("eventID").text(&record.event_id);
        json.key("eventName").text(record.kind.code());
        json.key("eventVersion").text(EVENT_VERSION);
        json.key("eventSource").text(EVENT_SOURCE);
        json.key("awsRegion").text(region);
        json.key("dynamodb").object(|json| write_change(json, record));
        if record.by_expiry {
            json.key("userIdentity").object(|json| {
                json.key("PrincipalId").text("dynamodb.amazonaws.com");
                json.key("Type").text("Service");
            });
        }
    });
}

fn write_change(json: &mut JsonWriter, record: &StreamRecord) {
    // Whole seconds, as in DynamoDB.
    json.key("ApproximateCreationDateTime").integer(record.time_ms / 1000);
    write_item(json.key("Keys"), record.keys.view());
    if let Some(image) = &record.new_image {
        write_item(json.key("NewImage"), image.view());
    }
    if let Some(image) = &record.old_image {
        write_item(json.key("OldImage"), image.view());
    }
    json.key("SequenceNumber").text(&record.sequence_number.to_string());
    json.key("SizeBytes").count(record.size_bytes);
    json.key("StreamViewType").text(record.view.code());
}
