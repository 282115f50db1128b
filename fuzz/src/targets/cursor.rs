//! Cursors: places that a client hands back, made up or changed.
//!
//! - `page`: words, then lines with a query's values and its `ExclusiveStartKey`. The items of all pages are exactly
//!   those that a sorted list of the items says comes after that key, within the query's partition and range. The key
//!   of an item in the range is always taken.
//! - `pattern`: words, then the payload of a pattern's cursor, which is sealed here as its key's owner would. A list
//!   goes on with items of its own list, in its order, or the cursor is refused as one.
//! - `shard`: the text of a shard iterator, with its checksum made right here. The answer holds records of the stream.

mod page;
mod pattern;
mod shard;

use super::cut;

pub(crate) fn run(input: &[u8]) {
    let (first, rest) = cut(input, b'\n');
    let (kind, words) = cut(first, b' ');
    let words: Vec<&str> = std::str::from_utf8(words).unwrap_or_default().split(' ').collect();
    match kind {
        b"page" => page::run(&words, rest),
        b"pattern" => pattern::run(&words, rest),
        b"shard" => shard::run(rest),
        _ => {}
    }
}
