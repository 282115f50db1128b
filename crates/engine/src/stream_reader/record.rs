//! The records of a stream, made from recorded changes.

use bytes::Bytes;
use singlet_values::{EncodedItem, encode_subset};
use xxhash_rust::xxh3::xxh3_128;

use crate::request::{ChangeKind, SequenceNumber, StreamRecord, StreamView};
use crate::store::Logged;
use crate::stream::Stream;
use crate::write::MARK_EXPIRY;

/// Returns the record of a change, or `None` if nothing changed.
pub(super) fn record_of(stream: &Stream, view: StreamView, change: Logged) -> Option<StreamRecord> {
    let image = |bytes: Option<Bytes>| bytes.map(EncodedItem::from_bytes);
    let (old, new) = (image(change.before), image(change.after));
    let kind = match (&old, &new) {
        (None, Some(_)) => ChangeKind::Insert,
        (Some(_), Some(_)) => ChangeKind::Modify,
        (Some(_), None) => ChangeKind::Remove,
        (None, None) => return None,
    };
    let key = &stream.key;
    let is_key = |name: &str| key.partition.iter().chain(&key.sort).any(|part| part == name);
    let keys = encode_subset(new.as_ref().or(old.as_ref())?.view(), is_key);
    let new_image = new.filter(|_| matches!(view, StreamView::NewImage | StreamView::NewAndOldImages));
    let old_image = old.filter(|_| matches!(view, StreamView::OldImage | StreamView::NewAndOldImages));
    let images = [&new_image, &old_image].into_iter().flatten();
    let sequence_number = SequenceNumber::of(change.position);
    Some(StreamRecord {
        event_id: event_id(&stream.arn, sequence_number),
        kind,
        sequence_number,
        time_ms: change.time_ms,
        size_bytes: keys.size_bytes() + images.map(EncodedItem::size_bytes).sum::<usize>(),
        keys,
        new_image,
        old_image,
        view,
        by_expiry: change.mark == MARK_EXPIRY,
    })
}

fn event_id(arn: &str, number: SequenceNumber) -> String {
    format!("{:032x}", xxh3_128(format!("{arn}/{number}").as_bytes()))
}
