//! Items as lines of files: DynamoDB's JSON outside a request.

use serde::Deserialize;
use singlet_values::{Item, ItemRef};

use crate::read::AttributeMap;
use crate::write::{JsonWriter, write_item, write_some};

/// Appends `{"Item":{…}}`.
pub fn write_item_line(out: &mut Vec<u8>, item: ItemRef<'_>) {
    with_writer(out, |json| json.object(|json| write_item(json.key("Item"), item)));
}

/// A change of an item, for [`write_change_line`].
#[derive(Debug, Clone, Copy)]
pub struct ChangeLine<'a> {
    /// The time of the last write, in microseconds since 1970.
    pub written_us: u64,
    /// The names of its key attributes.
    pub key: &'a [String],
    /// The item before the change. It is written only if `shows_old` is set.
    pub old: Option<ItemRef<'a>>,
    /// The item after the change.
    pub new: Option<ItemRef<'a>>,
    /// Whether the item before the change is written.
    pub shows_old: bool,
}

/// Appends `{"Metadata":{…},"Keys":{…},"NewImage":{…},"OldImage":{…}}`. Missing images are left out.
pub fn write_change_line(out: &mut Vec<u8>, change: &ChangeLine<'_>) {
    with_writer(out, |json| {
        json.object(|json| {
            json.key("Metadata").object(|json| {
                json.key("WriteTimestampMicros").object(|json| {
                    json.key("N").text(&change.written_us.to_string());
                });
            });
            if let Some(image) = change.new.or(change.old) {
                let keys: Vec<&str> = change.key.iter().map(String::as_str).collect();
                write_some(json.key("Keys"), image, &keys);
            }
            if let Some(new) = change.new {
                write_item(json.key("NewImage"), new);
            }
            if let Some(old) = change.old.filter(|_| change.shows_old) {
                write_item(json.key("OldImage"), old);
            }
        });
    });
}

fn with_writer(out: &mut Vec<u8>, write: impl FnOnce(&mut JsonWriter)) {
    let mut json = JsonWriter::with_capacity(256);
    write(&mut json);
    out.extend_from_slice(&json.into_bytes());
}

/// Reads `{"Item":{…}}` and ignores other members. The error says what is wrong with the line.
pub fn read_item_line(line: &[u8]) -> Result<Item, String> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(rename = "Item")]
        item: Option<AttributeMap>,
    }
    let line = std::str::from_utf8(line).map_err(|error| format!("not UTF-8: {error}"))?;
    let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let item = line.item.ok_or("there is no Item on this line")?;
    item.checked().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use singlet_values::EncodedItem;

    use super::*;

    fn encoded(json: &str) -> EncodedItem {
        EncodedItem::encode(&read_item_line(json.as_bytes()).unwrap())
    }

    #[test]
    fn a_line_is_read_back_as_it_was_written() {
        let line = r#"{"Item":{"b":{"B":"AAE="},"id":{"S":"x\n"},"l":{"L":[{"NULL":true},{"M":{}}]},"n":{"N":"1.5"},"s":{"NS":["1","2"]}}}"#;
        let mut out = Vec::new();
        write_item_line(&mut out, encoded(line).view());
        assert_eq!(String::from_utf8(out).unwrap(), line);
    }

    #[test]
    fn what_is_no_item_is_refused_with_a_reason() {
        for line in [
            "",
            "null",
            "{}",
            "[]",
            "\"Item\"",
            r#"{"Item":null}"#,
            r#"{"Item":{"a":{"N":"x"}}}"#,
            r#"{"Item":{"a":{"SS":[]}}}"#,
            r#"{"Item":{"":{"S":"x"}}}"#,
            r#"{"Item":{"a":{"S":"x"}}"#,
            r#"{"Item":{"a":{"S":"x"}}} {"Item":{"a":{"S":"y"}}}"#,
            "{\"Item\":{\"a\":{\"S\":\"\u{0}",
        ] {
            let reason = read_item_line(line.as_bytes()).unwrap_err();
            assert!(!reason.is_empty(), "{line}");
        }
        assert!(read_item_line(b"\xff\xfe").is_err());
        assert!(read_item_line(b"{\"Item\":{\"a\":{\"S\":\"x\"}},\"skipped\":\"\xff\"}").is_err());
    }

    #[test]
    fn stored_bytes_that_nest_without_end_do_not_use_up_the_stack() {
        // Nested lists, from the inside: a tag, the length of the body, a count of one.
        let mut reversed = vec![b'0'];
        for level in 0..100_000_u32 {
            reversed.push(1);
            reversed.extend((2 + level * 6).to_le_bytes().iter().rev());
            reversed.push(b'L');
        }
        reversed.extend(b"a\x01\x01\x00");
        let bytes: Vec<u8> = reversed.into_iter().rev().collect();
        let mut out = Vec::new();
        write_item_line(&mut out, ItemRef::new(&bytes));
        assert!(serde_json::from_slice::<serde_json::Value>(&out).is_ok());
        assert_eq!(String::from_utf8(out).unwrap().matches("\"L\"").count(), 40);
    }

    #[test]
    fn a_change_shows_keys_and_the_images_that_there_are() {
        let (old, new) = (
            encoded(r#"{"Item":{"id":{"S":"x"},"sk":{"N":"2"},"v":{"N":"1"}}}"#),
            encoded(r#"{"Item":{"id":{"S":"x"},"sk":{"N":"2"},"v":{"N":"2"}}}"#),
        );
        let key = ["sk".to_owned(), "id".to_owned()];
        let show = |old: Option<&EncodedItem>, new: Option<&EncodedItem>, shows_old| {
            let (old, new) = (old.map(EncodedItem::view), new.map(EncodedItem::view));
            let mut out = Vec::new();
            write_change_line(&mut out, &ChangeLine { written_us: 17_000, key: &key, old, new, shows_old });
            String::from_utf8(out).unwrap()
        };
        let head =
            r#"{"Metadata":{"WriteTimestampMicros":{"N":"17000"}},"Keys":{"id":{"S":"x"},"sk":{"N":"2"}}"#;
        assert_eq!(show(Some(&old), None, false), format!("{head}}}"));
        assert_eq!(
            show(None, Some(&new), true),
            format!(r#"{head},"NewImage":{{"id":{{"S":"x"}},"sk":{{"N":"2"}},"v":{{"N":"2"}}}}}}"#)
        );
        assert_eq!(
            show(Some(&old), Some(&new), true),
            format!(
                r#"{head},"NewImage":{{"id":{{"S":"x"}},"sk":{{"N":"2"}},"v":{{"N":"2"}}}},"OldImage":{{"id":{{"S":"x"}},"sk":{{"N":"2"}},"v":{{"N":"1"}}}}}}"#
            )
        );
    }
}
