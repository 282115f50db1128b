//! Shards: parts of a stream, each with a range of partition hashes and a range of commits.

use std::fmt;
use std::str::FromStr;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::is_past_retention;
use crate::keyspace::{PARTS_AT, PREFIX_BYTES};
use crate::moment::Moment;
use crate::turns::Now;

const ID_PREFIX: &str = "shardId-";
const STAMP_DIGITS: usize = 20;
const SUFFIX_DIGITS: usize = 8;

/// A shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shard {
    pub(crate) id: ShardId,
    /// The shard that it continues completely or in part. It may have been removed.
    pub(crate) parent: Option<ShardId>,
    pub(crate) range: HashRange,
    /// The commit with which it begins.
    pub(crate) created: Moment,
    /// The commit before which it ends.
    pub(crate) ended: Option<Moment>,
}

impl Shard {
    /// Whether all records that it can have are too old.
    pub(crate) fn is_expired(&self, now: &Now) -> bool {
        self.ended.is_some_and(|ended| is_past_retention(ended.effective_ms(now), now.ms))
    }
}

/// The work that is due on an open shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// It stays open.
    No,
    /// It is closed and continued by one child.
    Roll,
    /// It is closed and continued by two.
    Split,
}

/// The id of a shard: the time of its creation, and a number that makes it unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ShardId {
    pub(crate) stamp_ms: u64,
    pub(crate) suffix: u32,
}

impl ShardId {
    /// Returns an unused id. It is derived, so that a simulation creates the same one again.
    pub(super) fn next(arn: &str, stamp_ms: u64, taken: impl Iterator<Item = ShardId> + Clone) -> ShardId {
        let mut seed = taken.clone().count() as u64;
        loop {
            let hash = xxh3_64_with_seed(arn.as_bytes(), stamp_ms ^ (seed << 48));
            let id = ShardId { stamp_ms, suffix: (hash >> 32) as u32 };
            if taken.clone().all(|other| other != id) {
                return id;
            }
            seed += 1;
        }
    }
}

impl fmt::Display for ShardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ShardId { stamp_ms, suffix } = self;
        write!(f, "{ID_PREFIX}{stamp_ms:0STAMP_DIGITS$}-{suffix:0SUFFIX_DIGITS$x}")
    }
}

/// The error for a string that isn't a shard's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotAShardId;

impl FromStr for ShardId {
    type Err = NotAShardId;

    fn from_str(text: &str) -> Result<Self, NotAShardId> {
        let parts = text.strip_prefix(ID_PREFIX).and_then(|rest| rest.split_once('-'));
        let (stamp, suffix) = parts.ok_or(NotAShardId)?;
        let id = ShardId {
            stamp_ms: stamp.parse().map_err(|_| NotAShardId)?,
            suffix: u32::from_str_radix(suffix, 16).map_err(|_| NotAShardId)?,
        };
        // Only the canonical spelling is accepted.
        if id.to_string() == text { Ok(id) } else { Err(NotAShardId) }
    }
}

/// A range of partition hashes, including both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HashRange {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

impl HashRange {
    /// Every hash.
    pub(crate) const ALL: HashRange = HashRange { first: 0, last: u32::MAX };

    /// Divides all hashes into `count` equal parts.
    pub(super) fn cut(count: u32) -> Vec<HashRange> {
        let count = u64::from(count.max(1));
        let start = |part: u64| (part << 32) / count;
        let bound = |hash: u64| u32::try_from(hash).unwrap_or(u32::MAX);
        (0..count)
            .map(|part| HashRange { first: bound(start(part)), last: bound(start(part + 1) - 1) })
            .collect()
    }

    /// Returns the two halves, or the range itself if it has only one hash.
    pub(super) fn halves(self) -> Vec<HashRange> {
        if self.first == self.last {
            return vec![self];
        }
        let middle = self.first + (self.last - self.first) / 2;
        vec![HashRange { first: self.first, last: middle }, HashRange { first: middle + 1, last: self.last }]
    }

    /// Whether an item's row is in the range.
    pub(crate) fn contains(self, row: &[u8]) -> bool {
        hash_of(row).is_some_and(|hash| (self.first..=self.last).contains(&hash))
    }
}

/// The partition hash in the key of an item's row.
pub(crate) fn hash_of(row: &[u8]) -> Option<u32> {
    let bytes = row.get(PREFIX_BYTES..PARTS_AT)?;
    bytes.try_into().ok().map(u32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_back_and_nothing_else_is() {
        let id = ShardId { stamp_ms: 1_700_000_000_123, suffix: 0xab };
        assert_eq!(id.to_string(), "shardId-00000001700000000123-000000ab");
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in ["", "shardId-", "shardId-1-1", "shardId-00000001700000000123-000000AB", "shardId-+-+"] {
            assert_eq!(text.parse::<ShardId>(), Err(NotAShardId), "{text}");
        }
    }

    #[test]
    fn a_range_of_one_hash_is_not_halved() {
        let one = HashRange { first: 5, last: 5 };
        assert_eq!(one.halves(), [one]);
        let two = HashRange { first: 5, last: 6 };
        assert_eq!(two.halves(), [one, HashRange { first: 6, last: 6 }]);
    }
}
