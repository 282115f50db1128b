//! `DescribeStream`.

use serde::Deserialize;
use singlet_engine::{Database, DescribeStream, ShardDescription, StreamDescription, StreamStatus};

use super::Answer;
use super::get_shard_iterator::SHARD_ID_CHARACTERS;
use crate::choice::ShardFilterType;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Field, Structure, Text, Whole};
use crate::write::{JsonWriter, write_key_schema};

const LIMIT: (i64, i64) = (1, 100);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DescribeStreamBody<'a> {
    #[serde(borrow)]
    stream_arn: Option<Text<'a>>,
    limit: Option<Whole<false>>,
    #[serde(borrow)]
    exclusive_start_shard_id: Option<Text<'a>>,
    #[serde(borrow)]
    shard_filter: Option<Field<ShardFilter<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ShardFilter<'a> {
    #[serde(borrow)]
    r#type: Option<Text<'a>>,
    #[serde(borrow)]
    shard_id: Option<Text<'a>>,
}

impl Structure for ShardFilter<'_> {
    const NAME: &'static str = "ShardFilter";
}

/// Serves the operation.
pub(crate) fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let request = read(body)?;
    Ok(Answer::free(write(&database.describe_stream(&request)?)))
}

/// Reads the request.
fn read(bytes: &[u8]) -> Result<DescribeStream, Failure> {
    let body: DescribeStreamBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let arn = constraints.required("streamArn", body.stream_arn);
    constraints.range("limit", body.limit.map(|limit| limit.0), LIMIT);
    check_shard_id(&mut constraints, "exclusiveStartShardId", body.exclusive_start_shard_id.as_ref());
    let filter = body.shard_filter.map(|Field(filter)| read_filter(&mut constraints, filter));
    let arn = constraints.take(arn)?;
    Ok(DescribeStream {
        arn: arn.into_string(),
        start_after: body.exclusive_start_shard_id.map(Text::into_string),
        limit: body.limit.and_then(|limit| usize::try_from(limit.0).ok()),
        children_of: filter.flatten(),
    })
}

/// The shard whose children are asked for. There isn't another filter.
fn read_filter(constraints: &mut Constraints, filter: ShardFilter<'_>) -> Option<String> {
    let kind = constraints.required("shardFilter.type", filter.r#type);
    constraints.choice::<ShardFilterType>("shardFilter.type", kind.as_ref());
    let shard = constraints.required("shardFilter.shardId", filter.shard_id);
    check_shard_id(constraints, "shardFilter.shardId", shard.as_ref());
    shard.map(Text::into_string)
}

fn check_shard_id(constraints: &mut Constraints, path: &str, member: Option<&Text<'_>>) {
    if let Some(id) = member.map(Text::as_str) {
        constraints.length(path, id, id.chars().count(), SHARD_ID_CHARACTERS);
    }
}

/// Writes the answer.
fn write(stream: &StreamDescription) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(1024);
    json.object(|json| {
        json.key("StreamDescription").object(|json| {
            json.key("StreamArn").text(&stream.arn);
            json.key("StreamLabel").text(&stream.label);
            json.key("StreamStatus").text(match stream.status {
                StreamStatus::Enabled => "ENABLED",
                StreamStatus::Disabled => "DISABLED",
            });
            json.key("StreamViewType").text(stream.view.code());
            json.key("CreationRequestDateTime").time(stream.created_ms);
            json.key("TableName").text(&stream.table);
            write_key_schema(json, &stream.key);
            json.key("Shards").array(|json| stream.shards.iter().for_each(|shard| write_shard(json, shard)));
            if let Some(last) = &stream.last {
                json.key("LastEvaluatedShardId").text(last);
            }
        });
    });
    json.into_bytes()
}

fn write_shard(json: &mut JsonWriter, shard: &ShardDescription) {
    json.object(|json| {
        json.key("ShardId").text(&shard.id);
        json.key("SequenceNumberRange").object(|json| {
            json.key("StartingSequenceNumber").text(&shard.first.to_string());
            if let Some(last) = shard.last {
                json.key("EndingSequenceNumber").text(&last.to_string());
            }
        });
        if let Some(parent) = &shard.parent {
            json.key("ParentShardId").text(parent);
        }
    });
}
