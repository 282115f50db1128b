//! The items of all measurements: 400 B as DynamoDB counts them, 25 to a partition, every answer of equal length.

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
}

impl ItemWriter {
    /// A writer whose random text follows from `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let pool = (0..POOL_BYTES).map(|_| rng.alphanumeric() as u8).collect();
        Self { rng, pool, expires: None }
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
        for index in 1..=3_u8 {
            let value = match index_keys {
                IndexKeys::Stay => item.wrapping_mul(2_654_435_761 + u64::from(index)) % 100_000,
                IndexKeys::Move => self.rng.u64(..100_000),
            };
            out.extend_from_slice(b",\"g");
            out.push(b'0' + index);
            out.extend_from_slice(b"\":{\"S\":\"k");
            write_digits(out, value, 7);
            out.extend_from_slice(b"\"}");
        }
        // Six digits, and far from needing a seventh: `update` counts up from here without changing the answer's length.
        out.extend_from_slice(b",\"visits\":{\"N\":\"100001\"},\"title\":{\"S\":\"");
        self.write_text(out, TITLE_CHARACTERS);
        out.extend_from_slice(b"\"},\"body\":{\"S\":\"");
        self.write_text(out, BODY_CHARACTERS);
        out.extend_from_slice(b"\"}");
        if let Some(second) = self.expires {
            out.extend_from_slice(b",\"expires\":{\"N\":\"");
            out.extend_from_slice(second.to_string().as_bytes());
            out.extend_from_slice(b"\"}");
        }
        out.push(b'}');
    }

    /// Appends a new title's characters.
    pub(crate) fn write_title(&mut self, out: &mut Vec<u8>) {
        self.write_text(out, TITLE_CHARACTERS);
    }

    fn write_text(&mut self, out: &mut Vec<u8>, characters: usize) {
        let start = self.rng.usize(..POOL_BYTES - characters);
        out.extend_from_slice(self.pool.get(start..start + characters).unwrap_or_default());
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

/// Whether `found` is item number `item` with all its attributes.
pub(crate) fn is_item(found: &Value, item: u64) -> bool {
    let text = |name: &str| found.get(name).and_then(|value| value.get("S")).and_then(Value::as_str);
    let mut partition = Vec::new();
    write_partition(&mut partition, item);
    let sort = format!("item-{:02}", item % ITEMS_PER_PARTITION);
    text("pk").is_some_and(|pk| pk.as_bytes() == partition)
        && text("sk") == Some(sort.as_str())
        && ["g1", "g2", "g3"].iter().all(|name| text(name).is_some_and(|value| value.len() == 8))
        && text("title").is_some_and(|title| title.len() == TITLE_CHARACTERS)
        && text("body").is_some_and(|body| body.len() == BODY_CHARACTERS)
        && found.pointer("/visits/N").is_some_and(Value::is_string)
}

/// The length of an item as DynamoDB JSON.
pub(crate) fn item_json_bytes() -> usize {
    let mut out = Vec::new();
    ItemWriter::new(0).write_item(&mut out, 0, IndexKeys::Stay);
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
        let mut writer = ItemWriter::new(7);
        for item in [0, 24, 25, 99_999, 9_999_999] {
            for keys in [IndexKeys::Stay, IndexKeys::Move] {
                let mut out = Vec::new();
                writer.write_item(&mut out, item, keys);
                assert_eq!(out.len(), item_json_bytes());
                let value: Value = serde_json::from_slice(&out).unwrap();
                assert!(is_item(&value, item));
                assert!(!is_item(&value, item + 1));
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
