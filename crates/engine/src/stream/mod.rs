//! Streams: the changes of a table during the last 24 hours, in shards that are read in order.
//!
//! The records themselves are the recorded changes in the log. A stream only stores how they are divided. It has a
//! beginning and perhaps an end in the commit order, and its shards divide the partition hashes. A shard begins and
//! ends with a commit, so every change is in exactly one shard.

mod codec;
mod shard;

use crate::moment::{Moment, iso_time};
use crate::options::StreamOptions;
use crate::request::{KeySchema, StreamView};
use crate::store::Position;
use crate::turns::Now;

pub(crate) use codec::{shard_from, stream_from, write_stream};
pub(crate) use shard::{Due, HashRange, Shard, ShardId, hash_of};

/// How long a record can be read, and a stream after it was turned off.
pub(crate) const RETENTION_MS: u64 = 24 * 60 * 60 * 1000;

/// A stream that is on or was turned off recently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stream {
    /// The number of its table, which may be deleted.
    pub(crate) table: u32,
    pub(crate) table_name: String,
    pub(crate) arn: String,
    pub(crate) label: String,
    pub(crate) view: StreamView,
    /// The table's key.
    pub(crate) key: KeySchema,
    pub(crate) created: Moment,
    /// Changes from this commit on aren't in it.
    pub(crate) ended: Option<Moment>,
    /// The last change that is known to be too old.
    pub(crate) trimmed: Position,
    /// The time of the commit that closed the last removed shard.
    pub(crate) trimmed_ms: u64,
    /// In the order of their ids, which is the order of creation.
    pub(crate) shards: Vec<Shard>,
}

impl Stream {
    /// Creates a stream with `count` shards.
    pub(crate) fn begin(
        table: &crate::table::Table,
        label: String,
        view: StreamView,
        at: Moment,
        count: u32,
    ) -> Stream {
        let mut stream = Stream {
            table: table.number,
            table_name: table.name.clone(),
            arn: arn_of(&table.arn, &label),
            label,
            view,
            key: table.key.schema(),
            created: at,
            ended: None,
            trimmed: Position::default(),
            trimmed_ms: at.time_ms,
            shards: Vec::new(),
        };
        stream.add_shards(at, HashRange::cut(count).into_iter().map(|range| (None, range)));
        stream
    }

    /// Returns the stream after it is turned off.
    pub(crate) fn end(&self, at: Moment) -> Stream {
        let mut stream = self.clone();
        stream.ended = Some(at);
        for shard in stream.shards.iter_mut().filter(|shard| shard.ended.is_none()) {
            shard.ended = Some(at);
        }
        stream
    }

    /// Closes the due shards and adds their children. Returns `None` if no shard is due.
    pub(crate) fn roll(&self, at: Moment, mut due: impl FnMut(&Shard) -> Due) -> Option<Stream> {
        let mut stream = self.clone();
        let mut children = Vec::new();
        for shard in stream.shards.iter_mut().filter(|shard| shard.ended.is_none()) {
            let ranges = match due(shard) {
                Due::No => continue,
                Due::Roll => vec![shard.range],
                Due::Split => shard.range.halves(),
            };
            shard.ended = Some(at);
            children.extend(ranges.into_iter().map(|range| (Some(shard.id), range)));
        }
        if children.is_empty() {
            return None;
        }
        stream.add_shards(at, children.into_iter());
        Some(stream)
    }

    fn add_shards(&mut self, at: Moment, shards: impl Iterator<Item = (Option<ShardId>, HashRange)>) {
        let last_stamp_ms = self.shards.last().map(|shard| shard.id.stamp_ms);
        // Ids ascend even if the clock stands still, so that parents are listed before their children.
        let stamp_ms = last_stamp_ms.map_or(at.time_ms, |last| at.time_ms.max(last + 1));
        let older = self.shards.len();
        for (parent, range) in shards {
            let taken = self.shards.get(older..).unwrap_or_default();
            let id = ShardId::next(&self.arn, stamp_ms, taken.iter().map(|shard| shard.id));
            self.shards.push(Shard { id, parent, range, created: at, ended: None });
        }
        self.shards.sort_by_key(|shard| shard.id);
    }

    /// Returns the stream without the shards of a trim, or `None` if they are gone already.
    pub(crate) fn trim(&self, trim: &Trim) -> Option<Stream> {
        let is_trimmed =
            |shard: &Shard| shard.ended.is_some_and(|ended| ended.sequence <= trim.before.sequence);
        if !self.shards.iter().any(is_trimmed) {
            return None;
        }
        let mut stream = self.clone();
        stream.shards.retain(|shard| !is_trimmed(shard));
        stream.trimmed = self.trimmed.max(trim.last.unwrap_or_default());
        stream.trimmed_ms = trim.before.time_ms;
        Some(stream)
    }

    /// Whether the stream was turned off and its last record is too old.
    pub(crate) fn is_expired(&self, now: &Now) -> bool {
        self.ended.is_some_and(|ended| is_past_retention(ended.effective_ms(now), now.ms))
    }

    /// The shards that can still be read.
    pub(crate) fn shards<'s>(&'s self, now: &'s Now) -> impl Iterator<Item = &'s Shard> {
        self.shards.iter().filter(move |shard| !shard.is_expired(now))
    }

    /// The shards that receive records.
    pub(crate) fn open_shards(&self) -> impl Iterator<Item = &Shard> {
        self.shards.iter().filter(|shard| shard.ended.is_none())
    }

    /// Whether a shard must be rolled over or something is too old.
    pub(crate) fn is_due(&self, options: &StreamOptions, now: &Now, may_delete: bool) -> bool {
        let is_too_old = || self.is_expired(now) || self.shards.iter().any(|shard| shard.is_expired(now));
        may_delete && is_too_old()
            || self.open_shards().any(|shard| options.is_full_term(shard.created.effective_ms(now), now.ms))
    }

    /// Whether the stream may still need changes of its table up to this commit.
    pub(crate) fn needs(&self, sequence: u64) -> bool {
        sequence >= self.created.sequence && sequence > self.trimmed.sequence
    }
}

/// The removal of the oldest shards of a stream.
#[derive(Debug, Clone)]
pub(crate) struct Trim {
    pub(crate) arn: String,
    /// The commit that closed the last of these shards.
    pub(crate) before: Moment,
    /// The last change of the table before it.
    pub(crate) last: Option<Position>,
}

/// Returns the label of a stream that begins at a time, such as `2026-11-16T08:00:00.123`.
pub(crate) fn label_of(time_ms: u64) -> String {
    iso_time(time_ms).trim_end_matches('Z').to_owned()
}

/// The resource name of a stream.
pub(crate) fn arn_of(table_arn: &str, label: &str) -> String {
    format!("{table_arn}/stream/{label}")
}

/// Whether something of this time is too old to be read.
pub(crate) fn is_past_retention(time_ms: u64, now_ms: u64) -> bool {
    time_ms.saturating_add(RETENTION_MS) < now_ms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{CreateTable, ScalarType};
    use crate::table::{Birth, Table};

    fn at(sequence: u64) -> Moment {
        Moment { sequence, time_ms: 1_700_000_000_000 }
    }

    fn stream(count: u32) -> Stream {
        let birth = Birth { number: 7, time_ms: 0, arn_prefix: "arn:aws:dynamodb:r:a:table/" };
        let table = Table::create(CreateTable::new("orders", "id", ScalarType::S), birth).unwrap();
        Stream::begin(&table, "label".to_owned(), StreamView::NewImage, at(10), count)
    }

    /// The open shards share out all hashes.
    fn assert_covers_all(stream: &Stream) {
        let mut ranges: Vec<HashRange> = stream.open_shards().map(|shard| shard.range).collect();
        ranges.sort_by_key(|range| range.first);
        let mut next = 0u64;
        for range in ranges {
            assert_eq!(u64::from(range.first), next);
            next = u64::from(range.last) + 1;
        }
        assert_eq!(next, 1 << 32);
    }

    #[test]
    fn open_shards_share_out_all_hashes_through_rolls_and_splits() {
        let mut stream = stream(3);
        assert_covers_all(&stream);
        for step in 0..20u64 {
            let due = |shard: &Shard| match (shard.id.suffix as u64 + step) % 3 {
                0 => Due::No,
                1 => Due::Roll,
                _ => Due::Split,
            };
            stream = stream.roll(at(11 + step), due).unwrap_or(stream);
            assert_covers_all(&stream);
        }
    }

    #[test]
    fn children_follow_their_parents_although_the_clock_stands_still() {
        let first = stream(4);
        let rolled = first.roll(at(20), |_| Due::Split).unwrap();
        for child in rolled.open_shards() {
            let parent = rolled.shards.iter().find(|shard| Some(shard.id) == child.parent).unwrap();
            assert!(parent.id < child.id && parent.id.to_string() < child.id.to_string());
            assert_eq!(parent.ended, Some(child.created));
            assert!(parent.range.first <= child.range.first && child.range.last <= parent.range.last);
        }
        assert_eq!((rolled.shards.len(), rolled.open_shards().count()), (12, 8));
        assert!(rolled.roll(at(21), |_| Due::No).is_none());
    }

    #[test]
    fn a_shard_goes_when_its_last_record_could_be_too_old() {
        let end_ms = at(20).time_ms + 5_000;
        let before = Moment { sequence: 20, time_ms: end_ms };
        let rolled = stream(2).roll(before, |_| Due::Roll).unwrap();
        let now = |ms| Now::new(ms, &std::sync::Arc::default());
        assert_eq!(rolled.shards(&now(end_ms + RETENTION_MS)).count(), 4);
        assert_eq!(rolled.shards(&now(end_ms + RETENTION_MS + 1)).count(), 2);

        let last = Some(Position { sequence: 17, place: 1 });
        let trim = Trim { arn: rolled.arn.clone(), before, last };
        let trimmed = rolled.trim(&trim).unwrap();
        assert!(trimmed.shards.iter().all(|shard| shard.ended.is_none() && shard.parent.is_some()));
        assert_eq!(Some(trimmed.trimmed), last);
        assert!(trimmed.needs(18) && !trimmed.needs(17));
        assert!(trimmed.trim(&trim).is_none());
    }
}
