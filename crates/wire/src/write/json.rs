//! A JSON writer with one buffer and without a tree.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Bytes per step of the search for characters to escape. A step has a fixed length and no branches, so the compiler
/// turns it into a few wide instructions.
const ESCAPE_CHUNK_BYTES: usize = 16;

/// Writes JSON into one buffer. It adds the commas between values and names.
#[derive(Debug, Default)]
pub(crate) struct JsonWriter {
    out: Vec<u8>,
}

impl JsonWriter {
    /// An empty buffer with room for `bytes`.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        JsonWriter { out: Vec::with_capacity(bytes) }
    }

    /// The number of bytes written so far.
    pub(crate) fn bytes_written(&self) -> usize {
        self.out.len()
    }

    /// The bytes written so far.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// A comma is needed except after an opening bracket or a name. Strings end in a quote, so the last byte is
    /// sufficient to decide.
    fn separate(&mut self) {
        if !matches!(self.out.last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(b',');
        }
    }

    /// Writes an object with the members that `members` writes.
    pub(crate) fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.separate();
        self.out.push(b'{');
        members(self);
        self.out.push(b'}');
    }

    /// Writes an array with the elements that `elements` writes.
    pub(crate) fn array(&mut self, elements: impl FnOnce(&mut Self)) {
        self.separate();
        self.out.push(b'[');
        elements(self);
        self.out.push(b']');
    }

    /// Writes the name of a member, before its value. The name is a constant that doesn't need escaping.
    pub(crate) fn key(&mut self, name: &'static str) -> &mut Self {
        self.separate();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self
    }

    /// Writes the name of a member that a client chose.
    pub(crate) fn name(&mut self, name: &str) -> &mut Self {
        self.name_bytes(name.as_bytes())
    }

    /// Writes the name of a member from its UTF-8 bytes.
    pub(super) fn name_bytes(&mut self, name: &[u8]) -> &mut Self {
        self.text_bytes(name);
        self.out.push(b':');
        self
    }

    /// Writes a string.
    pub(crate) fn text(&mut self, text: &str) {
        self.text_bytes(text.as_bytes());
    }

    /// Writes a string from its UTF-8 bytes.
    pub(super) fn text_bytes(&mut self, text: &[u8]) {
        self.separate();
        self.out.push(b'"');
        self.characters(text);
        self.out.push(b'"');
    }

    /// Writes a member whose value is an attribute of type S. Most attributes are strings, so the JSON around them is
    /// written in as few pieces as possible.
    pub(super) fn string_attribute(&mut self, name: &[u8], text: &[u8]) {
        self.separate();
        self.out.push(b'"');
        self.characters(name);
        self.out.extend_from_slice(b"\":{\"S\":\"");
        self.characters(text);
        self.out.extend_from_slice(b"\"}");
    }

    /// The inside of a string.
    fn characters(&mut self, text: &[u8]) {
        if has_escapes(text) {
            text.iter().for_each(|byte| self.escaped(*byte));
        } else {
            self.out.extend_from_slice(text);
        }
    }

    fn escaped(&mut self, byte: u8) {
        let short = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x08 => b'b',
            0x0C => b'f',
            0x00..0x20 => {
                self.out.extend_from_slice(b"\\u00");
                self.out.push(hex_digit(byte >> 4));
                self.out.push(hex_digit(byte & 0x0F));
                return;
            }
            _ => {
                self.out.push(byte);
                return;
            }
        };
        self.out.extend_from_slice(&[b'\\', short]);
    }

    /// Writes binary as a base64 string.
    pub(crate) fn base64(&mut self, bytes: &[u8]) {
        self.separate();
        self.out.push(b'"');
        let start = self.out.len();
        self.out.resize(start + bytes.len().div_ceil(3) * 4, 0);
        if let Some(room) = self.out.get_mut(start..)
            && STANDARD.encode_slice(bytes, room).is_err()
        {
            // The buffer has exactly the length that base64 needs for these bytes.
            self.out.truncate(start);
        }
        self.out.push(b'"');
    }

    /// Writes a string of plain characters that `write` appends, such as a number's digits.
    pub(crate) fn plain_text(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.separate();
        self.out.push(b'"');
        write(&mut self.out);
        self.out.push(b'"');
    }

    /// Writes a boolean.
    pub(crate) fn boolean(&mut self, flag: bool) {
        self.separate();
        self.out.extend_from_slice(if flag { b"true" } else { b"false" });
    }

    /// Writes an integer.
    pub(crate) fn integer(&mut self, number: impl Into<i128>) {
        self.separate();
        self.print(format_args!("{}", number.into()));
    }

    /// Writes a count.
    pub(crate) fn count(&mut self, count: usize) {
        self.separate();
        self.print(format_args!("{count}"));
    }

    /// Writes a decimal number such as capacity units. It is never infinite.
    pub(crate) fn decimal(&mut self, number: f64) {
        self.separate();
        self.print(format_args!("{number:?}"));
    }

    /// Writes a time in milliseconds in DynamoDB's form: seconds, with a fraction.
    pub(crate) fn time(&mut self, milliseconds: u64) {
        self.separate();
        self.print(format_args!("{}.{:03}", milliseconds / 1000, milliseconds % 1000));
    }

    fn print(&mut self, text: std::fmt::Arguments<'_>) {
        use std::io::Write as _;
        // Writing to memory can't fail.
        let _ = self.out.write_fmt(text);
    }

    /// Appends bytes that are already JSON, without a comma before them.
    pub(super) fn raw(&mut self, json: &'static [u8]) {
        self.out.extend_from_slice(json);
    }

    /// Writes the comma, if one is needed, before the bytes that `raw` writes next.
    pub(super) fn raw_after(&mut self, json: &'static [u8]) {
        self.separate();
        self.raw(json);
    }
}

/// The last chunk may overlap the one before it, so that no bytes are left to search one by one.
fn has_escapes(text: &[u8]) -> bool {
    match (text.last_chunk::<ESCAPE_CHUNK_BYTES>(), text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(last), _, _) => {
            let (chunks, _) = text.as_chunks::<ESCAPE_CHUNK_BYTES>();
            chunks.iter().any(any_escape) || any_escape(last)
        }
        (None, Some(first), Some(last)) => any_escape(first) | any_escape(last),
        _ => text.iter().any(|byte| needs_escape(*byte)),
    }
}

fn any_escape<const BYTES: usize>(chunk: &[u8; BYTES]) -> bool {
    chunk.iter().fold(false, |found, byte| found | needs_escape(*byte))
}

fn needs_escape(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

fn hex_digit(nibble: u8) -> u8 {
    if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(write: impl FnOnce(&mut JsonWriter)) -> String {
        let mut json = JsonWriter::default();
        write(&mut json);
        String::from_utf8(json.into_bytes()).unwrap()
    }

    #[test]
    fn commas_stand_between_members_and_elements_only() {
        let json = written(|json| {
            json.object(|json| {
                json.key("a").array(|json| {
                    json.count(1);
                    json.text("x");
                    json.array(|_| ());
                    json.object(|_| ());
                });
                json.key("b").boolean(true);
                json.name("c").decimal(0.5);
                json.key("d").time(1_700_000_000_042);
                json.key("e").integer(-3);
            });
        });
        assert_eq!(json, r#"{"a":[1,"x",[],{}],"b":true,"c":0.5,"d":1700000000.042,"e":-3}"#);
    }

    #[test]
    fn whole_units_are_written_as_decimals() {
        assert_eq!(written(|json| json.decimal(1.0)), "1.0");
    }

    proptest! {
        #[test]
        fn a_string_attribute_is_written_as_its_parts_are(name in any::<String>(), text in any::<String>()) {
            let whole = written(|json| json.object(|json| json.string_attribute(name.as_bytes(), text.as_bytes())));
            let parts = written(|json| json.object(|json| json.name(&name).object(|json| json.key("S").text(&text))));
            prop_assert_eq!(whole, parts);
        }

        #[test]
        fn any_text_is_read_back_as_it_was(text in any::<String>()) {
            let json = written(|json| json.text(&text));
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }

        #[test]
        fn any_binary_is_read_back_as_it_was(bytes in any::<Vec<u8>>()) {
            let json = written(|json| json.base64(&bytes));
            prop_assert_eq!(STANDARD.decode(json.trim_matches('"')).unwrap(), bytes);
        }
    }
}
