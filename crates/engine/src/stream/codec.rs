//! The rows of streams and shards. Values are encoded items, so that attributes can be added.

use std::collections::BTreeMap;

use bytes::Bytes;
use singlet_values::{AttributeValue, Attributes, EncodedItem, Item};

use super::{HashRange, Shard, ShardId, Stream, arn_of};
use crate::keyspace::{PREFIX_BYTES, RowSpace};
use crate::moment::Moment;
use crate::request::{KeySchema, StreamView};
use crate::store::{Batch, Position};
use crate::table::{get_number, get_text, put, put_some, text};

const TABLE_BYTES: usize = size_of::<u32>();
/// Stamp and suffix of a shard's id.
const SHARD_BYTES: usize = size_of::<u64>() + size_of::<u32>();

/// Stores the difference between two states of a stream. `None` before means a new stream, and `None` after means a
/// removed one.
pub(crate) fn write_stream<A>(batch: &mut Batch<'_, A>, before: Option<&Stream>, after: Option<&Stream>) {
    let Some(stream) = after.or(before) else { return };
    match after {
        Some(stream) => batch.put(stream_row(stream), encode_stream(stream)),
        None => batch.delete(stream_row(stream)),
    }
    let (old, new) = (shards_by_id(before), shards_by_id(after));
    for id in old.keys().filter(|id| !new.contains_key(id)) {
        batch.delete(shard_row(stream, *id));
    }
    for (id, shard) in new.into_iter().filter(|(id, shard)| old.get(id) != Some(shard)) {
        batch.put(shard_row(stream, id), encode_shard(shard));
    }
}

fn shards_by_id(stream: Option<&Stream>) -> BTreeMap<ShardId, &Shard> {
    let shards = stream.map_or(&[][..], |stream| stream.shards.as_slice());
    shards.iter().map(|shard| (shard.id, shard)).collect()
}

fn stream_row(stream: &Stream) -> Bytes {
    let mut key = stream.table.to_be_bytes().to_vec();
    key.extend_from_slice(stream.label.as_bytes());
    RowSpace::streams().key(&key)
}

fn shard_row(stream: &Stream, id: ShardId) -> Bytes {
    let mut key = stream.table.to_be_bytes().to_vec();
    key.extend_from_slice(stream.label.as_bytes());
    key.extend_from_slice(&id.stamp_ms.to_be_bytes());
    key.extend_from_slice(&id.suffix.to_be_bytes());
    RowSpace::shards().key(&key)
}

fn encode_stream(stream: &Stream) -> Bytes {
    let mut item = Item::new();
    put(&mut item, "table_name", text(&stream.table_name));
    put(&mut item, "table_arn", text(table_arn(stream)));
    put(&mut item, "view", text(stream.view.code()));
    put(&mut item, "partition", texts(&stream.key.partition));
    put(&mut item, "sort", texts(&stream.key.sort));
    put_moment(&mut item, "created", Some(stream.created));
    put_moment(&mut item, "ended", stream.ended);
    put_some(&mut item, "trimmed_sequence", Some(stream.trimmed.sequence));
    put_some(&mut item, "trimmed_place", Some(stream.trimmed.place));
    put_some(&mut item, "trimmed_ms", Some(stream.trimmed_ms));
    EncodedItem::encode(&item).into_bytes()
}

fn table_arn(stream: &Stream) -> &str {
    let suffix = arn_of("", &stream.label);
    stream.arn.strip_suffix(&suffix).unwrap_or(&stream.arn)
}

/// Decodes a stream, without its shards; `None` if the row is invalid.
pub(crate) fn stream_from(row: &[u8], value: Bytes) -> Option<Stream> {
    let (table, label) = row.get(PREFIX_BYTES..)?.split_at_checked(TABLE_BYTES)?;
    let label = String::from_utf8(label.to_vec()).ok()?;
    let item = EncodedItem::from_bytes(value).decode().ok()?;
    Some(Stream {
        table: u32::from_be_bytes(table.try_into().ok()?),
        table_name: get_text(&item, "table_name")?,
        arn: arn_of(&get_text(&item, "table_arn")?, &label),
        label,
        view: StreamView::from_code(&get_text(&item, "view")?)?,
        key: KeySchema { partition: get_texts(&item, "partition")?, sort: get_texts(&item, "sort")? },
        created: get_moment(&item, "created")?,
        ended: get_moment(&item, "ended"),
        trimmed: Position {
            sequence: get_number(&item, "trimmed_sequence")?,
            place: get_number(&item, "trimmed_place")?,
        },
        trimmed_ms: get_number(&item, "trimmed_ms")?,
        shards: Vec::new(),
    })
}

fn encode_shard(shard: &Shard) -> Bytes {
    let mut item = Item::new();
    put_some(&mut item, "parent_ms", shard.parent.map(|parent| parent.stamp_ms));
    put_some(&mut item, "parent_suffix", shard.parent.map(|parent| parent.suffix));
    put_some(&mut item, "first_hash", Some(shard.range.first));
    put_some(&mut item, "last_hash", Some(shard.range.last));
    put_moment(&mut item, "created", Some(shard.created));
    put_moment(&mut item, "ended", shard.ended);
    EncodedItem::encode(&item).into_bytes()
}

/// Decodes a shard, with the table number and the label of its stream; `None` if the row is invalid.
pub(crate) fn shard_from(row: &[u8], value: Bytes) -> Option<(u32, String, Shard)> {
    let (table, rest) = row.get(PREFIX_BYTES..)?.split_at_checked(TABLE_BYTES)?;
    let (label, id) = rest.split_at_checked(rest.len().checked_sub(SHARD_BYTES)?)?;
    let (stamp, suffix) = id.split_at_checked(size_of::<u64>())?;
    let item = EncodedItem::from_bytes(value).decode().ok()?;
    let parent = get_number(&item, "parent_ms").zip(get_number(&item, "parent_suffix"));
    let shard = Shard {
        id: ShardId {
            stamp_ms: u64::from_be_bytes(stamp.try_into().ok()?),
            suffix: u32::from_be_bytes(suffix.try_into().ok()?),
        },
        parent: parent.map(|(stamp_ms, suffix)| ShardId { stamp_ms, suffix }),
        range: HashRange { first: get_number(&item, "first_hash")?, last: get_number(&item, "last_hash")? },
        created: get_moment(&item, "created")?,
        ended: get_moment(&item, "ended"),
    };
    let table = u32::from_be_bytes(table.try_into().ok()?);
    Some((table, String::from_utf8(label.to_vec()).ok()?, shard))
}

fn put_moment(item: &mut Item, name: &str, moment: Option<Moment>) {
    put_some(item, &format!("{name}_sequence"), moment.map(|moment| moment.sequence));
    put_some(item, &format!("{name}_ms"), moment.map(|moment| moment.time_ms));
}

fn get_moment(item: &Attributes, name: &str) -> Option<Moment> {
    let sequence = get_number(item, &format!("{name}_sequence"))?;
    Some(Moment { sequence, time_ms: get_number(item, &format!("{name}_ms"))? })
}

fn texts(values: &[String]) -> AttributeValue {
    AttributeValue::L(values.iter().map(|value| text(value)).collect())
}

fn get_texts(item: &Attributes, name: &str) -> Option<Vec<String>> {
    let AttributeValue::L(values) = item.get(name)? else { return None };
    let text = |value: &AttributeValue| match value {
        AttributeValue::S(text) => Some(text.clone()),
        _ => None,
    };
    values.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_and_shards_are_read_back_from_their_rows() {
        let moment = |sequence| Moment { sequence, time_ms: 1_700_000_000_000 + sequence };
        let shard = |suffix, parent, ended| Shard {
            id: ShardId { stamp_ms: 1_700_000_000_000, suffix },
            parent,
            range: HashRange { first: 7, last: u32::MAX },
            created: moment(3),
            ended,
        };
        let parent = shard(1, None, Some(moment(u64::MAX >> 8)));
        let child = shard(2, Some(parent.id), None);
        let stream = Stream {
            table: 9,
            table_name: "orders".to_owned(),
            arn: "arn:aws:dynamodb:r:a:table/orders/stream/2026-11-16T08:00:00.123".to_owned(),
            label: "2026-11-16T08:00:00.123".to_owned(),
            view: StreamView::OldImage,
            key: KeySchema { partition: vec!["p".to_owned()], sort: vec!["s".to_owned()] },
            created: moment(1),
            ended: Some(moment(2)),
            trimmed: Position { sequence: 77, place: 3 },
            trimmed_ms: 5,
            shards: Vec::new(),
        };
        assert_eq!(stream_from(&stream_row(&stream), encode_stream(&stream)), Some(stream.clone()));
        for shard in [parent, child] {
            let read = shard_from(&shard_row(&stream, shard.id), encode_shard(&shard));
            assert_eq!(read, Some((9, stream.label.clone(), shard)));
        }
        assert_eq!(stream_from(b"short", Bytes::new()), None);
        assert_eq!(shard_from(&stream_row(&stream), Bytes::from_static(b"x")), None);
    }
}
