//! The shard of a value.
//!
//! Stored keys contain the number of the shard, so this function must never change. It takes the 64-bit XXH3 hash
//! (seed 0) of the value's text in UTF-8 (a number in plain decimal notation, binary as its bytes). It multiplies the
//! upper 32 bits of the hash by the number of shards and keeps the upper 32 bits of the product:
//! `shard = ((xxh3_64(text) >> 32) × count) >> 32`.

use singlet_values::ValueRef;
use xxhash_rust::xxh3::xxh3_64;

/// The maximum number of shards of one key. Reading a sharded list reads all of them.
pub const SHARDS_MAX: u32 = 1000;

/// Returns the shard of a value among `count`, or `None` for lists, maps, sets and null.
pub fn shard_of(value: ValueRef<'_>, count: u32) -> Option<u32> {
    let hash = match value {
        ValueRef::S(text) => xxh3_64(text.as_bytes()),
        ValueRef::B(bytes) => xxh3_64(bytes),
        ValueRef::Bool(truth) => xxh3_64(if truth { b"true" } else { b"false" }),
        ValueRef::N(number) => {
            let mut text = Vec::with_capacity(40);
            number.write_text(&mut text);
            xxh3_64(&text)
        }
        _ => return None,
    };
    let shard = ((hash >> 32) * u64::from(count)) >> 32;
    u32::try_from(shard).ok()
}
