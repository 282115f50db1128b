//! The catalogue, read back when a database is opened.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use singlet_values::EncodedItem;

use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::keyspace::{PREFIX_BYTES, RowSpace};
use crate::options::Options;
use crate::store::{Direction, Opened};
use crate::stream::{Load, Stream, shard_from, stream_from};
use crate::table::Table;
use crate::write::Writer;

/// Reads the tables and makes the writer.
pub(super) fn recover(opened: &Opened, options: &Options) -> Result<(Catalogue, Writer)> {
    let mut catalogue = Catalogue::default();
    for (key, value) in rows(opened, RowSpace::descriptors())? {
        let table = Table::decode(&EncodedItem::from_bytes(value)).ok_or_else(|| {
            let name = String::from_utf8_lossy(key.get(PREFIX_BYTES..).unwrap_or_default()).into_owned();
            Error::Storage(format!("the descriptor of table {name} can't be read"))
        })?;
        catalogue = catalogue.with(Arc::new(table));
    }
    let catalogue = streams(opened)?.fold(catalogue, |catalogue, stream| catalogue.with_stream(stream));
    let Options { region, account_id, streams, .. } = options;
    let arn_prefix = format!("arn:aws:dynamodb:{region}:{account_id}:table/");
    let load = Load::new(streams.shard_records_max);
    Ok((catalogue, Writer { arn_prefix, streams: *streams, load }))
}

/// The streams with their shards.
fn streams(opened: &Opened) -> Result<impl Iterator<Item = Arc<Stream>>> {
    let mut streams = BTreeMap::new();
    for (key, value) in rows(opened, RowSpace::streams())? {
        let stream = stream_from(&key, value)
            .ok_or_else(|| Error::Storage("the descriptor of a stream can't be read".to_owned()))?;
        streams.insert((stream.table, stream.label.clone()), stream);
    }
    for (key, value) in rows(opened, RowSpace::shards())? {
        let found = shard_from(&key, value);
        let found = found.and_then(|(table, label, shard)| Some((streams.get_mut(&(table, label))?, shard)));
        let (stream, shard) =
            found.ok_or_else(|| Error::Storage("the descriptor of a shard can't be read".to_owned()))?;
        stream.shards.push(shard);
    }
    Ok(streams.into_values().map(Arc::new))
}

/// All rows of a space; for those that have few.
fn rows(opened: &Opened, space: RowSpace) -> Result<Vec<(Bytes, Bytes)>> {
    let (start, end) = (space.prefix(), space.end());
    let rows = opened.view().range(
        std::ops::Bound::Included(start.as_slice()),
        std::ops::Bound::Excluded(end.as_slice()),
        Direction::Forward,
    );
    rows.map(|row| row.map_err(Error::from)).collect()
}
