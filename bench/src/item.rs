//! The items of all measurements: 400 B as DynamoDB counts them, 25 to a partition, every answer of equal length.

use std::collections::VecDeque;

use fastrand::Rng;
use serde_json::Value;

/// Items of one partition; a query reads all of them.
pub(crate) const ITEMS_PER_PARTITION: u64 = 25;
/// The size of an item as DynamoDB counts it: names and values.
pub(crate) const ITEM_BYTES: u64 = 400;
/// Characters of the long text attribute; what remains of 400 B after the others.
const BODY_CHARACTERS: usize = 287;
const TITLE_CHARACTERS: usize = 40;
const POOL_BYTES: usize = 64 * 1024;
/// The number in every item that is put. Six digits, and far from needing a seventh: `update` counts up from here
/// without changing the answer's length.
const VISITS: &str = "100001";
/// Different sets of index keys that an item can have.
const GENERATIONS: u64 = 1000;
/// Writes that are remembered: more than are ever under way at once.
const RECENT_WRITES: usize = 4096;

/// Whether writing an item again gives its index attributes new values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexKeys {
    /// The same values for the same item: each index entry is replaced where it is.
    Stay,
    /// New values with each write: each index entry moves.
    Move,
}

/// Writes items and keys as DynamoDB JSON, with random text.
pub(crate) struct ItemWriter {
    rng: Rng,
    pool: Vec<u8>,
    expires: Option<u64>,
    request: u64,
    recent: VecDeque<Write>,
}

/// A write that was sent: what its item must be if nothing wrote to it later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write {
    /// The request that it was part of.
    pub(crate) request: u64,
    /// The item's number.
    pub(crate) item: u64,
    title_start: usize,
    /// The rest of a put: where its body's text starts, and its index keys. An update has neither.
    put: Option<(usize, u64)>,
}

impl ItemWriter {
    /// A writer of random texts, others than any writer before: a database may see that a put changes nothing, and
    /// spare itself the rest.
    pub(crate) fn new() -> Self {
        let mut rng = Rng::new();
        let pool = (0..POOL_BYTES).map(|_| rng.alphanumeric() as u8).collect();
        Self { rng, pool, expires: None, request: 0, recent: VecDeque::with_capacity(RECENT_WRITES) }
    }

    /// Begins a request, of which everything that is written next is part; gives its number.
    pub(crate) fn begin_request(&mut self) -> u64 {
        self.request += 1;
        self.request
    }

    /// The last writes, oldest first.
    pub(crate) fn recent(&self) -> impl DoubleEndedIterator<Item = &Write> {
        self.recent.iter()
    }

    /// Whether `found` is what a write of this writer made of its item.
    pub(crate) fn is_written(&self, found: &Value, write: &Write) -> bool {
        let is_text = |name: &str, start: usize, characters: usize| {
            let text = found.get(name).and_then(|value| value.get("S")).and_then(Value::as_str);
            text.map(str::as_bytes) == self.pool.get(start..start + characters)
        };
        let put = write.put.is_none_or(|(body_start, generation)| {
            is_text("body", body_start, BODY_CHARACTERS)
                && found.pointer("/visits/N").and_then(Value::as_str) == Some(VISITS)
                && has_index_keys(found, write.item, generation)
        });
        is_item(found, write.item) && put && is_text("title", write.title_start, TITLE_CHARACTERS)
    }

    fn remember(&mut self, item: u64, title_start: usize, put: Option<(usize, u64)>) {
        if self.recent.len() == RECENT_WRITES {
            self.recent.pop_front();
        }
        self.recent.push_back(Write { request: self.request, item, title_start, put });
    }

    /// Gives all items from now on a second at which they expire; it comes on top of their 400 B.
    pub(crate) fn expire_at(&mut self, second: u64) {
        self.expires = Some(second);
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.rng.u64(..bound.max(1))
    }

    /// Appends item number `item`: `{"pk":{"S":…},…}`.
    pub(crate) fn write_item(&mut self, out: &mut Vec<u8>, item: u64, index_keys: IndexKeys) {
        out.push(b'{');
        write_key_members(out, item);
        let generation = match index_keys {
            IndexKeys::Stay => 0,
            IndexKeys::Move => self.rng.u64(1..GENERATIONS),
        };
        for index in 1..=3_u8 {
            out.extend_from_slice(b",\"g");
            out.push(b'0' + index);
            out.extend_from_slice(b"\":{\"S\":\"");
            write_index_key(out, item, index, generation);
            out.extend_from_slice(b"\"}");
        }
        out.extend_from_slice(b",\"visits\":{\"N\":\"");
        out.extend_from_slice(VISITS.as_bytes());
        out.extend_from_slice(b"\"},\"title\":{\"S\":\"");
        let title_start = self.write_text(out, TITLE_CHARACTERS);
        out.extend_from_slice(b"\"},\"body\":{\"S\":\"");
        let body_start = self.write_text(out, BODY_CHARACTERS);
        out.extend_from_slice(b"\"}");
        self.remember(item, title_start, Some((body_start, generation)));
        if let Some(second) = self.expires {
            out.extend_from_slice(b",\"expires\":{\"N\":\"");
            out.extend_from_slice(second.to_string().as_bytes());
            out.extend_from_slice(b"\"}");
        }
        out.push(b'}');
    }

    /// Appends the characters of a new title for item number `item`.
    pub(crate) fn write_title(&mut self, out: &mut Vec<u8>, item: u64) {
        let title_start = self.write_text(out, TITLE_CHARACTERS);
        self.remember(item, title_start, None);
    }

    /// Appends random text; gives where in the pool it starts.
    fn write_text(&mut self, out: &mut Vec<u8>, characters: usize) -> usize {
        let start = self.rng.usize(..POOL_BYTES - characters);
        out.extend_from_slice(self.pool.get(start..start + characters).unwrap_or_default());
        start
    }
}

/// Appends the key of item number `item`: `{"pk":{"S":…},"sk":{"S":…}}`.
pub(crate) fn write_key(out: &mut Vec<u8>, item: u64) {
    out.push(b'{');
    write_key_members(out, item);
    out.push(b'}');
}

/// Appends the characters of the partition key of item number `item`.
pub(crate) fn write_partition(out: &mut Vec<u8>, item: u64) {
    out.extend_from_slice(b"part-");
    write_digits(out, item / ITEMS_PER_PARTITION, 8);
}

/// Appends an index key of item number `item`. Each generation has other keys, and each set of three belongs to its
/// item, so that they can be checked also after they have moved.
fn write_index_key(out: &mut Vec<u8>, item: u64, index: u8, generation: u64) {
    let own = item.wrapping_mul(2_654_435_761 + u64::from(index));
    let value = own.wrapping_add(generation * (9_973 + 2 * u64::from(index))) % 100_000;
    out.push(b'k');
    write_digits(out, value, 7);
}

fn has_index_keys(found: &Value, item: u64, generation: u64) -> bool {
    ["g1", "g2", "g3"].iter().zip(1..).all(|(name, index)| {
        let mut key = Vec::with_capacity(8);
        write_index_key(&mut key, item, index, generation);
        let text = found.get(name).and_then(|value| value.get("S")).and_then(Value::as_str);
        text.is_some_and(|text| text.as_bytes() == key)
    })
}

/// Whether `found` is item number `item` with all its attributes: keys and index keys by their value, the random texts
/// by their length.
pub(crate) fn is_item(found: &Value, item: u64) -> bool {
    let text = |name: &str| found.get(name).and_then(|value| value.get("S")).and_then(Value::as_str);
    let mut partition = Vec::new();
    write_partition(&mut partition, item);
    let sort = format!("item-{:02}", item % ITEMS_PER_PARTITION);
    text("pk").is_some_and(|pk| pk.as_bytes() == partition)
        && text("sk") == Some(sort.as_str())
        && (0..GENERATIONS).any(|generation| has_index_keys(found, item, generation))
        && text("title").is_some_and(|title| title.len() == TITLE_CHARACTERS)
        && text("body").is_some_and(|body| body.len() == BODY_CHARACTERS)
        && found.pointer("/visits/N").is_some_and(Value::is_string)
}

/// The length of an item as DynamoDB JSON.
pub(crate) fn item_json_bytes() -> usize {
    let mut out = Vec::new();
    ItemWriter::new().write_item(&mut out, 0, IndexKeys::Stay);
    out.len()
}

fn write_key_members(out: &mut Vec<u8>, item: u64) {
    out.extend_from_slice(b"\"pk\":{\"S\":\"");
    write_partition(out, item);
    out.extend_from_slice(b"\"},\"sk\":{\"S\":\"item-");
    write_digits(out, item % ITEMS_PER_PARTITION, 2);
    out.extend_from_slice(b"\"}");
}

fn write_digits(out: &mut Vec<u8>, value: u64, width: u32) {
    out.extend((0..width).rev().map(|place| b'0' + (value / 10_u64.pow(place) % 10) as u8));
}

#[cfg(test)]
mod tests {
    use super::{ITEM_BYTES, IndexKeys, ItemWriter, is_item, item_json_bytes};
    use serde_json::Value;

    #[test]
    fn every_item_has_400_bytes_and_one_json_length() {
        let mut writer = ItemWriter::new();
        for item in [0, 24, 25, 99_999, 9_999_999] {
            for keys in [IndexKeys::Stay, IndexKeys::Move] {
                let mut out = Vec::new();
                writer.write_item(&mut out, item, keys);
                assert_eq!(out.len(), item_json_bytes());
                let value: Value = serde_json::from_slice(&out).unwrap();
                assert!(is_item(&value, item));
                assert!(!is_item(&value, item + 1));
                assert!(writer.is_written(&value, writer.recent().last().unwrap()));
                let mut other = value.clone();
                other["g2"]["S"] = "k9999999".into();
                assert!(!is_item(&other, item), "an index key that is not its own");
                let mut other = value.clone();
                other["title"]["S"] = "x".repeat(40).into();
                assert!(is_item(&other, item) && !writer.is_written(&other, writer.recent().last().unwrap()));
                let strings: usize = value
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(name, value)| name.len() + value["S"].as_str().map_or(4, str::len))
                    .sum();
                assert_eq!(strings as u64, ITEM_BYTES);
            }
        }
    }
}
