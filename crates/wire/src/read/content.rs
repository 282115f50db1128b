//! A hash of JSON content, which doesn't depend on white space or the order of members.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use xxhash_rust::xxh3::{xxh3_128, xxh3_128_with_seed};

/// The hash of one JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContentHash(pub(crate) u128);

/// Seeds that distinguish kinds of values: the string `1` isn't the number 1, and `[]` isn't `{}`.
#[derive(Clone, Copy)]
enum Seed {
    Text = 1,
    Number,
    Word,
    List,
    Map,
    Entry,
}

fn hash(seed: Seed, bytes: &[u8]) -> ContentHash {
    ContentHash(xxh3_128_with_seed(bytes, seed as u64))
}

/// The hash of two hashes in order.
fn pair(seed: Seed, first: u128, second: u128) -> u128 {
    let mut bytes = [0; 32];
    let (left, right) = bytes.split_at_mut(16);
    left.copy_from_slice(&first.to_le_bytes());
    right.copy_from_slice(&second.to_le_bytes());
    xxh3_128_with_seed(&bytes, seed as u64)
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Content)
    }
}

struct Content;

impl<'de> Visitor<'de> for Content {
    type Value = ContentHash;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<ContentHash, E> {
        Ok(hash(Seed::Word, &[u8::from(flag)]))
    }

    fn visit_unit<E: Error>(self) -> Result<ContentHash, E> {
        Ok(hash(Seed::Word, &[]))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<ContentHash, E> {
        Ok(hash(Seed::Number, &number.to_le_bytes()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<ContentHash, E> {
        Ok(hash(Seed::Number, &number.to_le_bytes()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<ContentHash, E> {
        Ok(hash(Seed::Number, &number.to_le_bytes()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ContentHash, E> {
        Ok(hash(Seed::Text, text.as_bytes()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ContentHash, A::Error> {
        let mut content = hash(Seed::List, &[]).0;
        while let Some(element) = list.next_element::<ContentHash>()? {
            content = pair(Seed::List, content, element.0);
        }
        Ok(ContentHash(content))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ContentHash, A::Error> {
        // A sum doesn't depend on the order of its parts.
        let mut content = hash(Seed::Map, &[]).0;
        while let Some((name, value)) = map.next_entry::<ContentHash, ContentHash>()? {
            content = content.wrapping_add(pair(Seed::Entry, name.0, value.0));
        }
        Ok(ContentHash(content))
    }
}

impl ContentHash {
    /// The hash of the bytes, for JSON that is nested too deeply to be walked.
    pub(crate) fn of_bytes(bytes: &[u8]) -> ContentHash {
        ContentHash(xxh3_128(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(json: &str) -> ContentHash {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn spacing_escapes_and_member_order_do_not_change_the_content() {
        let same = [
            r#"{"a":{"S":"x"},"b":[1,true,null]}"#,
            r#"{ "b" : [ 1, true, null ], "a" : { "S" : "\u0078" } }"#,
        ];
        assert_eq!(content(same[0]), content(same[1]));
    }

    #[test]
    fn different_content_has_another_hash() {
        let jsons = [
            r#"1"#,
            r#""1""#,
            r#"[]"#,
            r#"{}"#,
            r#"null"#,
            r#"[1,2]"#,
            r#"[2,1]"#,
            r#"{"a":"b"}"#,
            r#"{"b":"a"}"#,
        ];
        for (at, one) in jsons.iter().enumerate() {
            for other in jsons.iter().skip(at + 1) {
                assert_ne!(content(one), content(other), "{one} {other}");
            }
        }
    }
}
