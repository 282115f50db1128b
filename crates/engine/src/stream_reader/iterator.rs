//! Shard iterators: a position in a shard, as a string that a client sends back.

use std::fmt;
use std::str::FromStr;

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Invalid, Result};
use crate::store::Position;
use crate::stream::ShardId;

/// How long an iterator is valid.
const LIFE_MS: u64 = 15 * 60 * 1000;
/// The version of the text.
const VERSION: &str = "1";
/// Marks an iterator that asks for the oldest record.
const OLDEST: &str = "o";

/// A position in a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShardIterator {
    pub(super) arn: String,
    pub(super) shard: ShardId,
    pub(super) from: Start,
    pub(super) made_ms: u64,
}

/// The position of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) after: Position,
    /// Whether records that are too old are skipped, because the reader wants the oldest that exists. Otherwise they
    /// are an error.
    pub(crate) skips_trimmed: bool,
}

impl Start {
    /// At the oldest record at the time of reading.
    pub(crate) fn oldest() -> Self {
        Start { after: Position::default(), skips_trimmed: true }
    }

    /// After a position.
    pub(crate) fn after(after: Position) -> Self {
        Start { after, skips_trimmed: false }
    }
}

impl ShardIterator {
    fn text(&self) -> String {
        let ShardIterator { arn, shard, from, made_ms } = self;
        let Start { after: Position { sequence, place }, skips_trimmed } = from;
        let oldest = if *skips_trimmed { OLDEST } else { "" };
        format!("{arn}|{VERSION}|{shard}|{made_ms}|{sequence}.{place}{oldest}")
    }

    /// Refuses an iterator that is too old.
    pub(super) fn check_age(&self, now_ms: u64) -> Result<()> {
        let is_expired = self.made_ms.saturating_add(LIFE_MS) < now_ms;
        if is_expired { Err(Error::IteratorExpired) } else { Ok(()) }
    }
}

impl fmt::Display for ShardIterator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text();
        write!(f, "{text}|{}", checksum(&text))
    }
}

impl FromStr for ShardIterator {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        parse(text).ok_or(Invalid::ShardIterator)
    }
}

/// Detects an iterator that was truncated or made by hand. Any other position would be valid.
fn checksum(text: &str) -> String {
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

fn parse(text: &str) -> Option<ShardIterator> {
    let (text, sum) = text.rsplit_once('|')?;
    if sum != checksum(text) {
        return None;
    }
    let parts: Vec<&str> = text.split('|').collect();
    let [arn, VERSION, shard, made_ms, from] = parts.as_slice() else { return None };
    let oldest = from.strip_suffix(OLDEST);
    let (sequence, place) = oldest.unwrap_or(from).split_once('.')?;
    let after = Position { sequence: sequence.parse().ok()?, place: place.parse().ok()? };
    let from = Start { after, skips_trimmed: oldest.is_some() };
    let (arn, shard) = ((*arn).to_owned(), shard.parse().ok()?);
    Some(ShardIterator { arn, shard, from, made_ms: made_ms.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iterator(from: Start) -> ShardIterator {
        let shard = ShardId { stamp_ms: 1_700_000_000_000, suffix: 77 };
        ShardIterator { arn: "arn:aws:dynamodb:r:a:table/t/stream/l".to_owned(), shard, from, made_ms: 5 }
    }

    #[test]
    fn an_iterator_is_read_back() {
        for from in [Start::oldest(), Start::after(Position { sequence: u64::MAX, place: u32::MAX })] {
            let iterator = iterator(from);
            assert_eq!(iterator.to_string().parse(), Ok(iterator));
        }
    }

    #[test]
    fn an_iterator_lives_fifteen_minutes() {
        assert!(iterator(Start::oldest()).check_age(5 + LIFE_MS).is_ok());
        assert!(matches!(iterator(Start::oldest()).check_age(6 + LIFE_MS), Err(Error::IteratorExpired)));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_an_iterator_or_refused(
            start in "\\PC{0,40}", rest in "[|.0-9a-z-]{0,60}", cut in 0usize..140,
        ) {
            let _ = format!("{start}{rest}").parse::<ShardIterator>();
            let whole = iterator(Start::oldest()).to_string();
            let part: String = whole.chars().take(cut).collect();
            proptest::prop_assert_eq!(part.parse::<ShardIterator>().is_ok(), part == whole);
        }
    }
}
