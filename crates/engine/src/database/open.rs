//! Reading the catalogue when a database is opened.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use singlet_values::EncodedItem;

use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::keyspace::{PREFIX_BYTES, RowSpace, turns_key};
use crate::options::Options;
use crate::pending::Pending;
use crate::store::{Direction, Opened};
use crate::stream::{Stream, shard_from, stream_from};
use crate::table::Table;
use crate::turns::Turns;
use crate::write::{EngineStore, Job, JobHandler};

/// The id of the key that doesn't exist, in a folder that answers as if it were encrypted.
const NO_KEY_ID: &str = "this-folder-is-not-encrypted";

/// Reads the tables and streams, and creates the handler of the writer's jobs.
pub(super) fn read_catalogue(opened: &Opened, options: &Options) -> Result<(Catalogue, JobHandler)> {
    let Options { region, account_id, .. } = options;
    let key_arn = opened.key_id().map(|id| format!("arn:aws:kms:{region}:{account_id}:key/{id}"));
    let stand_in = || format!("arn:aws:kms:{region}:{account_id}:key/{NO_KEY_ID}");
    let sse_arn = key_arn.clone().or_else(|| options.accept_sse.then(stand_in));
    let mut catalogue = Catalogue::new(key_arn, sse_arn);
    for (key, value) in rows(opened, RowSpace::descriptors())? {
        let table = Table::decode(&EncodedItem::from_bytes(value)).ok_or_else(|| {
            let name = String::from_utf8_lossy(key.get(PREFIX_BYTES..).unwrap_or_default()).into_owned();
            Error::Storage(format!("the descriptor of table {name} can't be read"))
        })?;
        catalogue = catalogue.with(Arc::new(table));
    }
    let catalogue = streams(opened)?.fold(catalogue, |catalogue, stream| catalogue.with_stream(stream));
    let catalogue = match opened.view().get(&turns_key())? {
        Some(stored) => {
            let turns = Turns::decode(&stored);
            let unreadable = || Error::Storage("the list of jumps of the clock can't be read".to_owned());
            catalogue.with_turns(turns.ok_or_else(unreadable)?)
        }
        None => catalogue,
    };
    let Options { region, account_id, streams, .. } = options;
    let arn_prefix = format!("arn:aws:dynamodb:{region}:{account_id}:table/");
    Ok((catalogue, JobHandler::new(arn_prefix, *streams)))
}

/// Reads the streams with their shards.
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

/// Returns all rows of a space that has few.
fn rows(opened: &Opened, space: RowSpace) -> Result<Vec<(Bytes, Bytes)>> {
    let (start, end) = (space.prefix(), space.end());
    let rows = opened.view().range(
        std::ops::Bound::Included(start.as_slice()),
        std::ops::Bound::Excluded(end.as_slice()),
        Direction::Forward,
    );
    rows.map(|row| row.map_err(Error::from)).collect()
}

/// Removes tables whose load was interrupted when the database was last open. It can't be continued.
pub(super) fn abandon_loads(store: &EngineStore) -> Result<()> {
    let view = store.view();
    for table in view.catalogue().tables().filter(|table| table.is_loading()) {
        tracing::warn!(table = table.name, "the load of the table was interrupted; the table is removed");
        let (answer, pending) = Pending::channel();
        store.submit(Job::AbandonLoad { table_number: table.number, answer })?;
        pending.wait()?;
    }
    Ok(())
}
