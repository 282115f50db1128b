//! `GetShardIterator`.

use serde::Deserialize;
use singlet_engine::{Database, Error, GetShardIterator, SequenceNumber, ShardStart};

use super::Answer;
use crate::choice::{Choice, ShardIteratorType};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Text};
use crate::text::RequestError;
use crate::write::JsonWriter;

/// Characters of a shard's id.
pub(super) const SHARD_ID_CHARACTERS: (usize, usize) = (28, 65);
const SEQUENCE_NUMBER_CHARACTERS: (usize, usize) = (21, 40);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GetShardIteratorBody<'a> {
    #[serde(borrow)]
    stream_arn: Option<Text<'a>>,
    #[serde(borrow)]
    shard_id: Option<Text<'a>>,
    #[serde(borrow)]
    shard_iterator_type: Option<Text<'a>>,
    #[serde(borrow)]
    sequence_number: Option<Text<'a>>,
}

/// Serves the operation.
pub(crate) fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let request = read(body)?;
    let iterator = database.get_shard_iterator(&request)?;
    let mut json = JsonWriter::with_capacity(256);
    json.object(|json| json.key("ShardIterator").text(&iterator));
    Ok(Answer::free(json.into_bytes()))
}

/// Reads the request.
fn read(bytes: &[u8]) -> Result<GetShardIterator, Failure> {
    let body: GetShardIteratorBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let arn = constraints.required("streamArn", body.stream_arn);
    let shard = constraints.required("shardId", body.shard_id);
    if let Some(id) = shard.as_ref().map(Text::as_str) {
        constraints.length("shardId", id, id.chars().count(), SHARD_ID_CHARACTERS);
    }
    let kind = constraints.required("shardIteratorType", body.shard_iterator_type);
    let kind = constraints.choice("shardIteratorType", kind.as_ref());
    if let Some(number) = body.sequence_number.as_ref().map(Text::as_str) {
        constraints.length("sequenceNumber", number, number.chars().count(), SEQUENCE_NUMBER_CHARACTERS);
    }
    let ((arn, shard), kind) = constraints.take(arn.zip(shard).zip(kind))?;
    let number = body.sequence_number.map(|number| number.as_str().parse::<SequenceNumber>());
    let number = number.transpose().map_err(Error::from)?;
    let start = start(kind, number)?;
    Ok(GetShardIterator { arn: arn.into_string(), shard: shard.into_string(), start })
}

fn start(kind: ShardIteratorType, number: Option<SequenceNumber>) -> Result<ShardStart, RequestError> {
    match (kind, number) {
        (ShardIteratorType::TrimHorizon, None) => Ok(ShardStart::TrimHorizon),
        (ShardIteratorType::Latest, None) => Ok(ShardStart::Latest),
        (ShardIteratorType::AtSequenceNumber, Some(number)) => Ok(ShardStart::At(number)),
        (ShardIteratorType::AfterSequenceNumber, Some(number)) => Ok(ShardStart::After(number)),
        (ShardIteratorType::AtSequenceNumber | ShardIteratorType::AfterSequenceNumber, None) => {
            Err(RequestError::NoSequenceNumber(word(kind)))
        }
        (ShardIteratorType::TrimHorizon | ShardIteratorType::Latest, Some(_)) => {
            Err(RequestError::UnusedSequenceNumber(word(kind)))
        }
    }
}

fn word(kind: ShardIteratorType) -> &'static str {
    let words = ShardIteratorType::WORDS.iter();
    words.filter(|(_, known)| *known == kind).map(|(word, _)| *word).next().unwrap_or_default()
}
